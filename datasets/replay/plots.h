/* datasets/replay/plots.h: plots drawn by gnuplot(1) into SVG files, and shown in a page. */
#ifndef STRATA_DATASETS_PLOTS_H
#define STRATA_DATASETS_PLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct plot {
  const char *file; /* in the directory */
  const char *caption;
} plot;

/* A line with points. One thing has one look in all plots. */
typedef struct plot_series {
  const char *title, *colour;
  int point; /* gnuplot's number of a shape */
} plot_series;

/* A series in a plot command: "plot " before the first, ", " before the others. `data`: what gnuplot calls its
 * points. */
void plots_add_series(FILE *script, const char *data, const plot_series *series, bool is_first);

/* Write `script` into the directory: `remark`, the terminal, its size, grid and key, and `text`; and run it. Files
 * of an earlier run go first. NULL, or why there are no plots; the script is there if it could be written. */
const char *plots_draw(const char *directory, const char *script, const char *remark, const char *text,
                       const plot *plots, size_t count);

/* The files that were drawn, each with its caption. What cannot be read is left out. */
void plots_show(FILE *page, const char *directory, const plot *plots, size_t count);

#endif
