/*
 * exact: the graph of everything that was executed, the reference for all other techniques.
 *
 * It counts transfers, with one counter for each (for indirect ones, one for each destination), and
 * the starts and final ends of interrupted contexts. Let N(a, b) be the number of times instruction
 * b followed a. Every other N(a, b) comes from flow conservation: the flow into a equals the flow
 * out of a, and one successor of a is not counted. This is a + size or, for jumps, calls and
 * forward branches, the target. Addresses are handled in ascending order, so all flow into an
 * address is known when it is handled. (Both directions of a forward branch are counted until it is
 * translated; then only the less frequent one.)
 *
 * At an address whose bytes change (in RAM), only the first instruction seen has an uncounted
 * successor; the others are counted pair by pair. The same holds for code that crosses the end of
 * an 8 KiB bank, or wraps around the address space.
 *
 * Costs: a probe is an executed transfer, or an executed instruction whose bytes may change,
 * counted or not; records are the distinct ones and the ends of contexts; a step is one instruction
 * visited while the flow is completed.
 */
#include "profile/exact_state.h"

#include "profile/program/program_trace.h"

#include <stdlib.h>
#include <string.h>

static void add(struct exact *x, struct map *m, uint64_t key, uint64_t n) {
    uint64_t *at = map_at(m, key);
    if (at != NULL)
        *at += n;
    else
        x->out_of_memory = true;
}

/* ---- during the replay ---- */

static bool same_insn(const struct flow_insn *a, const struct flow_insn *b) {
    return a->address == b->address && a->size == b->size && a->waits == b->waits &&
           a->reads == b->reads && a->writes == b->writes;
}

/* A number that is equal for instructions with equal size, effects and waits, whatever their
 * address. */
static unsigned kind_of(const struct opcode_info *op, bool waits) {
    for (unsigned opcode = 0;; opcode++) {
        const struct opcode_info *other = opcode_info((uint8_t)opcode);
        if (other->size == op->size && other->reads == op->reads && other->writes == op->writes)
            return opcode * 2 + waits;
    }
}

/* Remembers an instruction that differs from all that its address held before. */
static void note_variant(struct exact *x, const struct node *known, struct flow_insn insn,
                         const struct opcode_info *op) {
    if (same_insn(&known->insn, &insn))
        return;
    uint64_t *noted = map_at(&x->variant_at, (uint64_t)insn.address << 9 | kind_of(op, insn.waits));
    if (noted != NULL && *noted)
        return;
    if (noted == NULL || !vec_push(&x->variants, insn))
        x->out_of_memory = true;
    else
        *noted = 1;
}

/* True if the instruction lies in memory that cannot be written, within one bank. */
static bool is_fixed(const struct guest_insn *insn) {
    return insn->pc >= 0x8000 && insn->pc + insn->size <= 0x10000 &&
           (insn->pc >> 13) == ((insn->pc + insn->size - 1u) >> 13);
}

/* With a plan, pairs of instructions that go on, and of branches in RAM, are derived as before it, and no
 * others of the same addresses: the plan's forest has no room for them. */
static struct node new_node(const struct exact *x, const struct guest_insn *insn,
                            struct flow_insn flow_insn) {
    struct node node = {.insn = flow_insn,
                        .fixed = is_fixed(insn),
                        .kind = insn->kind,
                        .target = insn->target,
                        .after = insn->next};
    const struct node *const before =
        x->plan != NULL ? exact_node(x->plan->before, insn->address) : NULL;
    if (before == NULL)
        return node;
    node.returns = before->returns && !before->derived;
    node.closed = true;
    node.derived = before->derived && (!before->transfer || !before->fixed);
    node.transfer = before->transfer;
    node.to = before->to;
    node.in_cost = before->in_cost;
    return node;
}

static struct node *note_node(struct exact *x, const struct guest_insn *insn,
                              const struct opcode_info *op) {
    const struct flow_insn flow_insn = {.address = insn->address,
                                        .size = insn->size,
                                        .waits = opcode_may_wait(insn->bytes),
                                        .reads = op->reads,
                                        .writes = op->writes};
    uint64_t *index = map_find(&x->node_at, insn->address);
    if (index != NULL) {
        note_variant(x, &x->nodes.at[*index], flow_insn, op);
        return &x->nodes.at[*index];
    }
    const struct node node = new_node(x, insn, flow_insn);
    if ((index = map_at(&x->node_at, insn->address)) == NULL || !vec_push(&x->nodes, node)) {
        x->out_of_memory = true;
        return NULL;
    }
    *index = x->nodes.len - 1;
    return &x->nodes.at[*index];
}

const struct node *exact_node(const struct exact *x, uint32_t address) {
    const uint64_t *const index = map_find(&x->node_at, address);
    return index != NULL ? &x->nodes.at[*index] : NULL;
}

/* Returns the pair's counter, which is reserved at the first call; UINT32_MAX: out of memory. */
static uint32_t counter_of(struct exact *x, uint32_t a, uint32_t b, enum kind kind) {
    uint64_t *index = map_find(&x->counted_at[kind], exact_pair_key(a, b));
    if (index == NULL) {
        struct counted c = {.a = a, .b = b, .counter = nes_counters_add(x->nes, 1), .kind = kind};
        index = c.counter == UINT32_MAX ? NULL : map_at(&x->counted_at[kind], exact_pair_key(a, b));
        if (index == NULL || !vec_push(&x->counted, c)) {
            x->out_of_memory = true;
            return UINT32_MAX;
        }
        *index = x->counted.len - 1;
    }
    return x->counted.at[*index].counter;
}

static uint32_t attach_count(struct exact *x, struct probe_site *site, enum probe_when when,
                             uint32_t a, uint32_t b, enum kind kind, bool either) {
    const uint32_t counter = counter_of(x, a, b, kind);
    if (counter != UINT32_MAX)
        probe_attach(site, when,
                     (struct probe){.kind = PROBE_ADD,
                                    .counter = counter,
                                    .value = 1,
                                    .either = either,
                                    .quiet = true,
                                    .late = when == PROBE_TAKEN && !either});
    return counter;
}

static void count_pair(struct exact *x, struct probe_site *site, enum probe_when when, uint32_t a,
                       uint32_t b, enum kind kind) {
    if (x->plan == NULL || map_find(&x->plan->uncounted, exact_pair_key(a, b)) == NULL)
        attach_count(x, site, when, a, b, kind, false);
}

static uint32_t counter_to(void *user, const struct probe_event *event) {
    return counter_of(user, event->from, event->to, INDIRECT);
}

static uint32_t return_to(void *user, const struct probe_event *event) {
    return counter_of(user, event->from, event->to, RETURN);
}

/* Derives N(address, to), unless another pair of the address is derived already. */
static bool derive(struct node *p, uint32_t to, bool transfer, bool in_cost) {
    if (p->derived)
        return p->to == to && p->transfer == transfer;
    if (p->returns || p->closed)
        return false;
    p->derived = true;
    p->to = to;
    p->transfer = transfer;
    p->in_cost = in_cost;
    return true;
}

/* True if N(address, next) can be derived: `next` has a higher address. */
static bool next_follows(struct node *p, const struct guest_insn *insn) {
    const bool transfer = insn->kind == INSN_BRANCH;
    if (insn->next != insn->address + insn->size || (insn->pc >= 0x8000 && !is_fixed(insn)) ||
        (transfer && insn->target == insn->next))
        return false;
    return derive(p, insn->next, transfer, transfer || !is_fixed(insn));
}

/* True if N(address, target) can be derived. A call that pushes onto its own operand goes
 * elsewhere; this cannot happen in memory that cannot be written. */
static bool target_follows(struct node *p, const struct guest_insn *insn) {
    return is_fixed(insn) && insn->target > insn->address && insn->target != insn->next &&
           derive(p, insn->target, true, true);
}

/* Counts the executions of an RTI at an address with a derived pair. */
static void count_returns(struct exact *x, struct node *p, struct probe_site *site) {
    p->returns = true;
    if (!p->derived)
        return;
    if (!p->executions)
        p->executed = nes_counters_add(x->nes, 1);
    p->executions = p->executed != UINT32_MAX;
    if (!p->executions)
        x->out_of_memory = true;
    else
        probe_attach(
            site, PROBE_BEFORE,
            (struct probe){.kind = PROBE_ADD, .counter = p->executed, .value = 1, .quiet = true});
}

/* Counts both directions, until an engine drops one of the counters. */
static void count_sides(struct exact *x, struct probe_site *site, struct node *node,
                        const struct guest_insn *insn) {
    const uint32_t a = insn->address;
    node->sides = true;
    node->to = insn->target;
    node->next = insn->next;
    node->to_counter = attach_count(x, site, PROBE_TAKEN, a, insn->target, DIRECT, true);
    node->next_counter = attach_count(x, site, PROBE_NEXT, a, insn->next, DIRECT, true);
}

static void instrument_branch(struct exact *x, struct probe_site *site, struct node *node,
                              const struct guest_insn *insn) {
    if (x->plan == NULL && is_fixed(insn) && !node->derived && !node->sides &&
        insn->target > insn->next && insn->next > insn->address) {
        count_sides(x, site, node, insn);
        return;
    }
    count_pair(x, site, PROBE_TAKEN, insn->address, insn->target, DIRECT);
    if (node->sides || (x->plan != NULL && is_fixed(insn)) || !next_follows(node, insn))
        count_pair(x, site, PROBE_NEXT, insn->address, insn->next, DIRECT);
}

void exact_instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    struct exact *x = self;
    const struct opcode_info *op = opcode_info(insn->bytes[0]);
    struct node *node = note_node(x, insn, op);
    if (node == NULL)
        return;
    struct probe indirect = {
        .kind = PROBE_ADD_TO, .value = 1, .counter_to = counter_to, .user = x, .quiet = true};
    switch ((enum insn_kind)insn->kind) {
    case INSN_BRANCH:
        instrument_branch(x, site, node, insn);
        break;
    case INSN_JUMP:
    case INSN_CALL:
        if (x->plan != NULL || !target_follows(node, insn))
            count_pair(x, site, PROBE_TAKEN, insn->address, insn->target, DIRECT);
        if (insn->kind == INSN_CALL && !is_fixed(insn)) /* may push onto its own operand */
            probe_attach(site, PROBE_INDIRECT, indirect);
        break;
    case INSN_RTI:
        indirect.counter_to = return_to;
        count_returns(x, node, site);
        probe_attach(site, PROBE_INDIRECT, indirect);
        break;
    case INSN_RETURN:
        if (x->plan == NULL || map_find(&x->plan->returns, insn->address) == NULL)
            probe_attach(site, PROBE_INDIRECT, indirect);
        break;
    case INSN_JUMP_INDIRECT:
    case INSN_BRK:
        probe_attach(site, PROBE_INDIRECT, indirect);
        break;
    case INSN_PLAIN:
        if (!next_follows(node, insn))
            count_pair(x, site, PROBE_NEXT, insn->address, insn->next, GOES_ON);
        if (op->writes_memory) /* may switch the bank that it runs in */
            probe_attach(site, PROBE_INDIRECT, indirect);
        break;
    case INSN_JAM:
        break;
    }
}

void exact_settle_begins(struct exact *x) {
    if (x->again.count)
        add(x, &x->begins, x->again.address, x->again.count);
    x->again.count = 0;
}

/* The address is usually the same each time. */
static void count_begins(struct exact *x, uint32_t address, uint64_t count) {
    if (address == x->again.address && x->begins.len) {
        x->again.count += count;
        return;
    }
    exact_settle_begins(x);
    add(x, &x->begins, address, count);
    x->again.address = address;
}

void exact_context_changes(void *self, const struct thread_event *event) {
    struct exact *x = self;
    if (event->change == THREAD_BEGINS)
        count_begins(x, event->address, 1 + event->more);
    else if (event->change == THREAD_ENDS)
        add(x, &x->ends, event->address, 1 + event->more);
}

void exact_context_resumes(struct exact *x, uint32_t address) {
    add(x, &x->resumes, address, 1);
}

/* ---- after the replay ---- */

/* Returns the indices of the nodes by address, owned by the caller; NULL: out of memory. */
static uint32_t *order_nodes(const struct exact *x) {
    uint32_t *const address = calloc(x->nodes.len + 1, sizeof *address);
    if (address == NULL)
        return NULL;
    for (size_t i = 0; i < x->nodes.len; i++)
        address[i] = x->nodes.at[i].insn.address;
    uint32_t *const order = sorted_order(address, x->nodes.len);
    free(address);
    return order;
}

static uint64_t value_at(const struct map *m, uint64_t key) {
    const uint64_t *at = map_find(m, key);
    return at != NULL ? *at : 0;
}

/* The flow while it is completed. */
struct balance {
    struct flow flow;
    struct map in, out;  /* flow into and out of each address */
    struct map returned; /* the part of `out` that is due to RTIs */
    struct cost cost;
};

static void free_balance(struct balance *b) {
    flow_free(&b->flow);
    map_free(&b->in);
    map_free(&b->out);
    map_free(&b->returned);
}

/* Adds one pair. in_cost: it counts as probes and a record. */
static void flow_add(struct exact *x, struct balance *b, struct flow_pair pair, bool in_cost) {
    if (pair.count == 0)
        return;
    if (!vec_push(&b->flow.pairs, pair))
        x->out_of_memory = true;
    add(x, &b->in, pair.b, pair.count);
    add(x, &b->out, pair.a, pair.count);
    b->cost.records += in_cost;
    b->cost.probes += in_cost ? pair.count : 0;
}

/* Derives the direction whose counter an engine has dropped. */
static void choose_side(const struct exact *x, struct node *p) {
    const bool target = p->sides && nes_counter_left_out(x->nes, p->to_counter);
    if (!target && !(p->sides && nes_counter_left_out(x->nes, p->next_counter)))
        return;
    p->to = target ? p->to : p->next;
    p->derived = p->transfer = p->in_cost = true;
}

static void add_recorded(struct exact *x, struct balance *b) {
    for (size_t i = 0; i < x->counted.len; i++) {
        const struct counted *c = &x->counted.at[i];
        const uint64_t count = nes_counter_left_out(x->nes, c->counter) ? 0 : exact_count(x, c);
        flow_add(x, b, (struct flow_pair){c->a, c->b, count, c->kind != GOES_ON}, true);
        if (c->kind == RETURN)
            add(x, &b->returned, c->a, count);
    }
    b->cost.records += x->begins.len + x->ends.len;
    uint64_t key, count;
    for (size_t position = 0; map_next(&x->begins, &position, &key, &count);)
        if (!vec_push(&b->flow.entries, (uint32_t)key))
            x->out_of_memory = true;
}

/* Contexts that have ended before the instruction, or now stand there. */
static uint64_t ended(const struct exact *x, uint32_t address) {
    return value_at(&x->ends, address) + value_at(&x->standing, address);
}

/* Flow out of the node, without its derived pair. */
static uint64_t left(const struct exact *x, const struct balance *b, const struct node *p) {
    const uint32_t a = p->insn.address;
    const uint64_t known = ended(x, a) + value_at(&b->out, a);
    /* An RTI that resumes a context follows no pair: it ends its own context. */
    return p->executions ? known + nes_counters(x->nes)[p->executed] - value_at(&b->returned, a)
                         : known;
}

/* Derives the uncounted pair: it carries the rest of the flow. */
static enum status add_node(struct exact *x, struct balance *b, const struct node *p,
                            struct error *e) {
    const uint32_t a = p->insn.address;
    const uint64_t arrived =
        value_at(&b->in, a) + value_at(&x->begins, a) + value_at(&x->resumes, a);
    const bool executed = arrived != ended(x, a) || value_at(&b->out, a) != 0;
    if (arrived == 0 || !executed)
        return STATUS_OK; /* an engine may instrument instructions that never run */
    b->cost.steps++;
    if (!vec_push(&b->flow.insns, p->insn))
        x->out_of_memory = true;
    if (!p->derived)
        return STATUS_OK;
    const uint64_t gone = left(x, b, p);
    if (gone > arrived && !x->out_of_memory)
        return error_set(e, STATUS_GUEST,
                         "the exact graph does not balance at 0x%x: control entered %llu times and "
                         "left %llu times; this is a bug in the engine",
                         a, (unsigned long long)arrived, (unsigned long long)gone);
    flow_add(x, b, (struct flow_pair){a, p->to, arrived - gone, p->transfer}, p->in_cost);
    return STATUS_OK;
}

/* Ascending order: every flow into an address is known before the address is handled. */
static enum status add_derived(struct exact *x, struct balance *b, struct error *e) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < x->variants.len; i++)
        if (!vec_push(&b->flow.insns, x->variants.at[i]))
            x->out_of_memory = true;
    uint32_t *const order = order_nodes(x);
    x->out_of_memory |= order == NULL;
    for (size_t i = 0; order != NULL && status == STATUS_OK && i < x->nodes.len; i++)
        status = add_node(x, b, &x->nodes.at[order[i]], e);
    free(order);
    return status;
}

void exact_release(struct exact *x) {
    vec_free(&x->nodes);
    vec_free(&x->variants);
    vec_free(&x->counted);
    map_free(&x->node_at);
    map_free(&x->variant_at);
    for (unsigned kind = 0; kind < KINDS; kind++)
        map_free(&x->counted_at[kind]);
    map_free(&x->begins);
    map_free(&x->ends);
    map_free(&x->resumes);
    map_free(&x->standing);
    free(x);
}

static void abandon(void *self) {
    struct exact *x = self;
    if (x == NULL)
        return;
    nes_detach(x->nes, x->id);
    exact_release(x);
}

struct exact *exact_begin(struct nes *nes) {
    struct exact *const x = calloc(1, sizeof *x);
    if (x != NULL)
        x->nes = nes;
    return x;
}

/* A counter that an engine has dropped is of no use any more. */
static void keep_counters(struct exact *x, const struct exact *before) {
    for (size_t i = 0; i < before->counted.len; i++) {
        struct counted c = before->counted.at[i];
        if (nes_counter_left_out(x->nes, c.counter))
            continue;
        c.before = nes_counters(x->nes)[c.counter];
        uint64_t *const index = map_at(&x->counted_at[c.kind], exact_pair_key(c.a, c.b));
        if (index == NULL || !vec_push(&x->counted, c))
            x->out_of_memory = true;
        else
            *index = x->counted.len - 1;
    }
}

struct exact *exact_end_period(struct exact *x) {
    struct exact *const ended = malloc(sizeof *ended);
    if (ended == NULL)
        return NULL;
    nes_settle(x->nes); /* may find pairs of the period */
    *ended = *x;
    *x = (struct exact){.nes = ended->nes, .id = ended->id};
    keep_counters(x, ended);
    return ended;
}

void exact_follow_plan(struct exact *x, const struct exact_plan *plan) {
    x->plan = plan;
}

static enum status attach(void **self, struct nes *nes, const int64_t *values, struct error *e) {
    (void)values;
    *self = NULL;
    struct exact *x = exact_begin(nes);
    if (x == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for the exact profiler");
    const struct observer observer = {.self = x,
                                      .instrument = exact_instrument,
                                      .by_opcode = true,
                                      .thread = exact_context_changes,
                                      .counts_threads = true,
                                      .begins_and_ends = true};
    enum status status = nes_attach(nes, &observer, &x->id, e);
    if (status != STATUS_OK) {
        free(x);
        return status;
    }
    *self = x;
    return STATUS_OK;
}

/* All flow so far. */
static enum status complete_flow(struct exact *x, struct balance *b, struct error *e) {
    exact_settle_begins(x);
    for (size_t i = 0; i < x->nodes.len; i++)
        choose_side(x, &x->nodes.at[i]);
    add_recorded(x, b);
    const enum status status = add_derived(x, b, e);
    return status == STATUS_OK && x->out_of_memory
               ? error_set(e, STATUS_MEMORY, "out of memory for the exact graph")
               : status;
}

static void context_stands(void *self, const struct thread_event *event) {
    struct exact *x = self;
    add(x, &x->standing, event->address, 1);
}

/* Nodes are as they were afterwards: which direction of a branch is counted may still change. */
enum status exact_flow(struct exact *x, bool counts, struct flow *out, struct error *e) {
    struct balance b = {0};
    const size_t size = x->nodes.len * sizeof *x->nodes.at;
    struct node *const nodes = malloc(size + 1);
    if (nodes == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for the exact graph");
    nes_settle(x->nes);
    if (counts)
        nes_notify_threads(x->nes, &(struct observer){.self = x, .thread = context_stands},
                           THREAD_ENDS);
    if (size > 0)
        memcpy(nodes, x->nodes.at, size);
    const enum status status = complete_flow(x, &b, e);
    if (size > 0)
        memcpy(x->nodes.at, nodes, size);
    free(nodes);
    map_free(&x->standing);
    if (status == STATUS_OK) {
        *out = b.flow;
        b.flow = (struct flow){0};
    }
    free_balance(&b);
    return status;
}

enum status exact_now(struct exact *x, bool counts, struct profile *profile, struct error *e) {
    struct flow flow = {0};
    *profile = (struct profile){0};
    enum status status = exact_flow(x, counts, &flow, e);
    if (status == STATUS_OK)
        status = graph_from_flow(&profile->graph, &flow, true, e);
    flow_free(&flow);
    return status;
}

enum status exact_flow_at_end(struct exact *x, struct flow *out, struct cost *cost,
                              struct error *e) {
    struct balance b = {0};
    const enum status status = complete_flow(x, &b, e);
    *cost = b.cost;
    *out = b.flow;
    b.flow = (struct flow){0};
    free_balance(&b);
    return status;
}

enum status exact_finish(struct exact *x, struct profile *profile, struct error *e) {
    *profile = (struct profile){0};
    struct flow flow = {0};
    enum status status = exact_flow_at_end(x, &flow, &profile->cost, e);
    if (status == STATUS_OK)
        status = graph_from_flow(&profile->graph, &flow, true, e);
    flow_free(&flow);
    exact_release(x);
    return status;
}

static enum status finish(void *self, struct profile *profile, struct error *e) {
    struct exact *x = self;
    nes_detach(x->nes, x->id); /* reports where the running contexts would resume */
    return exact_finish(x, profile, e);
}

/* All of a recorded program's trace. Probes are its transfers, records those that differ; a step is a pair of
 * instructions that was executed. */
static enum status replay(struct profile *out, const struct program_trace *program,
                          const int64_t *values, struct error *e) {
    struct flow flow = {0};
    (void)values;
    *out = (struct profile){0};
    enum status status = program_trace_flow(&flow, program, e);
    for (size_t i = 0; i < flow.pairs.len; i++) {
        out->cost.probes += flow.pairs.at[i].transfer ? flow.pairs.at[i].count : 0;
        out->cost.records += flow.pairs.at[i].transfer;
    }
    out->cost.steps = flow.pairs.len;
    if (status == STATUS_OK)
        status = graph_from_flow(&out->graph, &flow, false, e);
    if (status == STATUS_OK)
        memcpy(out->graph.program, program->program, sizeof out->graph.program);
    flow_free(&flow);
    return status;
}

static enum status now(void *self, struct profile *profile, struct error *e) {
    return exact_now(self, true, profile, e);
}

const struct technique technique_exact = {
    .name = "exact",
    .summary = "every transfer counted: the graph that the others are measured against",
    .source = "definition: maximal basic blocks after Muchnick (1997), interrupts as threads of "
              "their own",
    .attach = attach,
    .finish = finish,
    .abandon = abandon,
    .replay = replay,
    .now = now,
};
