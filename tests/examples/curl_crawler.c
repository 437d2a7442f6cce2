/* A crawler on libcurl's multi interface: the frontier says what to fetch and when, curl fetches, this file connects
 * them.
 *   curl_crawler DIRECTORY URL       stays on the host of URL; run it again, and it goes on where it stopped
 * For the sake of shortness it takes what stands between `href="` and `"` for the links of a page, asks no robots.txt,
 * and trusts the servers: a real one does more. */
#include "frontier/host.h"
#include "frontier/text.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AT_ONCE = 8, LINKS = 256, BODY_MAX = 1 << 20 };

typedef struct fetch {
  CURL *easy;
  frontier_lease lease;
  char *body;
  size_t size;
} fetch;

typedef struct crawler {
  frontier *f;
  CURLM *multi;
  url_base *base;
  char *host; /* we stay here */
  unsigned running;
} crawler;

static uint64_t read_ms(clockid_t which)
{
  struct timespec now;
  clock_gettime(which, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t now_ms(void)
{
  return read_ms(CLOCK_MONOTONIC);
}

static void stop(const char *why)
{
  fprintf(stderr, "curl_crawler: %s\n", why);
  exit(1);
}

static void must(crawler *c, frontier_status status)
{
  if (status != FRONTIER_OK)
    stop(frontier_message(c->f));
}

static size_t take_body(char *bytes, size_t one, size_t count, void *context)
{
  fetch *x = context;
  char *larger = x->size + one * count < BODY_MAX ? realloc(x->body, x->size + one * count + 1) : NULL;
  if (!larger)
    return 0; /* curl ends the transfer */
  memcpy(larger + x->size, bytes, one * count);
  x->body = larger;
  x->size += one * count;
  x->body[x->size] = '\0';
  return one * count;
}

static void start(crawler *c, const frontier_lease *lease)
{
  fetch *x = calloc(1, sizeof *x);
  if (!x || !(x->easy = curl_easy_init()))
    stop("out of memory");
  x->lease = *lease;
  curl_easy_setopt(x->easy, CURLOPT_URL, lease->url);
  curl_easy_setopt(x->easy, CURLOPT_PRIVATE, x);
  curl_easy_setopt(x->easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(x->easy, CURLOPT_WRITEDATA, x);
  curl_easy_setopt(x->easy, CURLOPT_TIMEOUT, 10L);
  curl_multi_add_handle(c->multi, x->easy);
  c->running++;
}

/* The filter of frontier_add_texts: 0 takes a URL. */
static int is_elsewhere(void *context, size_t index, const url *u)
{
  const crawler *c = context;
  (void)index;
  return strlen(c->host) != u->host_end - u->host_begin ||
         memcmp(u->fetch + u->host_begin, c->host, strlen(c->host)) != 0;
}

static void add_some(crawler *c, const frontier_text *links, size_t count)
{
  frontier_text_rules rules = {.base = c->base, .accept = is_elsewhere, .context = c};
  frontier_answer answers[LINKS];
  size_t settled;
  must(c, frontier_add_texts(c->f, &rules, links, count, now_ms(), answers, &settled));
}

static void add_links(crawler *c, const fetch *x)
{
  frontier_text links[LINKS];
  frontier_origin origin = {.via = x->lease.id, .depth = (uint16_t)(x->lease.origin.depth + 1)};
  size_t count = 0;
  url_base_set(c->base, x->lease.url, x->lease.url_size);
  for (const char *at = x->body, *end; at && (at = strstr(at, "href=\"")) && (end = strchr(at += 6, '"')); at = end) {
    links[count++] = (frontier_text){.href = at, .href_size = (size_t)(end - at), .origin = origin};
    if (count == LINKS) {
      add_some(c, links, count);
      count = 0;
    }
  }
  add_some(c, links, count);
}

static void finish(crawler *c, fetch *x, CURLcode result)
{
  long status = 0;
  curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
  bool is_good = result == CURLE_OK && status == 200;
  printf("%ld %s\n", status, x->lease.url);
  if (is_good)
    add_links(c, x); /* before the page is done: so a crash can lose neither */
  frontier_state state = is_good ? FRONTIER_DONE : FRONTIER_FAILED;
  must(c, frontier_done(c->f, x->lease.id, state, (uint16_t)status, NULL, 0, now_ms()));
  curl_multi_remove_handle(c->multi, x->easy);
  curl_easy_cleanup(x->easy);
  free(x->body);
  free(x);
  c->running--;
}

static void collect(crawler *c)
{
  int left;
  for (CURLMsg *message; (message = curl_multi_info_read(c->multi, &left));) {
    fetch *x = NULL;
    CURLcode result = message->data.result; /* the message is gone with its handle */
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &x);
    finish(c, x, result);
  }
}

static void crawl(crawler *c)
{
  while (!frontier_is_finished(c->f)) {
    frontier_lease leases[AT_ONCE];
    size_t count = 0;
    int64_t wait_ms = 1000;
    int running;
    if (c->running < AT_ONCE)
      must(c, frontier_next(c->f, now_ms(), leases, AT_ONCE - c->running, &count, &wait_ms));
    for (size_t i = 0; i < count; i++)
      start(c, &leases[i]);
    if (count)
      wait_ms = 0; /* let them begin */
    else if (wait_ms < 0 || wait_ms > 1000)
      wait_ms = 1000;
    curl_multi_poll(c->multi, NULL, 0, (int)wait_ms, NULL); /* until a transfer moves, or the next host is due */
    curl_multi_perform(c->multi, &running);
    collect(c);
  }
}

int main(int argc, char **argv)
{
  crawler c = {0};
  static url first; /* 17 KB: not for the stack */
  char why[FRONTIER_MESSAGE_SIZE];
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 100000, .rate = 1e-6, .delay_ms = 5, .per_host = 4, .depth_cap = 20};
  frontier_verdict verdict;
  if (argc != 3 || url_parse(argv[2], strlen(argv[2]), URL_STRICT, &first) != URL_OK)
    stop("a directory and a URL, please");
  if (frontier_open(argv[1], &options, &c.f, why) != FRONTIER_OK)
    stop(why);
  frontier_clock(c.f, now_ms(), read_ms(CLOCK_REALTIME)); /* so that a back-off holds in the next run, too */
  c.multi = curl_multi_init();
  c.base = url_base_create();
  c.host = strndup(first.fetch + first.host_begin, first.host_end - first.host_begin);
  if (!c.multi || !c.base || !c.host)
    stop("out of memory");
  must(&c, frontier_add(c.f, &first, (frontier_origin){0}, now_ms(), &verdict));
  crawl(&c);
  curl_multi_cleanup(c.multi);
  url_base_free(c.base);
  free(c.host);
  return frontier_close(c.f) != FRONTIER_OK;
}
