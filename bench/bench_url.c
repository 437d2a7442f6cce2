/* Key, fetch URL and segments of every link of a list, against ada (fetch URL only), uriparser alone (fetch URL
 * and normalized key) and libcurl's URL API (fetch URL only), on the same lists, in turns.
 *
 *     bench_url [ROUNDS] [LIST.tsv]...      default: 41 rounds over the three lists of ../shared/data/conformance
 *
 * Two more lists are made of them: their odd links, as is_odd says, and every tenth link written in one of the ways of
 * add_made_odd.
 *
 * A list has lines "base TAB href ..."; the base is parsed where it changes, that is once per page. Each round
 * runs every opponent once over the list; the median round counts. ada is a C++ library obtained elsewhere, found by
 * CMAKE_PREFIX_PATH; without it its column is missing and the bench says so. */
#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uriparser/Uri.h>

#include "frontier/url.h"

#ifdef STRATA_HAS_ADA
void *ada_bench_base(const char *text, size_t size);
void ada_bench_free(void *base);
size_t ada_bench_resolve(const void *base, const char *href, size_t size, unsigned *check);
#endif

/* ---- the list -------------------------------------------------------------------------------- */

typedef struct row {
  const char *base, *href; /* NUL-terminated */
  uint32_t base_size, href_size;
  bool is_new_base; /* not the page of the row before */
} row;

typedef struct list {
  char *text;
  row *rows;
  size_t count, bytes;
} list;

static char *read_file(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  if (text && fread(text, 1, *size, file) == *size)
    text[*size] = '\0';
  fclose(file);
  return text;
}

static uint32_t unescape(char *field)
{
  char *end = field;
  for (const char *at = field; *at; at++)
    *end++ = *at != '\\' || !at[1] ? *at : *++at == 'n' ? '\n' : *at == 't' ? '\t' : *at == 'r' ? '\r' : *at;
  *end = '\0';
  return (uint32_t)(end - field);
}

static void add_row(list *to, const row *from, const char *href, size_t size)
{
  if ((to->count & (to->count + 1)) == 0)
    to->rows = realloc(to->rows, (2 * to->count + 2) * sizeof to->rows[0]);
  bool is_new_base = to->count == 0 || strcmp(to->rows[to->count - 1].base, from->base) != 0;
  to->rows[to->count++] = (row){from->base, href, from->base_size, (uint32_t)size, is_new_base};
  to->bytes += size;
}

static bool read_list(const char *path, list *out)
{
  size_t size;
  *out = (list){.text = read_file(path, &size)};
  if (!out->text)
    return false;
  for (char *line = out->text, *next; *line; line = next) {
    next = line + strcspn(line, "\n");
    if (*next)
      *next++ = '\0';
    char *href = strchr(line, '\t');
    if (line[0] == '#' || !href)
      continue;
    *href++ = '\0';
    href[strcspn(href, "\t")] = '\0';
    uint32_t base_size = (uint32_t)strlen(line);
    add_row(out, &(row){.base = line, .base_size = base_size}, href, unescape(href));
  }
  return true;
}

/* ---- odd links ------------------------------------------------------------------------------- */

static size_t origin_size(const char *href)
{
  size_t scheme = strncmp(href, "https://", 8) == 0 ? 8 : strncmp(href, "http://", 7) == 0 ? 7 : 0;
  return scheme ? scheme + strcspn(href + scheme, "/\\?#") : 0;
}

static bool is_plain_escape(const char *escape)
{
  unsigned byte;
  if (!strchr("0123456789ABCDEF", escape[1]) || !strchr("0123456789ABCDEF", escape[2]) ||
      sscanf(escape + 1, "%2x", &byte) != 1)
    return false;
  return byte >= 0x7f || byte < '-' || byte == '/' || strchr(":;<=>?@[\\]^`{|}", (int)byte);
}

/* Another scheme than http, more than small letters in the host, a byte or an escape that is written otherwise in the
 * key, or a dot segment inside. */
static bool is_odd(const char *href)
{
  size_t origin = origin_size(href), end = strcspn(href, "#"), early = strcspn(href, ":/?#");
  const char *host = strstr(href, "//");
  if (!origin && href[early] == ':')
    return true;
  if (origin && strspn(host + 2, "abcdefghijklmnopqrstuvwxyz-._0123456789") != (size_t)(href + origin - host - 2))
    return true;
  if (origin && href[origin - 1] >= '0' && href[origin - 1] <= '9')
    return true;
  for (size_t i = origin; i < end; i++) {
    unsigned char byte = (unsigned char)href[i];
    if (byte <= ' ' || byte >= 0x7f || strchr("\"<>[\\]^`{|}", byte) || (byte == '%' && !is_plain_escape(href + i)))
      return true;
  }
  return strstr(href + origin + strspn(href + origin, "./"), "/./") || strstr(href + origin, "/../");
}

static void add_odd(list *odd, const list *from)
{
  for (size_t i = 0; i < from->count; i++)
    if (is_odd(from->rows[i].href))
      add_row(odd, &from->rows[i], from->rows[i].href, from->rows[i].href_size);
}

/* Every tenth link, in each of these ways in turn. */
static void add_made_odd(list *made, const list *from)
{
  static const struct {
    const char *front, *end;
    bool drops_origin;
  } ways[] = {
    {"\n ", " ", false},
    {"", " x", false},
    {"", "\xC3\xA9", false},
    {"", "\xE6\x96\xB0\xE8\x81\x9E", false},
    {"", "%c3%a9", false},
    {"", "%7Ex", false},
    {"", "|x", false},
    {"", "[0]", false},
    {"", "%zz", false},
    {"", "\nx", false},
    {"", "'x", false},
    {"", "/./x", false},
    {"", "/../x", false},
    {"\\", "", false},
    {"HTTPS://WWW.", "", true},
    {"http://b\xC3\xBC"
     "cher.example",
     "", true},
    {"http://Example.ORG", "", true},
    {"http://i\xE2\x9D\xA4.ws", "", true},
    {"http://192.168.1.1", "", true},
    {"http://user@example.org:80", "", true},
    {"mailto:x@example.org?body=", "", false},
    {"?page=", "", false},
  };
  for (size_t i = 0; i < from->count; i += 10) {
    const row *at = &from->rows[i];
    size_t way = i / 10 % (sizeof ways / sizeof ways[0]), skipped = ways[way].drops_origin ? origin_size(at->href) : 0;
    bool needs_slash = ways[way].drops_origin && at->href[skipped] != '/';
    char *href = malloc(at->href_size + 64);
    int size = sprintf(href, "%s%s%.*s%s", ways[way].front, needs_slash ? "/" : "",
                       (int)strcspn(at->href + skipped, "#"), at->href + skipped, ways[way].end);
    add_row(made, at, href, (size_t)size); /* for as long as the bench runs */
  }
}

/* ---- the opponents: each returns how many links it accepted ---------------------------------- */

static volatile unsigned sink;

static size_t run_strata(const list *in)
{
  static url out;
  size_t accepted = 0;
  unsigned check = 0;
  url_base *base = url_base_create();
  bool has_base = false;
  for (size_t i = 0; i < in->count; i++) {
    const row *at = &in->rows[i];
    if (at->is_new_base)
      has_base = url_base_set(base, at->base, at->base_size) == URL_OK;
    if (url_resolve(has_base ? base : NULL, at->href, at->href_size, URL_STRICT, &out) == URL_OK) {
      accepted++;
      check += out.fetch_size + out.key_size + out.segment_begin[out.segment_count];
    }
  }
  url_base_free(base);
  sink = check;
  return accepted;
}

#ifdef STRATA_HAS_ADA
static size_t run_ada(const list *in)
{
  size_t accepted = 0;
  unsigned check = 0;
  void *base = NULL;
  for (size_t i = 0; i < in->count; i++) {
    const row *at = &in->rows[i];
    if (at->is_new_base) {
      ada_bench_free(base);
      base = ada_bench_base(at->base, at->base_size);
    }
    accepted += ada_bench_resolve(base, at->href, at->href_size, &check) > 0;
  }
  ada_bench_free(base);
  sink = check;
  return accepted;
}
#endif

static size_t run_uriparser(const list *in)
{
  static char text[65536];
  size_t accepted = 0;
  UriUriA base = {0};
  bool has_base = false;
  for (size_t i = 0; i < in->count; i++) {
    const row *at = &in->rows[i];
    const char *error;
    UriUriA href, resolved;
    if (at->is_new_base) {
      if (has_base)
        uriFreeUriMembersA(&base);
      has_base = *at->base && uriParseSingleUriA(&base, at->base, &error) == URI_SUCCESS;
    }
    if (uriParseSingleUriExA(&href, at->href, at->href + at->href_size, &error) != URI_SUCCESS)
      continue;
    UriUriA *target = &href;
    if (has_base && uriAddBaseUriA(&resolved, &href, &base) == URI_SUCCESS)
      target = &resolved;
    accepted += uriToStringA(text, target, sizeof text, NULL) == URI_SUCCESS &&
                uriNormalizeSyntaxA(target) == URI_SUCCESS &&
                uriToStringA(text, target, sizeof text, NULL) == URI_SUCCESS;
    if (target != &href)
      uriFreeUriMembersA(target);
    uriFreeUriMembersA(&href);
  }
  if (has_base)
    uriFreeUriMembersA(&base);
  return accepted;
}

static size_t run_curl(const list *in)
{
  size_t accepted = 0;
  CURLU *base = curl_url();
  for (size_t i = 0; i < in->count; i++) {
    const row *at = &in->rows[i];
    if (at->is_new_base)
      curl_url_set(base, CURLUPART_URL, *at->base ? at->base : NULL, 0);
    CURLU *handle = curl_url_dup(base);
    char *text = NULL;
    if (curl_url_set(handle, CURLUPART_URL, at->href, CURLU_URLENCODE | CURLU_ALLOW_SPACE) == CURLUE_OK &&
        curl_url_get(handle, CURLUPART_URL, &text, CURLU_NO_DEFAULT_PORT) == CURLUE_OK)
      accepted++;
    curl_free(text);
    curl_url_cleanup(handle);
  }
  curl_url_cleanup(base);
  return accepted;
}

/* ---- timing ---------------------------------------------------------------------------------- */

typedef struct opponent {
  const char *name;
  size_t (*run)(const list *in);
} opponent;

static const opponent opponents[] = {
  {"strata", run_strata},
#ifdef STRATA_HAS_ADA
  {"ada", run_ada},
#endif
  {"uriparser", run_uriparser},
  {"libcurl", run_curl},
};
enum { OPPONENT_COUNT = sizeof opponents / sizeof opponents[0], ROUNDS_MAX = 1001 };

static double now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); /* ours alone: the machine may be busy */
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void compare_on(const char *name, const list *in, size_t rounds)
{
  static double ns[OPPONENT_COUNT][ROUNDS_MAX];
  size_t accepted[OPPONENT_COUNT];
  if (in->count == 0)
    return;
  for (size_t round = 0; round < rounds; round++)
    for (size_t i = 0; i < OPPONENT_COUNT; i++) {
      double begin = now_ns();
      accepted[i] = opponents[i].run(in);
      ns[i][round] = (now_ns() - begin) / (double)in->count;
    }
  printf("%s: %zu links, %.0f bytes each\n", name, in->count, (double)in->bytes / (double)in->count);
  for (size_t i = 0; i < OPPONENT_COUNT; i++)
    qsort(ns[i], rounds, sizeof ns[i][0], compare_doubles);
  for (size_t i = 0; i < OPPONENT_COUNT; i++)
    printf("  %-10s %8.1f ns/link (best %.1f), accepts %zu; strata takes %.2f x its time\n", opponents[i].name,
           ns[i][rounds / 2], ns[i][0], accepted[i], ns[0][rounds / 2] / ns[i][rounds / 2]);
}

int main(int argc, char **argv)
{
  size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 41;
  if (rounds == 0 || rounds > ROUNDS_MAX) {
    fprintf(stderr, "usage: bench_url [ROUNDS, 1 to %d] [LIST.tsv]...\n", ROUNDS_MAX);
    return 2;
  }
#ifndef STRATA_HAS_ADA
  puts("ada: skipped, built without it (no libada was found; CMAKE_PREFIX_PATH says where)");
#endif
  static const char *const paths[] = {SHARED_DATA "/conformance/web_hrefs_readability.tsv",
                                      SHARED_DATA "/conformance/abs_urls.tsv",
                                      SHARED_DATA "/conformance/docs_hrefs_sample.tsv"};
  list odd = {0}, made = {0};
  for (int i = 0; i < (argc > 2 ? argc - 2 : 3); i++) {
    const char *path = argc > 2 ? argv[i + 2] : paths[i], *name = strrchr(path, '/');
    list in; /* its texts stay, for the odd ones */
    if (!read_list(path, &in)) {
      printf("%s: skipped, cannot be read\n", path);
      continue;
    }
    compare_on(name ? name + 1 : path, &in, rounds);
    add_odd(&odd, &in);
    add_made_odd(&made, &in);
  }
  compare_on("odd links", &odd, rounds);
  compare_on("links made odd", &made, rounds);
  return 0;
}
