/* movie_make: hotgraph movie make. */
#ifndef HOTGRAPH_MOVIE_MAKE_H
#define HOTGRAPH_MOVIE_MAKE_H

int movie_make(int argc, char **argv);

#endif
