/*
 * charts_game: all figures of one game.
 */
#ifndef HOTGRAPH_REPORT_CHARTS_GAME_H
#define HOTGRAPH_REPORT_CHARTS_GAME_H

#include "report/page/ask.h"

enum status page_game(struct page *p, const char *game);

#endif
