/* The fast loop that looks for a way back to a state (spin.h): it ends behind a jump to where it
 * began, with the registers of then, or at what a spin does not do. */
#include "nes/machine.h"

#define LOOP_FUNCTION                                                                              \
    void cpu_run_spin(struct nes *n, const struct cpu *place, uint64_t stop, uint64_t deadline,    \
                      bool *arrived)
#define LOOP_SKIPS false
#define LOOP_STOPS false
/* Pads, and what is not there at all. */
#define LOOP_READS(at)  ((at) >= 0x4000 && (at) != 0x4015)
#define LOOP_WRITES(at) ((at) == 0x4016)
#define LOOP_ENDS_ONCE  1
#define MET()           ((void)0)
#define WENT(how)                                                                                  \
    do {                                                                                           \
        if ((how) != WENT_NEXT &&                                                                  \
            (!place || (PC(0) == place->pc && a == place->a && x == place->x && y == place->y &&   \
                        s == place->s && GET_P() == flags))) {                                     \
            *arrived = true;                                                                       \
            end = NULL;                                                                            \
        }                                                                                          \
    } while (0)
#define LEFT()        ((void)0)
#define LOOP_LOCALS() const uint8_t flags = place ? cpu_flags(place) : 0
#include "nes/cpu_loop.h"
