/* A Unix filter in a pipe: input that is waited for, output that is written out before the filter waits, and signals
 * that end it between two lines. */
#ifndef STRATA_CRAWLER_LINE_PIPE_H
#define STRATA_CRAWLER_LINE_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on SIGINT, SIGTERM and SIGHUP are noted, unless they were ignored before; one that comes a second after the
 * first ends the process at once (exit code 3). A file-size limit is an error of the write, not a death. */
void line_pipe_catch_signals(void);
bool line_pipe_is_stopped(void); /* one of them has come */

bool line_pipe_has_input(int file);                /* or its end, or an error: read(2) would not wait */
void line_pipe_wait(int file, int64_t timeout_ms); /* until it has, or a signal has come; timeout_ms < 0: no limit */

enum { LINE_OUTPUT_SIZE = 256 * 1024 };

/* All zeros to begin with. `error` stays: what comes after a failed write is dropped. */
typedef struct line_output {
  int error; /* errno of the write that failed; 0: none has */
  size_t used;
  char bytes[LINE_OUTPUT_SIZE];
} line_output;

/* To standard output. A signal never cuts them off: writes go on, and wait where the output cannot. */
void line_output_put(line_output *output, const char *bytes, size_t size); /* at most LINE_OUTPUT_SIZE */
bool line_output_flush(line_output *output);                               /* false: see `error` */
bool line_output_sync(line_output *output);                                /* ... and a file is on disk */

#endif
