#include "commands/native/native_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

enum { FILE_MOST = 1 << 30 };

static enum status read_part(struct bytes *out, const char *folder, const char *name,
                             struct error *e) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return file_read(out, path, FILE_MOST, e);
}

static bool count_add(uint64_t *sum, const struct bytes *from, uint64_t offset) {
    uint64_t v;
    if (offset > from->len || from->len - offset < sizeof v)
        return false;
    memcpy(&v, from->at + offset, sizeof v);
    *sum += v;
    return true;
}

/* Parses a line of `sites`: eight numbers and a name. */
static bool site_line(struct native_report *r, char *line, const struct bytes *counters,
                      const struct bytes *threads) {
    uint64_t v[8];
    const char *p = line, *end = line + strlen(line);
    for (int i = 0; i < 8; i++) {
        if (!scan_decimal(&p, end, UINT64_MAX, &v[i]) || *p++ != ' ')
            return false;
    }
    if (v[0] >= r->objects.len || v[4] >= HOTPROBE_STRATEGIES || v[5] >= HOTPROBE_REASONS)
        return false;
    struct native_site s = {.object = r->objects.at[v[0]],
                            .address = v[1],
                            .strategy = (enum hotprobe_strategy)v[4],
                            .reason = (enum hotprobe_reason)v[5],
                            .unproven = v[6] != 0,
                            .start = v[7],
                            .function = strcmp(p, "-") != 0 ? p : NULL,
                            .number = r->sites.len};
    if (s.reason == HOTPROBE_DONE) {
        const bool spread = threads->len > 0; /* the program has had a second thread */
        if ((v[2] == 0 || !spread) && v[3] == 0)
            return false;
        if (v[3] != 0 && !count_add(&s.count, counters, v[3]))
            return false;
        if (v[2] != 0 && spread && !count_add(&s.count, threads, v[2]))
            return false;
        s.count += v[3] != 0 ? r->threshold : 0;
    }
    return vec_push(&r->sites, s);
}

/* Sums the blocks of all threads. A block's file omits unused words at its end. */
static enum status threads_read(struct bytes *out, const char *folder, struct error *e) {
    struct bytes all = {0};
    const size_t block = HOTPROBE_THREAD_SLOTS * sizeof(uint64_t);
    char path[4096];
    snprintf(path, sizeof path, "%s/threads", folder);
    if (access(path, F_OK) != 0)
        return STATUS_OK;
    enum status s = read_part(&all, folder, "threads", e);
    uint64_t *sum = s == STATUS_OK ? calloc(HOTPROBE_THREAD_SLOTS, sizeof *sum) : NULL;
    if (s == STATUS_OK && sum == NULL)
        s = error_set(e, STATUS_MEMORY, "out of memory");
    for (size_t at = 0; s == STATUS_OK && at + sizeof *sum <= all.len; at += sizeof *sum) {
        uint64_t v;
        memcpy(&v, all.at + at, sizeof v);
        sum[at % block / sizeof v] += v;
    }
    bytes_free(&all);
    *out = (struct bytes){.at = (void *)sum, .len = sum != NULL ? block : 0};
    return s;
}

static bool objects_split(struct native_report *r) {
    for (char *p = (char *)r->objects_text.at, *stop; (stop = strchr(p, '\n')) != NULL;
         p = stop + 1) {
        *stop = 0;
        if (!vec_push(&r->objects, p))
            return false;
    }
    return true;
}

static enum status hot_read(struct native_report *r, const char *folder, struct error *e) {
    struct bytes hot = {0};
    enum status s = read_part(&hot, folder, "hot", e);
    uint64_t n = 0, site;
    if (s == STATUS_OK && hot.len >= sizeof n)
        memcpy(&n, hot.at, sizeof n);
    for (uint64_t k = 1; s == STATUS_OK && k <= n && (k + 1) * sizeof site <= hot.len; k++) {
        memcpy(&site, hot.at + k * sizeof site, sizeof site);
        if (site < r->sites.len && !vec_push(&r->hot, (size_t)site))
            s = error_set(e, STATUS_MEMORY, "out of memory");
    }
    bytes_free(&hot);
    return s;
}

enum status native_report_refused(const char *program, const char *folder, struct error *e) {
    struct bytes text = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/error", folder);
    if (access(path, F_OK) != 0)
        return STATUS_OK;
    const enum status s = read_part(&text, folder, "error", e);
    if (s == STATUS_OK)
        error_set(e, STATUS_UNSUPPORTED, "%.300s: %.700s; it was not run", program,
                  (const char *)text.at);
    bytes_free(&text);
    return e->status;
}

enum status native_report_read(struct native_report *r, const char *folder, uint64_t threshold,
                               struct error *e) {
    struct bytes counters = {0}, threads = {0};
    char path[4096];
    r->threshold = threshold;
    snprintf(path, sizeof path, "%s/sites", folder);
    if (access(path, F_OK) != 0)
        return error_set(
            e, STATUS_UNSUPPORTED,
            "the program ended before it could be probed, or did not load the library");
    enum status s = read_part(&counters, folder, "counters", e);
    if (s == STATUS_OK)
        s = threads_read(&threads, folder, e);
    if (s == STATUS_OK)
        s = read_part(&r->objects_text, folder, "objects", e);
    if (s == STATUS_OK)
        s = read_part(&r->sites_text, folder, "sites", e);
    if (s == STATUS_OK && !objects_split(r))
        s = error_set(e, STATUS_MEMORY, "out of memory");
    for (char *p = (char *)r->sites_text.at, *stop;
         s == STATUS_OK && (stop = strchr(p, '\n')) != NULL; p = stop + 1) {
        *stop = 0;
        if (!site_line(r, p, &counters, &threads))
            s = error_set(e, STATUS_FORMAT, "%s: line %zu is invalid", path, r->sites.len + 1);
    }
    if (s == STATUS_OK)
        s = hot_read(r, folder, e);
    bytes_free(&counters);
    bytes_free(&threads);
    return s;
}

void native_report_free(struct native_report *r) {
    vec_free(&r->sites);
    vec_free(&r->hot);
    vec_free(&r->objects);
    bytes_free(&r->sites_text);
    bytes_free(&r->objects_text);
}

/* ---- text ---- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void print_place(FILE *to, const struct native_site *s, bool with_object) {
    if (with_object || s->function == NULL) {
        print_safe(to, base_name(s->object));
        fputc(s->function == NULL ? '+' : ':', to);
    }
    if (s->function == NULL) {
        fprintf(to, "0x%" PRIx64, s->address);
        return;
    }
    print_safe(to, s->function);
    if (s->address != s->start)
        fprintf(to, "+0x%" PRIx64, s->address - s->start);
}

static int by_count(const void *a, const void *b) {
    const struct native_site *x = *(const struct native_site *const *)a,
                             *y = *(const struct native_site *const *)b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void print_summary(const struct native_report *r, FILE *to) {
    size_t by[HOTPROBE_STRATEGIES] = {0}, reasons[HOTPROBE_REASONS] = {0}, in = 0, fast = 0,
           unproven = 0;
    uint64_t trapped = 0;
    for (size_t i = 0; i < r->sites.len; i++) {
        const struct native_site *s = &r->sites.at[i];
        reasons[s->reason]++;
        if (s->reason != HOTPROBE_DONE)
            continue;
        by[s->strategy]++;
        in++;
        fast += s->strategy != HOTPROBE_TRAP;
        trapped += s->strategy == HOTPROBE_TRAP ? s->count : 0;
        unproven += s->unproven;
    }
    fprintf(to, "%zu sites, %zu with a probe, %.2f %% fast\n", r->sites.len, in,
            r->sites.len > 0 ? 100.0 * (double)fast / (double)r->sites.len : 0.0);
    for (int k = 0; k < HOTPROBE_STRATEGIES; k++)
        if (by[k] > 0 && k == HOTPROBE_TRAP)
            fprintf(to, "  %8zu %s, executed %" PRIu64 " times\n", by[k], hotprobe_strategy_name(k),
                    trapped);
        else if (by[k] > 0)
            fprintf(to, "  %8zu %s\n", by[k], hotprobe_strategy_name(k));
    if (unproven > 0)
        fprintf(to, "  %8zu of these despite an unresolved indirect jump\n", unproven);
    for (int k = 1; k < HOTPROBE_REASONS; k++)
        if (reasons[k] > 0)
            fprintf(to, "  %8zu skipped: %s\n", reasons[k], hotprobe_reason_text(k));
}

static void print_left_out(const struct native_report *r, FILE *to, uint64_t top, bool objects) {
    uint64_t shown = 0;
    for (size_t i = 0; i < r->sites.len && (top == 0 || shown < top); i++) {
        const struct native_site *s = &r->sites.at[i];
        if (s->reason == HOTPROBE_DONE)
            continue;
        fputs(shown++ == 0 ? "left out:\n  " : "  ", to);
        print_place(to, s, objects);
        fprintf(to, ": %s\n", hotprobe_reason_text(s->reason));
    }
}

void native_report_print(struct native_report *r, FILE *to, uint64_t top) {
    bool objects = r->objects.len > 1;
    fprintf(to, "hotgraph: ");
    print_safe(to, r->program);
    fputs(": ", to);
    print_summary(r, to);
    print_left_out(r, to, top, objects);
    const struct native_site **order = calloc(r->sites.len + 1, sizeof *order);
    if (order == NULL)
        return;
    size_t n = 0;
    for (size_t i = 0; i < r->sites.len; i++)
        if (r->sites.at[i].count > 0)
            order[n++] = &r->sites.at[i];
    qsort(order, n, sizeof *order, by_count);
    if (n > 0)
        fprintf(to, "%20s  where\n", "executions");
    for (size_t i = 0; i < n && (top == 0 || i < top); i++) {
        fprintf(to, "%20" PRIu64 "  ", order[i]->count);
        print_place(to, order[i], objects);
        fputc('\n', to);
    }
    if (top != 0 && n > top)
        fprintf(to, "%20s  (and %zu more; --top 0 prints all)\n", "...", n - (size_t)top);
    free(order);
    if (r->threshold != 0)
        fprintf(to, "hot at execution %" PRIu64 ", in this order: %zu\n", r->threshold, r->hot.len);
    for (size_t i = 0; i < r->hot.len && (top == 0 || i < top); i++) {
        fprintf(to, "%20zu  ", i + 1);
        print_place(to, &r->sites.at[r->hot.at[i]], objects);
        fputc('\n', to);
    }
}

/* ---- JSON ---- */

static void json_string(struct file_writer *w, const char *s) {
    file_write(w, "\"", 1);
    for (; *s != 0; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            file_printf(w, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f) /* bytes that compilers do not use in symbols */
            file_printf(w, "\\u%04x", c);
        else
            file_write(w, s, 1);
    }
    file_write(w, "\"", 1);
}

static void json_site(struct file_writer *w, const struct native_site *s) {
    file_printf(w, "{\"object\":");
    json_string(w, s->object);
    file_printf(w, ",\"address\":%" PRIu64 ",\"function\":", s->address);
    if (s->function != NULL)
        json_string(w, s->function);
    else
        file_printf(w, "null");
    file_printf(w, ",\"offset\":%" PRIu64, s->address - s->start);
    if (s->reason == HOTPROBE_DONE)
        file_printf(w, ",\"strategy\":\"%s\",\"unproven\":%s,\"count\":%" PRIu64 "}",
                    hotprobe_strategy_name(s->strategy), s->unproven ? "true" : "false", s->count);
    else
        file_printf(w, ",\"reason\":\"%s\"}", hotprobe_reason_text(s->reason));
}

static void json_program(struct file_writer *w, const char *program, int status) {
    file_printf(w, "{\"program\":");
    json_string(w, program);
    if (WIFSIGNALED(status))
        file_printf(w, ",\"signal\":%d", WTERMSIG(status));
    else
        file_printf(w, ",\"exit\":%d", WEXITSTATUS(status));
}

enum status native_report_json(const struct native_report *r, const char *path, struct error *e) {
    struct file_writer *w;
    enum status s = file_open(&w, path, e);
    if (s != STATUS_OK)
        return s;
    json_program(w, r->program, r->status);
    file_printf(w, ",\"threshold\":%" PRIu64 ",\n\"sites\":[", r->threshold);
    for (size_t i = 0; i < r->sites.len; i++) {
        file_printf(w, i > 0 ? ",\n" : "\n");
        json_site(w, &r->sites.at[i]);
    }
    file_printf(w, "\n],\n\"hot\":[");
    for (size_t i = 0; i < r->hot.len; i++)
        file_printf(w, "%s%zu", i > 0 ? "," : "", r->hot.at[i]);
    file_printf(w, "]}\n");
    return file_commit(w, e);
}

/* ---- the summary of a graph ---- */

void native_graph_print(const struct native_graph *g, const char *program, bool libraries,
                        FILE *to) {
    fprintf(to, "%s: %" PRIu64 " instructions of its own", program, g->instructions);
    if (libraries)
        fprintf(to, " and of %zu libraries", g->libraries);
    fprintf(to,
            ", %zu blocks, %zu edges; entered from other code %" PRIu64 " times, %" PRIu64
            " executions of probes, at most %" PRIu64 " of these by traps\n",
            g->graph.block_count, g->graph.edge_count, g->entered, g->probed, g->traps);
    for (size_t i = 0; i < g->outside.len; i++)
        fprintf(to, "%s: counts as other code: %s\n", program, g->outside.at[i].text);
}

enum status native_graph_json(const struct native_graph *g,
                              const struct native_graph_request *request, const char *graph,
                              const char *path, struct error *e) {
    struct file_writer *w;
    const enum status s = file_open(&w, path, e);
    if (s != STATUS_OK)
        return s;
    json_program(w, request->program, request->status);
    file_printf(w, ",\"graph\":");
    json_string(w, graph);
    file_printf(w, ",");
    file_printf(w,
                "\"instructions\":%" PRIu64 ",\"libraries\":%zu,\"blocks\":%zu,\"edges\":%zu"
                ",\"entered\":%" PRIu64 ",\"probed\":%" PRIu64 ",\"traps\":%" PRIu64
                ",\n\"other_code\":[",
                g->instructions, g->libraries, g->graph.block_count, g->graph.edge_count,
                g->entered, g->probed, g->traps);
    for (size_t i = 0; i < g->outside.len; i++) {
        file_printf(w, i > 0 ? ",\n" : "");
        json_string(w, g->outside.at[i].text);
    }
    file_printf(w, "]}\n");
    return file_commit(w, e);
}
