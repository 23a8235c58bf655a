#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Length of the well-formed UTF-8 sequence at s (RFC 3629); 0: none. */
static int utf8_length(const unsigned char *s) {
    static const struct {
        unsigned char first_low, first_high, second_low, second_high, length;
    } forms[] = {
        {0x20, 0x7E, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (s[0] < forms[i].first_low || s[0] > forms[i].first_high)
            continue;
        for (int k = 1; k < forms[i].length; k++) {
            unsigned char low = k == 1 ? forms[i].second_low : 0x80;
            unsigned char high = k == 1 ? forms[i].second_high : 0xBF;
            if (s[k] < low || s[k] > high)
                return 0;
        }
        return forms[i].length;
    }
    return 0;
}

/* U+0080 to U+009F: terminals interpret them as the start of escape sequences. */
static bool is_control(const unsigned char *s) {
    return s[0] == 0xC2 && s[1] >= 0x80 && s[1] < 0xA0;
}

void print_safe(FILE *to, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    while (*s != 0) {
        int n = is_control(s) ? 0 : utf8_length(s);
        if (n > 0)
            fprintf(to, "%.*s", n, (const char *)s);
        else
            fprintf(to, "\\x%02x", *s);
        s += n > 0 ? n : 1;
    }
}

bool reader_gone(void) {
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

static void print_message(const char *format, va_list args) {
    char *text;
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    print_safe(stderr, text != NULL ? text : "out of memory");
    fputc('\n', stderr);
    free(text);
}

int usage_error(const char *command, const char *format, ...) {
    fprintf(stderr, "hotgraph%s%s: ", command[0] != 0 ? " " : "", command);
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
    fprintf(stderr, "Try 'hotgraph %s%s--help'.\n", command, command[0] != 0 ? " " : "");
    return EXIT_USAGE;
}

int failure(const struct error *e) {
    if (e->status == STATUS_IO && strstr(e->text, strerror(EPIPE)) != NULL && reader_gone())
        return EXIT_READER_GONE;
    fputs("hotgraph: ", stderr);
    print_safe(stderr, e->text);
    fputc('\n', stderr);
    return e->status == STATUS_INTERRUPTED ? 128 + interrupt_signal() : EXIT_FAILURE;
}

void warning(const char *format, ...) {
    fputs("hotgraph: warning: ", stderr);
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
}

void print_json_string(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    if (text == NULL) {
        printf("null");
        return;
    }
    putchar('"');
    while (*s != 0) {
        int n = utf8_length(s);
        if (*s == '"' || *s == '\\')
            printf("\\%c", *s);
        else if (is_control(s))
            printf("\\u%04x", s[1]);
        else if (n > 0)
            printf("%.*s", n, (const char *)s);
        else if (*s < 0x20 || *s == 0x7F)
            printf("\\u%04x", *s);
        else
            printf("\\ufffd");
        s += n > 0 ? n : 1;
    }
    putchar('"');
}

void print_json_text(const char *name, const char *text) {
    printf("\"%s\": ", name);
    print_json_string(text);
}

void print_json_number(const char *name, double value) {
    if (isnan(value))
        printf("\"%s\": null", name);
    else
        printf("\"%s\": %.17g", name, value);
}

void print_json_count(const char *name, uint64_t value) {
    printf("\"%s\": %" PRIu64, name, value);
}

struct option_spec json_option(bool *json) {
    return (struct option_spec){"json", NULL, "print a summary as JSON", OPTION_FLAG, .to = json};
}

void print_translation(const struct dbt_statistics *s) {
    printf("{\"blocks\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"guest_bytes\": %" PRIu64
           ", \"host_bytes\": %" PRIu64 ", \"seconds\": %.6f, \"flushes\": %" PRIu64
           ", \"superblocks\": %" PRIu64 ", \"followed\": %" PRIu64 ", \"stale\": %" PRIu64
           ", \"retranslated\": %" PRIu64 ", \"links\": %" PRIu64 ", \"executed\": %" PRIu64
           ", \"dispatched\": %" PRIu64 ", \"return_misses\": %" PRIu64
           ", \"cache_bytes\": %" PRIu64 ", \"cache_used\": %" PRIu64 "}",
           s->blocks, s->instructions, s->guest_bytes, s->host_bytes, (double)s->nanoseconds * 1e-9,
           s->flushes, s->superblocks, s->followed, s->stale, s->retranslated, s->links,
           s->executed, s->dispatched, s->return_misses, s->cache_bytes, s->cache_used);
}

size_t print_width(bool wide) {
    struct winsize size = {0};
    if (wide || !isatty(STDOUT_FILENO))
        return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

struct option_spec wide_option(bool *wide) {
    return (struct option_spec){"wide", NULL,
                                "print all columns of tables, even if the terminal is too narrow",
                                OPTION_FLAG, .to = wide};
}
