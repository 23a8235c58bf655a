/*
 * plugin_api: the part of QEMU's plugin interface, version 1, that the recorder uses, in our own
 * words: Debian ships QEMU without its header. The names and types are QEMU's; what each does is
 * documented in QEMU's "TCG plugins" manual.
 *
 * A plugin exports qemu_plugin_version and qemu_plugin_install; QEMU exports everything else here.
 * Descriptions of blocks and instructions are valid only inside the translation callback.
 */
#ifndef HOTGRAPH_QEMU_PLUGIN_API_H
#define HOTGRAPH_QEMU_PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLUGIN_API_VERSION = 1 };

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;   /* a translation block */
struct qemu_plugin_insn; /* an instruction of it */

struct qemu_plugin_info {
    const char *target_name; /* "x86_64" */
    struct {
        int least, current;
    } version;
    bool system_emulation;
    int cpus, cpus_most; /* of system emulation only */
};

enum qemu_plugin_registers { PLUGIN_NO_REGISTERS }; /* what a callback looks at */

typedef void (*qemu_plugin_exec_fn)(unsigned vcpu, void *user);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id,
                                       void (*call)(qemu_plugin_id_t id, unsigned vcpu));
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id,
                                       void (*call)(qemu_plugin_id_t id, unsigned vcpu));
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t id));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
                                    void (*call)(qemu_plugin_id_t id, void *user), void *user);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*call)(qemu_plugin_id_t id,
                                                        struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_fn call,
                                          enum qemu_plugin_registers registers, void *user);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_exec_fn call,
                                            enum qemu_plugin_registers registers, void *user);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id,
                                          void (*call)(qemu_plugin_id_t id, unsigned vcpu,
                                                       int64_t number, uint64_t a1, uint64_t a2,
                                                       uint64_t a3, uint64_t a4, uint64_t a5,
                                                       uint64_t a6, uint64_t a7, uint64_t a8));
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id,
                                              void (*call)(qemu_plugin_id_t id, unsigned vcpu,
                                                           int64_t number, int64_t result));

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn); /* its bytes */
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn); /* the guest's address */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn); /* where it lies in the host */

#endif
