#include "bench/filter_queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const protocol sets[SETS] = {PROTOCOL_FRESH,    PROTOCOL_RECOMBINED, PROTOCOL_PERMUTED,
                             PROTOCOL_REPEATED, PROTOCOL_PREFIX,     PROTOCOL_NEWHOST};

void *need(void *memory)
{
  if (!memory) {
    perror("bench_filter_rates");
    exit(1);
  }
  return memory;
}

enum { HOST_TEXT = 64 };

const char *query_directory(void)
{
  const char *named = getenv("TMPDIR");
  return named ? named : "/tmp";
}

source source_make(const url_list *urls, size_t keys_per_host)
{
  source made = {need(urllist_create(query_directory(), false, SEED)), 0};
  for (size_t i = 0; i < urls->count; i++) {
    char key[KEY_SIZE_MAX];
    const mlbf_span *text = &urls->texts[i];
    mlbf_span segments[MLBF_LAYERS_MAX];
    url_cut(text->bytes, text->size, segments);
    size_t host = keys_per_host ? segments[0].size : 0;
    int begin = keys_per_host ? snprintf(key, HOST_TEXT, "//host-%zu.example", i / keys_per_host)
                              : snprintf(key, HOST_TEXT, "//");
    if (text->size > KEY_SIZE_MAX / 2)
      continue;
    memcpy(key + begin, (const char *)text->bytes + host, text->size - host);
    if (!urllist_add(made.list, key, (size_t)begin + text->size - host, false))
      need(NULL);
  }
  if (!urllist_finish(made.list, NULL))
    need(NULL);
  made.keys = urllist_distinct(made.list) / 2;
  return made;
}

bool source_fill(const source *from, uint64_t *rank, key_batch *batch)
{
  batch_clear(batch);
  while (!batch_is_full(batch) && *rank < from->keys) {
    size_t size;
    const char *key = urllist_key(from->list, (*rank)++, &size);
    batch_add(batch, key, size);
  }
  return batch->count > 0;
}

static bool is_free(const key_hash *slot)
{
  return (slot->high | slot->low) == 0;
}

static size_t truth_place(const truth *all, key_hash hash)
{
  size_t at = hash.low & all->mask;
  while (!is_free(&all->slots[at]) && key_hash_compare(&all->slots[at], &hash) != 0)
    at = (at + 1) & all->mask;
  return at;
}

truth truth_create(size_t keys)
{
  size_t size = 1;
  while (size < 2 * keys)
    size *= 2;
  return (truth){need(calloc(size, sizeof(key_hash))), size - 1};
}

bool truth_add(truth *all, key_hash hash)
{
  size_t at = truth_place(all, hash);
  bool was_free = is_free(&all->slots[at]);
  all->slots[at] = hash;
  return was_free;
}

bool truth_knows(const truth *all, key_hash hash)
{
  return !is_free(&all->slots[truth_place(all, hash)]);
}

/* The chance of at most `count` in `queries` at this rate. */
static double at_most(double count, double queries, double rate)
{
  double sum = 0, whole = lgamma(queries + 1);
  for (double i = 0; i <= count; i++)
    sum += exp(whole - lgamma(i + 1) - lgamma(queries - i + 1) + i * log(rate) + (queries - i) * log1p(-rate));
  return sum;
}

/* The rate at which at most `count` have this chance. */
static double rate_of_chance(double count, double queries, double chance)
{
  double low = 0, high = 1;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if (at_most(count, queries, middle) > chance)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void print_interval(const char *name, double queries, double wrong)
{
  double low = wrong < 1 ? 0 : rate_of_chance(wrong - 1, queries, 0.975);
  printf("  %-11s %11.0f queries %8.0f wrong: %.4e, 95 %% between %.4e and %.4e\n", name, queries, wrong,
         wrong / queries, low, rate_of_chance(wrong, queries, 0.025));
}
