/* crawler/robots/robots.c: RFC 9309, Google's published cases, and hostile files. */
#include "crawler/robots/robots.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static bool allows(const char *text, const char *agent, const char *path, char rule[256])
{
  robots *file = robots_parse(text, strlen(text), agent);
  assert_non_null(file);
  const char *line;
  bool allowed = robots_allows(file, path, strlen(path), &line);
  snprintf(rule, 256, "%s", line);
  robots_free(file);
  return allowed;
}

typedef struct row {
  const char *text, *agent, *path;
  bool allowed;
  const char *rule;
} row;

#define SIMPLE_EXAMPLE /* RFC 9309, section 5.1 */                                           \
  "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n"          \
  "User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n" \
  "User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n"                 \
  "User-Agent: quxbot\n"

#define TWO_GROUPS_OF_A "user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /y\nuser-agent: a\ndisallow: /z"

static const row rows[] = {
  {SIMPLE_EXAMPLE, "strata", "/a.gif", false, "disallow: *.gif$"},
  {SIMPLE_EXAMPLE, "strata", "/a.gif?b", true, ""},
  {SIMPLE_EXAMPLE, "strata", "/publications/a.gif", true, "allow: /publications/"},
  {SIMPLE_EXAMPLE, "FOOBOT", "/example/page.html", true, "allow: /example/page.html"},
  {SIMPLE_EXAMPLE, "foobot", "/example/", false, "disallow: /"},
  {SIMPLE_EXAMPLE, "bazbot", "/example/page.html?q", false, "disallow: /example/page.html"},
  {SIMPLE_EXAMPLE, "bazbot", "/example/a.gif", true, ""},
  {SIMPLE_EXAMPLE, "quxbot", "/example/a.gif", true, ""}, /* named, so "*" is not for it */

  /* 2.2.1: groups of one agent are one; letter case, what follows the token; * as a last resort */
  {TWO_GROUPS_OF_A, "a", "/z", false, "disallow: /z"},
  {TWO_GROUPS_OF_A, "a", "/x", false, "disallow: /x"},
  {TWO_GROUPS_OF_A, "a", "/y", true, ""},
  {"user-agent: Strata/1.0 (+http://example.org)\ndisallow: /", "strata", "/", false, "disallow: /"},
  {"user-agent: stratabot\ndisallow: /", "strata", "/", true, ""},
  {"user-agent: strat\ndisallow: /", "strata", "/", true, ""},
  {"user-agent: bot1\ndisallow: /", "bot1", "/", false, "disallow: /"},
  {"user-agent: *\nuser-agent: strata\ndisallow: /x", "other", "/x", false, "disallow: /x"},
  {"disallow: /", "strata", "/", true, ""}, /* rules before any group */
  {"user-agent: strata\ncrawl-delay: 1\nfoo: bar\nuser-agent: b\ndisallow: /", "strata", "/", false, "disallow: /"},

  /* 2.2.2: the longest match, Allow on a tie, percent-encoding, case */
  {"user-agent: *\nallow: /a\ndisallow: /ab", "s", "/abc", false, "disallow: /ab"},
  {"user-agent: *\ndisallow: /ab\nallow: /ab", "s", "/abc", true, "allow: /ab"},
  {"user-agent: *\ndisallow: /A", "s", "/a", true, ""},
  {"user-agent: *\ndisallow:", "s", "/a", true, ""},
  {"user-agent: *\ndisallow: /", "s", "", false, "disallow: /"},
  {"user-agent: *\ndisallow: /", "s", "/robots.txt", true, ""},
  {"user-agent: *\ndisallow: /", "s", "/robots.txt?", false, "disallow: /"},
  {"user-agent: *\ndisallow: /%62%61%7A", "s", "/baz", false, "disallow: /%62%61%7A"},
  {"user-agent: *\ndisallow: /baz", "s", "/%62%61%7a", false, "disallow: /baz"},
  {"user-agent: *\ndisallow: /\xE3\x83\x84", "s", "/%e3%83%84", false, "disallow: /\xE3\x83\x84"},
  {"user-agent: *\ndisallow: /%e3%83%84", "s", "/\xE3\x83\x84", false, "disallow: /%e3%83%84"},
  {"user-agent: *\ndisallow: /\nallow: /\xE3\x83\x84", "s", "/%e3%83%84", true, "allow: /\xE3\x83\x84"},
  {"user-agent: *\ndisallow: /\nallow: /baz", "s", "/b%61z", false, "disallow: /"}, /* the restrictive reading */
  {"user-agent: *\ndisallow: /a%2Fb", "s", "/a/b", true, ""},                       /* reserved: not the same */
  {"user-agent: *\ndisallow: /a%2fb", "s", "/a%2Fb", false, "disallow: /a%2fb"},
  {"user-agent: *\ndisallow: /a%2", "s", "/a%2", false, "disallow: /a%2"}, /* cut off: only bytes */
  {"user-agent: *\ndisallow: /a%", "s", "/a%62", false, "disallow: /a%"},

  /* 2.2.3: * and $, and how to mean them literally */
  {"user-agent: *\ndisallow: /a*c*e", "s", "/abcde", false, "disallow: /a*c*e"},
  {"user-agent: *\ndisallow: /a*c*e$", "s", "/aceXe", false, "disallow: /a*c*e$"},
  {"user-agent: *\ndisallow: /a*c*e$", "s", "/aceX", true, ""},
  {"user-agent: *\ndisallow: /a*e$", "s", "/a", true, ""},
  {"user-agent: *\ndisallow: /ab*ab$", "s", "/ab", true, ""}, /* one ab cannot be both */
  {"user-agent: *\ndisallow: /a*$", "s", "/abc", false, "disallow: /a*$"},
  {"user-agent: *\ndisallow: /a***b", "s", "/aXb", false, "disallow: /a***b"},
  {"user-agent: *\ndisallow: *", "s", "/x", false, "disallow: *"},
  {"user-agent: *\ndisallow: $", "s", "/x", true, ""},
  {"user-agent: *\ndisallow: /a$b", "s", "/a$b", false, "disallow: /a$b"}, /* $ elsewhere is a $ */
  {"user-agent: *\ndisallow: /a%2Ab", "s", "/a*b", true, ""},
  {"user-agent: *\ndisallow: /a%2Ab", "s", "/a%2ab", false, "disallow: /a%2Ab"},
  {"user-agent: *\ndisallow: /a%24", "s", "/a%24b", false, "disallow: /a%24"},

  /* lines: endings, blanks, comments, a BOM, no colon, typos, an unfinished last line */
  {"user-agent: *\rdisallow: /x\rallow: /x/y\r", "s", "/x/y", true, "allow: /x/y"},
  {"user-agent: *\r\n\r\ndisallow: /x\r\n", "s", "/x", false, "disallow: /x"},
  {" \tUser-Agent \t:\t * \n Disallow : /x # /y", "s", "/x y", false, "disallow: /x"},
  {"user-agent: *\ndisallow: /x#y", "s", "/x", false, "disallow: /x"},
  {"\xEF\xBB\xBFuser-agent: *\ndisallow: /", "s", "/", false, "disallow: /"},
  {"user-agent *\ndisallow /x", "s", "/x", false, "disallow: /x"},
  {"user-agent: *\ndisallow /x y", "s", "/x", true, ""},
  {"useragent: *\ndissalow: /x", "s", "/x", false, "disallow: /x"},
  {"user-agent: *\n: /x\ndisallow", "s", "/x", true, ""},

  /* /dir/index.html allows /dir/, as at Google */
  {"user-agent: *\ndisallow: /\nallow: /d/index.html", "s", "/d/", true, "allow: /d/index.html"},
  {"user-agent: *\ndisallow: /\nallow: /d/index.html", "s", "/d/x", false, "disallow: /"},
};

CASE(each_row_is_decided_by_its_rule)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char rule[256];
    bool allowed = allows(rows[i].text, rows[i].agent, rows[i].path, rule);
    if (allowed != rows[i].allowed || strcmp(rule, rows[i].rule) != 0)
      fail_msg("row %zu: %s\nagent %s, path %s: %s by \"%s\", expected %s by \"%s\"", i, rows[i].text, rows[i].agent,
               rows[i].path, allowed ? "allow" : "deny", rule, rows[i].allowed ? "allow" : "deny", rows[i].rule);
  }
}

CASE(only_the_first_500_kib_count)
{
  static char text[500 * 1024 + 64];
  memset(text, '\n', sizeof text);
  memcpy(text, "user-agent: *\n", 14);
  memcpy(text + 500 * 1024 - 12, "disallow: /a\ndisallow: /b\n", 26);
  robots *file = robots_parse(text, sizeof text, "strata");
  assert_non_null(file);
  assert_false(robots_allows(file, "/a", 2, NULL));
  assert_true(robots_allows(file, "/b", 2, NULL));
  robots_free(file);
}

/* Google's GoogleOnly_LineTooLong: a rule is cut off, and so matches more. */
CASE(a_long_line_is_cut_off)
{
  static char text[40000], path[20000];
  size_t size = (size_t)sprintf(text, "user-agent: s\ndisallow: /x/");
  memset(text + size, 'a', 16663 - strlen("disallow: /x/"));
  size += 16663 - strlen("disallow: /x/");
  memcpy(text + size, "/qux\n", 6);
  size_t path_size = 16663 - strlen("disallow: ");
  memcpy(path, "/x/", 3);
  memset(path + 3, 'a', path_size - 3);
  robots *file = robots_parse(text, size + 5, "s");
  assert_non_null(file);
  memcpy(path + path_size, "/fux", 4);
  assert_false(robots_allows(file, path, path_size + 4, NULL));
  assert_true(robots_allows(file, path, path_size - 1, NULL));
  assert_true(robots_allows(file, "/fux", 4, NULL));
  robots_free(file);
}

static double delay_of(const char *text, const char *agent)
{
  robots *file = robots_parse(text, strlen(text), agent);
  assert_non_null(file);
  double delay = robots_crawl_delay(file);
  robots_free(file);
  return delay;
}

CASE(crawl_delay_belongs_to_its_agent)
{
  static const char text[] = "user-agent: my\ncrawl-delay: 10\nuser-agent: your\ndisallow: /p\n"
                             "user-agent: *\ncrawl-delay: 30 # seconds\n";
  assert_float_equal(delay_of(text, "my"), 10, 0);
  assert_true(delay_of(text, "your") < 0);
  assert_float_equal(delay_of(text, "their"), 30, 0);
  assert_float_equal(delay_of("user-agent: *\ncrawl-delay: 0.25", "s"), 0.25, 1e-9);
  assert_float_equal(delay_of("user-agent: *\ncrawl-delay: .5s", "s"), 0.5, 1e-9);
  assert_float_equal(delay_of("user-agent: *\ncrawl-delay: 2\ncrawl-delay: 1", "s"), 2, 0); /* the longer */
  static const char *const none[] = {"", "-1", "x", ".", "inf", "nan"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    char one[64];
    snprintf(one, sizeof one, "user-agent: *\ncrawl-delay: %s\n", none[i]);
    assert_true(delay_of(one, "s") < 0);
  }
  char many[512] = "user-agent: *\ncrawl-delay: ";
  memset(many + strlen(many), '9', 400);
  assert_float_equal(delay_of(many, "s"), 1e9, 0); /* finite, whatever they write */
}

CASE(sitemaps_are_for_everyone)
{
  static const char text[] = "sitemap: http://a/1.xml\nuser-agent: x\nSitemap : /2.xml # two\nsitemap:\nsite-map: 3";
  robots *file = robots_parse(text, sizeof text - 1, "strata");
  assert_non_null(file);
  assert_string_equal(robots_sitemap(file, 0), "http://a/1.xml");
  assert_string_equal(robots_sitemap(file, 1), "/2.xml");
  assert_string_equal(robots_sitemap(file, 2), "3");
  assert_null(robots_sitemap(file, 3));
  robots_free(file);
}

/* The slow, obvious matcher. */
static bool model_matches(const char *pattern, const char *path)
{
  if (*pattern == 0 || (pattern[0] == '$' && pattern[1] == 0))
    return *pattern == 0 || *path == 0;
  if (*pattern == '*')
    return model_matches(pattern + 1, path) || (*path && model_matches(pattern, path + 1));
  return *pattern == *path && model_matches(pattern + 1, path + 1);
}

CASE(patterns_agree_with_a_model)
{
  unsigned seed = 9309;
  printf("seed %u\n", seed);
  for (unsigned round = 0; round < 200000; round++) {
    char pattern[10] = "/", path[10] = "/", text[64], rule[256];
    for (unsigned i = 1, n = 1 + (seed = seed * 1664525 + 1013904223) / 65536 % 8; i < n; i++)
      pattern[i] = "ab*$"[(seed = seed * 1664525 + 1013904223) / 65536 % 4];
    for (unsigned i = 1, n = 1 + (seed = seed * 1664525 + 1013904223) / 65536 % 8; i < n; i++)
      path[i] = "aab$"[(seed = seed * 1664525 + 1013904223) / 65536 % 4];
    snprintf(text, sizeof text, "user-agent: *\ndisallow: %s\n", pattern);
    if (allows(text, "s", path, rule) == model_matches(pattern, path))
      fail_msg("round %u: pattern %s, path %s", round, pattern, path);
  }
}

/* Tens of thousands of wildcards against a long path would take seconds: it is denied instead, and a path of ordinary
 * length is decided as ever. */
CASE(hostile_rules_deny_soon)
{
  static char text[ROBOTS_SIZE_MAX], path[24000];
  size_t size = (size_t)sprintf(text, "user-agent: *\n");
  while (size + 32 < sizeof text)
    size += (size_t)sprintf(text + size, "allow: *ab*b\n");
  memset(path, 'a', sizeof path);
  path[0] = '/';
  robots *file = robots_parse(text, size, "s");
  assert_non_null(file);
  const char *rule;
  assert_false(robots_allows(file, path, sizeof path, &rule));
  assert_string_equal(rule, "too many wildcards for so long a path");
  assert_true(robots_allows(file, path, 200, &rule));
  assert_string_equal(rule, "");
  robots_free(file);
}

/* The linker sends robots.c's allocations here (tests/CMakeLists.txt): the n-th from now fails. */
static unsigned allocations_left = UINT32_MAX;

void *real_malloc(size_t size) __asm__("__real_malloc");
void *real_calloc(size_t count, size_t size) __asm__("__real_calloc");
void *real_realloc(void *memory, size_t size) __asm__("__real_realloc");
void *wrap_malloc(size_t size) __asm__("__wrap_malloc");
void *wrap_calloc(size_t count, size_t size) __asm__("__wrap_calloc");
void *wrap_realloc(void *memory, size_t size) __asm__("__wrap_realloc");

static bool fails_now(void)
{
  if (allocations_left == UINT32_MAX)
    return false;
  return allocations_left-- == 0; /* the one after the failed one counts on from UINT32_MAX: never again */
}

void *wrap_malloc(size_t size)
{
  return fails_now() ? NULL : real_malloc(size);
}

void *wrap_calloc(size_t count, size_t size)
{
  return fails_now() ? NULL : real_calloc(count, size);
}

void *wrap_realloc(void *memory, size_t size)
{
  return fails_now() ? NULL : real_realloc(memory, size);
}

/* Short of memory it is NULL, or all there; the sanitizer sees what leaks. */
CASE(memory_may_end_anywhere)
{
  static const char text[] = "user-agent: *\ndisallow: /x\nsitemap: s\n";
  unsigned failed = 0;
  for (unsigned nth = 0; nth < 8; nth++) {
    allocations_left = nth;
    robots *file = robots_parse(text, sizeof text - 1, "s");
    bool was_spent = allocations_left == UINT32_MAX;
    allocations_left = UINT32_MAX;
    failed += file == NULL;
    if (file) {
      assert_false(robots_allows(file, "/x", 2, NULL));
      assert_string_equal(robots_sitemap(file, 0), "s");
    }
    robots_free(file);
    if (!was_spent)
      break;
  }
  assert_int_equal(failed, 4); /* the four that are needed; the two that only shrink are not */
}

/* The path and query of a URL, as Google's matcher cuts it out. */
static const char *path_of(const char *url)
{
  const char *host = strstr(url, "//");
  const char *path = strpbrk(host ? host + 2 : url, "/?");
  return path ? path : "/";
}

static void cases_of(const char *name)
{
  char file_name[512], line[65536];
  snprintf(file_name, sizeof file_name, "%s/conformance/%s", SHARED_DATA, name);
  FILE *file = fopen(file_name, "r");
  if (!file) {
    printf("skipped: no %s\n", file_name);
    skip();
  }
  unsigned cases = 0, failed = 0;
  while (fgets(line, sizeof line, file)) {
    json_t *object = json_loads(line, 0, NULL);
    assert_non_null(object);
    const char *text = json_string_value(json_object_get(object, "robots"));
    const char *agent = json_string_value(json_object_get(object, "agent"));
    const char *url = json_string_value(json_object_get(object, "url"));
    bool expected = json_is_true(json_object_get(object, "allowed"));
    char rule[256];
    cases++;
    if (allows(text, agent, path_of(url), rule) != expected) {
      printf("%s: %s for %s, expected %s\n%s\n", name, url, agent, expected ? "allow" : "deny", text);
      failed++;
    }
    json_decref(object);
  }
  fclose(file);
  printf("%s: %u cases\n", name, cases);
  assert_true(cases > 0);
  assert_int_equal(failed, 0);
}

CASE(googles_cases_pass)
{
  cases_of("google_robots.jsonl");
}

CASE(crawler_commons_cases_pass)
{
  cases_of("cc_robots.jsonl");
}
