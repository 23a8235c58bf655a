#include "qemu/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct program {
    const char *path;
    const char *const *words; /* NULL: as its parent's */
};

struct qemu_processes {
    struct process_tree tree;
    struct file_view file; /* of the recordings */
    struct recording_setting settings[QEMU_SETTINGS];
    size_t setting_count;
    const char *target;
    struct program first;
    char first_path[QEMU_PATH];
    struct program *programs; /* of each node */
};

/* ---- programs ---- */

/* The words of a command: its path, a zero byte, and each argument with one. */
static const char *const *words_of(const char *command, size_t size) {
    VEC(const char *) words = {0};
    bool ok = true;
    for (size_t at = strlen(command) + 1; ok && at < size; at += strlen(command + at) + 1)
        ok = vec_push(&words, command + at);
    ok = ok && vec_push(&words, NULL);
    if (!ok)
        vec_free(&words);
    return words.at;
}

static bool find_programs(struct qemu_processes *p) {
    const size_t count = p->tree.nodes.len;
    if ((p->programs = calloc(count + 1, sizeof *p->programs)) == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct tree_node *node = &p->tree.nodes.at[i];
        if (node->command == NULL)
            continue;
        p->programs[i].path = node->command;
        if ((p->programs[i].words = words_of(node->command, node->command_size)) == NULL)
            return false;
    }
    return true;
}

static const struct program *program_of(const struct qemu_processes *p,
                                        const struct tree_node *node) {
    while (node != NULL && p->programs[node - p->tree.nodes.at].words == NULL)
        node = tree_parent(&p->tree, node);
    return node != NULL ? &p->programs[node - p->tree.nodes.at] : &p->first;
}

/* ---- making ---- */

static enum status view_file(struct qemu_processes *p, struct error *e) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", p->tree.file);
    return file_view_path(&p->file, path, SIZE_MAX - 1, e);
}

enum status processes_make(struct qemu_processes **out, struct process_tree *tree,
                           const struct process_defaults *first, struct error *e) {
    struct qemu_processes *p = *out = calloc(1, sizeof *p);
    if (p == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    tree_sort(tree);
    p->tree = *tree;
    tree->nodes.at = NULL;
    tree->nodes.len = tree->nodes.cap = 0;
    p->setting_count = first->setting_count;
    memcpy(p->settings, first->settings, first->setting_count * sizeof *p->settings);
    p->target = first->target;
    snprintf(p->first_path, sizeof p->first_path, "%s", first->path);
    p->first = (struct program){p->first_path, first->words};
    if (!find_programs(p))
        return error_set(e, STATUS_MEMORY, "out of memory");
    return p->tree.nodes.len > 0 ? view_file(p, e) : STATUS_OK;
}

void processes_free(struct qemu_processes *p) {
    if (p == NULL)
        return;
    for (size_t i = 0; p->programs != NULL && i < p->tree.nodes.len; i++)
        free((void *)(uintptr_t)p->programs[i].words);
    free(p->programs);
    file_view_free(&p->file);
    tree_free(&p->tree);
    free(p);
}

/* ---- reading ---- */

enum status processes_name(struct qemu_result *r, const char *path, struct error *e) {
    struct file_view view;
    const enum status status = file_view_path(&view, path, SIZE_MAX - 1, e);
    if (status != STATUS_OK)
        return status;
    sha1_hex(view.at, view.len, r->graph.program);
    file_view_free(&view);
    r->graph.kind = GRAPH_EXACT;
    for (size_t i = 0; i < r->stream_count; i++)
        memcpy(r->streams[i].program, r->graph.program, sizeof r->graph.program);
    memcpy(r->trace.program, r->graph.program, sizeof r->trace.program);
    memcpy(r->structure.graph.program, r->graph.program, sizeof r->graph.program);
    return status;
}

size_t qemu_process_count(const struct qemu_result *r) {
    return r->processes != NULL ? r->processes->tree.nodes.len : 0;
}

struct qemu_process qemu_process(const struct qemu_result *r, size_t i) {
    const struct qemu_processes *p = r->processes;
    const struct tree_node *node = &p->tree.nodes.at[i];
    const struct program *program = program_of(p, node);
    const char *reason = node->reason != NULL ? node->reason : "it left no recording";
    return (struct qemu_process){.label = node->label,
                                 .path = program->path,
                                 .words = program->words,
                                 .is_thread = tree_is_thread(node),
                                 .reason = node->size > 0 ? NULL : reason};
}

enum status qemu_process_read(const struct qemu_result *r, size_t i, struct qemu_result *out,
                              struct error *e) {
    const struct qemu_processes *p = r->processes;
    const struct tree_node *node = &p->tree.nodes.at[i];
    *out = (struct qemu_result){.target = p->target};
    enum status status = STATUS_OK;
    if (node->at + node->size > p->file.len)
        status =
            error_set(e, STATUS_FORMAT, "the recording of process %s is not whole", node->label);
    if (status == STATUS_OK)
        status = recording_parse(out, p->file.at + node->at, node->size, node->label, p->settings,
                                 p->setting_count, e);
    if (status == STATUS_OK)
        status = processes_name(out, qemu_process(r, i).path, e);
    return status;
}
