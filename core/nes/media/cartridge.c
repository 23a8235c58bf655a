/*
 * Cartridge files: iNES 1.0 and NES 2.0, as the NESdev wiki describes them ("INES", "NES 2.0").
 *
 * A file that this machine cannot run is refused here. The message names the reason and a remedy.
 */
#include "nes/board/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_SIZE = 16,
    PRG_UNIT = 16 * 1024,
    CHR_UNIT = 8 * 1024,
    PRG_GRAIN = 8 * 1024, /* size of the smallest PRG bank of any board, and of banks in code
                             addresses */
    CHR_GRAIN = 1024,     /* size of the smallest CHR bank */
    LARGEST = 64 << 20,   /* no board addresses more */
    MAPPER_ACTION_53 = 28,
    MAPPER_UNROM_512 = 30,
};

/* The content of a header; sizes in bytes. */
struct header {
    bool nes2, trainer, battery, four_screen, vertical;
    unsigned console; /* 0 home console, 1 Vs. System, 2 PlayChoice-10, 3 others */
    unsigned timing;  /* NES 2.0: 0 NTSC, 1 PAL, 2 either, 3 Dendy */
    unsigned mapper, submapper, misc_roms;
    uint64_t prg_size, chr_size, prg_ram, chr_ram;
};

/* NES 2.0 sizes: 12 bits of units, or, with all upper bits set, 2^exponent * (1, 3, 5 or 7).
 * Exponents that no file can hold give UINT64_MAX. */
static uint64_t nes2_size(uint8_t low, uint8_t high, uint64_t unit) {
    if (high != 15)
        return ((uint64_t)high << 8 | low) * unit;
    unsigned exponent = low >> 2;
    if (exponent > 40)
        return UINT64_MAX;
    return ((uint64_t)1 << exponent) * ((low & 3u) * 2 + 1);
}

static uint64_t nes2_ram(unsigned shift) {
    return shift == 0 ? 0 : (uint64_t)64 << shift;
}

static void header_nes2(struct header *h, const uint8_t *at) {
    h->nes2 = true;
    h->console = at[7] & 3;
    h->mapper = (unsigned)at[6] >> 4 | (at[7] & 0xF0u) | (at[8] & 0x0Fu) << 8;
    h->submapper = at[8] >> 4;
    h->prg_size = nes2_size(at[4], at[9] & 15, PRG_UNIT);
    h->chr_size = nes2_size(at[5], at[9] >> 4, CHR_UNIT);
    h->prg_ram = nes2_ram(at[10] & 15) + nes2_ram(at[10] >> 4);
    h->chr_ram = nes2_ram(at[11] & 15) + nes2_ram(at[11] >> 4);
    h->timing = at[12] & 3;
    h->misc_roms = at[14] & 3;
}

static void header_ines(struct header *h, const uint8_t *at) {
    static const uint8_t zeros[4];
    h->mapper = at[6] >> 4;
    h->prg_size = (uint64_t)at[4] * PRG_UNIT;
    h->chr_size = (uint64_t)at[5] * CHR_UNIT;
    h->prg_ram = 8 * 1024;
    /* Old tools wrote their names into bytes 7 to 15 ("DiskDude!"). If the last four bytes are not
     * zero, or bit 2 of byte 7 is set, byte 7 and everything after it is meaningless. */
    if ((at[7] & 0x0C) == 0 && memcmp(at + 12, zeros, sizeof zeros) == 0) {
        h->mapper |= at[7] & 0xF0u;
        h->console = at[7] & 3;
        if (at[8] != 0)
            h->prg_ram = (uint64_t)at[8] * 8 * 1024;
        /* Few tools set bytes 8 and 9 correctly. So more RAM than the board can address is
         * accepted, and the TV system in byte 9 is ignored (as FCEUX and Mesen do; NESdev, "INES":
         * "very few emulators honor this bit"). NES 2.0 headers are reliable. */
        const struct mapper_ops *ops = mapper_find(h->mapper);
        if (ops && h->prg_ram > ops->ram_most)
            h->prg_ram = ops->ram_most;
    }
    if (h->chr_size == 0) { /* two of the boards have more, and games for them use it */
        const bool more = h->mapper == MAPPER_ACTION_53 || h->mapper == MAPPER_UNROM_512;
        h->chr_ram = more ? 32 * 1024 : 8 * 1024;
    }
}

static struct header header_decode(const uint8_t *at) {
    struct header h = {0};
    h.vertical = at[6] & 1;
    h.battery = at[6] & 2;
    h.trainer = at[6] & 4;
    h.four_screen = at[6] & 8;
    if ((at[7] & 0x0C) == 0x08)
        header_nes2(&h, at);
    else
        header_ines(&h, at);
    return h;
}

static enum status refuse_magic(const uint8_t *at, size_t len, const char *name, struct error *e) {
    static const struct {
        const char *magic, *what;
    } others[] = {
        {"PK\3\4", "a ZIP archive: unpack it and give the .nes file inside"},
        {"7z\xBC\xAF", "a 7z archive: unpack it and give the .nes file inside"},
        {"Rar!", "a RAR archive: unpack it and give the .nes file inside"},
        {"UNIF", "a UNIF file: convert it to NES 2.0"},
        {"FDS\x1A", "a disk image of the Famicom Disk System, which is not emulated"},
        {"NESM", "an NSF music file, not a game"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (len >= 4 && memcmp(at, others[i].magic, 4) == 0)
            return error_set(e, STATUS_FORMAT, "%s: not an iNES file but %s", name, others[i].what);
    return error_set(e, STATUS_FORMAT,
                     "%s: not an iNES file: it does not start with the bytes 4E 45 53 1A (\"NES\" "
                     "and end of file); a dump without header needs one",
                     name);
}

static enum status check_board(const struct header *h, const char *name, struct error *e) {
    char known[256] = "";
    const struct mapper_ops *ops = mapper_find(h->mapper);
    for (size_t i = 0, len = 0; !ops && mapper_at(i) && len < sizeof known; i++)
        len += (size_t)snprintf(known + len, sizeof known - len, "%s%u (%s)", i ? ", " : "",
                                mapper_at(i)->number, mapper_at(i)->name);
    if (!ops)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: its board, mapper %u, is not emulated; those that are: %s", name,
                         h->mapper, known);
    if (!(ops->submappers >> h->submapper & 1))
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: submapper %u of mapper %u (%s), a variant of the cartridge board, is "
                         "not emulated",
                         name, h->submapper, h->mapper, ops->name);
    return STATUS_OK;
}

/* Refuses unsupported machines and boards. */
static enum status check_machine(const struct header *h, const char *name, struct error *e) {
    static const char *const consoles[4] = {
        [1] = "a Vs. System arcade game",
        [2] = "a PlayChoice-10 arcade game",
        [3] = "for a console that only resembles an NES",
    };
    if (h->console != 0)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: its header (byte 7) says it is %s; only cartridges of the home "
                         "console run here: correct the header if it is wrong",
                         name, consoles[h->console]);
    if (h->timing == 1 || h->timing == 3)
        return error_set(
            e, STATUS_UNSUPPORTED,
            "%s: its header (byte 12) says it is for the %s console, and only the NTSC one is "
            "emulated: use the NTSC release, or correct the header if it is "
            "wrong",
            name, h->timing == 3 ? "Dendy" : "PAL");
    enum status status = check_board(h, name, e);
    if (status != STATUS_OK)
        return status;
    if (h->trainer)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: has a trainer (512 bytes of a copier's code before PRG), which no "
                         "original cartridge has: use a clean dump without it",
                         name);
    if (h->misc_roms != 0)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: has %u more ROMs (byte 14) than PRG and CHR, which no supported "
                         "board has",
                         name, h->misc_roms);
    return STATUS_OK;
}

/* Refuses sizes beyond the board's address lines. More CHR RAM is harmless: the rest of the chip is
 * unreachable. */
static enum status check_capacity(struct header *h, const char *name, struct error *e) {
    const struct mapper_ops *ops = mapper_find(h->mapper);
    if (h->chr_ram > ops->chr_most)
        h->chr_ram = ops->chr_most;
    const uint64_t chr = h->chr_size + h->chr_ram;
    if (h->mapper == 0 &&
        ((h->prg_size != 8 * 1024 && h->prg_size != 16 * 1024 && h->prg_size != 32 * 1024) ||
         chr > 8 * 1024 || h->prg_ram > 8 * 1024))
        return error_set(
            e, STATUS_FORMAT,
            "%s: impossible size: mapper 0 (NROM) holds 8, 16 or 32 KiB of PRG, and at "
            "most 8 KiB of CHR and of RAM, and the header says %llu, %llu and %llu "
            "KiB",
            name, (unsigned long long)h->prg_size / 1024, (unsigned long long)chr / 1024,
            (unsigned long long)h->prg_ram / 1024);
    if (h->prg_size > ops->prg_most || chr > ops->chr_most || h->prg_ram > ops->ram_most)
        return error_set(
            e, STATUS_FORMAT,
            "%s: impossible size: mapper %u (%s) holds at most %u KiB of PRG, %u KiB of CHR "
            "and at most %u KiB of RAM, and the header says %llu, %llu and %llu KiB",
            name, h->mapper, ops->name, ops->prg_most / 1024, ops->chr_most / 1024,
            ops->ram_most / 1024, (unsigned long long)h->prg_size / 1024,
            (unsigned long long)chr / 1024, (unsigned long long)h->prg_ram / 1024);
    return STATUS_OK;
}

/* Refuses sizes that no cartridge of the kind can have. */
static enum status check_sizes(struct header *h, const char *name, struct error *e) {
    if (h->prg_size == 0)
        return error_set(e, STATUS_FORMAT, "%s: impossible size: the header says there is no PRG",
                         name);
    if (h->prg_size > LARGEST || h->prg_size % PRG_GRAIN != 0)
        return error_set(e, STATUS_FORMAT,
                         "%s: impossible size: PRG must be a multiple of 8 KiB and at most 64 MiB "
                         "(header bytes 4 and 9)",
                         name);
    if (h->chr_size > LARGEST || h->chr_size % CHR_GRAIN != 0)
        return error_set(e, STATUS_FORMAT,
                         "%s: impossible size: CHR must be a multiple of 1 KiB and at most 64 MiB "
                         "(header bytes 5 and 9)",
                         name);
    if (h->chr_size == 0 && h->chr_ram == 0)
        return error_set(e, STATUS_FORMAT,
                         "%s: impossible size: the header gives neither CHR ROM nor CHR RAM (bytes "
                         "5 and 11), so nothing could be drawn",
                         name);
    if (h->chr_ram % CHR_GRAIN != 0)
        return error_set(e, STATUS_FORMAT,
                         "%s: impossible size: CHR RAM must be a multiple of 1 KiB (byte 11)",
                         name);
    if (h->chr_size != 0 && h->chr_ram != 0)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: has both CHR ROM and CHR RAM (bytes 5 and 11), which no supported "
                         "board has",
                         name);
    return check_capacity(h, name, e);
}

static enum status check_length(const struct header *h, size_t len, const char *name,
                                struct error *e) {
    uint64_t have = len - HEADER_SIZE;
    if (have < h->prg_size)
        return error_set(e, STATUS_FORMAT,
                         "%s: truncated: the header says %llu bytes of PRG, and only %llu bytes "
                         "follow it: get a whole copy",
                         name, (unsigned long long)h->prg_size, (unsigned long long)have);
    if (have - h->prg_size < h->chr_size)
        return error_set(e, STATUS_FORMAT,
                         "%s: truncated: the header says %llu bytes of CHR, and only %llu bytes "
                         "follow the PRG: get a whole copy",
                         name, (unsigned long long)h->chr_size,
                         (unsigned long long)(have - h->prg_size));
    return STATUS_OK;
}

static void set_name(struct cartridge *c, const char *name) {
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL && slash[1] != 0 ? slash + 1 : name;
    size_t n = strlen(base);
    if (n >= sizeof c->name)
        n = sizeof c->name - 1;
    memcpy(c->name, base, n);
}

/* On mapper 30 the two bits have four meanings (NESdev, "UNROM 512"). */
static enum mirroring mirroring(const struct header *h) {
    if (h->four_screen)
        return h->mapper == MAPPER_UNROM_512 && !h->vertical ? MIRROR_LOW : MIRROR_FOUR;
    return h->vertical ? MIRROR_VERTICAL : MIRROR_HORIZONTAL;
}

static struct cartridge *build(const struct header *h, const uint8_t *data, const char *name) {
    struct cartridge *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    set_name(c, name);
    c->mapper = h->mapper;
    c->submapper = h->submapper;
    c->nes2 = h->nes2;
    c->battery = h->battery;
    c->mirroring = mirroring(h);
    c->prg_size = h->prg_size;
    c->prg_ram_size = h->prg_ram;
    c->chr_is_ram = h->chr_size == 0;
    c->chr_size = c->chr_is_ram ? h->chr_ram : h->chr_size;
    c->prg = malloc(c->prg_size);
    c->chr = calloc(1, c->chr_size);
    if (c->prg == NULL || c->chr == NULL) {
        cartridge_free(c);
        return NULL;
    }
    memcpy(c->prg, data, c->prg_size);
    if (!c->chr_is_ram)
        memcpy(c->chr, data + c->prg_size, c->chr_size);
    sha1_hex(data, h->prg_size + h->chr_size, c->sha1);
    return c;
}

enum status cartridge_parse(struct cartridge **out, const void *data, size_t len, const char *name,
                            struct error *e) {
    *out = NULL;
    const uint8_t *at = data;
    if (len < 4 || memcmp(at, "NES\x1A", 4) != 0)
        return refuse_magic(at, len, name, e);
    if (len < HEADER_SIZE)
        return error_set(e, STATUS_FORMAT,
                         "%s: truncated: the header has 16 bytes, and the file ends after %zu: get "
                         "a whole copy",
                         name, len);
    struct header h = header_decode(at);
    enum status status = check_machine(&h, name, e);
    if (status == STATUS_OK)
        status = check_sizes(&h, name, e);
    if (status == STATUS_OK)
        status = check_length(&h, len, name, e);
    if (status != STATUS_OK)
        return status;
    /* Data after CHR (a title, an overdump) is ignored. */
    *out = build(&h, at + HEADER_SIZE, name);
    return *out != NULL ? STATUS_OK : error_set(e, STATUS_MEMORY, "%s: out of memory", name);
}

enum status cartridge_load(struct cartridge **out, const char *path, struct error *e) {
    *out = NULL;
    struct file_view file;
    enum status status = file_view_path(&file, path, (size_t)2 * LARGEST + HEADER_SIZE, e);
    if (status != STATUS_OK)
        return status;
    status = cartridge_parse(out, file.at, file.len, path, e);
    file_view_free(&file);
    return status;
}

void cartridge_md5(const struct cartridge *c, uint8_t md5[16]) {
    md5_bytes(c->prg, c->prg_size, c->chr, c->chr_is_ram ? 0 : c->chr_size, md5);
}

enum status cartridge_set_submapper(struct cartridge *c, unsigned submapper, struct error *e) {
    const struct header h = {.mapper = c->mapper, .submapper = submapper};
    const enum status status =
        submapper < 16 ? check_board(&h, c->name, e)
                       : error_set(e, STATUS_ARGUMENT, "%s: submappers are 0 to 15", c->name);
    if (status == STATUS_OK)
        c->submapper = submapper;
    return status;
}

void cartridge_free(struct cartridge *c) {
    if (c == NULL)
        return;
    free(c->prg);
    free(c->chr);
    free(c);
}
