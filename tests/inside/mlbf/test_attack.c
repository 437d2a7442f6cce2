/* Someone chooses links so that a page which was never inserted is taken for seen. Two ways: equations over GF(2) for
 * a link that has the page's hash (forged_link.h), and a search for links that together set the page's bits.
 *
 *     attacker's secret == filter's      both succeed, always
 *     the filter's was drawn             the page is seen as often as after as many links that were not chosen
 *
 * The second is counted over thousands of secrets, in filters of which 7/8 of the bits are set: a page lacks a bit or
 * two, so links that had only some bits of the page more often than chance would show. Chosen links and others are
 * inserted in turn into one filter, and what counts is where only one of them hid the page: without an advantage, a
 * fair coin. 6 standard deviations are allowed, exceeded by chance with probability below e^-18 (Hoeffding), in one of
 * the 24 counts once in 2 million runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/one_key.h"
#include "mlbf/filter/inside.h"
#include "mlbf/key_set.h"
#include "mlbf/secret.h"
#include "tests/support/dice.h"
#include "tests/support/forged_link.h"
#include "tests/support/test.h"

enum { LINKS_MOST = 64, LINK_TEXT = 48 };

#define HOST "victim.example.." /* a block */
#define PAGE "/the/page?that=is&hidden"
static const mlbf_span page_segments[] = {{HOST, sizeof HOST - 1}, {PAGE, sizeof PAGE - 1}};
static const mlbf_key page = {page_segments, 2};

static const uint8_t known_secret[MLBF_SECRET_BYTES] = "the attacker knows these bytes";

static const mlbf_options kinds[] = {
  {.kind = MLBF_KIND_MLBF, .signals = true},
  {.kind = MLBF_KIND_MLBF},
  {.kind = MLBF_KIND_LINE},
  {.kind = MLBF_KIND_BLOOM},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static mlbf_options options_of(size_t kind, uint64_t keys, double rate, const uint8_t *secret)
{
  mlbf_options options = kinds[kind];
  options.size = sizeof options;
  options.keys = keys;
  options.rate = rate;
  options.secret = secret;
  return options;
}

static const char *name_of(const mlbf_options *options)
{
  return options->signals ? "mlbf with signals" : mlbf_kind_name(options->kind);
}

static mlbf_filter *create(const mlbf_options *options)
{
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(options, &filter), MLBF_OK);
  return filter;
}

static bool page_is_seen(const mlbf_filter *filter)
{
  mlbf_verdict verdict;
  mlbf_test(filter, &page, 1, &verdict);
  return verdict.outcome == MLBF_SEEN;
}

/* In a filter that is asked as every caller asks it. */
static bool page_is_seen_after(const mlbf_options *options, const mlbf_key *links, size_t count)
{
  mlbf_verdict verdicts[LINKS_MOST];
  mlbf_filter *filter = create(options);
  assert_false(page_is_seen(filter));
  mlbf_status status = mlbf_insert(filter, links, count, verdicts);
  assert_true(status == MLBF_OK || status == MLBF_FULL);
  bool is_seen = page_is_seen(filter);
  mlbf_free(filter);
  return is_seen;
}

/* ---- what is counted ---------------------------------------------------------------------------------------- */

/* Links that were chosen, and as many that were not. */
typedef struct link_choice {
  const char *name;
  const mlbf_key *chosen, *others;
  size_t count;
} link_choice;

typedef struct trial_tally {
  uint64_t seen, chosen_alone, others_alone; /* after the others; after one of them only */
} trial_tally;

/* As if by other keys. */
static void load(mlbf_filter *filter, uint64_t *words)
{
  memset(words, 0, filter->file.body_bytes);
  for (size_t i = 0; i < 3 * (filter->file.body_bytes / 8); i++)
    words[i / 3] |= random_next(&dice_state);
  memcpy(filter->file.body, words, filter->file.body_bytes);
}

static bool hides(mlbf_filter *filter, const uint64_t *before, const mlbf_key *links, size_t count)
{
  mlbf_verdict verdicts[LINKS_MOST];
  mlbf_status status = mlbf_insert(filter, links, count, verdicts);
  assert_true(status == MLBF_OK || status == MLBF_FULL);
  bool is_seen = page_is_seen(filter);
  memcpy(filter->file.body, before, filter->file.body_bytes);
  return is_seen;
}

/* In a filter with this secret; NULL: drawn, as mlbf_create draws it. Its plan, which takes longest, is made before. */
static void try_one(const mlbf_plan *plan, const uint8_t *secret, const link_choice *links, trial_tally *tally)
{
  static uint64_t loaded[1 << 14];
  mlbf_keying keying;
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_keying_make(secret, 0, &keying), MLBF_OK);
  assert_int_equal(mlbf_filter_make(plan, &keying, "", &filter), MLBF_OK);
  assert_in_range(filter->file.body_bytes, 1, sizeof loaded);
  load(filter, loaded);
  bool chosen = hides(filter, loaded, links->chosen, links->count);
  bool others = hides(filter, loaded, links->others, links->count);
  tally->seen += others;
  tally->chosen_alone += chosen && !others;
  tally->others_alone += others && !chosen;
  mlbf_free(filter);
}

/* With the attacker's own secret, if the links were made for it, the count does notice. */
static void expect_no_better(const mlbf_options *options, const link_choice *links, bool is_for_known)
{
  enum { TRIALS = 3000, KNOWN = 200 };
  mlbf_plan plan;
  trial_tally known = {0, 0, 0}, drawn = {0, 0, 0};
  assert_int_equal(mlbf_plan_make(options, &plan, NULL), MLBF_OK);
  for (int i = 0; i < KNOWN && is_for_known; i++)
    try_one(&plan, known_secret, links, &known);
  for (int i = 0; i < TRIALS; i++)
    try_one(&plan, NULL, links, &drawn);
  print_message("  %-18s %5g %-12s seen in %4llu of %d, after the others alone %3llu, after the chosen alone %3llu\n",
                name_of(options), options->rate, links->name, (unsigned long long)drawn.seen, TRIALS,
                (unsigned long long)drawn.others_alone, (unsigned long long)drawn.chosen_alone);
  assert_in_range(drawn.seen, TRIALS / 100, TRIALS * 3 / 4); /* so chance is there to be improved on */
  if (is_for_known)
    assert_int_equal(known.seen - known.others_alone + known.chosen_alone, KNOWN);
  double difference = (double)drawn.chosen_alone - (double)drawn.others_alone;
  if (difference > 6 * sqrt((double)(drawn.chosen_alone + drawn.others_alone) + 1))
    fail_msg("the links hide the page more often than others do");
}

/* ---- equations ---------------------------------------------------------------------------------------------- */

typedef bool forger(const mlbf_hash_keys *keys, const char *host, mlbf_hash128 sum, forged_link *made);

/* Of the page: its second segment's sum; the same with what another depth changes; and of all its bytes. */
static mlbf_hash128 sum_for(const mlbf_hash_keys *keys, forger *forge)
{
  if (forge == forge_bytes)
    return forged_sum(keys, MLBF_LAYERS_MAX, HOST PAGE, strlen(HOST PAGE));
  mlbf_hash128 sum = forged_sum(keys, 1, PAGE, strlen(PAGE));
  if (forge == forge_wide)
    sum.low ^= 2 ^ MLBF_LAYERS_MAX;
  return sum;
}

static const struct way {
  const char *name;
  forger *forge;
  size_t kind, count; /* which kinds it is made for */
} ways[] = {
  {"one segment", forge_deep, 0, 2},
  {"15 segments", forge_wide, 1, 1},
  {"its bytes", forge_bytes, 2, 2},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void forge_for_page(forger *forge, forged_link *link)
{
  mlbf_hash_keys keys;
  mlbf_hash_keys_make(known_secret, &keys);
  assert_true(forge(&keys, HOST, sum_for(&keys, forge), link));
}

/* As long, and cut alike; its sum is not aimed at anything. */
static void forge_for_nothing(forger *forge, forged_link *link)
{
  mlbf_hash_keys keys;
  mlbf_hash_keys_make(known_secret, &keys);
  assert_true(forge(&keys, HOST, (mlbf_hash128){dice_throw(UINT64_MAX), dice_throw(UINT64_MAX)}, link));
}

static void hash_with(size_t kind, const uint8_t *secret, const mlbf_key *key, one_key *hashes)
{
  mlbf_options options = options_of(kind, 1000, 1e-6, secret);
  mlbf_filter *filter = create(&options);
  one_key_hash(filter, key->segments, key->count, hashes);
  mlbf_free(filter);
}

/* All 128 bits, in filters of any kind and size. */
CASE(who_knows_the_secret_hides_a_page_with_one_link)
{
  static forged_link link;
  for (size_t way = 0; way < WAYS; way++) {
    forge_for_page(ways[way].forge, &link);
    mlbf_key key = {link.segments, link.count};
    for (size_t kind = ways[way].kind; kind < ways[way].kind + ways[way].count; kind++) {
      one_key wanted, made;
      hash_with(kind, known_secret, &page, &wanted);
      hash_with(kind, known_secret, &key, &made);
      assert_memory_equal(&made.whole, &wanted.whole, sizeof wanted.whole);
      for (int i = 0; i < 3; i++) {
        mlbf_options options = options_of(kind, 1000u << 3 * i, i ? 1e-6 : 1e-2, known_secret);
        assert_true(page_is_seen_after(&options, &key, 1));
      }
    }
  }
}

CASE(a_forged_link_hides_nothing_where_the_secret_was_drawn)
{
  static forged_link link, other;
  for (size_t way = 0; way < WAYS; way++) {
    forge_for_page(ways[way].forge, &link);
    forge_for_nothing(ways[way].forge, &other);
    mlbf_key chosen = {link.segments, link.count}, others = {other.segments, other.count};
    link_choice choice = {ways[way].name, &chosen, &others, 1};
    for (size_t kind = 0; kind < KINDS; kind++) {
      mlbf_options options = options_of(kind, 1000, 1e-2, NULL);
      bool is_for_known = kind >= ways[way].kind && kind < ways[way].kind + ways[way].count;
      expect_no_better(&options, &choice, is_for_known);
    }
  }
}

/* Links that are like the page, as the paper's flaws would have it: swapped, repeated, padded. */
CASE(links_like_the_page_hide_nothing)
{
  mlbf_span host = page_segments[0], path = page_segments[1], x = {"/x", 2}, y = {"/y", 2}, z = {"/z", 2};
  mlbf_span first[] = {host, path, y}; /* so that after the others, too, its segments are known */
  mlbf_span spans[][4] = {
    {path, host},
    {y, z},
    {host, path, x, x},
    {host, path, x, y},
    {host, {PAGE "\x80", sizeof PAGE}},
    {host, {PAGE "y", sizeof PAGE}},
    {host, {PAGE "\0", sizeof PAGE}},
    {host, {PAGE "z", sizeof PAGE}},
    {host, path, path},
    {host, path, z},
    {x, host, path},
    {x, host, z},
    {host, x, path},
    {host, x, y},
  };
  static const size_t counts[] = {2, 4, 2, 2, 3, 3, 3};
  enum { LINKS = sizeof counts / sizeof *counts };
  mlbf_key chosen[LINKS + 1] = {{first, 3}}, others[LINKS + 1] = {{first, 3}};
  for (size_t i = 0; i < LINKS; i++) {
    chosen[1 + i] = (mlbf_key){spans[2 * i], counts[i]};
    others[1 + i] = (mlbf_key){spans[2 * i + 1], counts[i]};
  }
  link_choice choice = {"alike", chosen, others, LINKS + 1};
  for (size_t kind = 0; kind < KINDS; kind++) {
    mlbf_options options = options_of(kind, 1000, 1e-2, NULL);
    expect_no_better(&options, &choice, false);
  }
}

static mlbf_key_set *set_with(const uint8_t *secret)
{
  mlbf_key_set *set = NULL;
  mlbf_status status = mlbf_key_set_create(secret, 0, "", &set);
  assert_int_equal(status, MLBF_OK);
  return set;
}

static bool set_has_page_after(mlbf_key_set *set, const forged_link *link)
{
  bool was_seen;
  mlbf_hash128 wanted = mlbf_key_set_hash(set, (mlbf_span){HOST PAGE, strlen(HOST PAGE)});
  assert_int_equal(mlbf_key_set_insert(set, mlbf_key_set_hash(set, link->segments[0]), &was_seen), MLBF_OK);
  return mlbf_key_set_test(set, wanted);
}

/* An exact set keeps 128 bits: equal, or not. With drawn secrets each byte is that of the page's hash once in 256. */
CASE(an_exact_set_is_wrong_only_for_who_knows_its_secret)
{
  enum { TRIALS = 5000 };
  static forged_link link;
  uint64_t agree[16] = {0};
  forge_for_page(forge_bytes, &link);
  mlbf_key_set *set = set_with(known_secret);
  assert_true(set_has_page_after(set, &link));
  mlbf_key_set_free(set);
  for (int i = 0; i < TRIALS; i++) {
    uint8_t made[16], wanted[16];
    set = set_with(NULL);
    assert_false(set_has_page_after(set, &link));
    mlbf_hash128 hashes[] = {mlbf_key_set_hash(set, link.segments[0]),
                             mlbf_key_set_hash(set, (mlbf_span){HOST PAGE, strlen(HOST PAGE)})};
    memcpy(made, &hashes[0], sizeof made);
    memcpy(wanted, &hashes[1], sizeof wanted);
    for (int byte = 0; byte < 16; byte++)
      agree[byte] += made[byte] == wanted[byte];
    mlbf_key_set_free(set);
  }
  for (int byte = 0; byte < 16; byte++) /* 19.5 expected; more than 60 once in 10^12 */
    assert_in_range(agree[byte], 0, 60);
}

/* ---- search --------------------------------------------------------------------------------------------------- */

typedef struct link_set {
  char text[LINKS_MOST][LINK_TEXT];
  mlbf_span spans[LINKS_MOST][2];
  mlbf_key keys[LINKS_MOST];
  size_t count;
} link_set;

static void link_add(link_set *set, uint64_t number)
{
  assert_true(set->count < LINKS_MOST);
  char *text = set->text[set->count];
  int size = snprintf(text, LINK_TEXT, "/page/number/%llu", (unsigned long long)number);
  mlbf_span *spans = set->spans[set->count];
  spans[0] = page_segments[0];
  spans[1] = (mlbf_span){text, (size_t)size};
  set->keys[set->count++] = (mlbf_key){spans, 2};
}

/* Bits of the page that no link has set yet: whole words of the body. */
typedef struct missing_bits {
  uint64_t bits[LINKS_MOST];
  size_t word[LINKS_MOST], count;
} missing_bits;

static void missing_make(const mlbf_filter *filter, missing_bits *missing)
{
  const uint64_t *body = (const void *)filter->file.body;
  missing->count = 0;
  for (size_t i = 0; i < filter->file.body_bytes / 8; i++) {
    if (!body[i])
      continue;
    assert_true(missing->count < LINKS_MOST);
    missing->bits[missing->count] = body[i];
    missing->word[missing->count++] = i;
  }
}

/* Were some of them set? */
static bool missing_less(const mlbf_filter *filter, missing_bits *missing)
{
  const uint64_t *body = (const void *)filter->file.body;
  bool is_less = false;
  for (size_t i = 0; i < missing->count; i++) {
    is_less |= (body[missing->word[i]] & missing->bits[i]) != 0;
    missing->bits[i] &= ~body[missing->word[i]];
  }
  return is_less;
}

static bool missing_any(const missing_bits *missing)
{
  uint64_t any = 0;
  for (size_t i = 0; i < missing->count; i++)
    any |= missing->bits[i];
  return any != 0;
}

static void body_clear(const mlbf_filter *filter)
{
  memset(filter->file.body, 0, filter->file.body_bytes);
}

static void insert(mlbf_filter *filter, const mlbf_key *key)
{
  mlbf_verdict verdict;
  mlbf_status status = mlbf_insert(filter, key, 1, &verdict);
  assert_true(status == MLBF_OK || status == MLBF_FULL);
}

/* Tries links on a filter with the same options until some together set all that the page would. Each is kept that
 * sets a missing bit. Returns how many were tried. */
static uint64_t cover(const mlbf_options *options, link_set *found)
{
  missing_bits missing;
  uint64_t tried = 0;
  mlbf_filter *filter = create(options);
  insert(filter, &page);
  missing_make(filter, &missing);
  for (found->count = 0; missing_any(&missing);) {
    link_add(found, tried++);
    body_clear(filter);
    insert(filter, &found->keys[found->count - 1]);
    if (!missing_less(filter, &missing))
      found->count--;
    assert_in_range(tried, 1, 10000000);
  }
  mlbf_free(filter);
  return tried;
}

CASE(who_knows_the_secret_finds_links_that_cover_a_page)
{
  static link_set found;
  static const double rates[] = {1e-2, 1e-3, 1e-6};
  for (size_t kind = 0; kind < KINDS; kind++)
    for (int i = 0; i < 3; i++) {
      mlbf_options options = options_of(kind, 1000, rates[i], known_secret);
      uint64_t tried = cover(&options, &found);
      print_message("  %-18s %g: %zu links of %llu tried\n", name_of(&options), rates[i], found.count,
                    (unsigned long long)tried);
      assert_in_range(found.count, 2, 36);
      assert_true(page_is_seen_after(&options, found.keys, found.count));
    }
}

/* As many links, of the same host, that were not chosen. */
CASE(covering_links_hide_nothing_where_the_secret_was_drawn)
{
  static link_set found, others;
  static const double rates[] = {1e-2, 1e-3};
  for (size_t kind = 0; kind < KINDS; kind++)
    for (int i = 0; i < 2; i++) {
      mlbf_options options = options_of(kind, 1000, rates[i], known_secret);
      cover(&options, &found);
      for (others.count = 0; others.count < found.count;)
        link_add(&others, 1000000000 + others.count);
      link_choice choice = {"covering", found.keys, others.keys, found.count};
      expect_no_better(&options, &choice, true);
    }
}

/* ---- tables --------------------------------------------------------------------------------------------------- */

enum { SLOTS = 1024, CROWD = 200 };

/* Where a key lies among 1,024 slots: in an open batch of the frontier, and at home in a key set. */
static size_t slot_in_batch(const one_key *hashes)
{
  return hashes->whole.low & (SLOTS - 1);
}

static size_t slot_at_home(const one_key *hashes)
{
  return mlbf_scale(hashes->whole.low, SLOTS);
}

typedef size_t slot_of(const one_key *hashes);

/* The most that meet in a slot. */
static unsigned most_in_a_slot(const uint8_t *secret, slot_of *slot, const uint64_t *numbers)
{
  unsigned in[SLOTS] = {0}, most = 0;
  mlbf_options options = options_of(0, 1000, 1e-2, secret);
  mlbf_filter *filter = create(&options);
  for (size_t i = 0; i < CROWD; i++) {
    static link_set one;
    one_key hashes;
    one.count = 0;
    link_add(&one, numbers[i]);
    one_key_hash(filter, one.spans[0], 2, &hashes);
    unsigned count = ++in[slot(&hashes)];
    most = count > most ? count : most;
  }
  mlbf_free(filter);
  return most;
}

static void crowd(slot_of *slot, uint64_t *numbers)
{
  static link_set one;
  mlbf_options options = options_of(0, 1000, 1e-2, known_secret);
  mlbf_filter *filter = create(&options);
  size_t count = 0;
  for (uint64_t number = 0; count < CROWD; number++) {
    one_key hashes;
    one.count = 0;
    link_add(&one, number);
    one_key_hash(filter, one.spans[0], 2, &hashes);
    if (slot(&hashes) == 77)
      numbers[count++] = number;
  }
  mlbf_free(filter);
}

/* 200 in 1,024 slots: nine in one of them once in 10^9 throws, of which there are 200. */
CASE(keys_crowd_in_a_table_only_for_who_knows_its_secret)
{
  static slot_of *const tables[] = {slot_in_batch, slot_at_home};
  for (size_t i = 0; i < 2; i++) {
    uint64_t numbers[CROWD];
    crowd(tables[i], numbers);
    assert_int_equal(most_in_a_slot(known_secret, tables[i], numbers), CROWD);
    for (int trial = 0; trial < 100; trial++)
      assert_in_range(most_in_a_slot(NULL, tables[i], numbers), 1, 8);
  }
}

static int prepare(void **state)
{
  (void)state;
  dice_begin(1);
  return 0;
}

EACH_CASE(prepare, NULL)
