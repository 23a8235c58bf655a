/* The translator on processors other than x86-64: none. */
#include "dbt/dbt.h"

const struct engine *dbt_engine(void) {
    return NULL;
}

void dbt_statistics(const struct nes *n, struct dbt_statistics *out) {
    (void)n;
    *out = (struct dbt_statistics){0};
}

enum status dbt_use_profile(struct nes *nes, const struct dbt_profile *profile, struct error *e) {
    (void)nes, (void)profile;
    return error_set(e, STATUS_UNSUPPORTED, "there is no translator on this processor");
}

void dbt_each_block(const struct nes *n, void (*each)(void *user, const struct dbt_block *block),
                    void *user) {
    (void)n, (void)each, (void)user;
}

size_t dbt_disassemble(char text[96], const uint8_t *code, size_t size, uint64_t address) {
    (void)code, (void)size, (void)address;
    text[0] = 0;
    return 0;
}
