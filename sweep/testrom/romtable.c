#include "testrom/testrom.h"

#include <stdlib.h>
#include <string.h>

#include "nes/nes.h"

struct scan {
    const char *at, *name;
    unsigned line;
    struct error *e;
};

static enum status complain(const struct scan *s, const char *what) {
    return error_set(s->e, STATUS_FORMAT, "%s:%u: %s", s->name, s->line, what);
}

/* ---- words ---- */

/* Advances to the entry's next word; false if the next entry or the end of the text comes first. */
static bool next_in_entry(struct scan *s) {
    for (;; s->at++) {
        if (*s->at == '#')
            s->at += strcspn(s->at, "\n");
        if (*s->at == '\n') {
            s->line++;
            if (s->at[1] != ' ' && s->at[1] != '#' && s->at[1] != '\n') {
                s->at++;
                return false;
            }
        } else if (*s->at != ' ') {
            return *s->at != 0;
        }
    }
}

/* Reads a bare word; "" if there is none or it is too long. */
static void take_word(struct scan *s, char word[48]) {
    const size_t n = next_in_entry(s) ? strcspn(s->at, " \n\"#") : 0;
    word[0] = 0;
    if (n >= 48)
        return;
    memcpy(word, s->at, n);
    word[n] = 0;
    s->at += n;
}

static enum status take_text(struct scan *s, char **out) {
    if (*out != NULL)
        return complain(s, "this is given twice");
    if (!next_in_entry(s) || *s->at != '"')
        return complain(s, "a text in quotation marks is missing");
    const size_t n = strcspn(++s->at, "\"\n");
    if (s->at[n] != '"' || n == 0)
        return complain(s, "a text must not be empty, and must end on its line");
    *out = strndup(s->at, n);
    s->at += n + 1;
    return *out != NULL ? STATUS_OK : error_set(s->e, STATUS_MEMORY, "%s: out of memory", s->name);
}

static enum status take_number(struct scan *s, int base, uint64_t most, uint64_t *out) {
    char word[48], *end;
    take_word(s, word);
    *out = strtoull(word, &end, base);
    if (word[0] == 0 || word[0] == '-' || word[0] == '+' || *end != 0 || *out > most)
        return complain(s, base == 10 ? "a decimal number is missing, or it is too large"
                                      : "a hexadecimal number is missing, or it is too large");
    return STATUS_OK;
}

/* ---- what the words mean ---- */

enum { FRAMES_MOST = 1000000 };

static enum status take_ram(struct scan *s, struct rom_entry *r) {
    uint64_t address = 0, value = 0;
    enum status status = take_number(s, 16, 0xFFFF, &address);
    if (status == STATUS_OK)
        status = take_number(s, 16, 0xFF, &value);
    if (status == STATUS_OK &&
        !vec_push(&r->ram, ((struct rom_byte){(uint16_t)address, (uint8_t)value})))
        status = error_set(s->e, STATUS_MEMORY, "%s: out of memory", s->name);
    return status;
}

static enum status take_buttons(struct scan *s, uint8_t *out) {
    static const char letters[] = "ABsSUDLR"; /* in the order NES_A ... NES_RIGHT */
    char word[48];
    take_word(s, word);
    *out = 0;
    for (const char *c = word; *c != 0; c++) {
        const char *found = strchr(letters, *c);
        if (found == NULL)
            return complain(s, "buttons are letters of ABsSUDLR");
        *out |= (uint8_t)(1u << (found - letters));
    }
    return *out != 0 ? STATUS_OK : complain(s, "buttons are missing");
}

static enum status take_hold(struct scan *s, struct rom_entry *r, uint8_t port) {
    struct rom_hold hold = {.port = port};
    enum status status = take_number(s, 10, FRAMES_MOST, &hold.from);
    if (status == STATUS_OK)
        status = take_number(s, 10, FRAMES_MOST, &hold.to);
    if (status == STATUS_OK)
        status = take_buttons(s, &hold.buttons);
    if (status == STATUS_OK && hold.from >= hold.to)
        status = complain(s, "hold FROM TO: FROM must be less than TO");
    if (status == STATUS_OK && !vec_push(&r->holds, hold))
        status = error_set(s->e, STATUS_MEMORY, "%s: out of memory", s->name);
    return status;
}

static enum status take_picture(struct scan *s, struct rom_entry *r) {
    struct rom_picture picture = {0};
    enum status status = take_number(s, 10, FRAMES_MOST, &picture.from);
    if (status == STATUS_OK)
        status = take_number(s, 10, FRAMES_MOST, &picture.to);
    if (status == STATUS_OK)
        status = take_number(s, 16, UINT64_MAX, &picture.hash);
    if (status == STATUS_OK && picture.from > picture.to)
        status = complain(s, "picture FROM TO: FROM must not be more than TO");
    if (status == STATUS_OK && !vec_push(&r->pictures, picture))
        status = error_set(s->e, STATUS_MEMORY, "%s: out of memory", s->name);
    return status;
}

static enum status take_area(struct scan *s, struct rom_entry *r) {
    enum status status = STATUS_OK;
    for (unsigned i = 0; i < 4 && status == STATUS_OK; i++) {
        uint64_t value = 0;
        status = take_number(s, 10, 256, &value);
        r->area[i] = (unsigned)value;
    }
    if (status == STATUS_OK && (r->area[2] == 0 || r->area[3] == 0 ||
                                r->area[0] + r->area[2] > 256 || r->area[1] + r->area[3] > 240))
        status =
            complain(s, "area X Y WIDTH HEIGHT: the area must lie within a picture of 256 x 240");
    return status;
}

static enum status take_log(struct scan *s, struct rom_entry *r) {
    uint64_t start = 0;
    enum status status = take_text(s, &r->log);
    if (status == STATUS_OK)
        status = take_number(s, 16, 0xFFFF, &start);
    r->log_start = (uint16_t)start;
    return status;
}

static enum status take_kind(struct scan *s, struct rom_entry *r, enum rom_kind kind) {
    r->kind = kind;
    return take_text(s, &r->why);
}

static enum status take_console(struct scan *s, struct rom_entry *r) {
    char *text = NULL;
    struct error e = {0};
    enum status status = take_text(s, &text);
    if (status == STATUS_OK && nes_console_parse(&r->console, text, &e) != STATUS_OK)
        status = complain(s, e.text);
    r->console_given = true;
    free(text);
    return status;
}

/* Reads a word that takes one number; *known: whether `word` is one. */
static enum status take_value(struct scan *s, struct rom_entry *r, const char *word, bool *known) {
    uint64_t value = 0;
    enum status status = STATUS_OK;
    *known = true;
    if (strcmp(word, "frames") == 0)
        return take_number(s, 10, FRAMES_MOST, &r->frames);
    if (strcmp(word, "pc") == 0) {
        status = take_number(s, 16, 0xFFFF, &value);
        r->pc = (uint16_t)value;
        r->pc_given = true;
    } else if (strcmp(word, "tiles") == 0) {
        status = take_number(s, 10, 255, &value);
        r->tiles = (uint8_t)value;
    } else if (strcmp(word, "submapper") == 0) {
        status = take_number(s, 10, 15, &value);
        r->submapper = (unsigned)value;
        r->submapper_given = true;
    } else if (strcmp(word, "reset") == 0) {
        status = take_number(s, 10, FRAMES_MOST, &value);
        if (status == STATUS_OK && !vec_push(&r->resets, value))
            status = error_set(s->e, STATUS_MEMORY, "%s: out of memory", s->name);
    } else {
        *known = false;
    }
    return status;
}

static enum status take_property(struct scan *s, struct rom_entry *r) {
    char word[48];
    bool known;
    take_word(s, word);
    const enum status status = take_value(s, r, word, &known);
    if (known)
        return status;
    if (strcmp(word, "ram") == 0)
        return take_ram(s, r);
    if (strcmp(word, "picture") == 0)
        return take_picture(s, r);
    if (strcmp(word, "area") == 0)
        return take_area(s, r);
    if (strcmp(word, "text") == 0)
        return take_text(s, &r->text);
    if (strcmp(word, "fails") == 0)
        return take_text(s, &r->fails);
    if (strcmp(word, "log") == 0)
        return take_log(s, r);
    if (strcmp(word, "hold") == 0 || strcmp(word, "hold2") == 0)
        return take_hold(s, r, word[4] == '2');
    if (strcmp(word, "console") == 0)
        return take_console(s, r);
    if (strcmp(word, "label") == 0)
        return take_text(s, &r->label);
    if (strcmp(word, "exception") == 0)
        return take_kind(s, r, ROM_EXCEPTION);
    if (strcmp(word, "none") == 0)
        return take_kind(s, r, ROM_NO_VERDICT);
    if (strcmp(word, "other") == 0)
        return take_kind(s, r, ROM_OTHER_MACHINE);
    return complain(s, "unknown word");
}

/* ---- entries ---- */

bool rom_entry_decides(const struct rom_entry *r) {
    return r->ram.len > 0 || r->pc_given || r->pictures.len > 0 || r->text != NULL ||
           r->log != NULL;
}

/* The number of frames needed to see all of its pictures. */
static uint64_t frames_of_pictures(const struct rom_entry *r) {
    uint64_t frames = 0;
    for (size_t i = 0; i < r->pictures.len; i++)
        if (frames < r->pictures.at[i].to + 1)
            frames = r->pictures.at[i].to + 1;
    return frames;
}

static enum status check_entry(const struct scan *s, const struct rom_entry *r) {
    if (r->kind == ROM_TEST || r->kind == ROM_EXCEPTION) {
        const bool at_end = r->ram.len > 0 || r->pc_given || r->text != NULL;
        if (at_end && r->frames == 0)
            return complain(s, "the entry that ends here needs `frames`");
        if (r->fails != NULL && r->text == NULL)
            return complain(s, "the entry that ends here has `fails` without `text`");
        if (r->log != NULL && (at_end || r->pictures.len > 0))
            return complain(s, "the entry that ends here must have nothing besides its log");
        if (r->frames != 0 && r->frames < frames_of_pictures(r))
            return complain(s, "the entry that ends here stops before its picture");
    } else if (rom_entry_decides(r)) {
        return complain(s, "the entry that ends here has a verdict but says that it has none");
    }
    return STATUS_OK;
}

static enum status take_entry(struct scan *s, struct rom_entry *r) {
    char word[48];
    take_word(s, word);
    if (strlen(word) != 40 || strspn(word, "0123456789abcdef") != 40)
        return complain(s, "an entry begins with a SHA-1 of 40 lower-case hexadecimal digits");
    memcpy(r->sha1, word, sizeof r->sha1);
    enum status status = take_text(s, &r->name);
    while (status == STATUS_OK && next_in_entry(s))
        status = take_property(s, r);
    if (status == STATUS_OK)
        status = check_entry(s, r);
    if (r->frames == 0)
        r->frames = frames_of_pictures(r);
    return status;
}

/* Skips comments and empty lines. */
static void skip_to_entry(struct scan *s) {
    for (; *s->at == '\n' || *s->at == '#'; s->line++) {
        s->at += strcspn(s->at, "\n");
        s->at += *s->at == '\n';
    }
}

enum status romtable_parse(struct romtable *t, const char *text, const char *name,
                           struct error *e) {
    struct scan s = {.at = text, .name = name, .line = 1, .e = e};
    enum status status = STATUS_OK;
    for (skip_to_entry(&s); *s.at != 0 && status == STATUS_OK; skip_to_entry(&s)) {
        if (!vec_push(&t->entries, (struct rom_entry){0}))
            return error_set(e, STATUS_MEMORY, "%s: out of memory", name);
        status = take_entry(&s, &t->entries.at[t->entries.len - 1]);
    }
    return status;
}

void romtable_free(struct romtable *t) {
    for (size_t i = 0; i < t->entries.len; i++) {
        struct rom_entry *r = &t->entries.at[i];
        free(r->name);
        free(r->label);
        free(r->why);
        free(r->text);
        free(r->fails);
        free(r->log);
        vec_free(&r->ram);
        vec_free(&r->pictures);
        vec_free(&r->holds);
        vec_free(&r->resets);
    }
    vec_free(&t->entries);
}

const struct rom_entry *romtable_next(const struct romtable *t, const struct rom_entry *after,
                                      const char *sha1) {
    for (size_t i = after != NULL ? (size_t)(after - t->entries.at) + 1 : 0; i < t->entries.len;
         i++)
        if (strcmp(t->entries.at[i].sha1, sha1) == 0)
            return &t->entries.at[i];
    return NULL;
}
