/* Rain over the whole picture, behind everything, driven by a wind that turns now and then. Half of
 * the drops are moved and shown in one step, the others in the next. */
#include "fresnel.h"

#define DROPS 12

static byte rain_x[DROPS], rain_y[DROPS];
static byte gust; /* steps until the wind changes */

/* The wind changes by one towards where it wants to be, -3 to 3 pixels a step. */
static void wind_step(void) {
    static small wanted;

    if (gust) {
        --gust;
        return;
    }
    gust = 20 + (rnd() & 31);
    wanted = (small)((rnd() & 7) % 7) - 3;
    if (wind < wanted) {
        ++wind;
    } else if (wind > wanted) {
        --wind;
    }
}

void weather_step(void) {
    static byte i;

    wind_step();
    spr_flip = wind < 0 ? 0 : 0x40;
    spr_pal = 0;
    for (i = ticks & 1; i < DROPS; i += 2) {
        rain_x[i] += wind * 2;
        rain_y[i] += 11;
        if (rain_y[i] >= 222) {
            rain_y[i] = 36 + (rnd() & 15);
            rain_x[i] = rnd();
        }
        spr_x = rain_x[i];
        spr_y = rain_y[i];
        draw(wind ? G_RAIN : G_RAIN + 1);
    }
}
