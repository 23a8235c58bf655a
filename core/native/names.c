#include "native/hotprobe.h"

const char *hotprobe_strategy_name(enum hotprobe_strategy s) {
    static const char *const name[HOTPROBE_STRATEGIES] = {"over-one",  "over-several", "padding",
                                                          "reachable", "constrained",  "trap"};
    return s < HOTPROBE_STRATEGIES ? name[s] : "?";
}

const char *hotprobe_reason_text(enum hotprobe_reason r) {
    static const char *const text[HOTPROBE_REASONS] = {
        [HOTPROBE_DONE] = "done",
        [HOTPROBE_NOT_CODE] = "no instruction was found there",
        [HOTPROBE_SHORT] = "the block is too short, and no padding is in reach",
        [HOTPROBE_TARGET_INSIDE] = "a jump may lead into the overwritten bytes",
        [HOTPROBE_CALL_INSIDE] = "a call returns into the overwritten bytes",
        [HOTPROBE_UNPROVEN_JUMPS] = "the function has an indirect jump that is not understood",
        [HOTPROBE_TWO_READINGS] = "the site is inside another instruction",
        [HOTPROBE_OVERLAPS] = "another probe uses the bytes",
        [HOTPROBE_CANNOT_MOVE] = "an instruction that can only be executed in place",
        [HOTPROBE_TOO_FAR] = "no free memory in reach",
        [HOTPROBE_SWITCHED_OFF] = "only a disabled strategy could reach it",
        [HOTPROBE_GONE] = "the code has changed since it was read",
        [HOTPROBE_NO_MEMORY] = "out of memory",
        [HOTPROBE_MAPPINGS] = "the process has too many mappings: raise vm.max_map_count",
    };
    return r < HOTPROBE_REASONS ? text[r] : "?";
}
