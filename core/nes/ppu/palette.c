/*
 * The colours to which a television decodes the PPU's composite signal.
 *
 * The signal of a pixel is a square wave with twelve phases in a colour cycle (NESdev, "NTSC
 * video"): the row of the palette selects its two levels, the column its phase, and emphasis
 * attenuates some of the twelve phases. The mean of the signal is the luma. Its fundamental,
 * measured against the colour burst (the wave of column 8), is the chroma.
 */
#include "nes/nes.h"

enum { PHASES = 12, BURST = 8 };

/* Volts, by row of the palette; the extremes are black and white. */
static const double low_level[4] = {0.350, 0.518, 0.962, 1.550};
static const double high_level[4] = {1.094, 1.506, 1.962, 1.962};
static const double black = 0.518, white = 1.962, emphasis_factor = 0.746;

static bool wave(unsigned column, unsigned phase) {
    return (column + phase) % PHASES < PHASES / 2;
}

static double signal(unsigned colour, unsigned emphasis, unsigned phase) {
    unsigned column = colour & 15, row = colour >> 4;
    if (column > 13)
        return black;
    bool high = column == 0 || (column != 13 && wave(column, phase));
    double level = high ? high_level[row] : low_level[row];
    if ((emphasis & 1 && wave(0, phase)) || (emphasis & 2 && wave(4, phase)) ||
        (emphasis & 4 && wave(8, phase)))
        level *= emphasis_factor;
    return level;
}

static uint8_t clamp(double x) {
    return (uint8_t)(x <= 0 ? 0 : x >= 1 ? 255 : x * 255 + 0.5);
}

static void decode(unsigned colour, unsigned emphasis, uint8_t rgb[3]) {
    const double cos30 = 0.86602540378443865, sin30 = 0.5;
    double y = 0, u = 0, v = 0;
    /* (c, s) rotates by 30 degrees for each phase. It starts at -15 degrees, so that the burst
     * (high in phases 4 to 9, centred on 6.5, at 195 degrees) decodes to -u. */
    double c = 0.96592582628906829, s = -0.25881904510252076;
    for (unsigned phase = 0; phase < PHASES; phase++) {
        double level = (signal(colour, emphasis, phase) - black) / (white - black) / PHASES;
        y += level;
        u += 2 * level * c;
        v -= 2 * level * s;
        double turned = c * cos30 - s * sin30;
        s = s * cos30 + c * sin30;
        c = turned;
    }
    rgb[0] = clamp(y + 1.140 * v);
    rgb[1] = clamp(y - 0.395 * u - 0.581 * v);
    rgb[2] = clamp(y + 2.032 * u);
}

void nes_palette(uint8_t rgb[512][3]) {
    for (unsigned i = 0; i < 512; i++)
        decode(i & 63, i >> 6, rgb[i]);
}
