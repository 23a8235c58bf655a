#include "lockstep/lockstep.h"

#include <string.h>

#include "cli/cli.h"

const char ways_manual[] =
    "  +no-skip   busy-waits are executed, not skipped\n"
    "  +no-fast   everything is executed cycle by cycle\n"
    "  +profiled  the exact profiler and the sampler are attached\n"
    "  +followed  an observer is notified of every control transfer, in order\n"
    "  +pictures  pictures are computed and compared\n"
    "\n"
    "Without --way, these engines run: interp, dbt, dbt:hot=1, dbt:hot=100, and dbt:hot=1 with\n"
    "no-chaining, with no-return-stack,no-inline-cache with block=1, with paths=1 and with "
    "adapt=1; each\n"
    "alone, +profiled, +no-skip, with both of these, and +followed. Also dbt:hot=1,cache=4K, alone "
    "and\n"
    "+profiled.\n";

static enum status no_such_way(const char *name, const char *modifier, struct error *e) {
    return error_set(e, STATUS_ARGUMENT,
                     "--way %s: '%s' is not a modifier, or cannot be added; use +no-skip, "
                     "+no-fast, +pictures, and either +profiled or +followed",
                     name, modifier);
}

static bool modify(struct way *way, const char *word, size_t length) {
    const struct {
        const char *name;
        bool *flag; /* NULL: the modifier adds observers */
        enum watching watching;
    } modifiers[] = {
        {"+no-skip", &way->no_skip, WATCH_NOBODY},   {"+no-fast", &way->no_fast, WATCH_NOBODY},
        {"+pictures", &way->pictures, WATCH_NOBODY}, {"+profiled", NULL, WATCH_PROFILERS},
        {"+followed", NULL, WATCH_TRANSFERS},
    };
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
        if (strlen(modifiers[i].name) != length || memcmp(modifiers[i].name, word, length) != 0)
            continue;
        if (modifiers[i].flag != NULL)
            return *modifiers[i].flag = true;
        if (way->watching != WATCH_NOBODY)
            return false;
        way->watching = modifiers[i].watching;
        return true;
    }
    return false;
}

static enum status choose_engine(struct way *way, const char *name, size_t length,
                                 struct error *e) {
    struct engine_choice choice;
    char text[sizeof way->name];
    memcpy(text, name, length);
    text[length] = 0;
    const enum status status = engine_parse(&choice, text, e);
    if (status != STATUS_OK) {
        error_prefix(e, "--way");
        return status;
    }
    if (choice.kind != ENGINE_INTERP)
        way->engine = dbt_engine();
    way->translator = choice.translator;
    if (choice.kind == ENGINE_DBT && way->engine == NULL)
        return error_set(
            e, STATUS_UNSUPPORTED,
            "--way %s: the translator only generates x86-64 code, and this is another processor",
            name);
    return STATUS_OK;
}

enum status way_find(struct way *out, const char *name, struct error *e) {
    size_t length = strcspn(name, "+");
    *out = (struct way){0};
    if (strlen(name) >= sizeof out->name)
        return error_set(e, STATUS_ARGUMENT, "--way %.40s...: this name is too long", name);
    memcpy(out->name, name, strlen(name));
    const enum status status = choose_engine(out, name, length, e);
    if (status != STATUS_OK)
        return status;
    for (const char *at = name + length; *at != 0; at += length) {
        length = 1 + strcspn(at + 1, "+");
        if (!modify(out, at, length))
            return no_such_way(name, at, e);
    }
    return STATUS_OK;
}

enum status ways_add(struct ways *w, const char *name, struct error *e) {
    struct way way;
    const enum status status = way_find(&way, name, e);
    if (status == STATUS_OK && !vec_push(&w->list, way))
        return error_set(e, STATUS_MEMORY, "out of memory");
    return status;
}

/* A translator that always translates takes as long as all the others together. While transfers are
 * observed, no busy-wait is skipped. */
enum status ways_add_standard(struct ways *w, struct error *e) {
    static const struct {
        const char *engine;
        unsigned modifiers; /* how many of the modifiers below, from the first */
    } engines[] = {
        {"interp", 5},
        {"dbt", 5},
        {"dbt:hot=1", 5},
        {"dbt:hot=100", 5},
        {"dbt:hot=1,no-chaining", 5},
        {"dbt:hot=1,no-return-stack,no-inline-cache", 5},
        {"dbt:hot=1,block=1", 5},
        {"dbt:hot=1,paths=1", 5},
        {"dbt:hot=1,adapt=1", 5},
        {"dbt:hot=1,cache=4K", 2},
    };
    static const char *const modifiers[5] = {"", "+profiled", "+no-skip", "+no-skip+profiled",
                                             "+followed"};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        for (unsigned k = 0; k < engines[i].modifiers && status == STATUS_OK; k++) {
            char name[sizeof w->list.at->name] = "";
            strcat(strcpy(name, engines[i].engine), modifiers[k]);
            if (i == 0 || dbt_engine() != NULL)
                status = ways_add(w, name, e);
        }
    return status;
}
