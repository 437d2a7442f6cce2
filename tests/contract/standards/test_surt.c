/* The keys of the index: rows; a slow obvious model over random texts and a list of real URLs; hostile lengths. */
#include "crawler/warc/surt.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/dice.h"
#include "tests/support/test.h"

#define ID24 "0123456789abcdefghijklmn"
#define ID32 ID24 "opqrstuv"

typedef struct row {
  const char *url, *key;
} row;

static void check(const row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    char *key = surt_key(rows[i].url);
    assert_string_equal(key, rows[i].key);
    free(key);
  }
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

/* what surt's documentation shows: labels reversed, `www` off, lower case, parameters sorted, default ports off */
CASE(hosts)
{
  static const row rows[] = {
    {"http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b"},
    {"http://www.archive.org/", "org,archive)/"},
    {"http://www2.example.com/", "com,example)/"},
    {"http://www12.www3.example.com/", "com,example,www3)/"},
    {"http://archive.org:8080/goo/", "org,archive:8080)/goo"},
    {"https://archive.org:80/", "org,archive:80)/"},
    {"http://Example.COM/A/B.html", "com,example)/a/b.html"},
    {"http://a.b.c.example.org/x?y", "org,example,c,b,a)/x?y"},
    {"http://example.org./", "org,example)/"},
    {"http://me:word@example.org:81/", "org,example:81)/"},
    {"http://127.0.0.1:36557/", "1,0,0,127:36557)/"},
    {"http://192.168.10.2/a", "2,10,168,192)/a"},
    {"http://[::1]:8080/a", "::1:8080)/a"},
    {"http://[2001:DB8::1]/", "2001:db8::1)/"},
    {"http://xn--bcher-kva.example/", "example,xn--bcher-kva)/"},
    {"http://h:0/", "h)/"},
    {"http://localhost/", "localhost)/"},
    {"http://www/", "www)/"},
    {"http://www.com/", "com)/"},
    {"http://wwwx.org/", "org,wwwx)/"},
    {"http://www-2.org/", "org,www-2)/"},
  };
  CHECK(rows);
}

CASE(paths)
{
  static const row rows[] = {
    {"https://h", "h)/"},
    {"https://h/a/", "h)/a"},
    {"https://h/a//", "h)/a"},
    {"https://h//", "h)/"},
    {"https://h/x//y///z", "h)/x/y/z"},
    {"https://h/a%2Fb", "h)/a/b"},
    {"https://h/%7Ebob/%41", "h)/~bob/a"},
    {"https://h/%252541", "h)/a"},
    {"https://h/100%25", "h)/100%25"},
    {"https://h/100%", "h)/100%25"},
    {"https://h/%%%zz", "h)/%25%25%25zz"},
    {"https://h/%C3%89", "h)/%c3%89"},
    {"https://h/\xC3\x89", "h)/%c3%89"},
    {"https://h/a%20b%09", "h)/a%20b%09"},
    {"https://h/a%23b%3Fc", "h)/a%23b?c"},
    {"https://h/%00", "h)/%00"},
    {"https://h/!$&'()*+,-.:;=@[]^_`{|}~\"<>\\", "h)/!$&'()*+,-.:;=@[]^_`{|}~\"<>\\"},
    {"https://h/a%2F..%2Fb/.", "h)/b"},
    {"https://h/%2e%2e/a", "h)/../a"},
    {"https://h/%2e%2e/%2e%2e/a", "h)/a"},
    {"https://h/a//%2e%2e/b", "h)/a/b"},
    {"https://h/a#f", "h)/a"},
  };
  CHECK(rows);
}

CASE(queries)
{
  static const row rows[] = {
    {"https://h/?", "h)/"},
    {"https://h?q", "h)/?q"},
    {"https://h/a?b&&a", "h)/a?&a&b"},
    {"https://h/?a-b=2&a=1", "h)/?a=1&a-b=2"},
    {"https://h/?a=&a&a=b&a=B", "h)/?a&a=&a=b&a=b"},
    {"https://h/?B=2&a=1", "h)/?a=1&b=2"},
    {"https://h/?u=http%3A%2F%2Fy.org%2F%3Fz%26a", "h)/?a&u=http://y.org/?z"},
    {"https://h/?q=a+b%20c%2Bd", "h)/?q=a+b%20c+d"},
    {"https://h/?q=%25%32%35", "h)/?q=%25"},
    {"https://h/?a//b/./../c/", "h)/?a//b/./../c/"},
    {"https://h/?&", "h)/?&"},
    {"https://h/?a#b?c", "h)/?a"},
  };
  CHECK(rows);
}

CASE(session_ids)
{
  static const row rows[] = {
    {"https://h/?a=1&jsessionid=" ID32 "&b=2", "h)/?a=1&b=2"},
    {"https://h/?JSessionID=" ID32, "h)/"},
    {"https://h/?a=1&PHPSESSID=" ID32, "h)/?&a=1"},
    {"https://h/?xsid=" ID32 "&y", "h)/?xy"},
    {"https://h/?sid=" ID32 "x", "h)/?sid=" ID32 "x"},
    {"https://h/?sid=" ID24, "h)/?sid=" ID24},
    {"https://h/?sid=" ID32 "&sid=" ID32, "h)/?&sid=" ID32},
    {"https://h/?ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&a", "h)/?a"},
    {"https://h/?ASPSESSIONIDABCDEFG1=ABCDEFGHIJKLMNOPQRSTUVWX", "h)/?aspsessionidabcdefg1=abcdefghijklmnopqrstuvwx"},
    {"https://h/?x&CFID=1&CFTOKEN=2&y", "h)/?x&y"},
    {"https://h/?cfid=1&cftoken=", "h)/?cfid=1&cftoken="},
    {"https://h/?cfid=1&y&cftoken=2", "h)/?cfid=1&cftoken=2&y"},
    {"https://h/a/(" ID24 ")/p.aspx", "h)/a/p.aspx"},
    {"https://h/(S(" ID24 "))/p.ASPX", "h)/p.aspx"},
    {"https://h/(A(" ID24 ")F(" ID24 "))/b/p.aspx?x", "h)/b/p.aspx?x"},
    {"https://h/(" ID24 ")/p.html", "h)/(" ID24 ")/p.html"},
    {"https://h/(" ID24 ")/.aspx", "h)/(" ID24 ")/.aspx"},
    {"https://h/(" ID24 ")/a%3Fb.aspx", "h)/(" ID24 ")/a?b.aspx"},
    {"https://h/a;jsessionid=" ID32, "h)/a;jsessionid=" ID32},
  };
  CHECK(rows);
}

/* ---- the model: each step over the whole text, as often as it takes ---------------------------------------------- */

enum { MODEL_MAX = 200000, PIECES_MAX = 4096 };

static bool escape_at(const char *at, size_t left, unsigned *byte)
{
  char digits[3] = {left > 2 ? at[1] : 0, left > 2 ? at[2] : 0, 0}, *end;
  *byte = (unsigned)strtoul(digits, &end, 16);
  return left > 2 && *at == '%' && strspn(digits, "0123456789abcdefABCDEF") == 2;
}

static size_t model_unescape(char *text, size_t size)
{
  for (bool changed = true; changed;) {
    size_t end = 0;
    changed = false;
    for (size_t i = 0; i < size; i++) {
      unsigned byte;
      bool is_escape = escape_at(text + i, size - i, &byte);
      text[end++] = is_escape ? (char)byte : text[i];
      i += is_escape ? 2 : 0;
      changed |= is_escape;
    }
    size = end;
  }
  return size;
}

static void model_escape(char *out, const char *text, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)text[i];
    bool is_plain = c > 32 && c < 127 && c != '#' && c != '%';
    out += sprintf(out, is_plain ? "%c" : "%%%02x", c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
  *out = '\0';
}

/* Takes away what `pattern` matches between its groups 1 and `last`. */
static void model_drop(char *text, const char *pattern, size_t last)
{
  regex_t regex;
  regmatch_t groups[8];
  assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_ICASE), 0);
  if (regexec(&regex, text, 8, groups, 0) == 0) {
    const char *behind = groups[last].rm_so >= 0 ? text + groups[last].rm_so : text + strlen(text);
    memmove(text + groups[1].rm_eo, behind, strlen(behind) + 1);
  }
  regfree(&regex);
}

/* The pieces of a text between `mark`, copied; returns how many. */
static size_t model_split(const char *text, size_t size, char mark, char *pieces[PIECES_MAX], size_t sizes[PIECES_MAX])
{
  size_t count = 0;
  for (const char *at = text, *end = text + size; at <= end; at += sizes[count++] + 1) {
    const char *next = memchr(at, mark, (size_t)(end - at));
    assert_true(count < PIECES_MAX);
    sizes[count] = (size_t)((next ? next : end) - at);
    pieces[count] = malloc(sizes[count] + 1);
    memcpy(pieces[count], at, sizes[count]);
    pieces[count][sizes[count]] = '\0';
  }
  return count;
}

static void model_path(char *out, char *path, size_t size)
{
  static char *pieces[PIECES_MAX], joined[MODEL_MAX];
  static size_t sizes[PIECES_MAX], kept[PIECES_MAX];
  size_t count, kept_count = 0, end = 0;
  size = model_unescape(path, size);
  count = model_split(path, size, '/', pieces, sizes);
  for (size_t i = 1; i < count; i++) {
    bool is_up = sizes[i] == 2 && memcmp(pieces[i], "..", 2) == 0;
    if (is_up && kept_count)
      kept_count--;
    else if (sizes[i] != 1 || *pieces[i] != '.')
      kept[kept_count++] = i;
  }
  joined[end++] = '/';
  for (size_t i = 0; i < kept_count; i++) {
    memcpy(joined + end, pieces[kept[i]], sizes[kept[i]]);
    end += sizes[kept[i]];
    if (i + 1 < kept_count && sizes[kept[i]])
      joined[end++] = '/';
  }
  model_escape(out, joined, end);
  model_drop(out, "^(.*/)(\\(([a-z]\\([0-9a-z]{24}\\))+\\)/)([^?]+\\.aspx.*)$", 4);
  model_drop(out, "^(.*/)(\\([0-9a-z]{24}\\)/)([^?]+\\.aspx.*)$", 3);
  if (strlen(out) > 1 && out[strlen(out) - 1] == '/')
    out[strlen(out) - 1] = '\0';
  for (size_t i = 0; i < count; i++)
    free(pieces[i]);
}

/* '=' sorts first of all, and the end before it: so a text can be compared as a name and a value. */
static int model_order(const void *a, const void *b)
{
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  size_t x_name = strcspn(x, "="), y_name = strcspn(y, "=");
  int order = strncmp(x, y, x_name < y_name ? x_name : y_name);
  return order ? order : x_name != y_name ? (x_name > y_name) - (x_name < y_name) : strcmp(x, y);
}

static void model_query(char *out, char *query, size_t size)
{
  static const char *const patterns[] = {
    "^(.*)jsessionid=[0-9a-z]{32}(&(.*))?$",  "^(.*)phpsessid=[0-9a-z]{32}(&(.*))?$",
    "^(.*)sid=[0-9a-z]{32}(&(.*))?$",         "^(.*)aspsessionid[a-z]{8}=[a-z]{24}(&(.*))?$",
    "^(.*)cfid=[^&]+&cftoken=[^&]+(&(.*))?$",
  };
  static char *pieces[PIECES_MAX], text[MODEL_MAX];
  static size_t sizes[PIECES_MAX];
  model_escape(text, query, model_unescape(query, size));
  for (size_t i = 0; i < 5; i++)
    model_drop(text, patterns[i], 3);
  *out = '\0';
  if (!*text)
    return;
  size_t count = model_split(text, strlen(text), '&', pieces, sizes);
  qsort(pieces, count, sizeof *pieces, model_order);
  for (size_t i = 0; i < count; i++) {
    out += sprintf(out, "%s%s", i ? "&" : "?", pieces[i]);
    free(pieces[i]);
  }
}

/* The path and query of a key. */
static const char *model(const char *path_and_query)
{
  static char key[MODEL_MAX], path[MODEL_MAX], query[MODEL_MAX];
  size_t path_size = strcspn(path_and_query, "?#");
  const char *rest = path_and_query + path_size;
  memcpy(path, path_and_query, path_size);
  model_path(key, path, path_size);
  if (*rest == '?') {
    size_t size = strcspn(rest + 1, "#");
    memcpy(query, rest + 1, size);
    model_query(key + strlen(key), query, size);
  }
  return key;
}

static void differs(const char *url, const char *path_and_query)
{
  char *key = surt_key(url), *ours = key ? strchr(key, ')') : NULL;
  assert_non_null(ours);
  const char *expected = model(path_and_query);
  if (strcmp(ours + 1, expected) != 0)
    fail_msg("%s: %s, not %s", url, ours + 1, expected);
  free(key);
}

CASE(as_the_model)
{
  // NOLINTBEGIN(bugprone-suspicious-missing-comma): some pieces have an id in them
  static const char *const pieces[] = {"%",
                                       "25",
                                       "2",
                                       "4",
                                       "1",
                                       "2f",
                                       "2E",
                                       "/",
                                       "//",
                                       "..",
                                       ".",
                                       "&",
                                       "=",
                                       "?",
                                       "a",
                                       "B",
                                       "#",
                                       "(",
                                       ")",
                                       "/(" ID24 ")/",
                                       "/(s(" ID24 "))/",
                                       ".aspx",
                                       "sid=" ID32,
                                       "jsession",
                                       "phpses",
                                       "cfid=",
                                       "&cftoken=",
                                       "ASPSESSIONIDABCDEFGH=abcdefghijklmnopqrstuvwx",
                                       "&",
                                       "/",
                                       "%26",
                                       "%3f",
                                       "%2F",
                                       "\xC3",
                                       " ",
                                       "-"};
  // NOLINTEND(bugprone-suspicious-missing-comma)
  dice_begin(random_commit_seed());
  for (unsigned i = 0; i < 20000; i++) {
    char url[2048] = "http://h/";
    for (unsigned left = (unsigned)dice_throw(24); left; left--)
      strcat(url, pieces[dice_throw(sizeof pieces / sizeof *pieces)]);
    differs(url, url + 8);
  }
}

CASE(real_urls)
{
  static char line[MODEL_MAX];
  unsigned count = 0;
  FILE *file = fopen(SHARED_DATA "/conformance/abs_urls.tsv", "r");
  if (!file) {
    printf("skipped: no abs_urls.tsv\n");
    skip();
  }
  while (fgets(line, sizeof line, file)) {
    char *fields = line, *url = NULL;
    for (unsigned i = 0; i < 3; i++)
      url = strsep(&fields, "\t\n");
    const char *host = url ? strstr(url, "://") : NULL;
    if (!host || strncmp(url, "http", 4) != 0)
      continue;
    const char *path = host + 3 + strcspn(host + 3, "/?#");
    differs(url, path);
    count++;
  }
  fclose(file);
  printf("%u URLs\n", count);
  assert_true(count > 0);
}

/* What takes a pass for each escape, or a search for each session, would take minutes. */
CASE(time_is_linear)
{
  enum { SIZE = 1 << 20 };
  // NOLINTBEGIN(bugprone-suspicious-missing-comma): some pieces have an id in them
  static const char *const pieces[] = {
    "25", "/(" ID24 ")/a", "cfid=", "&cfid=1&cftoken=", "sid=", "/a/../", "/..", "%", "&", "?", "www1."};
  // NOLINTEND(bugprone-suspicious-missing-comma)
  char *url = malloc(SIZE + 100);
  clock_t begin = clock();
  for (size_t i = 0; i < 2 * (sizeof pieces / sizeof *pieces); i++) {
    const char *piece = pieces[i / 2];
    size_t size = (size_t)sprintf(url, i % 2 ? "http://h/?%%" : "http://h/%%"), step = strlen(piece);
    for (; size + step < SIZE; size += step)
      memcpy(url + size, piece, step);
    url[size] = '\0';
    char *key = surt_key(url);
    assert_non_null(key);
    free(key);
  }
  free(url);
  assert_true(clock() - begin < 60 * CLOCKS_PER_SEC);
}
