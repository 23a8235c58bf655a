/*
 * Comparing with a log of every instruction, as Nintendulator writes it and nestest comes with it:
 *
 *     C000  4C F5 C5  JMP $C5F5          A:00 X:00 Y:00 P:24 SP:FD PPU:  0, 21 CYC:7
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testrom/testrom.h"

enum { LOG_MOST = 256 << 20, FRAMES_MOST = 1000000 };

struct line {
    unsigned pc, size, bytes[3];
    unsigned a, x, y, p, s;
    unsigned ppu_line, ppu_dot;
    uint64_t cycle;
};

struct follow {
    struct nes *nes;
    const char *at; /* the next line of the log */
    unsigned number;
    bool wrong, unreadable, done;
    struct verdict *v;
};

/* Parses registers, raster position and cycle, which follow the disassembly. */
static bool parse_rest(const char *text, struct line *out) {
    const char *at = strstr(text, " A:");
    return at != NULL &&
           sscanf(at, " A:%2x X:%2x Y:%2x P:%2x SP:%2x PPU:%3u,%3u CYC:%" SCNu64, &out->a, &out->x,
                  &out->y, &out->p, &out->s, &out->ppu_line, &out->ppu_dot, &out->cycle) == 8;
}

/* Parses a line; its bytes are in columns 6, 9 and 12. */
static bool parse_line(const char *text, struct line *out) {
    *out = (struct line){0};
    if (strlen(text) < 16 || sscanf(text, "%4x", &out->pc) != 1)
        return false;
    while (out->size < 3 && text[6 + 3 * out->size] != ' ') {
        if (sscanf(text + 6 + 3 * out->size, "%2x", &out->bytes[out->size]) != 1)
            return false;
        out->size++;
    }
    return parse_rest(text, out);
}

static struct line line_here(const struct follow *f, const struct guest_insn *insn,
                             uint64_t cycle) {
    const struct cpu_registers r = nes_registers(f->nes);
    struct line here = {.pc = insn->pc, .size = insn->size, .cycle = cycle};
    for (unsigned i = 0; i < insn->size; i++)
        here.bytes[i] = insn->bytes[i];
    here.a = r.a;
    here.x = r.x;
    here.y = r.y;
    here.p = r.p;
    here.s = r.s;
    nes_place(f->nes, cycle, &here.ppu_line, &here.ppu_dot);
    return here;
}

static bool same(const struct line *a, const struct line *b) {
    return a->pc == b->pc && a->size == b->size && a->bytes[0] == b->bytes[0] &&
           a->bytes[1] == b->bytes[1] && a->bytes[2] == b->bytes[2] && a->a == b->a &&
           a->x == b->x && a->y == b->y && a->p == b->p && a->s == b->s &&
           a->ppu_line == b->ppu_line && a->ppu_dot == b->ppu_dot && a->cycle == b->cycle;
}

static void print_line(char *text, size_t size, const struct line *l) {
    char bytes[10] = "";
    for (unsigned i = 0; i < l->size; i++)
        snprintf(bytes + 2 * i, 3, "%02X", l->bytes[i] & 0xFF);
    snprintf(text, size, "%04X %s A:%02X X:%02X Y:%02X P:%02X SP:%02X PPU:%u,%u CYC:%" PRIu64,
             l->pc, bytes, l->a, l->x, l->y, l->p, l->s, l->ppu_line, l->ppu_dot, l->cycle);
}

static void step(void *self, const struct guest_insn *insn, uint64_t cycle) {
    struct follow *f = self;
    char text[256];
    if (f->done || f->wrong || f->unreadable)
        return;
    const size_t n = strcspn(f->at, "\r\n");
    f->number++;
    struct line want;
    snprintf(text, sizeof text, "%.*s", (int)n, f->at);
    if (!parse_line(text, &want)) {
        f->unreadable = true;
        return;
    }
    const struct line here = line_here(f, insn, cycle);
    if (!same(&want, &here)) {
        char is[120], wanted[120];
        print_line(is, sizeof is, &here);
        print_line(wanted, sizeof wanted, &want);
        snprintf(f->v->text, sizeof f->v->text, "line %u of its log is %s, and it is at %s",
                 f->number, wanted, is);
        f->wrong = true;
    }
    f->at += n;
    f->at += strspn(f->at, "\r\n");
    f->done = *f->at == 0;
}

static enum status follow(struct follow *f, const char *path, struct error *e) {
    const struct observer observer = {.self = f, .step = step};
    unsigned id;
    enum status status = nes_attach(f->nes, &observer, &id, e);
    if (status != STATUS_OK)
        return status;
    nes_observe(f->nes, id, UINT64_MAX);
    while (status == STATUS_OK && !f->done && !f->wrong && !f->unreadable &&
           f->v->frames < FRAMES_MOST) {
        status = nes_run_frame(f->nes, e);
        f->v->frames++;
    }
    nes_detach(f->nes, id);
    if (status == STATUS_OK && f->unreadable)
        return error_set(
            e, STATUS_FORMAT,
            "%s:%u: not a line of a log: address, bytes, ... A: X: Y: P: SP: PPU: CYC:", path,
            f->number);
    return status;
}

enum status verdict_log(struct verdict *v, struct nes *nes, const char *path, struct error *e) {
    struct bytes log = {0};
    enum status status = file_read(&log, path, LOG_MOST, e);
    if (status != STATUS_OK)
        return status;
    struct follow f = {.nes = nes, .at = (const char *)log.at, .v = v};
    status = follow(&f, path, e);
    bytes_free(&log);
    v->outcome = f.done && !f.wrong ? OUTCOME_PASSED : OUTCOME_FAILED;
    if (status == STATUS_OK && !f.done && !f.wrong)
        snprintf(v->text, sizeof v->text, "the ROM stands still, but its log continues at line %u",
                 f.number + 1);
    else if (status == STATUS_OK && !f.wrong)
        snprintf(v->text, sizeof v->text, "%u lines of its log", f.number);
    return status;
}
