/* datasets/make/generator.h: every URL once, the same on every machine, and the shape the header promises. */
#include "datasets/make/generator.h"
#include "datasets/read/rowkey.h"
#include "tests/support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 200000 };

/* The whole list in one block, and a sorted array of its strings. */
typedef struct list {
  char (*urls)[GENERATOR_URL_SIZE];
  const char **sorted;
  size_t count;
} list;

static int by_text(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static list make_shaped_list(uint64_t count, uint64_t seed, const url_shape *shape)
{
  list made = {.urls = malloc(count * sizeof *made.urls), .sorted = malloc(count * sizeof *made.sorted)};
  assert_true(made.urls != NULL && made.sorted != NULL);
  url_generator *generator = generator_create(count, seed, shape);
  assert_non_null(generator);
  char text[GENERATOR_URL_SIZE];
  for (size_t size; (size = generator_next(generator, text)) != 0; made.count++) {
    assert_true(made.count < count);
    assert_int_equal(strlen(text), size);
    memcpy(made.urls[made.count], text, size + 1);
    made.sorted[made.count] = made.urls[made.count];
  }
  assert_int_equal(generator_next(generator, text), 0); /* and stays at the end */
  generator_free(generator);
  qsort(made.sorted, made.count, sizeof *made.sorted, by_text);
  return made;
}

static list make_list(uint64_t count, uint64_t seed)
{
  return make_shaped_list(count, seed, &shape_usual);
}

static void free_list(list *old)
{
  free(old->urls);
  free(old->sorted);
}

static size_t count_distinct(const char **sorted, size_t count)
{
  size_t distinct = count > 0;
  for (size_t i = 1; i < count; i++)
    distinct += strcmp(sorted[i - 1], sorted[i]) != 0;
  return distinct;
}

CASE(test_every_url_comes_once)
{
  static const uint64_t counts[] = {1, 2, 3, 9, 10, 11, 1000, 4095, 4096, 4097, COUNT};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    list made = make_list(counts[i], 42 + i);
    assert_int_equal(made.count, counts[i]);
    assert_int_equal(count_distinct(made.sorted, made.count), made.count);
    made.sorted[made.count / 2] = made.sorted[0]; /* the comparison would notice one that comes twice */
    qsort(made.sorted, made.count, sizeof *made.sorted, by_text);
    assert_int_equal(count_distinct(made.sorted, made.count), made.count - (made.count > 1));
    free_list(&made);
  }
}

/* Golden: lists made on other machines, or by next year's version, must be these. */
CASE(test_the_same_bytes_everywhere)
{
  static const char *const golden[] = {
    "http://www.rata-317.example/hosopene/fobori/niregili-104/famaje/daga/nole.html",
    "https://www.viza-10919.example/pira/fotagami-6.php",
    "https://www.fadime-9855.example/rijigo/zeleje/davahara-10.php",
  };
  char text[GENERATOR_URL_SIZE];
  url_generator *generator = generator_create(1000000, 1, &shape_usual);
  for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
    generator_next(generator, text);
    assert_string_equal(text, golden[i]);
  }
  generator_free(generator);
}

CASE(test_seeds_give_different_lists)
{
  list one = make_list(1000, 1), two = make_list(1000, 2);
  size_t equal = 0;
  for (size_t i = 0; i < 1000; i++)
    equal += strcmp(one.urls[i], two.urls[i]) == 0;
  assert_in_range(equal, 0, 10);
  free_list(&one);
  free_list(&two);
}

/* Cuts the URL up into its host and segments, the query left out. */
static size_t split(char *text, char *segments[16])
{
  size_t count = 0;
  char *rest;
  text[strcspn(text, "?")] = '\0';
  for (char *at = strtok_r(strstr(text, "://") + 3, "/", &rest); at != NULL; at = strtok_r(NULL, "/", &rest))
    segments[count++] = at;
  return count;
}

static void assert_share(const char *what, double part, double low, double high)
{
  if (part / COUNT < low || part / COUNT > high)
    fail_msg("%s: %.3f of n, promised %.3f to %.3f", what, part / COUNT, low, high);
}

CASE(test_the_shape_promised)
{
  list made = make_list(COUNT, 7);
  const char **hosts = malloc(COUNT * sizeof *hosts), **leaves = malloc(COUNT * sizeof *leaves);
  size_t depth_sum = 0, queries = 0;
  for (size_t i = 0; i < COUNT; i++) {
    char *segments[16];
    queries += strchr(made.urls[i], '?') != NULL;
    size_t count = split(made.urls[i], segments);
    assert_in_range(count, 2, 8);
    assert_string_equal(strrchr(segments[0], '.'), ".example");
    depth_sum += count - 1;
    hosts[i] = segments[0];
    leaves[i] = segments[count - 1];
  }
  qsort(hosts, COUNT, sizeof *hosts, by_text);
  qsort(leaves, COUNT, sizeof *leaves, by_text);

  size_t largest = 0;
  for (size_t i = 0, run = 0; i < COUNT; i++) {
    run = i > 0 && strcmp(hosts[i - 1], hosts[i]) == 0 ? run + 1 : 1;
    largest = run > largest ? run : largest;
  }
  assert_share("hosts", (double)count_distinct(hosts, COUNT), 0.1, 0.1);
  assert_share("distinct leaves", (double)count_distinct(leaves, COUNT), 0.6, 0.7);
  assert_share("queries", (double)queries, 0.09, 0.11);
  assert_share("segments after the host", (double)depth_sum, 3.0, 3.2);
  assert_share("pages of the largest host", (double)largest, 0.083, 0.085); /* (H)^(-1/4) = 0.0841 */
  free(hosts);
  free(leaves);
  free_list(&made);
}

/* Any shape that adds up, the odd ones first: one host, one segment, nothing new anywhere, everything new. */
static url_shape draw_shape(unsigned seed)
{
  unsigned dice = seed, left = SHAPE_ONE;
  url_shape drawn = {.hosts = (1 + rand_r(&dice) % 500) / 1000.0, .power = 1 + (unsigned)rand_r(&dice) % SHAPE_POWERS};
  for (int i = 0; i < SHAPE_DEPTHS; i++) {
    drawn.depth[i] = i + 1 < SHAPE_DEPTHS ? (unsigned)rand_r(&dice) % (left + 1) : left;
    left -= drawn.depth[i];
    drawn.new_directory[i] = seed < 3 ? (seed - 1) * SHAPE_ONE : (unsigned)rand_r(&dice) % (SHAPE_ONE + 1);
  }
  drawn.new_leaf = seed < 3 ? (seed - 1) * SHAPE_ONE : (unsigned)rand_r(&dice) % (SHAPE_ONE + 1);
  drawn.queries = seed < 3 ? 0 : (unsigned)rand_r(&dice) % (SHAPE_ONE + 1);
  return drawn;
}

CASE(test_every_url_comes_once_in_any_shape)
{
  for (unsigned seed = 1; seed <= 40; seed++) {
    url_shape drawn = draw_shape(seed);
    list made = make_shaped_list(5000, seed, &drawn);
    assert_int_equal(made.count, 5000);
    if (count_distinct(made.sorted, made.count) != made.count)
      fail_msg("seed %u: a URL came twice", seed);
    free_list(&made);
  }
}

static url_shape measure_list(const list *of)
{
  static url out;
  bool is_https;
  url_shape measured;
  shape_meter *meter = shape_meter_create("/tmp");
  assert_non_null(meter);
  for (size_t i = 0; i < of->count; i++) {
    assert_int_equal(rowkey_make(of->urls[i], strlen(of->urls[i]), &out, &is_https), URL_OK);
    assert_true(shape_meter_add(meter, out.key, out.key_size));
  }
  assert_true(shape_meter_finish(meter, &measured));
  shape_meter_free(meter);
  return measured;
}

static void assert_near(const char *what, double was, double wanted, double tolerance)
{
  if (was < wanted - tolerance || was > wanted + tolerance)
    fail_msg("%s: %.4f, the shape says %.4f", what, was, wanted);
}

/* A list made from a shape has that shape when it is measured. The usual one, and one as real lists can be:
 * few hosts of which the first have most, deep, nearly all directories shared at the top and new further down. */
CASE(test_a_measured_list_is_of_its_shape)
{
  static const url_shape deep = {
    .hosts = 0.05,
    .power = 8,
    .depth = {6554, 6554, 13107, 13107, 13107, 13107},
    .new_directory = {655, 3277, 16384, 49152, 32768},
    .new_leaf = 45875,
    .queries = 3277,
  };
  const url_shape *shapes[] = {&shape_usual, &deep};
  for (int which = 0; which < 2; which++) {
    const url_shape *wanted = shapes[which];
    list made = make_shaped_list(COUNT, 3, wanted);
    url_shape was = measure_list(&made);
    assert_near("hosts", was.hosts, wanted->hosts, 0.005);
    assert_near("power", was.power, wanted->power, 2);
    assert_near("queries", (double)was.queries / SHAPE_ONE, (double)wanted->queries / SHAPE_ONE, 0.005);
    assert_near("leaves", (double)was.new_leaf / SHAPE_ONE, (double)wanted->new_leaf / SHAPE_ONE, 0.02);
    for (int i = 0; i < 5; i++) {
      assert_near("depth", (double)was.depth[i] / SHAPE_ONE, (double)wanted->depth[i] / SHAPE_ONE, 0.005);
      assert_near("directories", (double)was.new_directory[i] / SHAPE_ONE, (double)wanted->new_directory[i] / SHAPE_ONE,
                  0.02);
    }
    free_list(&made);
  }
}
