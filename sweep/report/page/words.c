#include "report/page/words.h"

#include <stdio.h>
#include <string.h>

void short_name(const char *name, unsigned most, char out[16]) {
    const size_t len = strlen(name), tail = (most - 2) / 2, head = most - 2 - tail;
    if (len <= most)
        snprintf(out, 16, "%s", name);
    else
        snprintf(out, 16, "%.*s..%s", (int)head, name, name + len - tail);
}

bool group_thousands(const char *text, char out[40]) {
    const size_t sign = *text == '-', digits = strspn(text + sign, "0123456789");
    if (digits < 4 || digits > 24 || text[sign + digits] != '\0')
        return false;
    size_t at = 0;
    for (size_t i = 0; i < sign + digits; i++) {
        if (i > sign && (sign + digits - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = text[i];
    }
    out[at] = '\0';
    return true;
}

void long_count(double count, char out[40]) {
    char text[40];
    snprintf(text, sizeof text, "%.0f", count);
    if (!group_thousands(text, out))
        memcpy(out, text, sizeof text);
}

void short_count(double count, char out[16]) {
    if (count >= 1e6)
        snprintf(out, 16, "%.1f M", count / 1e6);
    else if (count >= 1e4)
        snprintf(out, 16, "%.0f k", count / 1e3);
    else
        snprintf(out, 16, "%.0f", count);
}
