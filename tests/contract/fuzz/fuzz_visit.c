/* A whole crawl over whatever responses there are: head and body of each through robots_cache.c, visit.c, visit_end.c
 * and harvest.c into a frontier in memory. It ends, asks for nothing that it should not, its lines of pages.jsonl are
 * JSON, and into which pieces bodies are cut changes nothing.
 *
 * The first two bytes of an input are options of the crawl. The rest are responses one after the other, each up to
 * "%%+\n": head, empty line, body; the first fetch gets the first one, whatever its URL. One that does not begin with
 * "HTTP/" is an error. With a field "X-Times: N" its body comes N times, so that a short input has a long one. When
 * there are no more, the crawl is stopped. One into a directory that has ended before is begun again an hour later, and
 * asks whether its pages have changed.
 *
 * In place of crawler/http/fetch.c and frontier/base/machine.c is what is defined here: nothing goes over a network,
 * and waiting makes the time pass at once. (Bytes on a socket: fuzz_response.c.) */
#include "crawler/http/fetch.h"
#include "crawler/http/http_head.h"
#include "crawler/http/ledger.h"
#include "crawler/http/request.h"
#include "crawler/loop/crawl.h"
#include "crawler/loop/commit_files.h"
#include "crawler/loop/visit_end.h"
#include "frontier/base/machine.h"
#include "frontier/recrawl.h"
#include "frontier/traps.h"
#include "tests/support/scratch.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NO_ROBOTS = 1, NOFOLLOW = 2, IMAGES = 4, GUESSES = 8, FILES = 16, ANY = 32, DOMAIN = 64, ADDRESSES = 128 };
enum { PATTERNS = 1, TRIES = 2, DELAY = 4, SHALLOW = 8, BUDGETS = 16, NEAR_LAST = 32, COOKIES = 64, SMALL = 128 };
enum { MARK = 4, STEPS_MAX = 20000, BODY_MAX = 3 << 18, BODY_SMALL = 100 };
enum { BODY_SENT_MAX = BODY_MAX + 1000, BODY_LONG = 1 << 16, PIECE_LONG = 5000, AGAIN_MAX = 2 };

static void check(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "fuzz_visit: %s\n", what);
  abort();
}

/* One crawl: what it is given, and what came of it. */
static struct world {
  unsigned of_crawl, more; /* the input's two bytes of options */
  const uint8_t *rest;
  size_t rest_size;
  uint64_t now_ms;
  unsigned pieces, random; /* pieces: the largest of a body; 0: it is whole */
  unsigned steps, idle;    /* idle: of the last steps, those in which nothing was under way */
  crawl *crawl;
  XXH3_state_t *hash; /* of all that was asked for, and all lines */
} w;

static unsigned throw(unsigned below)
{
  w.random = w.random * 1664525 + 1013904223;
  return (w.random >> 16) % below;
}

/* ---- the machine ------------------------------------------------------------------------------------------- */

uint64_t machine_monotonic_ms(void)
{
  return w.now_ms;
}

uint64_t machine_wall_ms(void)
{
  return 1700000000000 + w.now_ms;
}

void machine_sleep_ms(uint64_t ms)
{
  w.now_ms += ms;
}

void machine_alarm(uint64_t ms)
{
  (void)ms;
}

bool machine_random(void *bytes, size_t size)
{
  memset(bytes, 7, size);
  return true;
}

bool machine_has_threads(void)
{
  return false;
}

/* ---- the network ------------------------------------------------------------------------------------------- */

struct fetcher {
  fetch_options options;
  fd_limit fd_limit;
  request *first, **last; /* under way */
  size_t active;
  bool is_dropped;
};

const char *fetch_header(const fetch_response *response, const char *name, const char *value)
{
  return response->head ? response_head_next(response->head, name, value) : NULL;
}

fetcher *fetcher_create(const fetch_options *options)
{
  fetcher *f = calloc(1, sizeof *f);
  check(f != NULL, "no memory");
  f->options = *options;
  f->fd_limit.limit = SIZE_MAX;
  f->last = &f->first;
  return f;
}

void fetcher_free(fetcher *f)
{
  for (request *r = f ? f->first : NULL, *next; r; r = next) {
    next = r->next;
    request_free(r);
  }
  free(f);
}

/* Only what a crawl may ask for: pages of its scope, and robots.txt wherever it is. */
static void check_asked(const char *address, const fetch_receiver *receiver)
{
  static url u;
  check(url_parse(address, strlen(address), URL_STRICT, &u) == URL_OK, "no URL is asked for");
  check(strncmp(address, "http://", 7) == 0 || strncmp(address, "https://", 8) == 0, "another scheme");
  check(strcspn(address, " \t\r\n#<>") == strlen(address), "a byte that no request may have");
  for (const char *at = address; *at; at++)
    check((unsigned char)*at > ' ' && (unsigned char)*at < 0x7f, "a byte that is no URL's");
  for (const char *at = receiver->if_none_match; at && *at; at++)
    check(((unsigned char)*at >= ' ' && *at != 0x7f) || *at == '\t', "a control in a condition");
  XXH3_64bits_update(w.hash, address, strlen(address) + 1);
}

bool fetch_start(fetcher *f, const char *address, fetch_receiver receiver)
{
  request *r = request_create(&f->options);
  check(r && request_begin(r, address, &receiver), "no memory");
  check_asked(address, &receiver);
  r->next = NULL;
  *f->last = r;
  f->last = &r->next;
  f->active++;
  return true;
}

size_t fetch_active(const fetcher *f)
{
  return f->active;
}

const fd_limit *fetch_fd_limit(const fetcher *f)
{
  return &f->fd_limit;
}

void fetch_drop_all(fetcher *f)
{
  f->is_dropped = true;
}

uint64_t fetch_waited_ms(const fetcher *f)
{
  (void)f;
  return 0; /* only shares of time depend on it */
}

bool fetch_is_reading(const fetcher *f)
{
  (void)f;
  return false; /* asked by signal handlers, which there are not here */
}

/* The next response, without its mark. */
static size_t take_response(const uint8_t **at)
{
  const uint8_t *mark = memmem(w.rest, w.rest_size, "%%+\n", MARK);
  size_t size = mark ? (size_t)(mark - w.rest) : w.rest_size, used = mark ? size + MARK : size;
  *at = w.rest;
  w.rest += used;
  w.rest_size -= used;
  return size;
}

static void keep(const request *r, exchange_part part, const void *bytes, size_t size)
{
  if (r->exchange)
    exchange_add(r->exchange, part, bytes, size);
}

/* Lines up to the empty one of the last head, as libcurl gives them; how many bytes. */
static size_t read_head(request *r, const char *bytes, size_t size)
{
  ledger l = {0};
  size_t at = 0;
  fetch_response *response = &r->response;
  while (at < size && !l.exceeded) {
    const char *line = bytes + at, *feed = memchr(line, '\n', size - at);
    size_t length = feed ? (size_t)(feed - line) + 1 : size - at;
    if (length > 5 && memcmp(line, "HTTP/", 5) == 0)
      response->status = http_head_status(line, length);
    ledger_add_line(&l, line, length, false);
    check(response_head_add(&r->head, line, length), "no memory");
    keep(r, EXCHANGE_HEAD, line, length);
    at += length;
    bool is_empty = *line == '\n' || (*line == '\r' && length == 2);
    if (is_empty && (response->status < 100 || response->status > 199))
      break;
  }
  if (l.exceeded) {
    response->error = FETCH_LIMIT;
    response->explanation = l.exceeded;
  }
  return at;
}

static void give_body(request *r, const char *bytes, size_t size, uint64_t most)
{
  fetch_response *response = &r->response;
  keep(r, EXCHANGE_BODY, bytes, size);
  response->wire_bytes = size;
  response->truncated = size > most;
  size = response->truncated ? (size_t)most : size;
  response->body_bytes = size;
  for (size_t at = 0, piece; at < size; at += piece) {
    piece = w.pieces ? 1 + throw(size > BODY_LONG ? PIECE_LONG : w.pieces) : size;
    piece = piece < size - at ? piece : size - at;
    char *copy = malloc(piece);
    check(copy != NULL, "no memory");
    memcpy(copy, bytes + at, piece);
    r->receiver.body(r->receiver.context, response, copy, piece);
    free(copy);
  }
}

/* The body as often as its head says. */
static void give_times(request *r, const char *bytes, size_t size, uint64_t most)
{
  const char *field = response_head_next(&r->head, "X-Times", NULL);
  size_t asked = field ? strtoul(field, NULL, 10) : 1, times = size ? BODY_SENT_MAX / size : 0, all = 0;
  times = times < asked ? times : asked;
  if (times < 2) {
    give_body(r, bytes, size, most);
    return;
  }
  char *body = malloc(times * size);
  check(body != NULL, "no memory");
  for (; all < times * size; all += size)
    memcpy(body + all, bytes, size);
  give_body(r, body, all, most);
  free(body);
}

static void read_fields(request *r)
{
  fetch_response *response = &r->response;
  const char *value = NULL;
  while ((value = response_head_next(&r->head, "Content-Type", value)))
    response->content_type = value;
  if ((value = response_head_next(&r->head, "Location", NULL)))
    response->location = value;
  if ((value = response_head_next(&r->head, "Retry-After", NULL)))
    response->retry_after_s = strtoull(value, NULL, 10) % 100000000;
  response->has_page = http_status_has_page(response->status, response->location && *response->location);
  response->cookies_there = w.more & COOKIES && response_head_next(&r->head, "Set-Cookie", NULL);
}

static void answer(const fetcher *f, request *r)
{
  const uint8_t *bytes;
  size_t size = take_response(&bytes);
  fetch_response *response = &r->response;
  response->seconds = response->first_byte_seconds = 0.25;
  snprintf(r->address, sizeof r->address, "192.0.2.%zu", size % 3);
  keep(r, EXCHANGE_REQUEST, "GET / HTTP/1.1\r\n\r\n", 18);
  if (size < 5 || memcmp(bytes, "HTTP/", 5) != 0) {
    response->error = size ? (fetch_error)(1 + bytes[0] % (FETCH_ERRORS - 1)) : FETCH_CONNECT;
    response->explanation = "it said nothing";
    response->put_off_ms = w.of_crawl & ADDRESSES && size == 1 ? 1000 : 0;
  } else {
    size_t head = read_head(r, (const char *)bytes, size);
    read_fields(r);
    if (response->status < 100) {
      response->error = FETCH_BROKEN;
      response->explanation = "its status line has no valid status";
    }
    if (response->error == FETCH_OK)
      give_times(r, (const char *)bytes + head, size - head,
                 r->receiver.max_body ? r->receiver.max_body : f->options.max_body);
  }
  if (r->receiver.ended)
    r->receiver.ended(r->receiver.context, response);
  r->receiver.finished(r->receiver.context, response);
}

/* One of those under way ends, or the time passes: the faster the longer nothing comes, as a host may rest for an
 * hour. */
void fetch_poll(fetcher *f, int wait_ms)
{
  enum { DOUBLINGS = 10 };
  check(++w.steps < STEPS_MAX, "a crawl that does not end");
  request *r = f->first;
  if (!r || f->is_dropped) {
    w.now_ms += (uint64_t)(wait_ms > 0 ? wait_ms : 1) << (w.idle < DOUBLINGS ? w.idle : DOUBLINGS);
    w.idle++;
    return;
  }
  w.idle = 0;
  w.now_ms += 250;
  f->first = r->next;
  if (!f->first)
    f->last = &f->first;
  f->active--;
  if (!w.rest_size)
    crawl_stop(w.crawl);
  else
    answer(f, r);
  request_free(r);
}

/* ---- what the crawl says ------------------------------------------------------------------------------------ */

frontier_status __real_frontier_done(frontier *f, uint64_t lease, frontier_state state, uint16_t code,
                                     const char *report, size_t size, uint64_t now_ms);
frontier_status __wrap_frontier_done(frontier *f, uint64_t lease, frontier_state state, uint16_t code,
                                     const char *report, size_t size, uint64_t now_ms);

/* A field that is a URL is one. */
static void check_url(const json_t *line, const char *name)
{
  static url u;
  const char *text = json_string_value(json_object_get(line, name));
  check(!text || url_parse(text, strlen(text), URL_STRICT, &u) == URL_OK, name);
}

static void check_line(const char *text, size_t size)
{
  json_error_t error;
  json_t *line = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
  if (!line)
    fprintf(stderr, "%.*s\n%s\n", (int)size, text, error.text);
  check(json_is_object(line), "a line of pages.jsonl is no JSON");
  for (size_t i = 0; i < size; i++)
    check((unsigned char)text[i] >= ' ' && text[i] != 0x7f, "a control in a line of pages.jsonl");
  check_url(line, "url");
  if (json_string_length(json_object_get(line, "redirect"))) /* else it leads to no URL of ours */
    check_url(line, "redirect");
  check_url(line, "canonical");
  check(json_string_length(json_object_get(line, "url")) > 0, "a line without a URL");
  check(!json_object_get(line, "error") || json_string_length(json_object_get(line, "reason")) > 0, "no reason");
  json_decref(line);
}

frontier_status __wrap_frontier_done(frontier *f, uint64_t lease, frontier_state state, uint16_t code,
                                     const char *report, size_t size, uint64_t now_ms)
{
  check((state == FRONTIER_SKIPPED) == (size == 0), "a line for each that is not skipped");
  if (size)
    check_line(report, size);
  XXH3_64bits_update(w.hash, report, size);
  XXH3_64bits_update(w.hash, &code, sizeof code);
  return __real_frontier_done(f, lease, state, code, report, size, now_ms);
}

/* ---- the crawl ---------------------------------------------------------------------------------------------- */

/* What a crawl into a directory has beside the frontier. */
typedef struct files {
  char directory[SCRATCH_PATH];
  crawl_warc warc;
  commit_files committed;
  fingerprint_index *contents;
  body_digests *bodies;
} files;

static void open_files(files *all, frontier *f, crawl_options *o)
{
  char message[WARC_MESSAGE_SIZE];
  const warc_options of_warc = {
    .directory = all->directory, .file_bytes = 1 << 20, .user_agent = "fuzz", .robots = "obey"};
  check(crawl_warc_open(&all->warc, f, &of_warc, true, message), message);
  all->contents = fingerprint_index_open(all->directory);
  all->bodies = body_digests_open(all->directory);
  check(all->contents && all->bodies, "no file for near-duplicates");
  all->committed = (commit_files){.warc = &all->warc, .contents = all->contents};
  commit_files_begin(&all->committed, f);
  o->directory = o->fetch.exchange_directory = all->directory;
  o->warc = all->warc.warc;
  o->contents = all->contents;
  o->bodies = all->bodies;
}

static void close_files(files *all)
{
  char message[WARC_MESSAGE_SIZE];
  fingerprint_index_close(all->contents);
  body_digests_close(all->bodies);
  check(crawl_warc_close(&all->warc, true, message), message);
  scratch_remove(all->directory);
}

/* In memory, or in a directory that it makes. */
static frontier *open_frontier(const uint8_t secret[MLBF_SECRET_BYTES], files *all)
{
  char message[FRONTIER_MESSAGE_SIZE], path[SCRATCH_PATH];
  if (w.of_crawl & FILES) {
    scratch_make_fast(all->directory);
    scratch_join(all->directory, "frontier", path);
  }
  frontier *f = NULL;
  const frontier_options options = {.filter = MLBF_KIND_BLOOM,
                                    .expected_urls = 100,
                                    .rate = 1e-6,
                                    .delay_ms = w.more & DELAY ? 1000 : 0,
                                    .per_host = 2,
                                    .depth_cap = w.more & SHALLOW ? 1 : UINT16_MAX,
                                    .secret = secret};
  check(frontier_open(w.of_crawl & FILES ? path : NULL, &options, &f, message) == FRONTIER_OK, "no frontier");
  check(frontier_watch_traps(f, w.more & BUDGETS ? 3 : 500) == FRONTIER_OK, "no watch for traps");
  return f;
}

static void tick(void *context, const crawl *c)
{
  (void)context;
  check(crawl_totals_read(c).active <= 8, "more visits than connections");
}

static crawl_options options_of(patterns *all, scope *trusted)
{
  unsigned has = w.of_crawl;
  char message[PATTERNS_MESSAGE];
  if (w.more & PATTERNS)
    check(patterns_add(all, false, "secret|[?&]p=", message), message);
  return (crawl_options){
    .max_pages = UINT64_MAX,
    .max_bytes = UINT64_MAX,
    .max_ms = UINT64_MAX,
    .max_depth = w.more & SHALLOW ? 1 : UINT16_MAX,
    .ignore_robots = has & NO_ROBOTS,
    .follows_nofollow = has & NOFOLLOW,
    .wants_images = has & IMAGES,
    .keeps_log = true,
    .delay_ms = w.more & DELAY ? 1000 : 0,
    .sitemaps = has & GUESSES ? SITEMAPS_GUESS : SITEMAPS_ROBOTS,
    .per_host = 2,
    .per_address = has & ADDRESSES ? 1 : 0,
    .domain_budget = w.more & BUDGETS ? 2 : 0,
    .robots_bytes = 1 << 20,
    .tries = w.more & TRIES ? 3 : 1,
    .patterns = all,
    .trusted = trusted,
    .near_last = w.more & NEAR_LAST,
    .fetch = {
      .user_agent = "fuzz", .connections = 8, .timeout_ms = 1000, .max_body = w.more & SMALL ? BODY_SMALL : BODY_MAX}};
}

static crawl_end crawl_once(frontier *f, scope *hosts, const crawl_options *options, const url *start)
{
  crawl *c = w.crawl = crawl_create(f, hosts, options);
  check(c && crawl_add_start(c, start) == FRONTIER_OK && crawl_sync(c) == FRONTIER_OK, "no crawl");
  crawl_end end = crawl_run(c, tick, NULL);
  if (end == CRAWL_BROKEN)
    check(false, crawl_message(c));
  crawl_free(c);
  return end;
}

/* Its end, and the hash of what it asked for and said. */
static uint64_t run(const uint8_t *data, size_t size, unsigned pieces)
{
  static const char home[] = "http://h.test/dir/start?q=1";
  static const uint8_t secret[MLBF_SECRET_BYTES] = {1};
  static url start;
  files all = {.contents = NULL};
  w = (struct world){.of_crawl = data[0],
                     .more = data[1],
                     .rest = data + 2,
                     .rest_size = size - 2,
                     .now_ms = 1000,
                     .pieces = pieces,
                     .random = (unsigned)size,
                     .hash = w.hash};
  XXH3_64bits_reset(w.hash);
  frontier *f = open_frontier(secret, &all);
  scope *hosts = scope_create(w.of_crawl & ANY ? SCOPE_ANY : w.of_crawl & DOMAIN ? SCOPE_DOMAIN : SCOPE_HOST);
  scope *trusted = scope_create(SCOPE_ORIGIN);
  patterns *of_links = patterns_create();
  check(hosts && trusted && of_links, "no memory");
  check(url_parse(home, strlen(home), URL_STRICT, &start) == URL_OK && scope_add(hosts, &start), "no start");
  crawl_options options = options_of(of_links, trusted);
  if (w.of_crawl & FILES)
    open_files(&all, f, &options);
  crawl_end end = crawl_once(f, hosts, &options, &start);
  options.recrawl_least_s = 60;
  options.recrawl_most_s = 3600;
  for (int again = 0; w.of_crawl & FILES && w.rest_size && again < AGAIN_MAX; again++) {
    w.now_ms += 3600 * 1000;
    check(frontier_recrawl(f, 60, 3600, machine_wall_ms() / 1000) == FRONTIER_OK, frontier_message(f));
    end = crawl_once(f, hosts, &options, &start);
  }
  check(frontier_close(f) == FRONTIER_OK, "no end");
  if (w.of_crawl & FILES)
    close_files(&all);
  scope_free(hosts);
  scope_free(trusted);
  patterns_free(of_links);
  return XXH3_64bits_digest(w.hash) + end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const unsigned pieces[] = {1, 3, 17, 300};
  if (size < 2)
    return 0;
  if (!w.hash)
    w.hash = XXH3_createState();
  uint64_t whole = run(data, size, 0);
  if (size % 2) /* not always, as it takes as long again */
    check(run(data, size, pieces[size / 2 % 4]) == whole, "its pieces make a difference");
  return 0;
}
