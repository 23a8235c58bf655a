#include "ways.h"

#include <string.h>

#include "dbt/dbt.h"

static const struct base {
    const char *name;
    bool translated, no_fast, costly; /* costly: only the most telling modifiers by default */
    struct dbt_options options;
} bases[] = {
    {"interp", false, false, false, {0}},
    {"cycles", false, true, true, {0}},
    {"usual", true, false, false, {0}},
    {"sight", true, false, false, {.hot = 1}},
    {"late", true, false, false, {.hot = 100}},
    {"unchained", true, false, false, {.hot = 1, .no_chaining = true}},
    {"small", true, false, true, {.hot = 1, .cache_bytes = 4096}},
    {"single", true, false, false, {.hot = 1, .block_length = 1}},
};
enum { BASES = sizeof bases / sizeof *bases };

const char ways_manual[] = "  interp     the interpreter\n"
                           "  cycles     the interpreter, everything cycle by cycle\n"
                           "  usual      the translator as usual\n"
                           "  sight      it translates everything at first sight\n"
                           "  late       it translates what was executed 100 times\n"
                           "  unchained  at first sight, and every block ends in the dispatcher\n"
                           "  small      at first sight, with a code cache of 4 KiB\n"
                           "  single     at first sight, one instruction a block\n"
                           "  +no-skip   busy-waits are executed instead of passed over\n"
                           "  +profiled  the exact profiler and the sampler watch\n"
                           "  +followed  an observer is told of every control transfer, in order\n"
                           "  +pictures  pictures are computed\n";

static enum status no_such_way(const char *name, struct error *e) {
    return error_set(e, STATUS_ARGUMENT,
                     "--way %s: there is no such way; one is interp, cycles, usual, sight, late, "
                     "unchained, small or single, and then +no-skip, +profiled, +followed, "
                     "+pictures or several of them",
                     name);
}

static const struct base *find_base(const char *name, size_t length) {
    for (size_t i = 0; i < BASES; i++)
        if (strlen(bases[i].name) == length && memcmp(bases[i].name, name, length) == 0)
            return &bases[i];
    return NULL;
}

static bool modify(struct way *way, const char *word, size_t length) {
    const struct {
        const char *name;
        bool *flag;
        enum watching watching;
    } modifiers[] = {
        {"+no-skip", &way->no_skip, WATCH_NOBODY},
        {"+pictures", &way->pictures, WATCH_NOBODY},
        {"+profiled", NULL, WATCH_PROFILERS},
        {"+followed", NULL, WATCH_TRANSFERS},
    };
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
        if (strlen(modifiers[i].name) != length || memcmp(modifiers[i].name, word, length) != 0)
            continue;
        if (modifiers[i].flag == NULL && way->watching != WATCH_NOBODY)
            return false; /* one watcher, or the other */
        if (modifiers[i].flag != NULL)
            *modifiers[i].flag = true;
        else
            way->watching = modifiers[i].watching;
        return true;
    }
    return false;
}

enum status way_find(struct way *out, const char *name, struct error *e) {
    size_t length = strcspn(name, "+");
    const struct base *const base = find_base(name, length);
    *out = (struct way){0};
    if (base == NULL || strlen(name) >= sizeof out->name)
        return no_such_way(name, e);
    if (base->translated && dbt_engine() == NULL)
        return error_set(e, STATUS_UNSUPPORTED,
                         "--way %s: the translator makes x86-64 code only, and this processor is "
                         "another",
                         name);
    memcpy(out->name, name, strlen(name));
    out->engine = base->translated ? dbt_engine() : NULL;
    out->engine_options = base->translated ? &base->options : NULL;
    out->no_fast = base->no_fast;
    for (const char *at = name + length; *at != 0; at += length) {
        length = 1 + strcspn(at + 1, "+");
        if (!modify(out, at, length))
            return no_such_way(name, e);
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

/* The reference itself needs no other beside it, and the interpreter cycle by cycle is for those
 * who doubt the interpreter. While transfers are followed no wait is passed over. */
enum status ways_add_standard(struct ways *w, struct error *e) {
    static const char *const modifiers[] = {"", "+profiled", "+no-skip", "+no-skip+profiled",
                                            "+followed"};
    enum { MODIFIERS = sizeof modifiers / sizeof *modifiers, TELLING = 2 };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < BASES; i++) {
        const unsigned count = bases[i].costly ? TELLING : MODIFIERS;
        for (unsigned k = bases[i].translated ? 0 : 1; k < count && status == STATUS_OK; k++) {
            char name[sizeof w->list.at->name] = "";
            strcat(strcpy(name, bases[i].name), modifiers[k]);
            if (!bases[i].no_fast && (!bases[i].translated || dbt_engine() != NULL))
                status = ways_add(w, name, e);
        }
    }
    return status;
}
