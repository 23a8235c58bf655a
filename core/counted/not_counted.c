/* There is no translator for this processor. */
#include "counted/counted.h"

bool counted_here(void) {
    return false;
}

enum status counted_replay(const struct counted_request *r, struct counted *out, struct error *e) {
    (void)r;
    *out = (struct counted){0};
    return error_set(
        e, STATUS_UNSUPPORTED,
        "host instructions are counted in translated code, and the translator does not "
        "know this processor: count on an x86-64");
}
