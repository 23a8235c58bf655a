/* The variant of the console as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nes/nes.h"

enum { ALIGNMENT_MOST = 340 };

void nes_console_text(char text[NES_CONSOLE_TEXT], const struct nes_console *c) {
    snprintf(text, NES_CONSOLE_TEXT, "warmup=%s,alignment=%u", c->no_warmup ? "off" : "on",
             c->alignment % 1000);
}

/* Parses "name=value" of `length` characters; false if it is neither of the two options. */
static bool parse_word(struct nes_console *c, const char *word, size_t length) {
    static const char warmup[] = "warmup=", alignment[] = "alignment=";
    const size_t before = sizeof alignment - 1;
    if (length > sizeof warmup - 1 && !memcmp(word, warmup, sizeof warmup - 1)) {
        const char *value = word + sizeof warmup - 1;
        const size_t left = length - (sizeof warmup - 1);
        c->no_warmup = left == 3 && !memcmp(value, "off", 3);
        return c->no_warmup || (left == 2 && !memcmp(value, "on", 2));
    }
    if (length <= before || length > before + 3 || memcmp(word, alignment, before))
        return false;
    c->alignment = 0;
    for (size_t i = before; i < length; i++) {
        if (word[i] < '0' || word[i] > '9')
            return false;
        c->alignment = c->alignment * 10 + (unsigned)(word[i] - '0');
    }
    return c->alignment <= ALIGNMENT_MOST;
}

enum status nes_console_parse(struct nes_console *out, const char *text, struct error *e) {
    struct nes_console c = {0};
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, ",");
        if (!parse_word(&c, at, length))
            return error_set(
                e, STATUS_ARGUMENT,
                "'%.60s': expected warmup=on or off, alignment=0 to %d, or both with a "
                "comma between",
                text, ALIGNMENT_MOST);
        at += length;
        at += *at == ',' && at[1];
    }
    *out = c;
    return STATUS_OK;
}
