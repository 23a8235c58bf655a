#include "qemu/plugin/program_tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART = 1 << 20, PSB = 1 << 16 }; /* bytes: of a write; between synchronisation points */

static void fail(struct recorder *r, enum status status, const char *why) {
    if (r->error.status == STATUS_OK)
        error_set(&r->error, status, "the trace cannot be written: %s", why);
}

struct tracer *tracer_new(const char *path) {
    struct tracer *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    snprintf(t->path, sizeof t->path, "%s", path);
    t->process = getpid();
    t->generation = 1;
    t->writer.tnt_most = PACKET_TNT_LONG;
    t->writer.psb = PSB;
    return t;
}

/* ---- packets ---- */

static bool append(const struct tracer *t) {
    const int fd = open(t->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    bool ok = fd >= 0;
    for (size_t done = 0; ok && done < t->writer.out.len;) {
        const ssize_t n = write(fd, t->writer.out.at + done, t->writer.out.len - done);
        ok = n >= 0 || errno == EINTR;
        done += n > 0 ? (size_t)n : 0;
    }
    const int code = errno;
    ok = (fd < 0 || close(fd) == 0 || !ok) && ok;
    errno = ok ? 0 : code;
    return ok;
}

static void write_part(struct recorder *r) {
    struct tracer *t = r->tracer;
    if (getpid() == t->process && !append(t))
        fail(r, STATUS_IO, strerror(errno));
    t->writer.removed += t->writer.out.len;
    t->writer.out.len = 0;
    if (t->writer.out_of_memory)
        fail(r, STATUS_MEMORY, "out of memory");
}

/* ---- the program ---- */

static const struct recording_insn *first_of(const struct recorder *r, const struct block *b) {
    return &r->insns.at[b->insns[0]];
}

static const struct recording_insn *last_of(const struct recorder *r, const struct block *b) {
    return &r->insns.at[b->insns[b->count - 1]];
}

static uint32_t next_of(const struct recording_insn *i) {
    return i->address + i->size;
}

/* Decoding knows of it from the packets written so far on. */
static void note(struct recorder *r, struct recording_change change) {
    struct tracer *t = r->tracer;
    packets_flush(&t->writer);
    change.at = packets_written(&t->writer);
    if (!vec_push(&t->changes, change))
        fail(r, STATUS_MEMORY, "out of memory");
}

static void begin_to_vary(struct tracer *t, struct tracer_place *place) {
    t->generation += !place->varies;
    place->varies = true;
}

/* Gives new instructions their places. A decoder takes the first one for the address's. */
static bool find_places(struct recorder *r) {
    struct tracer *t = r->tracer;
    while (t->place_of.len < r->insns.len) {
        const uint32_t row = (uint32_t)t->place_of.len;
        uint64_t *at = map_at(&t->place_at, r->insns.at[row].address);
        if (at == NULL)
            return false;
        if (*at == 0 && !vec_push(&t->places, (struct tracer_place){.noted = row}))
            return false;
        if (*at == 0)
            *at = t->places.len;
        else
            begin_to_vary(t, &t->places.at[*at - 1]);
        if (!vec_push(&t->place_of, (uint32_t)(*at - 1)))
            return false;
    }
    return true;
}

static struct tracer_place *place_of(const struct tracer *t, uint32_t row) {
    return &t->places.at[t->place_of.at[row]];
}

/* ---- control ---- */

/* The instruction sends control to `to`. */
static void transfer(struct recorder *r, uint32_t row, uint32_t to) {
    const struct recording_insn *i = &r->insns.at[row];
    struct packet_writer *w = &r->tracer->writer;
    const bool direct = to == i->target, straight = to == next_of(i);
    switch ((enum transfer_kind)i->kind) {
    case TRANSFER_JUMP_INDIRECT:
        packets_jump(w, to);
        return;
    case TRANSFER_CALL_INDIRECT:
        packets_call(w, next_of(i));
        packets_jump(w, to);
        return;
    case TRANSFER_RETURN:
        packets_return(w, to);
        return;
    case TRANSFER_BRANCH:
        if (direct || straight) {
            packets_branch(w, !straight, to);
            return;
        }
        break;
    case TRANSFER_JUMP:
        if (direct)
            return;
        break;
    case TRANSFER_CALL:
        if (direct) {
            packets_call(w, next_of(i));
            return;
        }
        break;
    default:
        if (straight)
            return;
    }
    note(r, (struct recording_change){.insn = row, .how = RECORDING_ONCE, .to = to});
    if (i->kind == TRANSFER_CALL)
        packets_call(w, next_of(i));
}

/* The instruction is about to be executed. */
static void present(struct recorder *r, uint32_t row) {
    struct tracer_place *place = place_of(r->tracer, row);
    if (place->noted == row && !place->returns)
        return;
    note(r, (struct recording_change){.insn = row, .how = RECORDING_CODE});
    place->noted = row;
    place->returns = false;
}

/* True if all of the block is what a decoder takes it for, and one straight run. */
static bool is_plain(const struct recorder *r, const struct block *b) {
    for (uint32_t k = 0; k < b->count; k++) {
        const struct recording_insn *i = &r->insns.at[b->insns[k]];
        if (place_of(r->tracer, b->insns[k])->varies)
            return false;
        if (k + 1 < b->count &&
            (i->kind != TRANSFER_NONE || r->insns.at[b->insns[k + 1]].address != next_of(i)))
            return false;
    }
    return true;
}

static __attribute__((noinline)) void enter_slowly(struct recorder *r, const struct block *b) {
    struct tracer *t = r->tracer;
    bool ok = find_places(r) && vec_reserve(&t->looked_at, (size_t)b->id + 1);
    if (!ok) {
        fail(r, STATUS_MEMORY, "out of memory");
        return;
    }
    while (t->looked_at.len <= b->id)
        t->looked_at.at[t->looked_at.len++] = 0;
    const bool plain = is_plain(r, b);
    t->looked_at.at[b->id] = t->generation * 2 + !plain;
    for (uint32_t k = 0; !plain && k < b->count; k++) {
        present(r, b->insns[k]);
        if (k + 1 < b->count)
            transfer(r, b->insns[k], r->insns.at[b->insns[k + 1]].address);
    }
}

void tracer_follow(struct recorder *r, const struct block *from, const struct block *b) {
    struct tracer *t = r->tracer;
    if (from != NULL)
        transfer(r, from->insns[from->count - 1], first_of(r, b)->address);
    if (b->id >= t->looked_at.len || t->looked_at.at[b->id] != t->generation * 2)
        enter_slowly(r, b);
    t->last = b;
    if (t->writer.out.len >= PART)
        write_part(r);
}

void tracer_begins(struct recorder *r, const struct block *b) {
    struct tracer *t = r->tracer;
    if (t->last == NULL)
        packets_enable(&t->writer, first_of(r, b)->address);
    else
        packets_interrupt(&t->writer, last_of(r, t->last)->address, first_of(r, b)->address);
}

void tracer_resumes(struct recorder *r, const struct block *before) {
    struct tracer *t = r->tracer;
    const uint32_t row = t->last->insns[t->last->count - 1];
    struct tracer_place *place = place_of(t, row);
    note(r, (struct recording_change){.insn = row, .how = RECORDING_RETURNS});
    place->returns = true;
    begin_to_vary(t, place);
    packets_jump(&t->writer, last_of(r, before)->address);
}

void tracer_end(struct recorder *r) {
    struct tracer *t = r->tracer;
    if (t->last != NULL)
        packets_disable(&t->writer, last_of(r, t->last)->address);
    write_part(r);
    t->last = NULL;
}
