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
    uint8_t *prg, *chr; /* chr: RAM of chr_size bytes if chr_is_ram */
    size_t prg_size, chr_size, prg_ram_size;
    bool chr_is_ram;
    bool battery; /* the board has battery-backed memory; on mapper 30: PRG is flash */
    enum mirroring mirroring;
    char sha1[41]; /* of PRG and CHR without the header: the ROM's identity */
};
enum status cartridge_load(struct cartridge **out, const char *path, struct error *e);
enum status cartridge_parse(struct cartridge **out, const void *data, size_t len, const char *name,
                            struct error *e);
/* Selects another variant of the cartridge's board; STATUS_UNSUPPORTED if there is none. */
enum status cartridge_set_submapper(struct cartridge *c, unsigned submapper, struct error *e);
/* MD5 of the bytes that sha1 covers: FM2's romChecksum. */
void cartridge_md5(const struct cartridge *c, uint8_t md5[16]);
void cartridge_free(struct cartridge *c);

/* ---- console: the respects in which consoles differ; a property of a replay ---- */

struct nes_console {
    /* The PPU accepts $2000, $2001, $2005 and $2006 at once. The default is to ignore them from
     * power-on or reset until the first pre-render line, as consoles with a front loader do
     * (NESdev, "PPU power up state"). Some programs turn their NMI on earlier, and most emulators
     * let them. */
    bool no_warmup;
    /* Number of dots, 0 to 340, by which the PPU is ahead at power-on and reset: cycle 0 starts at
     * line 0, dot `alignment`. 0 gives the alignment of nestest's log. Programs whose reads of
     * $2002 race with vertical blank depend on it. */
    unsigned alignment;
};
enum { NES_CONSOLE_TEXT = 40 };
/* Formats it as text that nes_console_parse() reads: "warmup=on,alignment=0". */
void nes_console_text(char text[NES_CONSOLE_TEXT], const struct nes_console *c);
/* Omitted words get their defaults. STATUS_ARGUMENT, with *out unchanged, if `text` is invalid. */
enum status nes_console_parse(struct nes_console *out, const char *text, struct error *e);

/* ---- the machine ---- */

struct engine; /* nes/engine.h */
extern const struct engine engine_interpreter;

struct nes_options {
    const struct cartridge *cartridge; /* borrowed; must outlive the machine */
    const struct engine *engine;       /* NULL: the interpreter */
    const void *engine_options;        /* of the engine's own type; NULL: defaults */
    struct nes_console console;        /* zero: the usual console */
    bool pictures;                     /* compute pixels: nes_picture() and nes_draw() work */
    bool no_skip;                      /* execute busy-waits instead of skipping them */
    bool no_fast; /* run everything cycle by cycle (a reference for the fast paths) */
};

enum status nes_create(struct nes **out, const struct nes_options *options, struct error *e);
void nes_free(struct nes *nes);
/* The engine given at creation. */
const struct engine *nes_engine(const struct nes *nes);

enum { /* one bit for each button, in the order in which the pad shifts them out */
       NES_A = 1,
       NES_B = 2,
       NES_SELECT = 4,
       NES_START = 8,
       NES_UP = 16,
       NES_DOWN = 32,
       NES_LEFT = 64,
       NES_RIGHT = 128
};
/* Sets the buttons held on pad `port` (0 or 1) from now on. */
void nes_set_buttons(struct nes *nes, unsigned port, uint8_t buttons);

/* Runs to the end of the current frame. Never returns STATUS_GUEST: a JAM holds the bus for the
 * rest of each frame until a reset; see nes_jammed(). */
enum status nes_run_frame(struct nes *nes, struct error *e);
/* Runs to the first instruction boundary at or after `cycle`; a jammed processor runs to `cycle`
 * itself. */
enum status nes_run_to(struct nes *nes, uint64_t cycle, struct error *e);
/* Presses the reset button (soft), or turns power off and on (hard); takes effect at once, at an
 * instruction boundary. Frame numbers and cycles continue. */
void nes_reset(struct nes *nes, bool hard);

/* ---- inspection ---- */

struct cpu_registers {
    uint16_t pc;
    uint8_t a, x, y, s, p; /* p: bit 5 set, bit 4 clear */
};
struct cpu_registers nes_registers(const struct nes *nes);
uint64_t nes_cycle(const struct nes *nes);
/* Cycle in which the last instruction started that was executed cycle by cycle. At an alarm that comes
 * more than an instruction late, because of DMA, and before an interrupt, it is the last one of all. */
uint64_t nes_previous_start(const struct nes *nes);
uint64_t nes_frame(const struct nes *nes); /* number of the current frame: complete frames so far */
/* Instructions executed so far. A JAM counts as one; interrupt and reset sequences do not count. */
uint64_t nes_instructions(const struct nes *nes);
/* Of these, instructions of busy-waits that were skipped, and counted as if executed. */
uint64_t nes_skipped(const struct nes *nes);
const uint8_t *nes_ram(const struct nes *nes); /* 2 KiB */
/* True if the processor has executed a JAM; *pc becomes its code address, *frame its frame. */
bool nes_jammed(const struct nes *nes, uint32_t *pc, uint64_t *frame);
uint64_t nes_ram_hash(const struct nes *nes); /* 64-bit FNV-1a of the 2 KiB */
/* Hash of the whole saved state, for comparing engines. */
uint64_t nes_state_hash(const struct nes *nes);
/* A number of the state that is `a` in one machine and `b` in the other. */
struct nes_difference {
    const char *part;    /* "CPU", "PPU", "PRG RAM", ... */
    const char *member;  /* "cycle", "ram", ...; "" if the part is a single memory */
    size_t index, count; /* index among `count` numbers of this member */
    uint64_t a, b;
};
/* Compares the whole saved states of two machines with the same cartridge, much faster than their
 * hashes. Returns the number of differing numbers, and stores the first `most`. */
size_t nes_differences(const struct nes *a, const struct nes *b, struct nes_difference *out,
                       size_t most);
uint32_t nes_code_address(const struct nes *nes, uint16_t pc);
/* True if the program has turned its NMI on while this console's PPU ignored it (console.no_warmup
 * accepts it), and has not done so since: it may wait for ever. */
bool nes_nmi_ignored(const struct nes *nes);
/* Reads memory as the processor sees it, without side effects; registers read as 0. */
uint8_t nes_peek(const struct nes *nes, uint16_t address);
/* The same for the PPU's memory: patterns $0000-$1FFF, name tables $2000-$3EFF, palette $3F00. */
uint8_t nes_peek_video(const struct nes *nes, uint16_t address);
/* The line (0-261) and dot (0-340) that the PPU has reached when `cycle` begins, if nothing
 * accesses the PPU before. `cycle` is the current one (nes_cycle(), or that of a probe) or a later
 * one. */
void nes_place(const struct nes *nes, uint64_t cycle, unsigned *line, unsigned *dot);
/* 256 x 240 pixels of the last complete frame, row by row; bits 0-5 palette entry, bits 6-8
 * emphasis. After nes_run_frame() that is the frame just ended. NULL without pictures, and until a
 * frame was drawn completely since drawing began or a state was loaded. */
const uint16_t *nes_picture(struct nes *nes);
/* Turns drawing on or off, on a machine with pictures; it starts on. Pixels cost time. A frame is
 * complete if drawing is on from before its start to its end. */
void nes_draw(struct nes *nes, bool draw);
/* RGB of the 512 values of a pixel. */
void nes_palette(uint8_t rgb[512][3]);

/* ---- saving and loading: at instruction boundaries; a state contains neither observers nor engine
 * ---- */

enum status nes_save(const struct nes *nes, struct bytes *out, struct error *e);
enum status nes_load(struct nes *nes, const void *data, size_t len, const char *name,
                     struct error *e);

/* ---- opcodes ---- */

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
    /* memory: through the operand; stack: pushes and pulls (not TSX and TXS) */
    bool reads_memory, writes_memory, uses_stack, documented;
    uint16_t reads, writes; /* registers and flags */
};
const struct opcode_info *opcode_info(uint8_t opcode);
/* The static half of the busy-wait test (core/graph/busy.c has the other half). True if the
 * instruction writes no memory, does not use the stack, and has an operand that is immediate,
 * implied, zero page, or absolute in RAM, PRG or $2002. */
bool opcode_may_wait(const uint8_t bytes[3]);
/* Formats one line of assembly, such as "LDA $10,X"; bytes has room for 3. */
void disassemble(char text[32], uint16_t pc, const uint8_t bytes[3]);

#endif
