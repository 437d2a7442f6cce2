/* A text as a set of numbers, and as bits of its pairs of words.
 *
 *     bytes --> words --64 at a time--> shingles of 4 --> least of each window of 8 --> sample `kept`, ascending
 *                  |                        +---------------------------------------> sample `whole`, the least of all
 *                  +--> hash of the text, bits of pairs
 *
 * Always (assert_shingler): the same text gives the same numbers, however it is cut into pieces. `word_count` words are
 * in the samples, `waiting` more are not yet. A sample has the `most` least of the numbers that came, perhaps others,
 * too, until it is reduced; its limit never rises. If memory is lacking, has_failed stays until the next text.
 *
 * Called by crawler/html/page_text.c for each page, and by `strata like`. Memory alone. */
#include "mlbf/pairs.h"
#include "mlbf/shingle.h"
#include "mlbf/similar/hash_sort.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL /* words are short: a call would cost as much as the hash */
#include <xxhash.h>

enum {
  WORD_MAX = 64, /* bytes of a word that count: longer ones are no words */
  BATCH = 64,    /* words that are counted at once: in loops of a few numbers each, which need not guess */
  BEFORE = MLBF_SHINGLE_WORDS - 1,
};

/* The least of the numbers that came; in their order until it is reduced. */
typedef struct sample {
  size_t most; /* SIZE_MAX: all */
  uint64_t *at;
  size_t count, room;
  uint64_t limit; /* greater ones are no more among the `most` least */
} sample;

/* The word being read, those that are not counted yet, and what there is of those that are. */
struct mlbf_shingler {
  unsigned char word[WORD_MAX];
  size_t word_size;
  bool is_character;              /* the word is one character, and ends with it */
  uint64_t words[BEFORE + BATCH]; /* the last that were counted, and those that wait */
  size_t waiting;
  uint64_t text; /* of all words so far */
  size_t word_count, shingle_count;
  /* The least of each window without looking at all of it: shingles are cut in blocks of a window's size. Of the block
   * before, each place has the least of it and those behind it. */
  uint64_t window[MLBF_SHINGLE_WINDOW + 1];
  uint64_t block;     /* the least of this block so far */
  uint64_t last;      /* of the last window: a run of windows with one least keeps it once */
  sample kept, whole; /* of the windows' least, of all */
  uint64_t *scratch;  /* to sort them: as much room as the larger has */
  size_t scratch_room;
  mlbf_pairs pairs;
  bool has_failed;
};

static void assert_sample(const sample *s)
{
  assert(s->most > 0 && s->count <= s->room);
  (void)s;
}

static void assert_shingler(const mlbf_shingler *s)
{
  assert(s->word_size <= WORD_MAX && s->waiting < BATCH);
  assert_sample(&s->kept);
  assert_sample(&s->whole);
  assert(s->shingle_count == (s->word_count < BEFORE ? 0 : s->word_count - BEFORE));
  (void)s;
}

mlbf_shingler *mlbf_shingler_create(size_t most)
{
  mlbf_shingler *s = calloc(1, sizeof *s);
  if (s) {
    s->kept.most = most ? most : SIZE_MAX;
    s->whole.most = MLBF_SHINGLES_WHOLE;
    mlbf_shingler_begin(s);
  }
  return s;
}

void mlbf_shingler_free(mlbf_shingler *s)
{
  if (!s)
    return;
  free(s->kept.at);
  free(s->whole.at);
  free(s->scratch);
  free(s);
}

void mlbf_shingler_begin(mlbf_shingler *s)
{
  s->word_size = s->waiting = s->word_count = s->shingle_count = s->kept.count = s->whole.count = 0;
  s->is_character = s->has_failed = false;
  s->text = s->words[BEFORE - 1] = 0;
  memset(s->window, 0xFF, sizeof s->window);
  s->kept.limit = s->whole.limit = UINT64_MAX;
  s->pairs = (mlbf_pairs){.bits = {0}};
}

/* ---- what is kept --------------------------------------------------------------------------------------- */

/* Of equal ones the last. */
static size_t each_once(uint64_t *at, size_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    at[kept] = at[i];
    kept += i + 1 == count || at[i] != at[i + 1];
  }
  return kept;
}

/* About so many of the least to the front, in no order; returns how many. None is above `limit`, and hashes spread
 * evenly up to it. */
static size_t gather_least(uint64_t *at, size_t count, size_t wanted, uint64_t limit)
{
  size_t front = 0;
  assert(wanted <= count);
  limit = limit / count * wanted;
  for (size_t i = 0; i < count; i++) {
    uint64_t hash = at[i];
    at[i] = at[front];
    at[front] = hash;
    front += hash <= limit;
  }
  return front;
}

/* Ascending, each once, and no more than `most`. */
static void reduce(sample *s, uint64_t *scratch)
{
  size_t least = s->count;
  if (s->count / 2 > s->most) /* with half as many more, as some are there several times */
    least = gather_least(s->at, s->count, s->most + s->most / 2, s->limit);
  mlbf_hash_sort(s->at, least, scratch);
  size_t different = each_once(s->at, least);
  if (different < s->most && least < s->count) { /* what is behind them is needed, too */
    mlbf_hash_sort(s->at, s->count, scratch);
    different = each_once(s->at, s->count);
  }
  s->count = different < s->most ? different : s->most;
  assert(s->count < 2 || s->at[s->count - 2] < s->at[s->count - 1]);
  if (s->count < s->most)
    return;
  assert(s->at[s->most - 1] <= s->limit); /* it never rises */
  s->limit = s->at[s->most - 1];
}

static bool resize(uint64_t **at, size_t *room, size_t new_room)
{
  uint64_t *larger = realloc(*at, new_room * sizeof *larger);
  if (!larger)
    return false;
  *at = larger;
  *room = new_room;
  return true;
}

/* For a batch. Four times the most and more before it is reduced: most pages are sorted once, in their end. */
static bool make_room(mlbf_shingler *s, sample *numbers)
{
  if (numbers->room - numbers->count >= BATCH)
    return true;
  if (numbers->room / 4 >= numbers->most) {
    reduce(numbers, s->scratch);
    return true;
  }
  size_t room = numbers->room ? 2 * numbers->room : 2 * BATCH;
  return (room <= s->scratch_room || resize(&s->scratch, &s->scratch_room, room)) &&
         resize(&numbers->at, &numbers->room, room);
}

static void keep(mlbf_shingler *s, sample *numbers, const uint64_t *shingles, size_t count)
{
  assert(count <= BATCH);
  s->has_failed |= !make_room(s, numbers);
  if (s->has_failed)
    return;
  uint64_t *end = numbers->at + numbers->count, limit = numbers->limit;
  for (size_t i = 0; i < count; i++) {
    *end = shingles[i];
    end += shingles[i] <= limit;
  }
  numbers->count = (size_t)(end - numbers->at);
  assert_sample(numbers);
}

/* ---- words and windows ---------------------------------------------------------------------------------- */

static uint64_t lesser(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* The least of each window that ends with one of these, once in a run of equal ones; returns how many. The bits are
 * added, not asked: whether a window has a new least cannot be guessed. */
static size_t slide(mlbf_shingler *s, const uint64_t *shingles, size_t count, uint64_t least[BATCH])
{
  size_t kept = 0, number = s->shingle_count;
  uint64_t block = s->block, last = s->last, *window = s->window;
  for (size_t i = 0; i < count; i++, number++) {
    size_t place = number % MLBF_SHINGLE_WINDOW;
    block = place ? lesser(block, shingles[i]) : shingles[i];
    uint64_t now = lesser(block, window[place + 1]);
    bool is_first = number == MLBF_SHINGLE_WINDOW - 1, is_later = number >= MLBF_SHINGLE_WINDOW;
    least[kept] = now;
    kept += is_first | (is_later & (now != last));
    last = now;
    window[place] = shingles[i];
    if (place == MLBF_SHINGLE_WINDOW - 1)
      for (size_t k = place; k > 0; k--)
        window[k - 1] = lesser(window[k - 1], window[k]);
  }
  assert(kept <= count);
  s->shingle_count = number;
  s->block = block;
  s->last = last;
  return kept;
}

/* Words in another order are another text. */
static uint64_t with_word(uint64_t text, uint64_t word)
{
  text = ((text << 29 | text >> 35) ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return text ^ text >> 32;
}

static_assert(MLBF_PAIRS_BITS == 1 << 10, "keep_pair takes the upper ten bits");

/* One bit for this word and the one before it. */
static void keep_pair(mlbf_pairs *pairs, uint64_t last, uint64_t word)
{
  uint64_t pair = ((last << 29 | last >> 35) ^ word) * UINT64_C(0x9e3779b97f4a7c15) >> 54;
  pairs->bits[pair / 64] |= UINT64_C(1) << pair % 64;
}

/* Of the words that wait; returns how many. */
static size_t find_shingles(const mlbf_shingler *s, uint64_t shingles[BATCH])
{
  size_t count = 0, first = s->word_count < BEFORE ? BEFORE - s->word_count : 0;
  for (size_t i = first; i < s->waiting; i++)
    shingles[count++] = XXH3_64bits(s->words + i, MLBF_SHINGLE_WORDS * sizeof *s->words);
  return count;
}

/* All that wait. */
static void count_words(mlbf_shingler *s)
{
  uint64_t shingles[BATCH] = {0}, least[BATCH], text = s->text; /* zeros: gcc does not see what fills it */
  const uint64_t *words = s->words + BEFORE;
  size_t count = find_shingles(s, shingles);
  for (size_t i = 0; i < s->waiting; i++)
    text = with_word(text, words[i]);
  for (size_t i = 0; i < s->waiting && s->word_count < MLBF_PAIRS_WORDS_MAX; i++)
    keep_pair(&s->pairs, words[i - 1], words[i]);
  keep(s, &s->whole, shingles, count);
  keep(s, &s->kept, least, slide(s, shingles, count, least));
  s->text = text;
  s->word_count += s->waiting;
  memmove(s->words, s->words + s->waiting, BEFORE * sizeof *words);
  s->waiting = 0;
}

static void end_word(mlbf_shingler *s)
{
  assert(s->word_size);
  s->words[BEFORE + s->waiting++] = XXH3_64bits(s->word, s->word_size);
  s->word_size = 0;
  s->is_character = false;
  if (s->waiting == BATCH)
    count_words(s);
}

/* A byte as it counts in a word; 0: it is in none. */
static const unsigned char folded[128] = {
  ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6', ['7'] = '7', ['8'] = '8',
  ['9'] = '9', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h',
  ['I'] = 'i', ['J'] = 'j', ['K'] = 'k', ['L'] = 'l', ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q',
  ['R'] = 'r', ['S'] = 's', ['T'] = 't', ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y', ['Z'] = 'z',
  ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd', ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i',
  ['j'] = 'j', ['k'] = 'k', ['l'] = 'l', ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r',
  ['s'] = 's', ['t'] = 't', ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z',
};

static void append(mlbf_shingler *s, unsigned char byte)
{
  if (s->word_size < WORD_MAX)
    s->word[s->word_size++] = byte;
}

/* First byte, in UTF-8, of a character that is a word. */
static bool begins_character(unsigned char byte)
{
  return (byte >= 0xE3 && byte <= 0xED) || byte >= 0xF0;
}

static void feed_high(mlbf_shingler *s, unsigned char byte)
{
  bool is_first = byte >= 0xC0;
  if (is_first && (s->is_character || begins_character(byte))) {
    if (s->word_size)
      end_word(s);
    s->is_character = begins_character(byte);
  }
  append(s, byte);
}

enum { STEP = 8 };

static const uint64_t each = UINT64_C(0x0101010101010101), high = UINT64_C(0x8080808080808080);

/* The bytes, of eight below 128, from `first` to `last`: bit 7 of each. No sum carries into the next byte. */
static uint64_t between(uint64_t bytes, unsigned char first, unsigned char last)
{
  return (bytes + each * (0x80u - first)) & ~(bytes + each * (0x7Fu - last)) & high;
}

/* Eight bytes at once; returns how many of them, from the first on, are ASCII bytes of a word. Bit 5, set, makes an
 * upper letter the lower one, and is set in digits. What stands behind them in `word` is overwritten later. */
static size_t fold_step(unsigned char *word, const unsigned char *at)
{
  uint64_t bytes;
  memcpy(&bytes, at, STEP);
  bytes = le64toh(bytes);
  uint64_t low = (bytes & ~high) | each * 0x20;
  uint64_t in_word = (between(low, 'a', 'z') | (between(low, '0', '9') & (bytes & each * 0x20) << 2)) & ~bytes;
  low = htole64(low);
  memcpy(word, &low, STEP);
  return in_word == high ? STEP : (size_t)__builtin_ctzll(~in_word & high) / 8;
}

/* The ASCII bytes of a word from `at` on. The size is not in memory meanwhile: a byte stored might be part of it, for
 * all the compiler knows, and it would wait for itself at each. */
static const unsigned char *feed_low(mlbf_shingler *s, const unsigned char *at, const unsigned char *end)
{
  size_t size = s->word_size, step = STEP;
  while (step == STEP && end - at >= STEP && size <= WORD_MAX - STEP) {
    step = fold_step(s->word + size, at);
    size += step;
    at += step;
  }
  for (; step == STEP && at < end && *at < 0x80 && folded[*at]; at++)
    if (size < WORD_MAX)
      s->word[size++] = folded[*at];
  s->word_size = size;
  return at;
}

static const unsigned char *skip(const unsigned char *at, const unsigned char *end)
{
  while (at < end && *at < 0x80 && !folded[*at])
    at++;
  return at;
}

void mlbf_shingler_feed(mlbf_shingler *s, const char *text, size_t size)
{
  const unsigned char *at = (const unsigned char *)text, *end = at + size;
  assert_shingler(s);
  while (at < end) {
    if (*at >= 0x80) {
      feed_high(s, *at++);
      continue;
    }
    bool is_in_word = folded[*at];
    if (s->word_size && (!is_in_word || s->is_character))
      end_word(s);
    at = is_in_word ? feed_low(s, at, end) : skip(at, end);
  }
}

mlbf_status mlbf_shingler_finish(mlbf_shingler *s, mlbf_shingles *shingles)
{
  if (s->word_size)
    end_word(s);
  count_words(s);
  assert_shingler(s);
  if (s->word_count > 0 && s->word_count < MLBF_SHINGLE_WORDS) {
    uint64_t shingle = XXH3_64bits(s->words + BEFORE - s->word_count, s->word_count * sizeof *s->words);
    keep(s, &s->kept, &shingle, 1);
    keep(s, &s->whole, &shingle, 1);
  }
  if (s->shingle_count > 0 && s->shingle_count < MLBF_SHINGLE_WINDOW)
    keep(s, &s->kept, &s->last, 1);
  if (s->has_failed)
    return MLBF_NO_MEMORY;
  reduce(&s->kept, s->scratch);
  reduce(&s->whole, s->scratch);
  *shingles = (mlbf_shingles){.at = s->kept.at,
                              .count = s->kept.count,
                              .room = s->kept.room,
                              .text = s->text ? s->text : 1,
                              .whole = s->whole.at,
                              .whole_count = s->whole.count};
  if (s->word_count > MLBF_PAIRS_WORDS_MAX)
    memset(&s->pairs, 0xFF, sizeof s->pairs);
  return MLBF_OK;
}

const mlbf_pairs *mlbf_shingler_pairs(const mlbf_shingler *s)
{
  return &s->pairs;
}

/* ---- all at once ---------------------------------------------------------------------------------------- */

mlbf_status mlbf_shingles_of(const char *text, size_t size, mlbf_shingles *shingles)
{
  mlbf_shingles kept;
  mlbf_shingler *s = mlbf_shingler_create(0);
  if (!s)
    return MLBF_NO_MEMORY;
  mlbf_shingler_feed(s, text, size);
  mlbf_status status = mlbf_shingler_finish(s, &kept);
  if (status == MLBF_OK) {
    mlbf_shingles_free(shingles);
    *shingles = kept;
    s->kept.at = s->whole.at = NULL;
  }
  mlbf_shingler_free(s);
  return status;
}

void mlbf_shingles_free(mlbf_shingles *shingles)
{
  free(shingles->at);
  free(shingles->whole);
  *shingles = (mlbf_shingles){.count = 0};
}

size_t mlbf_shingles_common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
    common += a[i] == b[j];
    uint64_t x = a[i], y = b[j];
    i += x <= y;
    j += y <= x;
  }
  return common;
}
