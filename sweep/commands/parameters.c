/* A technique's parameters as options. */
#include "commands/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Every technique can watch a machine: by itself, or through samples. */
static bool is_one(const struct technique *t, bool live) {
    return live || t->build != NULL;
}

/* For a parameter whose values have names: --costs poisson. */
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

/* bin_size becomes --bin-size. */
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

/* An unknown one is left to the parser to explain. */
static const struct technique *find(int argc, char **argv, bool live, const char *standard) {
    const char *name = standard;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--technique") == 0 && i + 1 < argc)
            name = argv[i + 1];
        else if (strncmp(argv[i], "--technique=", 12) == 0)
            name = argv[i] + 12;
    }
    const struct technique *t = technique_find(name);
    return t != NULL && is_one(t, live) ? t : technique_find(standard);
}

void technique_choose(struct technique_choice *c, int argc, char **argv, bool live,
                      const char *standard) {
    *c = (struct technique_choice){.technique = find(argc, argv, live, standard)};
    size_t count, n = 0;
    const struct technique *const *all = techniques(&count);
    for (size_t i = 0; i < count && n < TECHNIQUE_CHOICES; i++)
        if (is_one(all[i], live))
            c->choices[n++] = all[i]->name;
    for (size_t i = 0; i < TECHNIQUE_PARAMETERS && c->technique->parameters[i].name != NULL; i++)
        parameter_row(c, i);
}

struct option_spec technique_option(struct technique_choice *c) {
    return (struct option_spec){"technique",   "NAME",         "what finds the graph",
                                OPTION_CHOICE, .to = &c->name, .choices = c->choices};
}

void technique_chosen(struct technique_choice *c) {
    for (size_t n = 0; n < TECHNIQUE_PARAMETERS && c->technique->parameters[n].name != NULL; n++) {
        const struct parameter *p = &c->technique->parameters[n];
        for (int64_t i = 0; p->words != NULL && p->words[i] != NULL; i++)
            if (strcmp(p->words[i], c->words[n]) == 0)
                c->values[n] = p->least + i;
    }
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
