/* hotgraph replay: plays a movie and prints a summary. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "commands/play/adapt.h"
#include "play/play.h"

struct shot {
    uint64_t frame;
    const char *path;
};

struct replay {
    struct play_options wish;
    const char *profile, *ram_hash, *dump_ram, *dump_ram_at, *dump_pictures, *video, *trace_range,
        *save_state;
    struct option_list screenshots;
    uint64_t every; /* frames between two pictures of the video */
    bool json, every_given;

    VEC(struct shot) shots;
    uint64_t trace_from, trace_to;
    const char *checkpoint_path;
    uint16_t checkpoint_address;
    struct file_writer *hashes, *dump, *pictures, *checkpoint_dump, *state;
    struct checkpoints checkpoints;
    struct trace trace;
    struct likely_paths likely;
    struct adaptation adaptation;
};

static const char details[] =
    GAME_DETAILS "By default the game's own movie is played.\n"
                 "\n"
                 "Frames count from 0 at power-on. Frame i ends when its vertical blank begins,\n"
                 "at an instruction boundary; during it, the program reads line i+1 of the\n"
                 "movie, as in FCEUX. A line with a reset takes no frame; the reset happens\n"
                 "before the next line. At power-on, RAM contains 00 00 00 00 FF FF FF FF,\n"
                 "repeated.\n"
                 "\n"
                 "Files:\n"
                 "  --ram-hash       one line per frame: its number, and the 64-bit FNV-1a of\n"
                 "                   the 2 KiB of RAM at its end, hexadecimal\n"
                 "  --dump-ram       these 2,048 bytes themselves, frame after frame\n"
                 "  --dump-ram-at    the same after each instruction whose operand is the byte\n"
                 "                   ADDR (hexadecimal, 0000 to 07FF) and which writes it: if a\n"
                 "                   game counts its steps there, one dump per step\n"
                 "  --dump-pictures  two bytes per pixel, low byte first, row by row: bits 0 to\n"
                 "                   5 are the palette entry, bits 6 to 8 the emphasis of red,\n"
                 "                   green and blue\n"
                 "A file whose name ends in .gz is compressed. Files appear complete at the end\n"
                 "of the replay, or not at all.\n"
                 "\n"
                 "The trace has one line per executed instruction, with tabs between columns:\n"
                 "  FRAME CYCLE ADDRESS BYTES DISASSEMBLY REGISTERS  before execution\n"
                 "  FRAME * CHANGE CAUSE ADDRESS S:hh                an interrupt or reset\n"
                 "FRAME and CYCLE are decimal, the rest is hexadecimal. ADDRESS is the code\n"
                 "address: the processor's address, with the number of the 8 KiB bank in the\n"
                 "upper 16 bits if the cartridge switches PRG. Lines with * describe interrupted\n"
                 "contexts. CHANGE is 'begins' (a handler, a reset, or the trace itself),\n"
                 "'suspended' (by an interrupt; would continue at ADDRESS), 'resumes' (by the\n"
                 "matching RTI) or 'ends' (will never continue at ADDRESS). CAUSE is start,\n"
                 "reset, NMI, IRQ or RTI. S is the stack pointer, with 'suspended' after the\n"
                 "push. The exact graph can be computed from these lines.\n"
                 "\n"
                 "With --adapt, a technique watches the game inside the replay, with the options\n"
                 "that 'hotgraph profile' has for it; 'hotgraph replay GAME --adapt NAME --help'\n"
                 "shows them. After --adapt-after, it detaches, and the translator translates\n"
                 "the hot blocks again. --every is then an option of a technique on samples, and\n"
                 "a video has every frame.\n"
                 "\n"
                 "Instructions and cycles in the summary count only the frames played, even\n"
                 "after --load-state. Instructions skipped in busy-waits are included; their\n"
                 "share affects only the run time, since engines and their options recognise\n"
                 "some busy-waits earlier than others.\n"
                 "\n"
                 "Examples:\n"
                 "  hotgraph replay mazewisp --json\n"
                 "  hotgraph replay game.nes --frames 600 --screenshot 599:end.png\n"
                 "  hotgraph replay game.nes --movie m.fm2 --frames 60 --trace 58:60 >trace.txt\n";

/* ---- options ---- */

/* Parses "FRAME:FILE". */
static bool parse_shot(const char *text, struct shot *out) {
    char *end;
    errno = 0;
    out->frame = strtoull(text, &end, 10);
    out->path = end + 1;
    return text[0] >= '0' && text[0] <= '9' && errno == 0 && *end == ':' && end[1] != 0;
}

/* Parses "FROM:TO". */
static bool parse_range(const char *text, uint64_t *from, uint64_t *to) {
    struct shot first;
    if (!parse_shot(text, &first) || first.path[0] < '0' || first.path[0] > '9')
        return false;
    char *end;
    errno = 0;
    *from = first.frame;
    *to = strtoull(first.path, &end, 10);
    return errno == 0 && *end == 0 && *from < *to;
}

/* Parses "ADDR:FILE"; ADDR has up to four hexadecimal digits and is below $0800. */
static bool parse_checkpoint(const char *text, uint16_t *address, const char **path) {
    const size_t digits = strspn(text, "0123456789ABCDEFabcdef");
    const unsigned long value = digits >= 1 && digits <= 4 ? strtoul(text, NULL, 16) : ULONG_MAX;
    *address = (uint16_t)value;
    *path = text + digits + 1;
    return value < 0x0800 && text[digits] == ':' && text[digits + 1] != 0;
}

/* The file in "FRAME:FILE" and "ADDR:FILE"; NULL: check_options() reports the error. */
static const char *after_colon(const char *value) {
    const char *colon = strchr(value, ':');
    return colon != NULL && colon[1] != '\0' ? colon + 1 : NULL;
}

/* Returns 0, or the exit status. */
static int check_options(struct replay *r) {
    for (size_t i = 0; i < r->screenshots.items.len; i++) {
        struct shot shot;
        if (!parse_shot(r->screenshots.items.at[i], &shot))
            return usage_error("replay", "--screenshot takes FRAME:FILE.png, not '%s'",
                               r->screenshots.items.at[i]);
        const size_t n = strlen(shot.path);
        if (n < 4 || strcasecmp(shot.path + n - 4, ".png") != 0)
            return usage_error("replay", "--screenshot writes PNG: '%s' must end in .png",
                               shot.path);
        if (!vec_push(&r->shots, shot))
            return failure(&(struct error){.text = "out of memory"});
    }
    if (r->trace_range != NULL && !parse_range(r->trace_range, &r->trace_from, &r->trace_to))
        return usage_error("replay", "--trace takes FROM:TO with FROM < TO, not '%s'",
                           r->trace_range);
    if (r->dump_ram_at != NULL &&
        !parse_checkpoint(r->dump_ram_at, &r->checkpoint_address, &r->checkpoint_path))
        return usage_error("replay",
                           "--dump-ram-at takes ADDR:FILE with ADDR from 0000 to 07FF, not '%s'",
                           r->dump_ram_at);
    if (r->every_given && r->video == NULL)
        return usage_error("replay", "--every selects frames of --video, but --video is missing");
    if (r->trace_range != NULL && r->json)
        return usage_error("replay", "--trace and --json both write to standard output: give one");
    return 0;
}

/* Refuses frames that will not be played. */
static enum status check_frames(const struct replay *r, const struct play *p, struct error *e) {
    for (size_t i = 0; i < r->shots.len; i++)
        if (r->shots.at[i].frame < p->first || r->shots.at[i].frame >= p->end)
            return error_set(e, STATUS_ARGUMENT,
                             "%s: frame %" PRIu64 " is not played: the replay has frames %" PRIu64
                             " to %" PRIu64,
                             r->shots.at[i].path, r->shots.at[i].frame, p->first, p->end - 1);
    if (r->trace_range != NULL && (r->trace_from < p->first || r->trace_to > p->end))
        return error_set(e, STATUS_ARGUMENT,
                         "--trace %s: the replay has frames %" PRIu64 " to %" PRIu64
                         ", and TO may be one more",
                         r->trace_range, p->first, p->end - 1);
    return STATUS_OK;
}

/* ---- while it plays ---- */

static bool in_video(const struct replay *r, const struct play *p, uint64_t frame) {
    return r->video != NULL && (frame - p->first) % r->every == 0;
}

static bool in_shots(const struct replay *r, uint64_t frame) {
    for (size_t i = 0; i < r->shots.len; i++)
        if (r->shots.at[i].frame == frame)
            return true;
    return false;
}

static bool is_drawn(const struct replay *r, const struct play *p, uint64_t frame) {
    return r->pictures != NULL || in_video(r, p, frame) || in_shots(r, frame);
}

static enum status before_frame(void *user, struct play *p, uint64_t frame, struct error *e) {
    struct replay *r = user;
    nes_draw(p->nes, is_drawn(r, p, frame));
    if (r->checkpoint_dump != NULL && frame == p->first) {
        enum status status = checkpoints_begin(&r->checkpoints, p->nes, r->checkpoint_address,
                                               r->checkpoint_dump, e);
        if (status != STATUS_OK)
            return status;
    }
    if (r->trace_range != NULL && frame == r->trace_from)
        return trace_begin(&r->trace, p->nes, stdout, e);
    return STATUS_OK;
}

/* The frame that just ended has no picture if the replay began in the middle of it. */
static enum status picture_of(struct play *p, uint64_t frame, const uint16_t **out,
                              struct error *e) {
    *out = nes_picture(p->nes);
    return *out != NULL
               ? STATUS_OK
               : error_set(e, STATUS_ARGUMENT,
                           "frame %" PRIu64
                           " has no complete picture: the state was saved in the middle of it",
                           frame);
}

/* Writes each pixel as two bytes, the low byte first. */
static void dump_picture(struct file_writer *w, const uint16_t *pixels) {
    uint8_t bytes[256 * 240 * 2];
    for (size_t i = 0; i < sizeof bytes / 2; i++) {
        bytes[2 * i] = (uint8_t)pixels[i];
        bytes[2 * i + 1] = (uint8_t)(pixels[i] >> 8);
    }
    file_write(w, bytes, sizeof bytes);
}

static enum status video_frame(const struct replay *r, const uint16_t *pixels, uint64_t frame,
                               struct error *e) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%06" PRIu64 ".png", r->video, frame);
    if (n < 0 || (size_t)n >= sizeof path)
        return error_set(e, STATUS_ARGUMENT, "%s: the name is too long", r->video);
    return picture_write(pixels, path, e);
}

static enum status draw_frame(const struct replay *r, struct play *p, uint64_t frame,
                              struct error *e) {
    const uint16_t *pixels;
    enum status status = picture_of(p, frame, &pixels, e);
    if (status == STATUS_OK && r->pictures != NULL)
        dump_picture(r->pictures, pixels);
    for (size_t i = 0; i < r->shots.len && status == STATUS_OK; i++)
        if (r->shots.at[i].frame == frame)
            status = picture_write(pixels, r->shots.at[i].path, e);
    if (status == STATUS_OK && in_video(r, p, frame))
        status = video_frame(r, pixels, frame, e);
    return status;
}

static enum status after_frame(void *user, struct play *p, uint64_t frame, struct error *e) {
    struct replay *r = user;
    if (r->trace_range != NULL && frame + 1 == r->trace_to)
        trace_end(&r->trace);
    if (r->hashes != NULL)
        file_printf(r->hashes, "%" PRIu64 " %016" PRIx64 "\n", frame, nes_ram_hash(p->nes));
    if (r->dump != NULL)
        file_write(r->dump, nes_ram(p->nes), 2048);
    const enum status status = adaptation_after_frame(&r->adaptation, p, e);
    return status == STATUS_OK && is_drawn(r, p, frame) ? draw_frame(r, p, frame, e) : status;
}

static enum status open_outputs(struct replay *r, struct error *e) {
    enum status status = STATUS_OK;
    if (r->ram_hash != NULL)
        status = file_open(&r->hashes, r->ram_hash, e);
    if (r->dump_ram != NULL && status == STATUS_OK)
        status = file_open(&r->dump, r->dump_ram, e);
    if (r->dump_pictures != NULL && status == STATUS_OK)
        status = file_open(&r->pictures, r->dump_pictures, e);
    if (r->checkpoint_path != NULL && status == STATUS_OK)
        status = file_open(&r->checkpoint_dump, r->checkpoint_path, e);
    if (r->save_state != NULL && status == STATUS_OK)
        status = file_open(&r->state, r->save_state, e);
    if (r->video != NULL && status == STATUS_OK && mkdir(r->video, 0777) != 0 && errno != EEXIST)
        status = file_unmade(r->video, "cannot be created as a folder", errno, e);
    return status;
}

static enum status write_state(struct replay *r, const struct play *p, struct error *e) {
    struct bytes state = {0};
    enum status status = nes_save(p->nes, &state, e);
    if (status == STATUS_OK)
        file_write(r->state, state.at, state.len);
    bytes_free(&state);
    return status;
}

/* Commits all files, or discards them if the replay failed. */
static enum status close_outputs(struct replay *r, enum status status, struct error *e) {
    struct file_writer **const writers[] = {&r->hashes, &r->dump, &r->pictures, &r->checkpoint_dump,
                                            &r->state};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        if (*writers[i] != NULL && status == STATUS_OK)
            status = file_commit(*writers[i], e);
        else
            file_abort(*writers[i]);
        *writers[i] = NULL;
    }
    return status;
}

/* ---- what came of it ---- */

static void print_json(const struct play *p) {
    uint64_t frames = p->end - p->first;
    char console[NES_CONSOLE_TEXT];
    nes_console_text(console, &p->console);
    printf("{\"rom\": ");
    print_json_string(p->files.rom);
    printf(", \"sha1\": \"%s\", \"mapper\": %u,\n \"movie\": ", p->cartridge->sha1,
           p->cartridge->mapper);
    print_json_string(p->files.movie);
    printf(
        ",\n \"first_frame\": %" PRIu64 ", \"frames\": %" PRIu64 ", \"cycles\": %" PRIu64
        ", \"instructions\": %" PRIu64 ", \"skipped\": %" PRIu64 ",\n \"ram_hash\": \"%016" PRIx64
        "\", \"state_hash\": \"%016" PRIx64 "\",\n \"console\": \"%s\", \"engine\": \"%s\", "
        "\"seconds\": %.6f, \"frames_per_second\": %.1f",
        p->first, frames, nes_cycle(p->nes) - p->cycles, nes_instructions(p->nes) - p->instructions,
        nes_skipped(p->nes), nes_ram_hash(p->nes), nes_state_hash(p->nes), console,
        nes_engine(p->nes)->name, p->seconds, (double)frames / p->seconds);
    struct dbt_statistics translation;
    if (play_translation(p, &translation)) {
        printf(",\n \"translation\": ");
        print_translation(&translation);
    }
    printf("}\n");
}

static void print_summary(const struct play *p) {
    uint64_t frames = p->end - p->first;
    printf("%s (%s)\n", p->cartridge->name, p->cartridge->sha1);
    printf("frames        %" PRIu64 " to %" PRIu64 "\n", p->first, p->end - 1);
    const uint64_t instructions = nes_instructions(p->nes) - p->instructions;
    printf("instructions  %" PRIu64 "\n", instructions);
    printf("cycles        %" PRIu64 "\n", nes_cycle(p->nes) - p->cycles);
    printf("RAM hash      %016" PRIx64 "\nstate hash    %016" PRIx64 "\n", nes_ram_hash(p->nes),
           nes_state_hash(p->nes));
    printf("time          %.3f s, %.0f frames/s (%s)\n", p->seconds, (double)frames / p->seconds,
           nes_engine(p->nes)->name);
    printf("skipped       %.1f %% of the instructions, in busy-waits; engines recognise different "
           "ones\n",
           100.0 * (double)nes_skipped(p->nes) / (double)instructions);
}

static enum status check_profile(const struct replay *r, const struct play *p, struct error *e) {
    struct dbt_statistics translation;
    if (r->profile == NULL)
        return STATUS_OK;
    if (r->likely.program[0] != 0 && strcmp(r->likely.program, p->cartridge->sha1) != 0)
        return error_set(e, STATUS_ARGUMENT, "%s: the graph is of another program, %s, not of %s",
                         r->profile, r->likely.program, p->cartridge->sha1);
    if (!play_translation(p, &translation))
        return error_set(e, STATUS_ARGUMENT,
                         "--profile is for the translator, and the interpreter runs here");
    return STATUS_OK;
}

static enum status replay(void *command, struct play *p, struct error *e) {
    struct replay *r = command;
    enum status status = check_frames(r, p, e);
    if (status == STATUS_OK)
        status = check_profile(r, p, e);
    if (status == STATUS_OK)
        status = open_outputs(r, e);
    if (status == STATUS_OK)
        status = adaptation_begin(&r->adaptation, p, e);
    if (status == STATUS_OK)
        status = play_run(
            p, (struct play_hooks){.before = before_frame, .after = after_frame, .user = r}, e);
    trace_end(&r->trace);
    checkpoints_end(&r->checkpoints);
    adaptation_end(&r->adaptation);
    if (status == STATUS_OK && r->state != NULL)
        status = write_state(r, p, e);
    status = close_outputs(r, status, e);
    if (status == STATUS_OK && r->json)
        print_json(p);
    else if (status == STATUS_OK && r->trace_range == NULL)
        print_summary(p);
    return status;
}

static int run(struct replay *r, const char *game) {
    const int exit_status = check_options(r);
    if (exit_status != 0)
        return exit_status;
    if (!adaptation_chosen(&r->adaptation, "replay"))
        return 2;
    if (r->profile != NULL && r->adaptation.choice.technique != NULL)
        return usage_error("replay", "--profile and --adapt both choose the paths: give one");
    r->wish.pictures = r->shots.len != 0 || r->video != NULL || r->dump_pictures != NULL;
    r->wish.silent = r->trace_range != NULL; /* the trace may be printed on the same terminal */
    struct error e = {0};
    if (r->profile != NULL && likely_paths_read(&r->likely, r->profile, &e) != STATUS_OK)
        return failure(&e);
    if (r->profile != NULL)
        r->wish.engine.translator.profile = &r->likely.profile;
    return play_command(game, &r->wish, replay, r);
}

int command_replay(int argc, char **argv) {
    struct replay r = {.every = 1};
    adaptation_choose(&r.adaptation, argc, argv);
    struct option_spec options[OPTIONS_MOST + 1] = {
        {"json", NULL, "print the summary as JSON", OPTION_FLAG, .to = &r.json},
        {"profile", "FILE.graph",
         "translate along the likeliest paths of this graph; only run time depends on it",
         OPTION_STRING, .to = &r.profile, .file = FILE_READ},
        {"ram-hash", "FILE", "write a hash of RAM for every frame", OPTION_STRING,
         .to = &r.ram_hash, .file = FILE_WRITTEN},
        {"dump-ram", "FILE", "write the 2 KiB of RAM of every frame", OPTION_STRING,
         .to = &r.dump_ram, .file = FILE_WRITTEN},
        {"dump-pictures", "FILE", "write the 256 x 240 pixels of every frame as palette indices",
         OPTION_STRING, .to = &r.dump_pictures, .file = FILE_WRITTEN},
        {"dump-ram-at", "ADDR:FILE", "write the 2 KiB of RAM after each write to the byte ADDR",
         OPTION_STRING, .to = &r.dump_ram_at, .file = FILE_WRITTEN, .path = after_colon},
        {"screenshot", "FRAME:FILE.png", "write the picture of a frame; may be repeated",
         OPTION_LIST, .to = &r.screenshots, .file = FILE_WRITTEN, .path = after_colon},
        {"video", "DIR", "write every frame as DIR/000000.png, ...; 60.0988 frames per second",
         OPTION_STRING, .to = &r.video, .file = FILE_FOLDER},
        {"trace", "FROM:TO", "print every instruction of frames FROM to TO-1", OPTION_STRING,
         .to = &r.trace_range},
        {"save-state", "FILE", "write the machine's state after the last frame", OPTION_STRING,
         .to = &r.save_state, .file = FILE_WRITTEN},
    };
    size_t count = 0;
    while (options[count].name != NULL)
        count++;
    if (!adaptation_samples(&r.adaptation)) /* sampling has an option of this name, too */
        options[count++] = (struct option_spec){
            "every",
            "N",
            "write only every Nth frame of the video, beginning with the first",
            OPTION_NUMBER,
            .to = &r.every,
            .least = 1,
            .most = PLAY_FRAMES_MOST,
            .given = &r.every_given};
    adaptation_rows(&r.adaptation, options + count);
    const struct play_usage usage = {
        .command = "replay",
        .summary = "Plays a game on the emulated console and prints a summary: how many "
                   "instructions and cycles it took, and hashes of where it ended. The same ROM "
                   "and movie end the same everywhere.",
        .details = details,
        .options = options,
    };
    int exit_status;
    const char *game = play_parse(&usage, &r.wish, argc, argv, &exit_status);
    if (game != NULL)
        exit_status = run(&r, game);
    vec_free(&r.screenshots.items);
    vec_free(&r.shots);
    likely_paths_free(&r.likely);
    adaptation_free(&r.adaptation);
    return exit_status;
}
