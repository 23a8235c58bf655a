/* hotgraph blocks: plays a movie on the translator and lists the translated blocks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "play/play.h"

struct blocks_command {
    struct play_options wish;
    uint64_t top;
    bool json, no_host;
};

/* A copy of a block for the list, since the translator may move its own. */
struct listed {
    struct dbt_block block;
    uint32_t targets[32];
};

struct listing {
    VEC(struct listed) all;
    uint64_t instructions; /* executed within blocks */
    bool out_of_memory;
};

static const char details[] =
    GAME_DETAILS "By default the game's own movie is played.\n"
                 "\n"
                 "Every block is translated at its first execution (with --engine dbt:hot=N, at\n"
                 "its Nth), and counts how often it is entered. Interpreted instructions, such\n"
                 "as those before a deadline, are not counted here. The code cache has 64 MiB;\n"
                 "change it with --engine dbt:cache=BYTES.\n"
                 "\n"
                 "Each block is listed with its code address (with the bank if the board\n"
                 "switches banks), its entries, its share of all instructions executed in\n"
                 "blocks, its guest and host code, and the number of its exits that are chained,\n"
                 "of those with a known target.\n"
                 "\n"
                 "Example:\n"
                 "  hotgraph blocks mazewisp --top 3\n";

/* ---- gathering ---- */

static void gather(void *user, const struct dbt_block *block) {
    struct listing *l = user;
    struct listed listed = {.block = *block};
    size_t room = sizeof listed.targets / sizeof *listed.targets;
    memcpy(listed.targets, block->targets,
           (block->exits < room ? block->exits : room) * sizeof *block->targets);
    l->instructions += block->executions * block->instructions;
    if (!vec_push(&l->all, listed))
        l->out_of_memory = true;
}

static uint64_t heat(const struct dbt_block *b) {
    return b->executions * b->instructions;
}

static int hotter(const void *a, const void *b) {
    const struct dbt_block *x = &((const struct listed *)a)->block;
    const struct dbt_block *y = &((const struct listed *)b)->block;
    if (heat(x) != heat(y))
        return heat(x) < heat(y) ? 1 : -1;
    if (x->address != y->address)
        return x->address > y->address ? 1 : -1;
    return x->host_address > y->host_address ? 1 : -1;
}

/* ---- guest and host code, line by line ---- */

struct line {
    uint64_t address;
    const uint8_t *bytes;
    size_t size;
    char text[96];
};

/* Formats the instruction at *at of a block's guest or host code and advances *at. False at the
 * end. */
static bool next_line(const struct dbt_block *b, bool host, size_t *at, struct line *line) {
    if (*at >= (host ? b->host_size : b->guest_bytes))
        return false;
    if (host) {
        line->bytes = b->host + *at;
        line->address = b->host_address + *at;
        line->size = dbt_disassemble(line->text, line->bytes, b->host_size - *at, line->address);
    } else {
        uint8_t bytes[3] = {0};
        line->bytes = b->guest + *at;
        line->address = b->address + *at;
        line->size = opcode_info(line->bytes[0])->size;
        memcpy(bytes, line->bytes, line->size);
        disassemble(line->text, (uint16_t)(b->pc + *at), bytes);
    }
    *at += line->size;
    return line->size != 0;
}

/* ---- as text ---- */

static double share(const struct listing *l, const struct dbt_block *b) {
    return l->instructions ? 100.0 * (double)heat(b) / (double)l->instructions : 0.0;
}

static void print_guest(const struct dbt_block *b) {
    struct line line;
    for (size_t at = 0; next_line(b, false, &at, &line);) {
        printf("    %06" PRIx64 "  ", line.address);
        for (size_t i = 0; i < 3; i++)
            if (i < line.size)
                printf("%02x ", line.bytes[i]);
            else
                printf("   ");
        printf(" %s\n", line.text);
    }
}

static void print_host(const struct dbt_block *b) {
    struct line line;
    for (size_t at = 0; next_line(b, true, &at, &line);)
        printf("        %012" PRIx64 "  %s\n", line.address, line.text);
}

static void print_block(const struct blocks_command *c, const struct listing *l, size_t rank) {
    const struct listed *listed = &l->all.at[rank];
    const struct dbt_block *b = &listed->block;
    printf("\n#%zu  %06x  %" PRIu64 " entries, %.2f %%, %u instructions, %u guest bytes, %zu host "
           "bytes, %u of %u exits chained",
           rank + 1, b->address, b->executions, share(l, b), b->instructions, b->guest_bytes,
           b->host_size, b->links, b->exits);
    for (unsigned i = 0; i < b->exits; i++)
        printf("%s%04x", i == 0 ? " (to " : ", ", listed->targets[i]);
    printf(b->exits ? ")\n" : "\n");
    print_guest(b);
    if (!c->no_host)
        print_host(b);
}

static void print_text(const struct blocks_command *c, const struct listing *l,
                       const struct dbt_statistics *s) {
    printf("%" PRIu64 " blocks of %" PRIu64 " instructions, %" PRIu64 " guest bytes, %" PRIu64
           " host bytes, translated in %.1f ms\n",
           s->blocks, s->instructions, s->guest_bytes, s->host_bytes,
           (double)s->nanoseconds * 1e-6);
    printf("%" PRIu64 " instructions executed in them, which were entered from outside %" PRIu64
           " times, the rest of the way by chains and tables; %" PRIu64 " links, %" PRIu64
           " flushes, %" PRIu64 " translated again for changed bytes, %" PRIu64
           " since a profiler asked, %" PRIu64 " mispredicted returns\n",
           s->executed, s->dispatched, s->links, s->flushes, s->stale, s->retranslated,
           s->return_misses);
    if (s->flushes)
        printf("blocks discarded by a flush are not listed; a larger --engine dbt:cache=BYTES "
               "keeps them\n");
    for (size_t i = 0; i < l->all.len && i < c->top; i++)
        print_block(c, l, i);
}

/* ---- as JSON ---- */

/* Prints an array of [address, text]. */
static void print_json_code(const struct dbt_block *b, bool host) {
    struct line line;
    const char *comma = "";
    printf("[");
    for (size_t at = 0; next_line(b, host, &at, &line); comma = ", ") {
        printf("%s[\"%06" PRIx64 "\", ", comma, line.address);
        print_json_string(line.text);
        printf("]");
    }
    printf("]");
}

static void print_json_block(const struct blocks_command *c, const struct listing *l, size_t i) {
    const struct dbt_block *b = &l->all.at[i].block;
    printf("%s\n  {\"address\": \"%06x\", \"entries\": %" PRIu64 ", \"share\": %.6f"
           ", \"instructions\": %u, \"guest_bytes\": %u, \"host_bytes\": %zu, \"links\": %u"
           ", \"exits\": [",
           i == 0 ? "" : ",", b->address, b->executions, share(l, b) / 100, b->instructions,
           b->guest_bytes, b->host_size, b->links);
    for (unsigned k = 0; k < b->exits; k++)
        printf("%s\"%04x\"", k == 0 ? "" : ", ", l->all.at[i].targets[k]);
    printf("],\n   \"guest\": ");
    print_json_code(b, false);
    if (!c->no_host) {
        printf(",\n   \"host\": ");
        print_json_code(b, true);
    }
    printf("}");
}

static void print_json(const struct blocks_command *c, const struct listing *l,
                       const struct dbt_statistics *s) {
    printf("{\"translation\": ");
    print_translation(s);
    printf(",\n \"blocks\": [");
    for (size_t i = 0; i < l->all.len && i < c->top; i++)
        print_json_block(c, l, i);
    printf("]}\n");
}

/* ---- the command ---- */

static enum status list(void *command, struct play *p, struct error *e) {
    const struct blocks_command *c = command;
    struct listing l = {0};
    enum status status = play_run(p, (struct play_hooks){0}, e);
    if (status != STATUS_OK)
        return status;
    dbt_each_block(p->nes, gather, &l);
    if (l.out_of_memory) {
        status = error_set(e, STATUS_MEMORY, "out of memory for the list of blocks");
    } else {
        struct dbt_statistics s;
        dbt_statistics(p->nes, &s);
        qsort(l.all.at, l.all.len, sizeof *l.all.at, hotter);
        (c->json ? print_json : print_text)(c, &l, &s);
    }
    vec_free(&l.all);
    return status;
}

/* The translator's defaults for this command. */
static void set_translator(struct engine_choice *engine) {
    struct dbt_options *const o = &engine->translator;
    engine->kind = ENGINE_DBT;
    o->count_blocks = true;
    if (o->hot == 0)
        o->hot = 1;
    if (o->cache_bytes == 0)
        o->cache_bytes = 64 << 20;
}

int command_blocks(int argc, char **argv) {
    struct blocks_command c = {.top = 20};
    const struct option_spec options[] = {
        {"top", "N", "list the N hottest blocks (default 20)", OPTION_NUMBER, .to = &c.top,
         .least = 0, .most = 1 << 20},
        {"no-host", NULL, "omit the host code", OPTION_FLAG, .to = &c.no_host},
        {"json", NULL, "print the list as JSON", OPTION_FLAG, .to = &c.json},
        {0},
    };
    const struct play_usage usage = {
        .command = "blocks",
        .summary = "Plays a game on the translator and lists the hottest blocks: guest code, "
                   "generated host code, entries and chained exits.",
        .details = details,
        .options = options,
    };
    int exit_status;
    const char *game = play_parse(&usage, &c.wish, argc, argv, &exit_status);
    if (game == NULL)
        return exit_status;
    if (c.wish.engine.kind == ENGINE_INTERP)
        return usage_error("blocks", "--engine interp does not translate blocks: use dbt or auto");
    set_translator(&c.wish.engine);
    c.wish.silent = !c.json;
    return play_command(game, &c.wish, list, &c);
}
