/* frontier/text.h: the same answers as url_resolve and frontier_add give one by one, however the texts are cut into
 * calls; what is refused; and calls that fail in the middle. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "frontier/text.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static const uint8_t secret[MLBF_SECRET_BYTES] = {7};
static const frontier_options plain = {.filter = MLBF_KIND_MLBF,
                                       .expected_urls = 100000,
                                       .rate = 1e-9,
                                       .per_host = 1000000,
                                       .depth_cap = UINT16_MAX,
                                       .secret = secret};

static frontier *open_with(const char *directory, const frontier_options *options)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  if (frontier_open(directory, options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

static frontier_text text_of(const char *href)
{
  return (frontier_text){.href = href, .href_size = strlen(href)};
}

static url_base *base_of(const char *text)
{
  url_base *base = url_base_create();
  assert_non_null(base);
  assert_int_equal(url_base_set(base, text, strlen(text)), URL_OK);
  return base;
}

/* ---- one by one, and together ---------------------------------------------------------------------------- */

typedef struct both {
  frontier *alone, *together;
  url_profile profile;
  uint64_t ids; /* given alone */
} both;

static frontier_answer add_alone(both *b, const url_base *base, const frontier_text *text)
{
  static url u;
  frontier_answer said = {.url = url_resolve(base, text->href, text->href_size, b->profile, &u)};
  if (said.url != URL_OK)
    return said;
  assert_int_equal(frontier_add(b->alone, &u, text->origin, 0, &said.verdict), FRONTIER_OK);
  said.id = said.verdict.outcome != FRONTIER_SEEN ? ++b->ids : 0;
  return said;
}

static void assert_same(const frontier_answer *a, const frontier_answer *b, const frontier_text *text)
{
  if (a->url != b->url || a->refused != b->refused || a->id != b->id || a->verdict.outcome != b->verdict.outcome ||
      a->verdict.layer != b->verdict.layer)
    fail_msg("\"%.*s\": url %d, refused %d, id %llu, verdict %d %u; alone %d, %d, %llu, %d %u", (int)text->href_size,
             text->href, a->url, a->refused, (unsigned long long)a->id, a->verdict.outcome, a->verdict.layer, b->url,
             b->refused, (unsigned long long)b->id, b->verdict.outcome, b->verdict.layer);
}

/* The queues of both hold the same, in the same order. */
static void assert_same_leases(frontier *a, frontier *b)
{
  enum { AT_ONCE = 64 };
  frontier_lease one[AT_ONCE], other[AT_ONCE];
  size_t count, others;
  int64_t wait_ms;
  do {
    assert_int_equal(frontier_next(a, 0, one, AT_ONCE, &count, &wait_ms), FRONTIER_OK);
    assert_int_equal(frontier_next(b, 0, other, AT_ONCE, &others, &wait_ms), FRONTIER_OK);
    assert_int_equal(count, others);
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(one[i].id, other[i].id);
      assert_string_equal(one[i].url, other[i].url);
      assert_int_equal(one[i].host_end, other[i].host_end);
      assert_int_equal(one[i].origin.via, other[i].origin.via);
      assert_int_equal(one[i].origin.depth, other[i].origin.depth);
      assert_int_equal(one[i].origin.hops, other[i].origin.hops);
      assert_int_equal(one[i].verdict.outcome, other[i].verdict.outcome);
    }
  } while (count);
}

static both open_both(url_profile profile)
{
  frontier_options options = plain;
  options.profile = profile;
  return (both){open_with(NULL, &options), open_with(NULL, &options), profile, 0};
}

static void close_both(both *b)
{
  assert_same_leases(b->alone, b->together);
  frontier_close(b->alone);
  frontier_close(b->together);
}

/* In calls of up to `most` texts. */
static void compare(both *b, const url_base *base, const frontier_text *texts, size_t count, size_t most)
{
  frontier_answer *answers = calloc(count + 1, sizeof *answers);
  assert_non_null(answers);
  for (size_t at = 0, settled; at < count; at += settled) {
    size_t size = 1 + dice_throw(most);
    size = size < count - at ? size : count - at;
    frontier_text_rules rules = {.base = base};
    assert_int_equal(frontier_add_texts(b->together, &rules, texts + at, size, 0, answers + at, &settled), FRONTIER_OK);
    assert_int_equal(settled, size);
  }
  for (size_t i = 0; i < count; i++) {
    frontier_answer alone = add_alone(b, base, &texts[i]);
    assert_same(&answers[i], &alone, &texts[i]);
  }
  free(answers);
}

static void unescape(frontier_text *text, char *field)
{
  char *end = field;
  text->href = field;
  for (const char *at = field; *at; at++)
    *end++ = *at != '\\' || !at[1] ? *at : *++at == 'n' ? '\n' : *at == 't' ? '\t' : *at == 'r' ? '\r' : *at;
  text->href_size = (size_t)(end - field);
}

/* Lines "base TAB href ...": the texts of a page follow one another. */
static size_t compare_list(both *b, char *lines)
{
  enum { MOST = 4096 };
  static frontier_text texts[MOST];
  size_t count = 0, total = 0;
  char *page = NULL;
  url_base *base = url_base_create();
  for (char *line = lines, *next; line; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = '\0';
    char *href = strchr(line, '\t');
    if (*line == '#' || (!href && *line))
      continue;
    if (href)
      *href++ = '\0';
    if (page && (!href || count == MOST || strcmp(page, line) != 0)) {
      compare(b, url_base_set(base, page, strlen(page)) == URL_OK ? base : NULL, texts, count, 300);
      total += count;
      count = 0;
    }
    page = line;
    if (!href)
      break;
    href[strcspn(href, "\t")] = '\0';
    texts[count].origin = (frontier_origin){.via = total + count, .depth = (uint16_t)count, .hops = 1};
    unescape(&texts[count++], href);
  }
  url_base_free(base);
  return total;
}

CASE(links_of_real_pages)
{
  static const char *const lists[] = {"docs_hrefs_sample.tsv", "web_hrefs_readability.tsv"};
  static const url_profile profiles[] = {URL_STRICT, URL_SORT_QUERY | URL_NO_TRAILING_SLASH, URL_PATH_PAPER};
  size_t total = 0;
  dice_begin(31);
  for (size_t i = 0; i < 2; i++) {
    char path[SCRATCH_PATH];
    scratch_join(SHARED_DATA "/conformance", lists[i], path);
    for (size_t k = 0; k < 3; k++) {
      char *lines = scratch_read(path, &(size_t){0});
      if (!lines)
        continue;
      both b = open_both(profiles[k]);
      total += compare_list(&b, lines);
      close_both(&b);
      free(lines);
    }
  }
  if (!total) {
    print_message("skipped: %s is not there\n", SHARED_DATA);
    skip();
  }
  assert_true(total > 90000);
}

/* ---- hostile hrefs --------------------------------------------------------------------------------------- */

enum { HOSTILE = 400 };

/* As long as may be; its key is another text, and as long or shorter. */
static const char *long_href(unsigned number)
{
  static char hrefs[HOSTILE][URL_LENGTH_MAX + 64];
  char *href = hrefs[number];
  int size = snprintf(href, 64, "http://h%u.test/%%7e", number), end = URL_LENGTH_MAX + (int)(number % 40) - 20;
  memset(href + size, "a%?&/"[number % 5], (size_t)(end - size));
  href[end] = '\0';
  return href;
}

static void make_hostile(frontier_text texts[HOSTILE])
{
  static char huge[1 << 20];
  static const char with_nul[] = "a\0b", bytes[] = "\xff\xfe/\x80?\xc3",
                    deep[] = "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s";
  static const char *const rows[] = {
    "",
    "#",
    "?",
    "mailto:x@y",
    "javascript:alert(1)",
    "//",
    "///",
    "http://",
    "http:///a",
    "//\x01/",
    "http://u:p@h/",
    "http://h:99999/",
    "\\\\h\\a",
    "../../../..",
    "%",
    "%zz",
    "%41%42",
    "http://[::1]/",
    "http://0x7f.1/",
    "http://xn--/",
    "a b",
    "\t\n/a\r",
    "HTTP://H.X/",
    "//\xc3\xbc/",
    "http://h/%2e%2E/",
    "data:,",
    "?a&b&&c",
    "//h:80/",
  };
  memset(huge, '/', sizeof huge);
  for (size_t i = 0; i < HOSTILE; i++)
    texts[i] = i % 3 == 0 ? text_of(rows[i / 3 % (sizeof rows / sizeof *rows)]) : text_of(long_href((unsigned)i));
  texts[1] = (frontier_text){.href = with_nul, .href_size = sizeof with_nul};
  texts[2] = (frontier_text){.href = bytes, .href_size = sizeof bytes - 1};
  texts[4] = text_of(deep);
  texts[5] = (frontier_text){.href = huge, .href_size = sizeof huge};
}

CASE(hostile_hrefs)
{
  static frontier_text texts[HOSTILE];
  make_hostile(texts);
  dice_begin(32);
  url_base *base = base_of("http://base.test/a/b?c");
  for (unsigned round = 0; round < 6; round++) {
    both b = open_both(round % 2 ? URL_EVERY_RULE : URL_STRICT);
    compare(&b, round < 4 ? base : NULL, texts, HOSTILE, round < 2 ? HOSTILE : 50);
    close_both(&b);
  }
  frontier_answer said;
  size_t settled;
  both b = open_both(URL_STRICT);
  frontier_text none = {0};
  frontier_text_rules rules = {.base = base};
  assert_int_equal(frontier_add_texts(b.alone, &rules, &none, 1, 0, &said, &settled), FRONTIER_OK);
  assert_int_equal(said.id, 1); /* the page itself */
  assert_int_equal(frontier_add_texts(b.together, NULL, &none, 1, 0, &said, &settled), FRONTIER_OK);
  assert_int_equal(said.url, URL_BAD_SYNTAX);
  frontier_close(b.alone);
  frontier_close(b.together);
  url_base_free(base);
}

/* Two calls, cut anywhere, answer as one does. */
CASE(cut_at_any_point)
{
  enum { TEXTS = 100 };
  static char hrefs[TEXTS][32];
  frontier_text texts[TEXTS];
  frontier_answer whole[TEXTS], cut[TEXTS];
  size_t settled;
  for (unsigned i = 0; i < TEXTS; i++) {
    snprintf(hrefs[i], sizeof hrefs[i], i % 7 == 3 ? "mailto:%u" : "/%u/%%4%u", i % 40, i % 3);
    texts[i] = text_of(hrefs[i]);
  }
  url_base *base = base_of("http://h.test/");
  const frontier_text_rules rules = {.base = base};
  frontier *f = open_with(NULL, &plain);
  assert_int_equal(frontier_add_texts(f, &rules, texts, TEXTS, 0, whole, &settled), FRONTIER_OK);
  frontier_close(f);
  for (size_t at = 0; at <= TEXTS; at++) {
    f = open_with(NULL, &plain);
    assert_int_equal(frontier_add_texts(f, &rules, texts, at, 0, cut, &settled), FRONTIER_OK);
    assert_int_equal(settled, at);
    assert_int_equal(frontier_add_texts(f, &rules, texts + at, TEXTS - at, 0, cut + at, &settled), FRONTIER_OK);
    assert_int_equal(settled, TEXTS - at);
    for (size_t i = 0; i < TEXTS; i++)
      assert_same(&cut[i], &whole[i], &texts[i]);
    frontier_close(f);
  }
  url_base_free(base);
}

/* ---- filter, keys, payloads ------------------------------------------------------------------------------ */

typedef struct asked {
  size_t next;
  unsigned urls;
} asked;

/* Of five links in turn: fine, no URL, refused with 5, fine, refused with -1. */
static int want_some(void *context, size_t index, const url *u)
{
  asked *a = context;
  char path[32];
  assert_true(index >= a->next && index % 5 != 1);
  snprintf(path, sizeof path, "http://h.test/%zu", index);
  assert_string_equal(u->fetch, path);
  assert_int_equal(u->segment_count, 2);
  a->next = index + 1;
  a->urls++;
  return index % 5 == 2 ? 5 : index % 5 == 4 ? -1 : 0;
}

CASE(the_filter_decides)
{
  enum { TEXTS = 1000 };
  static char hrefs[TEXTS][32];
  static frontier_text texts[TEXTS];
  static frontier_answer answers[TEXTS];
  size_t settled;
  for (unsigned i = 0; i < TEXTS; i++) {
    snprintf(hrefs[i], sizeof hrefs[i], i % 5 == 1 ? "tel:%u" : "%u#x", i);
    texts[i] = text_of(hrefs[i]);
  }
  asked a = {0};
  url_base *base = base_of("http://h.test/");
  frontier_text_rules rules = {.base = base, .accept = want_some, .context = &a};
  frontier *f = open_with(NULL, &plain);
  assert_int_equal(frontier_add_texts(f, &rules, texts, TEXTS, 0, answers, &settled), FRONTIER_OK);
  assert_int_equal(settled, TEXTS);
  assert_int_equal(a.urls, TEXTS / 5 * 4);
  uint64_t id = 0;
  for (size_t i = 0; i < TEXTS; i++) {
    static const int words[] = {0, 0, 5, 0, -1};
    assert_int_equal(answers[i].url, i % 5 == 1 ? URL_BAD_SCHEME : URL_OK);
    assert_int_equal(answers[i].refused, words[i % 5]);
    bool is_added = i % 5 == 0 || i % 5 == 3;
    assert_int_equal(answers[i].id, is_added ? ++id : 0);
    assert_int_equal(answers[i].verdict.outcome != FRONTIER_SEEN, is_added);
  }
  rules.accept = NULL; /* what was refused is not known */
  assert_int_equal(frontier_add_texts(f, &rules, texts, TEXTS, 0, answers, &settled), FRONTIER_OK);
  for (size_t i = 0; i < TEXTS; i++)
    assert_int_equal(answers[i].id, i % 5 == 2 || i % 5 == 4 ? ++id : 0);
  frontier_close(f);
  url_base_free(base);
}

CASE(keys_and_payloads)
{
  static const mlbf_span item[] = {{"shop", 4}, {"/7", 2}};
  static char large[FRONTIER_PAYLOAD_MAX + 1] = "payload";
  frontier_text texts[] = {text_of("http://h.test/1"), text_of("http://h.test/2"), text_of("http://h.test/3"),
                           text_of("http://h.test/4"), text_of("http://h.test/5")};
  frontier_answer answers[5];
  frontier_lease leases[5];
  size_t settled, count;
  int64_t wait_ms;
  texts[0].key = texts[1].key = item;
  texts[0].key_count = texts[1].key_count = 2;
  texts[2].payload = large;
  texts[2].payload_size = FRONTIER_PAYLOAD_MAX;
  texts[3].payload = large;
  texts[3].payload_size = sizeof large;
  frontier *f = open_with(NULL, &plain);
  assert_int_equal(frontier_add_texts(f, NULL, texts, 5, 0, answers, &settled), FRONTIER_BAD_ARGUMENT);
  assert_non_null(strstr(frontier_message(f), "payload"));
  assert_int_equal(settled, 3);
  assert_int_equal(answers[0].id, 1);
  assert_int_equal(answers[1].verdict.outcome, FRONTIER_SEEN);
  assert_int_equal(answers[2].id, 2);
  texts[3] = (frontier_text){.href = texts[3].href, .href_size = texts[3].href_size, .key = item};
  assert_int_equal(frontier_add_texts(f, NULL, texts + 3, 2, 0, answers + 3, &settled), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(settled, 0);
  texts[3].key = NULL;
  assert_int_equal(frontier_add_texts(f, NULL, texts + 3, 2, 0, answers + 3, &settled), FRONTIER_OK);
  assert_int_equal(settled, 2);
  assert_int_equal(frontier_next(f, 0, leases, 5, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 4);
  for (size_t i = 0; i < count; i++) {
    bool has_payload = strcmp(leases[i].url, "http://h.test/3") == 0;
    assert_int_equal(leases[i].payload_size, has_payload ? FRONTIER_PAYLOAD_MAX : 0);
    assert_true(!has_payload || memcmp(leases[i].payload, large, FRONTIER_PAYLOAD_MAX) == 0);
  }
  frontier_close(f);
}

/* ---- callers of other builds ----------------------------------------------------------------------------- */

/* A later header's: fields at the end that are not known here. */
typedef struct later_text {
  frontier_text now;
  uint64_t more;
} later_text;

typedef struct later_rules {
  frontier_text_rules now;
  void *more;
} later_rules;

typedef struct later_answer {
  frontier_answer now;
  uint64_t more;
} later_answer;

CASE(structs_of_other_sizes)
{
  enum { EARLIER = offsetof(frontier_text, key) };
  url_base *base = base_of("http://h.test/");
  later_rules rules = {.now.base = base};
  later_text texts[] = {{text_of("a"), 0}, {text_of("b"), 0}, {text_of("c"), 1}, {text_of("d"), 0}};
  later_answer answers[4];
  char earlier[2][EARLIER];
  uint64_t ids[2];
  size_t settled;
  frontier *f = open_with(NULL, &plain);
  memset(answers, 0xff, sizeof answers);
  assert_int_equal(frontier_add_texts_sized(f, &rules.now, sizeof rules, &texts[0].now, sizeof *texts, 4, 0,
                                            &answers[0].now, sizeof *answers, &settled),
                   FRONTIER_BAD_ARGUMENT);
  assert_int_equal(settled, 2); /* the third sets what is not known */
  assert_int_equal(answers[1].now.id, 2);
  assert_int_equal(answers[1].more, 0);
  assert_int_equal(answers[2].more, UINT64_MAX);
  rules.more = &rules;
  assert_int_equal(frontier_add_texts_sized(f, &rules.now, sizeof rules, &texts[3].now, sizeof *texts, 1, 0,
                                            &answers[3].now, sizeof *answers, &settled),
                   FRONTIER_BAD_ARGUMENT);
  assert_int_equal(settled, 0);
  memcpy(earlier[0], &texts[1], EARLIER);
  memcpy(earlier[1], &texts[3], EARLIER);
  static const size_t no_id = offsetof(frontier_answer, id);
  assert_true(no_id <= sizeof ids);
  assert_int_equal(frontier_add_texts_sized(f, &rules.now, sizeof rules.now, (const frontier_text *)(void *)earlier,
                                            EARLIER, 2, 0, (frontier_answer *)(void *)ids, sizeof ids[0], &settled),
                   FRONTIER_OK);
  assert_int_equal(settled, 2);
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, 3);
  assert_int_equal(ids[0], 0); /* URL_OK, not refused */
  frontier_close(f);
  url_base_free(base);
}

/* ---- failures -------------------------------------------------------------------------------------------- */

enum { MANY = 60000 };

static char many_hrefs[MANY][16];
static frontier_text many[MANY];
static frontier_answer many_answers[MANY];

static void make_many(void)
{
  for (unsigned i = 0; i < MANY; i++) {
    snprintf(many_hrefs[i], sizeof many_hrefs[i], i % 10 == 9 ? "mailto:%u" : "/%u", i);
    many[i] = text_of(many_hrefs[i]);
  }
}

static void limit_files(rlim_t size)
{
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = size;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The open batch is full, and cannot be committed: what was taken before is known, and the rest follows. */
CASE(a_full_disk_in_the_middle)
{
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  struct stat file;
  size_t settled, rest;
  frontier_stats stats;
  signal(SIGXFSZ, SIG_IGN);
  scratch_make_fast(directory);
  make_many();
  url_base *base = base_of("http://h.test/");
  const frontier_text_rules rules = {.base = base};
  frontier *f = open_with(directory, &plain);
  scratch_join(directory, "data.mdb", path);
  assert_int_equal(stat(path, &file), 0);
  limit_files((rlim_t)file.st_size);
  assert_int_equal(frontier_add_texts(f, &rules, many, MANY, 0, many_answers, &settled), FRONTIER_NO_SPACE);
  assert_in_range(settled, 24000, MANY - 1000);
  for (size_t i = 0; i < settled; i++)
    assert_int_equal(many_answers[i].id, i % 10 == 9 ? 0 : i / 10 * 9 + i % 10 + 1);
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, settled - settled / 10); /* that many, no more */
  limit_files(RLIM_INFINITY);
  assert_int_equal(frontier_add_texts(f, &rules, many + settled, MANY - settled, 0, many_answers + settled, &rest),
                   FRONTIER_OK);
  assert_int_equal(rest, MANY - settled);
  for (size_t i = 0; i < MANY; i++)
    assert_int_equal(many_answers[i].id, i % 10 == 9 ? 0 : i / 10 * 9 + i % 10 + 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  frontier_options reader = plain;
  reader.read_only = true;
  f = open_with(directory, &reader);
  assert_int_equal(frontier_add_texts(f, &rules, many, 1, 0, many_answers, &settled), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(settled, 0);
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, MANY / 10 * 9);
  frontier_close(f);
  url_base_free(base);
  scratch_remove(directory);
}

/* ---- threads --------------------------------------------------------------------------------------------- */

typedef struct adder {
  frontier *f;
  uint64_t accepted, asked;
} adder;

static int count_one(void *context, size_t index, const url *u)
{
  adder *a = context;
  (void)index;
  (void)u;
  a->asked++;
  return 0;
}

static void *add_all(void *context)
{
  enum { AT_ONCE = 500 };
  adder *a = context;
  frontier_answer answers[AT_ONCE];
  url_base *base = base_of("http://h.test/");
  const frontier_text_rules rules = {.base = base, .accept = count_one, .context = a};
  for (size_t at = 0, settled; at < MANY; at += AT_ONCE) {
    if (frontier_add_texts(a->f, &rules, many + at, AT_ONCE, 0, answers, &settled) != FRONTIER_OK)
      break;
    for (size_t i = 0; i < AT_ONCE; i++)
      a->accepted += answers[i].id != 0;
  }
  url_base_free(base);
  return NULL;
}

CASE(threads_that_add_the_same)
{
  pthread_t threads[3];
  adder adders[3];
  make_many();
  frontier *f = open_with(NULL, &plain);
  for (size_t i = 0; i < 3; i++) {
    adders[i] = (adder){.f = f};
    assert_int_equal(pthread_create(&threads[i], NULL, add_all, &adders[i]), 0);
  }
  uint64_t accepted = 0;
  for (size_t i = 0; i < 3; i++) {
    pthread_join(threads[i], NULL);
    accepted += adders[i].accepted;
    assert_int_equal(adders[i].asked, MANY / 10 * 9);
  }
  assert_int_equal(accepted, MANY / 10 * 9);
  frontier_close(f);
}
