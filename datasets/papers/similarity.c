/* Table 5 of Roussev (2012), run by threads: similarity.h tells the protocol.
 *
 * Always: a piece is its number's own random bytes, so results do not depend on how the pieces are shared out among
 * threads. Called by paper_sdhash.c. */
#include "datasets/papers/similarity.h"
#include "datasets/sort/rng.h"
#include "datasets/replay/stopwatch.h"

#include <pthread.h>
#include <stdlib.h>

/* Fills with random bytes: eight from each of the numbers from, from + 1, ... */
static void fill(uint8_t *bytes, size_t size, uint64_t from)
{
  uint64_t word = 0;
  for (size_t i = 0; i < size; i++) {
    if (i % 8 == 0)
      word = rng_mix(from + i / 8);
    bytes[i] = (uint8_t)(word >> 8 * (i % 8));
  }
}

bool similarity_target_make(size_t size, uint64_t seed, similarity_target *target)
{
  *target = (similarity_target){.size = size, .bytes = malloc(size)};
  if (target->bytes == NULL)
    return false;
  fill(target->bytes, size, rng_mix(seed));
  if (mlbf_digest_create(&(mlbf_digest_options){.size = sizeof(mlbf_digest_options), .blocks = true}, target->bytes,
                         size, &target->digest) == MLBF_OK)
    return true;
  free(target->bytes);
  return false;
}

void similarity_target_free(similarity_target *target)
{
  free(target->bytes);
  mlbf_digest_free(target->digest);
}

/* By either rule. False: out of memory. */
static bool ask(const uint8_t *piece, size_t size, const mlbf_digest *target, uint32_t found[SIMILARITY_RULES])
{
  mlbf_digest *query;
  if (mlbf_digest_create(NULL, piece, size, &query) != MLBF_OK)
    return false;
  bool is_asked = true;
  for (int rule = 0; rule < SIMILARITY_RULES; rule++) {
    int score = mlbf_digest_score(query, target, (mlbf_digest_rule)rule);
    is_asked = is_asked && score != MLBF_DIGEST_NO_MEMORY;
    found[rule] += score > 0;
  }
  mlbf_digest_free(query);
  return is_asked;
}

/* Compares the piece of the target at `at` with the blocks that hold it. */
static bool ask_its_blocks(const similarity_target *target, size_t at, size_t size, uint32_t found[SIMILARITY_RULES])
{
  size_t begin = at - at % MLBF_DIGEST_BLOCK, end = at + size + MLBF_DIGEST_BLOCK - 1;
  end -= end % MLBF_DIGEST_BLOCK;
  end = end < target->size ? end : target->size;
  mlbf_digest *blocks;
  mlbf_digest_options options = {.size = sizeof(mlbf_digest_options), .blocks = true};
  if (mlbf_digest_create(&options, target->bytes + begin, end - begin, &blocks) != MLBF_OK)
    return false;
  bool is_asked = ask(target->bytes + at, size, blocks, found);
  mlbf_digest_free(blocks);
  return is_asked;
}

bool similarity_measure(const similarity_target *target, size_t piece_size, uint32_t asked, uint64_t seed,
                        similarity_result *result)
{
  uint8_t *foreign = malloc(piece_size);
  bool is_asked = foreign != NULL;
  *result = (similarity_result){.asked = asked};
  for (uint32_t i = 0; is_asked && i < asked; i++) {
    uint32_t found[SIMILARITY_RULES] = {0};
    uint64_t rng = rng_mix(rng_mix(seed) ^ (i + 1));
    fill(foreign, piece_size, rng);
    size_t at = (size_t)rng_below(&rng, target->size - piece_size + 1);
    is_asked = ask(foreign, piece_size, target->digest, result->wrong) && ask_its_blocks(target, at, piece_size, found);
    bool is_split = at / MLBF_DIGEST_BLOCK != (at + piece_size - 1) / MLBF_DIGEST_BLOCK;
    result->split += is_split;
    for (int rule = 0; rule < SIMILARITY_RULES; rule++) {
      result->right[rule] += found[rule];
      result->split_right[rule] += is_split ? found[rule] : 0;
    }
  }
  free(foreign);
  return is_asked;
}

double similarity_rate(const similarity_target *target, unsigned threads)
{
  enum { TIMES = 3 };
  stopwatch timings = {0};
  mlbf_digest_options options = {.size = sizeof(mlbf_digest_options), .blocks = true, .threads = threads};
  bool is_done = true;
  for (int i = 0; is_done && i < TIMES; i++) {
    mlbf_digest *digest;
    uint64_t began_ns = stopwatch_now_ns();
    is_done = mlbf_digest_create(&options, target->bytes, target->size, &digest) == MLBF_OK;
    if (!is_done)
      break;
    is_done = stopwatch_add(&timings, (double)(stopwatch_now_ns() - began_ns));
    mlbf_digest_free(digest);
  }
  double ns = is_done ? stopwatch_median(&timings) : 0;
  stopwatch_free(&timings);
  return ns > 0 ? (double)target->size / 1e6 / (ns / 1e9) : 0;
}

/* One thread's part: a digest of its own against the target. */
typedef struct comparison {
  const mlbf_digest *query, *target;
  int score;
} comparison;

static void *compare(void *context)
{
  comparison *of = context;
  of->score = mlbf_digest_score(of->query, of->target, MLBF_DIGEST_RULE_PAPER);
  return NULL;
}

double similarity_comparisons(const similarity_target *target, unsigned threads)
{
  enum { PARTS = 2, PART = 64 * MLBF_DIGEST_BLOCK };
  comparison parts[PARTS];
  pthread_t thread;
  mlbf_digest *query = NULL;
  size_t size = target->size < PART ? target->size : PART;
  if (mlbf_digest_create(&(mlbf_digest_options){.size = sizeof(mlbf_digest_options), .blocks = true}, target->bytes,
                         size, &query) != MLBF_OK)
    return 0;
  parts[0] = parts[1] = (comparison){query, target->digest, 0};
  uint64_t began_ns = stopwatch_now_ns();
  bool has_thread = threads > 1 && pthread_create(&thread, NULL, compare, &parts[1]) == 0;
  compare(&parts[0]);
  if (has_thread)
    pthread_join(thread, NULL);
  double ms = (double)(stopwatch_now_ns() - began_ns) / 1e6;
  double pairs = (double)mlbf_digest_filters(query) * (double)mlbf_digest_filters(target->digest) *
                 (has_thread ? 2 : 1);
  bool is_done = parts[0].score >= 0 && (!has_thread || parts[1].score >= 0);
  mlbf_digest_free(query);
  return is_done && ms > 0 ? pairs / ms : 0;
}
