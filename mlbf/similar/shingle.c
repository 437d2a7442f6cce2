/* A text as a set of numbers. */
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
  WORD_MAX = 64,   /* bytes of a word that count: longer ones are no words */
  FIRST_ROOM = 64, /* shingles; a page has some hundred */
};

/* The least of the numbers that came; in their order until they are settled. */
typedef struct sample {
  size_t most; /* SIZE_MAX: all */
  uint64_t *at;
  size_t count, room;
  uint64_t limit; /* greater ones are no more among the `most` least */
} sample;

/* The word being read, the last words, and the last shingles. */
struct mlbf_shingler {
  unsigned char word[WORD_MAX];
  size_t word_size;
  bool is_character;                      /* the word is one character, and ends with it */
  uint64_t words[2 * MLBF_SHINGLE_WORDS]; /* a ring, each word twice: so the last ones stand in order somewhere */
  uint64_t text;                          /* of all words so far */
  uint64_t window[MLBF_SHINGLE_WINDOW];
  size_t word_count, shingle_count;
  uint64_t least;      /* of the window */
  size_t least_number; /* of the shingle that it is, counted as shingle_count */
  uint64_t last;       /* shingle kept last, so that a run of windows with one least keeps it once */
  sample kept, whole;  /* of the windows' least, of all */
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
  assert(s->word_size <= WORD_MAX);
  assert_sample(&s->kept);
  assert_sample(&s->whole);
  assert(s->shingle_count == (s->word_count < MLBF_SHINGLE_WORDS ? 0 : s->word_count - MLBF_SHINGLE_WORDS + 1));
  assert(s->shingle_count == 0 || s->least_number < s->shingle_count);
  assert(s->shingle_count == 0 || s->least_number + MLBF_SHINGLE_WINDOW >= s->shingle_count); /* in the window */
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
  free(s);
}

void mlbf_shingler_begin(mlbf_shingler *s)
{
  s->word_size = s->word_count = s->shingle_count = s->kept.count = s->whole.count = 0;
  s->is_character = s->has_failed = false;
  s->text = 0;
  s->kept.limit = s->whole.limit = UINT64_MAX;
  s->pairs = (mlbf_pairs){.bits = {0}};
}

/* ---- what is kept --------------------------------------------------------------------------------------- */

static size_t each_once(uint64_t *at, size_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (i == 0 || at[i] != at[i - 1])
      at[kept++] = at[i];
  return kept;
}

/* The least to the front, at least `most` of them, in no order; returns how many. None is above `limit`. Hashes spread
 * evenly, so there are few more than that, and only these need be sorted. */
static size_t gather_least(uint64_t *at, size_t count, size_t most, uint64_t limit)
{
  enum { BUCKETS = 256 };
  size_t sizes[BUCKETS] = {0}, below = 0, front = 0;
  unsigned shift = 56 - (unsigned)__builtin_clzll(limit | (BUCKETS - 1)), last = 0;
  assert(most && count >= most);
  for (size_t i = 0; i < count; i++)
    sizes[at[i] >> shift]++;
  for (below = sizes[0]; below < most; below += sizes[last])
    last++;
  for (size_t i = 0; i < count; i++)
    if (at[i] >> shift <= last) {
      uint64_t least = at[i];
      at[i] = at[front];
      at[front++] = least;
    }
  assert(front == below);
  return front;
}

/* Ascending, each once, and no more than `most`. */
static void settle(sample *s)
{
  size_t least = s->count;
  if (s->count / 2 > s->most) /* with half as many more, as some are there several times */
    least = gather_least(s->at, s->count, s->most + s->most / 2, s->limit);
  mlbf_hash_sort(s->at, least);
  size_t different = each_once(s->at, least);
  if (different < s->most && least < s->count) { /* what is behind them is needed, too */
    mlbf_hash_sort(s->at, s->count);
    different = each_once(s->at, s->count);
  }
  s->count = different < s->most ? different : s->most;
  if (s->count < s->most)
    return;
  assert(s->at[s->most - 1] <= s->limit); /* it never rises */
  s->limit = s->at[s->most - 1];
}

/* Sixteen times the most before they are settled: most pages are sorted once, in their end. */
__attribute__((noinline)) static bool make_room(sample *s)
{
  if (s->count / 16 >= s->most)
    settle(s);
  if (s->count < s->room)
    return true;
  size_t room = s->room ? 2 * s->room : FIRST_ROOM;
  uint64_t *larger = realloc(s->at, room * sizeof *larger);
  if (!larger)
    return false;
  s->at = larger;
  s->room = room;
  return true;
}

static inline void keep(mlbf_shingler *s, sample *to, uint64_t shingle)
{
  if (shingle > to->limit)
    return;
  if (to->count == to->room) {
    s->has_failed |= !make_room(to);
    if (s->has_failed || shingle > to->limit)
      return;
  }
  to->at[to->count++] = shingle;
}

/* ---- words and windows ---------------------------------------------------------------------------------- */

static uint64_t shingle_of(const mlbf_shingler *s)
{
  if (s->word_count < MLBF_SHINGLE_WORDS)
    return XXH3_64bits(s->words, s->word_count * sizeof *s->words);
  return XXH3_64bits(s->words + s->word_count % MLBF_SHINGLE_WORDS, MLBF_SHINGLE_WORDS * sizeof *s->words);
}

/* The least of the last eight, and of fewer at the beginning. */
static void find_least(mlbf_shingler *s)
{
  size_t number = s->shingle_count < MLBF_SHINGLE_WINDOW ? 0 : s->shingle_count - MLBF_SHINGLE_WINDOW;
  s->least = UINT64_MAX;
  for (; number < s->shingle_count; number++)
    if (s->window[number % MLBF_SHINGLE_WINDOW] <= s->least) {
      s->least = s->window[number % MLBF_SHINGLE_WINDOW];
      s->least_number = number;
    }
}

/* The window slides on by one shingle. */
static void slide(mlbf_shingler *s)
{
  uint64_t shingle = shingle_of(s);
  size_t number = s->shingle_count++;
  keep(s, &s->whole, shingle);
  s->window[number % MLBF_SHINGLE_WINDOW] = shingle;
  if (number == 0 || shingle <= s->least) {
    s->least = shingle;
    s->least_number = number;
  } else if (s->least_number + MLBF_SHINGLE_WINDOW <= number) {
    find_least(s);
  }
  bool is_same = s->shingle_count > MLBF_SHINGLE_WINDOW && s->least == s->last;
  if (s->shingle_count < MLBF_SHINGLE_WINDOW || is_same)
    return;
  s->last = s->least;
  keep(s, &s->kept, s->least);
}

/* Words in another order are another text. */
static uint64_t with_word(uint64_t text, uint64_t word)
{
  text = ((text << 29 | text >> 35) ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return text ^ text >> 32;
}

static_assert(MLBF_PAIRS_BITS == 1 << 10, "keep_pair takes the upper ten bits");

/* One bit for this word and the one before it. */
static void keep_pair(mlbf_shingler *s, uint64_t word)
{
  uint64_t last = s->word_count ? s->words[(s->word_count - 1) % MLBF_SHINGLE_WORDS] : 0;
  uint64_t pair = ((last << 29 | last >> 35) ^ word) * UINT64_C(0x9e3779b97f4a7c15) >> 54;
  s->pairs.bits[pair / 64] |= UINT64_C(1) << pair % 64;
}

static void end_word(mlbf_shingler *s)
{
  assert(s->word_size);
  uint64_t word = XXH3_64bits(s->word, s->word_size);
  if (s->word_count < MLBF_PAIRS_WORDS_MAX)
    keep_pair(s, word);
  size_t place = s->word_count++ % MLBF_SHINGLE_WORDS;
  s->words[place] = s->words[place + MLBF_SHINGLE_WORDS] = word;
  s->text = with_word(s->text, word);
  s->word_size = 0;
  s->is_character = false;
  if (s->word_count >= MLBF_SHINGLE_WORDS)
    slide(s);
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

static void take_high(mlbf_shingler *s, unsigned char byte)
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
static size_t take_step(unsigned char *word, const unsigned char *at)
{
  uint64_t bytes;
  memcpy(&bytes, at, STEP);
  bytes = le64toh(bytes);
  uint64_t low = (bytes & ~high) | each * 0x20;
  uint64_t taken = (between(low, 'a', 'z') | (between(low, '0', '9') & (bytes & each * 0x20) << 2)) & ~bytes;
  low = htole64(low);
  memcpy(word, &low, STEP);
  return taken == high ? STEP : (size_t)__builtin_ctzll(~taken & high) / 8;
}

/* The ASCII bytes of a word from `at` on. The size is not in memory meanwhile: a byte stored might be part of it, for
 * all the compiler knows, and it would wait for itself at each. */
static const unsigned char *take_low(mlbf_shingler *s, const unsigned char *at, const unsigned char *end)
{
  size_t size = s->word_size, step = STEP;
  while (step == STEP && end - at >= STEP && size <= WORD_MAX - STEP) {
    step = take_step(s->word + size, at);
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
      take_high(s, *at++);
      continue;
    }
    bool is_in_word = folded[*at];
    if (s->word_size && (!is_in_word || s->is_character))
      end_word(s);
    at = is_in_word ? take_low(s, at, end) : skip(at, end);
  }
}

mlbf_status mlbf_shingler_finish(mlbf_shingler *s, mlbf_shingles *shingles)
{
  if (s->word_size)
    end_word(s);
  assert_shingler(s);
  if (s->word_count > 0 && s->word_count < MLBF_SHINGLE_WORDS) {
    keep(s, &s->kept, shingle_of(s));
    keep(s, &s->whole, shingle_of(s));
  }
  if (s->shingle_count > 0 && s->shingle_count < MLBF_SHINGLE_WINDOW)
    keep(s, &s->kept, s->least);
  if (s->has_failed)
    return MLBF_NO_MEMORY;
  settle(&s->kept);
  settle(&s->whole);
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
