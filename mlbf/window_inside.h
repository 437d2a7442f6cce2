/* mlbf/window_inside.h: sizing that both windows share. Internal to mlbf/. */
#ifndef STRATA_MLBF_WINDOW_INSIDE_H
#define STRATA_MLBF_WINDOW_INSIDE_H

#include "mlbf/window.h"

static const uint64_t mlbf_window_most = UINT64_C(1) << 40;
static const uint64_t mlbf_window_bits_most = UINT64_C(1) << 48;

/* Unit, window, keys, and exactly one of rate and bits. */
bool mlbf_window_options_are_sound(const mlbf_window_options *options);

/* Design load: `keys`, or the window. */
uint64_t mlbf_window_keys(const mlbf_window_options *options);

/* (1 - e^(-kn/m))^k */
double mlbf_window_rate(double keys, double cells, uint32_t hashes);

/* Cells of one array and k for `keys` live keys, from the rate or, at `bits_a_cell` for each cell with all its
 * arrays, from the bits. False: no such window. */
bool mlbf_window_size(const mlbf_window_options *options, double keys, double bits_a_cell, uint64_t *cells,
                      uint32_t *hashes);

#endif
