/* hotgraph cost: counts the host instructions that a profiler adds to a replay. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/command.h"
#include "commands/profile/parameters.h"
#include "commands/profile/sampling_rows.h"
#include "counted/counted.h"
#include "play/play.h"
#include "profile/structure/structure.h"

struct cost_command {
    struct play_options wish;
    struct technique_choice choice;
    struct sampling_choice sampling;
    const char *functions;
    uint64_t from;
    const char *watch;
    bool json;
};

static const char details[] = GAME_DETAILS
    "By default the game's own movie is played.\n"
    "\n"
    "Counts host instructions in the translator, without a profiler and with one: a\n"
    "technique that watches by itself (default: exact), a sampler, or the recorder of\n"
    "the structure. Translated code is counted exactly, C functions by their calls and a\n"
    "table of what they cost. The numbers are the same on every machine. The steady\n"
    "state begins with frame --from, when nearly everything is translated. Memory is what\n"
    "is allocated at most, samples included, and the room of translated code.\n"
    "\n"
    "Examples:\n"
    "  hotgraph cost mazewisp --frames 3600\n"
    "  hotgraph cost mazewisp --watch sampler --by time --frames 3600\n"
    "  hotgraph structure mazewisp --out m.structure\n"
    "  hotgraph cost mazewisp --watch sampler --by active --per-million 600 \\\n"
    "      --place calls --structure m.structure\n";

/* ---- output ---- */

struct pair {
    struct counted bare, with;
    uint64_t frames, steady; /* numbers of frames */
};

static double a_frame(uint64_t count, uint64_t frames) {
    return frames > 0 ? (double)count / (double)frames : 0;
}

static double added(uint64_t with, uint64_t bare) {
    return bare > 0 ? 100.0 * ((double)with - (double)bare) / (double)bare : 0;
}

static void print_row(const char *name, uint64_t whole, uint64_t steady, const struct pair *p) {
    printf("%-32s %12.2f %12.2f\n", name, a_frame(whole, p->frames), a_frame(steady, p->steady));
}

static void print_text(const struct pair *p) {
    const struct counted *const b = &p->bare, *const w = &p->with;
    printf("%-32s %12s %12s\n", "a frame", "whole run", "steady");
    print_row("host instructions, bare", b->host, b->host_steady, p);
    print_row("  in translated code", b->translated, b->translated_steady, p);
    print_row("host instructions, profiled", w->host, w->host_steady, p);
    print_row("  in translated code", w->translated, w->translated_steady, p);
    print_row("probes fired", w->probes, w->probes_steady, p);
    print_row("calls of the profiler", w->handlers, w->handlers_steady, p);
    print_row("samples", w->samples, w->samples_steady, p);
    printf("%-32s %12.2f %12.2f\n", "added, %", added(w->host, b->host),
           added(w->host_steady, b->host_steady));
    printf("%-32s %12.1f\n", "memory added, KiB", ((double)w->memory - (double)b->memory) / 1024);
}

static void print_side(const char *name, const struct counted *c) {
    printf("\"%s\": {\"host\": %" PRIu64 ", \"host_steady\": %" PRIu64 ", \"translated\": %" PRIu64
           ", \"translated_steady\": %" PRIu64 ", \"probes\": %" PRIu64
           ", \"probes_steady\": %" PRIu64 ", \"handlers\": %" PRIu64
           ", \"handlers_steady\": %" PRIu64 ", \"samples\": %" PRIu64
           ", \"samples_steady\": %" PRIu64 ", \"memory\": %" PRIu64 ", \"unpriced\": %" PRIu64
           ", \"ram_hash\": \"%016" PRIx64 "\"}",
           name, c->host, c->host_steady, c->translated, c->translated_steady, c->probes,
           c->probes_steady, c->handlers, c->handlers_steady, c->samples, c->samples_steady,
           c->memory, c->unpriced, c->ram_hash);
}

static void print_json(const struct pair *p) {
    printf("{\"frames\": %" PRIu64 ", \"steady\": %" PRIu64 ", ", p->frames, p->steady);
    print_side("bare", &p->bare);
    printf(", ");
    print_side("with", &p->with);
    printf("}\n");
}

/* ---- counting ---- */

static void write_function(void *file, const char *function, uint64_t calls, uint64_t steady) {
    fprintf(file, "%s\t%" PRIu64 "\t%" PRIu64 "\n", function, calls, steady);
}

static const char *const watchers[] = {"nobody", "structure", "sampler", "technique", NULL};
static_assert(COUNTED_BARE == 0 && COUNTED_STRUCTURE == 1 && COUNTED_SAMPLER == 2 &&
                  COUNTED_TECHNIQUE == 3,
              "in the order of the words");

static enum counted_kind kind_of(const char *word) {
    unsigned i = 0;
    while (strcmp(watchers[i], word) != 0)
        i++;
    return (enum counted_kind)i;
}

static enum status count_with(const struct cost_command *c, struct counted_request *r,
                              struct counted *out, struct error *e) {
    struct structure structure = {0};
    enum status status = STATUS_OK;
    if (c->sampling.structure)
        status = structure_read(&structure, c->sampling.structure, e);
    r->sampler = c->sampling.sampler;
    r->sampler.structure = c->sampling.structure ? &structure : NULL;
    r->technique = c->choice.technique->name;
    r->values = c->choice.values;
    r->kind = kind_of(c->watch);
    if (status == STATUS_OK)
        status = counted_replay(r, out, e);
    structure_free(&structure);
    return status;
}

static enum status count(void *command, struct play *p, struct error *e) {
    const struct cost_command *c = command;
    struct pair pair = {.frames = p->end};
    struct counted_request r = {.cartridge = p->cartridge,
                                .movie = &p->movie,
                                .console = p->console,
                                .frames = p->end,
                                .from = c->from < p->end ? c->from : p->end};
    pair.steady = r.frames - r.from;
    enum status status = counted_replay(&r, &pair.bare, e);
    FILE *functions = NULL;
    if (status == STATUS_OK && c->functions && !(functions = fopen(c->functions, "w")))
        status = error_set(e, STATUS_IO, "%s: cannot be written", c->functions);
    r.each = functions ? write_function : NULL;
    r.user = functions;
    if (status == STATUS_OK)
        status = count_with(c, &r, &pair.with, e);
    if (functions)
        fclose(functions);
    if (status == STATUS_OK)
        (c->json ? print_json : print_text)(&pair);
    return status;
}

int command_cost(int argc, char **argv) {
    struct cost_command c = {.watch = "technique", .from = 3000};
    technique_choose(&c.choice, argc, argv, true, "exact");
    struct option_spec options[TECHNIQUE_PARAMETERS + SAMPLING_ROWS + 6] = {
        technique_option(&c.choice),
        {"watch", "WHO", "the observer: technique (default), sampler, structure or nobody",
         OPTION_CHOICE, .to = &c.watch, .choices = watchers},
        {"from", "FRAME", "the steady state's first frame (default 3000)", OPTION_NUMBER,
         .to = &c.from, .most = PLAY_FRAMES_MOST},
        {"functions", "FILE", "write the calls of each C function: in all, and in the steady state",
         OPTION_STRING, .to = &c.functions, .file = FILE_WRITTEN},
        {"json", NULL, "print JSON", OPTION_FLAG, .to = &c.json},
    };
    size_t rows = 5;
    for (size_t i = 0; c.choice.rows[i].name != NULL; i++)
        options[rows++] = c.choice.rows[i];
    sampling_rows(&c.sampling, options + rows);
    const struct play_usage usage = {
        .command = "cost",
        .summary = "Counts the host instructions that a profiler adds to a replay.",
        .details = details,
        .options = options,
    };
    int exit_status;
    const char *game = play_parse(&usage, &c.wish, argc, argv, &exit_status);
    if (game == NULL)
        return exit_status;
    if (!sampling_chosen(&c.sampling, "cost"))
        return EXIT_USAGE;
    if (c.choice.technique->in_hardware && strcmp(c.watch, "technique") == 0)
        return usage_error(
            "cost",
            "a processor does by itself what %s models, so host instructions are not "
            "its cost; 'hotgraph profile' counts what it writes",
            c.choice.technique->name);
    technique_chosen(&c.choice);
    c.wish.silent = true;
    return play_command(game, &c.wish, count, &c);
}
