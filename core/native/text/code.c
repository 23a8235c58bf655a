/* Which bytes of text are instructions, targets, leaders and padding. Instructions are those that
 * can be reached from a function's entry, a landing pad or a proven jump table. Targets are more: a
 * linear sweep's, every address of text that lies in data or is taken in code. A wrong target costs
 * a window; a missed one breaks the program. */
#include "native/text/code.h"
#include "native/text/jump_tables.h"
#include "native/text/quick.h"

#include <string.h>

static uintptr_t section_end(const struct object *o, uintptr_t at) {
    for (size_t i = 0; i < o->sections.len; i++)
        if (at >= o->sections.at[i].start && at < o->sections.at[i].end)
            return o->sections.at[i].end;
    return 0;
}

enum { LENGTH = 15, KIND_NOP = 16, KIND_OTHER = 32 };

static void remember(struct walk *w, const struct insn *i) {
    bool plain = i->flow == FLOW_NEXT;
    w->known[i->at - w->o->text] = (uint8_t)(i->length | (!plain   ? KIND_OTHER
                                                          : i->nop ? KIND_NOP
                                                                   : 0));
}

/* As insn_decode(); for instructions that the sweep has seen and that do not jump it sets only at,
 * length, flow and nop, from the sweep's notes: decoding all code four times would take most of the
 * time. */
static bool peek(const struct walk *w, struct insn *i, uintptr_t at, uintptr_t end) {
    uint8_t k = at < end ? w->known[at - w->o->text] : 0;
    if (k == 0 || (k & KIND_OTHER) != 0 || at + (k & LENGTH) > end)
        return insn_outline(i, at, end);
    i->at = at;
    i->length = k & LENGTH;
    i->flow = FLOW_NEXT;
    i->nop = (k & KIND_NOP) != 0;
    return true;
}

static void target_mark(struct object *o, uintptr_t at) {
    if (in_text(o, at))
        *mark_at(o, at) |= MARK_TARGET;
}

/* Parts of late code are read one by one, each of whole functions: it must be known before where others lead
 * into them. */
static void note_crossing(struct walk *w, const struct function *f, uintptr_t to) {
    struct object *o = w->o;
    if (o->late && in_text(o, to) && (f == NULL || to < f->start || to >= f->end) &&
        !seq_push(&w->crossed, to))
        w->failed = true;
}

static void enter_crossed(struct walk *w) {
    for (size_t k = 0; k < w->crossed.len; k++)
        if ((*mark_at(w->o, w->crossed.at[k]) & MARK_START) != 0)
            *mark_at(w->o, w->crossed.at[k]) |= MARK_ENTRY;
}

/* Walks from a leader to the end of its straight-line run. No code may follow a call that does not
 * return, so the walk stops at a function's end. */
static void walk_from(struct walk *w, uintptr_t at) {
    struct object *o = w->o;
    uintptr_t end = section_end(o, at);
    struct function *f = function_at(o, at);
    uintptr_t stop = f != NULL ? f->end : end;
    struct insn i;
    while (at < stop && (*mark_at(o, at) & MARK_START) == 0 && peek(w, &i, at, end)) {
        *mark_at(o, at) |= MARK_START;
        for (unsigned k = 0; i.nop && k < i.length; k++)
            *mark_at(o, at + k) |= MARK_NOP;
        if (i.flow == FLOW_JUMP || i.flow == FLOW_BRANCH || i.flow == FLOW_LOOP ||
            i.flow == FLOW_CALL) {
            walk_leader(w, i.target);
            note_crossing(w, f, i.target);
        } else if (i.flow == FLOW_JUMP_AWAY && !seq_push(&w->indirect, at))
            w->failed = true;
        at += i.length;
        if (insn_ends_block(&i))
            return;
        if ((i.flow == FLOW_BRANCH || i.flow == FLOW_LOOP) && at < stop)
            *mark_at(o, at) |= MARK_LEADER;
        /* Functions that are written by hand go on in the next one. */
        if (at == stop && o->is_libc && (i.flow == FLOW_BRANCH || i.flow == FLOW_NEXT))
            walk_leader(w, at);
    }
}

static void walk_all(struct walk *w) {
    while (w->todo.len > 0 && !w->failed) {
        uintptr_t at = w->todo.at[--w->todo.len];
        if (section_end(w->o, at) != 0)
            walk_from(w, at);
    }
}

/* Jump tables lead to code with more jump tables. */
static void walk_tables(struct walk *w) {
    for (; w->tables < w->indirect.len && !w->failed; w->tables++) {
        uintptr_t at = w->indirect.at[w->tables];
        struct function *f = function_at(w->o, at);
        if (f == NULL || f->plt)
            continue;
        if (!table_find(w, f, at))
            f->unproven = true;
        walk_all(w);
    }
}

/* Notes what lea label(%rip) takes. */
static void note_label(struct walk *w, const struct insn *i) {
    enum { LONG = 0x48, LEA = 0x8d }; /* with the bits for registers, of which lea uses two */
    const uint8_t *b = (const uint8_t *)i->at;
    const bool taken =
        i->relative_memory && (b[0] & 0xf8) == LONG && b[1] == LEA && in_text(w->o, i->memory);
    const struct function *f = taken ? function_at(w->o, i->memory) : NULL;
    if (f != NULL && i->memory != f->start && i->at >= f->start && i->at < f->end &&
        !seq_push(&w->labels, ((struct label){i->at, i->memory})))
        w->failed = true;
}

/* A function takes the address of a label of its own for a jump to it from elsewhere, as
 * __builtin_setjmp does: code starts there, which nothing else may lead to. */
static void walk_labels(struct walk *w) {
    const struct object *o = w->o;
    for (bool more = true; more && !w->failed;) {
        more = false;
        for (size_t k = 0; k < w->labels.len; k++) {
            const struct label *l = &w->labels.at[k];
            if ((*mark_at(o, l->taken_at) & MARK_START) == 0 ||
                (*mark_at(o, l->at) & (MARK_LEADER | MARK_SWEPT)) != MARK_SWEPT)
                continue;
            walk_leader(w, l->at);
            more = true;
        }
        walk_all(w);
        walk_tables(w);
    }
}

/* What libc's signal handlers return to has no symbol, and its frame begins one byte early:
 * mov $15, %rax ; syscall */
static void walk_sigreturn(struct walk *w) {
    static const uint8_t code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    struct object *o = w->o;
    const uint8_t *at = memmem((const void *)o->text, o->text_end - o->text, code, sizeof code);
    const uintptr_t start = (uintptr_t)at;
    if (at != NULL && section_end(o, start) != 0) {
        *mark_at(o, start) |= MARK_ENTRY;
        walk_leader(w, start);
    }
}

static void walk_starts(struct walk *w) {
    struct object *o = w->o;
    for (size_t i = 0; i < o->starts.len; i++)
        if (section_end(o, o->starts.at[i]) != 0) {
            *mark_at(o, o->starts.at[i]) |= MARK_ENTRY;
            walk_leader(w, o->starts.at[i]);
        }
}

/* Linkage stubs have no symbols in stripped files, and the second part of one is reached only by a
 * pointer: each instruction after one that ends a block starts a block. */
static void walk_linkage(struct walk *w, struct range r) {
    struct insn i;
    bool starts = true;
    for (uintptr_t at = r.start; at < r.end && insn_outline(&i, at, r.end); at += i.length) {
        if (starts && !i.nop)
            walk_leader(w, at);
        starts = insn_ends_block(&i) || (starts && i.nop);
    }
}

/* Linear sweep: marks every direct target and every address in code. */
static void sweep(struct walk *w, struct range r) {
    struct object *o = w->o;
    for (uintptr_t at = r.start; at < r.end;) {
        struct insn i;
        if (!insn_outline(&i, at, r.end)) {
            at++;
            continue;
        }
        *mark_at(o, at) |= MARK_SWEPT;
        remember(w, &i);
        uintptr_t next = at + i.length;
        for (unsigned k = 1; k < i.length; k++) /* data in the code: a function starts inside */
            if (at + k < r.end && (*mark_at(o, at + k) & MARK_ENTRY) != 0 && next == at + i.length)
                next = at + k;
        if (i.target != 0)
            target_mark(o, i.target);
        if (i.relative_memory)
            target_mark(o, i.memory);
        note_label(w, &i);
        if (i.imm_size == 32 && i.target == 0) {
            uint32_t v;
            memcpy(&v, (const uint8_t *)at + i.imm_offset, sizeof v);
            target_mark(o, v);
        } else if (i.imm_size == 64) {
            uint64_t v;
            memcpy(&v, (const uint8_t *)at + i.imm_offset, sizeof v);
            target_mark(o, v);
        }
        at = next;
    }
}

/* Marks addresses of text in data: mostly functions. Inside a function they are labels whose address
 * is taken, as interpreters have tables of them: code starts there. */
static void scan_data(struct walk *w) {
    struct object *o = w->o;
    for (size_t k = 0; k < o->data.len; k++)
        for (uintptr_t at = (o->data.at[k].start + 7) & ~7ull; at + 8 <= o->data.at[k].end;
             at += 8) {
            const uintptr_t to = *(const uint64_t *)at;
            const struct function *f = in_text(o, to) ? function_at(o, to) : NULL;
            if (f != NULL && to != f->start && (*mark_at(o, to) & MARK_SWEPT) != 0)
                walk_leader(w, to);
            else
                target_mark(o, to);
        }
}

/* Where two instructions overlap, what starts inside the other one must not be overwritten, and what comes
 * after them is reached from both. Each of them is a piece by itself, so that no piece holds two readings. */
static bool mark_overlap(struct walk *w, uintptr_t at, uintptr_t inner, uintptr_t end) {
    struct object *o = w->o;
    struct insn i;
    *mark_at(o, at) |= MARK_LEADER;
    *mark_at(o, inner) |= MARK_TARGET | MARK_LEADER;
    target_mark(o, end);
    if (peek(w, &i, inner, o->text_end))
        target_mark(o, inner + i.length);
    return seq_push(&o->inside, inner);
}

static void find_overlaps(struct walk *w, struct range r) {
    struct object *o = w->o;
    struct insn i;
    for (uintptr_t at = r.start; at < r.end; at++) {
        if ((*mark_at(o, at) & MARK_START) == 0 || !peek(w, &i, at, r.end))
            continue;
        for (uintptr_t k = at + 1; k < at + i.length; k++)
            if ((*mark_at(o, k) & MARK_START) != 0 && !mark_overlap(w, at, k, at + i.length))
                w->failed = true;
    }
}

/* Marks runs of unreachable NOPs and int3 as padding. */
static void find_padding(const struct walk *w, struct range r) {
    struct object *o = w->o;
    for (uintptr_t at = r.start; at < r.end;) {
        uintptr_t start = at;
        struct insn i;
        while (at < r.end && (*mark_at(o, at) & (MARK_START | MARK_TARGET | MARK_ENTRY)) == 0 &&
               peek(w, &i, at, r.end) && (i.nop || *(const uint8_t *)at == 0xcc)) {
            bool inside = false;
            for (unsigned k = 1; k < i.length; k++)
                inside |= (*mark_at(o, at + k) & (MARK_START | MARK_TARGET | MARK_ENTRY)) != 0;
            if (inside)
                break;
            at += i.length;
        }
        if (at > start) {
            memset(mark_at(o, start), MARK_PAD, at - start);
            continue;
        }
        /* Skip an instruction, or one unknown byte. */
        at += (*mark_at(o, at) & MARK_START) != 0 && peek(w, &i, at, r.end) ? i.length : 1;
    }
}

/* Unmarks padding that execution might fall into: the code before it must be a known instruction
 * that ends a block, a call at a function's end, or more padding. */
static void check_padding(const struct walk *w, struct range r) {
    struct object *o = w->o;
    bool sure = true;
    struct insn i = {0};
    for (uintptr_t at = r.start; at < r.end;) {
        uint8_t m = *mark_at(o, at);
        if ((m & MARK_START) != 0 && peek(w, &i, at, r.end)) {
            bool call = i.flow == FLOW_CALL || i.flow == FLOW_CALL_AWAY;
            const struct function *f = call ? function_at(o, at) : NULL;
            sure = insn_ends_block(&i) || (f != NULL && at + i.length >= f->end);
            at += i.length;
        } else if ((m & MARK_PAD) != 0) {
            if (!sure)
                *mark_at(o, at) = 0;
            at++;
        } else {
            sure = false; /* unknown bytes */
            at++;
        }
    }
}

static int by_jump(const void *a, const void *b) {
    const struct arm *x = a, *y = b;
    if (x->jump != y->jump)
        return x->jump < y->jump ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

enum status code_find(struct object *o, struct error *e) {
    struct walk w = {.o = o};
    if (!seq_reserve_(&w.known, &(size_t){0}, o->text_end - o->text, 1))
        return error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; i < o->functions.len && !w.failed; i++) {
        uintptr_t at = o->functions.at[i].start;
        *mark_at(o, at) |= MARK_ENTRY;
        walk_leader(&w, at);
    }
    walk_starts(&w);
    if (o->is_libc)
        walk_sigreturn(&w);
    for (size_t i = 0; i < o->pads.len && !w.failed; i++)
        walk_leader(&w, o->pads.at[i]);
    for (size_t i = 0; i < o->sections.len; i++)
        sweep(&w, o->sections.at[i]);
    scan_data(&w);
    for (size_t i = 0; i < o->plt.len; i++)
        walk_linkage(&w, o->plt.at[i]);
    walk_all(&w);
    walk_tables(&w);
    walk_labels(&w);
    enter_crossed(&w);
    sort_items(o->arms.at, o->arms.len, sizeof *o->arms.at, by_jump);
    for (size_t i = 0; i < o->sections.len; i++)
        find_overlaps(&w, o->sections.at[i]);
    sort_items(o->inside.at, o->inside.len, sizeof *o->inside.at, by_number);
    for (size_t i = 0; i < o->sections.len; i++) {
        find_padding(&w, o->sections.at[i]);
        check_padding(&w, o->sections.at[i]);
    }
    bool failed = w.failed;
    seq_free_(w.known, o->text_end - o->text);
    seq_free(&w.todo);
    seq_free(&w.labels);
    seq_free(&w.crossed);
    seq_free(&w.indirect);
    return failed ? error_set(e, STATUS_MEMORY, "out of memory") : STATUS_OK;
}
