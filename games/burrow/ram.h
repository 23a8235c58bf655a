/* The RAM map of ram.inc for C. */
#ifndef RAM_H
#define RAM_H

typedef unsigned char byte;
typedef unsigned int word;

extern byte checkpoint, state, level, lives, bulbs, games, air, energy, clods, pad, pad_new, timer;
extern word score, best, next_life, dusk, work, seed;
extern byte pim_x, pim_y, pim_dir, pim_left, pim_cell, pim_goal, pim_acc, pim_face, pim_walk,
    pim_want;
extern byte dug, chain, ready, step_frames, frames, pace, shake, ring_n, ppu_mask, oam_at, phase;
extern byte hud_dirty, cursor, ci, stuck, cre_count, nests[2];
extern byte flood_tail, flood_mask, flood_page, flood_limit, flood_pops;
extern byte div_rest, spr_x, spr_y, spr_tile, spr_attr, quad[4];
extern byte song, sfx, mirror, springs[2];
#pragma zpsym("checkpoint")
#pragma zpsym("state")
#pragma zpsym("level")
#pragma zpsym("lives")
#pragma zpsym("bulbs")
#pragma zpsym("games")
#pragma zpsym("air")
#pragma zpsym("energy")
#pragma zpsym("clods")
#pragma zpsym("pad")
#pragma zpsym("pad_new")
#pragma zpsym("timer")
#pragma zpsym("score")
#pragma zpsym("best")
#pragma zpsym("next_life")
#pragma zpsym("dusk")
#pragma zpsym("work")
#pragma zpsym("seed")
#pragma zpsym("pim_x")
#pragma zpsym("pim_y")
#pragma zpsym("pim_dir")
#pragma zpsym("pim_left")
#pragma zpsym("pim_cell")
#pragma zpsym("pim_goal")
#pragma zpsym("pim_acc")
#pragma zpsym("pim_face")
#pragma zpsym("pim_walk")
#pragma zpsym("pim_want")
#pragma zpsym("dug")
#pragma zpsym("chain")
#pragma zpsym("ready")
#pragma zpsym("step_frames")
#pragma zpsym("frames")
#pragma zpsym("pace")
#pragma zpsym("shake")
#pragma zpsym("ring_n")
#pragma zpsym("ppu_mask")
#pragma zpsym("oam_at")
#pragma zpsym("phase")
#pragma zpsym("hud_dirty")
#pragma zpsym("cursor")
#pragma zpsym("ci")
#pragma zpsym("stuck")
#pragma zpsym("cre_count")
#pragma zpsym("nests")
#pragma zpsym("flood_tail")
#pragma zpsym("flood_mask")
#pragma zpsym("flood_page")
#pragma zpsym("flood_limit")
#pragma zpsym("flood_pops")
#pragma zpsym("div_rest")
#pragma zpsym("spr_x")
#pragma zpsym("spr_y")
#pragma zpsym("spr_tile")
#pragma zpsym("spr_attr")
#pragma zpsym("quad")
#pragma zpsym("song")
#pragma zpsym("sfx")
#pragma zpsym("mirror")
#pragma zpsym("springs")

#define CREATURES 6
#define RING_SIZE 96
extern byte soil[], trail[], water[], scent[], ring[], oam[], flood_queue[];
extern byte en_kind[], en_x[], en_y[], en_dir[], en_left[], en_acc[], en_speed[], en_pc[],
    en_wait[];
extern byte en_stun[], en_ret[], en_loop[], en_cell[], en_goal[], en_wet[], en_gone[], en_face[];
extern byte pop_x[], pop_y[], pop_tile[], pop_time[];

#endif
