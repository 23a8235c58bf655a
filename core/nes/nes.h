/*
 * nes: a deterministic, headless NTSC NES, cycle-exact at the bus.
 *
 * Invariants
 *  - The same cartridge, input and options give the same states at every frame: on any engine,
 *    with any observers, with pictures or without.
 *  - No state outside struct nes: any number of machines run in one process, each on one thread at
 *    a time.
 *  - Frame i (from 0) ends when its vertical blank begins: at the first instruction boundary at or
 *    after the cycle in which the PPU sets its vblank flag (line 241, dot 1), before any interrupt
 *    is taken there. Frame 0 starts at power-on.
 *  - Cycle 0 starts the reset sequence. RAM at power-on is 00 00 00 00 FF FF FF FF repeating
 *    (FCEUX's default).
 *
 *     struct cartridge *cart;
 *     struct nes *nes;
 *     if (cartridge_load(&cart, "game.nes", &err) ||
 *         nes_create(&nes, &(struct nes_options){.cartridge = cart}, &err))
 *         ...
 *     for (int i = 0; i < 600; i++) {
 *         nes_set_buttons(nes, 0, buttons);
 *         if (nes_run_frame(nes, &err)) ...
 *     }
 */
#ifndef HOTGRAPH_NES_H
#define HOTGRAPH_NES_H

#include "base/base.h"
#include "nes/probe.h"

/* ---- cartridges: iNES 1.0 and NES 2.0; immutable once loaded, may be shared by machines ---- */

enum mirroring { MIRROR_HORIZONTAL, MIRROR_VERTICAL, MIRROR_FOUR, MIRROR_LOW, MIRROR_HIGH };

struct cartridge {
    char name[256]; /* file name, for messages */
    unsigned mapper, submapper;
    bool nes2;
    uint8_t *prg, *chr; /* chr is RAM of chr_size bytes when chr_is_ram */
    size_t prg_size, chr_size, prg_ram_size;
    bool chr_is_ram;
    bool battery; /* something on the board keeps its content; on mapper 30: PRG is flash */
    enum mirroring mirroring;
    char sha1[41]; /* of PRG and CHR without the header: the ROM's identity */
};
enum status cartridge_load(struct cartridge **out, const char *path, struct error *e);
enum status cartridge_parse(struct cartridge **out, const void *data, size_t len, const char *name,
                            struct error *e);
/* Takes the cartridge for another variant of its board; STATUS_UNSUPPORTED when there is none. */
enum status cartridge_set_submapper(struct cartridge *c, unsigned submapper, struct error *e);
/* Of the bytes that sha1 is of: FM2's romChecksum. */
void cartridge_md5(const struct cartridge *c, uint8_t md5[16]);
void cartridge_free(struct cartridge *c);

/* ---- the console: how it was built, where consoles differ; a property of a replay ---- */

struct nes_console {
    /* The PPU obeys $2000, $2001, $2005 and $2006 at once. Usually it ignores them from power-on or
     * reset until the first pre-render line, as in consoles with a front loader (NESdev, "PPU power
     * up state"); some programs turn their NMI on before, and most emulators let them. */
    bool no_warmup;
    /* So many dots further than usual the PPU is at power-on and reset, 0 to 340: line 0, dot
     * `alignment` comes with cycle 0. At 0 instructions and dots stand to each other as in the log
     * of nestest. Programs whose reads of $2002 race with vertical blank depend on it. */
    unsigned alignment;
};
enum { NES_CONSOLE_TEXT = 40 };
/* As text, which nes_console_parse() reads: "warmup=on,alignment=0". */
void nes_console_text(char text[NES_CONSOLE_TEXT], const struct nes_console *c);
/* Words may be left out, and are usual then. STATUS_ARGUMENT, and *out as it was, when `text` is
 * none. */
enum status nes_console_parse(struct nes_console *out, const char *text, struct error *e);

/* ---- the machine ---- */

struct engine; /* nes/engine.h */
extern const struct engine engine_interpreter;

struct nes_options {
    const struct cartridge *cartridge; /* borrowed; must outlive the machine */
    const struct engine *engine;       /* NULL: the interpreter */
    const void *engine_options;        /* the engine's own; NULL: the usual ones */
    struct nes_console console;        /* zero: the usual one */
    bool pictures;                     /* compute pixels: nes_picture() and nes_draw() work */
    bool no_skip; /* execute busy-waits instead of passing over them in one step */
    bool no_fast; /* run everything cycle by cycle (to test the fast paths against) */
};

enum status nes_create(struct nes **out, const struct nes_options *options, struct error *e);
void nes_free(struct nes *nes);
/* The engine that it was made with. */
const struct engine *nes_engine(const struct nes *nes);

enum { /* one bit a button, in the order the pad shifts them out */
       NES_A = 1,
       NES_B = 2,
       NES_SELECT = 4,
       NES_START = 8,
       NES_UP = 16,
       NES_DOWN = 32,
       NES_LEFT = 64,
       NES_RIGHT = 128
};
/* What pad `port` (0 or 1) holds from now on. */
void nes_set_buttons(struct nes *nes, unsigned port, uint8_t buttons);

/* Runs to the end of the current frame. STATUS_GUEST never comes from here: a JAM holds the bus for
 * the rest of each frame until a reset; see nes_jammed. */
enum status nes_run_frame(struct nes *nes, struct error *e);
/* Runs to the first instruction boundary at or after `cycle` (or to where a JAM holds the bus at
 * it). */
enum status nes_run_to(struct nes *nes, uint64_t cycle, struct error *e);
/* The reset button (soft) or power off and on (hard): takes effect at once, at an instruction
 * boundary. Frame numbers and cycles go on. */
void nes_reset(struct nes *nes, bool hard);

/* ---- looking at it ---- */

struct cpu_registers {
    uint16_t pc;
    uint8_t a, x, y, s, p; /* p: bit 5 set, bit 4 clear */
};
struct cpu_registers nes_registers(const struct nes *nes);
uint64_t nes_cycle(const struct nes *nes);
uint64_t
nes_frame(const struct nes *nes); /* number of the frame that is being run: whole frames so far */
/* Executed so far; a JAM is one, interrupt and reset sequences are none. */
uint64_t nes_instructions(const struct nes *nes);
/* How many of them were busy-waits passed over in one step, with all counts as if executed. */
uint64_t nes_skipped(const struct nes *nes);
const uint8_t *nes_ram(const struct nes *nes); /* 2 KiB */
/* True when the processor stands at a JAM; its code address and frame in *pc and *frame. */
bool nes_jammed(const struct nes *nes, uint32_t *pc, uint64_t *frame);
uint64_t nes_ram_hash(const struct nes *nes); /* 64-bit FNV-1a of the 2 KiB */
/* Hash of the whole state (as saved), to compare engines with. */
uint64_t nes_state_hash(const struct nes *nes);
/* One number of the state that is `a` in one machine and `b` in another. */
struct nes_difference {
    const char *part;    /* "CPU", "PPU", "PRG RAM", ... */
    const char *member;  /* "cycle", "ram", ...; "" where the part is one memory */
    size_t index, count; /* which of `count` such numbers */
    uint64_t a, b;
};
/* Compares the whole states (as saved) of two machines with the same cartridge, far quicker than by
 * their hashes. Returns how many numbers differ, and stores the first `most`. */
size_t nes_differences(const struct nes *a, const struct nes *b, struct nes_difference *out,
                       size_t most);
uint32_t nes_code_address(const struct nes *nes, uint16_t pc);
/* True when the program has turned its NMI on where this console's PPU ignores it
 * (console.no_warmup obeys it), and never since: it may wait for ever. */
bool nes_nmi_ignored(const struct nes *nes);
/* Reads memory the way the processor sees it, without any side effect; registers read as 0. */
uint8_t nes_peek(const struct nes *nes, uint16_t address);
/* The same of the PPU's memory: patterns $0000-$1FFF, name tables $2000-$3EFF, palette $3F00. */
uint8_t nes_peek_video(const struct nes *nes, uint16_t address);
/* The line (0-261) and dot (0-340) that the PPU has reached when `cycle` begins: the present one
 * (nes_cycle, or what a probe is told) or one later, if nothing touches the PPU until then. */
void nes_place(const struct nes *nes, uint64_t cycle, unsigned *line, unsigned *dot);
/* 256 x 240 pixels of the last whole frame, row by row; bits 0-5 palette entry, bits 6-8 emphasis.
 * After nes_run_frame it is the frame that has just ended. NULL without pictures, and while none
 * has been drawn whole since drawing began, or since a state was loaded. */
const uint16_t *nes_picture(struct nes *nes);
/* Whether pixels are computed from now on, on a machine with pictures; at first they are. Pixels
 * cost time: a frame's are all computed when drawing is on from before it begins to its end. */
void nes_draw(struct nes *nes, bool draw);
/* Palette: RGB of the 512 values a pixel can have. */
void nes_palette(uint8_t rgb[512][3]);

/* ---- saving and loading: at instruction boundaries; observers and engine are not part of a state
 * ---- */

enum status nes_save(const struct nes *nes, struct bytes *out, struct error *e);
enum status nes_load(struct nes *nes, const void *data, size_t len, const char *name,
                     struct error *e);

/* ---- opcodes, for everybody ---- */

enum addressing_mode {
    MODE_IMP,
    MODE_ACC,
    MODE_IMM,
    MODE_ZP,
    MODE_ZPX,
    MODE_ZPY,
    MODE_IZX,
    MODE_IZY,
    MODE_ABS,
    MODE_ABX,
    MODE_ABY,
    MODE_IND,
    MODE_REL
};
enum { /* registers and flags, one bit each, for read and write sets */
       REG_A = 1,
       REG_X = 2,
       REG_Y = 4,
       REG_S = 8,
       FLAG_C = 16,
       FLAG_Z = 32,
       FLAG_I = 64,
       FLAG_D = 128,
       FLAG_V = 256,
       FLAG_N = 512
};
struct opcode_info {
    char name[4];
    uint8_t mode;   /* enum addressing_mode */
    uint8_t size;   /* bytes: BRK 2, JAM 1 */
    uint8_t cycles; /* without page-crossing and branch penalties */
    uint8_t kind;   /* enum insn_kind */
    /* memory: through the operand; stack: pushes and pulls (TSX and TXS do not) */
    bool reads_memory, writes_memory, uses_stack, documented;
    uint16_t reads, writes; /* registers and flags */
};
const struct opcode_info *opcode_info(uint8_t opcode);
/* The static half of the busy-wait test (spec: exact-graph.md): writes no memory, touches no stack,
 * operands only immediate, implied, zero page, or absolute in RAM, PRG or $2002. */
bool opcode_may_wait(const uint8_t bytes[3]);
/* One line of assembly, e.g. "LDA $10,X"; bytes has room for 3. */
void disassemble(char text[32], uint16_t pc, const uint8_t bytes[3]);

#endif
