#include "cli/cli.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void note(int number) {
    caught = number;
}

void interrupt_catch(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old;
        /* Signals ignored by nohup or for a shell's background jobs stay ignored. */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
            continue;
        struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART | SA_RESETHAND};
        sigemptyset(&action.sa_mask);
        sigaction(numbers[i], &action, NULL);
    }
}

int interrupt_signal(void) {
    return caught;
}
