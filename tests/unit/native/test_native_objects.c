/* Reading mapped ELF files: segments, sections, symbols, frames, landing pads. The files are
 * handmade, with everything that compilers emit, and damaged. If this fails, probes go into
 * data, or functions of a stripped program are not found. */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "native/session_state.h"

/* Addresses in the file, and offsets from BASE in memory; 32 bits can hold them. */
enum {
    TEXT = 0x1000,
    PLT = TEXT + 0x600,
    PLT_SEC = TEXT + 0x680,
    FINI = TEXT + 0x700,
    TEXT_END = TEXT + 0x800,
    FRAMES_HEAD = 0x2000,
    FRAMES = 0x2100,
    TABLES = 0x2c00, /* of landing pads */
    WRITTEN = 0x3000,
    RELRO = 0x3100,
    SECTIONS = 0x4000,
    NAMES = 0x4800,
    SYMBOLS = 0x4900,
    STRINGS = 0x4f00,
    SIZE = 0x5000,
    BASE = 0x31000000,
    SLOT = 0x20, /* of a function */
};

static uint8_t image[SIZE]; /* the file */

struct out {
    size_t at;
};

/* Little-endian; a size above 8 extends the value with zeros. */
static void put(struct out *o, uint64_t value, size_t size) {
    assert_true(o->at + size <= SIZE);
    memset(image + o->at, 0, size);
    memcpy(image + o->at, &value, size < sizeof value ? size : sizeof value);
    o->at += size;
}

static void put_leb(struct out *o, int64_t value, bool is_signed) {
    for (;;) {
        const uint8_t byte = value & 0x7f;
        value >>= 7;
        const bool last =
            is_signed ? (value == 0 && !(byte & 0x40)) || (value == -1 && byte & 0x40) : value == 0;
        put(o, last ? byte : byte | 0x80, 1);
        if (last)
            return;
    }
}

/* A pointer to `address` in one of the encodings of the Linux Standard Base, core, 10.5.1. */
static void put_pointer(struct out *o, uint8_t encoding, uint64_t address) {
    const uint64_t v = encoding & 0x10 ? address - (BASE + o->at) : address;
    switch (encoding & 0x0f) {
    case 0x01:
        put_leb(o, (int64_t)v, false);
        break;
    case 0x09:
        put_leb(o, (int64_t)v, true);
        break;
    case 0x02:
    case 0x0a:
        put(o, v, 2);
        break;
    case 0x03:
    case 0x0b:
        put(o, v, 4);
        break;
    default:
        put(o, v, 8);
        break;
    }
}

/* ---- frames ---- */

/* A frame's description, and the expected result of reading it. */
struct frame {
    const char *augmentation;
    uint8_t version, code, data; /* encodings; data 0xff: no table */
    bool found;
    /* Of the table of landing pads, if data is not 0xff. */
    uint8_t base, types, sites; /* encodings; 0xff: omitted */
    uint8_t pads;               /* their number */
    uint16_t size;              /* of the function; 0: half a slot */
    bool large;                 /* with a length of 64 bits */
    bool outside;               /* beside the text */
};

static const struct frame frames[] = {
    /* as gcc and clang write them */
    {"zR", 1, 0x1b, 0xff, .found = true},
    {"zPLR", 1, 0x1b, 0x1b, .found = true, .base = 0xff, .types = 0x9b, .sites = 0x01, .pads = 2},
    {"zRB", 1, 0x1b, 0xff, .found = true},
    {"zRS", 1, 0x1b, 0xff, .found = false}, /* a signal frame may begin before its code */
    {"", 1, 0x00, 0xff, .found = true},
    /* versions */
    {"zR", 3, 0x1b, 0xff, .found = true},
    {"zR", 4, 0x1b, 0xff, .found = true},
    {"zR", 2, 0x1b, 0xff, .found = false},
    {"zR", 0, 0x1b, 0xff, .found = false},
    {"zR", 5, 0x1b, 0xff, .found = false},
    {"zLR", 4, 0x1b, 0x1b, .found = true, .base = 0xff, .types = 0xff, .sites = 0x03, .pads = 3},
    {"zLR", 3, 0x1b, 0x1b, .found = true, .base = 0xff, .types = 0xff, .sites = 0x03, .pads = 1},
    /* encodings of code */
    {"zR", 1, 0x00, 0xff, .found = true},
    {"zR", 1, 0x04, 0xff, .found = true},
    {"zR", 1, 0x0c, 0xff, .found = true},
    {"zR", 1, 0x1c, 0xff, .found = true},
    {"zR", 1, 0x01, 0xff, .found = true},
    {"zR", 1, 0x09, 0xff, .found = true},
    {"zR", 1, 0x19, 0xff, .found = true},
    {"zR", 1, 0x03, 0xff, .found = true},
    {"zR", 1, 0x0b, 0xff, .found = true},
    {"zR", 1, 0x1a, 0xff, .found = true},
    {"zR", 1, 0x05, 0xff, .found = false}, /* absent */
    /* encodings of tables: of the table's place, of its base, of its types, of its sites */
    {"zLR", 1, 0x1b, 0x12, .found = true, .base = 0xff, .types = 0x00, .sites = 0x01, .pads = 1},
    {"zLR", 1, 0x1b, 0x11, .found = true, .base = 0xff, .types = 0x01, .sites = 0x09, .pads = 2},
    {"zLR", 1, 0x1b, 0x0b, .found = true, .base = 0x1b, .types = 0xff, .sites = 0x02, .pads = 2},
    {"zLR", 1, 0x1b, 0x00, .found = true, .base = 0x00, .types = 0xff, .sites = 0x0a, .pads = 1},
    {"zLR", 1, 0x1b, 0x1b, .found = true, .base = 0x0b, .types = 0xff, .sites = 0x0b, .pads = 4},
    {"zLR", 1, 0x1b, 0x1b, .found = true, .base = 0xff, .types = 0xff, .sites = 0x0c, .pads = 1},
    {"zLR", 1, 0x1b, 0x1b, .found = true, .base = 0xff, .types = 0xff, .sites = 0x05,
     .pads = 0}, /* absent */
    /* unknown encodings, or missing data */
    {"zRx", 1, 0x1b, 0xff, .found = false},
    {"zR", 1, 0x1b, 0xff, .found = false, .outside = true},
    {"zR", 1, 0x1b, 0xff, .found = false, .size = 0xfff},
    {"zR", 1, 0x1b, 0xff, .found = true, .large = true},
};
enum { COUNT = sizeof frames / sizeof *frames };

static uint64_t start_of(size_t i) {
    return BASE + TEXT + SLOT * i;
}
/* A landing pad of function i: numbers from 0. */
static uint64_t pad_of(size_t i, size_t k) {
    return start_of(i) + 3 + k;
}

/* The first call site has no landing pad; the last one's pad is outside the text. */
static void put_table(struct out *o, const struct frame *f, size_t i) {
    put(o, f->base, 1);
    uint64_t base = start_of(i);
    if (f->base != 0xff)
        put_pointer(o, f->base, --base);
    put(o, f->types, 1);
    if (f->types != 0xff)
        put_leb(o, 300, false);
    put(o, f->sites, 1);
    struct out sites = {o->at + 2}; /* behind a length of two bytes */
    for (size_t k = 0; k < f->pads + 2u; k++) {
        put_pointer(&sites, f->sites, k);
        put_pointer(&sites, f->sites, 1);
        const uint64_t pad = k <= f->pads ? pad_of(i, k - 1) : start_of(COUNT) + TEXT_END;
        put_pointer(&sites, f->sites, k == 0 ? 0 : pad - base);
        put_leb(&sites, 1, false);
    }
    const size_t length = sites.at - o->at - 2;
    put(o, (length & 0x7f) | 0x80, 1);
    put(o, length >> 7, 1);
    *o = sites;
}

/* The common part; returns where it starts. */
static size_t put_common(struct out *o, const struct frame *f) {
    const size_t start = o->at;
    o->at += 4;
    put(o, 0, 4);
    put(o, f->version, 1);
    for (const char *c = f->augmentation; *c != 0; c++)
        put(o, (uint8_t)*c, 1);
    put(o, 0, 1);
    if (f->version == 4)
        put(o, 8, 2); /* sizes of addresses and of segments */
    put_leb(o, 1, false);
    put_leb(o, -8, true);
    if (f->version == 1)
        put(o, 0x90, 1); /* a register's number; in later versions two bytes long */
    else
        put_leb(o, 0x90, false);
    for (const char *c = f->augmentation; *c != 0; c++)
        switch (*c) {
        case 'z':
            put_leb(o, 200, false); /* ignored: two bytes */
            break;
        case 'R':
            put(o, f->code, 1);
            break;
        case 'L':
            put(o, f->data, 1);
            break;
        case 'P':
            put(o, 0x9b, 1);
            put(o, 0, 4);
            break;
        default:
            break;
        }
    put(o, 0, 7); /* nops */
    memcpy(image + start, &(uint32_t){(uint32_t)(o->at - start - 4)}, 4);
    return start;
}

static void put_frame(struct out *o, struct out *tables, size_t i) {
    const struct frame *f = &frames[i];
    const size_t common = put_common(o, f);
    put(o, f->large ? 0xffffffff : 0, 4);
    if (f->large)
        put(o, 0, 8);
    const size_t here = o->at;
    put(o, here - common, 4);
    put_pointer(o, f->code, f->outside ? BASE + TEXT - 1 : start_of(i));
    put_pointer(o, f->code & 0x0f, f->size != 0 ? f->size : SLOT / 2);
    if (f->augmentation[0] == 'z')
        put_leb(o, 150, false); /* two bytes */
    if (f->data != 0xff) {
        put_pointer(o, f->data, BASE + tables->at);
        put_table(tables, f, i);
    }
    put(o, 0, 5);
    const uint64_t size = o->at - here;
    memcpy(image + here - (f->large ? 8 : 4), &size, f->large ? 8 : 4);
}

static void put_frames(void) {
    struct out head = {FRAMES_HEAD}, o = {FRAMES}, tables = {TABLES};
    put(&head, 1, 1);
    put(&head, 0x1b, 1); /* of the pointer to the frames */
    put(&head, 0xffff, 2);
    put_pointer(&head, 0x1b, BASE + FRAMES);
    for (size_t i = 0; i < COUNT; i++)
        put_frame(&o, &tables, i);
    /* One whose common part lies before all, one whose common part is a frame. */
    const size_t last = o.at;
    put(&o, 20, 4);
    put(&o, o.at - FRAMES + 4, 4);
    put(&o, 0, 16);
    put(&o, 20, 4);
    put(&o, o.at - last, 4);
    put(&o, 0, 16);
    put(&o, 0, 4); /* the end: what follows is ignored */
    put_common(&o, &frames[0]);
    assert_true(o.at < TABLES && tables.at < WRITTEN && start_of(COUNT) <= BASE + PLT);
}

/* ---- the file ---- */

static Elf64_Ehdr *head(void) {
    return (Elf64_Ehdr *)image;
}
static Elf64_Phdr *segments(void) {
    return (Elf64_Phdr *)(image + sizeof(Elf64_Ehdr));
}
static Elf64_Shdr *sections(void) {
    return (Elf64_Shdr *)(image + SECTIONS);
}
static Elf64_Sym *symbols(void) {
    return (Elf64_Sym *)(image + SYMBOLS);
}

static Elf64_Phdr segment(uint32_t type, uint32_t flags, uint64_t from, uint64_t to) {
    return (Elf64_Phdr){.p_type = type,
                        .p_flags = flags,
                        .p_offset = from,
                        .p_vaddr = from,
                        .p_filesz = to - from,
                        .p_memsz = to - from};
}

static uint32_t name_at(struct out *names, const char *name) {
    const uint32_t at = (uint32_t)names->at;
    for (size_t i = 0; i <= strlen(name); i++)
        put(names, (uint8_t)name[i], 1);
    return at;
}

enum { SEGMENTS = 7, SECTION_COUNT = 11, NAMES_AT = 8, SYMBOLS_AT = 9, STRINGS_AT = 10 };

static void put_sections(void) {
    static const struct {
        const char *name;
        uint64_t flags, from, to;
    } all[] = {
        {"", 0, 0, 0},
        {".text", SHF_ALLOC | SHF_EXECINSTR, TEXT, PLT},
        {".plt", SHF_ALLOC | SHF_EXECINSTR, PLT, PLT_SEC},
        {".plt.sec", SHF_ALLOC | SHF_EXECINSTR, PLT_SEC, FINI},
        {".plo", SHF_ALLOC | SHF_EXECINSTR, FINI, FINI + 0x40},
        {".rodata", SHF_ALLOC, FINI + 0x40, FINI + 0x80}, /* in the text, but not code */
        {".none", SHF_ALLOC | SHF_EXECINSTR, FINI + 0x80, FINI + 0x80},
        {".far", SHF_ALLOC | SHF_EXECINSTR, FINI + 0x80,
         TEXT_END + 1}, /* behind the segment's end */
    };
    struct out names = {NAMES};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sections()[i] = (Elf64_Shdr){.sh_name = name_at(&names, all[i].name) - NAMES,
                                     .sh_flags = all[i].flags,
                                     .sh_addr = all[i].from,
                                     .sh_offset = all[i].from,
                                     .sh_size = all[i].to - all[i].from,
                                     .sh_type = SHT_PROGBITS};
    sections()[NAMES_AT] =
        (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = names.at - NAMES};
}

/* By address from PLT on, as functions without a frame. */
struct symbol {
    const char *name;
    uint8_t type;
    uint16_t section;
    uint64_t at, size;
};
static const struct symbol symbol_table[] = {
    {"sized", STT_FUNC, 1, PLT + 0x10, 8},
    {"unsized", STT_FUNC, 1, PLT + 0x20, 0}, /* up to the next one */
    {"zwei", STT_FUNC, 1, PLT + 0x30, 4},
    {"eins", STT_FUNC, 1, PLT + 0x30, 4},   /* of equal size: by name */
    {"larger", STT_FUNC, 1, PLT + 0x30, 6}, /* comes before both */
    {"chosen", STT_GNU_IFUNC, 1, PLT + 0x40, 4},
    {"object", STT_OBJECT, 1, PLT + 0x50, 4},
    {"elsewhere", STT_FUNC, SHN_UNDEF, PLT + 0x60, 4},
    {"last", STT_FUNC, 1, PLT_SEC - 8, 100}, /* up to the section's end */
    {"fini", STT_FUNC, 1, FINI + 4, 0},      /* also */
    {"data", STT_FUNC, 1, FINI + 0x44, 4},   /* in no executable section */
};

static void put_symbols(void) {
    struct out strings = {STRINGS};
    name_at(&strings, "");
    const size_t count = sizeof symbol_table / sizeof *symbol_table;
    for (size_t i = 0; i < count; i++) {
        const struct symbol *s = &symbol_table[i];
        symbols()[i] = (Elf64_Sym){.st_name = name_at(&strings, s->name) - STRINGS,
                                   .st_info = ELF64_ST_INFO(STB_GLOBAL, s->type),
                                   .st_shndx = s->section,
                                   .st_value = s->at,
                                   .st_size = s->size};
    }
    symbols()[count] =
        (Elf64_Sym){.st_name = (uint32_t)(strings.at - STRINGS), /* behind all names */
                    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                    .st_shndx = 1,
                    .st_value = PLT + 0x70};
    sections()[SYMBOLS_AT] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                          .sh_offset = SYMBOLS,
                                          .sh_link = STRINGS_AT,
                                          .sh_size = (count + 1) * sizeof(Elf64_Sym),
                                          .sh_entsize = sizeof(Elf64_Sym)};
    sections()[STRINGS_AT] =
        (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = STRINGS, .sh_size = strings.at - STRINGS};
}

static void put_file(void) {
    memset(image, 0, sizeof image);
    *head() = (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof(Elf64_Ehdr),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = SEGMENTS,
        .e_shoff = SECTIONS,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = SECTION_COUNT,
        .e_shstrndx = NAMES_AT};
    segments()[0] = segment(PT_NOTE, PF_R, 0, 8);
    segments()[1] = segment(PT_LOAD, PF_R, 0, 0x800);
    segments()[2] = segment(PT_LOAD, PF_R | PF_X, TEXT, TEXT_END);
    segments()[3] = segment(PT_LOAD, PF_R, FRAMES_HEAD, WRITTEN);
    segments()[4] = segment(PT_LOAD, PF_R | PF_W, WRITTEN, SECTIONS);
    segments()[5] = segment(PT_GNU_RELRO, PF_R, WRITTEN, RELRO);
    segments()[6] = segment(PT_GNU_EH_FRAME, PF_R, FRAMES_HEAD, FRAMES);
    memset(image + TEXT, 0x90, TEXT_END - TEXT);
    put_sections();
    put_symbols();
    put_frames();
}

/* ---- what is found ---- */

struct found {
    struct hotprobe h;
    const struct object *o; /* NULL: it was refused */
    void *memory;
    char path[64];
};

static void load(struct found *f) {
    *f = (struct found){.h.options.libraries = true};
    strcpy(f->path, "/tmp/hotgraph-objects-XXXXXX");
    const int fd = mkstemp(f->path);
    assert_true(fd >= 0 && write(fd, image, SIZE) == SIZE);
    f->memory =
        mmap((void *)(uintptr_t)BASE, SIZE, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
    assert_true(f->memory == (void *)(uintptr_t)BASE);
    assert_true(mmap((char *)f->memory + TEXT, 0x1000, PROT_READ | PROT_EXEC,
                     MAP_PRIVATE | MAP_FIXED, fd, TEXT) != MAP_FAILED);
    close(fd);
    struct error e = {0};
    assert_int_equal(objects_find(&f->h, &e), STATUS_OK);
    for (size_t i = 0; i < f->h.objects.len; i++)
        if (strcmp(f->h.objects.at[i].path, f->path) == 0)
            f->o = &f->h.objects.at[i];
}

static void unload(struct found *f) {
    for (size_t i = 0; i < f->h.objects.len; i++)
        object_free(&f->h.objects.at[i]);
    seq_free(&f->h.objects);
    arena_free(&f->h.arena);
    munmap(f->memory, SIZE);
    unlink(f->path);
}

static void assert_range(struct range r, uint64_t start, uint64_t end) {
    assert_int_equal(r.start, BASE + start);
    assert_int_equal(r.end, BASE + end);
}

static void segments_and_sections(void **state) {
    (void)state;
    struct found f;
    put_file();
    load(&f);
    const struct object *o = f.o;
    assert_non_null(o);
    assert_int_equal(o->bias, BASE);
    assert_range((struct range){o->text, o->text_end}, TEXT, TEXT_END);
    assert_int_equal(o->data.len, 4);
    assert_range(o->data.at[0], 0, 0x800);
    assert_range(o->data.at[1], FRAMES_HEAD, WRITTEN);
    assert_range(o->data.at[2], WRITTEN, SECTIONS);
    /* What is behind the sections of the executable segment is data, too. */
    assert_range(o->data.at[3], FINI + 0x40, TEXT_END);
    assert_int_equal(o->fixed.len, 4);
    assert_range(o->fixed.at[0], 0, 0x800);
    assert_range(o->fixed.at[1], FRAMES_HEAD, WRITTEN);
    assert_range(o->fixed.at[2], WRITTEN, RELRO);
    assert_range(o->fixed.at[3], FINI + 0x40, TEXT_END);
    assert_int_equal(o->sections.len, 4);
    assert_range(o->sections.at[0], TEXT, PLT);
    assert_range(o->sections.at[3], FINI, FINI + 0x40);
    assert_int_equal(o->plt.len, 2);
    assert_range(o->plt.at[0], PLT, PLT_SEC);
    assert_range(o->plt.at[1], PLT_SEC, FINI);
    assert_memory_equal(o->head, image + TEXT, sizeof o->head);
    assert_ptr_equal(object_at(&f.h, BASE + TEXT), o);
    assert_ptr_equal(object_at(&f.h, BASE + TEXT_END - 1), o);
    assert_null(object_at(&f.h, BASE + TEXT - 1));
    assert_null(object_at(&f.h, BASE + TEXT_END));
    unload(&f);
}

static struct function *function_of(const struct found *f, uint64_t at) {
    struct function *of = function_at((struct object *)f->o, at);
    return of != NULL && of->start == at ? of : NULL;
}

static void frames_and_landing_pads(void **state) {
    (void)state;
    struct found f;
    put_file();
    load(&f);
    assert_non_null(f.o);
    size_t pads = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const struct function *function = function_of(&f, start_of(i));
        if ((function != NULL) != frames[i].found)
            fail_msg("frame %zu was %sfound", i, frames[i].found ? "not " : "");
        if (function == NULL)
            continue;
        assert_int_equal(function->end, start_of(i) + SLOT / 2);
        assert_false(function->symbol || function->plt || function->name != NULL);
        assert_null(function_at((struct object *)f.o, function->end));
        assert_ptr_equal(function_at((struct object *)f.o, function->end - 1), function);
        for (size_t k = 0; k < frames[i].pads; k++) {
            assert_true(pads < f.o->pads.len);
            assert_int_equal(f.o->pads.at[pads++], pad_of(i, k));
        }
    }
    assert_int_equal(pads, f.o->pads.len);
    unload(&f);
}

/* Name, start and end of all that symbols give. */
static void symbols_give_functions(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint64_t start, end;
        bool plt;
    } wanted[] = {
        {"sized", PLT + 0x10, PLT + 0x18, true},  {"unsized", PLT + 0x20, PLT + 0x30, true},
        {"larger", PLT + 0x30, PLT + 0x36, true}, {"chosen", PLT + 0x40, PLT + 0x44, true},
        {"last", PLT_SEC - 8, PLT_SEC, true},     {"fini", FINI + 4, FINI + 0x40, false},
    };
    struct found f;
    put_file();
    load(&f);
    assert_non_null(f.o);
    size_t count = 0;
    for (size_t i = 0; i < f.o->functions.len; i++)
        count += f.o->functions.at[i].start >= BASE + PLT;
    assert_int_equal(count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < count; i++) {
        const struct function *x = function_of(&f, BASE + wanted[i].start);
        assert_non_null(x);
        assert_string_equal(x->name, wanted[i].name);
        assert_int_equal(x->end, BASE + wanted[i].end);
        assert_int_equal(x->plt, wanted[i].plt);
        assert_true(x->symbol);
    }
    unload(&f);
}

/* A symbol over several frames: the first one is named, the others are parts of it. */
static void frames_within_a_symbol_are_its_parts(void **state) {
    (void)state;
    struct found f;
    put_file();
    symbols()[0].st_value = TEXT;
    symbols()[0].st_size = 2 * SLOT;
    load(&f);
    assert_non_null(f.o);
    assert_string_equal(f.o->functions.at[0].name, "sized");
    assert_int_equal(f.o->functions.at[0].end, start_of(2));
    assert_null(function_of(&f, start_of(1)));
    assert_non_null(function_of(&f, start_of(2)));
    unload(&f);
    symbols()[0].st_size = 0; /* its frame says where it ends */
    load(&f);
    assert_string_equal(f.o->functions.at[0].name, "sized");
    assert_int_equal(f.o->functions.at[0].end, start_of(0) + SLOT / 2);
    unload(&f);
}

/* ---- damage ---- */

enum effect { REFUSED, NO_SECTIONS, NO_SYMBOLS, NO_FRAMES, NO_NAMES, NOTHING };

static void assert_effect(enum effect effect, const char *what) {
    struct found f;
    load(&f);
    const struct object *o = f.o;
    size_t named = 0, unnamed = 0;
    for (size_t i = 0; o != NULL && i < o->functions.len; i++)
        *(o->functions.at[i].symbol ? &named : &unnamed) += 1;
    const enum effect seen = o == NULL ? REFUSED
                             : o->sections.len == 1 && o->sections.at[0].end == o->text_end
                                 ? NO_SECTIONS
                             : unnamed == 0    ? NO_FRAMES
                             : o->plt.len == 0 ? NO_NAMES
                             : named == 0      ? NO_SYMBOLS
                                               : NOTHING;
    if (seen != effect)
        fail_msg("%s: %d, not %d", what, seen, effect);
    unload(&f);
}

#define DAMAGED(change, effect) (put_file(), change, assert_effect(effect, #change))

static void damage_is_done_without(void **state) {
    (void)state;
    DAMAGED((void)0, NOTHING);
    DAMAGED(image[0] = 0, REFUSED);
    DAMAGED(head()->e_ident[EI_CLASS] = ELFCLASS32, REFUSED);
    DAMAGED(head()->e_machine = EM_386, REFUSED);
    DAMAGED(head()->e_phentsize++, REFUSED);
    DAMAGED(head()->e_phoff = SIZE + 1, REFUSED);
    DAMAGED(head()->e_phoff = SIZE - SEGMENTS * sizeof(Elf64_Phdr) + 1, REFUSED);
    DAMAGED(segments()[2].p_offset = 2 * TEXT, REFUSED);
    DAMAGED(segments()[2].p_type = PT_NOTE, REFUSED);
    DAMAGED(segments()[2].p_flags = PF_R, REFUSED);
    DAMAGED(segments()[2].p_filesz = 0x1001, REFUSED); /* more than is mapped */
    DAMAGED(head()->e_shoff = 0, NO_SECTIONS);
    DAMAGED(head()->e_shoff = SIZE, NO_SECTIONS);
    DAMAGED(head()->e_shoff = SIZE - SECTION_COUNT * sizeof(Elf64_Shdr) + 1, NO_SECTIONS);
    DAMAGED(head()->e_shentsize++, NO_SECTIONS);
    DAMAGED(head()->e_shstrndx = SECTION_COUNT, NO_SECTIONS);
    DAMAGED(sections()[NAMES_AT].sh_offset = SIZE, NO_NAMES);
    DAMAGED(segments()[6].p_type = PT_NOTE, NO_FRAMES);
    DAMAGED(image[FRAMES_HEAD] = 2, NO_FRAMES);
    DAMAGED(segments()[6].p_vaddr = SIZE, NO_FRAMES);
    DAMAGED(memset(image + FRAMES_HEAD + 4, 0x7f, 4), NO_FRAMES);
    DAMAGED(memset(image + FRAMES, 0, 4), NO_FRAMES);
    DAMAGED(memcpy(image + FRAMES, &(uint32_t){WRITTEN - FRAMES - 3}, 4), NO_FRAMES);
    DAMAGED(sections()[SYMBOLS_AT].sh_type = SHT_NOTE, NO_SYMBOLS);
    DAMAGED(sections()[SYMBOLS_AT].sh_type = SHT_DYNSYM, NOTHING);
    DAMAGED(sections()[SYMBOLS_AT].sh_link = SECTION_COUNT, NO_SYMBOLS);
    DAMAGED(sections()[SYMBOLS_AT].sh_entsize++, NO_SYMBOLS);
    DAMAGED(sections()[SYMBOLS_AT].sh_offset = SIZE + 1, NO_SYMBOLS);
    DAMAGED(sections()[SYMBOLS_AT].sh_size = SIZE - SYMBOLS + 1, NO_SYMBOLS);
    DAMAGED(sections()[STRINGS_AT].sh_offset = SIZE + 1, NO_SYMBOLS);
    DAMAGED(sections()[STRINGS_AT].sh_size = SIZE - STRINGS + 1, NO_SYMBOLS);
    DAMAGED(sections()[STRINGS_AT].sh_size = 0, NO_SYMBOLS);
    DAMAGED(sections()[STRINGS_AT].sh_size--, NO_SYMBOLS); /* without the last name's end */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_and_sections),
        cmocka_unit_test(frames_and_landing_pads),
        cmocka_unit_test(symbols_give_functions),
        cmocka_unit_test(frames_within_a_symbol_are_its_parts),
        cmocka_unit_test(damage_is_done_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
