/*
 * What lies on the processor's bus when nobody drives it, what DMA reads there, and which vector an
 * interrupt sequence takes. If this failed, programs that read open bus, play samples while they
 * read pads, or are interrupted twice would take another course than on the console. Facts from
 * NESdev ("Open bus behavior", "DMA", "CPU interrupts"); 100thCoin's AccuracyCoin tests them, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nes/machine/machine.h"
#include "tests/support/program_writer.h"

enum { CODE = 0x0300, IRQ_AT = 0x8100, NMI_AT = 0x8200, SAMPLE = 0x9000, SAMPLE_BYTE = 0xA7 };

struct bench {
    struct guest *g;
    struct nes *nes;
};

static void set_up(struct bench *b, bool no_fast) {
    b->g = guest_new();
    guest_code(b->g, 0x8000, JMP, 0x00, 0x80);
    guest_code(b->g, SAMPLE, SAMPLE_BYTE);
    guest_vectors(b->g, NMI_AT, 0x8000, IRQ_AT);
    b->nes = guest_machine(b->g, (struct nes_options){.no_fast = no_fast});
    assert_int_equal(nes_run_frame(b->nes, NULL), STATUS_OK);
    assert_int_equal(nes_run_frame(b->nes, NULL), STATUS_OK);
}

static void tear_down(struct bench *b) {
    nes_free(b->nes);
    free(b->g);
}

/* Has `code` run next, from RAM. */
static void begin(struct bench *b, const uint8_t *code, size_t size) {
    struct nes *const n = b->nes;
    n->cpu.r = (struct registers){.pc = CODE, .s = 0xF0, .p = 4};
    memcpy(n->memory.ram + CODE, code, size);
}
#define BEGIN(b, ...) begin(b, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

/* A sample's byte is requested from the `cycles`-th cycle from now on. */
static void request(struct bench *b, unsigned cycles) {
    struct nes *const n = b->nes;
    struct apu *const a = &n->apu;
    apu_sync(a, n->cpu.cycle);
    a->dmc_full = false;
    a->dmc_remaining = 100;
    a->dmc_address = SAMPLE;
    a->dmc_period = 428;
    a->dmc_bits = 8;
    a->dmc_clock = n->cpu.cycle + 428;
    a->dmc_wish = n->cpu.cycle + cycles;
    bus_forget_lines(n);
    n->dma.from = a->dmc_wish;
}

/* Broken: a program that reads where nothing is gets anything but the last byte on the bus. */
static void open_bus_keeps_the_last_byte(void **state) {
    (void)state;
    enum { LAST_READ = 3 }; /* of LDA $xxxx */
    struct bench b;
    for (unsigned no_fast = 0; no_fast < 2; no_fast++) {
        set_up(&b, no_fast);
        BEGIN(&b, LDA_ABS, 0x34, 0x52);
        nes_step(b.nes);
        assert_int_equal(b.nes->cpu.r.a, 0x52); /* the operand's second byte */
        /* $4000-$4014 cannot be read; three bits of the pads are not driven, one of $4015. */
        BEGIN(&b, LDA_ABS, 0x03, 0x40);
        nes_step(b.nes);
        assert_int_equal(b.nes->cpu.r.a, 0x40);
        BEGIN(&b, LDA_ABS, 0x16, 0x40);
        nes_step(b.nes);
        assert_int_equal(b.nes->cpu.r.a & 0xE0, 0x40);
        BEGIN(&b, LDA_ABS, 0x15, 0x40);
        nes_step(b.nes);
        assert_int_equal(b.nes->cpu.r.a & 0x3F, 0);
        /* Code that is read from there repeats it, for ever: JMP $4C4C. */
        BEGIN(&b, JMP, 0x4C, 0x4C);
        for (unsigned i = 0; i < 50000; i++)
            nes_step(b.nes);
        assert_int_equal(b.nes->cpu.r.pc, 0x4C4C);
        assert_int_equal(b.nes->memory.bus, 0x4C);
        BEGIN(&b, LDA_ABS, 0x15, 0x40);
        b.nes->memory.bus = 0;
        nes_step(b.nes);
        assert_int_equal(b.nes->memory.bus, 0x40); /* its value stays within the chip */
        /* A fetch of a sample just before the read leaves its byte there. */
        BEGIN(&b, LDA_ABS, 0x34, 0x52);
        request(&b, LAST_READ);
        nes_step(b.nes);
        assert_int_equal(b.nes->cpu.r.a, SAMPLE_BYTE);
        /* One cycle earlier the operand's byte follows it. */
        BEGIN(&b, LDA_ABS, 0x34, 0x52);
        request(&b, LAST_READ - 1);
        nes_step(b.nes);
        assert_int_equal(b.nes->cpu.r.a, 0x52);
        tear_down(&b);
    }
}

/* Copies page 2 to OAM while the processor is halted in a read of `address`. */
static void copy_at(struct bench *b, uint16_t address) {
    struct nes *const n = b->nes;
    for (unsigned i = 0; i < 256; i++)
        n->memory.ram[0x200 + i] = (uint8_t)(i % 4 == 2 ? 0 : i + 1);
    n->memory.ram[0x2FF] = n->memory.ram[CODE] = NOP; /* the last byte, which open bus gives */
    n->cpu.r = (struct registers){.pc = address, .s = 0xF0, .p = 4};
    n->pads.strobe = n->pads.written = false;
    n->pads.strobe_cycle = NEVER;
    n->pads.shift[0] = n->pads.shift[1] = 0x55;
    n->ppu.state.oam_address = 0;
    ppu_loaded(&n->ppu);
    n->dma.oam_page = 2;
    n->dma.oam_pending = true;
    n->dma.from = 0;
    nes_step(n);
    ppu_sync(&n->ppu, n->cpu.cycle);
}

/* Registers answer DMA at any address whose low five bits are theirs, if the halted processor reads
 * one of them. Broken: DMA does not disturb pads and the APU's status where it does so on the
 * console, or everywhere. */
static void registers_answer_dma_while_one_is_read(void **state) {
    (void)state;
    struct bench b;
    for (unsigned no_fast = 0; no_fast < 2; no_fast++) {
        set_up(&b, no_fast);
        copy_at(&b, CODE);
        assert_memory_equal(b.nes->ppu.state.oam, b.nes->memory.ram + 0x200, 256);
        assert_int_equal(b.nes->pads.shift[0], 0x55);
        copy_at(&b, 0x4000);
        for (unsigned i = 0; i < 255; i++) {
            const uint8_t plain = b.nes->memory.ram[0x200 + i], *const oam = b.nes->ppu.state.oam;
            if (i % 32 == 0x15) /* the status: nothing plays; bit 5 is not driven */
                assert_int_equal(oam[i] & 0x1F, 0);
            else if (i % 32 == 0x16 && i % 4 != 2)
                assert_int_equal(oam[i] & 0xE0, plain & 0xE0);
            else if (i % 32 == 0x17)
                assert_int_equal(oam[i] & 0xE0, plain & 0xE0);
            else if (i % 4 != 2)
                assert_int_equal(oam[i], plain);
        }
        assert_int_equal(b.nes->pads.shift[0], 0xFF); /* read eight times: ones follow */
        assert_int_equal(b.nes->pads.shift[1], 0xFF);
        tear_down(&b);
    }
}

/* INC writes twice before the processor can be halted. Broken: two copies, or one of the first
 * page. */
static void a_second_write_to_4014_moves_the_copy(void **state) {
    (void)state;
    struct bench b;
    for (unsigned no_fast = 0; no_fast < 2; no_fast++) {
        set_up(&b, no_fast);
        struct nes *const n = b.nes;
        BEGIN(&b, 0xEE, 0x14, 0x40, NOP); /* INC $4014, which reads $40 from open bus */
        nes_step(n);
        assert_true(n->dma.oam_pending);
        assert_int_equal(n->dma.oam_page, 0x41);
        const uint64_t halt = n->cpu.cycle;
        nes_step(n);
        assert_int_equal(n->cpu.cycle - halt, 2 + 513 + (halt + 1) % 2);
        assert_false(n->dma.oam_pending);
        tear_down(&b);
    }
}

/* Broken: an NMI that comes while BRK is executed or an IRQ is taken is served after it, or the
 * handler does not see the flag B. */
static void an_nmi_takes_over_brk_and_irq(void **state) {
    (void)state;
    struct bench b;
    for (unsigned no_fast = 0; no_fast < 2; no_fast++) {
        set_up(&b, no_fast);
        struct nes *const n = b.nes;
        for (unsigned nmi = 0; nmi < 2; nmi++)
            for (unsigned irq = 0; irq < 2; irq++) {
                BEGIN(&b, BRK, 0, NOP);
                n->lines.nmi_pending = nmi;
                n->cpu.due = irq; /* an interrupt sequence instead of the BRK */
                nes_step(n);
                assert_int_equal(n->cpu.r.pc, nmi ? NMI_AT : IRQ_AT);
                assert_false(n->lines.nmi_pending);
                const uint8_t *const stack = n->memory.ram + 0x100;
                assert_int_equal(stack[0xEE] & 0x10, irq ? 0 : 0x10);
                assert_int_equal(stack[0xEF] | stack[0xF0] << 8, irq ? CODE : CODE + 2);
            }
        tear_down(&b);
    }
}

/* Asks for a frame IRQ; returns the first cycle at whose end the line is low. */
static uint64_t ask_for_irq(struct bench *b) {
    BEGIN(b, LDA_IMM, 0x40, STA_ABS, 0x17, 0x40, LDA_IMM, 0x00, STA_ABS, 0x17, 0x40);
    for (unsigned i = 0; i < 4; i++) /* the first pair withdraws an earlier one */
        nes_step(b->nes);
    return apu_irq_deadline(&b->nes->apu);
}

/* Runs from `pc` on so that the next instruction begins in cycle `start`. */
static void idle_until(struct bench *b, uint64_t start) {
    struct nes *const n = b->nes;
    BEGIN(b, JMP, (uint8_t)CODE, CODE >> 8);
    while (n->cpu.cycle + 8 < start)
        nes_step(n);
    BEGIN(b, NOP, NOP, NOP, NOP);
    if ((start - n->cpu.cycle) % 2)
        BEGIN(b, LDA_ZP, 0, NOP, NOP, NOP);
    while (n->cpu.cycle < start)
        nes_step(n);
    assert_int_equal(n->cpu.cycle, start);
}

/* NESdev, "CPU interrupts": an instruction polls the lines at the end of its last but one cycle. A
 * branch does so at the end of its first one, and if it crosses a page, also of its third, but not
 * of its second. P: the lines are polled at the end of this cycle. Broken: a handler that interrupts
 * a loop of branches runs an instruction too early, and splits of the picture jitter less. */
static const struct polling {
    uint8_t code[3];
    uint16_t at, next;
    const char *cycles;
} pollings[] = {
    {{NOP, NOP, NOP}, 0x0300, 0x0301, "P."},    {{LDA_ZP, 0x00, NOP}, 0x0300, 0x0302, ".P."},
    {{JMP, 0x10, 0x03}, 0x0300, 0x0310, ".P."}, {{BCS, 0x10, NOP}, 0x0300, 0x0302, "P."},
    {{BCC, 0x10, NOP}, 0x0300, 0x0312, "P.."},  {{BCC, 0x80, NOP}, 0x03F0, 0x0372, "P.."},
    {{BCC, 0x10, NOP}, 0x03F0, 0x0402, "P.P."}, {{BCC, 0x80, NOP}, 0x0310, 0x0292, "P.P."},
};

/* The return address that an IRQ pushes whose line is low from the end of cycle `low` on; NOPs
 * follow. */
static uint16_t returns_to(const struct polling *p, unsigned low) {
    const unsigned cycles = (unsigned)strlen(p->cycles);
    for (unsigned at = low; at < cycles; at++)
        if (p->cycles[at] == 'P')
            return p->next;
    const unsigned left = low > cycles ? low - cycles : 0;
    return (uint16_t)(p->next + 1 + (left + 1) / 2);
}

static void taken_branches_delay_interrupts(void **state) {
    (void)state;
    struct bench b;
    for (unsigned no_fast = 0; no_fast < 2; no_fast++) {
        set_up(&b, no_fast);
        struct nes *const n = b.nes;
        for (size_t i = 0; i < sizeof pollings / sizeof *pollings; i++)
            for (unsigned low = 0; low < 7; low++) {
                const struct polling *const p = &pollings[i];
                idle_until(&b, ask_for_irq(&b) - low);
                memset(n->memory.ram + 0x200, NOP, 0x300);
                memcpy(n->memory.ram + p->at, p->code, sizeof p->code);
                n->cpu.r = (struct registers){.pc = p->at, .s = 0xF0}; /* unmasked */
                while (n->cpu.r.pc != IRQ_AT)
                    nes_step(n);
                const uint8_t *const stack = n->memory.ram + 0x100;
                assert_int_equal(stack[0xEF] | stack[0xF0] << 8, returns_to(p, low));
            }
        tear_down(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_bus_keeps_the_last_byte),
        cmocka_unit_test(registers_answer_dma_while_one_is_read),
        cmocka_unit_test(a_second_write_to_4014_moves_the_copy),
        cmocka_unit_test(an_nmi_takes_over_brk_and_irq),
        cmocka_unit_test(taken_branches_delay_interrupts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
