/*
 * Profiles for BOLT, of a program and an ELF file that are written here. If these fail, BOLT gets
 * edges that a program does not have, or gives them to other functions, and rejects a profile or
 * lays code out by counts of something else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qemu/export/fdata.h"

/* ---- an ELF file ---- */

enum { ADDRESS = 0x401000, OFFSET = 0x1000, CODE = 0x400, LINKAGE = 0x2f0 };

static const struct {
    const char *name;
    uint64_t address, size;
    unsigned char bind, type;
} symbols[] = {
    {"a.c", 0, 0, STB_LOCAL, STT_FILE},
    {"work", ADDRESS + 0x300, 0x10, STB_LOCAL, STT_FUNC},
    {"work", ADDRESS + 0x040, 0x40, STB_LOCAL, STT_FUNC},
    {"work", ADDRESS + 0x200, 8, STB_LOCAL, STT_OBJECT}, /* counts in the numbers of names */
    {"main", ADDRESS, 0x40, STB_GLOBAL, STT_FUNC},
    {"elsewhere", 0x900000, 0x40, STB_GLOBAL, STT_FUNC}, /* not loaded */
    {"open ended", ADDRESS + 0x100, 0, STB_WEAK, STT_FUNC},
    {"last", ADDRESS + 0x2e0, 0, STB_GLOBAL, STT_FUNC}, /* to its section's end */
    {"after", ADDRESS + 0x180, 0x10, STB_GLOBAL, STT_FUNC},
    {"again", ADDRESS + 0x180, 0x8, STB_GLOBAL, STT_FUNC}, /* another name of a part of it */
};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

struct elf_image {
    Elf64_Ehdr head;
    Elf64_Phdr load;
    Elf64_Shdr sections[5]; /* none, code twice, symbols, names */
    Elf64_Sym symbols[SYMBOLS + 1];
    char names[200];
};

static void fill_symbols(struct elf_image *image) {
    size_t at = 1;
    for (size_t i = 0; i < SYMBOLS; i++) {
        image->symbols[i + 1] = (Elf64_Sym){
            .st_name = (Elf64_Word)at,
            .st_info = ELF64_ST_INFO(symbols[i].bind, symbols[i].type),
            .st_shndx = symbols[i].type == STT_FILE              ? SHN_ABS
                        : symbols[i].address < ADDRESS + LINKAGE ? 1
                                                                 : 2,
            .st_value = symbols[i].address,
            .st_size = symbols[i].size,
        };
        memcpy(image->names + at, symbols[i].name, strlen(symbols[i].name));
        at += strlen(symbols[i].name) + 1;
    }
    assert_true(at <= sizeof image->names);
}

static void write_elf(const char *path) {
    static struct elf_image image;
    static const char code[CODE];
    image = (struct elf_image){
        .head = {.e_type = ET_EXEC,
                 .e_machine = EM_X86_64,
                 .e_version = EV_CURRENT,
                 .e_phoff = offsetof(struct elf_image, load),
                 .e_shoff = offsetof(struct elf_image, sections),
                 .e_ehsize = sizeof(Elf64_Ehdr),
                 .e_phentsize = sizeof(Elf64_Phdr),
                 .e_phnum = 1,
                 .e_shentsize = sizeof(Elf64_Shdr),
                 .e_shnum = 5},
        .load = {.p_type = PT_LOAD,
                 .p_offset = OFFSET,
                 .p_vaddr = ADDRESS,
                 .p_filesz = CODE,
                 .p_memsz = CODE},
        .sections = {[1] = {.sh_type = SHT_PROGBITS,
                            .sh_addr = ADDRESS,
                            .sh_offset = OFFSET,
                            .sh_size = LINKAGE},
                     [2] = {.sh_type = SHT_PROGBITS,
                            .sh_addr = ADDRESS + LINKAGE,
                            .sh_offset = OFFSET + LINKAGE,
                            .sh_size = CODE - LINKAGE},
                     [3] = {.sh_type = SHT_SYMTAB,
                            .sh_offset = offsetof(struct elf_image, symbols),
                            .sh_size = sizeof image.symbols,
                            .sh_link = 4,
                            .sh_entsize = sizeof(Elf64_Sym)},
                     [4] = {.sh_type = SHT_STRTAB,
                            .sh_offset = offsetof(struct elf_image, names),
                            .sh_size = sizeof image.names}},
    };
    memcpy(image.head.e_ident, ELFMAG, SELFMAG);
    image.head.e_ident[EI_CLASS] = ELFCLASS64;
    image.head.e_ident[EI_DATA] = ELFDATA2LSB;
    image.head.e_ident[EI_VERSION] = EV_CURRENT;
    fill_symbols(&image);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(&image, sizeof image, 1, file), 1);
    assert_int_equal(fseek(file, OFFSET, SEEK_SET), 0);
    assert_int_equal(fwrite(code, sizeof code, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

/* ---- a program: another file's code below, the ELF file from 0x2000000, memory above ---- */

static const char blocks[] =
    "#region 0x1000000\n#region 0x2000000\n#memory 0x3000000\n"
    "#block 0x1000010 0x1000010\n#ends 0x1000010 4 call\n"     /* of the other file: calls main */
    "#block 0x2001000 0x2001000\n#ends 0x2001000 4 branch\n"   /* main */
    "#block 0x2001004 0x2001004\n#ends 0x2001004 4 none\n"     /* falls */
    "#block 0x2001008 0x2001008\n#ends 0x2001008 4 call\n"     /* calls work/1 */
    "#block 0x200100c 0x200100c\n#ends 0x200100c 4 indirect\n" /* within main */
    "#block 0x2001040 0x2001040\n#ends 0x2001040 4 other\n"    /* work/1 returns */
    "#block 0x2001044 0x2001044\n#ends 0x2001044 4 jump\n"     /* and leaves for the open one */
    "#block 0x2001100 0x2001100\n#ends 0x2001100 4 branch\n"   /* to itself, far into it */
    "#block 0x200117c 0x200117c\n#ends 0x200117c 4 jump\n"     /* into the midst of `after` */
    "#block 0x2001180 0x2001180\n#ends 0x2001180 4 none\n"
    "#block 0x2001184 0x2001184\n#ends 0x2001184 4 call\n"     /* of the file's last work */
    "#block 0x20012f0 0x20012f0\n#ends 0x20012f0 4 indirect\n" /* in no function: linkage */
    "#block 0x2001300 0x2001300\n#ends 0x2001300 4 call\n"     /* into the other file */
    "#block 0x3000000 0x3000000\n#ends 0x3000000 4 jump\n" /* in memory */;

static const struct edge edges[] = {
    {.source = 0x1000010, .target = 0x2001000, .count = 300},
    {.source = 0x2001000, .target = 0x2001004, .count = 60},
    {.source = 0x2001000, .target = 0x200100c, .count = 40},
    {.source = 0x2001004, .target = 0x2001008, .count = 60},
    {.source = 0x2001008, .target = 0x2001040, .count = 60},
    {.source = 0x200100c, .target = 0x2001000, .count = 30},
    {.source = 0x2001040, .target = 0x200100c, .count = 60},
    {.source = 0x2001044, .target = 0x2001100, .count = 7},
    {.source = 0x2001100, .target = 0x200117c, .count = 9},
    {.source = 0x200117c, .target = 0x2001184, .count = 9},
    {.source = 0x2001184, .target = 0x2001300, .count = 5},
    {.source = 0x20012f0, .target = 0x2001180, .count = 4},
    {.source = 0x2001300, .target = 0x1000010, .count = 5},
    {.source = 0x3000000, .target = 0x2001184, .count = 1},
    {.source = 0x3000000, .target = 0x3000000, .count = 1000},
};

static const char expected[] = "0 [unknown] 0 1 main 0 0 300\n"
                               "1 main 0 1 main 4 0 60\n"
                               "1 main 0 1 main c 0 40\n"
                               "1 main 4 1 main 8 0 60\n"
                               "1 main 8 1 work/1 0 0 60\n"
                               "1 work/1 4 1 open\\ ended 0 0 7\n"
                               "1 open\\ ended 0 1 open\\ ended 7c 0 9\n"
                               "1 after 4 1 work/3 0 0 5\n"
                               "0 [unknown] 0 1 after 0 0 4\n";

struct files {
    char folder[100], elf[200], out[200];
    struct structure structure;
    struct graph graph;
};

/* The program as a structure, or as a graph with counts. */
static size_t write_program(char *text, size_t size, const char *hash, bool counted) {
    size_t n = (size_t)snprintf(text, size,
                                "#structure 1\n#image 0x1000000 - /lib/libc.so\n"
                                "#image 0x2000000 %s program\n%s",
                                hash, blocks);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        n += (size_t)snprintf(text + n, size - n, "0x%x\t0x%x\t%d%s\n", edges[i].source,
                              edges[i].target, counted ? (int)edges[i].count : 0,
                              counted ? "" : "\t0");
    assert_true(n < size);
    return n;
}

/* extra: more edges of the graph, which the program does not have. */
static void make(struct files *f, const char *hash, const char *extra) {
    char text[8000], real[33];
    struct error e = {0};
    snprintf(f->folder, sizeof f->folder, "/tmp/fdata-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->elf, sizeof f->elf, "%s/elf", f->folder);
    snprintf(f->out, sizeof f->out, "%s/out", f->folder);
    write_elf(f->elf);
    assert_int_equal(hash_file(f->elf, real, &e), STATUS_OK);
    size_t n = write_program(text, sizeof text, hash != NULL ? hash : real, false);
    if (structure_parse(&f->structure, text, n, "structure", &e) != STATUS_OK)
        fail_msg("%s", e.text);
    n = write_program(text, sizeof text, "-", true);
    snprintf(text + n, sizeof text - n, "%s", extra);
    if (graph_parse(&f->graph, text, strlen(text), "graph", &e) != STATUS_OK)
        fail_msg("%s", e.text);
}

static void unmake(struct files *f) {
    unlink(f->elf);
    unlink(f->out);
    rmdir(f->folder);
    structure_free(&f->structure);
    graph_free(&f->graph);
}

static enum status export(struct files *f, uint64_t rare, struct fdata_counts *counts,
                          struct error *e) {
    return fdata_write(&(struct fdata_request){.elf = f->elf,
                                               .structure = &f->structure,
                                               .graph = &f->graph,
                                               .rare = rare},
                       f->out, counts, e);
}

static void must_say(const char *path, const char *text) {
    struct bytes written;
    struct error e = {0};
    assert_int_equal(file_read(&written, path, 10000, &e), STATUS_OK);
    assert_string_equal((const char *)written.at, text);
    bytes_free(&written);
}

static void each_edge_is_a_line(void **state) {
    (void)state;
    struct files f = {0};
    struct fdata_counts c;
    struct error e = {0};
    make(&f, NULL, "");
    if (export(&f, 0, &c, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    must_say(f.out, expected);
    assert_int_equal(c.lines, 9);
    assert_int_equal(c.functions, 5);
    assert_int_equal(c.lost, 0);
    assert_int_equal(c.rare, 0);
    assert_int_equal(c.indirect, 1);
    assert_int_equal(c.returns, 1);
    assert_int_equal(c.nameless, 3); /* into the midst, twice, and out of the file */
    unmake(&f);
}

static void what_the_program_lacks_is_left_out(void **state) {
    (void)state;
    struct files f = {0};
    struct fdata_counts c;
    struct error e = {0};
    make(&f, NULL, "0x2001004\t0x2001000\t50\n0x2001008\t0x2001300\t50\n");
    assert_int_equal(export(&f, 0, &c, &e), STATUS_OK);
    must_say(f.out, expected);
    assert_int_equal(c.lost, 2);
    unmake(&f);
}

static void rare_edges_are_left_out(void **state) {
    (void)state;
    struct files f = {0};
    struct fdata_counts c;
    struct error e = {0};
    make(&f, NULL, "");
    const uint64_t all = graph_weight(&f.graph);
    assert_int_equal(all, 1650);
    assert_int_equal(export(&f, 40 * 1000000 / all + 1, &c, &e), STATUS_OK); /* 40 is below */
    must_say(f.out, "0 [unknown] 0 1 main 0 0 300\n"
                    "1 main 0 1 main 4 0 60\n"
                    "1 main 4 1 main 8 0 60\n"
                    "1 main 8 1 work/1 0 0 60\n");
    assert_int_equal(c.rare, 5);
    assert_int_equal(export(&f, 40 * 1000000 / all, &c, &e), STATUS_OK); /* 40 is not */
    assert_int_equal(c.lines, 5);
    unmake(&f);
}

static void another_file_is_refused(void **state) {
    (void)state;
    struct files f = {0};
    struct fdata_counts c;
    struct error e = {0};
    make(&f, "0123456789abcdef0123456789abcdef", "");
    assert_int_equal(export(&f, 0, &c, &e), STATUS_ARGUMENT);
    assert_non_null(strstr(e.text, "not one of the files that were executed"));
    assert_int_equal(access(f.out, F_OK), -1);
    f.structure.image_count = 0; /* as of a game; freed below */
    assert_int_equal(export(&f, 0, &c, &e), STATUS_ARGUMENT);
    assert_non_null(strstr(e.text, "record --structure"));
    f.structure.image_count = 2;
    unmake(&f);
}

static void images_survive_a_file(void **state) {
    (void)state;
    struct files f = {0};
    struct structure again;
    struct error e = {0};
    make(&f, "0123456789abcdef0123456789abcdef", "");
    assert_int_equal(structure_write(&f.structure, f.out, NULL, 0, &e), STATUS_OK);
    if (structure_read(&again, f.out, &e) != STATUS_OK)
        fail_msg("%s", e.text);
    assert_int_equal(again.image_count, 2);
    assert_int_equal(again.images[0].base, 0x1000000);
    assert_string_equal(again.images[0].hash, "");
    assert_string_equal(again.images[0].path, "/lib/libc.so");
    assert_int_equal(again.images[1].base, 0x2000000);
    assert_string_equal(again.images[1].hash, "0123456789abcdef0123456789abcdef");
    assert_string_equal(again.images[1].path, "program");
    structure_free(&again);
    unmake(&f);
}

static void broken_images_are_refused(void **state) {
    (void)state;
    static const char *const lines[] = {"#image 0x1\n",
                                        "#image 0x1 -\n",
                                        "#image 0x1 - \n",
                                        "#image 1 - x\n",
                                        "#image 0x1 0 x\n",
                                        "#image 0x1 -- x\n",
                                        "#image 0x2 - a\n#image 0x2 - b\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[200];
        struct structure s;
        struct error e = {0};
        snprintf(text, sizeof text, "#structure 1\n%s", lines[i]);
        assert_int_equal(structure_parse(&s, text, strlen(text), "x", &e), STATUS_FORMAT);
        assert_non_null(strstr(e.text, "#image BASE HASH PATH"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_edge_is_a_line),
        cmocka_unit_test(what_the_program_lacks_is_left_out),
        cmocka_unit_test(rare_edges_are_left_out),
        cmocka_unit_test(another_file_is_refused),
        cmocka_unit_test(images_survive_a_file),
        cmocka_unit_test(broken_images_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
