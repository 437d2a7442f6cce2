/* mlbf/window/window_inside.h: numbers, sizes, clock and files of both windows. Internal to mlbf/. */
#ifndef STRATA_MLBF_WINDOW_INSIDE_H
#define STRATA_MLBF_WINDOW_INSIDE_H

#include "mlbf/file/table.h"
#include "mlbf/window.h"

static const uint64_t mlbf_window_most = UINT64_C(1) << 40;
static const uint64_t mlbf_window_bits_most = UINT64_C(1) << 48;

/* table.numbers of either; 5 to 9 are its own. */
enum { UNIT, WINDOW, KEYS, CELLS, HASHES, WINDOW_OWN, INSERTIONS = 10, SEEN, WINDOW_NUMBERS };

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

/* An empty table of these numbers; unit, window and keys are those of `options`. MLBF_BAD_ARGUMENT: `body_bytes` says
 * there can be none, or the profile is too long. MLBF_NO_MEMORY. */
mlbf_status mlbf_window_make(mlbf_table_kind kind, const mlbf_window_options *options,
                             const uint64_t numbers[WINDOW_NUMBERS], mlbf_table_sizer body_bytes, mlbf_table *table);

/* Are the numbers of a file those of a window, its own ones aside? The promise is the number at `rate`. */
bool mlbf_window_numbers_are_sound(const mlbf_table *table, int rate);

/* The time to go by: insertions, or `now_ms` unless the number at `clock`, when it was last, is later. */
uint64_t mlbf_window_now(const mlbf_table *table, int clock, uint64_t now_ms);

/* Its one body as it is in memory. */
mlbf_status mlbf_window_save(const mlbf_table *table, const char *path);

#endif
