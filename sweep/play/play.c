#include "play/play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"

enum { STATE_FILE_LARGEST = 64 << 20 };

const struct option_spec *play_option_rows(struct play_options *o,
                                           struct option_spec rows[PLAY_OPTION_ROWS]) {
    struct option_spec console = console_option(&o->console);
    console.given = &o->console_given;
    const struct option_spec all[PLAY_OPTION_ROWS] = {
        {"movie", "FILE",
         "play this .fm2 movie instead of the game's own; a ROM without a movie runs with no "
         "buttons pressed",
         OPTION_STRING, .to = &o->movie, .file = FILE_READ},
        {"frames", "N",
         "end after frame N-1, counted from power-on (default: the movie's length; 18000 without a "
         "movie); after the movie's end no buttons are pressed",
         OPTION_NUMBER, .to = &o->frames, .least = 1, .most = PLAY_FRAMES_MOST,
         .given = &o->frames_given},
        engine_option(&o->engine),
        console,
        {"no-skip", NULL, "execute busy-waits instruction by instruction: same results, more time",
         OPTION_FLAG, .to = &o->no_skip},
        {"no-fast", NULL,
         "run everything cycle by cycle, to check the fast paths: same results, more time",
         OPTION_FLAG, .to = &o->no_fast},
        {"load-state", "FILE", "start from a state saved by replay --save-state, in its frame",
         OPTION_STRING, .to = &o->load_state, .file = FILE_READ},
        {"force", NULL, "play a movie that was made with another ROM", OPTION_FLAG,
         .to = &o->force},
        {0},
    };
    memcpy(rows, all, sizeof all);
    return rows;
}

static enum status open_movie(struct play *p, const struct play_options *o, struct error *e) {
    if (o->movie != NULL) {
        free(p->files.movie);
        p->files.movie = strdup(o->movie);
        if (p->files.movie == NULL)
            return error_set(e, STATUS_MEMORY, "%s: out of memory", o->movie);
    }
    if (p->files.movie == NULL)
        return STATUS_OK;
    enum status status =
        (o->identify ? movie_load : movie_load_unnamed)(&p->movie, p->files.movie, e);
    if (status != STATUS_OK)
        return status;
    status = movie_matches(&p->movie, p->cartridge, e);
    if (status == STATUS_OK)
        return status;
    error_prefix(e, "%s", p->files.movie);
    if (o->force) {
        warning("%s", e->text);
        return STATUS_OK;
    }
    size_t n = strlen(e->text);
    strncat(e->text, "; --force plays it nevertheless", sizeof e->text - n - 1);
    return status;
}

static enum status load_state(struct play *p, const char *path, struct error *e) {
    struct bytes file;
    enum status status = file_read(&file, path, STATE_FILE_LARGEST, e);
    if (status == STATUS_OK)
        status = nes_load(p->nes, file.at, file.len, path, e);
    bytes_free(&file);
    return status;
}

enum status play_open(struct play *p, const char *game, const struct play_options *o,
                      struct error *e) {
    *p = (struct play){.silent = o->silent};
    enum status status = game_find(&p->files, game, e);
    if (status == STATUS_OK)
        status = cartridge_load(&p->cartridge, p->files.rom, e);
    if (status == STATUS_OK)
        status = open_movie(p, o, e);
    if (status != STATUS_OK)
        return status;
    p->console = o->console_given ? o->console : p->files.console;
    const struct nes_options options = {.cartridge = p->cartridge,
                                        .console = p->console,
                                        .pictures = o->pictures,
                                        .no_skip = o->no_skip,
                                        .no_fast = o->no_fast};
    status = engine_create(&p->nes, &o->engine, &options, e);
    if (status == STATUS_OK && o->load_state != NULL)
        status = load_state(p, o->load_state, e);
    if (status != STATUS_OK)
        return status;
    p->end = o->frames_given          ? o->frames
             : p->files.movie != NULL ? movie_frames(&p->movie)
                                      : PLAY_FRAMES_STANDARD;
    p->first = nes_frame(p->nes);
    p->cycles = nes_cycle(p->nes);
    p->instructions = nes_instructions(p->nes);
    if (p->files.movie != NULL && !o->no_movie && p->end > movie_frames(&p->movie))
        warning(
            "%s: the movie has %llu frames; after them, up to frame %llu, no buttons are pressed",
            p->files.movie, (unsigned long long)movie_frames(&p->movie),
            (unsigned long long)p->end);
    if (p->files.movie == NULL && !o->no_movie)
        warning("%s: no movie: no buttons are pressed, so this may only show the title screen; "
                "give one with --movie, or make one with 'hotgraph movie make'",
                p->files.rom);
    if (p->first >= p->end)
        return error_set(e, STATUS_ARGUMENT,
                         "%s: nothing to play: %s frame %llu, and the replay is to end before "
                         "frame %llu; --frames counts from power-on",
                         o->load_state != NULL ? o->load_state
                         : o->movie != NULL    ? o->movie
                                               : game,
                         o->load_state != NULL ? "the state is of" : "it starts in",
                         (unsigned long long)p->first, (unsigned long long)p->end);
    return STATUS_OK;
}

void play_close(struct play *p) {
    nes_free(p->nes);
    movie_free(&p->movie);
    cartridge_free(p->cartridge);
    game_files_free(&p->files);
    *p = (struct play){0};
}

const char *play_parse(const struct play_usage *u, struct play_options *wish, int argc, char **argv,
                       int *exit_status) {
    struct option_spec rows[PLAY_OPTION_ROWS];
    const struct usage usage = {
        .command = u->command,
        .operands = GAME_OPERAND,
        .inputs = 1,
        .least = 1,
        .most = 1,
        .summary = u->summary,
        .details = u->details,
        .options = u->options,
        .more = play_option_rows(wish, rows),
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands)) {
        *exit_status = operands.exit_status;
        return NULL;
    }
    if (u->out != NULL && *u->out == NULL) {
        *exit_status = usage_error(u->command, "--out FILE is missing");
        return NULL;
    }
    *exit_status = game_spared(&usage, operands.at[0]);
    return *exit_status == 0 ? operands.at[0] : NULL;
}

void play_comments(struct play_comments *out, const struct play *p, const char *what) {
    snprintf(out->text[0], sizeof out->text[0], "%s of %.255s %s", what, p->cartridge->name,
             p->cartridge->sha1);
    snprintf(out->text[1], sizeof out->text[1], "movie %s frames %" PRIu64 " %" PRIu64,
             p->files.movie != NULL ? p->movie.sha1 : "none", p->first, p->end);
    for (int i = 0; i < PLAY_COMMENTS; i++) {
        out->at[i] = out->text[i];
        for (char *s = out->text[i]; *s != '\0'; s++)
            if (*s == '\n' || *s == '\r')
                *s = '?'; /* allowed in a file name, but not in a comment */
    }
}

int play_command(const char *game, const struct play_options *options,
                 enum status (*work)(void *self, struct play *p, struct error *e), void *self) {
    struct play p;
    struct error e = {0};
    interrupt_catch(); /* before a command opens its results */
    enum status status = play_open(&p, game, options, &e);
    if (status == STATUS_OK)
        status = work(self, &p, &e);
    play_close(&p);
    return status == STATUS_OK ? 0 : failure(&e);
}

bool play_translation(const struct play *p, struct dbt_statistics *out) {
    if (nes_engine(p->nes) != dbt_engine())
        return false;
    dbt_statistics(p->nes, out);
    return true;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum status play_run(struct play *p, struct play_hooks hooks, struct error *e) {
    struct progress progress;
    progress_start(&progress, (double)(p->end - nes_frame(p->nes)));
    double begun = now();
    enum status status = STATUS_OK;
    while (status == STATUS_OK && nes_frame(p->nes) < p->end) {
        uint64_t frame = nes_frame(p->nes);
        if (interrupt_signal() != 0)
            status = error_set(e, STATUS_INTERRUPTED, "%s: stopped by signal %d in frame %llu",
                               p->cartridge->name, interrupt_signal(), (unsigned long long)frame);
        if (status == STATUS_OK && hooks.before != NULL)
            status = hooks.before(hooks.user, p, frame, e);
        if (status != STATUS_OK)
            break;
        status = movie_play_frame(&p->movie, p->nes, e);
        if (status != STATUS_OK)
            error_prefix(e, "%s", p->cartridge->name);
        if (status == STATUS_OK && hooks.after != NULL)
            status = hooks.after(hooks.user, p, frame, e);
        progress.done++;
        if (!p->silent && (frame & 63) == 0)
            progress_show(&progress, p->cartridge->name);
    }
    progress_end(&progress);
    p->seconds += now() - begun;
    if (status == STATUS_OK && nes_nmi_ignored(p->nes))
        warning("%s: enables its NMI while the PPU still ignores $2000, and never again; if it "
                "does not start, use --console warmup=off",
                p->cartridge->name);
    return status;
}
