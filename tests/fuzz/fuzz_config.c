/*
 * Any bytes as a configuration: refused with a sentence that names a file, or a configuration that
 * keeps what sweep/config/config.h promises.
 *
 * An input may be several files, divided by lines "%%": the first is read, and can include the
 * others as "1.cfg", "2.cfg", "3.cfg", itself as "0.cfg".
 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"

enum { FILES = 4 };

/* libconfig 1.5 forgets the text that it was reading when it meets an error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libconfig.so";
}

static const char divider[] = "\n%%\n";

/* Writes the files; returns the path of the first. */
static const char *write_files(const uint8_t *data, size_t size) {
    static char first[128];
    for (unsigned i = 0; i < FILES; i++) {
        char name[8];
        snprintf(name, sizeof name, "%u.cfg", i);
        if (i > 0 && size == 0) {
            unlink(fuzz_path(name));
            continue;
        }
        const uint8_t *end = i + 1 < FILES ? memmem(data, size, divider, 4) : NULL;
        size_t len = end != NULL ? (size_t)(end - data) : size;
        const char *path = fuzz_file(name, data, len);
        if (i == 0)
            snprintf(first, sizeof first, "%s", path);
        size_t taken = end != NULL ? len + 4 : len;
        data += taken;
        size -= taken;
    }
    return first;
}

/* Includes may only read the scratch folder. */
static bool leads_out(const uint8_t *data, size_t size) {
    static const char word[] = "@include";
    const uint8_t *at = data, *const end = data + size;
    if (memmem(data, size, "..", 2) != NULL)
        return true;
    while ((at = memmem(at, (size_t)(end - at), word, strlen(word))) != NULL) {
        at += strlen(word);
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (end - at >= 2 && at[0] == '"' && at[1] == '/')
            return true;
    }
    return false;
}

/* A technique needs one sampling that it can work with; programs are sampled in any case. */
static bool some_sampling_fits(const struct config *c, const struct technique *technique) {
    if (c->recorded && technique->build != NULL)
        return true;
    for (size_t i = 0; i < c->samplings.len; i++)
        if (config_applies(&c->samplings.at[i], technique))
            return true;
    return false;
}

static void check_points(const struct config *c) {
    size_t count = c->points.len;
    /* The baseline is last and has no number; without samples there is none. */
    size_t numbered = c->live ? count : count - 1;
    if (count == 0 ||
        (!c->live && strcmp(c->points.at[count - 1].technique->name, "observed") != 0))
        abort();
    for (size_t i = 0; i < count; i++) {
        const struct config_point *p = &c->points.at[i];
        if (p->number != (i < numbered ? (int)i : -1) || !some_sampling_fits(c, p->technique) ||
            strncmp(p->key, p->technique->name, strlen(p->technique->name)) != 0)
            abort();
        for (int k = 0; k < TECHNIQUE_PARAMETERS && p->technique->parameters[k].name; k++)
            if (p->values[k] < p->technique->parameters[k].least ||
                p->values[k] > p->technique->parameters[k].most)
                abort();
        if (p->technique->needs_structure && !config_needs_structure(c))
            abort();
    }
    for (size_t i = 1; i < c->marks.len; i++)
        if (c->marks.at[i] <= c->marks.at[i - 1])
            abort();
}

/* Of instructions, of transfers, or of branches; only what is random has a seed. */
static void check_budget(const struct config_budget *b) {
    if (b->every < b->batch || (b->batch > 0) + (b->stack > 0) > 1 ||
        (b->batch == 0 && b->stack == 0 && !b->transfers) || b->stack > SAMPLER_STACK_MOST ||
        (b->seed != 0 && !b->transfers))
        abort();
    char key[BUDGET_KEY], name[BUDGET_KEY];
    config_budget_key(b, key, sizeof key);
    config_budget_name(b, name, sizeof name);
    if (strlen(key) + 1 >= sizeof key || strcmp(key + strlen(key) - strlen(name), name) != 0 ||
        (config_budget_of(b) == STREAM_OF_BRANCHES) != (strncmp(key, "lbr", 3) == 0))
        abort();
}

static void check_config(const struct config *c) {
    if (c->name == NULL || c->path == NULL || c->frames == 0 || c->samplings.len == 0 ||
        c->hot.len == 0 || strlen(c->definition_hash) != 32)
        abort();
    check_points(c);
    for (size_t i = 0; i < c->budgets.len; i++)
        check_budget(&c->budgets.at[i]);
    for (size_t i = 0; i < c->games.len; i++) {
        const struct config_game *g = &c->games.at[i];
        const struct config_program *p = g->program;
        const bool foreign = g->stream != NULL;
        if (config_find_game(c, g->name) != g || g->title == NULL || g->place == NULL ||
            foreign != (g->graph != NULL))
            abort();
        if (p != NULL)
            check_budget(&p->own);
        if (p != NULL ? foreign || g->movie != NULL || p->command[0] == NULL
                      : g->frames == 0 || foreign == (g->movie != NULL))
            abort();
    }
    if (config_find_game(c, "No Such Game") != NULL)
        abort();
}

static void try_without_memory(const char *path) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct config c;
        struct error e = {0};
        enum status status = config_load(&c, path, &e);
        if (!fuzz_allocation_failed()) {
            config_free(&c);
            return;
        }
        if (status != STATUS_MEMORY || c.path != NULL || c.points.at != NULL)
            abort();
    }
}

/* Paths that are not files. */
static void try_others(void) {
    struct config c;
    struct error e = {0};
    char folder[128];
    snprintf(folder, sizeof folder, "%s", fuzz_path(""));
    if (config_load(&c, folder, &e) != STATUS_IO || config_load(&c, "/", &e) != STATUS_IO ||
        config_load(&c, "no such file", &e) != STATUS_IO)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct config c;
    struct error e = {0};
    if (leads_out(data, size))
        return 0;
    const char *path = write_files(data, size);
    if (config_load(&c, path, &e) == STATUS_OK)
        check_config(&c);
    else if (c.path != NULL || strncmp(e.text, path, strlen(path) - strlen("0.cfg")) != 0)
        abort();
    config_free(&c);
    if (size <= FUZZ_SHORT && fuzz_thorough()) {
        try_without_memory(path);
        try_others();
    }
    return 0;
}
