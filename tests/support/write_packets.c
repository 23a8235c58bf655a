/* write_packets ROM FRAMES FILE: writes the whole trace of a game without buttons, for packets.py. */
#include <stdio.h>
#include <stdlib.h>

#include "nes/nes.h"
#include "profile/packets/packet_tracer.h"

static void write_out(void *file, struct packet_tracer *t) {
    fwrite(t->writer.out.at, 1, t->writer.out.len, file);
    t->writer.removed += t->writer.out.len;
    t->writer.out.len = 0;
}

static void must(enum status status, const struct error *e) {
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "%s\n", e->text);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    struct cartridge *cartridge;
    struct nes *nes;
    struct packet_tracer *t;
    struct error e = {0};
    FILE *file = argc == 4 ? fopen(argv[3], "wb") : NULL;
    if (file == NULL)
        return EXIT_FAILURE;
    must(cartridge_load(&cartridge, argv[1], &e), &e);
    must(nes_create(&nes, &(struct nes_options){.cartridge = cartridge}, &e), &e);
    const struct packet_tracer_options options = {.interval = 500000,
                                                  .psb = 2048,
                                                  .tnt_most = PACKET_TNT_SHORT,
                                                  .sampled = write_out,
                                                  .user = file};
    must(packet_tracer_attach(&t, nes, &options, &e), &e);
    for (long i = 0; i < atol(argv[2]); i++)
        must(nes_run_frame(nes, &e), &e);
    packet_tracer_end(t);
    packet_tracer_free(t);
    nes_free(nes);
    cartridge_free(cartridge);
    return fclose(file) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
