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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_bus_keeps_the_last_byte),
        cmocka_unit_test(registers_answer_dma_while_one_is_read),
        cmocka_unit_test(a_second_write_to_4014_moves_the_copy),
        cmocka_unit_test(an_nmi_takes_over_brk_and_irq),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
