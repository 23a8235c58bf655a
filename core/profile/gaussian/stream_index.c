/* Streams indexed by dense numbers. */
#include "profile/gaussian/stream_index.h"

#include "profile/technique.h"

#include <stdlib.h>
#include <string.h>

/* ---- instructions and places ---- */

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

uint32_t index_place(const struct stream_index *x, uint64_t address) {
    if (address > UINT32_MAX)
        return NO_PLACE;
    const size_t place = sorted_from(x->pcs, x->place_count, (uint32_t)address);
    return place < x->place_count && x->pcs[place] == address ? (uint32_t)place : NO_PLACE;
}

struct insn_table {
    VEC(struct index_insn) insns; /* their places still hold addresses */
    uint32_t *slots;              /* 1 + number; 0: free */
    size_t cap;
};

static struct index_insn insn_of(const struct sample *s) {
    const bool direct = sample_is_direct(s);
    return (struct index_insn){
        .pc = s->pc,
        .target = direct ? s->target : 0,
        .size = s->size,
        .transfer = is_transfer(s),
        .direct = direct,
    };
}

static uint32_t *insn_slot(const struct insn_table *t, const struct index_insn *i) {
    const uint64_t key = (uint64_t)i->pc << 32 | i->target;
    for (size_t k = splitmix64(key, i->size);; k++) {
        uint32_t *slot = &t->slots[k & (t->cap - 1)];
        const struct index_insn *at = &t->insns.at[*slot - (*slot != 0)];
        if (*slot == 0 || (at->pc == i->pc && at->target == i->target && at->size == i->size &&
                           at->transfer == i->transfer && at->direct == i->direct))
            return slot;
    }
}

static bool grow_insns(struct insn_table *t) {
    const size_t cap = t->cap == 0 ? 1024 : 2 * t->cap;
    uint32_t *slots = calloc(cap, sizeof *slots);
    if (slots == NULL || !vec_reserve(&t->insns, cap / 2 + 1)) {
        free(slots);
        return false;
    }
    free(t->slots);
    t->slots = slots;
    t->cap = cap;
    for (size_t i = 0; i < t->insns.len; i++)
        *insn_slot(t, &t->insns.at[i]) = (uint32_t)i + 1;
    return true;
}

static bool number_insns(struct stream_index *x, struct insn_table *t) {
    const size_t samples = x->batch_count * x->stream->batch_length;
    for (size_t i = 0; i < samples; i++) {
        const struct index_insn insn = insn_of(&x->stream->batches[i]);
        if (2 * t->insns.len >= t->cap && !grow_insns(t))
            return false;
        uint32_t *slot = insn_slot(t, &insn);
        if (*slot == 0) {
            t->insns.at[t->insns.len++] = insn;
            *slot = (uint32_t)t->insns.len;
        }
        x->numbers[i] = *slot - 1;
    }
    return true;
}

static bool number_places(struct stream_index *x) {
    x->pcs = malloc((x->insn_count + 1) * sizeof *x->pcs);
    if (x->pcs == NULL)
        return false;
    for (size_t i = 0; i < x->insn_count; i++)
        x->pcs[i] = x->insns[i].pc;
    qsort(x->pcs, x->insn_count, sizeof *x->pcs, by_number);
    for (size_t i = 0; i < x->insn_count; i++)
        if (i == 0 || x->pcs[i] != x->pcs[i - 1])
            x->pcs[x->place_count++] = x->pcs[i];
    for (size_t i = 0; i < x->insn_count; i++) {
        struct index_insn *insn = &x->insns[i];
        const uint64_t end = (uint64_t)insn->pc + insn->size;
        insn->place = index_place(x, insn->pc);
        insn->target = insn->direct ? index_place(x, insn->target) : NO_PLACE;
        for (size_t p = insn->place; p < x->place_count && x->pcs[p] < end; p++)
            insn->covers++;
    }
    return true;
}

/* ---- passages ---- */

static int by_ends(const void *a, const void *b) {
    const struct passage *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static bool collect_passages(struct stream_index *x, struct map *known) {
    const size_t length = x->stream->batch_length;
    for (size_t b = 0; b < x->batch_count; b++) {
        const uint32_t *numbers = x->numbers + b * length;
        for (size_t i = 0; i + 1 < length; i++) {
            if (!x->insns[numbers[i]].transfer)
                continue;
            const uint64_t key =
                (uint64_t)x->insns[numbers[i]].place << 32 | x->insns[numbers[i + 1]].place;
            if (map_at(known, key) == NULL)
                return false;
        }
    }
    return true;
}

/* Fills first_from or first_into: where the runs of equal keys start in a sorted list. */
static void mark_starts(uint32_t *starts, size_t places, const struct stream_index *x, bool into) {
    size_t at = 0;
    for (size_t p = 0; p <= places; p++) {
        while (at < x->passage_count &&
               (into ? x->passages[x->into[at]].to : x->passages[at].from) < p)
            at++;
        starts[p] = (uint32_t)at;
    }
}

/* Sorts passages by `to`: a stable counting sort. */
static bool sort_into(struct stream_index *x) {
    uint32_t *next = calloc(x->place_count + 1, sizeof *next);
    if (next == NULL)
        return false;
    for (size_t i = 0; i < x->passage_count; i++)
        next[x->passages[i].to + 1]++;
    for (size_t p = 0; p < x->place_count; p++)
        next[p + 1] += next[p];
    for (size_t i = 0; i < x->passage_count; i++)
        x->into[next[x->passages[i].to]++] = (uint32_t)i;
    free(next);
    return true;
}

static bool number_passages(struct stream_index *x, struct map *known) {
    const size_t count = known->len;
    x->passages = malloc((count + 1) * sizeof *x->passages);
    x->into = malloc((count + 1) * sizeof *x->into);
    x->first_from = malloc((x->place_count + 1) * sizeof *x->first_from);
    x->first_into = malloc((x->place_count + 1) * sizeof *x->first_into);
    if (x->passages == NULL || x->into == NULL || x->first_from == NULL || x->first_into == NULL)
        return false;
    uint64_t key, value;
    for (size_t at = 0; map_next(known, &at, &key, &value);)
        x->passages[x->passage_count++] = (struct passage){(uint32_t)(key >> 32), (uint32_t)key};
    qsort(x->passages, count, sizeof *x->passages, by_ends);
    for (size_t i = 0; i < count; i++)
        *map_find(known, (uint64_t)x->passages[i].from << 32 | x->passages[i].to) = i;
    if (!sort_into(x))
        return false;
    mark_starts(x->first_from, x->place_count, x, false);
    mark_starts(x->first_into, x->place_count, x, true);
    return true;
}

/* ---- contents of each batch ---- */

struct lists {
    VEC(uint32_t) places;
    VEC(struct batch_passage) passages;
    size_t *seen;  /* by place: 1 + the last batch that contains it; */
    size_t *aimed; /* the same for targets; */
    size_t *taken; /* by passage: 1 + its latest index in `passages` */
};

static bool list_places(const struct stream_index *x, struct lists *l, size_t b,
                        struct index_batch *out) {
    const size_t length = x->stream->batch_length;
    const uint32_t *numbers = x->numbers + b * length;
    *out = (struct index_batch){.places = l->places.len, .passages = l->passages.len};
    if (!vec_reserve(&l->places, l->places.len + 2 * length))
        return false;
    for (size_t i = 0; i < length; i++) {
        const uint32_t p = x->insns[numbers[i]].place;
        if (l->seen[p] != b + 1)
            l->places.at[l->places.len++] = p;
        l->seen[p] = b + 1;
    }
    out->place_count = (uint32_t)(l->places.len - out->places);
    for (size_t i = 0; i < length; i++) {
        const struct index_insn *insn = &x->insns[numbers[i]];
        if (!insn->transfer)
            continue;
        out->transfers++;
        const uint32_t to = insn->direct     ? insn->target
                            : i + 1 < length ? x->insns[numbers[i + 1]].place
                                             : NO_PLACE;
        if (to == NO_PLACE || l->aimed[to] == b + 1)
            continue;
        l->aimed[to] = b + 1;
        l->places.at[l->places.len++] = to;
        out->target_count++;
    }
    return true;
}

static bool list_passages(const struct stream_index *x, struct lists *l, const struct map *known,
                          size_t b, struct index_batch *out) {
    const size_t length = x->stream->batch_length;
    const uint32_t *numbers = x->numbers + b * length;
    if (!vec_reserve(&l->passages, l->passages.len + length))
        return false;
    for (size_t i = 0; i + 1 < length; i++) {
        if (!x->insns[numbers[i]].transfer)
            continue;
        const uint64_t key =
            (uint64_t)x->insns[numbers[i]].place << 32 | x->insns[numbers[i + 1]].place;
        const uint32_t number = (uint32_t)*map_find(known, key);
        if (l->taken[number] <= out->passages) {
            l->passages.at[l->passages.len++] = (struct batch_passage){.number = number};
            l->taken[number] = l->passages.len;
        }
        l->passages.at[l->taken[number] - 1].times++;
    }
    out->passage_count = (uint32_t)(l->passages.len - out->passages);
    return true;
}

static bool list_batches(struct stream_index *x, const struct map *known) {
    struct lists l = {
        .seen = calloc(x->place_count + 1, sizeof *l.seen),
        .aimed = calloc(x->place_count + 1, sizeof *l.aimed),
        .taken = calloc(x->passage_count + 1, sizeof *l.taken),
    };
    x->batches = calloc(x->batch_count + 1, sizeof *x->batches);
    bool ok = l.seen != NULL && l.aimed != NULL && l.taken != NULL && x->batches != NULL;
    for (size_t b = 0; ok && b < x->batch_count; b++)
        ok =
            list_places(x, &l, b, &x->batches[b]) && list_passages(x, &l, known, b, &x->batches[b]);
    x->places = l.places.at;
    x->batch_passages = l.passages.at;
    free(l.seen);
    free(l.aimed);
    free(l.taken);
    return ok;
}

/* ---- the index ---- */

static bool make(struct stream_index *x) {
    struct insn_table table = {0};
    x->numbers = malloc((x->batch_count * x->stream->batch_length + 1) * sizeof *x->numbers);
    bool ok = x->numbers != NULL && number_insns(x, &table);
    free(table.slots);
    x->insns = table.insns.at;
    x->insn_count = table.insns.len;
    struct map known = {0};
    ok = ok && number_places(x) && collect_passages(x, &known) && number_passages(x, &known) &&
         list_batches(x, &known);
    map_free(&known);
    return ok;
}

enum status stream_index_make(struct stream_index **out, const struct stream *stream,
                              struct error *e) {
    *out = NULL;
    struct stream_index *x = calloc(1, sizeof *x);
    if (x != NULL) {
        x->stream = stream;
        x->batch_count = stream->order != NULL ? stream->distinct_count : stream->batch_count;
        if (make(x)) {
            *out = x;
            return STATUS_OK;
        }
    }
    stream_index_free(x);
    return error_set(e, STATUS_MEMORY, "out of memory for a stream's index");
}

void stream_index_free(struct stream_index *x) {
    if (x == NULL)
        return;
    free(x->pcs);
    free(x->insns);
    free(x->numbers);
    free(x->passages);
    free(x->first_from);
    free(x->into);
    free(x->first_into);
    free(x->batches);
    free(x->places);
    free(x->batch_passages);
    free(x);
}
