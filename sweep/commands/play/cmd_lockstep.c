/* hotgraph lockstep: runs games on several engines at once, which must not differ. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "lockstep/lockstep.h"
#include "play/play.h"

struct command {
    struct play_options wish;
    uint64_t seed;
    bool random, json, no_fast, fast;
    struct option_list named;
    struct ways ways;
    struct progress progress;

    const char *game; /* the current game */
    unsigned games, refused, runs, differ;
    uint64_t frames;
};

static const char details[] =
    GAME_DETAILS "By default the game's own movie is played; a ROM without a movie runs with no\n"
                 "buttons pressed.\n"
                 "\n"
                 "A way is an engine with its options and modifiers. Each way runs beside a\n"
                 "reference, the interpreter. For up to 3000 frames, the reference works cycle\n"
                 "by cycle and executes busy-waits (interp+no-skip+no-fast), without any fast\n"
                 "path; for more frames it is the normal interpreter. --no-fast and --fast\n"
                 "choose between the two.\n"
                 "\n"
                 "After every frame, the complete states are compared: registers, RAM, PPU, APU,\n"
                 "cartridge, cycle, number of instructions, everything that a saved state\n"
                 "contains, and what observers have seen so far. At the end, the exact graphs\n"
                 "and the sample streams are compared.\n"
                 "\n"
                 "If a way differs, both machines restart from the state before that frame to\n"
                 "find the first cycle at which they differ. The report shows that cycle, the\n"
                 "preceding instructions, both machines' registers, and the differences between\n"
                 "their states. The list begins with the last instruction from which both can\n"
                 "start and still differ: this instruction, or the transition to the next ones,\n"
                 "is at fault. If the machines do not differ when started from a saved state,\n"
                 "they are replayed from the beginning.\n"
                 "\n"
                 "A way has the syntax of --engine, followed by any number of modifiers:\n";

static const char examples[] =
    "\n"
    "A ROM whose board is not emulated is reported and skipped.\n"
    "\n"
    "Exit status: 0 if all are equal, 1 if something differs or nothing could be\n"
    "run, 2 for a wrong command line.\n"
    "\n"
    "Examples:\n"
    "  hotgraph lockstep mazewisp\n"
    "  hotgraph lockstep game.nes --random 7 --frames 3000 \\\n"
    "      --way dbt:hot=2,cache=16K+profiled\n"
    "  hotgraph lockstep game.nes --random 7 --no-fast --way interp --way dbt\n";

/* The engines share code, which may be wrong. For up to this many frames the reference uses no fast
 * path; three references with different observers then take three seconds. */
enum { FEW_FRAMES = 3000 };
static bool is_slow(const struct command *c, const struct play *p) {
    return c->no_fast || (!c->fast && p->end - p->first <= FEW_FRAMES);
}

/* ---- a difference, for people ---- */

static void print_position(const char *name, const struct stand *s) {
    const struct cpu_registers r = s->registers;
    printf("      %-24s pc %04X  A %02X  X %02X  Y %02X  S %02X  P %02X  cycle %" PRIu64
           "  instructions %" PRIu64 "\n",
           name, r.pc, r.a, r.x, r.y, r.s, r.p, s->cycle, s->instructions);
}

static void number_name(const struct nes_difference *n, char text[80]) {
    const bool ram = strcmp(n->member, "ram") == 0;
    const int length = snprintf(text, 80, "%s%s%s", ram ? "RAM" : n->part,
                                n->member[0] != 0 && !ram ? " " : "", ram ? "" : n->member);
    if (n->count > 1)
        snprintf(text + length, (size_t)(80 - length), " $%04zX", n->index);
}

static void print_numbers(const struct divergence *d) {
    char text[80];
    for (size_t i = 0; i < d->differences && i < DIVERGENCE_NUMBERS; i++) {
        const struct nes_difference *const n = &d->numbers[i];
        number_name(n, text);
        printf("      %-24s %02" PRIX64 ", %02" PRIX64 "\n", text, n->a, n->b);
    }
    if (d->differences > DIVERGENCE_NUMBERS)
        printf("      and %zu numbers more\n", d->differences - DIVERGENCE_NUMBERS);
}

static void print_steps(const struct divergence *d) {
    char text[32];
    for (unsigned i = 0; i < d->step_count; i++) {
        const struct divergence_step *const step = &d->steps[i];
        disassemble(text, step->insn.pc, step->insn.bytes);
        printf("      %-12" PRIu64 " %06" PRIX32 "  %s\n", step->cycle, step->insn.address, text);
    }
    if (d->step_count == 0)
        printf("      an interrupt or reset sequence\n");
    else if (d->step_count == DIVERGENCE_STEPS && !d->warm)
        printf("      and so on\n");
}

static void print_divergence(const struct way *way, const struct divergence *d) {
    printf("    frame %" PRIu64 ": %s\n", d->frame, d->what);
    if (!d->located)
        printf("    the machines do not differ when stopped within the frame, neither started from "
               "the\n"
               "    state before it nor from the beginning; at its end:\n");
    else if (d->warm)
        printf("    only when played from the beginning: at cycle %" PRIu64 ", after these:\n",
               d->reference.cycle);
    else
        printf("    at cycle %" PRIu64 " when both have started from the reference's state at the "
               "first of\n    these, not when they start after it:\n",
               d->reference.cycle);
    if (d->located)
        print_steps(d);
    if (d->located)
        print_position("before", &d->before);
    print_position("reference", &d->reference);
    print_position(way->name, &d->other);
    print_numbers(d);
}

static void print_outcomes(const struct command *c, const struct play *p,
                           const struct outcome *outcomes) {
    printf("%s: ", c->game);
    if (c->random)
        printf("seeded input %" PRIu64 "\n", c->seed);
    else
        printf("%s\n", p->files.movie != NULL ? p->files.movie : "nothing pressed");
    printf("  compared with %s\n", is_slow(c, p) ? "interp+no-skip+no-fast" : "interp");
    for (size_t i = 0; i < c->ways.list.len; i++) {
        const struct outcome *const o = &outcomes[i];
        const bool jammed = o->equal && o->frames < p->end - p->first;
        printf("  %-8s %-42s %8" PRIu64 " frames %12" PRIu64 " instructions%s\n",
               o->equal ? "equal" : "differs", c->ways.list.at[i].name, o->frames, o->instructions,
               jammed ? "; a JAM ends it" : "");
        if (!o->equal)
            print_divergence(&c->ways.list.at[i], &o->where);
    }
}

/* ---- and for programs ---- */

static void json_stand(const char *name, const struct stand *s) {
    const struct cpu_registers r = s->registers;
    printf(", \"%s\": {\"pc\": %u, \"a\": %u, \"x\": %u, \"y\": %u, \"s\": %u, \"p\": %u, "
           "\"cycle\": %" PRIu64 ", \"instructions\": %" PRIu64 "}",
           name, r.pc, r.a, r.x, r.y, r.s, r.p, s->cycle, s->instructions);
}

static void json_steps(const struct divergence *d) {
    char text[32];
    printf(", \"steps\": [");
    for (unsigned i = 0; i < d->step_count; i++) {
        const struct divergence_step *const step = &d->steps[i];
        disassemble(text, step->insn.pc, step->insn.bytes);
        printf("%s{\"cycle\": %" PRIu64 ", \"address\": %" PRIu32 ", \"pc\": %u, \"text\": \"%s\"}",
               i > 0 ? ", " : "", step->cycle, step->insn.address, step->insn.pc, text);
    }
    printf("]");
}

static void json_divergence(const struct divergence *d) {
    char text[80];
    printf(", \"what\": ");
    print_json_string(d->what);
    printf(", \"frame\": %" PRIu64 ", \"located\": %s", d->frame, d->located ? "true" : "false");
    if (d->located) {
        printf(", \"warm\": %s", d->warm ? "true" : "false");
        json_steps(d);
        json_stand("before", &d->before);
    }
    json_stand("reference", &d->reference);
    json_stand("other", &d->other);
    printf(", \"differences\": %zu, \"numbers\": [", d->differences);
    for (size_t i = 0; i < d->differences && i < DIVERGENCE_NUMBERS; i++) {
        number_name(&d->numbers[i], text);
        printf("%s{\"name\": ", i > 0 ? ", " : "");
        print_json_string(text);
        printf(", \"reference\": %" PRIu64 ", \"other\": %" PRIu64 "}", d->numbers[i].a,
               d->numbers[i].b);
    }
    printf("]");
}

static void json_outcomes(const struct command *c, const struct play *p,
                          const struct outcome *outcomes) {
    printf("%s\n  {\"game\": ", c->games > 1 ? "," : "");
    print_json_string(c->game);
    printf(", \"sha1\": \"%s\"", p->cartridge->sha1);
    if (c->random) {
        printf(", \"seed\": %" PRIu64, c->seed);
    } else if (p->files.movie != NULL) {
        printf(", \"movie\": ");
        print_json_string(p->files.movie);
    }
    printf(", \"reference\": \"%s\", \"ways\": [",
           is_slow(c, p) ? "interp+no-skip+no-fast" : "interp");
    for (size_t i = 0; i < c->ways.list.len; i++) {
        const struct outcome *const o = &outcomes[i];
        printf("%s\n    {\"way\": \"%s\", \"equal\": %s, \"frames\": %" PRIu64
               ", \"instructions\": %" PRIu64,
               i > 0 ? "," : "", c->ways.list.at[i].name, o->equal ? "true" : "false", o->frames,
               o->instructions);
        if (!o->equal)
            json_divergence(&o->where);
        printf("}");
    }
    printf("]}");
}

/* ---- running ---- */

static enum status before_frame(void *user, uint64_t frame, struct error *e) {
    struct command *const c = user;
    if (interrupt_signal() != 0)
        return error_set(e, STATUS_INTERRUPTED, "%s: stopped by signal %d in frame %" PRIu64,
                         c->game, interrupt_signal(), frame);
    c->progress.done = (double)frame;
    if ((frame & 15) == 0)
        progress_show(&c->progress, c->game);
    return STATUS_OK;
}

static enum status press_at_random(struct command *c, struct play *p, struct error *e) {
    movie_free(&p->movie);
    enum status status = fingers_fill(&p->movie, p->end, c->seed, e);
    if (status != STATUS_OK)
        error_prefix(e, "%s", c->game);
    return status;
}

static enum status compare(struct command *c, struct play *p, struct outcome *outcomes,
                           struct error *e) {
    struct bytes state = {0};
    enum status status = STATUS_OK;
    if (c->random)
        status = press_at_random(c, p, e);
    if (status == STATUS_OK && c->wish.load_state != NULL)
        status = nes_save(p->nes, &state, e);
    const bool slow = is_slow(c, p);
    const struct lockstep l = {.cartridge = p->cartridge,
                               .movie = &p->movie,
                               .state = c->wish.load_state != NULL ? &state : NULL,
                               .console = p->console,
                               .end = p->end,
                               .reference = {.no_skip = slow, .no_fast = slow},
                               .ways = c->ways.list.at,
                               .count = c->ways.list.len,
                               .frame = before_frame,
                               .user = c};
    progress_start(&c->progress, (double)p->end);
    if (status == STATUS_OK)
        status = lockstep_run(&l, outcomes, e);
    progress_end(&c->progress);
    bytes_free(&state);
    return status;
}

/* Reports a ROM for which no machine can be created, and continues. */
static enum status refuse(struct command *c, const struct play *p, enum status why,
                          const struct error *e) {
    if ((why != STATUS_UNSUPPORTED && why != STATUS_FORMAT) || p->cartridge != NULL)
        return why;
    c->refused++;
    FILE *const to = c->json ? stderr : stdout;
    fputs(c->json ? "hotgraph: refused: " : "refused: ", to);
    print_safe(to, e->text);
    fputc('\n', to);
    return STATUS_OK;
}

static void count(struct command *c, const struct outcome *outcomes) {
    for (size_t i = 0; i < c->ways.list.len; i++) {
        c->runs++;
        c->frames += outcomes[i].frames;
        c->differ += !outcomes[i].equal;
    }
}

static enum status run_game(struct command *c, const char *game, struct error *e) {
    struct play p = {0};
    struct outcome *const outcomes = calloc(c->ways.list.len, sizeof *outcomes);
    c->game = game;
    enum status status = outcomes != NULL ? play_open(&p, game, &c->wish, e)
                                          : error_set(e, STATUS_MEMORY, "out of memory");
    if (status != STATUS_OK) {
        status = refuse(c, &p, status, e);
    } else if ((status = compare(c, &p, outcomes, e)) == STATUS_OK) {
        c->games++;
        count(c, outcomes);
        (c->json ? json_outcomes : print_outcomes)(c, &p, outcomes);
        if (fflush(stdout) != 0)
            status =
                error_set(e, STATUS_IO, "standard output: cannot be written: %s", strerror(errno));
    }
    play_close(&p);
    free(outcomes);
    return status;
}

static void print_end(const struct command *c) {
    if (c->json) {
        printf("],\n \"runs\": %u, \"differ\": %u, \"refused\": %u, \"frames\": %" PRIu64 "}\n",
               c->runs, c->differ, c->refused, c->frames);
        return;
    }
    printf("%u game%s, %u runs of %" PRIu64 " frames in all: ", c->games, c->games == 1 ? "" : "s",
           c->runs, c->frames);
    if (c->runs == 0)
        printf("nothing was compared");
    else if (c->differ > 0)
        printf("%u differ", c->differ);
    else
        printf("all equal");
    if (c->refused > 0)
        printf("; %u refused", c->refused);
    putchar('\n');
}

static int run(struct command *c, const struct operands *operands) {
    struct error e = {0};
    enum status status = STATUS_OK;
    interrupt_catch();
    for (size_t i = 0; i < c->named.items.len && status == STATUS_OK; i++)
        status = ways_add(&c->ways, c->named.items.at[i], &e);
    if (c->named.items.len == 0)
        status = ways_add_standard(&c->ways, &e);
    const bool wrong_way = status == STATUS_ARGUMENT;
    if (c->json && status == STATUS_OK)
        printf("{\"games\": [");
    for (unsigned i = 0; i < operands->count && status == STATUS_OK; i++)
        status = run_game(c, operands->at[i], &e);
    if (status == STATUS_OK)
        print_end(c);
    vec_free(&c->ways.list);
    vec_free(&c->named.items);
    if (wrong_way)
        return usage_error("lockstep", "%s", e.text);
    return status != STATUS_OK ? failure(&e) : c->differ > 0 || c->runs == 0 ? EXIT_FAILURE : 0;
}

int command_lockstep(int argc, char **argv) {
    struct command c = {.wish.engine.kind = ENGINE_INTERP};
    const struct option_spec options[] = {
        {"movie", "FILE", "play this .fm2 movie instead of the game's own", OPTION_STRING,
         .to = &c.wish.movie},
        {"random", "SEED",
         "instead of a movie, press what 'hotgraph movie make --seed SEED' does without a ROM",
         OPTION_NUMBER, .to = &c.seed, .most = INT64_MAX, .given = &c.random},
        {"frames", "N",
         "end after frame N-1, counted from power-on (default: the movie's length; 18000 without a "
         "movie)",
         OPTION_NUMBER, .to = &c.wish.frames, .least = 1, .most = PLAY_FRAMES_MOST,
         .given = &c.wish.frames_given},
        {"way", "WAY", "run this way; may be repeated", OPTION_LIST, .to = &c.named},
        {"no-fast", NULL, "compare with the interpreter cycle by cycle, for any number of frames",
         OPTION_FLAG, .to = &c.no_fast},
        {"fast", NULL, "compare with the normal interpreter, for any number of frames", OPTION_FLAG,
         .to = &c.fast},
        {"load-state", "FILE", "start from a state saved by replay --save-state, in its frame",
         OPTION_STRING, .to = &c.wish.load_state},
        {"force", NULL, "play a movie that was made with another ROM", OPTION_FLAG,
         .to = &c.wish.force},
        {"json", NULL, "print the outcome as JSON", OPTION_FLAG, .to = &c.json},
        {0},
    };
    char manual[8192];
    snprintf(manual, sizeof manual, "%s%s%s", details, ways_manual, examples);
    const struct usage usage = {
        .command = "lockstep",
        .operands = GAME_OPERAND "...",
        .least = 1,
        .most = 100000,
        .summary = "Runs games on the interpreter and on variants of both engines in lockstep, and "
                   "finds the first instruction at which they differ.",
        .details = manual,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    c.wish.no_movie = c.random;
    if (c.random && c.wish.movie != NULL)
        return usage_error("lockstep", "give either --random or --movie");
    if (c.fast && c.no_fast)
        return usage_error("lockstep", "give either --fast or --no-fast");
    return run(&c, &operands);
}
