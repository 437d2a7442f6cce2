/* tests/support/terminal.h: a program on a terminal, and every byte that it sends there. */
#ifndef STRATA_TESTS_TERMINAL_H
#define STRATA_TESTS_TERMINAL_H

#include "tests/site/grown_text.h"

/* Runs `argv` (NULL-terminated) with standard output and standard error on a terminal of its own, standard input from
 * the file `in` (NULL: none). What comes is added to `came`, byte for byte. Returns the exit code; -1: it was killed,
 * or took longer than a minute. */
int terminal_run(const char *const argv[], const char *in, text *came);

/* Takes out what a live panel, a line of progress and grey lines may send: CR at the beginning of a drawing, cursor up,
 * erase, bold, red, grey, plain. */
void terminal_drop_panel(text *came);

#endif
