/* Any bytes as "base LF href LF href ...", added in one call: each href is refused as url_resolve refuses it, or the
 * filter gets what url_resolve makes of it; what it takes is known afterwards, and was new at most once. */
#include "tests/fuzz/url_checks.h"

#include "frontier/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXTS = 128 };

typedef struct call {
  const url_base *base;
  url_profile profile;
  frontier_text texts[TEXTS];
  size_t count;
} call;

/* Every seventh URL is refused. */
static int compare(void *context, size_t index, const url *u)
{
  static url same;
  const call *c = context;
  check_url(u, c->profile);
  CHECK(url_resolve(c->base, c->texts[index].href, c->texts[index].href_size, c->profile, &same) == URL_OK);
  CHECK(strcmp(same.fetch, u->fetch) == 0 && strcmp(same.key, u->key) == 0);
  return index % 7 == 6;
}

static void split(call *c, const char *at, const char *end)
{
  while (at < end && c->count < TEXTS) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    size_t size = (size_t)((newline ? newline : end) - at);
    c->texts[c->count++] = (frontier_text){.href = at, .href_size = size};
    at += size + 1;
  }
}

static void add_all(frontier *f, call *c)
{
  static url u;
  static frontier_answer answers[TEXTS];
  frontier_text_rules rules = {.base = c->base, .accept = compare, .context = c};
  size_t settled;
  frontier_verdict verdict;
  frontier_stats stats;
  CHECK(frontier_stats_read(f, &stats) == FRONTIER_OK);
  uint64_t id = stats.queued; /* of the last one: none was leased */
  CHECK(frontier_add_texts(f, &rules, c->texts, c->count, 0, answers, &settled) == FRONTIER_OK && settled == c->count);
  for (size_t i = 0; i < c->count; i++) {
    url_status status = url_resolve(c->base, c->texts[i].href, c->texts[i].href_size, c->profile, &u);
    CHECK(answers[i].url == status && answers[i].refused == (status == URL_OK && i % 7 == 6));
    if (status != URL_OK || answers[i].refused) {
      CHECK(answers[i].id == 0);
      continue;
    }
    CHECK((answers[i].id != 0) == (answers[i].verdict.outcome != FRONTIER_SEEN));
    CHECK(answers[i].id == 0 || answers[i].id == ++id);
    CHECK(frontier_lookup(f, &u, &verdict) == FRONTIER_OK && verdict.outcome == FRONTIER_SEEN);
  }
  CHECK(frontier_stats_read(f, &stats) == FRONTIER_OK && stats.queued == id);
}

/* One for each profile, for many inputs: opening takes longer than an input does. */
static frontier *frontier_of(url_profile profile)
{
  static frontier *kept[2];
  frontier **f = &kept[profile == URL_STRICT];
  frontier_stats stats = {0};
  char message[FRONTIER_MESSAGE_SIZE];
  CHECK(!*f || frontier_stats_read(*f, &stats) == FRONTIER_OK);
  if (stats.queued > 20000) {
    frontier_close(*f);
    *f = NULL;
  }
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .profile = profile, .expected_urls = 100000, .rate = 1e-9, .per_host = 1};
  CHECK(*f || frontier_open(NULL, &options, f, message) == FRONTIER_OK);
  return *f;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static call c;
  pair input = split_pair(data, size);
  url_base *base = url_base_create();
  CHECK(base);
  c = (call){.profile = size % 2 ? URL_STRICT : URL_EVERY_RULE};
  c.base = url_base_set(base, input.base, input.base_size) == URL_OK ? base : NULL;
  split(&c, input.href, input.href + input.href_size);
  add_all(frontier_of(c.profile), &c);
  url_base_free(base);
  return 0;
}
