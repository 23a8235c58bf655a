/*
 * command: the commands that main() can run. Each gets its own arguments, with its name in argv[0],
 * and returns the exit status: 0, EXIT_FAILURE for an error, EXIT_USAGE for a wrong command line. A
 * command prints its own errors (see options.h); main() checks standard output at the end.
 */
#ifndef HOTGRAPH_COMMAND_H
#define HOTGRAPH_COMMAND_H

int command_bench(int argc, char **argv);
int command_measured(int argc, char **argv);
int command_native(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_cost(int argc, char **argv);
int command_costs(int argc, char **argv);
int command_exact(int argc, char **argv);
int command_export(int argc, char **argv);
int command_import(int argc, char **argv);
int command_optimise(int argc, char **argv);
int command_record(int argc, char **argv);
int command_blocks(int argc, char **argv);
int command_build(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_flow(int argc, char **argv);
int command_profile(int argc, char **argv);
int command_report(int argc, char **argv);
int command_structure(int argc, char **argv);
int command_results(int argc, char **argv);
int command_runs(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_sql(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_techniques(int argc, char **argv);
int command_movie(int argc, char **argv);
int command_movie_make(int argc, char **argv);  /* run by `movie` for `movie make` */
int command_movie_check(int argc, char **argv); /* run by `movie` for `movie check` */
int command_testrom(int argc, char **argv);
int command_init(int argc, char **argv);
int command_lockstep(int argc, char **argv);

#endif
