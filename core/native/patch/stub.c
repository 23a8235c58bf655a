/*
 * Stubs. A stub has, for each overwritten instruction, the code of its probes and the relocated
 * instruction; then a jump back. A counting probe, if flags are live:
 *
 *     lea -128(%rsp), %rsp        past the red zone
 *     push %rax ; lahf ; seto %al
 *     ds/lock inc counter(%rip)   counts up from -threshold
 *     jz  1f                      exactly the threshold-th hit finds 0
 *  2: add $127, %al ; sahf ; pop %rax
 *     lea 128(%rsp), %rsp
 *     ...
 *  1: lea -128(%rsp), %rsp ; push probe(%rip) ; call hit(%rip) ; lea 136(%rsp), %rsp ; jmp 2b
 *
 * or, with counters for each thread, in place of inc and jz
 *
 *     push %rcx ; mov %fs:block, %rcx ; inc counter(%rcx) ; pop %rcx
 *
 * or, if counters are spread, which a second ds prefix makes room for,
 *
 *     inc %gs:slot                from the process's second thread on
 *
 * and only inc and jz if flags are dead. stub_pairs.c has the probes of pairs. A probe of a linkage
 * stub's slot:
 *
 *     mov slot(%rip), %r11 ; mov %r11, counter(%rip)
 *
 * At a branch that is counted when it is taken:
 *
 *     jncc 1f ; inc counter(%rip) ; jmp target ; 1:              the branch may lead to the inc itself
 *
 * The ds prefix has no effect; it becomes a lock prefix when
 * the process gets its second thread.
 */
#include "native/patch/stub_build.h"
#include "native/text/flags.h"

#include <string.h>

enum { JUMP = 5, LONGEST = 15 /* bytes of an instruction, with prefixes */ };

static bool build_read(struct build *b) {
    const struct patch *p = b->p;
    for (unsigned k = 0; k < p->count; k++)
        if (!insn_decode_copy(&b->insn[k], p->old + p->offset[k], p->at + p->offset[k]))
            return false;
    for (const struct hotprobe_probe *q = p->probes; q != NULL; q = q->next)
        if (q->in && (q->flags & HOTPROBE_FALL) != 0)
            b->after[q->boundary] = flags_live(p->object, q->site + b->insn[q->boundary].length);
        else if (q->in && (q->flags & HOTPROBE_TAKEN) != 0)
            b->there[q->boundary] = flags_live(p->object, b->insn[q->boundary].target);
        else if (q->in && (q->flags & HOTPROBE_EVERY) == 0)
            b->live[q->boundary] = flags_live(p->object, q->site);
    return true;
}

/* Counts in the thread's own block. This needs a register, and stack below the red zone: saved
 * flags have made that room already, otherwise move_stack. */
static void emit_own(struct build *b, const struct hotprobe_probe *probe, bool move_stack) {
    if (move_stack)
        emit_bytes(&b->e, "\x48\x8d\x64\x24\x80", 5); /* lea rsp, [rsp - 128] */
    emit_bytes(&b->e, "\x51\x64\x48\x8b\x0c\x25", 6); /* push rcx; mov rcx, fs:[block] */
    emit_u32(&b->e, (uint32_t)thread_block_offset());
    emit_bytes(&b->e, "\x48\xff\x81", 3); /* inc [rcx + counter] */
    emit_u32(&b->e, (uint32_t)(probe->slot * sizeof(uint64_t)));
    emit_bytes(&b->e, "\x59", 1); /* pop rcx */
    if (move_stack)
        emit_bytes(&b->e, "\x48\x8d\xa4\x24\x80\x00\x00\x00", 8); /* lea rsp, [rsp + 128] */
}

static void emit_shared(struct build *b, const struct hotprobe_probe *probe, bool live) {
    stub_can_lock(b);
    bool locked = b->h->atomic || (probe->flags & HOTPROBE_ATOMIC) != 0;
    if (probe->slot != 0) {
        emit_bytes(&b->e, locked ? "\xf0\x3e\x48\xff\x05" : "\x3e\x3e\x48\xff\x05", 5);
        emit_distance(&b->e, (uintptr_t)probe->counter, 0);
        return;
    }
    emit_bytes(&b->e, locked ? "\xf0\x48\xff\x05" : "\x3e\x48\xff\x05",
               4); /* inc [rip + counter] */
    emit_distance(&b->e, (uintptr_t)probe->counter, 0);
    if (probe->threshold != 0 && probe->call != NULL) {
        if (b->hots == HOTS) {
            b->e.full = true;
            return;
        }
        emit_bytes(&b->e, "\x0f\x84", 2); /* jz */
        b->hot[b->hots++] = (struct hot){b->e.len, b->e.len + 4, probe, live, NULL, NULL};
        emit_u32(&b->e, 0);
    }
}

/* Keeps the address that is in the slot. */
static bool emit_slot(struct build *b, const struct hotprobe_probe *probe) {
    const struct insn *i = &b->insn[probe->boundary];
    if (i->flow != FLOW_JUMP_AWAY || !i->relative_memory)
        return false;
    emit_bytes(&b->e, "\x4c\x8b\x1d", 3); /* mov r11, [rip + slot] */
    emit_distance(&b->e, i->memory, 0);
    emit_bytes(&b->e, "\x4c\x89\x1d", 3); /* mov [rip + counter], r11 */
    emit_distance(&b->e, (uintptr_t)probe->counter, 0);
    return true;
}

static void emit_counter(struct build *b, const struct hotprobe_probe *probe, bool live) {
    if (live)
        emit_bytes(&b->e, "\x48\x8d\x64\x24\x80\x50\x9f\x0f\x90\xc0", 10);
    if (probe->counter == NULL)
        emit_own(b, probe, !live);
    else
        emit_shared(b, probe, live);
    if (live)
        emit_bytes(&b->e, "\x04\x7f\x9e\x58\x48\x8d\xa4\x24\x80\x00\x00\x00", 12);
}

static bool emit_probe(struct build *b, const struct hotprobe_probe *probe) {
    if ((probe->flags & HOTPROBE_COVER) != 0)
        return true;
    if ((probe->flags & HOTPROBE_PAIRS) != 0)
        return stub_emit_pairs(b, probe);
    if ((probe->flags & HOTPROBE_SLOT) != 0)
        return emit_slot(b, probe);
    if ((probe->flags & HOTPROBE_EVERY) != 0) {
        stub_emit_call(b, probe, 0);
        return true;
    }
    if ((probe->flags & HOTPROBE_TAKEN) != 0)
        return true; /* emit_taken() */
    const bool fall = (probe->flags & HOTPROBE_FALL) != 0;
    emit_counter(b, probe, fall ? b->after[probe->boundary] : b->live[probe->boundary]);
    return true;
}

/* Emits the probes of instruction k, up to those behind it or from there on. */
static bool emit_probes(struct build *b, const struct hotprobe_probe **probe, unsigned k,
                        bool behind) {
    for (; *probe != NULL && (*probe)->boundary == k; *probe = (*probe)->next) {
        if (((*probe)->flags & HOTPROBE_FALL) != 0 && !behind)
            break;
        if ((*probe)->in && !emit_probe(b, *probe))
            return false;
    }
    return true;
}

/* Relocated jumps and calls end with their distance. */
static uint16_t last_distance(const struct build *b) {
    return (uint16_t)(b->e.len - sizeof(uint32_t));
}

/* The probe that counts how often the patch's branch number k is taken, or NULL. */
static const struct hotprobe_probe *taken_probe(const struct patch *p, unsigned k) {
    const struct hotprobe_probe *q = p->probes;
    while (q != NULL && (!q->in || q->boundary != k || (q->flags & HOTPROBE_TAKEN) == 0))
        q = q->next;
    return q;
}

/* The branch, relocated, with that probe. */
static void emit_taken(struct build *b, const struct hotprobe_probe *probe) {
    const struct insn *i = &b->insn[probe->boundary];
    const uint8_t other = (uint8_t)(0x80u | ((i->opcode & 0x0fu) ^ 1u));
    const uint8_t branch[] = {0x0f, other};
    emit_bytes(&b->e, branch, sizeof branch); /* jncc after */
    const size_t from = b->e.len;
    emit_u32(&b->e, 0);
    b->s->taken = (uint16_t)b->e.len;
    emit_counter(b, probe, b->there[probe->boundary]);
    emit_jump(&b->e, i->target);
    b->s->distance[probe->boundary] = last_distance(b);
    stub_leads_here(b, from);
}

/* Can the branch in the text lead to its probe? There is no other one. */
static bool leads_itself(const struct hotprobe *h, const struct patch *p) {
    const struct hotprobe_probe *only = taken_probe(p, 0);
    bool alone = only != NULL && p->count == 1 && p->strategy == HOTPROBE_OVER_ONE && !h->live;
    for (const struct hotprobe_probe *q = p->probes; q != NULL; q = q->next)
        alone = alone && (!q->in || q == only);
    return alone;
}

/* What is seldom executed, after the rest of the stub. */
static void emit_hot(struct build *b, const struct hot *hot) {
    stub_leads_here(b, hot->from);
    if (hot->map != NULL || hot->own != NULL)
        stub_emit_others(b, hot);
    else
        stub_emit_call(b, hot->probe, hot->saved ? 1 : 0);
    emit_jump(&b->e, b->e.at + hot->back);
}

static bool emit_all(struct build *b, uintptr_t at) {
    struct patch *p = b->p;
    b->e.at = at;
    b->e.len = 0;
    b->e.far = b->e.full = false;
    b->c.count = 0;
    b->hots = 0;
    b->s->lock_count = 0;
    const struct hotprobe_probe *probe = p->probes;
    for (unsigned k = 0; k < p->count; k++) {
        b->s->entry[k] = (uint16_t)b->e.len;
        if (!emit_probes(b, &probe, k, false))
            return false;
        const struct hotprobe_probe *taken = taken_probe(p, k);
        if (taken != NULL) {
            emit_taken(b, taken);
        } else if (relocate(&b->e, &b->c, &b->insn[k], b->s->pushed && k == p->count - 1u)) {
            b->s->distance[k] = b->insn[k].target != 0 ? last_distance(b) : 0;
        } else {
            return false;
        }
        if (!emit_probes(b, &probe, k, true))
            return false;
    }
    b->s->distance[p->count] = 0;
    if (!p->ends && !b->s->pushed) {
        emit_jump(&b->e, p->at + p->offset[p->count]);
        b->s->distance[p->count] = last_distance(b);
    }
    for (size_t k = 0; k < b->hots; k++)
        emit_hot(b, &b->hot[k]);
    b->constants = b->c.count > 0;
    constants_place(&b->e, &b->c);
    if (!leads_itself(b->h, p))
        b->s->taken = 0;
    return !b->e.full;
}

/* A window that ends with a call can be a call itself, which keeps the processor's return stack in
 * step: prefixes without effect, then call stub. It pushes the right return address, but early, so
 * instructions before the call must not use the stack. */
static bool can_push(const struct build *b, bool constrained) {
    const struct patch *p = b->p;
    if (p->strategy != HOTPROBE_OVER_ONE && p->strategy != HOTPROBE_OVER_SEVERAL)
        return false;
    if ((constrained && p->count > 1) || p->length > LONGEST)
        return false;
    for (unsigned k = 0; k < p->count; k++) {
        const struct insn *i = &b->insn[k];
        bool last = k == p->count - 1u;
        if (last && i->flow != FLOW_CALL && i->flow != FLOW_CALL_AWAY)
            return false;
        if (!last && (i->flow != FLOW_NEXT || insn_uses_stack(p->old + p->offset[k])))
            return false;
    }
    return true;
}

static struct reach reach_for(const struct patch *p, bool pushed, bool constrained) {
    struct reach at = {.base = p->at + JUMP};
    if (p->strategy == HOTPROBE_TRAP)
        at.base = p->at;
    else if (p->slot != 0)
        at.base = p->slot + JUMP;
    else if (pushed)
        at.base = p->at + p->length;
    else if (p->strategy == HOTPROBE_CONSTRAINED) {
        for (unsigned k = p->offset[1]; k < JUMP; k++) {
            at.mask |= 0xffu << 8 * (k - 1);
            at.value |= (uint32_t)p->old[k] << 8 * (k - 1);
        }
    } else if (constrained) {
        for (unsigned k = 1; k < p->count; k++) {
            if (p->offset[k] >= JUMP)
                continue;
            at.mask |= 0xffu << 8 * (p->offset[k] - 1);
            at.value |= 0xccu << 8 * (p->offset[k] - 1);
        }
    }
    return at;
}

static void put_distance(uint8_t *at, uintptr_t from, uintptr_t to) {
    uint32_t d = (uint32_t)(to - from);
    memcpy(at, &d, sizeof d);
}

/* Sets the bytes of the text, and of the slot, that lead to the stub. */
static void lead_to(struct patch *p, const struct stub *s) {
    memcpy(p->now, p->old, p->length);
    if (p->strategy == HOTPROBE_TRAP) {
        p->now[0] = 0xcc; /* int3 */
        return;
    }
    if (p->is_gate) {
        p->now[0] = 0xeb; /* jmp short, over the rest of the NOP */
        p->now[1] = (uint8_t)(p->offset[1] - 2);
        return;
    }
    if (p->slot != 0) {
        p->now[0] = 0xeb; /* jmp short slot */
        p->now[1] = (uint8_t)(p->slot - (p->at + 2));
        p->slot_now[0] = 0xe9; /* jmp stub */
        put_distance(p->slot_now + 1, p->slot + JUMP, s->at);
        if (p->host != NULL)
            memcpy(p->host->now + JUMP, p->slot_now, JUMP);
        return;
    }
    if (s->pushed) {
        memset(p->now, 0x2e, p->length); /* cs prefix: no effect */
        p->now[p->length - JUMP] = 0xe8; /* call stub */
        put_distance(p->now + p->length - 4, p->at + p->length, s->at);
        return;
    }
    if (s->taken != 0) {
        put_distance(p->now + 2, p->at + p->length, s->at + s->taken);
        return;
    }
    p->now[0] = 0xe9; /* jmp stub */
    put_distance(p->now + 1, p->at + JUMP, s->at);
    for (unsigned k = 1; k < p->count && s->constrained; k++)
        p->now[p->offset[k]] = 0xcc;
    if (p->guest != NULL && p->guest->in)
        memcpy(p->now + JUMP, p->guest->slot_now, JUMP);
}

void stub_spread(struct hotprobe *h, const struct patch *p) {
    uint8_t inc[9] = "\x65\x48\xff\x04\x25"; /* inc qword gs:[slot] */
    unsigned k = 0;
    for (const struct hotprobe_probe *q = p->probes; q != NULL && p->stub != NULL; q = q->next) {
        if (!q->in || (q->flags & HOTPROBE_EVERY) != 0 || q->counter == NULL)
            continue;
        uint32_t slot = (uint32_t)(q->slot * sizeof(uint64_t));
        uintptr_t at = p->stub->at + p->stub->lock[k++];
        memcpy(inc + 5, &slot, sizeof slot);
        if (slot != 0)
            pool_write(h, at, inc, sizeof inc);
        else
            pool_write(h, at, "\xf0", 1);
    }
}

uint64_t stub_key(const struct hotprobe *h, const struct patch *p) {
    uint64_t key = 1469598103934665603ull + h->atomic;
    for (const struct hotprobe_probe *q = p->probes; q != NULL; q = q->next)
        if (q->in)
            key = (key ^ (uintptr_t)q) * 1099511628211ull;
    return key;
}

static bool usable(const struct hotprobe *h, const struct stub *s, uint64_t key, bool inner) {
    return s != NULL && s->key == key && (s->constrained || !h->live || !inner);
}

enum hotprobe_reason stub_make(struct hotprobe *h, struct patch *p) {
    uint64_t key = stub_key(h, p);
    bool inner = p->count > 1;
    struct stub *now = p->stub;
    if (!usable(h, now, key, inner) && usable(h, p->spare, key, inner)) {
        p->stub = p->spare;
        p->spare = now;
    }
    if (usable(h, p->stub, key, inner)) {
        lead_to(p, p->stub);
        return HOTPROBE_DONE;
    }
    struct stub *s = arena_get(&h->arena, sizeof *s);
    if (s == NULL)
        return HOTPROBE_NO_MEMORY;
    struct build b = {.h = h, .p = p, .s = s};
    if (!build_read(&b))
        return HOTPROBE_CANNOT_MOVE;
    s->constrained = h->live && inner;
    s->pushed = can_push(&b, s->constrained);
    s->key = key;
    if (!emit_all(&b, p->at))
        return b.e.full ? HOTPROBE_NO_MEMORY : HOTPROBE_CANNOT_MOVE;
    /* Room to align constants at the final address. */
    s->size = (uint32_t)b.e.len + (b.constants ? 8 : 0);
    struct reach reach = reach_for(p, s->pushed, s->constrained);
    s->at = pool_get(h, s->size, &reach);
    if (s->at == 0)
        return pool_reason(h);
    bool ok = emit_all(&b, s->at);
    if (ok && b.e.far) { /* the stub without own cells is shorter */
        b.far = true;
        ok = emit_all(&b, s->at);
    }
    if (!ok || b.e.far) {
        pool_put(h, s->at, s->size);
        return b.e.far ? HOTPROBE_TOO_FAR : HOTPROBE_NO_MEMORY;
    }
    pool_write(h, s->at, b.e.bytes, b.e.len);
    if (p->spare != NULL)
        grace_retire(h, p->spare, NULL);
    p->spare = p->stub;
    p->stub = s;
    lead_to(p, s);
    return HOTPROBE_DONE;
}

void stubs_make(struct hotprobe *h) {
    size_t kept = 0;
    for (size_t i = 0; i < h->batch.len; i++) {
        struct patch *p = h->batch.at[i];
        enum hotprobe_reason reason = p->in ? stub_make(h, p) : HOTPROBE_DONE;
        if (reason == HOTPROBE_DONE) {
            h->batch.at[kept++] = p;
            continue;
        }
        p->in = false;
        for (struct hotprobe_probe *q = p->probes; q != NULL; q = q->next) {
            if (q->in && q->asking != NULL) {
                q->asking->reason = reason;
                q->asking->probe = NULL;
                q->in = false;
            }
            p->in |= q->in; /* true if earlier probes keep their stub */
        }
        if (p->in) {
            h->batch.at[kept++] = p;
            continue;
        }
        p->changed = false;
        for (unsigned k = 0; k < p->length; k++)
            *mark_at(p->object, p->at + k) &= (uint8_t)~MARK_OURS;
        for (unsigned k = 0; k < JUMP && p->slot != 0 && p->restored && p->host == NULL; k++)
            *mark_at(p->object, p->slot + k) &= (uint8_t)~MARK_OURS;
    }
    h->batch.len = kept;
}
