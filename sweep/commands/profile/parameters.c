/* A technique's parameters as options. */
#include "commands/profile/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Every technique can watch a machine, directly or through samples. */
static bool is_one(const struct technique *t, bool live) {
    return live || t->build != NULL;
}

/* Makes the row of a parameter whose values have names: --costs poisson. */
static void word_row(struct technique_choice *c, size_t n) {
    const struct parameter *p = &c->technique->parameters[n];
    c->words[n] = p->words[p->standard - p->least];
    int used = snprintf(c->help[n], TECHNIQUE_TEXT, "%s:", p->help);
    for (const char *const *word = p->words; *word != NULL; word++)
        used +=
            snprintf(c->help[n] + used, TECHNIQUE_TEXT - (size_t)used, "%s %s%s",
                     word == p->words ? "" : ",", *word, *word == c->words[n] ? " (default)" : "");
    c->rows[n] = (struct option_spec){
        c->names[n], "NAME", c->help[n], OPTION_CHOICE, .to = &c->words[n], .choices = p->words};
}

/* Makes the row of a parameter; bin_size becomes --bin-size. */
static void parameter_row(struct technique_choice *c, size_t n) {
    const struct parameter *p = &c->technique->parameters[n];
    c->values[n] = p->standard;
    snprintf(c->names[n], sizeof c->names[n], "%s", p->name);
    for (char *s = c->names[n]; *s != 0; s++)
        if (*s == '_')
            *s = '-';
    snprintf(c->help[n], TECHNIQUE_TEXT, "%s (%" PRId64 " to %" PRId64 ", default %" PRId64 ")",
             p->help, p->least, p->most, p->standard);
    c->rows[n] = (struct option_spec){
        c->names[n],    "N", c->help[n], OPTION_SIGNED, .to = &c->values[n], .least = p->least,
        .most = p->most};
    if (p->words != NULL)
        word_row(c, n);
}

/* The name that the option gives; NULL: it is not there. */
static const char *named(int argc, char **argv, const char *option) {
    const char *name = NULL;
    const size_t length = strlen(option);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0 || strncmp(argv[i] + 2, option, length) != 0)
            continue;
        if (argv[i][2 + length] == 0 && i + 1 < argc)
            name = argv[i + 1];
        else if (argv[i][2 + length] == '=')
            name = argv[i] + 2 + length + 1;
    }
    return name;
}

static void offer(struct technique_choice *c, bool live) {
    size_t count, n = 0;
    const struct technique *const *all = techniques(&count);
    for (size_t i = 0; i < count && n < TECHNIQUE_CHOICES; i++)
        if (is_one(all[i], live))
            c->choices[n++] = all[i]->name;
}

/* The option parser reports an unknown technique. */
static void choose(struct technique_choice *c, const char *name, bool live, const char *standard) {
    const struct technique *t = name != NULL ? technique_find(name) : NULL;
    c->technique = t != NULL && is_one(t, live) ? t : technique_find(standard);
    for (size_t i = 0; i < TECHNIQUE_PARAMETERS && c->technique->parameters[i].name != NULL; i++)
        parameter_row(c, i);
}

void technique_choose(struct technique_choice *c, int argc, char **argv, bool live,
                      const char *standard) {
    *c = (struct technique_choice){.option = "technique"};
    offer(c, live);
    choose(c, named(argc, argv, c->option), live, standard);
}

void technique_choose_by(struct technique_choice *c, const char *option, int argc, char **argv,
                         const char *standard) {
    *c = (struct technique_choice){.option = option};
    const char *name = named(argc, argv, option);
    offer(c, true);
    if (name != NULL)
        choose(c, name, true, standard);
}

/* ---- words that are no technique, or not of this command ---- */

static bool is_in(const char *word, const char *const *words) {
    while (*words != NULL && strcmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

static bool is_experiment(const char *word) {
    char name[200];
    if (strchr(word, '/') != NULL || strcmp(word, "games") == 0 || /* a list of games */
        (size_t)snprintf(name, sizeof name, "configs/%s.cfg", word) >= sizeof name)
        return false;
    char *path = data_find(name);
    const bool there = path != NULL && access(path, R_OK) == 0;
    free(path);
    return there;
}

/* The technique's name here, for a name used elsewhere. */
static const char *other_name(const char *word) {
    static const char *const names[][2] = {
        {"baseline", "observed"}, {"gfcgaussiano", "gaussian"}, {"crossbit", "fifo"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(word, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

static bool technique_hint(const char *word, char *text, size_t size) {
    const struct technique *t = technique_find(word);
    const char *name = other_name(word);
    int used = 0;
    if (t != NULL)
        used = snprintf(
            text, size,
            "it is a live technique: 'hotgraph profile GAME --technique %s --out FILE.graph'",
            word);
    else if (name != NULL)
        used = snprintf(text, size, "it is called %s here", name);
    else if (is_in(word, sampler_place_words))
        used = snprintf(text, size,
                        "it is a sampling mode: 'hotgraph sample GAME --by transfers --every N "
                        "--place %s --out FILE.isampling', then 'hotgraph build FILE.isampling "
                        "--technique observed --out FILE.graph'",
                        word);
    else if (is_in(word, sampler_by_words))
        used = snprintf(text, size,
                        "it is a sampling mode: 'hotgraph sample GAME --by %s', then 'hotgraph "
                        "build'",
                        word);
    if (is_experiment(word) && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used,
                         "%san experiment: 'hotgraph sweep configs/%s.cfg'",
                         used > 0 ? "; and " : "it is ", word);
    return used > 0;
}

struct option_spec technique_option(struct technique_choice *c) {
    return (struct option_spec){c->option,
                                "NAME",
                                "the profiling technique",
                                OPTION_CHOICE,
                                .to = &c->name,
                                .choices = c->choices,
                                .hint = technique_hint};
}

void technique_chosen(struct technique_choice *c) {
    for (size_t n = 0; n < TECHNIQUE_PARAMETERS && c->technique->parameters[n].name != NULL; n++) {
        const struct parameter *p = &c->technique->parameters[n];
        for (int64_t i = 0; p->words != NULL && p->words[i] != NULL; i++)
            if (strcmp(p->words[i], c->words[n]) == 0)
                c->values[n] = p->least + i;
    }
}

void technique_print_json(const struct technique_choice *c) {
    printf("\"parameters\": {");
    for (size_t i = 0; i < TECHNIQUE_PARAMETERS && c->technique->parameters[i].name != NULL; i++) {
        const char *const comma = i > 0 ? ", " : "", *const name = c->technique->parameters[i].name;
        printf("%s", comma);
        if (c->words[i] != NULL)
            print_json_text(name, c->words[i]);
        else
            printf("\"%s\": %" PRId64, name, c->values[i]);
    }
    printf("}");
}

size_t technique_describe(const struct technique_choice *c, char *text, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < TECHNIQUE_PARAMETERS && c->technique->parameters[i].name != NULL; i++) {
        const char *name = c->technique->parameters[i].name, *space = used > 0 ? " " : "";
        const int len =
            c->words[i] != NULL
                ? snprintf(text + used, room - used, "%s%s %s", space, name, c->words[i])
                : snprintf(text + used, room - used, "%s%s %" PRId64, space, name, c->values[i]);
        if (len < 0 || (size_t)len >= room - used)
            break;
        used += (size_t)len;
    }
    return used;
}
