/* Random instructions, executed in place and relocated: registers, flags, memory and control
 * flow must be the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "native/text/quick.h"
#include "native/text/relocate.h"

/* What fuzz_run loads, and what it stores afterwards; the assembly below uses these names. */
uint64_t fuzz_in[16], fuzz_out[16], fuzz_flags, fuzz_flags_out, fuzz_host, fuzz_target, fuzz_path;
void fuzz_run(void);
void fuzz_fall(void);
void fuzz_taken(void);

__asm__(".text\n"
        ".globl fuzz_run, fuzz_fall, fuzz_taken\n"
        "fuzz_run:\n"
        "    push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
        "    mov %rsp, fuzz_host(%rip)\n"
        "    pushq fuzz_flags(%rip)\n popfq\n"
        "    mov fuzz_in+0(%rip), %rax\n mov fuzz_in+8(%rip), %rcx\n"
        "    mov fuzz_in+16(%rip), %rdx\n mov fuzz_in+24(%rip), %rbx\n"
        "    mov fuzz_in+32(%rip), %rsp\n mov fuzz_in+40(%rip), %rbp\n"
        "    mov fuzz_in+48(%rip), %rsi\n mov fuzz_in+56(%rip), %rdi\n"
        "    mov fuzz_in+64(%rip), %r8\n mov fuzz_in+72(%rip), %r9\n"
        "    mov fuzz_in+80(%rip), %r10\n mov fuzz_in+88(%rip), %r11\n"
        "    mov fuzz_in+96(%rip), %r12\n mov fuzz_in+104(%rip), %r13\n"
        "    mov fuzz_in+112(%rip), %r14\n mov fuzz_in+120(%rip), %r15\n"
        "    jmp *fuzz_target(%rip)\n"
        "fuzz_taken:\n"
        "    movq $2, fuzz_path(%rip)\n"
        "    jmp 1f\n"
        "fuzz_fall:\n"
        "    movq $1, fuzz_path(%rip)\n"
        "1:  mov %rax, fuzz_out+0(%rip)\n mov %rcx, fuzz_out+8(%rip)\n"
        "    mov %rdx, fuzz_out+16(%rip)\n mov %rbx, fuzz_out+24(%rip)\n"
        "    mov %rsp, fuzz_out+32(%rip)\n mov %rbp, fuzz_out+40(%rip)\n"
        "    mov %rsi, fuzz_out+48(%rip)\n mov %rdi, fuzz_out+56(%rip)\n"
        "    mov %r8, fuzz_out+64(%rip)\n mov %r9, fuzz_out+72(%rip)\n"
        "    mov %r10, fuzz_out+80(%rip)\n mov %r11, fuzz_out+88(%rip)\n"
        "    mov %r12, fuzz_out+96(%rip)\n mov %r13, fuzz_out+104(%rip)\n"
        "    mov %r14, fuzz_out+112(%rip)\n mov %r15, fuzz_out+120(%rip)\n"
        "    mov fuzz_host(%rip), %rsp\n"
        "    pushfq\n popq fuzz_flags_out(%rip)\n"
        "    cld\n"
        "    pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
        "    ret\n");

enum { PAGE = 4096, PLACE = 1024, ELSEWHERE = 8192, DATA = 16384, AREA = 32768, STACK = 2048 };

struct world {
    uint8_t *area; /* the instruction's page; the relocated one's; data, of which a part is stack */
    uint64_t seed, step;
    uint8_t length; /* of the instruction */
    bool flow;
};

static uint64_t any(struct world *w) {
    return splitmix64(w->seed, w->step++);
}

static void put(struct world *w, unsigned byte) {
    w->area[PLACE + w->length++] = (uint8_t)byte;
}

static void put32(struct world *w, uint32_t v) {
    memcpy(w->area + PLACE + w->length, &v, 4);
    w->length += 4;
}

/* ModRM with a register, a rip-relative address, or rbx or rsp with a displacement. `behind`
 * bytes of immediate follow. */
static void operand(struct world *w, unsigned reg, unsigned behind) {
    switch (any(w) % 4) {
    case 0: {
        unsigned rm = (unsigned)(any(w) % 8);
        put(w, 0xc0 | reg << 3 | (rm == 4 ? 5 : rm));
        break;
    }
    case 1:
        put(w, reg << 3 | 5);
        put32(w, (uint32_t)(DATA + 64 + any(w) % 512 - (PLACE + w->length + 4u + behind)));
        break;
    case 2:
        put(w, 0x40 | reg << 3 | 3);
        put(w, (unsigned)(any(w) % 100));
        break;
    default:
        put(w, 0x40 | reg << 3 | 4);
        put(w, 0x24);
        put(w, (unsigned)(any(w) % 100));
    }
}

/* Registers except rsp, which only pushes move. */
static unsigned reg_not_stack(struct world *w) {
    unsigned r = (unsigned)(any(w) % 8);
    return r == 4 ? 6 : r;
}

/* REX.W, R for the register; B would replace rbx and rsp. */
static void rex(struct world *w) {
    if (any(w) % 2 == 0)
        put(w, 0x48 | (any(w) % 2 == 0 ? 4 : 0));
}

static void arithmetic(struct world *w) {
    static const uint8_t one[] = {0x01, 0x03, 0x09, 0x0b, 0x11, 0x13, 0x19, 0x1b, 0x21, 0x23, 0x29,
                                  0x2b, 0x31, 0x33, 0x39, 0x3b, 0x85, 0x87, 0x89, 0x8b, 0x00, 0x38};
    static const uint8_t two[] = {0xaf, 0x40, 0x44, 0x48, 0x4f, 0xb6, 0xbe, 0xb7, 0xbf, 0xa3,
                                  0xbc, 0xc1, 0xb1, 0x92, 0x9c, 0x1f, 0x10, 0x28, 0x6f, 0x7f};
    rex(w);
    if (any(w) % 2 == 0) {
        put(w, one[any(w) % sizeof one]);
    } else {
        unsigned op = two[any(w) % sizeof two];
        put(w, 0x0f);
        put(w, op == 0x28 ? 0x10 : op); /* movaps wants alignment */
        if (op == 0xa3)                 /* bt with a register reaches beyond its operand */
            w->area[PLACE + w->length - 1] = 0xaf;
    }
    operand(w, reg_not_stack(w), 0);
}

static void immediate(struct world *w) {
    static const struct {
        uint8_t op, behind;
    } ops[] = {{0x81, 4}, {0x83, 1}, {0xc7, 4}, {0xc1, 1},
               {0x69, 4}, {0x6b, 1}, {0x80, 1}, {0xf7, 4}};
    unsigned k = (unsigned)(any(w) % 8);
    bool group = ops[k].op != 0x69 && ops[k].op != 0x6b;
    rex(w);
    put(w, ops[k].op);
    unsigned reg = group ? (unsigned)(any(w) % 8) : reg_not_stack(w);
    if (ops[k].op == 0xc7 || ops[k].op == 0xf7)
        reg = 0;
    operand(w, reg, ops[k].behind);
    for (unsigned i = 0; i < ops[k].behind; i++)
        put(w, (unsigned)(any(w) & 0xff));
}

/* A jump's target is TAKEN behind its own page's start; near enough for a short one. */
enum { TAKEN = PLACE + 64 };
static void branch(struct world *w) {
    w->flow = true;
    switch (any(w) % 8) {
    case 0:
        put(w, 0x70 | (unsigned)(any(w) % 16));
        put(w, TAKEN - (PLACE + w->length + 1u));
        break;
    case 1:
        put(w, 0x0f);
        put(w, 0x80 | (unsigned)(any(w) % 16));
        put32(w, TAKEN - (PLACE + w->length + 4u));
        break;
    case 2:
        if (any(w) % 2 == 0)
            put(w, 0x67);
        put(w, 0xe0 | (unsigned)(any(w) % 4));
        put(w, TAKEN - (PLACE + w->length + 1u));
        break;
    case 3:
        put(w, 0xeb);
        put(w, TAKEN - (PLACE + w->length + 1u));
        break;
    case 4:
        put(w, 0xe8);
        put32(w, TAKEN - (PLACE + w->length + 4u));
        break;
    case 5: /* through memory that holds the address */
        put(w, 0xff);
        put(w, any(w) % 2 == 0 ? 0x15 : 0x25);
        put32(w, DATA - (PLACE + w->length + 4u));
        break;
    case 6: /* call or jmp *disp(%rsp) */
        put(w, 0xff);
        put(w, any(w) % 2 == 0 ? 0x94 : 0xa4);
        put(w, 0x24);
        put32(w, 256);
        break;
    default:
        put(w, 0xff);
        put(w, any(w) % 2 == 0 ? 0xd6 : 0xe6); /* *%rsi */
    }
}

static void other(struct world *w) {
    static const char *const codes[] = {"\x50",         "\x5a",     "\x98",         "\x48\x99",
                                        "\xf5",         "\xf8",     "\xf9",         "\x9f",
                                        "\x9e",         "\x9c",     "\x48\xa5",     "\xf3\xaa",
                                        "\xc8\x10\x01", "\x68\x44", "\x0f\x1f\x44", "\x66\x90"};
    static const uint8_t size[] = {1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 2, 2, 3, 2, 3, 2};
    unsigned k = (unsigned)(any(w) % 16);
    for (unsigned i = 0; i < size[k]; i++)
        put(w, (uint8_t)codes[k][i]);
    if (k == 12)
        w->area[PLACE + w->length - 1] = 0, put(w, 0), w->area[PLACE + 1] = 0x10,
                                    w->area[PLACE + 2] = 0, w->area[PLACE + 3] = 0;
    if (k == 13)
        put(w, 0), put(w, 0), put(w, 0);
    if (k == 14)
        put(w, 0), put(w, 0);
}

static void make(struct world *w) {
    w->length = 0;
    w->flow = false;
    memset(w->area + PLACE, 0xcc, 256);
    switch (any(w) % 4) {
    case 0:
        arithmetic(w);
        break;
    case 1:
        immediate(w);
        break;
    case 2:
        branch(w);
        break;
    default:
        other(w);
    }
}

/* jmp *[rip]; address */
static void leave_to(uint8_t *at, void (*to)(void)) {
    uintptr_t target = (uintptr_t)to;
    memcpy(at, "\xff\x25\0\0\0\0", 6);
    memcpy(at + 6, &target, sizeof target);
}

static void state_make(struct world *w, uint64_t seed) {
    uint8_t *data = w->area + DATA;
    uintptr_t taken = (uintptr_t)w->area + TAKEN;
    for (size_t i = 0; i < PAGE / 8; i++) {
        uint64_t v = splitmix64(seed, i);
        memcpy(data + i * 8, &v, sizeof v);
    }
    memcpy(data, &taken, sizeof taken);
    memcpy(data + STACK + 256, &taken, sizeof taken);
    for (size_t r = 0; r < 16; r++)
        fuzz_in[r] = splitmix64(seed, 10000 + r) >> splitmix64(seed, 11000 + r) % 64;
    fuzz_in[1] = splitmix64(seed, 12000) % 5; /* rcx counts */
    fuzz_in[3] = (uintptr_t)data + 700;
    fuzz_in[4] = (uintptr_t)data + STACK;
    fuzz_in[6] = taken;
    fuzz_in[7] = (uintptr_t)data + 1200;
    fuzz_flags = 0x202 | (splitmix64(seed, 13000) & 0x8d5);
}

struct outcome {
    uint64_t out[16], flags, path;
    uint8_t data[PAGE];
};

static void run(struct world *w, uint64_t seed, uintptr_t target, struct outcome *o) {
    state_make(w, seed);
    fuzz_path = 0;
    fuzz_target = target;
    fuzz_run();
    memcpy(o->out, fuzz_out, sizeof o->out);
    o->flags = fuzz_flags_out;
    o->path = fuzz_path;
    memcpy(o->data, w->area + DATA, PAGE);
}

static void differ(const struct world *w, uint64_t k, const char *what) {
    char hex[40] = "";
    for (unsigned i = 0; i < w->length; i++)
        snprintf(hex + strlen(hex), 4, "%02x ", w->area[PLACE + i]);
    fail_msg("instruction %llu, %s: %s differ", (unsigned long long)k, hex, what);
}

static void test_relocated(void **state) {
    (void)state;
    static struct outcome here, there;
    const char *many = getenv("RELOCATE_RUNS");
    uint64_t runs = many != NULL ? strtoull(many, NULL, 10) : 60000, flows = 0, relative = 0;
    uint8_t *area =
        mmap(NULL, AREA, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(area != MAP_FAILED);
    for (uint64_t k = 0; k < runs; k++) {
        struct world w = {.area = area, .seed = k};
        make(&w);
        leave_to(area + PLACE + w.length, fuzz_fall);
        leave_to(area + TAKEN, fuzz_taken);
        struct insn i;
        assert_true(insn_decode(&i, (uintptr_t)area + PLACE, (uintptr_t)area + PLACE + 64));
        if (i.length != w.length)
            differ(&w, k, "lengths");
        struct emit e = {.at = (uintptr_t)area + ELSEWHERE + k % 512};
        struct constants c = {0};
        if (!relocate(&e, &c, &i, false))
            differ(&w, k, "possibilities");
        emit_jump(&e, i.at + i.length);
        constants_place(&e, &c);
        assert_false(e.far || e.full);
        memcpy((void *)e.at, e.bytes, e.len);
        flows += w.flow;
        relative += i.relative_memory;
        run(&w, k, i.at, &here);
        run(&w, k, e.at, &there);
        if (here.path != there.path)
            differ(&w, k, "ways");
        if (here.flags != there.flags)
            differ(&w, k, "flags");
        if (memcmp(here.out, there.out, sizeof here.out) != 0)
            differ(&w, k, "registers");
        if (memcmp(here.data, there.data, sizeof here.data) != 0)
            differ(&w, k, "memory");
    }
    assert_true(flows * 8 > runs && relative * 16 > runs);
    munmap(area, AREA);
}

/* Instructions that can only be executed in place are recognised. */
static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
    } rows[] = {
        {"\xc7\xf8\0\0\0\0", 6},     /* xbegin */
        {"\xff\xd4", 2},             /* call *%rsp */
        {"\xff\x54\x24\xf8", 4},     /* call *-8(%rsp): what it reads is where it pushes */
        {"\xff\x1c\x24", 3},         /* far call */
        {"\x48\xcf", 2},             /* iretq */
        {"\x67\x8b\x05\0\0\0\0", 7}, /* relative to eip */
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint8_t text[32] = {0};
        struct insn i;
        struct emit e = {0};
        struct constants c = {0};
        memcpy(text, rows[k].bytes, rows[k].size);
        assert_true(insn_decode(&i, (uintptr_t)text, (uintptr_t)text + sizeof text));
        if (relocate(&e, &c, &i, false))
            fail_msg("row %zu was relocated", k);
    }
}

static bool same(const struct insn *a, const struct insn *b) {
    return a->at == b->at && a->bytes == b->bytes && a->length == b->length &&
           a->opcode == b->opcode && a->flow == b->flow && a->nop == b->nop &&
           a->target == b->target && a->relative_memory == b->relative_memory &&
           a->memory == b->memory && a->disp_offset == b->disp_offset &&
           a->modrm_offset == b->modrm_offset && a->imm_size == b->imm_size &&
           a->imm_offset == b->imm_offset && a->flags_read == b->flags_read &&
           a->flags_written == b->flags_written && a->kills_unsure == b->kills_unsure;
}

/* The shortcut of the linear sweep agrees with the decoder, for each opcode with each ModRM byte. A
 * length that is wrong would move windows into the middle of instructions. */
static void test_quick(void **state) {
    (void)state;
    static const uint8_t rexes[] = {0, 0x40, 0x41, 0x48, 0x4f};
    uint8_t text[32];
    uintptr_t at = (uintptr_t)text;
    uint64_t known = 0, random = 0;
    for (unsigned k = 0; k < 2u * 2 * 5 * 65536; k++) {
        unsigned rest = k >> 16, n = 0;
        for (unsigned j = 0; j < sizeof text; j += 8, random++)
            memcpy(text + j, &(uint64_t){splitmix64(7, random)}, 8);
        if ((rest & 1) != 0)
            text[n++] = 0x66;
        if (rexes[rest >> 2] != 0)
            text[n++] = rexes[rest >> 2];
        if ((rest & 2) != 0)
            text[n++] = 0x0f;
        text[n++] = (uint8_t)(k >> 8);
        text[n] = (uint8_t)k;
        struct insn quick, full;
        if (!insn_quick(&quick, at, at + sizeof text))
            continue;
        known++;
        if (!insn_decode(&quick, at, at + sizeof text) ||
            !insn_decode_fully(&full, at, at + sizeof text) || !same(&quick, &full))
            fail_msg("%02x %02x %02x %02x %02x: not what the decoder says", text[0], text[1],
                     text[2], text[3], text[4]);
    }
    assert_true(known > 300000);
    text[0] = 0xe9;
    struct insn i;
    assert_false(insn_quick(&i, at, at + 5)); /* reads nothing behind the end */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_relocated),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_quick)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
