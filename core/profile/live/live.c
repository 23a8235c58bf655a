/* The machine's side: a sampler that passes each batch on, and, for techniques that are rebuilt, an
 * alarm every second. The technique's side: struct consumer, in this or in another thread. */
#include "profile/live/live.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "profile/live/live_queue.h"
#include "profile/structure/structure.h"

/* Batches are timed TIMED at a time, because reading the clock takes time, too; times are reported
 * per LAP batches. */
enum { CYCLES_A_SECOND = 1789773, LAP = 1024, TIMED = 16 };

/* A request to rebuild from all samples so far. */
struct job {
    struct stream about; /* their description, without batches */
    struct structure structure;
};

struct consumer {
    const struct live_options *options;
    struct stream shape;        /* description of the samples, without batches */
    void *growing;              /* state of an incremental technique */
    struct stream_maker stream; /* other techniques: all samples, */
    VEC(uint16_t) cycles;       /* and their weights */
    size_t batches, solves, mark;
    struct profile last; /* the result of the last rebuild */
    void *memory;        /* of a technique that remembers it */
    enum status status;
    struct error error;
    uint64_t nanoseconds, build_nanoseconds; /* for taking batches; for rebuilding */
    VEC(uint64_t) laps;                      /* nanoseconds of each LAP batches */
    uint64_t lap;
};

struct live {
    struct nes *nes;
    struct live_options options;
    int64_t values[TECHNIQUE_PARAMETERS];
    struct sampler *sampler;
    struct structure_recorder *recorder;
    unsigned id;
    bool attached; /* the observer that has the alarm */
    uint64_t next_second;
    struct consumer consumer;
    struct live_queue queue;
    struct sample *taken; /* the batch that the thread works on */
    bool has_queue, has_thread;
    pthread_t thread;
};

/* ---- the technique's side ---- */

static uint64_t now(bool timed) {
    struct timespec t;
    if (!timed)
        return 0;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void failed(struct consumer *c, enum status status) {
    if (c->status == STATUS_OK)
        c->status = status;
}

static void out_of_memory(struct consumer *c) {
    if (c->status == STATUS_OK)
        c->status = error_set(&c->error, STATUS_MEMORY, "out of memory for live samples");
}

static bool keep(struct consumer *c, const struct sample *batch, uint16_t cycles) {
    return stream_add(&c->stream, batch) && (cycles == 0 || vec_push(&c->cycles, cycles));
}

static void at_mark(struct consumer *c) {
    const struct live_options *o = c->options;
    struct profile p = {0};
    enum status status = o->technique->growing->now(c->growing, c->batches, 0, &p, &c->error);
    if (status == STATUS_OK)
        status = o->each(o->user, c->batches, &p, &c->error);
    failed(c, status);
    profile_free(&p);
}

static void consume_batch(struct consumer *c, const struct sample *batch, uint16_t cycles) {
    const struct technique_growing *growing = c->options->technique->growing;
    if (c->status != STATUS_OK)
        return;
    const bool timed = c->options->timed && c->batches % TIMED == 0;
    const uint64_t begun = now(timed);
    const uint64_t weight = stream_weight(&(struct stream){.cycles = cycles ? &cycles : NULL}, 0);
    if (growing != NULL ? !growing->take(c->growing, batch, weight) : !keep(c, batch, cycles))
        out_of_memory(c);
    c->batches++;
    c->lap += TIMED * (now(timed) - begun);
    if (c->options->timed && c->batches % LAP == 0) {
        c->nanoseconds += c->lap;
        (void)vec_push(&c->laps, c->lap); /* if memory is out, this lap is not reported */
        c->lap = 0;
    }
    while (growing != NULL && c->mark < c->options->mark_count &&
           c->options->marks[c->mark] == c->batches && c->status == STATUS_OK) {
        at_mark(c);
        c->mark++;
    }
}

static void build_anew(struct consumer *c, struct job *job) {
    const struct live_options *o = c->options;
    struct stream s = job->about;
    const struct stream *const kept = &c->stream.stream;
    s.batch_length = kept->batch_length;
    s.batches = kept->batches;
    s.batch_count = kept->batch_count;
    s.distinct_count = kept->distinct_count;
    s.order = kept->order;
    s.cycles = c->cycles.at;
    s.structure = &job->structure;
    profile_free(&c->last);
    const struct technique_again *again = o->technique->again;
    failed(c, again != NULL ? again->build(&c->memory, &c->last, &s, o->values, &c->error)
                            : o->technique->build(&c->last, &s, SIZE_MAX, o->values, &c->error));
    c->solves++;
}

static void free_job(struct job *job) {
    structure_free(&job->structure);
    free(job);
}

static void consume_job(struct consumer *c, struct job *job) {
    const struct live_options *o = c->options;
    const uint64_t begun = now(o->timed);
    if (c->status == STATUS_OK)
        build_anew(c, job);
    c->build_nanoseconds += now(o->timed) - begun;
    if (c->status == STATUS_OK && o->each != NULL)
        failed(c, o->each(o->user, c->batches, &c->last, &c->error));
    free_job(job);
}

static void *consume(void *user) {
    struct live *l = user;
    struct live_item item;
    while (live_queue_take(&l->queue, &item, l->taken))
        if (item.job != NULL)
            consume_job(&l->consumer, item.job);
        else
            consume_batch(&l->consumer, l->taken, item.cycles);
    return NULL;
}

/* ---- the machine's side ---- */

static bool take(void *user, const struct sample *batch, uint16_t cycles) {
    struct live *l = user;
    if (l->has_thread)
        live_queue_put(&l->queue, (struct live_item){.cycles = cycles}, batch);
    else
        consume_batch(&l->consumer, batch, cycles);
    return true;
}

static struct job *new_job(struct live *l) {
    struct job *job = calloc(1, sizeof *job);
    if (job != NULL)
        sampler_describe(l->sampler, &job->about);
    return job;
}

static void every_second(void *self, uint64_t cycle) {
    struct live *l = self;
    (void)cycle;
    l->next_second += CYCLES_A_SECOND;
    nes_set_alarm(l->nes, l->id, l->next_second);
    struct error e;
    struct job *job = new_job(l);
    if (job == NULL || structure_now(l->recorder, &job->structure, &e) != STATUS_OK) {
        free(job);
        return; /* running out of memory is reported at the next second or at the end */
    }
    if (l->has_thread)
        live_queue_put(&l->queue, (struct live_item){.job = job}, NULL);
    else
        consume_job(&l->consumer, job);
}

/* ---- life cycle ---- */

static void end_thread(struct live *l) {
    if (!l->has_thread)
        return;
    live_queue_close(&l->queue);
    pthread_join(l->thread, NULL);
    l->has_thread = false;
}

static void release(struct live *l) {
    struct consumer *c = &l->consumer;
    end_thread(l);
    sampler_free(l->sampler);
    structure_abandon(l->recorder);
    if (l->attached)
        nes_detach(l->nes, l->id);
    if (l->has_queue)
        live_queue_free(&l->queue);
    free(l->taken);
    if (c->growing != NULL)
        l->options.technique->growing->end(c->growing);
    if (c->memory != NULL)
        l->options.technique->again->forget(c->memory);
    stream_unmake(&c->stream);
    vec_free(&c->cycles);
    vec_free(&c->laps);
    profile_free(&c->last);
    free(l);
}

void live_abandon(struct live *l) {
    if (l != NULL)
        release(l);
}

static enum status begin_consumer(struct live *l, struct error *e) {
    struct consumer *c = &l->consumer;
    const struct technique *t = l->options.technique;
    c->options = &l->options;
    sampler_describe(l->sampler, &c->shape);
    c->stream.stream.batch_length = c->shape.batch_length;
    struct stream asked = c->shape; /* an empty stream would be accepted by any technique */
    asked.batch_count = 1;
    enum status status = technique_fits(t, &asked, l->values, e);
    if (status == STATUS_OK && t->growing != NULL)
        status = t->growing->begin(&c->growing, &c->shape, l->values, e);
    return status;
}

static enum status begin_seconds(struct live *l, struct error *e) {
    const struct observer observer = {.self = l, .alarm = every_second};
    enum status status = structure_attach(&l->recorder, l->nes, e);
    if (status == STATUS_OK)
        status = nes_attach(l->nes, &observer, &l->id, e);
    if (status != STATUS_OK)
        return status;
    l->attached = true;
    l->next_second = nes_cycle(l->nes) + CYCLES_A_SECOND;
    nes_set_alarm(l->nes, l->id, l->next_second);
    return STATUS_OK;
}

static enum status begin_thread(struct live *l, struct error *e) {
    const size_t room = l->options.queue != 0 ? l->options.queue : LIVE_QUEUE;
    l->has_queue = live_queue_init(&l->queue, room, l->consumer.shape.batch_length);
    l->taken = calloc(l->consumer.shape.batch_length, sizeof *l->taken);
    if (!l->has_queue || l->taken == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for a queue of %zu batches", room);
    l->has_thread = pthread_create(&l->thread, NULL, consume, l) == 0;
    return l->has_thread ? STATUS_OK
                         : error_set(e, STATUS_MEMORY, "the system refuses one more thread");
}

static enum status check(const struct live_options *o, struct error *e) {
    if (o->technique->build == NULL)
        return error_set(e, STATUS_ARGUMENT, "%s does not work on samples", o->technique->name);
    if (o->queue > LIVE_QUEUE_MOST)
        return error_set(e, STATUS_ARGUMENT, "a queue has room for at most %d batches",
                         LIVE_QUEUE_MOST);
    return STATUS_OK;
}

enum status live_attach(struct live **out, struct nes *nes, const struct live_options *options,
                        struct error *e) {
    *out = NULL;
    enum status status = check(options, e);
    if (status != STATUS_OK)
        return status;
    struct live *l = calloc(1, sizeof *l);
    if (l == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for live samples");
    l->nes = nes;
    l->options = *options;
    for (size_t i = 0; i < TECHNIQUE_PARAMETERS && options->technique->parameters[i].name; i++)
        l->values[i] = options->values[i];
    l->options.values = l->values;
    struct sampler_options sampling = options->sampling;
    sampling.take = take;
    sampling.user = l;
    status = sampler_attach(&l->sampler, nes, sampling, e);
    if (status == STATUS_OK)
        status = begin_consumer(l, e);
    if (status == STATUS_OK && options->technique->growing == NULL)
        status = begin_seconds(l, e);
    if (status == STATUS_OK && options->thread)
        status = begin_thread(l, e);
    if (status != STATUS_OK) {
        release(l);
        return status;
    }
    *out = l;
    return STATUS_OK;
}

static double mean_us(const struct consumer *c, size_t from, size_t to) {
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += (double)c->laps.at[i];
    return to > from ? sum / (double)(to - from) / LAP / 1000 : 0;
}

static void fill_report(const struct live *l, struct live_report *r) {
    const struct consumer *c = &l->consumer;
    const size_t laps = c->laps.len, quarter = (laps + 3) / 4;
    *r = (struct live_report){.batches = c->batches,
                              .solves = c->solves,
                              .longest = l->has_queue ? l->queue.longest : 0,
                              .held = l->has_queue ? l->queue.held : 0,
                              .seconds = (double)(c->nanoseconds + c->lap) / 1e9,
                              .build_seconds = (double)c->build_nanoseconds / 1e9,
                              .first_us = mean_us(c, 0, quarter),
                              .last_us = mean_us(c, laps - quarter, laps)};
}

/* The final rebuild, with the complete structure; in the thread, if there is one. */
static enum status finish_anew(struct live *l, struct profile *out, struct error *e) {
    struct consumer *c = &l->consumer;
    struct job *job = new_job(l);
    if (job == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory for live samples");
    enum status status = structure_finish(l->recorder, &job->structure, e);
    l->recorder = NULL;
    if (status != STATUS_OK) {
        free(job);
        return status;
    }
    if (l->has_thread)
        live_queue_put(&l->queue, (struct live_item){.job = job}, NULL);
    else
        consume_job(c, job);
    end_thread(l);
    *out = c->last;
    c->last = (struct profile){0};
    return STATUS_OK;
}

enum status live_finish(struct live *l, struct profile *out, struct live_report *report,
                        struct error *e) {
    struct consumer *c = &l->consumer;
    const struct technique_growing *growing = l->options.technique->growing;
    enum status status = STATUS_OK;
    *out = (struct profile){0};
    if (growing == NULL)
        status = finish_anew(l, out, e);
    end_thread(l);
    if (growing != NULL && c->status == STATUS_OK) {
        struct stream about;
        sampler_describe(l->sampler, &about);
        status = growing->now(c->growing, c->batches, about.probes, out, e);
    }
    if (status == STATUS_OK && c->status != STATUS_OK) {
        status = c->status;
        if (e != NULL)
            *e = c->error;
    }
    if (report != NULL)
        fill_report(l, report);
    if (status != STATUS_OK)
        profile_free(out);
    release(l);
    return status;
}
