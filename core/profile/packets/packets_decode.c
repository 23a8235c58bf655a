/*
 * The decoder walks the program: straight on, along jumps and calls, until an instruction needs an outcome
 * or an address from the trace.
 *
 * A loop that needs neither, as an instruction that jumps to itself, writes no packets. The number of its
 * passes is not in the trace; an interrupt (FUP) is taken to be at its first arrival at the address.
 */
#include <stdlib.h>

#include "profile/packets/packets.h"

struct code_node {
    struct code_insn insn;
    size_t next_at, target_at; /* index + 1 of their nodes; 0: not looked up */
    uint64_t straight, taken;  /* executions that went on to next and target */
    void *tag;                 /* of who follows */
};

/* ---- the program ---- */

static void count(struct packet_decoder *d, struct map *m, uint64_t key, uint64_t times) {
    uint64_t *at = times == 0 ? NULL : map_at(m, key);
    if (at != NULL)
        *at += times;
    else
        d->out_of_memory |= times != 0;
}

static uint64_t pair_key(uint32_t a, uint32_t b) {
    return (uint64_t)a << 32 | b;
}

/* Adds the node's counts to the pairs. */
static void settle_node(struct packet_decoder *d, struct code_node *node) {
    const struct code_insn *i = &node->insn;
    count(d, &d->pairs[i->kind != INSN_PLAIN], pair_key(i->address, i->next), node->straight);
    count(d, &d->pairs[1], pair_key(i->address, i->target), node->taken);
    node->straight = node->taken = 0;
}

/* Control may come to an instruction that is executed for the first time later. */
enum { KIND_UNKNOWN = 0xFF };

/* Index of the address's node; SIZE_MAX: out of memory. */
static size_t node_of(struct packet_decoder *d, uint32_t address) {
    uint64_t *index = map_find(&d->node_at, address);
    if (index != NULL || d->out_of_memory)
        return d->out_of_memory ? SIZE_MAX : *index;
    const struct code_node node = {.insn = {.address = address, .kind = KIND_UNKNOWN}};
    index = map_at(&d->node_at, address);
    if (index == NULL || !vec_push(&d->nodes, node)) {
        d->out_of_memory = true;
        return SIZE_MAX;
    }
    return *index = d->nodes.len - 1;
}

void packet_decoder_add(struct packet_decoder *d, struct code_insn insn) {
    const size_t index = node_of(d, insn.address);
    if (index != SIZE_MAX && d->nodes.at[index].insn.kind == KIND_UNKNOWN)
        d->nodes.at[index].insn = insn;
}

void packet_decoder_change(struct packet_decoder *d, struct code_change change) {
    d->out_of_memory |= !vec_push(&d->changes, change);
}

static void apply(struct packet_decoder *d, const struct code_insn *insn) {
    const size_t index = node_of(d, insn->address);
    if (index == SIZE_MAX)
        return;
    settle_node(d, &d->nodes.at[index]);
    d->nodes.at[index] = (struct code_node){.insn = *insn};
}

/* Applies changes up to this byte of the trace without executing anything. */
static void apply_up_to(struct packet_decoder *d, uint64_t at) {
    while (d->next_change < d->changes.len && d->changes.at[d->next_change].at <= at) {
        const struct code_change *c = &d->changes.at[d->next_change++];
        if (!c->once)
            apply(d, &c->insn);
    }
}

/* ---- walking ---- */

static void report(struct packet_decoder *d, size_t from, uint32_t to, bool taken, bool strays) {
    struct code_node *node = &d->nodes.at[from];
    if (d->events != NULL)
        d->events->transfer(d->user, &node->insn, to, taken, strays, &node->tag);
}

static bool go_to(struct packet_decoder *d, uint32_t address) {
    const size_t index = node_of(d, address);
    if (index != SIZE_MAX)
        d->at = index;
    return index != SIZE_MAX;
}

/* Goes on at what is in the instruction: its target, or the next one. */
static bool go_on(struct packet_decoder *d, bool taken) {
    const size_t from = d->at;
    struct code_node *node = &d->nodes.at[from];
    const size_t known = taken ? node->target_at : node->next_at;
    node->taken += taken;
    node->straight += !taken;
    d->instructions++;
    if (node->insn.kind != INSN_PLAIN)
        report(d, from, taken ? node->insn.target : node->insn.next, taken, false);
    if (known != 0) {
        d->at = known - 1;
        return true;
    }
    if (!go_to(d, taken ? node->insn.target : node->insn.next))
        return false;
    node = &d->nodes.at[from]; /* it may have moved */
    *(taken ? &node->target_at : &node->next_at) = d->at + 1;
    return true;
}

/* The instruction's transfer leads to an address that is not in it. */
static bool go_elsewhere(struct packet_decoder *d, uint32_t to, bool strays) {
    count(d, &d->pairs[1], pair_key(d->nodes.at[d->at].insn.address, to), 1);
    d->instructions++;
    report(d, d->at, to, true, strays);
    return go_to(d, to);
}

/* Is the next instruction another one from byte `packet` of the trace on? */
static bool changes_here(const struct packet_decoder *d, uint64_t packet) {
    if (d->next_change >= d->changes.len)
        return false;
    const struct code_change *c = &d->changes.at[d->next_change];
    return c->at <= packet && c->insn.address == d->nodes.at[d->at].insn.address;
}

/* Changes the instruction, or executes it once in another way. */
static bool change(struct packet_decoder *d) {
    const struct code_change *c = &d->changes.at[d->next_change++];
    if (!c->once) {
        apply(d, &c->insn);
        if (d->events != NULL && d->events->changes != NULL)
            d->events->changes(d->user, &c->insn);
        return true;
    }
    if (c->insn.kind == INSN_CALL)
        packet_calls_push(&d->calls, c->insn.next);
    return go_elsewhere(d, c->to, true);
}

enum stop { STOP_ADDRESS, STOP_BRANCH, STOP_INDIRECT, STOP_LOST };

/* Walks to the next instruction that needs a packet, or to the address *until if that is not NULL.
 * `packet`: the byte of the trace that the packet begins at; changes after it are later. */
static enum stop walk(struct packet_decoder *d, uint64_t packet, const uint32_t *until) {
    /* Between two packets nothing is executed twice, but in a loop that needs none. */
    for (size_t steps = 0; steps <= 3 * d->nodes.len; steps++) {
        const struct code_insn *insn = &d->nodes.at[d->at].insn;
        bool ok = true;
        if (until != NULL && insn->address == *until)
            return STOP_ADDRESS;
        if (changes_here(d, packet)) {
            if (!change(d))
                return STOP_LOST;
            continue;
        }
        switch (insn->kind) {
        case INSN_PLAIN:
            ok = go_on(d, false);
            break;
        case INSN_CALL:
            packet_calls_push(&d->calls, insn->next);
            ok = go_on(d, true);
            break;
        case INSN_JUMP:
            ok = go_on(d, true);
            break;
        case INSN_BRANCH:
            return STOP_BRANCH;
        case INSN_JAM:
        case KIND_UNKNOWN:
            return STOP_LOST;
        default:
            return STOP_INDIRECT;
        }
        if (!ok)
            return STOP_LOST;
    }
    return STOP_LOST;
}

/* ---- packets ---- */

static bool take_outcome(struct packet_decoder *d, uint64_t packet, bool taken) {
    uint32_t to;
    switch (walk(d, packet, NULL)) {
    case STOP_BRANCH:
        return go_on(d, taken);
    case STOP_INDIRECT:
        return taken && d->nodes.at[d->at].insn.kind == INSN_RETURN &&
               packet_calls_pop(&d->calls, &to) && go_elsewhere(d, to, false);
    default:
        return false;
    }
}

/* Does an RTI to this address resume an interrupted context? One that was interrupted before the decoded
 * part of the trace is not known. */
static bool resumes(struct packet_decoder *d, uint32_t to) {
    for (size_t i = d->contexts.len; i-- > 0;)
        if (d->contexts.at[i] == to) {
            d->contexts.len = i;
            return true;
        }
    return !d->complete;
}

static bool take_target(struct packet_decoder *d, uint64_t packet, uint32_t to) {
    if (walk(d, packet, NULL) != STOP_INDIRECT)
        return false;
    const enum insn_kind kind = d->nodes.at[d->at].insn.kind;
    uint32_t ignored;
    if (kind == INSN_RETURN)
        (void)packet_calls_pop(&d->calls, &ignored);
    if ((unsigned)kind == CODE_CALL_INDIRECT)
        packet_calls_push(&d->calls, d->nodes.at[d->at].insn.next);
    if (kind == INSN_RTI && resumes(d, to)) {
        d->instructions++;
        if (d->events != NULL && d->events->resumes != NULL)
            d->events->resumes(d->user, to);
        return go_to(d, to);
    }
    return go_elsewhere(d, to, false);
}

static bool begin_context(struct packet_decoder *d, uint32_t at, bool handler, uint32_t from) {
    count(d, &d->begins, at, 1);
    if (d->events != NULL)
        d->events->begins(d->user, at, handler, from);
    return go_to(d, at);
}

static bool enter_handler(struct packet_decoder *d, uint32_t from, uint32_t to) {
    d->out_of_memory |= !vec_push(&d->contexts, from);
    return begin_context(d, to, true, from);
}

/* Where tracing goes on elsewhere than it paused, another context runs, and none resumes. */
static bool enable(struct packet_decoder *d, uint32_t at) {
    const bool goes_on = d->left && at == d->left_at;
    d->enabled = true;
    d->left = false;
    if (goes_on)
        return go_to(d, at);
    d->contexts.len = 0;
    return begin_context(d, at, false, 0);
}

/* ---- the trace ---- */

struct reading {
    const uint8_t *data;
    size_t length, at;
    uint64_t first;
};

static struct packet next_packet(struct packet_decoder *d, struct reading *r) {
    const struct packet p = packet_read(r->data + r->at, r->length - r->at, &d->last_address);
    d->packets++;
    r->at += p.kind == PACKET_UNKNOWN ? 0 : p.length;
    return p;
}

/* After PSB: forgets what it makes the decoder forget, when control has come to its address. */
static bool read_psb(struct packet_decoder *d, struct reading *r, uint64_t packet) {
    d->last_address = 0;
    bool ok = true;
    struct packet p;
    while ((p = next_packet(d, r)).kind != PACKET_PSBEND) {
        if (p.kind == PACKET_MODE)
            continue;
        if (p.kind != PACKET_FUP || p.suppressed)
            return false;
        if (d->synchronised)
            ok = walk(d, packet, &p.address) == STOP_ADDRESS;
        else
            ok = go_to(d, p.address);
        d->enabled = true;
    }
    d->calls.count = 0;
    d->synchronised = true;
    return ok;
}

/* After FUP: an interrupt, or the end of tracing. */
static bool read_event(struct packet_decoder *d, struct reading *r, uint64_t packet,
                       uint32_t address) {
    if (walk(d, packet, &address) != STOP_ADDRESS)
        return false;
    const struct packet p = next_packet(d, r);
    if (p.kind == PACKET_TIP && !p.suppressed)
        return enter_handler(d, address, p.address);
    d->enabled = false;
    d->left = true;
    d->left_at = address;
    d->calls.count = 0;
    return p.kind == PACKET_PGD;
}

static bool read_next(struct packet_decoder *d, struct reading *r) {
    const uint64_t packet = r->first + r->at;
    const struct packet p = next_packet(d, r);
    switch (p.kind) {
    case PACKET_PSB:
        return read_psb(d, r, packet);
    case PACKET_MODE:
        return true;
    case PACKET_PGE:
        return !d->enabled && !p.suppressed && enable(d, p.address);
    case PACKET_TNT:
        for (unsigned i = p.count; i-- > 0;)
            if (!d->enabled || !take_outcome(d, packet, p.outcomes >> i & 1))
                return false;
        return true;
    case PACKET_TIP:
        return d->enabled && !p.suppressed && take_target(d, packet, p.address);
    case PACKET_FUP:
        return d->enabled && !p.suppressed && read_event(d, r, packet, p.address);
    default:
        return false;
    }
}

/* Begins at the next PSB. */
static void synchronise(struct packet_decoder *d, struct reading *r) {
    r->at += packets_find_psb(r->data + r->at, r->length - r->at);
    d->lost += r->first + r->at - d->done;
    d->complete &= r->first + r->at == 0;
    d->synchronised = d->enabled = d->left = false;
    d->calls.count = d->contexts.len = 0;
    apply_up_to(d, r->first + r->at);
}

void packets_decode(struct packet_decoder *d, const uint8_t *data, size_t length, uint64_t first) {
    struct reading r = {.data = data, .length = length, .first = first};
    if (!d->synchronised || d->done != first)
        synchronise(d, &r);
    while (r.at < length && !d->out_of_memory) {
        const size_t begun = r.at;
        const bool knew = d->synchronised;
        if (read_next(d, &r))
            continue;
        d->errors++;
        d->done = first + begun;
        r.at = begun + !knew; /* a PSB that contradicts what was known begins anew */
        synchronise(d, &r);
    }
    d->done = first + r.at;
}

void packet_decoder_flow(struct packet_decoder *d, struct flow *flow) {
    uint64_t key, times;
    for (size_t i = 0; i < d->nodes.len; i++)
        settle_node(d, &d->nodes.at[i]);
    for (int transfer = 0; transfer < 2; transfer++)
        for (size_t at = 0; map_next(&d->pairs[transfer], &at, &key, &times);) {
            const struct flow_pair pair = {(uint32_t)(key >> 32), (uint32_t)key, times,
                                           transfer == 1};
            d->out_of_memory |= !vec_push(&flow->pairs, pair);
        }
    for (size_t at = 0; map_next(&d->begins, &at, &key, &times);)
        d->out_of_memory |= !vec_push(&flow->entries, (uint32_t)key);
}

void packet_decoder_free(struct packet_decoder *d) {
    vec_free(&d->nodes);
    map_free(&d->node_at);
    map_free(&d->pairs[0]);
    map_free(&d->pairs[1]);
    map_free(&d->begins);
    vec_free(&d->changes);
    vec_free(&d->contexts);
}
