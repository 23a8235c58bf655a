/*
 * writer: the one thread that writes to the database while others compute.
 *
 * Jobs are done in the order in which they were put. What they wrote is committed about once a
 * second and at the end, so a program that is killed loses a second's work and nothing else.
 */
#ifndef HOTGRAPH_WRITER_H
#define HOTGRAPH_WRITER_H

#include "db/db.h"

struct writer;

/* From now on, until writer_finish, the connection belongs to the writer's thread. */
enum status writer_start(struct writer **out, struct db *db, struct error *e);

/* Hands a job over: write(db, job) is called in the writer's thread, then free_job(job). Waits
 * while too much is queued. After a failed write all further jobs are freed unwritten and STATUS_IO
 * comes back; writer_finish knows the error. */
enum status writer_put(struct writer *w, void *job,
                       enum status (*write)(struct db *db, void *job, struct error *e),
                       void (*free_job)(void *job));

/* Waits for all jobs, commits, frees the writer. The first error of all. */
enum status writer_finish(struct writer *w, struct error *e);

#endif
