/* Words and numbers on the screen, by way of the queue that the NMI copies. */
#include "fresnel.h"

#define EXTRA_LIFE 1000 /* tens of points */

/* Begins a record of n tiles, which the caller appends. Row with bit 7 set: downwards. */
void record(byte column, byte row, byte n) {
    static word at;

    at = 0x2000 + ((word)(row & 0x1F) << 5) + column;
    vq[vq_n] = hi(at) | (row & 0x80 ? 0x40 : 0);
    ++vq_n;
    vq[vq_n++] = at;
    vq[vq_n++] = (32 - n) << 2; /* entry into the slide of boot.s */
}

/* Text up to a zero byte. */
void put_text(byte column, byte row, const byte *words) {
    static byte n, i;

    for (n = 0; words[n]; ++n) {
    }
    record(column, row, n);
    for (i = 0; i < n; ++i) {
        vq[vq_n++] = words[i] - 32;
    }
}

/* The fields of the display: their column, digits, and whether a 0 is written behind them. */
static const byte field_column[] = {1, 9, 17, 24, 29};
static const byte field_digits[] = {5, 3, 2, 1, 1};
static const byte field_zeros[] = {1, 1, 0, 0, 0};
static byte field, left;
static word number;

static void field_begin(void) {
    static byte bit;

    field = 0;
    for (bit = 1; !(hud_dirty & bit); bit <<= 1) {
        ++field;
    }
    hud_dirty &= ~bit;
    switch (bit) {
    case HUD_SCORE:
        number = level ? score : best; /* the title shows the best */
        break;
    case HUD_BONUS:
        number = bonus;
        break;
    case HUD_LEVEL:
        number = level;
        break;
    case HUD_LIVES:
        number = lives;
        break;
    case HUD_NEED:
        number = need;
        break;
    }
    left = field_digits[field];
}

static void field_write(void) {
    static byte i, n, zeros;

    n = field_digits[field];
    zeros = field_zeros[field];
    record(field_column[field], 3, n + zeros);
    for (i = 0; i < n; ++i) {
        vq[vq_n++] = digits[i];
    }
    if (zeros) {
        vq[vq_n++] = '0' - 32;
    }
}

/* One digit of one field a step: dividing is slow. */
void hud_step(void) {
    if (left) {
        --left;
        digits[left] = '0' - 32 + (byte)(number % 10);
        number /= 10;
        if (!left) {
            field_write();
        }
    } else if (hud_dirty) {
        field_begin();
    }
}

void score_add(word tens) {
    if (state == S_TITLE) {
        return;
    }
    score += tens;
    hud_dirty |= HUD_SCORE;
    if (score >= next_life) {
        next_life += EXTRA_LIFE;
        if (lives < 9) {
            ++lives;
        }
        sfx = SFX_LIFE;
        hud_dirty |= HUD_LIVES;
    }
}

/* A line of twelve letters in the middle. */
void message(byte row, const char *words) {
    put_text(10, row, (const byte *)words);
}
