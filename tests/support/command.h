/* tests/support/command.h: a command of the built program `strata`, as a shell would see it. */
#ifndef STRATA_TESTS_COMMAND_H
#define STRATA_TESTS_COMMAND_H

#include <stddef.h>

enum { COMMAND_OUTPUT_SIZE = 65536 };

/* How `strata` ends: EXIT STATUS of strata(1). */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_STOPPED = 3 };

/* Runs `strata` with `arguments`, which are cut at blanks; `input` is its standard input. What it writes comes back in
 * `out` and `err`; with `out_path` its standard output goes there instead. Returns its exit status. */
int command_run(const char *arguments, const char *input, const char *out_path, char out[COMMAND_OUTPUT_SIZE],
                char err[COMMAND_OUTPUT_SIZE]);

typedef struct command_row {
  const char *arguments, *input;
  int status;
  const char *out, *err; /* err: a part of it, "" for nothing at all */
} command_row;

/* Runs each row; prints those that went otherwise, and returns how many. */
unsigned command_differences(const command_row *rows, size_t count);

#endif
