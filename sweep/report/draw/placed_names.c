/* Each name takes the place that covers least, given the places of the others, until none moves. */
#include "report/draw/placed_names.h"

#include <math.h>

enum { HALF_POINT = 5, GAP = 9, PASSES = 8, ANCHORS_MOST = 64 };

/* Where a name stands at a point, the best first: -1, 0, 1 times its size to the left and up. */
static const struct {
    int x, y;
} sides[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {1, -1}, {-1, -1}, {1, 1}, {-1, 1}};
enum { SIDES = sizeof sides / sizeof *sides };

static struct box beside(const struct anchor_point *p, const struct name *name, size_t side) {
    const double across = sides[side].y == 0 ? GAP : HALF_POINT;
    const double down = sides[side].x == 0 ? HALF_POINT + 1 : GAP;
    const double left = p->x + sides[side].x * across + (sides[side].x - 1) * name->width / 2;
    const double top = p->y + sides[side].y * down + (sides[side].y - 1) * name->height / 2;
    return (struct box){left, top, left + name->width, top + name->height};
}

static double common(const struct box *a, const struct box *b) {
    const double wide = fmin(a->right, b->right) - fmax(a->left, b->left);
    const double high = fmin(a->bottom, b->bottom) - fmax(a->top, b->top);
    return wide > 0 && high > 0 ? wide * high : 0;
}

/* Square pixels that it covers, weighted by how bad that is. */
static double covered(const struct name *names, size_t n, size_t mine, const struct box *at,
                      const struct crowd *crowd) {
    enum { OUTSIDE = 50, NAME = 10, POINT = 4, LINE = 4 };
    const double area = (at->right - at->left) * (at->bottom - at->top);
    double sum = OUTSIDE * (area - common(at, &crowd->frame)) + LINE * common(at, &crowd->line);
    for (size_t i = 0; i < n; i++)
        if (i != mine)
            sum += NAME * common(at, &names[i].at);
    for (size_t i = 0; i < crowd->count; i++) {
        const struct anchor_point *const p = &crowd->points[i];
        if (p->is_drawn)
            sum += POINT * common(at, &(struct box){p->x - HALF_POINT, p->y - HALF_POINT,
                                                    p->x + HALF_POINT, p->y + HALF_POINT});
    }
    return sum;
}

/* Places that cover the same are told apart by their order, so each is a little worse. */
static bool move(struct name *names, size_t n, size_t mine, const struct crowd *crowd) {
    struct name *const name = &names[mine];
    const struct box before = name->at;
    double least = INFINITY;
    size_t own = 0, step, seen = 0;
    for (size_t i = 0; i < crowd->count; i++)
        own += crowd->points[i].name == mine;
    step = (own + ANCHORS_MOST - 1) / ANCHORS_MOST;
    for (size_t i = 0; i < crowd->count; i++) {
        if (crowd->points[i].name != mine || (seen++ % step != 0 && i != name->first))
            continue;
        for (size_t side = 0; side < SIDES; side++) {
            const struct box at = beside(&crowd->points[i], name, side);
            const double cost = covered(names, n, mine, &at, crowd) + (double)side +
                                (i == name->first ? 0 : SIDES + 0.01 * (double)seen);
            if (cost < least) {
                least = cost;
                name->at = at;
            }
        }
    }
    return name->at.left != before.left || name->at.top != before.top;
}

void place_names(struct name *names, size_t n, const struct crowd *crowd) {
    for (size_t i = 0; i < n; i++)
        names[i].at = (struct box){0};
    bool moved = true;
    for (unsigned pass = 0; moved && pass < PASSES; pass++) {
        moved = false;
        for (size_t i = 0; i < n; i++)
            moved |= move(names, n, i, crowd);
    }
}
