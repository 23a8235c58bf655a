/* The machine: creation, power, reset, and the loop that all engines share. */
#include <stdlib.h>
#include <string.h>

#include "nes/cpu/cpu_exec.h"
#include "nes/cpu/deadline.h"
#include "nes/idle/storm.h"
#include "nes/idle/wait_pass.h"
#include "nes/machine/machine.h"
#include "nes/observe/watch.h"

/* ---- creation ---- */

static void power_on(struct nes *n) {
    static const uint8_t pattern[8] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
    for (unsigned i = 0; i < RAM_SIZE; i++)
        n->memory.ram[i] = pattern[i % 8];
    n->cpu.r = (struct registers){.nz = 1};
    n->memory.bus = 0;
    n->lines.nmi_level = false;
    n->pads.strobe = n->pads.written = false;
    n->pads.strobe_cycle = NEVER;
    memset(n->pads.shift, 0, sizeof n->pads.shift);
    memset(n->pads.out, 0, sizeof n->pads.out);
    board_power(&n->board);
    ppu_power(&n->ppu, n->cpu.cycle);
    apu_power(&n->apu, n->cpu.cycle);
    bus_map(n);
    n->memory.epoch++;
}

/* Restarts the processor, whatever it was doing; all published events are void. */
static void restart(struct nes *n) {
    n->cpu.phase = PHASE_RESET;
    n->idle.interrupted = n->cpu.instructions;
    n->cpu.due = n->lines.nmi_pending = n->dma.oam_pending = n->observed.announced = false;
    bus_forget_lines(n);
    n->dma.from = apu_dmc_deadline(&n->apu);
    n->frame.end = ppu_frame_end(&n->ppu);
    n->frame.estimated = false;
}

enum status nes_create(struct nes **out, const struct nes_options *options, struct error *e) {
    *out = NULL;
    struct nes *n = calloc(1, sizeof *n);
    if (!n)
        return error_set(e, STATUS_MEMORY, "out of memory for a machine");
    n->made.options = *options;
    n->made.engine = options->engine ? options->engine : &engine_interpreter;
    enum status status = board_init(&n->board, options->cartridge, e);
    if (status == STATUS_OK && options->pictures) {
        n->made.pictures = calloc(2 * PPU_WIDTH * PPU_HEIGHT, sizeof *n->made.pictures);
        if (!n->made.pictures)
            status = error_set(e, STATUS_MEMORY, "out of memory for pictures");
    }
    if (status == STATUS_OK)
        status = watch_create(n, e);
    if (status == STATUS_OK && n->made.engine->create)
        status = n->made.engine->create(&n->made.engine_self, n, e);
    if (status != STATUS_OK) {
        nes_free(n);
        return status;
    }
    ppu_init(&n->ppu, &n->board, n->made.pictures, &options->console);
    n->dma.latch.cycle = NEVER;
    n->pads.read_cycle[0] = n->pads.read_cycle[1] = NEVER - 1;
    power_on(n);
    restart(n);
    spin_forget(n);
    *out = n;
    return STATUS_OK;
}

void nes_free(struct nes *n) {
    if (!n)
        return;
    if (n->made.engine_self && n->made.engine->destroy)
        n->made.engine->destroy(n->made.engine_self);
    watch_free(n);
    board_free(&n->board);
    free(n->made.pictures);
    free(n);
}

void nes_reset(struct nes *n, bool hard) {
    ppu_sync(&n->ppu, n->cpu.cycle);
    if (n->cpu.phase != PHASE_RESET)
        contexts_end(n, THREAD_RESET);
    if (hard) {
        power_on(n);
    } else {
        ppu_reset(&n->ppu, n->cpu.cycle);
        apu_reset(&n->apu, n->cpu.cycle);
    }
    restart(n);
}

/* ---- running ---- */

/* The next vertical blank comes 29,780 or 29,781 cycles after the last one. This is decided on the
 * pre-render line. True once the machine is past that line. */
static bool knows_frame(const struct nes *n) {
    return n->cpu.cycle >= n->frame.end - (LESS_THAN_FRAME - MORE_THAN_BLANK);
}

/* True if the alarm of this boundary is only for transfers to follow, which advance() does. */
static bool follows_now(const struct nes *n) {
    return n->observed.follow && may_run_fast(n, n->cpu.r.p & P_I);
}

/* Handles everything that happens at the current boundary before the next instruction. */
static void at_boundary(struct nes *n) {
    if (n->frame.estimated && knows_frame(n)) {
        ppu_begin_frame(&n->ppu, n->cpu.cycle);
        n->frame.end = ppu_frame_end(&n->ppu);
        n->frame.estimated = false;
        bus_begin_frame(n);
    } else if (n->cpu.cycle >= n->frame.end) {
        n->frame.number++;
        n->frame.end += LESS_THAN_FRAME;
        n->frame.estimated = true;
        watch_trim(n);
    }
    if (n->cpu.cycle >= n->observed.alarm && !follows_now(n))
        watch_alarms(n);
}

/* The engine has stopped at the start of a busy-wait: skips it. */
static void skip_found_wait(struct nes *n, uint64_t target) {
    struct wait *const wait = n->idle.waiting;
    n->idle.waiting = NULL;
    if (n->cpu.cycle >= earlier(target, n->frame.end) ||
        (n->cpu.cycle >= n->observed.alarm && follows_now(n)))
        return;
    if (n->cpu.cycle >= n->observed.alarm) { /* a recording may be complete */
        const uint32_t epoch = n->memory.epoch;
        watch_alarms(n);
        n->observed.attention = false;
        if (n->memory.epoch != epoch) /* observers came or went: the engine has freed `wait` */
            return;
    }
    const uint64_t start = n->cpu.cycle;
    wait_pass(n, wait, earlier(target, n->frame.end), earlier(n->lines.event, n->dma.from));
    spin_waited(n, n->cpu.cycle - start);
}

static void step(struct nes *n, uint64_t stop) {
    if (!n->cpu.due || !storm_pass(n, stop))
        nes_step(n);
}

/* Executes one step, and further ones that an engine would return at once. */
static void step_on(struct nes *n, uint64_t stop) {
    do
        step(n, stop);
    while (n->cpu.cycle < stop && !n->observed.attention && !n->observed.announced &&
           (n->cpu.due || next_is_rti(n) ||
            n->cpu.cycle + LONGEST_INSTRUCTION > earlier(n->lines.event, n->dma.from)));
}

/* Runs from one boundary to a later one: not beyond the first boundary at or after `target`, the
 * end of the frame and the next alarm. */
static void advance(struct nes *n, uint64_t target) {
    const uint64_t end = earlier(target, n->frame.end);
    uint64_t stop = earlier(end, n->observed.alarm);
    if (may_run_fast(n, n->cpu.r.p & P_I)) {
        const uint64_t start = n->cpu.cycle, deadline = earlier(n->lines.event, n->dma.from);
        if (n->observed.follow && start >= n->observed.follow->from) {
            cpu_follow(n, end);
            return;
        }
        const uint64_t spin = spin_next(n);
        if (start >= spin) {
            spin_try(n, stop);
            return;
        }
        stop = earlier(stop, spin);
        n->observed.attention = false;
        n->observed.later_stop = end;
        if (n->observed.recorder && n->made.engine->record)
            n->made.engine->record(n->made.engine_self, n, stop, deadline);
        else if (n->observed.recorder)
            cpu_run_recorded(n, stop, deadline);
        else if (n->observed.stepping)
            cpu_run_watched(n, stop, deadline);
        else
            n->made.engine->run(n->made.engine_self, n, stop, deadline);
        if (n->idle.waiting) {
            skip_found_wait(n, target);
            return;
        }
        /* Past `stop`, or after a request by a callback: the caller handles that first. */
        if ((n->cpu.cycle >= stop || n->observed.attention) && n->cpu.cycle != start &&
            !n->observed.announced)
            return;
    }
    step_on(n, stop);
}

static enum status memory_left(const struct nes *n, struct error *e) {
    return n->observed.watch->out_of_memory
               ? error_set(e, STATUS_MEMORY, "out of memory for probes")
               : STATUS_OK;
}

enum status nes_run_frame(struct nes *n, struct error *e) {
    const uint64_t frame = n->frame.number;
    for (at_boundary(n); n->frame.number == frame; at_boundary(n))
        advance(n, NEVER);
    return memory_left(n, e);
}

enum status nes_run_to(struct nes *n, uint64_t cycle, struct error *e) {
    for (at_boundary(n); n->cpu.cycle < cycle; at_boundary(n))
        advance(n, cycle);
    return memory_left(n, e);
}

void nes_set_buttons(struct nes *n, unsigned port, uint8_t buttons) {
    bus_strobe(n); /* it latches the buttons held when it ended */
    n->pads.buttons[port] = buttons;
}

void nes_draw(struct nes *n, bool draw) {
    if (n->made.pictures)
        ppu_draw(&n->ppu, draw, n->cpu.cycle);
}

const uint16_t *nes_picture(struct nes *n) {
    return n->made.pictures ? ppu_picture(&n->ppu, n->cpu.cycle) : NULL;
}

/* ---- the interpreter as an engine ---- */

static void interpreter_run(void *self, struct nes *n, uint64_t stop, uint64_t deadline) {
    (void)self;
    if (n->observed.watched)
        cpu_run_watched(n, stop, deadline);
    else if (n->made.options.no_skip)
        cpu_run_plain(n, stop, deadline);
    else
        cpu_run_fast(n, stop, deadline, true);
}

const struct engine engine_interpreter = {.name = "interp", .run = interpreter_run};
