/* A sliding window of keys, in cells of 4 bits: 0 empty, else 1 + epoch mod 15.
 *
 *   age of a cell, in epochs   0 1 2 ... G | G+1 ... 14 | 15 = 0 again
 *                              live        | dead: swept | would be taken for young
 *
 * Always
 *   - A key inserted t ago has cells of age ceil(t / L) at most, L being an epoch's length; G L >= window. So no
 *     false negative: a cell is only ever overwritten by a younger epoch, and swept only when dead.
 *   - Each epoch sweeps 1 / (14 - G) of the words, round robin, so each dead cell is cleared before it is 15 epochs
 *     old.
 *
 * Why 12 epochs: G = 13 would reduce the slack only from 8.3 % of the window to 7.7 %, and double the sweeping.
 * Why 4 bits: 3 bits leave 6 epochs, 17 % slack, for a quarter less memory.
 *
 * Called by `strata uniq --window`, and beside SKIP in its paper's experiment. A save replaces the file as a whole, so
 * a crash leaves the old one or the new. */
#include "mlbf/window.h"

#include <fcntl.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "mlbf/file/block_file.h"
#include "mlbf/filter/cells.h"
#include "mlbf/filter/rate.h"
#include "mlbf/filter/options_size.h"

enum { CELL_BITS = 4, VALUES = 15, EPOCHS_MAX = 12, CELLS_A_WORD = 16, FILL_SAMPLE = 1 << 16 };
enum { CELLS_LEAST = 1024 }; /* the formula is of large arrays; in small ones two of a key's places often coincide */

static const uint64_t window_most = UINT64_C(1) << 40;
static const uint64_t bits_most = UINT64_C(1) << 48;

/* file.numbers */
enum { UNIT, WINDOW, KEYS, CELLS, HASHES, EPOCH_LENGTH, RATE, CLOCK, SWEPT, CURSOR, INSERTIONS, SEEN, NUMBERS };

struct mlbf_epoch {
  mlbf_block_file file;
};

static mlbf_cells cells_of(const mlbf_epoch *window)
{
  const mlbf_block_file *file = &window->file;
  return (mlbf_cells){file->body, file->numbers[CELLS], CELL_BITS};
}

static uint64_t epochs_of(const mlbf_block_file *file) /* G */
{
  return (file->numbers[WINDOW] + file->numbers[EPOCH_LENGTH] - 1) / file->numbers[EPOCH_LENGTH];
}

static uint64_t epoch_at(const mlbf_block_file *file, uint64_t clock)
{
  return clock / file->numbers[EPOCH_LENGTH];
}

static uint64_t words_of(const mlbf_block_file *file)
{
  return (file->numbers[CELLS] + CELLS_A_WORD - 1) / CELLS_A_WORD;
}

/* Words to sweep an epoch. */
static uint64_t quota_of(const mlbf_block_file *file)
{
  uint64_t rounds = VALUES - 1 - epochs_of(file);
  return (words_of(file) + rounds - 1) / rounds;
}

/* Bit v is set if a cell of value v was written in `epoch` or at most `ages` epochs before: 1 + ages neighbours in
 * a ring of 15. */
static uint32_t values_of(uint64_t epoch, uint64_t ages)
{
  assert(ages < VALUES);
  uint32_t ring = (UINT32_C(1) << (ages + 1)) - 1;
  uint32_t first = (uint32_t)((epoch % VALUES + VALUES - ages) % VALUES);
  return ((ring << first | ring >> (VALUES - first)) & ((UINT32_C(1) << VALUES) - 1)) << 1;
}

static uint32_t live_values(const mlbf_block_file *file, uint64_t epoch)
{
  return values_of(epoch, epochs_of(file));
}

/* The numbers are a file's, checked by body_bytes before there is a window. */
static void assert_epoch(const mlbf_epoch *window)
{
  const uint64_t *n = window->file.numbers;
  assert(n[EPOCH_LENGTH] > 0 && epochs_of(&window->file) <= EPOCHS_MAX);
  assert(n[HASHES] >= 1 && n[HASHES] <= MLBF_HASHES_MAX && n[SEEN] <= n[INSERTIONS]);
  assert(n[SWEPT] <= quota_of(&window->file) && n[CURSOR] < words_of(&window->file));
  assert(8 * words_of(&window->file) <= window->file.body_bytes);
  (void)n;
}

/* ---- creation ------------------------------------------------------------------------------------------- */

/* Unit, window, keys, and exactly one of rate and bits. */
static bool are_sound(const mlbf_window_options *options)
{
  bool has_rate = options->rate > 0 && options->rate < 1;
  bool is_one = has_rate ? options->bits == 0 : options->rate == 0 && options->bits > 0;
  bool has_unit = options->unit == MLBF_WINDOW_INSERTIONS || options->unit == MLBF_WINDOW_MS;
  return has_unit && is_one && options->bits <= bits_most && options->hashes <= MLBF_HASHES_MAX &&
         options->window > 0 && options->window <= window_most && options->keys <= window_most &&
         (options->keys > 0 || options->unit == MLBF_WINDOW_INSERTIONS);
}

/* (1 - e^(-kn/m))^k */
static double rate_of(double keys, double cells, uint32_t hashes)
{
  return mlbf_layout_rate(MLBF_LAYOUT_CLASSIC, hashes, cells, keys);
}

static uint32_t best_hashes(double cells_a_key)
{
  double best = round(cells_a_key * M_LN2);
  return best < 1 ? 1 : best > MLBF_HASHES_MAX ? MLBF_HASHES_MAX : (uint32_t)best;
}

/* Cells and k for `keys` live keys, from the rate or from the bits. False: no such window. */
static bool size_for(const mlbf_window_options *options, double keys, uint64_t *cells, uint32_t *hashes)
{
  double exact = (double)options->bits / CELL_BITS, cells_a_key;
  *hashes = options->hashes;
  if (options->rate > 0) {
    if (*hashes == 0)
      *hashes = mlbf_layout_best_hashes(MLBF_LAYOUT_CLASSIC, options->rate, &cells_a_key);
    cells_a_key = mlbf_layout_bits_per_key(MLBF_LAYOUT_CLASSIC, *hashes, options->rate);
    exact = fmax(ceil(keys * cells_a_key), CELLS_LEAST);
  } else if (*hashes == 0) {
    *hashes = best_hashes(exact / keys);
  }
  if (!(exact >= 1 && exact * CELL_BITS <= (double)bits_most))
    return false;
  *cells = (uint64_t)exact;
  return true;
}

static uint64_t length_of(uint64_t window) /* of an epoch */
{
  return (window + EPOCHS_MAX - 1) / EPOCHS_MAX;
}

/* Of a file's numbers, which must be those of a window; 0: they are not. */
static uint64_t body_bytes(const mlbf_block_file *file)
{
  const uint64_t *n = file->numbers;
  mlbf_window_options options = {
    .unit = (mlbf_window_unit)n[UNIT], .window = n[WINDOW], .keys = n[KEYS], .rate = mlbf_number_double(n[RATE])};
  bool is_sound = n[UNIT] <= MLBF_WINDOW_MS && are_sound(&options) && n[KEYS] > 0 && n[CELLS] > 0 &&
                  n[CELLS] <= bits_most / CELL_BITS && n[HASHES] > 0 && n[HASHES] <= MLBF_HASHES_MAX &&
                  n[SEEN] <= n[INSERTIONS] && n[EPOCH_LENGTH] == length_of(n[WINDOW]);
  for (int i = NUMBERS; i < MLBF_NUMBERS; i++)
    is_sound = is_sound && n[i] == 0;
  is_sound = is_sound && n[SWEPT] <= quota_of(file) && n[CURSOR] < words_of(file);
  return is_sound ? mlbf_cells_bytes(n[CELLS], CELL_BITS) : 0;
}

/* Live keys at most: those of the window, and of the epoch that is on its way out. */
static double keys_at_most(uint64_t keys, uint64_t window, uint64_t epoch_length)
{
  return (double)keys * (1 + (double)epoch_length / (double)window);
}

static mlbf_status hand_over(mlbf_status status, mlbf_epoch *made, mlbf_epoch **window)
{
  if (status == MLBF_OK)
    *window = made;
  else
    free(made);
  return status;
}

mlbf_window_options mlbf_window_options_default(void)
{
  return (mlbf_window_options)MLBF_WINDOW_OPTIONS_DEFAULT;
}

mlbf_status mlbf_epoch_create(const mlbf_window_options *given, mlbf_epoch **window)
{
  mlbf_window_options known;
  const mlbf_window_options *options = &known;
  uint64_t cells;
  uint32_t hashes;
  if (!mlbf_sized_read(&known, sizeof known, given) || !are_sound(options))
    return MLBF_BAD_ARGUMENT;
  uint64_t length = length_of(options->window), wanted = options->keys ? options->keys : options->window;
  double keys = keys_at_most(wanted, options->window, length);
  if (!size_for(options, keys, &cells, &hashes))
    return MLBF_BAD_ARGUMENT;
  double rate = options->rate > 0 ? options->rate : rate_of(keys, (double)cells, hashes);
  mlbf_block_file plan = {.kind = MLBF_FILE_WINDOW,
                          .numbers = {[UNIT] = options->unit,
                                      [WINDOW] = options->window,
                                      [KEYS] = wanted,
                                      [CELLS] = cells,
                                      [HASHES] = hashes,
                                      [EPOCH_LENGTH] = length,
                                      [RATE] = mlbf_double_number(rate)}};
  mlbf_epoch *made = malloc(sizeof *made);
  mlbf_keying keying = mlbf_keying_none;
  mlbf_status status = made ? mlbf_keying_make(options->secret, options->seed, &keying) : MLBF_NO_MEMORY;
  if (status == MLBF_OK)
    status = mlbf_block_file_make(MLBF_FILE_WINDOW, &keying, options->profile, body_bytes(&plan), &made->file);
  if (status == MLBF_OK)
    memcpy(made->file.numbers, plan.numbers, sizeof plan.numbers);
  return hand_over(status, made, window);
}

void mlbf_epoch_free(mlbf_epoch *window)
{
  if (!window)
    return;
  mlbf_block_file_drop(&window->file);
  free(window);
}

/* ---- the sweep ------------------------------------------------------------------------------------------ */

/* The word without its dead cells: a cell is kept if it differs from each dead value. */
static uint64_t without_dead(uint64_t word, uint32_t live)
{
  const uint64_t ones = 0x1111111111111111u;
  uint64_t kept = ~UINT64_C(0);
  for (uint32_t dead = ~live & 0xfffe; dead; dead &= dead - 1) {
    uint64_t differs = word ^ ones * (uint64_t)__builtin_ctz(dead);
    differs |= differs >> 1;
    differs |= differs >> 2;
    kept &= (differs & ones) * 15;
  }
  return word & kept;
}

static void sweep_words(mlbf_epoch *window, uint64_t count, uint32_t live)
{
  uint64_t *cursor = &window->file.numbers[CURSOR], words = words_of(&window->file);
  if (window->file.numbers[INSERTIONS] == 0) { /* all zeros, whose pages are not even in memory yet */
    *cursor = (*cursor + count) % words;
    return;
  }
  for (; count > 0; count--) {
    uint64_t word;
    memcpy(&word, window->file.body + 8 * *cursor, sizeof word);
    if (word) {
      word = without_dead(word, live);
      memcpy(window->file.body + 8 * *cursor, &word, sizeof word);
    }
    *cursor = *cursor + 1 == words ? 0 : *cursor + 1;
    assert(*cursor < words);
  }
}

/* So far that the sweep has done its share of `epoch` up to `share` of its quota. */
static void sweep_to(mlbf_epoch *window, uint64_t epoch, uint64_t share)
{
  uint64_t *swept = &window->file.numbers[SWEPT];
  if (share <= *swept)
    return;
  uint64_t count = share - *swept;
  assert(share <= quota_of(&window->file)); /* or a cell might be swept that is young again */
  *swept = share;
  sweep_words(window, count, live_values(&window->file, epoch));
}

static void forget_all(mlbf_epoch *window)
{
  window->file.numbers[SWEPT] = 0;
  if (window->file.numbers[INSERTIONS] > 0)
    memset(window->file.body, 0, window->file.body_bytes);
}

/* Everything that is due until `now`. */
static void advance(mlbf_epoch *window, uint64_t now)
{
  uint64_t *n = window->file.numbers, length = n[EPOCH_LENGTH], quota = quota_of(&window->file);
  assert(now >= n[CLOCK]);
  uint64_t epoch = epoch_at(&window->file, n[CLOCK]), last = epoch_at(&window->file, now);
  if (last - epoch > epochs_of(&window->file)) /* nothing that is there can still be live */
    forget_all(window);
  for (epoch = last - epoch > epochs_of(&window->file) ? last : epoch; epoch < last; epoch++) {
    sweep_to(window, epoch, quota);
    n[SWEPT] = 0;
  }
  n[CLOCK] = now;
  uint64_t part = (uint64_t)((mlbf_product)quota * (now % length + 1) / length);
  sweep_to(window, last, part);
}

/* ---- use ------------------------------------------------------------------------------------------------ */

/* The time to go by: insertions, or `now_ms` unless the last one was later. */
static uint64_t time_of(const mlbf_block_file *file, uint64_t now_ms)
{
  if (file->numbers[UNIT] == MLBF_WINDOW_INSERTIONS)
    return file->numbers[INSERTIONS];
  return now_ms > file->numbers[CLOCK] ? now_ms : file->numbers[CLOCK];
}

static void places_of(const mlbf_epoch *window, mlbf_span key, uint64_t places[MLBF_HASHES_MAX])
{
  mlbf_hash128 hash = mlbf_hash_text(&window->file.keying.keys, key);
  mlbf_places(hash, window->file.numbers[CELLS], (uint32_t)window->file.numbers[HASHES], places);
}

static bool all_among(const mlbf_epoch *window, const uint64_t *places, uint32_t values)
{
  mlbf_cells cells = cells_of(window);
  for (uint64_t i = 0; i < window->file.numbers[HASHES]; i++)
    if (!(values >> mlbf_cells_get(&cells, places[i]) & 1))
      return false;
  return true;
}

bool mlbf_epoch_insert(mlbf_epoch *window, mlbf_span key, uint64_t now_ms)
{
  uint64_t places[MLBF_HASHES_MAX], *n = window->file.numbers, now = time_of(&window->file, now_ms);
  assert_epoch(window);
  places_of(window, key, places);
  for (uint64_t i = 0; i < n[HASHES]; i++)
    __builtin_prefetch(window->file.body + places[i] / 2, 1);
  advance(window, now);
  mlbf_cells cells = cells_of(window);
  uint64_t epoch = epoch_at(&window->file, now);
  const bool was_seen = all_among(window, places, live_values(&window->file, epoch));
  for (uint64_t i = 0; i < n[HASHES]; i++)
    mlbf_cells_set(&cells, places[i], 1 + epoch % VALUES);
  n[INSERTIONS]++;
  n[SEEN] += was_seen;
  assert_epoch(window);
  return was_seen;
}

bool mlbf_epoch_test(const mlbf_epoch *window, mlbf_span key, uint64_t now_ms)
{
  uint64_t places[MLBF_HASHES_MAX], ages = epochs_of(&window->file);
  uint64_t written = epoch_at(&window->file, window->file.numbers[CLOCK]);
  uint64_t since = epoch_at(&window->file, time_of(&window->file, now_ms)) - written;
  assert_epoch(window);
  places_of(window, key, places);
  return since <= ages && all_among(window, places, values_of(written, ages - since));
}

/* Live cells among evenly spread ones. */
static double fill_of(const mlbf_epoch *window)
{
  mlbf_cells cells = cells_of(window);
  uint64_t sample = cells.count < FILL_SAMPLE ? cells.count : FILL_SAMPLE, live = 0;
  uint32_t values = live_values(&window->file, epoch_at(&window->file, window->file.numbers[CLOCK]));
  for (uint64_t i = 0; i < sample; i++) {
    uint64_t cell = (uint64_t)((mlbf_product)cells.count * i / sample);
    live += values >> mlbf_cells_get(&cells, cell) & 1;
  }
  return (double)live / (double)sample;
}

void mlbf_epoch_stats_read(const mlbf_epoch *window, mlbf_window_stats *stats)
{
  const uint64_t *n = window->file.numbers;
  *stats = (mlbf_window_stats){
    .unit = (mlbf_window_unit)n[UNIT],
    .window = n[WINDOW],
    .slack = (epochs_of(&window->file) + 1) * n[EPOCH_LENGTH] - 1 - n[WINDOW],
    .keys = n[KEYS],
    .cells = n[CELLS],
    .hashes = (uint32_t)n[HASHES],
    .bits = n[CELLS] * CELL_BITS,
    .memory_bytes = window->file.body_bytes,
    .insertions = n[INSERTIONS],
    .seen = n[SEEN],
    .fill = fill_of(window),
    .promised_rate = mlbf_number_double(n[RATE]),
    .seed = window->file.keying.seed,
    .profile = window->file.profile,
  };
  stats->rate = pow(stats->fill, stats->hashes);
}

/* ---- files ---------------------------------------------------------------------------------------------- */

mlbf_status mlbf_epoch_save(const mlbf_epoch *window, const char *path)
{
  const mlbf_span body = {window->file.body, window->file.body_bytes};
  return mlbf_block_file_save(AT_FDCWD, path, &window->file, &body, 1);
}

mlbf_status mlbf_epoch_load(const char *path, const uint8_t *secret, mlbf_epoch **window)
{
  mlbf_epoch *made = malloc(sizeof *made);
  if (!made)
    return MLBF_NO_MEMORY;
  return hand_over(mlbf_block_file_load(path, MLBF_FILE_WINDOW, secret, body_bytes, &made->file), made, window);
}
