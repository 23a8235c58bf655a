#include "qemu/plugin/recorder.h"
#include "qemu/plugin/program_tracer.h"

#include <stdlib.h>
#include <string.h>

enum { STACK_CODE_MOST = 8192, TRAIL = 2 * STACK_CODE_MOST };

static void out_of_memory(struct recorder *r) {
    if (r->error.status == STATUS_OK)
        error_set(&r->error, STATUS_MEMORY, "out of memory for the recording");
}

/* ---- interning ---- */

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

uint32_t recorder_insn(struct recorder *r, struct recording_insn insn) {
    uint64_t hash = mix(mix(insn.address, insn.target), (uint64_t)insn.size << 8 | insn.kind);
    for (;; hash++) {
        uint64_t *at = map_find(&r->insn_at, hash);
        if (at == NULL)
            break;
        if (memcmp(&r->insns.at[*at], &insn, sizeof insn) == 0)
            return (uint32_t)*at;
    }
    uint64_t *at = map_at(&r->insn_at, hash);
    if (at == NULL || !vec_push(&r->insns, insn)) {
        out_of_memory(r);
        return UINT32_MAX;
    }
    *at = r->insns.len - 1;
    return (uint32_t)*at;
}

static struct block *new_block(struct recorder *r, const uint32_t *insns, uint32_t count) {
    struct block *b = aligned_alloc(_Alignof(struct block), sizeof *b);
    uint32_t *copy = malloc(count * sizeof *copy);
    if (b == NULL || copy == NULL || !vec_push(&r->blocks, b)) {
        free(b);
        free(copy);
        out_of_memory(r);
        return NULL;
    }
    memcpy(copy, insns, count * sizeof *copy);
    *b = (struct block){.insns = copy, .count = count, .id = (uint32_t)(r->blocks.len - 1)};
    return b;
}

static bool is_handler(const struct recorder *r, uint64_t vaddr) {
    for (size_t i = 0; i < r->handlers.len; i++)
        if (r->handlers.at[i] == vaddr)
            return true;
    return false;
}

/* At a handler's entry even known arcs must be examined. */
static void set_handler(struct recorder *r, struct block *b) {
    for (size_t i = 0; i < r->blocks.len && !b->handler; i++)
        for (int k = 0; k < 2; k++)
            if (r->blocks.at[i]->to[k] == b)
                r->blocks.at[i]->to[k] = NULL;
    b->handler = true;
}

struct block *recorder_block(struct recorder *r, const uint32_t *insns, uint32_t count,
                             bool repeats, uint64_t vaddr) {
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = mix(hash, insns[i]);
    struct block *b = NULL;
    for (uint64_t *at; b == NULL && (at = map_find(&r->block_at, hash)) != NULL; hash++) {
        struct block *other = r->blocks.at[*at];
        if (other->count == count && memcmp(other->insns, insns, count * sizeof *insns) == 0)
            b = other;
    }
    if (b == NULL) {
        uint64_t *at = map_at(&r->block_at, hash);
        if (at == NULL) {
            out_of_memory(r);
            return NULL;
        }
        if ((b = new_block(r, insns, count)) == NULL)
            return NULL;
        *at = b->id;
        b->repeats = repeats;
    }
    b->vaddr = vaddr;
    if (is_handler(r, vaddr))
        set_handler(r, b);
    else
        b->handler = false;
    return b;
}

void recorder_handler(struct recorder *r, uint64_t vaddr) {
    if (is_handler(r, vaddr))
        return;
    if (!vec_push(&r->handlers, vaddr))
        out_of_memory(r);
    for (size_t i = 0; i < r->blocks.len; i++)
        if (r->blocks.at[i]->vaddr == vaddr)
            set_handler(r, r->blocks.at[i]);
}

/* ---- sampling ---- */

/* Chooses one random transfer or taken branch in each stratum of `every`. */
static void next_transfer(struct setting *s) {
    s->due = s->stratum * s->every + splitmix64(s->random, s->stratum) % s->every;
    s->stratum++;
}

static void renew_due(struct recorder *r) {
    r->sample_clock = r->limit;
    r->sample_transfer = r->sample_taken = UINT64_MAX;
    for (unsigned i = 0; i < r->setting_count; i++) {
        const struct setting *s = &r->settings[i];
        uint64_t *clock = s->by == RECORDING_TRANSFERS ? &r->sample_transfer
                          : s->by == RECORDING_TAKEN   ? &r->sample_taken
                                                       : &r->sample_clock;
        uint64_t due = s->left > 0 ? 0 : s->due;
        if (due < *clock)
            *clock = due;
    }
}

void recorder_limit(struct recorder *r, uint64_t instructions) {
    r->limit = instructions;
    renew_due(r);
}

void recorder_release(struct recorder *r) {
    r->stop = 0;
    recorder_limit(r, UINT64_MAX);
}

/* The first batch of a run. */
static void first_sample(struct setting *s) {
    s->due = s->every;
    s->stratum = 0;
    s->left = 0;
    s->samples.len = 0;
    if (s->by == RECORDING_TRANSFERS || s->by == RECORDING_TAKEN)
        next_transfer(s);
}

bool recorder_sample(struct recorder *r, enum recording_by by, uint64_t every, uint32_t length,
                     uint64_t seed) {
    struct setting *s = &r->settings[r->setting_count++];
    *s = (struct setting){.by = by, .every = every, .length = length, .random = seed};
    first_sample(s);
    r->samples_transfers |= by == RECORDING_TRANSFERS;
    if (r->trail == NULL && by >= RECORDING_STACKS &&
        (r->trail = calloc(TRAIL, sizeof(struct block *))) == NULL)
        return false;
    renew_due(r);
    return true;
}

static void take(struct recorder *r, struct setting *s, uint32_t insn) {
    if (!vec_push(&s->samples, insn))
        out_of_memory(r);
}

/* ---- stacks of taken branches ---- */

static const struct recording_insn *last_insn(const struct recorder *r, const struct block *b) {
    return &r->insns.at[b->insns[b->count - 1]];
}

static struct block *on_trail(const struct recorder *r, uint64_t number) {
    return r->trail[number % TRAIL];
}

/* Does `b` follow `a` in sequence? */
static bool follows(const struct recorder *r, const struct block *a, const struct block *b) {
    const struct recording_insn *last = last_insn(r, a);
    return r->insns.at[b->insns[0]].address == last->address + last->size;
}

static bool is_taken(const struct recorder *r, const struct block *a, const struct block *b) {
    const uint8_t kind = last_insn(r, a)->kind;
    return kind == TRANSFER_BRANCH ? !follows(r, a, b) : kind != TRANSFER_NONE;
}

/* Samples the instructions from the last one of block `oldest` - 1 to the first one of `newest`. */
static void take_trail(struct recorder *r, struct setting *s, uint64_t oldest, uint64_t newest) {
    const struct block *before = on_trail(r, oldest - 1);
    take(r, s, before->insns[before->count - 1]);
    for (uint64_t at = oldest; at < newest; at++)
        for (uint32_t k = 0; k < on_trail(r, at)->count; k++)
            take(r, s, on_trail(r, at)->insns[k]);
    take(r, s, on_trail(r, newest)->insns[0]);
    take(r, s, RECORDING_BATCH_END);
}

/* Reads the stack at the start of the newest block. It has fewer entries if the context is younger,
 * or if their code has more than STACK_CODE_MOST instructions, which does not depend on how QEMU
 * divides it. */
static void take_stack(struct recorder *r, struct setting *s) {
    const uint64_t first =
        r->trail_end - r->trail_start < TRAIL ? r->trail_start : r->trail_end - TRAIL;
    uint64_t oldest = 0, newest = 0, insns = 2;
    uint32_t entries = 0;
    for (uint64_t at = r->trail_end - 1; at > first && entries < s->length; at--) {
        const struct block *from = on_trail(r, at - 1), *to = on_trail(r, at);
        const bool taken = is_taken(r, from, to);
        if (insns > STACK_CODE_MOST || (!taken && !follows(r, from, to)))
            break;
        newest = taken && entries == 0 ? at : newest;
        oldest = taken ? at : oldest;
        entries += taken;
        insns += entries > 0 ? from->count : 0;
    }
    if (entries > 0)
        take_trail(r, s, oldest, newest);
}

static void sample_taken(struct recorder *r) {
    for (unsigned i = 0; i < r->setting_count; i++) {
        struct setting *s = &r->settings[i];
        if (s->by != RECORDING_TAKEN || s->due != r->taken)
            continue;
        take_stack(r, s);
        next_transfer(s);
    }
    renew_due(r);
}

void recorder_remember(struct recorder *r, struct block *b) {
    const struct block *before =
        r->trail_end > r->trail_start ? on_trail(r, r->trail_end - 1) : NULL;
    r->trail[r->trail_end++ % TRAIL] = b;
    if (before == NULL || !is_taken(r, before, b))
        return;
    if (r->taken == r->sample_taken)
        sample_taken(r);
    r->taken++;
}

/* ---- samples at instructions ---- */

/* Samples the instructions of the block, which are number r->clock and following. */
static void sample_block(struct recorder *r, const struct block *b) {
    for (unsigned i = 0; i < r->setting_count; i++) {
        struct setting *s = &r->settings[i];
        for (; s->by == RECORDING_STACKS && s->due - r->clock < b->count; s->due += s->every)
            take_stack(r, s);
        if (s->by != RECORDING_BATCHES)
            continue;
        uint32_t at = s->left > 0 ? 0 : UINT32_MAX;
        if (s->left == 0 && s->due - r->clock < b->count)
            at = (uint32_t)(s->due - r->clock);
        while (at < b->count) {
            if (s->left == 0) {
                s->left = s->length;
                s->due += s->every;
            }
            while (at < b->count && s->left > 0) {
                take(r, s, b->insns[at++]);
                s->left--;
            }
            if (s->left == 0)
                at = s->due - r->clock < b->count ? (uint32_t)(s->due - r->clock) : UINT32_MAX;
        }
    }
    renew_due(r);
}

static void sample_transfer(struct recorder *r, const struct arc *arc) {
    for (unsigned i = 0; i < r->setting_count; i++) {
        struct setting *s = &r->settings[i];
        if (s->by != RECORDING_TRANSFERS || s->due != r->transfers)
            continue;
        take(r, s, arc->from->insns[arc->from->count - 1]);
        take(r, s, arc->to->insns[0]);
        next_transfer(s);
    }
    renew_due(r);
}

/* ---- running ---- */

static struct arc *find_arc(struct recorder *r, struct block *from, struct block *to) {
    uint64_t *at = map_at(&r->arc_at, (uint64_t)from->id << 32 | to->id);
    if (at == NULL)
        return NULL;
    if (*at != 0)
        return r->arcs.at[*at - 1];
    struct arc *arc = calloc(1, sizeof *arc);
    if (arc == NULL || !vec_push(&r->arcs, arc)) {
        free(arc);
        return NULL;
    }
    *at = r->arcs.len;
    const struct recording_insn *last = last_insn(r, from);
    bool follows = r->insns.at[to->insns[0]].address == last->address + last->size;
    arc->from = from;
    arc->to = to;
    arc->transfer = last->kind != TRANSFER_NONE || !follows;
    arc->odd = last->kind == TRANSFER_NONE && !follows;
    return arc;
}

static void count_arc(struct recorder *r, struct block *from, struct block *to) {
    const unsigned k = from->to[1] == to;
    struct arc *arc = from->recent[k];
    if (from->to[k] != to) {
        if ((arc = find_arc(r, from, to)) == NULL) {
            out_of_memory(r);
            return;
        }
        *recorder_known_arc(r, from, to) = arc;
        from->to[1] = from->to[0];
        from->recent[1] = from->recent[0];
        from->to[0] = to;
        from->recent[0] = arc;
    }
    arc->count++;
    if (arc->transfer) {
        if (r->transfers == r->sample_transfer)
            sample_transfer(r, arc);
        r->transfers++;
    }
}

/* True if the program itself went from `from` to `to`. If `to` is a handler, a signal may have led
 * there, too. */
static bool goes_itself(const struct recorder *r, const struct block *from,
                        const struct block *to) {
    const struct recording_insn *last = last_insn(r, from);
    switch ((enum transfer_kind)last->kind) {
    case TRANSFER_CALL_INDIRECT:
    case TRANSFER_JUMP_INDIRECT:
        return true;
    case TRANSFER_CALL:
    case TRANSFER_JUMP:
    case TRANSFER_BRANCH:
        return last->target == r->insns.at[to->insns[0]].address;
    default:
        return false;
    }
}

static void start_thread(struct recorder *r, struct block *b) {
    b->starts++;
    if (r->tracer != NULL)
        tracer_begins(r, b);
    if (!vec_push(&r->starts, b->insns[0]))
        out_of_memory(r);
}

static void begin_handler(struct recorder *r, struct cpu *c, struct block *b) {
    r->totals.signals++;
    if (c->depth == SUSPENDED_MOST)
        memmove(c->suspended, c->suspended + 1, --c->depth * sizeof *c->suspended);
    c->suspended[c->depth++] = c->before;
    c->before = NULL;
    start_thread(r, b);
}

/* Returns to the thread that the signal suspended. If its last block had run to its end, this block
 * is the next one. */
static void resume(struct recorder *r, struct cpu *c, struct block *b) {
    c->resumes = false;
    if (b->handler) { /* of another signal, which waited for the end of the first one's handler */
        r->totals.signals++;
        start_thread(r, b);
        return;
    }
    c->before = c->depth > 0 ? c->suspended[--c->depth] : NULL;
    if (c->before == NULL) {
        start_thread(r, b);
        return;
    }
    const struct recording_insn *last = last_insn(r, c->before);
    uint32_t address = r->insns.at[b->insns[0]].address;
    bool direct =
        last->kind == TRANSFER_BRANCH || last->kind == TRANSFER_JUMP || last->kind == TRANSFER_CALL;
    bool indirect = last->kind != TRANSFER_NONE && !direct;
    if (indirect || address == last->address + last->size || (direct && address == last->target)) {
        if (r->tracer != NULL)
            tracer_resumes(r, c->before);
        return;
    }
    r->totals.unfinished++;
    c->before = NULL;
    start_thread(r, b);
}

void recorder_start(struct recorder *r, const struct target *target) {
    r->target = target;
    r->limit = r->sample_clock = r->sample_transfer = UINT64_MAX;
    r->only = &r->nobody;
}

void recorder_begin(struct recorder *r) {
    for (size_t i = 0; i < r->arcs.len; i++)
        r->arcs.at[i]->count = 0;
    for (size_t i = 0; i < r->blocks.len; i++)
        r->blocks.at[i]->starts = 0;
    for (unsigned i = 0; i < r->setting_count; i++)
        first_sample(&r->settings[i]);
    r->starts.len = 0;
    r->clock = r->transfers = r->taken = 0;
    r->trail_start = r->trail_end = 0;
    r->totals = (struct recording_header){0};
    renew_due(r);
}

void recorder_free(struct recorder *r) {
    for (size_t i = 0; i < r->blocks.len; i++)
        free(r->blocks.at[i]->insns);
    for (size_t i = 0; i < r->blocks.len; i++)
        free(r->blocks.at[i]);
    for (size_t i = 0; i < r->arcs.len; i++)
        free(r->arcs.at[i]);
    for (unsigned i = 0; i < r->setting_count; i++)
        vec_free(&r->settings[i].samples);
    free(r->trail);
    vec_free(&r->insns);
    vec_free(&r->blocks);
    vec_free(&r->arcs);
    vec_free(&r->starts);
    vec_free(&r->handlers);
    map_free(&r->insn_at);
    map_free(&r->block_at);
    map_free(&r->arc_at);
    map_free(&r->same_block);
    free(r);
}

struct recorder *recorder_beside(const struct recorder *r) {
    struct recorder *beside = calloc(1, sizeof *beside);
    if (beside == NULL)
        return NULL;
    recorder_start(beside, r->target);
    bool ok = true;
    for (unsigned i = 0; i < r->setting_count; i++)
        ok = ok && recorder_sample(beside, r->settings[i].by, r->settings[i].every,
                                   r->settings[i].length, r->settings[i].random);
    for (size_t i = 0; i < r->handlers.len; i++)
        recorder_handler(beside, r->handlers.at[i]);
    recorder_limit(beside, r->limit);
    if (ok)
        return beside;
    recorder_free(beside);
    return NULL;
}

struct block *recorder_same_block(struct recorder *r, const struct recorder *from,
                                  const struct block *b) {
    uint64_t *at = map_at(&r->same_block, b->id);
    if (at == NULL) {
        out_of_memory(r);
        return NULL;
    }
    if (*at != 0)
        return r->blocks.at[*at - 1];
    uint32_t *insns = malloc(b->count * sizeof *insns);
    if (insns == NULL)
        out_of_memory(r);
    for (uint32_t i = 0; insns != NULL && i < b->count; i++)
        insns[i] = recorder_insn(r, from->insns.at[b->insns[i]]);
    struct block *same = insns != NULL && r->error.status == STATUS_OK
                             ? recorder_block(r, insns, b->count, b->repeats, b->vaddr)
                             : NULL;
    *at = same != NULL ? same->id + 1 : 0;
    free(insns);
    return same;
}

void recorder_resume(struct cpu *cpu) {
    cpu->resumes = true;
    cpu->before = NULL;
}

bool recorder_run(struct recorder *r, struct cpu *c, struct block *b) {
    if (r->stop != 0 || r->limit - r->clock < b->count)
        return false;
    if (r->error.status != STATUS_OK)
        return true;
    if (c->resumes)
        resume(r, c, b);
    else if (b->handler && c->before != NULL && !goes_itself(r, c->before, b))
        begin_handler(r, c, b);
    else if (c->before == NULL)
        start_thread(r, b);
    struct block *from = c->before;
    if (b->repeats && from != NULL && from->insns[from->count - 1] == b->insns[0])
        return true; /* another iteration of the instruction that ended the previous block */
    if (from != NULL)
        count_arc(r, from, b);
    if (r->trail != NULL) {
        if (from == NULL || r->trail_end == 0 || on_trail(r, r->trail_end - 1) != from)
            r->trail_start = r->trail_end; /* another context */
        recorder_remember(r, b);
    }
    if (r->tracer != NULL)
        tracer_follow(r, from, b);
    if (r->clock + b->count > r->sample_clock)
        sample_block(r, b);
    r->clock += b->count;
    c->before = b;
    return true;
}
