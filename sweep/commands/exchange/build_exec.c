#include "commands/exchange/build_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 64 };

static enum status check_set(const char *text, struct error *e) {
    const size_t name = strcspn(text, "=");
    if (name == 0 || name >= sizeof((struct build_exec *)0)->names[0] || text[name] == '\0' ||
        text[name + 1] == '\0')
        return error_set(e, STATUS_ARGUMENT, "'%s' is not of the form NAME=VALUE", text);
    return STATUS_OK;
}

void build_exec_options(struct build_exec *b, struct option_spec options[BUILD_EXEC_OPTIONS]) {
    *b = (struct build_exec){
        .format = exec_format_words[0], .seconds = EXEC_SECONDS, .memory_mib = EXEC_MEMORY_MIB};
    const struct option_spec rows[BUILD_EXEC_OPTIONS] = {
        {"exec", "COMMAND",
         "instead of a technique: a program in any language, which reads the stream and writes the "
         "graph; blanks and quotes are as in a shell",
         OPTION_STRING, .to = &b->command},
        {"set", "NAME=VALUE", "a parameter of the program, which gets it as --NAME=VALUE",
         OPTION_LIST, .to = &b->sets, .check = check_set},
        {"exec-format", "NAME", "how the program reads the stream: as text (default) or json",
         OPTION_CHOICE, .to = &b->format, .choices = exec_format_words, .given = &b->formatted},
        {"exec-seconds", "N", "end the program after N seconds (default 60)", OPTION_NUMBER,
         .to = &b->seconds, .least = 1, .most = EXEC_SECONDS_MOST, .given = &b->timed},
        {"exec-memory", "MIB", "address space of each of its processes (default 2048)",
         OPTION_NUMBER, .to = &b->memory_mib, .least = EXEC_MEMORY_MIB_LEAST,
         .most = EXEC_MEMORY_MIB_MOST, .given = &b->limited},
    };
    memcpy(options, rows, sizeof rows);
}

bool build_exec_wanted(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--exec") == 0 || strncmp(argv[i], "--exec=", 7) == 0)
            return true;
    return false;
}

const char *build_exec_stray(const struct build_exec *b) {
    return b->sets.items.len > 0 ? "--set"
           : b->formatted        ? "--exec-format"
           : b->timed            ? "--exec-seconds"
           : b->limited          ? "--exec-memory"
                                 : NULL;
}

/* Cuts the next word off *at, in place; blanks within quotes or after a backslash are part of it, as
 * in a shell. NULL: there is none. *open: a quote is not closed. */
static char *next_word(char **at, bool *open) {
    char *from = *at, *to, quote = '\0';
    while (*from == ' ' || *from == '\t')
        from++;
    char *word = to = from;
    if (*from == '\0')
        return NULL;
    for (; *from != '\0' && (quote != '\0' || (*from != ' ' && *from != '\t')); from++) {
        if (*from == '\\' && quote != '\'' && from[1] != '\0')
            *to++ = *++from;
        else if (*from == quote)
            quote = '\0';
        else if (quote == '\0' && (*from == '"' || *from == '\''))
            quote = *from;
        else
            *to++ = *from;
    }
    *open = quote != '\0';
    *at = *from != '\0' ? from + 1 : from;
    *to = '\0';
    return word;
}

static enum status set_command(struct build_exec *b, struct error *e) {
    const char *words[MOST_WORDS + 1] = {NULL};
    bool open = false;
    size_t count = 0;
    if ((b->words = strdup(b->command)) == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    char *at = b->words, *word;
    while (!open && (word = next_word(&at, &open)) != NULL) {
        if (count == MOST_WORDS)
            return error_set(e, STATUS_ARGUMENT, "--exec has more than %d words", MOST_WORDS);
        words[count++] = word;
    }
    if (open)
        return error_set(e, STATUS_ARGUMENT, "--exec %s: a quote is not closed", b->command);
    if (count == 0)
        return error_set(e, STATUS_ARGUMENT, "--exec is empty");
    const enum status status = exec_command(&b->exec, words, NULL, "./here", e);
    if (status != STATUS_OK && e != NULL)
        error_prefix(e, "--exec %s", b->command);
    return status;
}

static enum status set_parameters(struct build_exec *b, struct technique_choice *c,
                                  struct error *e) {
    if (b->sets.items.len > TECHNIQUE_PARAMETERS)
        return error_set(e, STATUS_ARGUMENT, "a technique has at most %d parameters",
                         TECHNIQUE_PARAMETERS);
    for (size_t i = 0; i < b->sets.items.len; i++) {
        const char *text = b->sets.items.at[i];
        const size_t len = strcspn(text, "=");
        snprintf(b->names[i], sizeof b->names[i], "%.*s", (int)len, text);
        b->values[i][0] = c->words[i] = text + len + 1;
        b->exec.technique.parameters[i] =
            (struct parameter){.name = b->names[i], .help = "", .words = b->values[i]};
    }
    return STATUS_OK;
}

enum status build_exec_choose(struct build_exec *b, bool structure, struct technique_choice *c,
                              struct error *e) {
    char name[EXEC_NAME + 1];
    if (c->name != NULL)
        return error_set(e, STATUS_ARGUMENT, "--technique and --exec cannot be combined");
    b->exec.json = strcmp(b->format, "json") == 0;
    b->exec.technique.needs_structure = structure;
    b->exec.seconds = (unsigned)b->seconds;
    b->exec.memory = b->memory_mib << 20;
    enum status status = set_command(b, e);
    if (status == STATUS_OK)
        status = set_parameters(b, c, e);
    if (status != STATUS_OK)
        return status;
    exec_usual_name(&b->exec, name);
    exec_name(&b->exec, name);
    c->technique = &b->exec.technique;
    memset(c->values, 0, sizeof c->values);
    return STATUS_OK;
}

void build_exec_free(struct build_exec *b) {
    exec_free(&b->exec);
    vec_free(&b->sets.items);
    free(b->words);
}
