/*
 * Most functions return only to the code after calls of them. If
 *
 *  - the function is left by returns only: no jump leads to other code than that of functions which
 *    this holds for, too (they are one group), and nothing in it changes the stack or the return
 *    address, then what follows a call of it is entered by its returns only;
 *  - its address is never taken, no library can find its symbol, and it is called at all, then only
 *    direct calls enter it, and its returns lead to what follows these. (What nothing leads to has an
 *    address that is computed, as V8's builtins have: they are found through a table of offsets.)
 *
 * Where both hold, one return of the group needs no cells: how often it led to the code after a
 * call is the count of that code, less how often the other returns led there.
 *
 * In parts of a late object, code that is not read may lead to any function and take any address: there all
 * returns have cells.
 *
 * A jump through a table whose bound is known leads to its arms. If each is an arm of this jump
 * only, their counts say how often.
 *
 * A linkage stub jumps to a library, or, until its symbol is resolved, to its own second half.
 */
#include "native/edges/edge_returns.h"
#include "native/text/quick.h"

#include <elf.h>
#include <string.h>

struct group {
    uint32_t parent;
    uint32_t hub; /* the piece whose return needs no cells; TREE_NONE: none */
    bool left;    /* otherwise than by returns */
    bool taken;   /* entered otherwise than by direct calls */
    bool called;  /* by direct calls */
    bool returns;
};

struct search {
    struct object *o;
    const struct piece *pieces;
    struct tree_piece *tree;
    size_t n;
    const uint8_t *weights;
    VEC(struct group) groups; /* of each function; 0: code without one */
    VEC(uint32_t) function;   /* of each piece */
};

static uint32_t function_number(const struct search *s, uintptr_t at) {
    return part_number(s->o, at);
}

static uint32_t root_of(struct search *s, uint32_t k) {
    struct group *g = s->groups.at;
    while (g[k].parent != k)
        k = g[k].parent = g[g[k].parent].parent;
    return k;
}

static struct group *group_of(struct search *s, uint32_t piece) {
    return &s->groups.at[root_of(s, s->function.at[piece])];
}

static bool prepare(struct search *s) {
    const size_t functions = s->o->part_functions + 1;
    if (!seq_reserve(&s->groups, functions) || !seq_reserve(&s->function, s->n + 1))
        return false;
    for (uint32_t k = 0; k < functions; k++)
        s->groups.at[k] = (struct group){
            .parent = k, .hub = TREE_NONE, .left = k == 0, .taken = k == 0 || s->o->late};
    for (size_t i = 0; i < s->n; i++)
        s->function.at[i] = function_number(s, s->pieces[i].start);
    return true;
}

/* ---- linkage stubs ---- */

static bool readable(const struct object *o, uintptr_t at) {
    for (size_t i = 0; i < o->data.len; i++)
        if (at >= o->data.at[i].start && at + sizeof(uintptr_t) <= o->data.at[i].end)
            return true;
    return false;
}

static void find_linkage(struct search *s) {
    const piece_list all = {.at = (struct piece *)s->pieces, .len = s->n};
    for (size_t i = 0; i < s->n; i++) {
        const struct piece *p = &s->pieces[i];
        struct insn jump;
        if (p->flow != FLOW_JUMP_AWAY || !in_linkage(s->o, p->start) ||
            !insn_decode(&jump, p->last, s->o->text_end) || !jump.relative_memory ||
            !readable(s->o, jump.memory))
            continue;
        const uintptr_t to = *(const uintptr_t *)jump.memory;
        const struct piece *half = in_text(s->o, to) ? piece_at(&all, to) : NULL;
        if (in_text(s->o, to) &&
            (half == NULL || !in_linkage(s->o, to) || !s->tree[half - s->pieces].may_enter))
            continue;
        s->tree[i].ends = 'l';
        if (half != NULL) {
            s->tree[i].target = (uint32_t)(half - s->pieces);
            s->tree[s->tree[i].target].may_enter = false; /* and no other stub leads there */
        }
    }
}

/* ---- jumps through tables ---- */

static uint32_t piece_number(const struct search *s, uintptr_t at) {
    const piece_list all = {.at = (struct piece *)s->pieces, .len = s->n};
    const struct piece *p = piece_at(&all, at);
    return p != NULL ? (uint32_t)(p - s->pieces) : TREE_NONE;
}

/* Can the code be an arm of this jump, and of no other one? */
static bool may_be_arm(const struct search *s, uint32_t arm, uint32_t jump) {
    return arm != TREE_NONE && !s->tree[arm].may_enter &&
           (s->tree[arm].arm_of == TREE_NONE || s->tree[arm].arm_of == jump);
}

static bool set_arms(struct search *s, size_t from, size_t to, uint32_t jump) {
    for (size_t k = from; k < to; k++)
        if (!may_be_arm(s, piece_number(s, s->o->arms.at[k].target), jump))
            return false;
    for (size_t k = from; k < to; k++)
        s->tree[piece_number(s, s->o->arms.at[k].target)].arm_of = jump;
    return true;
}

/* Such a jump needs no cells: its arms have counts. */
static void find_arms(struct search *s) {
    const struct object *o = s->o;
    for (size_t from = arms_from(o), to; from < o->arms.len && o->arms.at[from].jump < o->part.end;
         from = to) {
        const uintptr_t jump = o->arms.at[from].jump;
        for (to = from; to < o->arms.len && o->arms.at[to].jump == jump;)
            to++;
        /* after the last piece that begins at or before the jump */
        const uint32_t i = (uint32_t)items_below(s->pieces, s->n, sizeof *s->pieces, jump + 1);
        if (i > 0 && s->pieces[i - 1].last == jump && s->tree[i - 1].ends == 'a' &&
            set_arms(s, from, to, i - 1))
            s->tree[i - 1].ends = 'w';
    }
}

/* ---- functions whose address is taken ---- */

static void take(struct search *s, uintptr_t at) {
    if (in_text(s->o, at))
        s->groups.at[function_number(s, at)].taken = true;
}

/* Functions that are outside may call what they lead to. */
static void taken_from_outside(struct search *s) {
    const struct object *o = s->o;
    struct insn i;
    for (size_t k = 0; k < o->functions.len; k++) {
        const struct function *f = &o->functions.at[k];
        for (uintptr_t at = f->start; f->outside && at < f->end; at++)
            if ((*mark_at(o, at) & MARK_START) != 0 && insn_decode(&i, at, o->text_end) &&
                i.target != 0)
                take(s, i.target);
    }
}

static void taken_in_code(struct search *s) {
    const struct object *o = s->o;
    struct insn i;
    for (uintptr_t at = o->text; at < o->text_end; at++) {
        if ((*mark_at(o, at) & (MARK_SWEPT | MARK_START)) == 0 ||
            !insn_outline(&i, at, o->text_end))
            continue;
        uint32_t narrow = 0;
        uint64_t wide = 0;
        if (i.relative_memory)
            take(s, i.memory);
        if (i.imm_size == 32 && i.target == 0) {
            __builtin_memcpy(&narrow, (const uint8_t *)at + i.imm_offset, sizeof narrow);
            take(s, narrow);
        } else if (i.imm_size == 64) {
            __builtin_memcpy(&wide, (const uint8_t *)at + i.imm_offset, sizeof wide);
            take(s, wide);
        }
    }
}

static bool is_builtin(const struct function *f) {
    static const char mark[] = "Builtins_";
    return f->name != NULL && strncmp(f->name, mark, sizeof mark - 1) == 0;
}

static void find_taken(struct search *s) {
    const struct object *o = s->o;
    const Elf64_Ehdr *file = (const void *)o->file.at;
    taken_in_code(s);
    taken_from_outside(s);
    take(s, o->bias + file->e_entry);
    for (size_t k = 0; k < o->data.len; k++)
        for (uintptr_t at = (o->data.at[k].start + 7) & ~(uintptr_t)7; at + 8 <= o->data.at[k].end;
             at += 8)
            take(s, *(const uintptr_t *)at);
    for (size_t k = 0; k < o->starts.len; k++)
        take(s, o->starts.at[k]);
    for (size_t k = 0; k < o->exported.len; k++)
        take(s, o->exported.at[k]);
    for (size_t k = 0; k < o->functions.len; k++)
        if (is_builtin(&o->functions.at[k]))
            take(s, o->functions.at[k].start);
}

/* ---- how functions are left ---- */

/* Does the instruction set the stack pointer to something else than the frame pointer, as code does
 * that changes stacks? */
static bool changes_stack(const uint8_t *b) {
    enum { RSP = 4, RBP = 5 };
    const uint8_t rex = (b[0] & 0xf0) == 0x40 ? *b++ : 0;
    const unsigned mod = b[1] >> 6, reg = ((b[1] >> 3) & 7) | (rex & 4) << 1,
                   rm = (b[1] & 7) | (rex & 1) << 3;
    switch (b[0]) {
    case 0x5c: /* pop */
    case 0x94: /* xchg with rax */
        return (rex & 1) == 0;
    case 0x87:
        return reg == RSP || (mod == 3 && rm == RSP);
    case 0x89:
        return mod == 3 && rm == RSP && reg != RBP;
    case 0x8b:
        return reg == RSP && !(mod == 3 && rm == RBP);
    default:
        return false;
    }
}

/* Does the instruction before a return make the return address: push, or mov to (%rsp)? */
static bool makes_address(const uint8_t *b) {
    const uint8_t rex = (b[0] & 0xf0) == 0x40 ? *b++ : 0;
    const bool stored = (b[0] == 0x89 || b[0] == 0xc7) && (b[1] & 0xc7) == 0x04 && b[2] == 0x24;
    const bool pushed = b[0] == 0x68 || b[0] == 0x6a || (b[0] & 0xf8) == 0x50 ||
                        (b[0] == 0xff && (b[1] & 0x38) == 0x30);
    return stored || (pushed && (rex & 8) == 0);
}

/* What the instructions of a piece do to its stack. */
static bool plain(const struct object *o, const struct piece *p) {
    uintptr_t before = 0;
    for (uintptr_t at = p->start; at <= p->last; at++) {
        if ((*mark_at(o, at) & MARK_START) == 0)
            continue;
        if (changes_stack((const uint8_t *)at))
            return false;
        if (at < p->last)
            before = at;
    }
    return p->flow != FLOW_RETURN || before == 0 || !makes_address((const uint8_t *)before);
}

/* Control goes from a piece to another one, not by a call: their functions are one group. */
static void joined(struct search *s, size_t i, uint32_t to) {
    const uint32_t a = root_of(s, s->function.at[i]);
    if (to == TREE_NONE) {
        s->groups.at[a].left = true;
        return;
    }
    const uint32_t b = root_of(s, s->function.at[to]);
    if (a == b)
        return;
    struct group *x = &s->groups.at[a], *y = &s->groups.at[b];
    y->parent = a;
    x->left |= y->left;
    x->taken |= y->taken;
}

static void find_left(struct search *s) {
    for (size_t i = 0; i < s->n; i++) {
        const struct tree_piece *t = &s->tree[i];
        const struct piece *p = &s->pieces[i];
        if (t->ends == 'n' || t->ends == 'b' || t->ends == 'x')
            joined(s, i, t->next);
        if (t->ends == 'j' || t->ends == 'b')
            joined(s, i, t->target);
        if ((t->ends == 'c' || p->flow == FLOW_CALL_AWAY) && t->next != TREE_NONE &&
            (*mark_at(s->o, p->end) & MARK_ENTRY) == 0)
            joined(s, i, t->next);
        if (t->arm_of != TREE_NONE)
            joined(s, t->arm_of, (uint32_t)i);
        struct group *g = group_of(s, (uint32_t)i);
        if ((p->flow == FLOW_JUMP_AWAY && t->ends != 'w') || p->flow == FLOW_REFUSED ||
            !plain(s->o, p))
            g->left = true;
    }
}

/* ---- what follows ---- */

/* Is the code after this call entered by its return only? */
static bool only_returned_to(const struct search *s, size_t i) {
    const uint32_t next = s->tree[i].next;
    return next != TREE_NONE && (*mark_at(s->o, s->pieces[next].start) & MARK_ENTRY) == 0 &&
           !s->pieces[next].pad;
}

static bool derived(const struct group *g) {
    return !g->left && !g->taken && g->called;
}

/* A return of one byte that is a target is the best one to derive, because only a trap fits there. */
static bool better(const struct search *s, uint32_t i, uint32_t than) {
    const bool lone_p = piece_is_lone(&s->pieces[i]), lone_q = piece_is_lone(&s->pieces[than]);
    return lone_p != lone_q ? lone_p : s->weights[i] > s->weights[than];
}

static void find_hubs(struct search *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        struct group *g = group_of(s, i);
        if (s->pieces[i].flow != FLOW_RETURN)
            continue;
        g->returns = true;
        if (g->hub == TREE_NONE || better(s, i, g->hub))
            g->hub = i;
    }
    for (size_t i = 0; i < s->n; i++) {
        const struct tree_piece *t = &s->tree[i];
        if (t->ends != 'c' || t->target == TREE_NONE)
            continue;
        struct group *g = group_of(s, t->target);
        g->called = true;
        g->left |= g->returns && !only_returned_to(s, i);
    }
}

/* No trap may be in libc, so where a lone return leads to is not known, unless it is a hub. */
static void find_blind(struct search *s) {
    for (uint32_t i = 0; i < s->n && s->o->is_libc; i++) {
        struct group *g = group_of(s, i);
        if (piece_is_blind(s->o, &s->pieces[i]) && !(derived(g) && g->hub == i))
            g->left = true;
    }
}

static void set_blind(struct search *s) {
    for (size_t i = 0; i < s->n && s->o->is_libc; i++)
        if (piece_is_blind(s->o, &s->pieces[i]) && s->tree[i].ends == 'a')
            s->tree[i].ends = 'o';
}

static void set_calls(struct search *s) {
    for (size_t i = 0; i < s->n; i++) {
        struct tree_piece *t = &s->tree[i];
        const struct group *g =
            t->ends == 'c' && t->target != TREE_NONE ? group_of(s, t->target) : NULL;
        if (g == NULL || g->left || !only_returned_to(s, i))
            continue;
        s->tree[t->next].may_enter = false;
        if (derived(g) && g->hub != TREE_NONE) {
            t->back = g->hub;
            s->tree[g->hub].ends = 'r';
        }
    }
}

/* What only direct calls enter is not entered by other code. */
static void set_entries(struct search *s) {
    for (uint32_t i = 0; i < s->n; i++)
        if ((*mark_at(s->o, s->pieces[i].start) & MARK_ENTRY) != 0 && !s->pieces[i].pad &&
            derived(group_of(s, i)) &&
            (i == 0 || s->pieces[i - 1].end != s->pieces[i].start ||
             (s->pieces[i - 1].flow != FLOW_CALL && s->pieces[i - 1].flow != FLOW_CALL_AWAY)))
            s->tree[i].may_enter = false;
}

bool edges_returns(struct object *o, const piece_list *pieces, struct tree_piece *tree,
                   const uint8_t *weights) {
    struct search s = {
        .o = o, .pieces = pieces->at, .tree = tree, .n = pieces->len, .weights = weights};
    const bool ok = prepare(&s);
    if (ok) {
        find_linkage(&s);
        find_arms(&s);
        if (!o->late)
            find_taken(&s);
        find_left(&s);
        find_hubs(&s);
        find_blind(&s);
        set_calls(&s);
        set_entries(&s);
        set_blind(&s);
    }
    seq_free(&s.groups);
    seq_free(&s.function);
    return ok;
}
