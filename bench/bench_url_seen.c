/* "href in, seen or new out": what one link costs from text to verdict, and what that consists of.
 *
 *     bench_url_seen [N] [FILE]      default: 3,500,000 of ../shared/data/urls/real-urls.txt.zst, shuffled (seed 1)
 *
 * Three runs over the same list, each adding a stage: resolve; resolve and hash; resolve, hash and insert into a
 * filter designed for N at a rate of 10^-6. The differences are the stages' costs. Then the list once more: every
 * URL is seen. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontier/url.h"
#include "mlbf/filter.h"

enum { BATCH = 32 }; /* as many filter lines as a core fetches at once */

typedef struct span {
  const char *text;
  size_t size;
} span;

typedef struct list {
  char *text;
  span *lines;
  size_t count;
} list;

static char *read_all(FILE *file, size_t *size)
{
  char *text = NULL;
  *size = 0;
  for (size_t room = 1 << 26;; room *= 2) {
    char *larger = realloc(text, room);
    if (!larger) {
      free(text);
      return NULL;
    }
    text = larger;
    *size += fread(text + *size, 1, room - *size, file);
    if (*size < room)
      return text;
  }
}

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static void shuffle(list *in, uint64_t seed)
{
  for (size_t i = in->count; i > 1; i--) {
    size_t j = next_random(&seed) % i;
    span other = in->lines[j];
    in->lines[j] = in->lines[i - 1];
    in->lines[i - 1] = other;
  }
}

/* Copied in their shuffled order, as links arrive: one after the other. */
static bool read_list(FILE *file, size_t limit, list *out)
{
  size_t size, room = 0;
  char *text = read_all(file, &size);
  for (size_t i = 0; text && i < size; i++)
    room += text[i] == '\n';
  *out = (list){.lines = malloc((room + 1) * sizeof out->lines[0]), .text = malloc(size + 1)};
  if (!text || !out->lines || !out->text)
    return false;
  for (char *at = text, *end; (end = memchr(at, '\n', (size_t)(text + size - at))); at = end + 1)
    out->lines[out->count++] = (span){at, (size_t)(end - at)};
  shuffle(out, 1);
  if (out->count > limit)
    out->count = limit;
  char *copy = out->text;
  for (size_t i = 0; i < out->count; i++) {
    memcpy(copy, out->lines[i].text, out->lines[i].size);
    out->lines[i].text = copy;
    copy += out->lines[i].size;
  }
  free(text);
  return true;
}

static double now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Some keys, which the next URL would be parsed over. */
typedef struct batch {
  size_t count;
  mlbf_key keys[BATCH];
  mlbf_span segments[BATCH][URL_SEGMENTS_MAX];
  char text[BATCH][URL_LENGTH_MAX];
} batch;

static void put_key(batch *b, const url *u)
{
  size_t i = b->count++;
  memcpy(b->text[i], u->key, u->key_size);
  for (uint32_t s = 0; s < u->segment_count; s++)
    b->segments[i][s] = (mlbf_span){b->text[i] + u->segment_begin[s], u->segment_begin[s + 1] - u->segment_begin[s]};
  b->keys[i] = (mlbf_key){b->segments[i], u->segment_count};
}

typedef enum stage { RESOLVE, HASH, INSERT } stage;

static volatile uint64_t sink;

/* ns per link. `*seen` counts verdicts. */
static double run(const list *in, stage last, mlbf_filter *filter, size_t *seen)
{
  static url out;
  static batch held;
  static mlbf_hash128 keys[BATCH], segments[BATCH * MLBF_LAYERS_MAX];
  static uint32_t ends[BATCH];
  static uint8_t layers[BATCH * MLBF_LAYERS_MAX];
  mlbf_hashes hashes = {keys, ends, segments, layers};
  mlbf_verdict verdicts[BATCH];
  uint64_t check = 0;
  double begin = now_ns();
  *seen = 0;
  for (size_t i = 0; i < in->count; i++) {
    if (url_parse(in->lines[i].text, in->lines[i].size, URL_STRICT, &out) == URL_OK) {
      check += out.key_size;
      if (last >= HASH)
        put_key(&held, &out);
    }
    if (held.count < BATCH && i + 1 < in->count)
      continue;
    mlbf_hash(filter, held.keys, held.count, &hashes);
    check += keys[0].low;
    if (last == INSERT) {
      mlbf_insert_hashes(filter, &hashes, held.count, verdicts);
      for (size_t j = 0; j < held.count; j++)
        *seen += verdicts[j].outcome == MLBF_SEEN;
    }
    held.count = 0;
  }
  sink = check;
  return (now_ns() - begin) / (double)in->count;
}

static void measure(const list *in, mlbf_kind kind)
{
  mlbf_filter *filter;
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = kind, .keys = in->count, .rate = 1e-6, .seed = 1, .profile = "strict"};
  if (mlbf_create(&options, &filter) != MLBF_OK) {
    puts("out of memory");
    return;
  }
  size_t seen, seen_again;
  double resolve = run(in, RESOLVE, filter, &seen), hash = run(in, HASH, filter, &seen);
  double fresh = run(in, INSERT, filter, &seen), known = run(in, INSERT, filter, &seen_again);
  printf("%-5s %.0f ns/link new, %.0f seen: resolve %.0f, hash %.0f, test and set %.0f (%.0f when seen); "
         "%zu of %zu seen at first, %zu at second\n",
         mlbf_kind_name(kind), fresh, known, resolve, hash - resolve, fresh - hash, known - hash, seen, in->count,
         seen_again);
  mlbf_free(filter);
}

int main(int argc, char **argv)
{
  size_t limit = argc > 1 ? strtoull(argv[1], NULL, 10) : 3500000;
  FILE *file = argc > 2 ? fopen(argv[2], "rb") : popen("zstd -dcq '" SHARED_DATA "/urls/real-urls.txt.zst'", "r");
  list in;
  if (!file || !read_list(file, limit, &in) || in.count == 0) {
    fprintf(stderr, "usage: bench_url_seen [N] [FILE of URLs]: nothing to read\n");
    return 2;
  }
  printf("%zu URLs, %.0f bytes each\n", in.count, (double)(in.lines[in.count - 1].text - in.text) / (double)in.count);
  static const mlbf_kind kinds[] = {MLBF_KIND_MLBF, MLBF_KIND_LINE, MLBF_KIND_BLOOM};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    measure(&in, kinds[i]);
  free(in.lines);
  free(in.text);
  return 0;
}
