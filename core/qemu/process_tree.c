#include "qemu/process_tree.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct tree_node *find(struct process_tree *t, const char *label) {
    for (size_t i = t->nodes.len; i-- > 0;)
        if (strcmp(t->nodes.at[i].label, label) == 0)
            return &t->nodes.at[i];
    return NULL;
}

static struct tree_node *find_or_add(struct process_tree *t, const char *label) {
    struct tree_node *found = find(t, label), fresh = {.end = -1};
    if (found != NULL)
        return found;
    memcpy(fresh.label, label, sizeof fresh.label);
    return vec_push(&t->nodes, fresh) ? &t->nodes.at[t->nodes.len - 1] : NULL;
}

static void has_ended(struct tree_node *node) {
    if (node->end >= 0)
        close(node->end);
    node->end = -1;
}

static void clear(struct tree_node *node) {
    has_ended(node);
    free(node->command);
    free(node->reason);
}

static void take_out(struct process_tree *t, const char *label) {
    struct tree_node *node = find(t, label);
    if (node == NULL)
        return;
    clear(node);
    *node = t->nodes.at[--t->nodes.len];
}

/* Reads the bytes after an entry's head; they end with a zero byte. */
static char *read_text(const struct process_tree *t, uint64_t at, size_t size) {
    char *text = malloc(size + 1);
    if (text == NULL || pread(t->file, text, size, (off_t)at) != (ssize_t)size) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

/* The bytes of its strings, without those that fill the last unit. */
static size_t command_size(const char *text, size_t size) {
    while (size > 1 && text[size - 1] == '\0' && text[size - 2] == '\0')
        size--;
    return size;
}

/* The process of this label goes on: its next program did not begin. */
static void forget_next(struct process_tree *t, const char *of) {
    char label[RECORDING_LABEL + 2];
    const size_t len = strlen(of);
    memcpy(label, of, len);
    memcpy(label + len, ".x", sizeof ".x");
    take_out(t, len > 0 ? label : "x");
}

static int open_process(const struct recording_entry *entry) {
    return (int)syscall(SYS_pidfd_open, (pid_t)entry->process, 0);
}

static bool take_begin(struct process_tree *t, struct tree_node *node,
                       const struct recording_entry *entry, uint64_t at, size_t size) {
    if (node->size == 0 && node->end < 0) /* the recording may come before its process */
        node->end = open_process(entry);
    if (size == 0)
        return true;
    free(node->command);
    if ((node->command = read_text(t, at, size)) == NULL)
        return false;
    node->command_size = command_size(node->command, size);
    return true;
}

/* The first process is not in the tree. */
static bool take_entry(struct process_tree *t, const struct recording_entry *entry, uint64_t at,
                       size_t size) {
    const bool goes_on = entry->kind == RECORDING_GOES_ON;
    if (goes_on)
        forget_next(t, entry->label);
    if (goes_on && entry->label[0] == '\0')
        return true;
    struct tree_node *node = find_or_add(t, entry->label);
    if (node == NULL)
        return false;
    if (entry->kind == RECORDING_BEGINS)
        return take_begin(t, node, entry, at, size);
    has_ended(node);
    node->at = at;
    node->size = entry->kind == RECORDING_RECORDS ? size : 0;
    if (entry->kind == RECORDING_UNRECORDED)
        return (node->reason = read_text(t, at, size)) != NULL;
    if (goes_on)
        node->end = open_process(entry);
    return true;
}

/* What a process has told is in the file before its end is seen, so ends are looked for first; and
 * again, if what is read meanwhile tells of a process that has ended already. */
enum status tree_look(struct process_tree *t, struct error *e) {
    for (size_t i = 0; i < t->nodes.len; i++) {
        struct pollfd wait = {.fd = t->nodes.at[i].end, .events = POLLIN};
        if (wait.fd >= 0 && poll(&wait, 1, 0) > 0)
            has_ended(&t->nodes.at[i]);
    }
    uint64_t end = 0;
    if (t->read == 0)
        t->read = sizeof end;
    while (pread(t->file, &end, sizeof end, 0) == sizeof end && t->read < end) {
        struct recording_entry entry;
        if (pread(t->file, &entry, sizeof entry, (off_t)t->read) != sizeof entry ||
            entry.size < sizeof entry || entry.size > end - t->read ||
            memchr(entry.label, '\0', sizeof entry.label) == NULL)
            return error_set(e, STATUS_FORMAT, "the recordings of other processes are not whole");
        if (!take_entry(t, &entry, t->read + sizeof entry, entry.size - sizeof entry))
            return error_set(e, STATUS_MEMORY, "out of memory");
        t->read += entry.size;
    }
    return STATUS_OK;
}

bool tree_is_over(const struct process_tree *t) {
    for (size_t i = 0; i < t->nodes.len; i++)
        if (t->nodes.at[i].end >= 0)
            return false;
    return true;
}

void tree_signal(const struct process_tree *t, int number) {
    for (size_t i = 0; i < t->nodes.len; i++)
        if (t->nodes.at[i].end >= 0)
            syscall(SYS_pidfd_send_signal, t->nodes.at[i].end, number, NULL, 0);
}

/* ---- order ---- */

/* A word as a number: threads, then processes, then the next program. */
static unsigned long rank(const char *word) {
    enum { PROCESSES = 1 << 30 };
    if (*word == 't')
        return strtoul(word + 1, NULL, 10);
    return *word == 'x' ? 2ul * PROCESSES : PROCESSES + strtoul(word, NULL, 10);
}

static int compare(const void *x, const void *y) {
    const char *a = ((const struct tree_node *)x)->label, *b = ((const struct tree_node *)y)->label;
    while (*a != '\0' && *b != '\0') {
        const unsigned long left = rank(a), right = rank(b);
        if (left != right)
            return left < right ? -1 : 1;
        a += strcspn(a, ".");
        b += strcspn(b, ".");
        a += *a == '.';
        b += *b == '.';
    }
    return (*a != '\0') - (*b != '\0');
}

void tree_sort(struct process_tree *t) {
    if (t->nodes.len > 0)
        qsort(t->nodes.at, t->nodes.len, sizeof *t->nodes.at, compare);
}

const struct tree_node *tree_parent(const struct process_tree *t, const struct tree_node *node) {
    const char *dot = strrchr(node->label, '.');
    const size_t len = dot != NULL ? (size_t)(dot - node->label) : 0;
    for (size_t i = 0; len > 0 && i < t->nodes.len; i++)
        if (strlen(t->nodes.at[i].label) == len &&
            memcmp(t->nodes.at[i].label, node->label, len) == 0)
            return &t->nodes.at[i];
    return NULL;
}

bool tree_is_thread(const struct tree_node *node) {
    const char *dot = strrchr(node->label, '.');
    return (dot != NULL ? dot[1] : node->label[0]) == 't';
}

void tree_free(struct process_tree *t) {
    for (size_t i = 0; i < t->nodes.len; i++)
        clear(&t->nodes.at[i]);
    vec_free(&t->nodes);
}
