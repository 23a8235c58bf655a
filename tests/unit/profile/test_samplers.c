/*
 * The ways of sampling beside the paper's, against their definitions, computed from everything that
 * the same run executed. If these fail, samples are biased again, or depend on the engine.
 */
#include <string.h>

#include "profile/profile.h"
#include "profile/sample/samplers.h"
#include "profile/structure/structure.h"
#include "tests/support/played.h"
#include "tests/support/profiled.h"
#include "tests/support/random_programs.h"
#include "tests/support/sampled.h"

/* ---- everything that happened ---- */

struct event { /* an instruction, a transfer, or (nmi) the beginning of a handler */
    uint32_t from, to;
    uint64_t cycle;
    bool nmi, arrives; /* by a call or a return */
};
struct context { /* one that begins (nmi: of an NMI) or resumes, after so many transfers */
    size_t transfers;
    uint64_t cycle;
    bool nmi;
};
struct log {
    struct nes *nes;
    VEC(struct event) insns, transfers;
    VEC(struct context) contexts;
};

static void log_step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct log *log = self;
    assert_true(vec_push(&log->insns, ((struct event){.from = insn->address, .cycle = cycle})));
}

static void log_transfer(void *self, const struct probe_event *e) {
    struct log *log = self;
    assert_true(vec_push(&log->transfers,
                         ((struct event){.from = e->from,
                                         .to = e->to,
                                         .cycle = log->insns.at[log->insns.len - 1].cycle})));
}

static void log_arrival(void *self, const struct probe_event *e) {
    struct log *log = self;
    (void)e;
    log->transfers.at[log->transfers.len - 1].arrives = true;
}

static void log_thread(void *self, const struct thread_event *e) {
    struct log *log = self;
    const bool nmi = e->change == THREAD_BEGINS && e->cause == THREAD_NMI;
    const struct context context = {log->transfers.len + nmi, nes_cycle(log->nes), nmi};
    if (e->change == THREAD_BEGINS || e->change == THREAD_RESUMES)
        assert_true(vec_push(&log->contexts, context));
    if (nmi)
        assert_true(vec_push(&log->transfers, ((struct event){.nmi = true})));
}

static void log_instrument(void *self, struct probe_site *site, const struct guest_insn *insn) {
    const struct probe probe = {.kind = PROBE_CALL, .call = log_transfer, .user = self};
    if (insn->kind != INSN_PLAIN && insn->kind != INSN_JAM) {
        probe_attach(site, PROBE_TAKEN, probe);
        probe_attach(site, PROBE_NEXT, probe);
    }
    if (insn->kind != INSN_JAM)
        probe_attach(site, PROBE_INDIRECT, probe);
    const struct probe arrival = {.kind = PROBE_CALL, .call = log_arrival, .user = self};
    if (insn->kind == INSN_CALL)
        probe_attach(site, PROBE_TAKEN, arrival);
    if (insn->kind == INSN_RETURN)
        probe_attach(site, PROBE_INDIRECT, arrival);
}

static struct log everything(const char *game) {
    struct log log = {0};
    struct error e = {0};
    unsigned id;
    struct played p = played_open(game, NULL, true);
    log.nes = p.nes;
    const struct observer observer = {
        .self = &log, .instrument = log_instrument, .thread = log_thread, .step = log_step};
    played_must(nes_attach(p.nes, &observer, &id, &e), &e);
    nes_observe(p.nes, id, UINT64_MAX);
    played_frames(&p, FRAMES);
    played_close(&p);
    return log;
}

static void log_free(struct log *log) {
    vec_free(&log->insns);
    vec_free(&log->transfers);
    vec_free(&log->contexts);
}

/* ---- by instructions ---- */

static void check_instructions(const struct log *log, struct sampler_options o) {
    struct stream s = sampled("mazewisp", o);
    assert_int_equal(s.executed, log->insns.len);
    assert_int_equal(s.population, log->insns.len);
    size_t batch = 0;
    uint64_t over = 0, free_from = 0;
    for (uint64_t k = 0;; k++) {
        uint64_t at = k * o.every + place(o.seed, o.place == SAMPLER_STRATIFIED ? k : 0, o.every);
        if (at + o.batch_length > log->insns.len)
            break;
        if (at < free_from) {
            over++;
            continue;
        }
        assert_true(batch < s.batch_count);
        const struct sample *samples = stream_batch(&s, batch++);
        for (unsigned i = 0; i < o.batch_length; i++)
            assert_int_equal(samples[i].pc, log->insns.at[at + i].from);
        free_from = at + o.batch_length;
    }
    assert_true(s.batch_count - batch <= 1);
    assert_in_range(s.overruns, over, over + 1);
    stream_free(&s);
}

static void test_instructions(void **state) {
    (void)state;
    struct log log = everything("mazewisp");
    check_instructions(
        &log, (struct sampler_options){
                  .by = SAMPLER_INSTRUCTIONS, .every = 1700, .batch_length = 25, .seed = 5});
    check_instructions(&log, (struct sampler_options){.by = SAMPLER_INSTRUCTIONS,
                                                      .every = 997,
                                                      .batch_length = 1,
                                                      .seed = 6,
                                                      .place = SAMPLER_STRATIFIED});
    check_instructions(&log, (struct sampler_options){.by = SAMPLER_INSTRUCTIONS,
                                                      .every = 30,
                                                      .batch_length = 25,
                                                      .seed = 7,
                                                      .place = SAMPLER_STRATIFIED});
    log_free(&log);
}

/* ---- by transfers ---- */

static bool is_wait(const struct structure *s, const struct event *t) {
    for (size_t i = 0; i < s->graph.edge_count; i++) {
        const struct edge *e = &s->graph.edges[i];
        if (e->busy && e->target == t->to &&
            graph_find_block(&s->graph, e->source)->last == t->from)
            return true;
    }
    return false;
}

static uint64_t golden(uint64_t seed, uint64_t what, uint64_t n, uint64_t every) {
    const uint64_t at = splitmix64(seed, what) + n * UINT64_C(0x9E3779B97F4A7C15);
    return (uint64_t)((unsigned __int128)at * every >> 64);
}

static void check_transfers(const struct log *log, const struct structure *structure,
                            struct sampler_options o) {
    struct stream s = sampled("mazewisp", o);
    uint64_t left = 1 + place(o.seed, 0, o.every), passed = 0, frames = 0, stratum = 0, batch = 0;
    VEC(uint64_t) arrivals = {0}; /* by calls and returns, at each address */
    for (size_t i = 0; i < log->transfers.len; i++) {
        const struct event *t = &log->transfers.at[i];
        while (t->arrives && arrivals.len <= t->to)
            assert_true(vec_push(&arrivals, 0));
        if (t->arrives)
            arrivals.at[t->to]++;
        if (t->nmi) {
            if (o.place >= SAMPLER_GOLDEN)
                left = 1 + golden(o.seed, 0, ++frames, o.every);
            continue;
        }
        if (o.by == SAMPLER_ACTIVE && is_wait(structure, t))
            continue;
        passed++;
        const bool sampled = --left == 0, restarts = o.place == SAMPLER_CALLS && t->arrives;
        if (sampled)
            left = o.every;
        if (restarts)
            left = 1 + golden(o.seed, (uint64_t)t->to + 1, arrivals.at[t->to], o.every);
        if (!sampled)
            continue;
        if (o.place == SAMPLER_STRATIFIED) {
            left += place(o.seed, stratum + 1, o.every) - place(o.seed, stratum, o.every);
            stratum++;
        }
        assert_true(batch < s.batch_count);
        const struct sample *sample = stream_batch(&s, batch++);
        assert_int_equal(sample[0].pc, t->from);
        assert_int_equal(sample[1].pc, t->to);
        assert_true(sample_is_transfer(&sample[0]));
    }
    assert_int_equal(batch, s.batch_count);
    assert_int_equal(passed, s.population);
    assert_int_equal(s.of, STREAM_OF_TRANSFERS);
    assert_int_equal(s.active, o.by == SAMPLER_ACTIVE);
    assert_int_equal(stream_observed(&s, s.batch_count), batch);
    vec_free(&arrivals);
    stream_free(&s);
}

static void test_transfers(void **state) {
    (void)state;
    struct log log = everything("mazewisp");
    struct structure s = played_structure("mazewisp", FRAMES);
    for (enum sampler_place at = SAMPLER_REGULAR; at <= SAMPLER_CALLS; at++) {
        check_transfers(&log, &s,
                        (struct sampler_options){
                            .by = SAMPLER_TRANSFERS, .every = 601, .place = at, .seed = 3});
        check_transfers(
            &log, &s,
            (struct sampler_options){
                .by = SAMPLER_ACTIVE, .every = 47, .place = at, .seed = 4, .structure = &s});
    }
    check_transfers(&log, &s, (struct sampler_options){.by = SAMPLER_TRANSFERS, .every = 1});
    structure_free(&s);
    log_free(&log);
}

/* ---- by the clock ---- */

enum { LOOKBACK = 32 };

/* Walks the transfers with the clock: the due cycles up to each one, since the one before it. */
struct hands {
    const struct sampler_options *options;
    uint64_t every, due, previous, opened, frames;
    size_t context;
};

static struct hands wind_up(const struct sampler_options *o) {
    const uint64_t every = o->interval_us * 39375 / 22000;
    return (struct hands){.options = o,
                          .every = every,
                          .due = 1 + golden(o->seed, 0, 0, every),
                          .opened = UINT64_MAX};
}

/* Due cycles up to `cycle` are over; `opened` is the last one. */
static void tick(struct hands *h, uint64_t cycle) {
    for (; h->due <= cycle; h->due += h->every)
        h->opened = h->due;
}

/* Contexts that began before transfer i. */
static void tick_contexts(struct hands *h, const struct log *log, size_t i) {
    for (; h->context < log->contexts.len && log->contexts.at[h->context].transfers <= i;
         h->context++) {
        const struct context *c = &log->contexts.at[h->context];
        if (c->cycle == 0)
            continue; /* the reset, before the clock was wound up */
        tick(h, c->cycle);
        h->previous = c->cycle;
        if (c->nmi)
            h->due = c->cycle + 1 + golden(h->options->seed, 0, ++h->frames, h->every);
    }
}

static void assert_sample(const struct stream *s, size_t batch, const struct event *t) {
    assert_true(batch < s->batch_count);
    assert_int_equal(stream_batch(s, batch)[0].pc, t->from);
    assert_int_equal(stream_batch(s, batch)[1].pc, t->to);
    assert_true(sample_is_transfer(&stream_batch(s, batch)[0]));
}

/* Is transfer i executed again at once, and by the same context? */
static bool is_repeated(const struct log *log, size_t i) {
    const struct event *a = &log->transfers.at[i], *b = a + 1;
    if (i + 1 == log->transfers.len || b->nmi || a->from != b->from || a->to != b->to)
        return false;
    for (size_t k = 0; k < log->contexts.len; k++)
        if (log->contexts.at[k].transfers == i + 1)
            return false;
    return true;
}

/* A pass of a busy-wait here is one transfer. It is sampled if it is the only one from transfer
 * `first` on, with which the sample begins. */
static bool waits(const struct log *log, const struct structure *structure, size_t first,
                  size_t i) {
    return is_wait(structure, &log->transfers.at[i]) &&
           (is_repeated(log, i) || (i > first && is_repeated(log, i - 1)));
}

static void check_clock(const struct log *log, const struct structure *structure,
                        struct sampler_options o) {
    struct stream s = sampled("mazewisp", o);
    struct hands h = wind_up(&o);
    const unsigned next = o.next == 0 ? 1 : o.next;
    unsigned left = 0;
    uint64_t gap = 0, weights = 0, others = 0, active = 0;
    size_t batch = 0, opened = 0;
    for (size_t i = 0; i < log->transfers.len; i++) {
        const struct event *t = &log->transfers.at[i];
        tick_contexts(&h, log, i);
        if (t->nmi)
            continue;
        active += !is_wait(structure, t);
        const uint64_t due = h.due;
        const bool first = t->cycle >= due && h.previous + LOOKBACK >= due && left == 0;
        if (t->cycle >= due)
            opened = i;
        tick(&h, t->cycle);
        const bool chosen = o.window > 0 ? h.opened != UINT64_MAX && t->cycle < h.opened + o.window
                                         : first || left > 0;
        const uint64_t since = t->cycle - h.previous;
        h.previous = t->cycle;
        if (!chosen)
            continue;
        const bool waiting = waits(log, structure, opened, i);
        if (first && o.window == 0) {
            gap = since < LOOKBACK ? since : LOOKBACK;
            weights += waiting ? 0 : 720720 / gap;
            left = next;
        }
        left -= left > 0;
        if (waiting)
            continue;
        others += !is_wait(structure, t);
        assert_sample(&s, batch, t);
        if (o.window == 0)
            assert_int_equal(s.cycles[batch], gap);
        batch++;
    }
    assert_int_equal(batch, s.batch_count);
    assert_in_range(others, 200, s.batch_count);
    assert_true(s.batch_count - others <= others / 50);
    assert_in_range(s.population, active * 9 / 10, active * 11 / 10);
    assert_int_equal(s.population,
                     o.window > 0 ? batch * h.every / o.window : weights * h.every / 720720);
    assert_int_equal(s.of, STREAM_OF_TRANSFERS);
    assert_int_equal(s.overruns, 0);
    assert_true((s.cycles == NULL) == (o.window > 0));
    stream_free(&s);
}

/* Broken: transfers are sampled with other chances than their weights say, or a busy-wait hides
 * transfers behind it. */
static void test_clock(void **state) {
    (void)state;
    struct log log = everything("mazewisp");
    struct structure s = played_structure("mazewisp", FRAMES);
    check_clock(&log, &s,
                (struct sampler_options){.by = SAMPLER_CLOCK, .interval_us = 1000, .seed = 3});
    check_clock(
        &log, &s,
        (struct sampler_options){.by = SAMPLER_CLOCK, .interval_us = 1500, .next = 4, .seed = 4});
    check_clock(
        &log, &s,
        (struct sampler_options){.by = SAMPLER_CLOCK, .interval_us = 700, .window = 16, .seed = 5});
    check_clock(&log, &s,
                (struct sampler_options){
                    .by = SAMPLER_CLOCK, .interval_us = 700, .window = 100, .seed = 6});
    structure_free(&s);
    log_free(&log);
}

/* ---- weights ---- */

/* The batches are the paper's; each knows how long the instruction before it took. */
static void check_weights(const struct log *log, const char *game, uint32_t interval_us) {
    struct stream plain = sampled(game, (struct sampler_options){.interval_us = interval_us});
    struct stream s =
        sampled(game, (struct sampler_options){.interval_us = interval_us, .weigh = true});
    assert_true(stream_hash(&plain) == stream_hash(&s));
    assert_null(plain.cycles);
    assert_int_equal(stream_weight(&plain, 3), 1);
    assert_int_equal(s.overruns, 0);
    size_t at = 0;
    for (size_t k = 0; k < s.batch_count; k++) {
        const uint64_t due = (k * (uint64_t)interval_us * 39375 + 21999) / 22000;
        while (log->insns.at[at].cycle < due)
            at++;
        assert_int_equal(stream_batch(&s, k)[0].pc, log->insns.at[at].from);
        if (at > 0)
            assert_int_equal(s.cycles[k], log->insns.at[at].cycle - log->insns.at[at - 1].cycle);
        assert_int_equal(stream_weight(&s, k), 720720 / s.cycles[k]);
    }
    stream_free(&plain);
    stream_free(&s);
}

/* Broken: instructions before which DMA or an interrupt comes have wrong weights. */
static void test_weights(void **state) {
    (void)state;
    static const char *const games[] = {"mazewisp", "airmail"};
    for (size_t i = 0; i < sizeof games / sizeof games[0]; i++) {
        struct log log = everything(games[i]);
        check_weights(&log, games[i], 1234);
        check_weights(&log, games[i], 501);
        log_free(&log);
    }
}

/* ---- files ---- */

static void assert_same_file(const struct stream *s) {
    const char *path = "test_samplers.tmp";
    struct stream again;
    struct error e = {0};
    played_must(stream_write(s, path, "a game", &e), &e);
    played_must(stream_read(&again, path, NULL, &e), &e);
    assert_true(stream_hash(s) == stream_hash(&again));
    assert_int_equal(s->of, again.of);
    assert_int_equal(s->batch_length, again.batch_length);
    assert_int_equal(s->active, again.active);
    assert_int_equal(s->population, again.population);
    assert_int_equal(s->executed, again.executed);
    assert_int_equal(s->probes, again.probes);
    assert_true((s->cycles == NULL) == (again.cycles == NULL));
    for (size_t i = 0; s->cycles != NULL && i < s->batch_count; i++)
        assert_int_equal(s->cycles[i], again.cycles[i]);
    stream_free(&again);
    remove(path);
}

/* Broken: what a stream is of is lost on its way through a file, and counts get a wrong scale. */
static void test_files(void **state) {
    (void)state;
    struct structure structure = played_structure("mazewisp", FRAMES);
    const struct sampler_options all[] = {
        {.interval_us = 3000},
        {.interval_us = 3000, .weigh = true},
        {.by = SAMPLER_TRANSFERS, .every = 1000},
        {.by = SAMPLER_ACTIVE, .every = 100, .structure = &structure},
        {.by = SAMPLER_CLOCK, .interval_us = 900, .next = 2},
        {.by = SAMPLER_CLOCK, .interval_us = 900, .window = 20},
        {.by = SAMPLER_LBR, .interval_us = 3000},
        {.by = SAMPLER_LBR_TAKEN, .every = 1000, .stack = 3},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct stream s = sampled("mazewisp", all[i]);
        assert_same_file(&s);
        stream_free(&s);
    }
    structure_free(&structure);
    static const char weightless[] = "sequence\tweighed=1\n0\t0xc000\t2\tGENERIC\t0\tnop\tx\n";
    struct stream s;
    struct error e = {0};
    assert_int_equal(stream_parse(&s, weightless, strlen(weightless), "x", NULL, &e),
                     STATUS_FORMAT);
    assert_non_null(strstr(e.text, "x:2: the first line says"));
}

/* Of 1000 transfers in 20000 instructions 300 wait. The 90 times that a wait goes on in sequence
 * are no transfers, so they are not among the 1000. Broken: more is observed than was asked for. */
static void test_budget_of_active_transfers(void **state) {
    (void)state;
    static const char text[] = "#structure 1\n#executed 20000\n#transfers 1000\n"
                               "#block 0x1 0x1\n#block 0x2 0x2\n#begins 0x1 1\n#sink 0x2\n"
                               "#falls 0x1 0x2\n0x1\t0x2\t90\t1\n0x2\t0x1\t300\t1\n";
    struct structure s;
    struct sampler *sampler;
    struct error e = {0};
    struct played p = played_open("mazewisp", NULL, false);
    played_must(structure_parse(&s, text, strlen(text), "x", &e), &e);
    const struct sampler_options options = {
        .by = SAMPLER_ACTIVE, .per_million = 1000, .structure = &s};
    played_must(sampler_attach(&sampler, p.nes, options, &e), &e);
    assert_int_equal(sampler->options.every, (1000 - 300) * 1000000 / (1000 * 20000));
    sampler_free(sampler);
    structure_free(&s);
    played_close(&p);
}

/* Of 20000 instructions 10000 are transfers. */
static struct structure half_transfers(void) {
    static const char text[] = "#structure 1\n#executed 20000\n#transfers 10000\n"
                               "#block 0x1 0x1\n#begins 0x1 1\n#sink 0x1\n";
    struct structure s;
    struct error e = {0};
    played_must(structure_parse(&s, text, strlen(text), "x", &e), &e);
    return s;
}

/* A loop of two jumps, INC $10, JMP $8010; INC $11, JMP $8000. If the stride is not made odd, all samples are of
 * one of them, and nothing corrects that: no interrupt and no call shifts the positions. */
static void test_small_strides_are_odd(void **state) {
    (void)state;
    struct structure structure = half_transfers();
    struct guest *g = guest_new();
    guest_code(g, 0x8000, 0xE6, 0x10, 0x4C, 0x10, 0x80);
    guest_code(g, 0x8010, 0xE6, 0x11, 0x4C, 0x00, 0x80);
    guest_vectors(g, 0x8000, 0x8000, 0x8000);
    for (enum sampler_place place = SAMPLER_REGULAR; place <= SAMPLER_CALLS; place++) {
        struct nes *n = guest_machine(g, (struct nes_options){.engine = dbt_engine()});
        struct sampler *sampler;
        struct stream s;
        struct error e = {0};
        size_t first = 0;
        const struct sampler_options options = {
            .by = SAMPLER_TRANSFERS, .per_million = 50000, .place = place, .structure = &structure};
        played_must(sampler_attach(&sampler, n, options, &e), &e);
        for (unsigned frame = 0; frame < 3; frame++)
            played_must(nes_run_frame(n, &e), &e);
        played_must(sampler_finish(sampler, &s, &e), &e);
        nes_free(n);
        for (size_t i = 0; i < s.batch_count; i++)
            first += stream_batch(&s, i)[0].pc == 0x8002;
        assert_true(s.batch_count > 500);
        if (place == SAMPLER_STRATIFIED)
            assert_in_range(first, s.batch_count * 4 / 10, s.batch_count * 6 / 10);
        else
            assert_in_range(first, s.batch_count / 2, s.batch_count / 2 + 1);
        stream_free(&s);
    }
    free(g);
    structure_free(&structure);
}

static uint64_t stride(enum sampler_by by, uint64_t per_million, enum sampler_place place) {
    struct structure structure = half_transfers();
    struct played p = played_open("mazewisp", NULL, false);
    struct sampler *sampler;
    struct error e = {0};
    const struct sampler_options options = {.by = by,
                                            .batch_length = 1,
                                            .per_million = per_million,
                                            .place = place,
                                            .structure = &structure};
    played_must(sampler_attach(&sampler, p.nes, options, &e), &e);
    const uint64_t every = sampler->options.every;
    sampler_free(sampler);
    played_close(&p);
    structure_free(&structure);
    return every;
}

/* Broken: a budget is exceeded, is missed by more than one transfer, or samples differ that need not. */
static void test_strides_of_budgets(void **state) {
    (void)state;
    assert_int_equal(stride(SAMPLER_TRANSFERS, 50000, SAMPLER_CALLS), 11);
    assert_int_equal(stride(SAMPLER_TRANSFERS, 50000, SAMPLER_STRATIFIED), 10);
    assert_int_equal(stride(SAMPLER_TRANSFERS, 45454, SAMPLER_GOLDEN), 13); /* 12 at least */
    assert_int_equal(stride(SAMPLER_TRANSFERS, 500, SAMPLER_GOLDEN), 1001);
    assert_int_equal(stride(SAMPLER_TRANSFERS, 250, SAMPLER_GOLDEN), 2000);
    assert_int_equal(stride(SAMPLER_TRANSFERS, 500000, SAMPLER_GOLDEN), 1);
    assert_int_equal(stride(SAMPLER_INSTRUCTIONS, 10000, SAMPLER_REGULAR), 101);
    assert_int_equal(stride(SAMPLER_INSTRUCTIONS, 10000, SAMPLER_STRATIFIED), 100);
}

static void test_refused(void **state) {
    (void)state;
    struct played p = played_open("mazewisp", NULL, false);
    static const struct {
        struct sampler_options options;
        const char *text;
    } cases[] = {
        {{.by = SAMPLER_INSTRUCTIONS}, "one of every 1 to 2^48"},
        {{.by = SAMPLER_TRANSFERS, .every = UINT64_MAX}, "one of every 1 to 2^48"},
        {{.by = SAMPLER_INSTRUCTIONS, .every = 9, .weigh = true}, "only samples by time"},
        {{.place = SAMPLER_STRATIFIED}, "samples by time are regular"},
        {{.by = SAMPLER_INSTRUCTIONS, .every = 9, .place = SAMPLER_GOLDEN}, "golden positions"},
        {{.by = SAMPLER_ACTIVE, .every = 9}, "needs the structure"},
        {{.by = SAMPLER_CLOCK, .interval_us = 100}, "at least 200 us apart"},
        {{.by = SAMPLER_CLOCK, .next = 65}, "at most 64 transfers"},
        {{.by = SAMPLER_CLOCK, .window = 257}, "at most 256 cycles"},
        {{.by = SAMPLER_CLOCK, .window = 9, .next = 2}, "takes all transfers"},
        {{.by = SAMPLER_CLOCK, .place = SAMPLER_GOLDEN}, "samples by time are regular"},
        {{.by = SAMPLER_LBR, .stack = 65}, "a sample has 2 to 64"},
        {{.by = SAMPLER_LBR, .stack = 4, .skip = 3}, "at least 2 must not be skipped"},
        {{.by = SAMPLER_LBR, .weigh = true}, "only samples by time"},
        {{.by = SAMPLER_LBR_TAKEN, .per_million = 9}, "is not known"},
        {{.by = SAMPLER_LBR_TAKEN, .every = 9, .place = SAMPLER_CALLS}, "golden positions"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sampler *s;
        struct error e = {0};
        assert_int_equal(sampler_attach(&s, p.nes, cases[i].options, &e), STATUS_ARGUMENT);
        assert_null(s);
        assert_non_null(strstr(e.text, cases[i].text));
    }
    played_close(&p);
}

/* ---- together: samplers that share an observer give what each gives alone ---- */

enum { MEMBERS = 6 };

static void assert_same_counts(const struct stream *a, const struct stream *b) {
    assert_int_equal(a->batch_count, b->batch_count);
    assert_int_equal(a->of, b->of);
    assert_int_equal(a->active, b->active);
    assert_int_equal(a->population, b->population);
    assert_int_equal(a->executed, b->executed);
    assert_int_equal(a->probes, b->probes);
    assert_int_equal(a->overruns, b->overruns);
}

/* Streams halfway, without batches, and at the end. */
struct streams {
    struct stream halfway[MEMBERS], end[MEMBERS];
};

static void together(struct played p, const struct sampler_options *options, unsigned frames,
                     struct streams *out) {
    struct sampler_group *group;
    struct error e = {0};
    played_must(sampler_group_attach(&group, p.nes, options, MEMBERS, &e), &e);
    played_frames(&p, frames / 2);
    for (size_t i = 0; i < MEMBERS; i++)
        sampler_group_describe(group, i, &out->halfway[i]);
    played_frames(&p, frames - frames / 2);
    played_must(sampler_group_finish(group, out->end, &e), &e);
    played_close(&p);
}

static void each_alone(struct played p, const struct sampler_options *options, unsigned frames,
                       struct streams *out) {
    struct sampler *samplers[MEMBERS];
    struct error e = {0};
    for (size_t i = 0; i < MEMBERS; i++)
        played_must(sampler_attach(&samplers[i], p.nes, options[i], &e), &e);
    played_frames(&p, frames / 2);
    for (size_t i = 0; i < MEMBERS; i++)
        sampler_describe(samplers[i], &out->halfway[i]);
    played_frames(&p, frames - frames / 2);
    for (size_t i = 0; i < MEMBERS; i++)
        played_must(sampler_finish(samplers[i], &out->end[i], &e), &e);
    played_close(&p);
}

static void compare_together(const struct streams *a, struct streams *b) {
    for (size_t i = 0; i < MEMBERS; i++) {
        assert_same_counts(&a->halfway[i], &b->halfway[i]);
        assert_same_counts(&a->end[i], &b->end[i]);
        assert_true(stream_hash(&a->end[i]) == stream_hash(&b->end[i]));
        stream_free(&b->end[i]);
    }
}

static void check_together(const struct played_source *source,
                           const struct sampler_options *options, unsigned frames) {
    struct streams first, others;
    each_alone(played_open_source(source, 1), options, frames, &first);
    for (unsigned engine = 0; engine < PLAYED_ENGINES; engine++) {
        together(played_open_source(source, engine), options, frames, &others);
        compare_together(&first, &others);
    }
    assert_true(first.end[0].batch_count > 0);
    for (size_t i = 0; i < MEMBERS; i++)
        stream_free(&first.end[i]);
}

/* Batches that overlap each other and those of other members, samples of everything, every place. */
static void check_all_together(const struct played_source *source,
                               const struct structure *structure, unsigned frames,
                               enum sampler_by by) {
    const bool transfers = by != SAMPLER_INSTRUCTIONS;
    const unsigned places = 1 + (transfers ? SAMPLER_CALLS : SAMPLER_STRATIFIED);
    static const unsigned every[MEMBERS] = {97, 1, 30, 211, 28, 1000},
                          length[MEMBERS] = {1, 1, 25, 1, 25, 300};
    struct sampler_options options[MEMBERS];
    for (unsigned i = 0; i < MEMBERS; i++)
        options[i] = (struct sampler_options){.by = by,
                                              .every = every[i],
                                              .batch_length = length[i],
                                              .place = (places - 1 + i) % places,
                                              .seed = 3 + i,
                                              .structure = structure};
    check_together(source, options, frames);
}

static void test_together_in_games(void **state) {
    (void)state;
    static const char *const games[] = {"mazewisp", "burrow"};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {

        struct structure structure = played_structure(games[i], 30);
        for (enum sampler_by by = SAMPLER_INSTRUCTIONS; by <= SAMPLER_ACTIVE; by++)
            check_all_together(&(struct played_source){games[i], NULL}, &structure, 30, by);
        structure_free(&structure);
    }
}

static struct structure structure_of(const struct played_source *source, unsigned frames) {
    struct structure s;
    struct structure_recorder *r;
    struct error e = {0};
    struct played p = played_open_source(source, 1);
    played_must(structure_attach(&r, p.nes, &e), &e);
    played_frames(&p, frames);
    played_must(structure_finish(r, &s, &e), &e);
    played_close(&p);
    return s;
}

/* Code in RAM, banks that are switched under the code, interrupts that never return. */
static void test_together_in_programs(void **state) {
    (void)state;
    static const unsigned mappers[] = {0, 4, 1, 2, 7, 66, 28, 34};
    for (uint64_t seed = 1; seed <= 16; seed++) {

        struct guest *g = structured_program(seed, mappers[seed % 8]);
        const struct played_source source = {"", g};
        struct structure structure = structure_of(&source, 6);
        for (enum sampler_by by = SAMPLER_INSTRUCTIONS; by <= SAMPLER_ACTIVE; by++)
            check_all_together(&source, &structure, 6, by);
        structure_free(&structure);
        free(g);
    }
}

/* A budget gives each member its own stride. */
static void test_together_by_budgets(void **state) {
    (void)state;
    struct sampler_options options[MEMBERS];
    for (unsigned i = 0; i < MEMBERS; i++)
        options[i] = (struct sampler_options){.by = SAMPLER_INSTRUCTIONS,
                                              .per_million = 500 * (i + 1),
                                              .batch_length = 1 + i,
                                              .seed = i};
    check_together(&(struct played_source){"mazewisp", NULL}, options, 30);
}

/* Passes of busy-waits are skipped although samples are due in each of them. Broken: a sweep with many samplers
 * takes twice the time, because it executes most passes for their sake. */
static void test_together_skips_waits(void **state) {
    (void)state;
    for (unsigned engine = 0; engine + 1 < PLAYED_ENGINES; engine++)
        for (unsigned of_transfers = 0; of_transfers < 2; of_transfers++) {
            const enum sampler_by by = of_transfers ? SAMPLER_TRANSFERS : SAMPLER_INSTRUCTIONS;
            const struct sampler_options options[2] = {{.by = by, .every = 1, .batch_length = 1},
                                                       {.by = by, .every = 90, .batch_length = 25}};
            struct played p = played_open_source(&(struct played_source){"mazewisp", NULL}, engine);
            struct stream streams[2];
            struct sampler_group *group;
            struct error e = {0};
            played_must(sampler_group_attach(&group, p.nes, options, 2, &e), &e);
            played_frames(&p, 30);
            const uint64_t skipped = nes_skipped(p.nes), executed = nes_instructions(p.nes);
            played_must(sampler_group_finish(group, streams, &e), &e);
            assert_true(skipped > executed / 2);
            assert_int_equal(streams[0].batch_count, streams[0].population);
            stream_free(&streams[0]);
            stream_free(&streams[1]);
            played_close(&p);
        }
}

/* Asks to follow the transfer after each due cycle. */
struct follower {
    struct nes *nes;
    unsigned id;
    uint64_t every, due, calls; /* due: of the first request */
};

static void follow_each(void *self, const struct followed *f) {
    struct follower *const w = self;
    const uint64_t now = nes_cycle(w->nes);
    const uint64_t later = now < f->due ? 0 : ((now - f->due) / w->every + 1) * w->every;
    w->calls++;
    if (f->count > 0)
        assert_true(f->transfers->start >= f->due);
    if (f->moved == 0) /* NMI handlers move it elsewhere */
        assert_int_equal((f->due - w->due) % w->every, 0);
    w->due = f->due;
    nes_follow_again(w->nes, w->id, f->due + later, later);
}

/* The machine itself drops due cycles in passes of busy-waits. Broken: each of them costs a call, or the passes around
 * it are executed. */
static void test_due_cycles_in_waits(void **state) {
    enum { FEW_FRAMES = 60, DUE_A_FRAME = 10 };
    (void)state;
    for (unsigned engine = 0; engine + 1 < PLAYED_ENGINES; engine++) {
        struct played p = played_open_source(&(struct played_source){"mazewisp", NULL}, engine);
        struct error e = {0};
        struct follower w = {.nes = p.nes, .every = 29780 / DUE_A_FRAME};
        const struct observer observer = {.self = &w, .followed = follow_each};
        played_must(nes_attach(p.nes, &observer, &w.id, &e), &e);
        w.due = nes_cycle(p.nes) + 1;
        nes_follow(p.nes, w.id,
                   &(struct follow_request){.from = w.due,
                                            .due = w.due,
                                            .until = w.due,
                                            .least = 1,
                                            .every = w.every,
                                            .over = w.due,
                                            .passes = 3});
        played_frames(&p, FEW_FRAMES);
        assert_true(nes_skipped(p.nes) > nes_instructions(p.nes) / 2);
        assert_in_range(w.calls, FEW_FRAMES, FEW_FRAMES * DUE_A_FRAME / 2);
        nes_detach(p.nes, w.id);
        played_close(&p);
    }
}

static void test_together_refused(void **state) {
    (void)state;
    struct played p = played_open("mazewisp", NULL, false);
    struct error e = {0};
    struct sampler_group *group;
    const struct sampler_options unlike[] = {{.by = SAMPLER_INSTRUCTIONS, .every = 9},
                                             {.by = SAMPLER_TRANSFERS, .every = 9}},
                                 wrong[] = {{.by = SAMPLER_INSTRUCTIONS, .every = 9},
                                            {.by = SAMPLER_INSTRUCTIONS}},
                                 time = {.by = SAMPLER_TIME};
    assert_int_equal(sampler_group_attach(&group, p.nes, unlike, 2, &e), STATUS_ARGUMENT);
    assert_null(group);
    assert_non_null(strstr(e.text, "all count the same"));
    assert_int_equal(sampler_group_attach(&group, p.nes, &time, 1, &e), STATUS_ARGUMENT);
    assert_int_equal(sampler_group_attach(&group, p.nes, wrong, 2, &e), STATUS_ARGUMENT);
    assert_null(group);
    assert_non_null(strstr(e.text, "one of every 1 to 2^48"));
    played_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_together_in_games),
        cmocka_unit_test(test_together_in_programs),
        cmocka_unit_test(test_together_by_budgets),
        cmocka_unit_test(test_together_skips_waits),
        cmocka_unit_test(test_due_cycles_in_waits),
        cmocka_unit_test(test_together_refused),
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_budget_of_active_transfers),
        cmocka_unit_test(test_small_strides_are_odd),
        cmocka_unit_test(test_strides_of_budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
