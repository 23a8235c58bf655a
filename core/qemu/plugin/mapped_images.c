#include "qemu/plugin/mapped_images.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 1 << 24, ANONYMOUS_ROOM = 1 << 26 };

/* Parses one line of /proc/self/maps: START-END PERMS OFFSET DEVICE INODE PATH. */
static bool parse_line(const char *line, struct mapping *out) {
    int path_at = 0;
    *out = (struct mapping){0};
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &out->start, &out->end,
               &out->offset, &path_at) < 3)
        return false;
    if (path_at > 0 && line[path_at] == '/') {
        snprintf(out->path, sizeof out->path, "%s", line + path_at);
        out->path[strcspn(out->path, "\n")] = '\0';
    }
    return true;
}

/* The file is open only during the reading, because descriptors are shared with the guest. */
static enum status read_maps(struct images *m, struct error *e) {
    FILE *file = fopen("/proc/self/maps", "re");
    if (file == NULL)
        return error_set(e, STATUS_IO, "/proc/self/maps cannot be read");
    m->maps.len = m->last = 0;
    char *line = NULL;
    size_t room = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && getline(&line, &room, file) >= 0) {
        struct mapping mapping;
        if (parse_line(line, &mapping) && !vec_push(&m->maps, mapping))
            status = error_set(e, STATUS_MEMORY, "out of memory");
    }
    free(line);
    fclose(file);
    m->stale = false;
    return status;
}

static const struct mapping *find_mapping(struct images *m, uint64_t host) {
    for (size_t i = 0; i < m->maps.len; i++) {
        size_t at = (m->last + i) % m->maps.len;
        if (host >= m->maps.at[at].start && host < m->maps.at[at].end) {
            m->last = at;
            return &m->maps.at[at];
        }
    }
    return NULL;
}

/* Bytes of the file up to the end of its last mapping, so that the next image is placed after
 * it. */
static uint64_t room_of(const struct images *m, const struct mapping *mapping) {
    if (mapping->path[0] == '\0')
        return ANONYMOUS_ROOM;
    uint64_t most = 0;
    for (size_t i = 0; i < m->maps.len; i++) {
        const struct mapping *other = &m->maps.at[i];
        uint64_t end = other->offset + (other->end - other->start);
        if (strcmp(other->path, mapping->path) == 0 && end > most)
            most = end;
    }
    return most;
}

static enum status new_image(struct images *m, const struct mapping *mapping, struct error *e) {
    uint64_t base = STEP, room = room_of(m, mapping);
    if (m->list.len > 0) {
        const struct recording_image *last = &m->list.at[m->list.len - 1];
        uint64_t end = (uint64_t)last->base + last->room;
        base = (end + STEP - 1) / STEP * STEP;
    }
    if (base + room > UINT32_MAX)
        return error_set(e, STATUS_UNSUPPORTED,
                         "the program's code does not fit into 32 bits of code addresses");
    struct recording_image image = {.base = (uint32_t)base, .room = (uint32_t)room};
    memcpy(image.path, mapping->path, sizeof image.path);
    uint64_t anonymous = mapping->path[0] == '\0' ? mapping->start : 0;
    if (!vec_push(&m->list, image) || !vec_push(&m->anonymous, anonymous))
        return error_set(e, STATUS_MEMORY, "out of memory");
    return STATUS_OK;
}

/* The image that contains this address of the mapping; NULL: none. For files, the image of that
 * name; for anonymous memory, the image that began at or shortly before the address. */
static const struct recording_image *find_image(const struct images *m,
                                                const struct mapping *mapping, uint64_t host) {
    for (size_t i = 0; i < m->list.len; i++) {
        const struct recording_image *image = &m->list.at[i];
        if (mapping->path[0] != '\0' ? strcmp(image->path, mapping->path) == 0
                                     : m->anonymous.at[i] != 0 && host >= m->anonymous.at[i] &&
                                           host - m->anonymous.at[i] < image->room)
            return image;
    }
    return NULL;
}

enum status images_address(struct images *m, uint64_t host, uint32_t *address, struct error *e) {
    enum status status;
    const struct mapping *mapping = m->stale ? NULL : find_mapping(m, host);
    if (mapping == NULL) {
        if ((status = read_maps(m, e)) != STATUS_OK)
            return status;
        if ((mapping = find_mapping(m, host)) == NULL)
            return error_set(e, STATUS_IO, "code at host address %" PRIx64 " is in no mapping",
                             host);
    }
    const struct recording_image *image = find_image(m, mapping, host);
    if (image == NULL) {
        if ((status = new_image(m, mapping, e)) != STATUS_OK)
            return status;
        image = &m->list.at[m->list.len - 1];
    }
    uint64_t from = image->path[0] != '\0' ? mapping->start - mapping->offset
                                           : m->anonymous.at[image - m->list.at];
    if (host - from >= image->room)
        return error_set(e, STATUS_UNSUPPORTED, "%s grew after its first instruction ran",
                         image->path[0] != '\0' ? image->path : "anonymous code");
    *address = image->base + (uint32_t)(host - from);
    return STATUS_OK;
}

void images_free(struct images *m) {
    vec_free(&m->maps);
    vec_free(&m->list);
    vec_free(&m->anonymous);
}
