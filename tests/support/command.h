/* tests/support/command.h: a command of strata as a shell would see it. */
#ifndef STRATA_TESTS_COMMAND_H
#define STRATA_TESTS_COMMAND_H

#include <stddef.h>

enum { COMMAND_OUTPUT_SIZE = 16384 };

/* Runs `command` in a child; `arguments`, its name first, are cut at blanks; `input` is its standard input. What it
 * writes comes back in `out` and `err`; with `out_path` its standard output goes there instead. Returns its exit
 * status. */
int command_run(int (*command)(int argc, char **argv), const char *arguments, const char *input, const char *out_path,
                char out[COMMAND_OUTPUT_SIZE], char err[COMMAND_OUTPUT_SIZE]);

typedef struct command_row {
  const char *arguments, *input;
  int status;
  const char *out, *err; /* err: a part of it, "" for nothing at all */
} command_row;

/* Runs each row; prints those that went otherwise, and returns how many. */
unsigned command_differences(int (*command)(int argc, char **argv), const command_row *rows, size_t count);

#endif
