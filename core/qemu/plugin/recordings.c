#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "qemu/plugin/plugin_state.h"
#include "qemu/plugin/program_tracer.h"

void plugin_complain(const char *path) {
    fprintf(stderr, "hotgraph: %s: cannot be written: %s\n", path, strerror(errno));
}

static void write_one(const struct recorder *r, struct recording_outcome end, const char *label) {
    const struct recording_image *images = plugin.images.list.at;
    const size_t count = plugin.images.list.len;
    const bool first = label[0] == '\0';
    struct appending a;
    bool ok;
    if (first) {
        a.descriptor = open(plugin.out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        ok = a.descriptor >= 0 && recorder_write(r, images, count, end, a.descriptor);
        ok = (a.descriptor < 0 || close(a.descriptor) == 0) && ok;
    } else {
        ok = followed_open(&a, &plugin.followed) &&
             followed_close(&a, recorder_write(r, images, count, end, a.descriptor),
                            RECORDING_RECORDS, label, getpid());
    }
    if (!ok)
        plugin_complain(first ? plugin.out : plugin.followed.path);
}

void plugin_write_thread(const struct thread *t, struct recording_outcome end) {
    char word[16], label[RECORDING_LABEL];
    snprintf(word, sizeof word, "t%u", t->number);
    t->recorder->totals.cpus = plugin.recorder.totals.cpus;
    if (followed_label(&plugin.followed, word, label))
        write_one(t->recorder, end, label);
}

void plugin_write(struct recording_outcome end) {
    if (plugin.written)
        return;
    if (plugin.recorder.tracer != NULL)
        tracer_end(&plugin.recorder);
    write_one(&plugin.recorder, end, plugin.followed.label);
    for (size_t i = 0; i < plugin.threads.len; i++)
        if (plugin.threads.at[i].recorder != NULL)
            plugin_write_thread(&plugin.threads.at[i], end);
}
