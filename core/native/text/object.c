#include "native/text/object.h"
#include "native/session_state.h"
#include "native/text/elf_symbols.h"
#include "native/text/frames.h"

#include <elf.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---- /proc/self/maps ---- */

static bool maps_line(struct mapping *m, const char *line, const char *end, struct arena *arena) {
    uint64_t start, stop, number;
    const char *p = line;
    /* scan_hex() requires 0x, which this file lacks. */
    uint64_t *into[] = {&start, &stop};
    for (int i = 0; i < 2; i++) {
        *into[i] = 0;
        for (; p < end && *p != '-' && *p != ' '; p++)
            *into[i] = *into[i] << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
        p++;
    }
    if (end - p < 5)
        return false;
    *m = (struct mapping){.start = start,
                          .end = stop,
                          .read = p[0] == 'r',
                          .write = p[1] == 'w',
                          .execute = p[2] == 'x',
                          .path = ""};
    for (p += 5; p < end && *p != ' '; p++)
        m->offset = m->offset << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
    while (p < end && *p == ' ')
        p++;
    while (p < end && *p != ' ') /* device */
        p++;
    while (p < end && *p == ' ')
        p++;
    if (!scan_decimal(&p, end, UINT64_MAX, &number))
        return false;
    m->inode = number;
    while (p < end && *p == ' ')
        p++;
    if (p < end && arena != NULL) {
        char *path = arena_get(arena, (size_t)(end - p) + 1);
        if (path == NULL)
            return false;
        memcpy(path, p, (size_t)(end - p));
        m->path = path;
    }
    return true;
}

static bool read_all(int fd, char **at, size_t *cap, size_t *len) {
    for (;;) {
        if (!seq_reserve_(at, cap, *len + 65536, 1))
            return false;
        ssize_t n = read(fd, *at + *len, *cap - *len);
        if (n < 0)
            return false;
        if (n == 0)
            return true;
        *len += (size_t)n;
    }
}

bool mappings_read(mapping_list *out, struct arena *arena) {
    char *text = NULL;
    size_t cap = 0, len = 0;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && read_all(fd, &text, &cap, &len);
    out->len = 0;
    for (const char *p = text, *end = text + len; ok && p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        if (stop == NULL)
            stop = end;
        struct mapping m;
        if (maps_line(&m, p, stop, arena))
            ok = seq_push(out, m);
        p = stop + 1;
    }
    if (fd >= 0)
        close(fd);
    seq_free_(text, cap);
    return ok;
}

/* ---- objects ---- */

static const Elf64_Ehdr *elf_head(const struct mapped_file *v) {
    const Elf64_Ehdr *h = (const void *)v->at;
    if (v->len < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_machine != EM_X86_64 ||
        h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff > v->len ||
        (v->len - h->e_phoff) / sizeof(Elf64_Phdr) < h->e_phnum)
        return NULL;
    return h;
}

/* Adds the functions of an array that the loader has relocated. */
static bool starts_add(struct object *o, struct range array) {
    bool mapped = false, ok = true;
    for (size_t i = 0; i < o->data.len; i++)
        mapped |= array.start >= o->data.at[i].start && array.end <= o->data.at[i].end;
    for (uintptr_t at = array.start; mapped && ok && at + 8 <= array.end; at += 8)
        ok = seq_push(&o->starts, *(const uint64_t *)at);
    return ok;
}

static struct range segment(const struct object *o, const Elf64_Phdr *p) {
    return (struct range){o->bias + p->p_vaddr, o->bias + p->p_vaddr + p->p_filesz};
}

static bool is_text(const struct object *o, const Elf64_Phdr *p) {
    const struct range r = segment(o, p);
    return p->p_type == PT_LOAD && (p->p_flags & PF_X) != 0 && r.start >= o->text &&
           r.end <= o->text_end;
}

/* Adds data of a segment. */
static bool constants_add(struct object *o, const Elf64_Phdr *p, struct range r) {
    return (p->p_flags & PF_R) == 0 ||
           (seq_push(&o->data, r) && ((p->p_flags & PF_W) != 0 || seq_push(&o->fixed, r)));
}

/* The executable segments; there may be gaps between them. */
static bool sections_all(struct object *o, const Elf64_Phdr *p, size_t n) {
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        const struct range r = segment(o, &p[i]);
        if (is_text(o, &p[i]))
            ok = seq_push(&o->sections, r) && constants_add(o, &p[i], r);
    }
    return ok;
}

/* Linkers may put constants, tables and .eh_frame into an executable segment, too: what lies between
 * its executable sections is data. */
static bool constants_find(struct object *o, const Elf64_Phdr *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const struct range all = segment(o, &p[i]);
        for (uintptr_t at = all.start; is_text(o, &p[i]) && at < all.end;) {
            struct range next = {all.end, all.end};
            for (size_t k = 0; k < o->sections.len; k++)
                if (o->sections.at[k].end > at && o->sections.at[k].start < next.start)
                    next = o->sections.at[k];
            if (next.start > at && !constants_add(o, &p[i], (struct range){at, next.start}))
                return false;
            at = next.end;
        }
    }
    return true;
}

/* Finds executable sections and linkage tables; without section headers takes whole segments. */
static bool sections_find(struct object *o) {
    const Elf64_Ehdr *h = (const void *)o->file.at;
    const Elf64_Shdr *s = (const void *)(o->file.at + h->e_shoff);
    bool have = h->e_shoff != 0 && h->e_shoff < o->file.len && h->e_shentsize == sizeof *s &&
                (o->file.len - h->e_shoff) / sizeof *s >= h->e_shnum && h->e_shstrndx < h->e_shnum;
    for (size_t i = 0; have && i < h->e_shnum; i++) {
        struct range r = {o->bias + s[i].sh_addr, o->bias + s[i].sh_addr + s[i].sh_size};
        bool called = s[i].sh_type == SHT_INIT_ARRAY || s[i].sh_type == SHT_FINI_ARRAY ||
                      s[i].sh_type == SHT_PREINIT_ARRAY;
        if (called && !starts_add(o, r))
            return false;
        if ((s[i].sh_flags & SHF_EXECINSTR) == 0 || r.start < o->text || r.end > o->text_end ||
            r.end <= r.start)
            continue;
        const char *name = "";
        uint64_t where = s[h->e_shstrndx].sh_offset + s[i].sh_name;
        if (where < o->file.len && memchr(o->file.at + where, 0, o->file.len - where) != NULL)
            name = (const char *)o->file.at + where;
        bool plt = strncmp(name, ".plt", 4) == 0;
        bool starts = strcmp(name, ".init") == 0 || strcmp(name, ".fini") == 0;
        if (starts && !seq_push(&o->starts, r.start))
            return false;
        if (!seq_push(&o->sections, r) || (plt && !seq_push(&o->plt, r)))
            return false;
    }
    const Elf64_Phdr *p = (const void *)(o->file.at + h->e_phoff);
    return o->sections.len != 0 ? constants_find(o, p, h->e_phnum) : sections_all(o, p, h->e_phnum);
}

/* Linkers may write several executable segments. Those behind the first belong to its text, if they are as
 * far from each other in memory as in the file. */
static void text_extend(struct object *o, const Elf64_Phdr *p, size_t n) {
    const uint64_t apart = o->text - o->bias - (uint64_t)(o->text_file - o->file.at);
    for (size_t i = 0; i < n; i++)
        if (p[i].p_type == PT_LOAD && (p[i].p_flags & PF_X) != 0 &&
            o->bias + p[i].p_vaddr >= o->text_end && p[i].p_vaddr - p[i].p_offset == apart &&
            p[i].p_offset <= o->file.len && p[i].p_filesz <= o->file.len - p[i].p_offset) {
            o->text_end = o->bias + p[i].p_vaddr + p[i].p_filesz;
            o->split = true;
        }
}

static bool segments_find(struct object *o, const struct mapping *m) {
    const Elf64_Ehdr *h = elf_head(&o->file);
    if (h == NULL)
        return false;
    const Elf64_Phdr *p = (const void *)(o->file.at + h->e_phoff);
    bool found = false;
    for (size_t i = 0; i < h->e_phnum && !found; i++) {
        if (p[i].p_type != PT_LOAD || (p[i].p_flags & PF_X) == 0 ||
            (p[i].p_offset & ~4095ull) != m->offset)
            continue;
        o->bias = m->start - (p[i].p_vaddr & ~4095ull);
        o->text = o->bias + p[i].p_vaddr;
        o->text_end = o->text + p[i].p_filesz;
        found = o->text_end <= m->end && p[i].p_offset <= o->file.len &&
                p[i].p_filesz <= o->file.len - p[i].p_offset;
        o->text_file = o->file.at + p[i].p_offset;
    }
    if (found)
        text_extend(o, p, h->e_phnum);
    for (size_t i = 0; i < h->e_phnum && found; i++) {
        if (p[i].p_type == PT_LOAD && (p[i].p_flags & PF_X) == 0 &&
            !constants_add(o, &p[i], segment(o, &p[i])))
            return false;
    }
    /* Relocated tables (.data.rel.ro) are constant, too, once the program runs. */
    for (size_t i = 0; i < h->e_phnum && found; i++) {
        if (p[i].p_type == PT_GNU_RELRO && !seq_push(&o->fixed, segment(o, &p[i])))
            return false;
    }
    return found && sections_find(o);
}

/* Is the file at this path still the mapped one? */
static bool same_file(const struct mapping *m) {
    struct stat st;
    return stat(m->path, &st) == 0 && (uint64_t)st.st_ino == m->inode;
}

/* Compares the text with the file's. A changed instruction was decoded wrongly, and a stub would
 * contain a copy of a breakpoint, so a function with changed text has no sites. */
static bool changes_within(struct object *o, struct range section) {
    enum { PIECE = 4096, AROUND = 16 };
    const size_t first = section.start - o->text, length = section.end - o->text;
    for (size_t from = first; from < length; from += PIECE) {
        size_t to = length - from < PIECE ? length : from + PIECE;
        if (memcmp((const uint8_t *)o->text + from, o->text_file + from, to - from) == 0)
            continue;
        for (size_t k = from; k < to; k++) {
            if (((const uint8_t *)o->text)[k] == o->text_file[k] || changed_at(o, o->text + k))
                continue;
            const struct function *f = function_at(o, o->text + k);
            struct range r = {o->text + k - AROUND, o->text + k + AROUND};
            if (f != NULL)
                r = (struct range){f->start, f->end};
            if (!seq_push(&o->changed, r))
                return false;
        }
    }
    return true;
}

static bool changes_find(struct object *o) {
    bool ok = true;
    for (size_t i = 0; ok && i < o->sections.len; i++)
        ok = changes_within(o, o->sections.at[i]);
    return ok;
}

bool in_linkage(const struct object *o, uintptr_t at) {
    for (size_t i = 0; i < o->plt.len; i++)
        if (at >= o->plt.at[i].start && at < o->plt.at[i].end)
            return true;
    return false;
}

bool changed_at(const struct object *o, uintptr_t at) {
    for (size_t i = 0; i < o->changed.len; i++)
        if (at >= o->changed.at[i].start && at < o->changed.at[i].end)
            return true;
    return false;
}

static enum status object_load(struct hotprobe *h, const struct mapping *m, struct error *e) {
    struct object o = {.path = m->path};
    if (!same_file(m))
        return error_set(e, STATUS_UNSUPPORTED, "%s: the file is not the one that is running",
                         m->path);
    o.file = mapped_file_open(m->path);
    if (o.file.at == NULL || !segments_find(&o, m)) {
        object_free(&o);
        return error_set(e, STATUS_FORMAT, "%s: not an x86-64 ELF file", m->path);
    }
    const bool loader = o.bias == getauxval(AT_BASE);
    o.is_libc = in_text(&o, (uintptr_t)&gnu_get_libc_version);
    o.begins_threads = loader || o.is_libc;
    if (loader && h->options.without_loader) {
        object_free(&o);
        return STATUS_OK;
    }
    o.late = h->options.late != 0 && h->objects.len > 0 && !o.split && !o.begins_threads &&
             o.text_end - o.text >= h->options.late;
    o.mark =
        mmap(NULL, o.text_end - o.text, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (o.mark == MAP_FAILED)
        o.mark = NULL;
    size_t head = o.text_end - o.text < sizeof o.head ? o.text_end - o.text : sizeof o.head;
    memcpy(o.head, (const void *)o.text, head);
    enum status s = STATUS_OK;
    if (o.mark == NULL || !symbols_read(&o) || !frames_read(&o) || !changes_find(&o))
        s = error_set(e, STATUS_MEMORY, "out of memory");
    part_set(&o, (struct range){o.text, o.text_end});
    if (s == STATUS_OK && !seq_push(&h->objects, o))
        s = error_set(e, STATUS_MEMORY, "out of memory");
    if (s != STATUS_OK)
        object_free(&o);
    return s;
}

/* The library and what it uses: probes there would call themselves. */
static bool is_ours(const struct mapping *m) {
    uintptr_t here = (uintptr_t)&objects_find;
    return (here >= m->start && here < m->end) || strstr(m->path, "/libZydis.so") != NULL ||
           strstr(m->path, "/libZycore.so") != NULL || strstr(m->path, "/libhotprobe.so") != NULL;
}

enum status objects_find(struct hotprobe *h, struct error *e) {
    mapping_list maps = {0};
    char program[4096];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0 || !mappings_read(&maps, &h->arena)) {
        seq_free(&maps);
        return error_set(e, STATUS_IO, "cannot read /proc/self: is /proc mounted?");
    }
    program[n] = 0;
    enum status s = STATUS_OK;
    for (int own = 1; own >= 0 && s == STATUS_OK; own--) {
        for (size_t i = 0; i < maps.len && s == STATUS_OK; i++) {
            const struct mapping *m = &maps.at[i];
            bool is_program = strcmp(m->path, program) == 0;
            if (!m->execute || !m->read || m->write || m->path[0] != '/' ||
                is_program != (own == 1) || object_at(h, m->start) != NULL)
                continue;
            if (is_program)
                s = object_load(h, m, e);
            else if (h->options.libraries && !is_ours(m))
                (void)object_load(h, m, NULL); /* an object that cannot be read has no sites */
        }
    }
    seq_free(&maps);
    if (s == STATUS_OK && h->objects.len == 0)
        s = error_set(e, STATUS_UNSUPPORTED, "%s: its text cannot be read", program);
    return s;
}

void object_free(struct object *o) {
    if (o->mark != NULL)
        munmap(o->mark, o->text_end - o->text);
    mapped_file_close(&o->file);
    seq_free(&o->sections);
    seq_free(&o->plt);
    seq_free(&o->starts);
    seq_free(&o->exported);
    seq_free(&o->arms);
    seq_free(&o->dispatches);
    seq_free(&o->data);
    seq_free(&o->fixed);
    seq_free(&o->functions);
    seq_free(&o->functions_before);
    seq_free(&o->pads);
    seq_free(&o->inside);
    seq_free(&o->changed);
    o->mark = NULL;
}

void part_set(struct object *o, struct range part) {
    const size_t size = sizeof *o->functions.at;
    o->part = part;
    o->part_first = items_below(o->functions.at, o->functions.len, size, part.start);
    o->part_functions =
        items_below(o->functions.at, o->functions.len, size, part.end) - o->part_first;
}

struct object *object_at(struct hotprobe *h, uintptr_t at) {
    for (size_t i = 0; i < h->objects.len; i++)
        if (in_text(&h->objects.at[i], at))
            return &h->objects.at[i];
    return NULL;
}

struct function *function_at(const struct object *o, uintptr_t at) {
    if (!in_text(o, at) || o->functions_before.at == NULL)
        return NULL;
    const uint32_t *before = &o->functions_before.at[(at - o->text) >> FUNCTION_PART];
    const size_t k = before[0] + items_below(o->functions.at + before[0], before[1] - before[0],
                                             sizeof *o->functions.at, at + 1);
    if (k == 0)
        return NULL;
    struct function *f = &o->functions.at[k - 1];
    return at < f->end ? f : NULL;
}

bool outside_at(const struct object *o, uintptr_t at) {
    const struct function *f = o->is_libc ? function_at(o, at) : NULL;
    return f != NULL && f->outside;
}
