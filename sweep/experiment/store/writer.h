/*
 * writer: the one thread that writes to the database while others compute.
 *
 * It does jobs in the order in which they were queued, and commits about once a second and at the
 * end. So a program that is killed loses at most about a second's work.
 */
#ifndef HOTGRAPH_WRITER_H
#define HOTGRAPH_WRITER_H

#include "db/db.h"

struct writer;

/* From now on, until writer_finish, the connection belongs to the writer's thread. */
enum status writer_start(struct writer **out, struct db *db, struct error *e);

/* Queues a job: the writer's thread calls write(db, job), then free_job(job). Blocks while the
 * queue is full. After a failed write, all further jobs are freed unwritten and this returns
 * STATUS_IO; writer_finish returns the error. */
enum status writer_put(struct writer *w, void *job,
                       enum status (*write)(struct db *db, void *job, struct error *e),
                       void (*free_job)(void *job));

/* Waits for all jobs, commits and frees the writer. Returns the first error. */
enum status writer_finish(struct writer *w, struct error *e);

#endif
