/* The fast path and the direct one say what the slow path says: on every link of the data sets, and on what a seeded
 * generator makes of the pieces links are made of. (fuzz_url_resolve.c looks for more.) */
#include "tests/site/random.h"
#include "tests/support/test.h"
#include "tests/support/url_test.h"

#include "frontier/url/url_parts.h"

static url fast, slow;
static unsigned direct_links; /* compared by resolve_slowly */

static bool same_answer(const url *a, const url *b)
{
  return strcmp(a->fetch, b->fetch) == 0 && strcmp(a->key, b->key) == 0 && a->fetch_size == b->fetch_size &&
         a->key_size == b->key_size && a->host_begin == b->host_begin && a->host_end == b->host_end &&
         a->path_begin == b->path_begin && a->segment_count == b->segment_count &&
         memcmp(a->segment_begin, b->segment_begin, (a->segment_count + 1) * sizeof a->segment_begin[0]) == 0;
}

/* By the slow path. Without a reason to leave it to that, the direct one must say the same. */
static url_status resolve_slowly(const url_base *base, const char *href, size_t size)
{
  static url direct;
  static url_reference reference;
  url_status status = url_reference_read(href, size, base ? base->parsed.fetch : NULL, URL_STRICT, &reference);
  bool is_direct = status == URL_OK && url_direct_resolve(base, &reference, &direct);
  if (status == URL_OK)
    status = url_slow_resolve(base, &reference, &slow);
  if (status == URL_OK)
    url_segments(URL_STRICT, &slow);
  if (is_direct)
    url_segments(URL_STRICT, &direct);
  if (is_direct && (status != URL_OK || !same_answer(&direct, &slow)))
    fail_msg("base %s, href %.*s\n  direct %s\n  slow   %s", base ? base->parsed.fetch : "", (int)size, href,
             direct.fetch, slow.fetch);
  direct_links += is_direct;
  return status;
}

/* True if the link was plain. Every fast path must say so, and the same. */
static bool compare(const url_base *base, const char *href, size_t size)
{
  static url any;
  bool is_plain = url_fast_resolve(base, href, size, &fast);
  if (url_fast_any(base, href, size, &any) != is_plain || (is_plain && !same_answer(&fast, &any)))
    fail_msg("the fast paths differ: base %s, href %.*s", base ? base->parsed.fetch : "", (int)size, href);
  url_status status = resolve_slowly(base, href, size);
  if (!is_plain)
    return false;
  if (status != URL_OK || !same_answer(&fast, &slow))
    fail_msg("base %s, href %.*s\n  fast %s\n  slow %s", base ? base->parsed.fetch : "", (int)size, href, fast.fetch,
             slow.fetch);
  return true;
}

/* ---- generated links ------------------------------------------------------------------------- */

/* clang-format off */
static const char *const pieces[] = {
  "/", "/", "/", "//", "?", "&", "#", "../", "./", "..", ".", "a", "bc", "index.html", "q=1", "%2F", "%41", "%c3", "%",
  "%zz", ":", ":80", ":8080", "@", "http://", "https://", "http:", "mailto:", "www.example.org", "h", "H",
  "127.0.0.1", "1.2.3.4x", "1.2.3", "01.2.3.4", "256.1.1.1", "WWW.Example.org",
  "a.1", "\\", "\\", "..\\", "|", "[", "'", "\"", " ", "\t", "\xC3\xA9", "\x01", "-._~!$()*+,;=",
  "0123456789012345678901234567890123456789012345678901234",
};
/* clang-format on */

static size_t make_link(uint64_t *state, char *text)
{
  size_t size = 0;
  for (uint64_t count = random_next(state) % 12; count > 0; count--) {
    const char *piece = pieces[random_next(state) % COUNT(pieces)];
    memcpy(text + size, piece, strlen(piece));
    size += strlen(piece);
  }
  return size;
}

CASE(generated_links)
{
  uint64_t seed = 3;
  unsigned plain = 0;
  url_base *base = url_base_create();
  assert_non_null(base);
  direct_links = 0;
  for (int round = 0; round < 20000; round++) {
    char page[1024] = "http://h/", href[1024];
    size_t size = round % 2 ? 9 : 0;
    size += make_link(&seed, page + size);
    bool has_base = url_base_set(base, page, size) == URL_OK;
    for (int i = 0; i < 10; i++)
      plain += compare(has_base ? base : NULL, href, make_link(&seed, href));
  }
  url_base_free(base);
  print_message("seed 3: of 200000 links %u were plain, %u direct\n", plain, direct_links);
  assert_true(plain > 5000 && direct_links > 50000);
}

/* ---- the data sets --------------------------------------------------------------------------- */

static size_t unescape(char *field)
{
  char *end = field;
  for (const char *at = field; *at; at++)
    *end++ = *at != '\\' || !at[1] ? *at : *++at == 'n' ? '\n' : *at == 't' ? '\t' : *at == 'r' ? '\r' : *at;
  return (size_t)(end - field);
}

/* Lines "base TAB href ..."; says which share was plain. */
static double compare_list(const char *name)
{
  char path[4096];
  static char line[1 << 16];
  unsigned links = 0, plain = 0;
  snprintf(path, sizeof path, "%s/conformance/%s", SHARED_DATA, name);
  FILE *file = fopen(path, "r");
  if (!file) {
    print_message("skipped: no %s\n", path);
    skip();
  }
  url_base *base = url_base_create();
  while (fgets(line, sizeof line, file)) {
    char *href = strchr(line, '\t') + 1;
    if (line[0] == '#')
      continue;
    href[-1] = href[strcspn(href, "\t")] = '\0';
    bool has_base = url_base_set(base, line, strlen(line)) == URL_OK;
    plain += compare(has_base ? base : NULL, href, unescape(href));
    links++;
  }
  url_base_free(base);
  fclose(file);
  print_message("%s: %u of %u links were plain\n", name, plain, links);
  return (double)plain / links;
}

CASE(listed_links)
{
  assert_true(compare_list("web_hrefs_readability.tsv") > 0.98);
  assert_true(compare_list("abs_urls.tsv") > 0.98);
  assert_true(compare_list("docs_hrefs_sample.tsv") > 0.98);
}

/* ---- the comparison itself ------------------------------------------------------------------- */

CASE(a_lie_is_noticed)
{
  static const char href[] = "http://h/a/b?c&d";
  assert_true(compare(NULL, href, sizeof href - 1));
  fast.segment_begin[2]++;
  assert_false(same_answer(&fast, &slow));
  fast.segment_begin[2]--;
  fast.fetch_bytes[10] ^= 1;
  assert_false(same_answer(&fast, &slow));
}

CASE(limits_are_left_to_the_slow_path)
{
  static char href[URL_LENGTH_MAX + 64] = "http://h/";
  memset(href + 9, 'a', sizeof href - 9);
  assert_true(compare(NULL, href, 2000));
  assert_false(url_fast_resolve(NULL, href, URL_LENGTH_MAX, &fast));
  static url_reference reference;
  href[20] = '|'; /* three bytes in the key; the limit of the direct path is between these sizes */
  assert_int_equal(url_reference_read(href, 2500, NULL, URL_STRICT, &reference), URL_OK);
  assert_true(url_direct_resolve(NULL, &reference, &fast));
  assert_int_equal(url_reference_read(href, 2600, NULL, URL_STRICT, &reference), URL_OK);
  assert_false(url_direct_resolve(NULL, &reference, &fast));
  assert_int_equal(url_parse(href, 2600, URL_STRICT, &slow), URL_OK);
  assert_int_equal(slow.key_size, 2602);
  href[20] = 'a';
  url_base *base = url_base_create();
  href[URL_LENGTH_MAX - 1] = '/';
  assert_int_equal(url_base_set(base, href, URL_LENGTH_MAX), URL_OK);
  assert_false(url_fast_resolve(base, "b", 1, &fast));
  assert_int_equal(url_resolve(base, "b", 1, URL_STRICT, &slow), URL_TOO_LONG);
  url_base_free(base);
}
