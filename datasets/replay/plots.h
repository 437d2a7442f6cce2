/* datasets/replay/plots.h: plots drawn by gnuplot(1) into SVG files. */
#ifndef STRATA_DATASETS_PLOTS_H
#define STRATA_DATASETS_PLOTS_H

#include <stddef.h>
#include <stdio.h>

/* What every script begins with: the terminal, its size, grid and key. */
extern const char plots_beginning[];

/* Run the script in `directory`. NULL, or why there are no plots. */
const char *plots_run(const char *directory, const char *script);

enum { PLOTS_MAX = 8 };

/* Write `text` behind the beginning into the script, run it, and put the files that it draws into the page, each with
 * its caption; or why there are none. At most PLOTS_MAX. Files of an earlier run go first. */
void plots_draw(FILE *page, const char *directory, const char *script, const char *text, const char *const *files,
                const char *const *captions, size_t count);

#endif
