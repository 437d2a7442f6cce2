/* datasets/replay/figures.h: the seed paper's three figures, and the same at equal memory.
 *
 *     fig5.svg         false positives      against n, for the paper's two filters, as in its figures
 *     fig6.svg         time of an insertion
 *     fig7.svg         time of a query
 *     fig5-equal.svg, fig6-equal.svg, fig7-equal.svg   filters that all have the bits of the multi-layer one
 *     figures.gnuplot  the script with the numbers, for drawing them again
 */
#ifndef STRATA_DATASETS_FIGURES_H
#define STRATA_DATASETS_FIGURES_H

#include "datasets/replay/replay.h"

#include <stdio.h>

/* The protocol the figures show: `paper` if it was run, else the first that was. */
protocol figures_protocol(const replay_options *options);

/* Draw into `directory`. False: `*reason` says why; the script is there if it could be written. */
bool figures_draw(const replay_options *options, const replay_results *results, const char *directory,
                  const char **reason);

/* What was drawn, the paper's three first. */
void figures_show(FILE *page, const char *directory);

#endif
