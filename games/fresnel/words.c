/* The words of the scripts. screens.s says what each takes from the stack. */
#include "fresnel.h"

static byte a, b, c, d;

static void pop2(void) {
    b = pop();
    a = pop();
}

static void pop3(void) {
    c = pop();
    pop2();
}

static void pop4(void) {
    d = pop();
    pop3();
}

static const byte *address(void) {
    static const byte *there;

    there = *(const byte *const *)pc;
    pc += 2;
    return there;
}

/* --- numbers */

static void w_lit(void) {
    push(*pc);
    ++pc;
}

static void w_add(void) {
    pop2();
    push(a + b);
}

static void w_sub(void) {
    pop2();
    push(a - b);
}

static void w_mul(void) {
    pop2();
    push(a * b);
}

static void w_div(void) {
    pop2();
    push(a / b);
}

static void w_less(void) {
    pop2();
    push(a < b);
}

/* A number below that on the stack. */
static void w_chance(void) {
    push(hi((word)rnd() * pop()));
}

static void w_tour(void) {
    push(tour);
}

static void w_herox(void) {
    push(hx);
}

static void w_heroy(void) {
    push(hy);
}

/* How many things of a kind there are. */
static void w_count(void) {
    static byte n;
    static const struct thing *t;

    a = pop();
    n = 0;
    for (t = things; t < things + THINGS; ++t) {
        if (t->kind == a) {
            ++n;
        }
    }
    push(n);
}

/* --- flow: frames of loops and calls grow in the thread's ten bytes */

static void frame_push(byte n) {
    base->frames[base->top] = n;
    ++base->top;
}

static byte frame_pop(void) {
    --base->top;
    return base->frames[base->top];
}

static void w_do(void) {
    frame_push((word)pc);
    frame_push(hi((word)pc));
    frame_push(pop());
}

static void w_loop(void) {
    static byte *frame;

    frame = base->frames + base->top;
    if (--frame[-1]) {
        pc = *(const byte **)(frame - 3);
        return;
    }
    base->top -= 3;
}

static void w_index(void) {
    push(base->frames[base->top - 1]);
}

static void w_call(void) {
    static const byte *there;

    there = address();
    frame_push((word)pc);
    frame_push(hi((word)pc));
    pc = there;
}

static void w_ret(void) {
    a = frame_pop();
    pc = (const byte *)((word)a << 8 | frame_pop());
}

static void w_go(void) {
    pc = address();
}

static void w_unless(void) {
    static const byte *there;

    there = address();
    if (!pop()) {
        pc = there;
    }
}

static void w_wait(void) {
    rest = pop();
}

static void w_end(void) {
    pc = 0;
}

static void w_thread(void) {
    thread_begin(address());
}

/* --- building */

static void w_floor(void) {
    pop4();
    add_floor(a, b, c, d);
}

static void w_belt(void) {
    fl_belt[floors - 1] = pop();
}

static void w_ladder(void) {
    pop3();
    add_ladder(a, b, c);
}

static void w_item(void) {
    pop3();
    add_item(a, b, c);
}

static void w_lamp(void) {
    pop2();
    add_lamp(a, b);
}

static void w_hero(void) {
    pop2();
    home_x = a;
    home_floor = b;
}

static void w_need(void) {
    need = pop();
}

static void w_fill(void) {
    pop4();
    record(a, b, c);
    fill_tile = d;
    run_fill(c);
}

/* Two by two tiles. */
static void w_stamp(void) {
    static byte i;

    pop3();
    for (i = 0; i < 2; ++i) {
        record(a, b + i, 2);
        vq[vq_n++] = c++;
        vq[vq_n++] = c++;
    }
}

/* Palette of a block of two by two tiles. */
static void w_tint(void) {
    pop3();
    tint(a, b, c);
}

/* Palette of as many rows of four tiles, from one of 8 on. */
static void w_band(void) {
    pop3();
    band(a, b, c);
}

/* All 32 colours: of the title 0, of a screen 1 to 4. */
static void w_look(void) {
    a = pop() << 5;
    vq[vq_n++] = 0x3F;
    vq[vq_n++] = 0;
    vq[vq_n++] = 0;
    for (b = 0; b < 32; ++b) {
        vq[vq_n++] = palettes[a++];
    }
}

/* Text follows, up to a zero byte. */
static void w_say(void) {
    pop2();
    put_text(a, b, pc);
    while (*pc) {
        ++pc;
    }
    ++pc;
}

/* --- the play */

/* Kind, x, y, speed to the right in 1/64 pixel, plus 128. */
static void w_spawn(void) {
    pop4();
    spawn(a, b, c, ((int)d - 128) * 4);
}

/* The same with bounds: a lift turns there, a petrel flies in a wave of that middle and width. */
static void w_launch(void) {
    static struct thing *t;
    static byte low, high;

    pop2();
    low = a;
    high = b;
    w_spawn();
    if (last != NONE) {
        t = things + last;
        t->low = low;
        t->high = high;
    }
}

static void w_pad(void) {
    demo = pop();
}

static void w_sound(void) {
    sfx = pop();
}

static void w_tune(void) {
    tune = pop();
}

/* The order is that of script.inc. */
void (*const words[])(void) = {
    w_lit,    w_add,   w_sub,  w_mul,    w_div,   w_less,   w_chance, w_tour,   w_herox, w_heroy,
    w_count,  w_do,    w_loop, w_index,  w_call,  w_ret,    w_go,     w_unless, w_wait,  w_end,
    w_thread, w_floor, w_belt, w_ladder, w_item,  w_lamp,   w_hero,   w_need,   w_fill,  w_stamp,
    w_tint,   w_band,  w_look, w_say,    w_spawn, w_launch, w_pad,    w_sound,  w_tune,
};
