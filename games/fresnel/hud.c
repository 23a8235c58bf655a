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

/* A number of so many digits, by dividing. */
static void put_number(byte column, word number, byte n, byte zeros) {
    static byte i;

    for (i = n; i; --i) {
        digits[i - 1] = '0' - 32 + (byte)(number % 10);
        number /= 10;
    }
    record(column, 3, n + zeros);
    for (i = 0; i < n; ++i) {
        vq[vq_n++] = digits[i];
    }
    if (zeros) {
        vq[vq_n++] = '0' - 32;
    }
}

/* One field a step. */
void hud_step(void) {
    static byte bit;

    if (!hud_dirty) {
        return;
    }
    for (bit = 1; !(hud_dirty & bit); bit <<= 1) {
    }
    hud_dirty &= ~bit;
    switch (bit) {
    case HUD_SCORE:
        put_number(1, score, 5, 1);
        break;
    case HUD_BONUS:
        put_number(9, bonus, 3, 1);
        break;
    case HUD_LEVEL:
        put_number(17, level, 2, 0);
        break;
    case HUD_LIVES:
        put_number(24, lives, 1, 0);
        break;
    case HUD_NEED:
        put_number(29, need, 1, 0);
        break;
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
