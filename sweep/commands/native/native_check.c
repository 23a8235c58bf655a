#include "commands/native/native_check.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Reads `#!interpreter argument`: the interpreter is the program to probe. */
static bool script(const struct bytes *file, char *out, size_t size) {
    if (file->len < 3 || memcmp(file->at, "#!", 2) != 0)
        return false;
    const char *p = (const char *)file->at + 2;
    p += strspn(p, " \t");
    snprintf(out, size, "%.*s", (int)strcspn(p, " \t\n"), p);
    return true;
}

/* The file's bytes at an address in memory, up to the file's end; NULL: none. */
static const char *at_address(const struct bytes *file, const Elf64_Phdr *p, size_t n,
                              uint64_t address, size_t *len) {
    for (size_t i = 0; i < n; i++) {
        uint64_t offset = p[i].p_offset + (address - p[i].p_vaddr);
        if (p[i].p_type != PT_LOAD || address < p[i].p_vaddr ||
            address - p[i].p_vaddr >= p[i].p_filesz || offset >= file->len)
            continue;
        *len = file->len - offset;
        return (const char *)file->at + offset;
    }
    return NULL;
}

/* The shared AddressSanitizer among the libraries that the program needs, or NULL. */
static const char *needs_asan(const struct bytes *file, const Elf64_Phdr *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (p[i].p_type != PT_DYNAMIC || p[i].p_offset > file->len ||
            p[i].p_filesz > file->len - p[i].p_offset)
            continue;
        const Elf64_Dyn *d = (const void *)(file->at + p[i].p_offset);
        size_t count = p[i].p_filesz / sizeof *d, length = 0;
        const char *names = NULL;
        for (size_t k = 0; k < count && names == NULL; k++)
            if (d[k].d_tag == DT_STRTAB)
                names = at_address(file, p, n, d[k].d_un.d_ptr, &length);
        for (size_t k = 0; k < count && names != NULL; k++) {
            uint64_t at = d[k].d_tag == DT_NEEDED ? d[k].d_un.d_val : UINT64_MAX;
            if (at < length && memchr(names + at, 0, length - at) != NULL &&
                strncmp(names + at, "libasan.so", 10) == 0)
                return names + at;
        }
    }
    return NULL;
}

/* Do the program's notes name Go's linker? */
static bool is_go(const struct bytes *file, const Elf64_Phdr *p, size_t n) {
    static const char name[4] = "Go";
    for (size_t i = 0; i < n; i++) {
        Elf64_Nhdr note;
        if (p[i].p_type != PT_NOTE || p[i].p_offset > file->len ||
            p[i].p_filesz > file->len - p[i].p_offset)
            continue;
        for (uint64_t at = 0; p[i].p_filesz - at >= sizeof note + sizeof name;) {
            const uint8_t *here = file->at + p[i].p_offset + at;
            memcpy(&note, here, sizeof note);
            if (note.n_namesz == sizeof name && memcmp(here + sizeof note, name, sizeof name) == 0)
                return true;
            const uint64_t size = sizeof note + ((uint64_t)note.n_namesz + 3) / 4 * 4 +
                                  ((uint64_t)note.n_descsz + 3) / 4 * 4;
            if (size > p[i].p_filesz - at)
                break;
            at += size;
        }
    }
    return false;
}

/* What can be known from the limits of this process, which the program inherits. */
static enum status check_limits(bool graph, struct error *e) {
    enum { LEAST = 1 << 16 };
    struct rlimit size = {RLIM_INFINITY, RLIM_INFINITY};
    (void)getrlimit(RLIMIT_FSIZE, &size);
    if (size.rlim_cur < LEAST)
        return error_set(e, STATUS_UNSUPPORTED,
                         "files may have only %" PRIu64 " bytes (ulimit -f), which is too little "
                         "for the counts: raise the limit",
                         (uint64_t)size.rlim_cur);
    if (graph && size.rlim_cur != RLIM_INFINITY)
        return error_set(e, STATUS_UNSUPPORTED,
                         "files may have only %" PRIu64
                         " bytes (ulimit -f), and --graph needs them "
                         "without a limit",
                         (uint64_t)size.rlim_cur);
    if (access("/proc/self/mem", W_OK) != 0)
        return error_set(e, STATUS_UNSUPPORTED,
                         "/proc/self/mem: %s; probes are written through it, so /proc must be "
                         "mounted, and not masked",
                         strerror(errno));
    return STATUS_OK;
}

static enum status check_loader(const char *path, const struct bytes *file, bool graph,
                                struct error *e) {
    const Elf64_Ehdr *h = (const void *)file->at;
    if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff > file->len ||
        (file->len - h->e_phoff) / sizeof(Elf64_Phdr) < h->e_phnum)
        return error_set(e, STATUS_FORMAT, "%s: its program headers are invalid", path);
    const Elf64_Phdr *p = (const void *)(file->at + h->e_phoff);
    const char *asan = needs_asan(file, p, h->e_phnum);
    if (asan != NULL)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: needs %s, which ends a program that is not started with it as its "
                         "first library; link it with -static-libasan, or without",
                         path, asan);
    if (graph && is_go(file, p, h->e_phnum))
        return error_set(
            e, STATUS_UNSUPPORTED,
            "%s: is a Go program, which has neither frames nor calls as C has them, so "
            "its graph cannot be counted; 'hotgraph native' counts those of its "
            "functions that have symbols",
            path);
    for (size_t i = 0; i < h->e_phnum; i++) {
        if (p[i].p_type != PT_INTERP || p[i].p_offset >= file->len ||
            memchr(file->at + p[i].p_offset, 0, file->len - p[i].p_offset) == NULL)
            continue;
        const char *loader = (const char *)file->at + p[i].p_offset;
        if (strstr(loader, "ld-linux-x86-64.so") == NULL)
            return error_set(
                e, STATUS_UNSUPPORTED,
                "%s: uses another C library (%s): only programs with GNU libc can be probed", path,
                loader);
        return STATUS_OK;
    }
    return error_set(
        e, STATUS_UNSUPPORTED,
        "%s: is statically linked, so the probe library cannot be loaded; link it dynamically",
        path);
}

/* file_path is set to the program's path; of a script, that of its interpreter. */
static enum status check_program(const char *path, int depth, bool graph, char file_path[4096],
                                 struct error *e) {
    struct stat st;
    char next[4096];
    struct bytes file = {0};
    if (stat(path, &st) != 0)
        return file_unopened(path, errno, e);
    if (!S_ISREG(st.st_mode) || access(path, X_OK) != 0)
        return error_set(e, STATUS_ARGUMENT, "%s: is not a program that you may execute", path);
    if ((st.st_mode & (S_ISUID | S_ISGID)) != 0 ||
        getxattr(path, "security.capability", NULL, 0) > 0)
        return error_set(e, STATUS_UNSUPPORTED,
                         "%s: runs with other privileges than yours (setuid, setgid or "
                         "capabilities), and the system loads no libraries into such programs",
                         path);
    enum status s = file_read(&file, path, (size_t)1 << 30, e);
    if (s != STATUS_OK)
        return s;
    const Elf64_Ehdr *h = (const void *)file.at;
    if (depth < 4 && script(&file, next, sizeof next))
        s = check_program(next, depth + 1, graph, file_path, e);
    else if (file.len < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        s = error_set(e, STATUS_FORMAT, "%s: not an ELF program", path);
    else if (h->e_ident[EI_CLASS] != ELFCLASS64)
        s = error_set(e, STATUS_UNSUPPORTED,
                      "%s: is a 32-bit program; only 64-bit ones can be probed", path);
    else if (h->e_machine != EM_X86_64)
        s = error_set(e, STATUS_UNSUPPORTED, "%s: is not for x86-64 (machine %u)", path,
                      (unsigned)h->e_machine);
    else {
        s = check_loader(path, &file, graph, e);
        snprintf(file_path, 4096, "%s", path);
    }
    bytes_free(&file);
    return s;
}

enum status native_check(const char *path, bool graph, char file_path[4096], struct error *e) {
    const enum status s = check_program(path, 0, graph, file_path, e);
    return s == STATUS_OK ? check_limits(graph, e) : s;
}
