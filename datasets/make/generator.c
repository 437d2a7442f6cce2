/* The i-th URL is computed, not remembered, which is why 10^8 of them cost no memory and none comes twice:
 *
 *     i --shuffle--> page p of 0..n-1 --find_host--> (host r, its page j) --rng of (seed, r, j)--> text
 *         (a permutation)              (power law)                          r is in the host name, j behind it
 *
 * Drawing hosts and paths at random would give duplicates, and avoiding them would need a set of all URLs. Here
 * a new segment ends in j; if no directory is new, the leaf or the query ends in j. So two pages of a host differ.
 *
 * The same bytes everywhere: integers, and of floating point only + * / and sqrt, which IEEE 754 rounds in one
 * way. pow() gives only a first guess: it differs in the last bit between libraries and processors. */
#include "datasets/make/generator.h"
#include "datasets/sort/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
  SHARED_WORDS = 64,  /* names such as "news" or "index" that all hosts use at a depth */
  SHUFFLE_ROUNDS = 4, /* Feistel rounds; three already look random to any statistics of ours */
};

struct url_generator {
  uint64_t count, next, seed;
  uint64_t hosts;
  unsigned half_bits; /* the shuffle's domain is 2^(2 half_bits) >= count */
  url_shape shape;
  unsigned leaf; /* new ones, of SHAPE_ONE that need not be: see fit_leaf */
};

/* A leaf is new where nothing else has the page's number, and by chance besides, so that as many are new in all
 * as the shape says. Where more need it than that, all others are shared. */
static unsigned fit_leaf(const url_shape *shape)
{
  double lacking = 0, is_old = 1;
  for (int i = 0; i < SHAPE_DEPTHS; i++) {
    lacking += (double)shape->depth[i] / SHAPE_ONE * is_old;
    is_old *= 1 - (double)shape->new_directory[i] / SHAPE_ONE;
  }
  lacking *= 1 - (double)shape->queries / SHAPE_ONE;
  double wanted = (double)shape->new_leaf / SHAPE_ONE;
  return wanted <= lacking || lacking >= 1 ? 0 : (unsigned)((wanted - lacking) / (1 - lacking) * SHAPE_ONE);
}

url_generator *generator_create(uint64_t count, uint64_t seed, const url_shape *shape)
{
  url_generator *made = malloc(sizeof *made);
  if (made == NULL)
    return NULL;
  *made = (url_generator){.count = count, .seed = rng_mix(seed), .half_bits = 1, .shape = *shape};
  made->hosts = (uint64_t)((double)count * shape->hosts);
  made->hosts = made->hosts == 0 ? 1 : made->hosts;
  made->leaf = fit_leaf(shape);
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
      uint64_t swap = left ^ (rng_mix(generator->seed + (round << 56) + right) & mask);
      left = right;
      right = swap;
    }
    index = left << generator->half_bits | right;
  } while (index >= generator->count);
  return index;
}

/* Pages on the hosts before `host`: n x^(power/64), x = host/H, from the square roots x^(1/2), x^(1/4), ... */
static uint64_t host_begin(const url_generator *generator, uint64_t host)
{
  double root = (double)host / (double)generator->hosts, share = 1;
  for (unsigned bit = SHAPE_POWERS; bit > 0; bit /= 2, root = sqrt(root))
    if (generator->shape.power & bit)
      share *= root;
  return (uint64_t)ceil((double)generator->count * share);
}

static uint64_t find_host(const url_generator *generator, uint64_t page)
{
  double share = (double)page / (double)generator->count;
  uint64_t host = (uint64_t)((double)generator->hosts * pow(share, (double)SHAPE_POWERS / generator->shape.power));
  while (host_begin(generator, host) > page) /* a few steps at most, either way */
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
  uint64_t bits = rng_mix(which);
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

/* One of the words all hosts use at `depth`. The square of an even draw prefers low numbers, as sites prefer
 * some of their directories. */
static char *append_shared(char *at, uint64_t *rng, uint64_t depth)
{
  double draw = (double)rng_below(rng, 1 << 20) / (1 << 20);
  return append_word(at, rng_mix(depth) + (uint64_t)(SHARED_WORDS * (draw * draw)));
}

/* A word of its own, and the page's number. */
static char *append_new(char *at, uint64_t *rng, uint64_t page)
{
  at = append_word(at, rng_below(rng, UINT64_MAX));
  *at++ = '-';
  return append_number(at, page);
}

static char *append_leaf(const url_generator *generator, char *at, uint64_t *rng, uint64_t page, bool has_number)
{
  static const char *const endings[] = {"", "/", ".html", ".php"};
  bool has_query = rng_below(rng, SHAPE_ONE) < generator->shape.queries;
  bool is_new = (!has_number && !has_query) || rng_below(rng, SHAPE_ONE) < generator->leaf;
  *at++ = '/';
  at = is_new ? append_new(at, rng, page) : append_shared(at, rng, 0);
  if (!has_query)
    return append_text(at, endings[rng_below(rng, 4)]);
  at = append_text(at, ".php?id=");
  at = append_number(at, page);
  at = append_text(at, "&view=");
  return append_word(at, rng_below(rng, SHARED_WORDS));
}

static unsigned draw_depth(const url_shape *shape, uint64_t *rng)
{
  uint64_t draw = rng_below(rng, SHAPE_ONE);
  unsigned depth = 0;
  while (depth + 1 < SHAPE_DEPTHS && draw >= shape->depth[depth])
    draw -= shape->depth[depth++];
  return depth + 1;
}

size_t generator_next(url_generator *generator, char url[GENERATOR_URL_SIZE])
{
  if (generator->next == generator->count)
    return 0;
  uint64_t page = shuffle(generator, generator->next++);
  uint64_t host = find_host(generator, page);
  uint64_t host_key = rng_mix(generator->seed + host);
  page -= host_begin(generator, host);
  uint64_t rng = rng_mix(host_key + page);

  char *at = append_host(url, host_key, host);
  bool has_number = false;
  unsigned depth = draw_depth(&generator->shape, &rng);
  for (unsigned i = 1; i < depth; i++) {
    bool is_new = rng_below(&rng, SHAPE_ONE) < generator->shape.new_directory[i - 1];
    *at++ = '/';
    at = is_new ? append_new(at, &rng, page) : append_shared(at, &rng, i);
    has_number |= is_new;
  }
  at = append_leaf(generator, at, &rng, page, has_number);
  *at = '\0';
  return (size_t)(at - url);
}
