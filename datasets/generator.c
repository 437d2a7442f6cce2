/* The i-th URL is computed, not remembered, which is why 10^8 of them cost no memory and none comes twice:
 *
 *     i --shuffle--> page p of 0..n-1 --find_host--> (host r, its page j) --dice of (seed, r, j)--> text
 *         (a permutation)              (power law)                          j is in the leaf, r in the host name
 *
 * The obvious way, drawing hosts and paths at random, repeats itself and would need a set of all URLs to say
 * "each one once".
 *
 * Same bytes everywhere: integers, and of floating point only + * / and sqrt, which IEEE 754 rounds in one
 * way. pow() would not do: it differs in the last bit between libraries and processors. */
#include "datasets/generator.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
  PAGES_PER_HOST = 10,        /* in real lists 5 to 20 URLs for each distinct host */
  SHARED_WORDS = 64,          /* directory names such as "news" or "img" that all hosts use at a depth */
  PAGES_PER_LEAF_WORD = 64,   /* with a page number behind each word: 0.68 n distinct leaves; real lists 0.6 */
  QUERY_PERCENT = 10,
  SHUFFLE_ROUNDS = 4,         /* Feistel rounds; three already look random to any statistics of ours */
};

/* Segments after the host, in percent, for 1, 2, 3, ...: sum 100, mean 3.1. */
static const unsigned char depth_percent[] = { 15, 25, 25, 15, 12, 5, 3 };

struct url_generator {
  uint64_t count, next, seed;
  uint64_t hosts;
  unsigned half_bits; /* the shuffle's domain is 2^(2 half_bits) >= count */
};

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014): every output bit depends on every input bit. */
static uint64_t mix(uint64_t x)
{
  x += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

/* Throw a die with `sides` sides: 0..sides-1. */
static uint64_t roll(uint64_t *dice, uint64_t sides)
{
  *dice = mix(*dice);
  return *dice % sides;
}

url_generator *generator_create(uint64_t count, uint64_t seed)
{
  url_generator *made = malloc(sizeof *made);
  if (made == NULL)
    return NULL;
  *made = (url_generator){ .count = count, .seed = mix(seed), .half_bits = 1 };
  made->hosts = count < PAGES_PER_HOST ? 1 : count / PAGES_PER_HOST;
  while (UINT64_C(1) << (2 * made->half_bits) < count)
    made->half_bits++;
  return made;
}

void generator_free(url_generator *generator)
{
  free(generator);
}

/* A permutation of 0..count-1: a Feistel network permutes a power of four, and walking its cycle until the
 * value is small enough again permutes the part of it we want (fewer than four steps on average). */
static uint64_t shuffle(const url_generator *generator, uint64_t index)
{
  uint64_t mask = (UINT64_C(1) << generator->half_bits) - 1;
  do {
    uint64_t left = index >> generator->half_bits, right = index & mask;
    for (uint64_t round = 0; round < SHUFFLE_ROUNDS; round++) {
      uint64_t swap = left ^ (mix(generator->seed + (round << 56) + right) & mask);
      left = right;
      right = swap;
    }
    index = left << generator->half_bits | right;
  } while (index >= generator->count);
  return index;
}

/* Pages on the hosts before `host`: n (r/H)^(1/4), whose steps fall as r^(-3/4). */
static uint64_t host_begin(const url_generator *generator, uint64_t host)
{
  double share = sqrt(sqrt((double)host / (double)generator->hosts));
  return (uint64_t)ceil((double)generator->count * share);
}

static uint64_t find_host(const url_generator *generator, uint64_t page)
{
  double share = (double)page / (double)generator->count;
  uint64_t host = (uint64_t)((double)generator->hosts * (share * share * share * share));
  while (host_begin(generator, host) > page) /* a rounding step at most, either way */
    host--;
  while (host_begin(generator, host + 1) <= page)
    host++;
  return host;
}

static char *append_text(char *at, const char *text)
{
  size_t size = strlen(text);
  memcpy(at, text, size);
  return at + size;
}

static char *append_number(char *at, uint64_t number)
{
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0)
    *at++ = digits[--count];
  return at;
}

/* A word one can pronounce for each `which`: 2 to 4 syllables of 64. */
static char *append_word(char *at, uint64_t which)
{
  uint64_t bits = mix(which);
  for (uint64_t syllables = 2 + bits % 3; syllables > 0; syllables--) {
    bits >>= 6;
    *at++ = "bdfghjklmnprstvz"[bits & 15];
    *at++ = "aeio"[bits >> 4 & 3];
  }
  return at;
}

static char *append_host(char *at, uint64_t key, uint64_t host)
{
  at = append_text(at, key % 10 < 3 ? "http://" : "https://");
  at = append_text(at, key % 2 == 0 ? "www." : "");
  at = append_word(at, key);
  at = append_text(at, "-");
  at = append_number(at, host);
  return append_text(at, ".example");
}

/* One directory. The square of an even draw prefers low numbers, as sites prefer some of their directories;
 * a host has about as many at each depth as the square root of its pages. */
static char *append_directory(char *at, uint64_t *dice, uint64_t depth, uint64_t host_key, uint64_t host_pages)
{
  bool shared = roll(dice, 3) != 0;
  uint64_t names = shared ? SHARED_WORDS : 1 + (uint64_t)sqrt((double)host_pages);
  double draw = (double)roll(dice, 1 << 20) / (1 << 20);
  uint64_t name = (uint64_t)((double)names * (draw * draw));
  *at++ = '/';
  return append_word(at, mix(shared ? depth : host_key + depth) + name);
}

static char *append_leaf(char *at, uint64_t *dice, uint64_t words, uint64_t page)
{
  static const char *const endings[] = { "", "/", ".html", ".php" };
  bool query = roll(dice, 100) < QUERY_PERCENT;
  *at++ = '/';
  at = append_word(at, roll(dice, words));
  at = append_text(at, query ? ".php?id=" : "-");
  at = append_number(at, page);
  if (!query)
    return append_text(at, endings[roll(dice, 4)]);
  at = append_text(at, "&view=");
  return append_word(at, roll(dice, SHARED_WORDS));
}

static uint64_t draw_depth(uint64_t *dice)
{
  uint64_t percent = roll(dice, 100), depth = 0;
  while (percent >= depth_percent[depth])
    percent -= depth_percent[depth++];
  return depth + 1;
}

size_t generator_next(url_generator *generator, char url[GENERATOR_URL_SIZE])
{
  if (generator->next == generator->count)
    return 0;
  uint64_t page = shuffle(generator, generator->next++);
  uint64_t host = find_host(generator, page);
  uint64_t begin = host_begin(generator, host);
  uint64_t pages = host_begin(generator, host + 1) - begin;
  uint64_t host_key = mix(generator->seed + host), dice = mix(host_key + (page - begin));

  char *at = append_host(url, host_key, host);
  uint64_t depth = draw_depth(&dice);
  for (uint64_t i = 1; i < depth; i++)
    at = append_directory(at, &dice, i, host_key, pages);
  at = append_leaf(at, &dice, 1 + generator->count / PAGES_PER_LEAF_WORD, page - begin);
  *at = '\0';
  return (size_t)(at - url);
}
