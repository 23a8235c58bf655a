/* The graphs of a group: counted at once where they have settled, step by step elsewhere. The steps
 * are those of gaussian.c, on dense numbers. */
#include "profile/gaussian/gaussian_many.h"

/* ---- converting passages to edges ---- */

static void count_edge(struct group *g, size_t c, uint32_t source, uint32_t target, uint64_t n) {
    struct configuration *own = &g->configurations[c];
    const uint64_t key = (uint64_t)source << 32 | target;
    /* A counter moves only when an edge is added. */
    if (key != own->last_edge || own->last_count == NULL) {
        own->last_edge = key;
        own->last_count = map_at(&own->graph.edges, key);
    }
    if (own->last_count != NULL)
        *own->last_count += n;
    else
        g->lost = true;
}

/* Call before a passage starts to mean another edge, or to count other batches, for c. A passage
 * with an end in no block means no edge; then the value of `taken` is irrelevant. */
static void take_over(struct group *g, size_t c, size_t passage) {
    struct configuration *own = &g->configurations[c];
    const struct passage *p = &g->index->passages[passage];
    const uint64_t count = passage_count(g, c, passage);
    const uint32_t source = own->owner[p->from], target = own->owner[p->to];
    if (source != NOBODY && target != NOBODY && count != own->taken[passage])
        count_edge(g, c, source, target, count - own->taken[passage]);
    own->taken[passage] = count;
}

static bool has_both_ends(const struct group *g, size_t c, size_t passage) {
    const struct passage *p = &g->index->passages[passage];
    return (g->owned[p->from] & g->owned[p->to]) >> c & 1;
}

void group_take_over(struct group *g, size_t c) {
    for (size_t i = 0; i < g->index->passage_count; i++)
        if (has_both_ends(g, c, i))
            take_over(g, c, i);
}

/* Call before the owner of a place changes for c. A passage whose other end is in no block still
 * means no edge afterwards, so it is left out. */
static void take_over_at(struct group *g, size_t c, uint32_t place) {
    const struct stream_index *x = g->index;
    for (size_t i = x->first_from[place]; i < x->first_from[place + 1]; i++)
        if ((g->owned[x->passages[i].to] >> c & 1) != 0 || x->passages[i].to == place)
            take_over(g, c, i);
    for (size_t k = x->first_into[place]; k < x->first_into[place + 1]; k++) {
        const uint32_t i = x->into[k];
        if ((g->owned[x->passages[i].from] >> c & 1) != 0)
            take_over(g, c, i);
    }
}

/* ---- facts about a place ---- */

static void own_place(struct group *g, size_t c, uint32_t place, uint32_t block) {
    const struct stream_index *x = g->index;
    const set bit = (set)1 << c;
    take_over_at(g, c, place);
    g->configurations[c].owner[place] = block;
    g->owned[place] |= bit;
    forget(g, g->calm, place, place + 1, bit);
    forget(g, g->done, place, place + 1, bit);
    forget(g, g->clear, x->first_from[place], x->first_from[place + 1], bit);
}

static void add_target(struct group *g, size_t c, uint32_t place) {
    const set bit = (set)1 << c;
    if (place == NO_PLACE || (g->target[place] & bit) != 0)
        return;
    g->target[place] |= bit;
    forget(g, g->calm, place, place + 1, bit);
}

/* Adds or removes the counts of high batches for the configurations in `changed`. */
static void change_recurrent(struct group *g, uint32_t place, set changed) {
    const struct stream_index *x = g->index;
    const size_t first = x->first_from[place], end = x->first_from[place + 1];
    const set owners = first < end ? changed & g->owned[place] : 0;
    for (set left = owners; left != 0; left &= left - 1)
        for (size_t i = first; i < end; i++)
            if (has_both_ends(g, (size_t)__builtin_ctzll(left), i))
                take_over(g, (size_t)__builtin_ctzll(left), i);
    g->recurrent[place] ^= changed;
    for (set left = owners; left != 0; left &= left - 1) {
        const size_t c = (size_t)__builtin_ctzll(left);
        for (size_t i = first; i < end; i++)
            g->configurations[c].taken[i] = passage_count(g, c, i);
    }
}

void group_know(struct group *g, uint32_t place, set who) {
    for (set left = who & ~g->known[place]; left != 0;) {
        const size_t c = (size_t)__builtin_ctzll(left);
        const struct evolution *e = &g->evolutions[g->configurations[c].evolution];
        const set recurrent = group_recurrent(g, e, place);
        const set changed = (g->recurrent[place] & e->bits) ^ recurrent;
        if (changed != 0)
            change_recurrent(g, place, changed);
        g->known[place] |= e->bits;
        g->known_near[place / STRETCH] |= e->bits;
        left &= ~e->bits;
    }
}

/* ---- finding what has settled ---- */

static void find_calm(struct group *g, uint32_t place, set who) {
    group_know(g, place, who);
    const set starts = g->recurrent[place] & (g->target[place] | g->anywhere);
    for (set left = who & starts & ~g->done[place]; left != 0; left &= left - 1) {
        const size_t c = (size_t)__builtin_ctzll(left);
        const struct configuration *own = &g->configurations[c];
        const uint32_t owner = own->owner[place];
        if (owner != NOBODY && own->graph.blocks.at[owner - 1].done)
            g->done[place] |= (set)1 << c;
    }
    g->calm[place] |= who & (~starts | g->done[place]);
}

static void find_clear(struct group *g, uint32_t passage, set who) {
    const struct passage *p = &g->index->passages[passage];
    group_know(g, p->from, who);
    g->clear[passage] |= who & (~(g->owned[p->from] & g->recurrent[p->from]) | g->owned[p->to]);
}

void group_settle(struct group *g, size_t batch, set low, set high) {
    const struct index_batch *b = &g->index->batches[batch];
    const uint32_t *places = g->index->places + b->places;
    const struct batch_passage *passages = g->index->batch_passages + b->passages;
    for (uint32_t i = 0; low != 0 && i < b->place_count; i++)
        if ((low & ~g->calm[places[i]]) != 0)
            find_calm(g, places[i], low & ~g->calm[places[i]]);
    for (uint32_t i = 0; high != 0 && i < b->passage_count; i++)
        if ((high & ~g->clear[passages[i].number]) != 0)
            find_clear(g, passages[i].number, high & ~g->clear[passages[i].number]);
}

/* ---- step by step ---- */

struct steps {
    struct group *g;
    struct configuration *own;
    size_t c;
    const uint32_t *numbers; /* of the batch's instructions */
    size_t cursor;
    int64_t count;
};

static inline const struct index_insn *insn_at(const struct steps *s, size_t i) {
    return &s->g->index->insns[s->numbers[i]];
}

static uint32_t target_of(const struct steps *s, size_t i) {
    const struct index_insn *insn = insn_at(s, i);
    return insn->direct ? insn->target : i + 1 < s->g->length ? insn_at(s, i + 1)->place : NO_PLACE;
}

static bool is_recurrent(struct steps *s, uint32_t place) {
    s->count++;
    group_know(s->g, place, (set)1 << s->c);
    return s->g->recurrent[place] >> s->c & 1;
}

static uint32_t new_block(struct steps *s, uint32_t entry) {
    const struct gaussian_block b = {.entry = entry, .last = entry, .end = entry};
    if (!vec_push(&s->own->graph.blocks, b)) {
        s->g->lost = true;
        return NOBODY;
    }
    return (uint32_t)s->own->graph.blocks.len;
}

static void add_bytes(struct steps *s, uint32_t b, const struct index_insn *insn) {
    for (uint32_t p = insn->place; p < insn->place + insn->covers; p++)
        if (s->own->owner[p] == NOBODY || s->own->owner[p] > b)
            own_place(s->g, s->c, p, b);
    struct gaussian_block *block = &s->own->graph.blocks.at[b - 1];
    if (insn->pc == block->end) {
        block->last = insn->pc;
        block->end = (uint64_t)insn->pc + insn->size;
    }
}

static void count_transfer(struct steps *s, uint32_t source, size_t i) {
    const uint32_t target = s->own->owner[insn_at(s, i + 1)->place];
    if (source != NOBODY && target != NOBODY)
        count_edge(s->g, s->c, source, target, 1);
}

static void step_4(struct steps *s, size_t i) {
    if (insn_at(s, i)->transfer && i + 1 < s->g->length)
        count_transfer(s, s->own->owner[insn_at(s, i)->place], i);
}

static bool grow_block(struct steps *s, uint32_t b, size_t *i) {
    struct gaussian_block *block = &s->own->graph.blocks.at[b - 1];
    while (!block->done) {
        const struct index_insn *insn = insn_at(s, *i);
        const uint32_t x = s->own->owner[insn->place];
        if (x != NOBODY && x != b) {
            block->done = true;
            count_edge(s->g, s->c, b, x, 1);
            return false;
        }
        if (x == NOBODY)
            add_bytes(s, b, insn);
        if (insn->transfer) {
            block->done = true;
            if (*i + 1 == s->g->length)
                return false;
            add_target(s->g, s->c, insn_at(s, *i + 1)->place);
            return true;
        }
        if (s->cursor == s->g->length)
            return false;
        *i = s->cursor++;
        s->count++;
    }
    return false;
}

/* As in gaussian.c, frames replace the recursive calls of 3c. Bins exist: no batch gets here before
 * the first low one. */
static void build(struct steps *s, bool just_build) {
    struct group *g = s->g;
    const set bit = (set)1 << s->c;
    size_t depth = 0;
    while (s->cursor < g->length && !g->lost) {
        size_t i = s->cursor++;
        const struct index_insn *insn = insn_at(s, i);
        s->count++;
        if (insn->transfer)
            add_target(g, s->c, target_of(s, i));
        const bool recurrent = is_recurrent(s, insn->place);
        if (just_build || (recurrent && ((g->target[insn->place] | g->anywhere) & bit) != 0)) {
            uint32_t b = s->own->owner[insn->place];
            if (b == NOBODY && (b = new_block(s, insn->pc)) == NOBODY)
                return;
            if (grow_block(s, b, &i)) {
                g->frames[depth++] = (struct gaussian_frame){b, i};
                just_build = false;
                continue;
            }
        }
        step_4(s, i);
    }
    while (depth > 0) {
        const struct gaussian_frame f = g->frames[--depth];
        count_transfer(s, f.block, f.i);
        step_4(s, f.i);
    }
}

static void high_batch(struct steps *s) {
    struct group *g = s->g;
    const uint32_t *owner = s->own->owner;
    while (s->cursor < g->length && !g->lost) {
        const size_t i = s->cursor++;
        const struct index_insn *insn = insn_at(s, i);
        s->count++;
        if (!insn->transfer)
            continue;
        add_target(g, s->c, target_of(s, i));
        const bool recurrent = is_recurrent(s, insn->place);
        const uint32_t b = owner[insn->place];
        if (b == NOBODY || !recurrent || i + 1 == g->length)
            continue;
        const uint32_t next = insn_at(s, i + 1)->place;
        if (owner[next] == NOBODY)
            build(s, true);
        if (owner[next] != NOBODY)
            count_edge(g, s->c, b, owner[next], 1);
    }
}

void group_build(struct group *g, size_t c, size_t batch, bool low) {
    const struct stream_index *x = g->index;
    const struct index_batch *b = &x->batches[batch];
    struct steps s = {
        .g = g,
        .own = &g->configurations[c],
        .c = c,
        .numbers = x->numbers + batch * g->length,
    };
    if (low)
        build(&s, false);
    else
        high_batch(&s);
    /* The group will count this batch for all configurations as if it were settled; this offsets
     * that for c. */
    s.own->other_steps += s.count - (int64_t)(low ? 2 * g->length : g->length + b->transfers);
    const struct batch_passage *passages = x->batch_passages + b->passages;
    for (uint32_t i = 0; i < b->passage_count; i++) {
        const struct batch_passage *p = &passages[i];
        if (low || (g->recurrent[x->passages[p->number].from] >> c & 1) != 0)
            s.own->taken[p->number] += p->times;
    }
}
