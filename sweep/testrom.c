/*
 * hotgraph testrom: runs test ROMs to their verdict.
 *
 * The protocol (readme of blargg's test ROMs): a ROM keeps DE B0 61 at $6001-$6003 and its status
 * at $6000: $80 runs, $81 wants the reset button pressed, not before 100 ms have passed, less than
 * $80 is the result, 0 for passed. A text that ends with a zero byte stands from $6004 on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "nes/nes.h"
#include "options.h"

enum {
    STATUS_AT = 0x6000,
    TEXT_AT = 0x6004,
    TEXT_END = 0x8000,
    RUNNING = 0x80,
    WANTS_RESET = 0x81
};
enum { RESET_AFTER = 7, FRAMES_STANDARD = 3600, FRAMES_MOST = 1000000 }; /* frames */

struct verdict {
    bool decided, jammed;
    uint8_t result; /* 0: passed */
    uint32_t pc;    /* of the JAM */
    uint64_t frames;
    unsigned resets;
};

static bool speaks(const struct nes *nes) {
    return nes_peek(nes, STATUS_AT + 1) == 0xDE && nes_peek(nes, STATUS_AT + 2) == 0xB0 &&
           nes_peek(nes, STATUS_AT + 3) == 0x61;
}

/* Runs until the ROM has decided, a JAM that no reset ends, or `frames`. */
static enum status run_to_verdict(struct nes *nes, uint64_t frames, struct verdict *v,
                                  struct error *e) {
    bool listening = true; /* not between a reset and the $80 that follows */
    unsigned wanted = 0;   /* frames since the reset was asked for */
    for (*v = (struct verdict){0}; v->frames < frames; v->frames++) {
        enum status status = nes_run_frame(nes, e);
        if (status != STATUS_OK)
            return status;
        uint64_t frame;
        const bool asked = listening && speaks(nes) && nes_peek(nes, STATUS_AT) == WANTS_RESET;
        if (!asked && nes_jammed(nes, &v->pc, &frame)) {
            v->jammed = true;
            return STATUS_OK;
        }
        if (!speaks(nes))
            continue;
        const uint8_t now = nes_peek(nes, STATUS_AT);
        if (now == RUNNING)
            listening = true;
        wanted = asked ? wanted + 1 : 0;
        if (wanted > RESET_AFTER) {
            nes_reset(nes, false);
            v->resets++;
            listening = false;
        } else if (listening && now < RUNNING) {
            v->decided = true;
            v->result = now;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

static void print_text(const struct nes *nes) {
    bool line_start = true;
    for (uint16_t at = TEXT_AT; at < TEXT_END; at++) {
        const uint8_t c = nes_peek(nes, at);
        if (c == 0)
            break;
        if (line_start && c != '\n')
            printf("    ");
        putchar(c == '\n' || (c >= ' ' && c <= '~') ? c : '?');
        line_start = c == '\n';
    }
    if (!line_start)
        putchar('\n');
}

static void print_verdict(const char *path, const struct nes *nes, const struct verdict *v) {
    if (v->decided && v->result == 0)
        printf("passed   %s\n", path);
    else if (v->decided)
        printf("failed   %s: result %u\n", path, v->result);
    else if (v->jammed)
        printf("failed   %s: a JAM instruction at $%04X\n", path, (unsigned)v->pc);
    else
        printf("unknown  %s: no verdict after %" PRIu64 " frames\n", path, v->frames);
    if (!(v->decided && v->result == 0) && speaks(nes))
        print_text(nes);
}

/* True when the ROM passed. */
static enum status test_rom(const char *path, uint64_t frames, bool no_fast, bool *passed,
                            struct error *e) {
    struct cartridge *cartridge = NULL;
    struct nes *nes = NULL;
    struct verdict v = {0};
    enum status status = cartridge_load(&cartridge, path, e);
    if (status == STATUS_OK)
        status =
            nes_create(&nes, &(struct nes_options){.cartridge = cartridge, .no_fast = no_fast}, e);
    if (status == STATUS_OK)
        status = run_to_verdict(nes, frames, &v, e);
    if (status == STATUS_OK) {
        print_verdict(path, nes, &v);
        *passed = v.decided && v.result == 0;
    }
    nes_free(nes);
    cartridge_free(cartridge);
    return status;
}

static const char details[] =
    "A ROM passes when it writes the result 0 at $6000, as most public test ROMs do; the\n"
    "reset button is pressed when a ROM asks for it. What a ROM says that did not pass is\n"
    "printed under it. ROMs that show their result on the screen alone have no verdict.\n"
    "\n"
    "Exit status: 0 when every ROM passed, 1 when not, 2 called wrongly.\n";

int command_testrom(int argc, char **argv) {
    uint64_t frames = FRAMES_STANDARD;
    bool no_fast = false;
    const struct option_spec options[] = {
        {"frames", "N", "give up after N frames (standard 3600, a minute)", OPTION_NUMBER,
         .to = &frames, .least = 1, .most = FRAMES_MOST},
        {"no-fast", NULL, "run every instruction cycle by cycle", OPTION_FLAG, .to = &no_fast},
        {0},
    };
    const struct usage usage = {
        .command = "testrom",
        .operands = "ROM...",
        .least = 1,
        .most = 100000,
        .summary = "Runs test ROMs to their verdict and prints it.",
        .details = details,
        .options = options,
    };
    struct operands operands;
    if (!options_parse(&usage, argc, argv, &operands))
        return operands.exit_status;
    unsigned passed = 0;
    int exit_status = 0;
    for (unsigned i = 0; i < operands.count; i++) {
        struct error e = {0};
        bool good = false;
        if (test_rom(operands.at[i], frames, no_fast, &good, &e) != STATUS_OK)
            exit_status = failure(&e);
        else if (!good)
            exit_status = EXIT_FAILURE;
        passed += good;
    }
    if (operands.count > 1)
        printf("%u of %u passed\n", passed, operands.count);
    return exit_status;
}
