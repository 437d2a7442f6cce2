/* Any bytes as "base LF href LF href ...", added in one call: each href is refused as url_resolve refuses it, or the
 * filter gets what url_resolve makes of it; what it takes is known afterwards, and was new at most once. By its number
 * in the call an href has a group, a priority or a time, or is an opaque target; then all that is due is leased, and
 * each is what was added. */
#include "tests/contract/fuzz/url_checks.h"

#include "frontier/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXTS = 128 };

typedef struct call {
  const url_base *base;
  url_profile profile;
  frontier_text texts[TEXTS];
  mlbf_span keys[TEXTS]; /* of opaque ones */
  size_t count;
} call;

static bool may_be_added(const frontier_text *t)
{
  return !t->is_opaque || (t->href_size && t->href_size <= FRONTIER_OPAQUE_MAX);
}

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
    frontier_text *t = &c->texts[c->count];
    *t = (frontier_text){.href = at, .href_size = size, .priority = (int32_t)(c->count % 5) - 2};
    t->not_before_ms = c->count % 11 == 10 ? UINT64_MAX : 0;
    if (c->count % 3 == 1) {
      t->group = newline && size ? at : "g";
      t->group_size = newline && size < FRONTIER_GROUP_MAX && size && !memchr(at, '\0', size) ? size : 1;
      if (t->group_size == 1)
        t->group = "g";
    }
    t->is_opaque = c->count % 6 == 4;
    c->keys[c->count] = (mlbf_span){at, size};
    if (t->is_opaque)
      t->key = &c->keys[c->count], t->key_count = 1;
    if (may_be_added(t))
      c->count++;
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
  uint64_t id = stats.queued + stats.in_flight + stats.done; /* of the last one */
  CHECK(frontier_add_texts(f, &rules, c->texts, c->count, 0, answers, &settled) == FRONTIER_OK && settled == c->count);
  for (size_t i = 0; i < c->count; i++) {
    const frontier_text *t = &c->texts[i];
    url_status status = t->is_opaque ? URL_OK : url_resolve(c->base, t->href, t->href_size, c->profile, &u);
    CHECK(answers[i].url == status && answers[i].refused == (status == URL_OK && !t->is_opaque && i % 7 == 6));
    if (status != URL_OK || answers[i].refused) {
      CHECK(answers[i].id == 0);
      continue;
    }
    CHECK((answers[i].id != 0) == (answers[i].verdict.outcome != FRONTIER_SEEN));
    CHECK(answers[i].id == 0 || answers[i].id == ++id);
    const frontier_link link = {.target = t->is_opaque ? NULL : &u, .key = t->key, .key_count = t->key_count};
    CHECK(frontier_lookup_batch(f, &link, 1, &verdict) == FRONTIER_OK && verdict.outcome == FRONTIER_SEEN);
    if (answers[i].id) {
      frontier_record record;
      CHECK(frontier_find_id(f, answers[i].id, &record) == FRONTIER_OK);
      CHECK(record.rank == t->priority && record.is_opaque == t->is_opaque && record.group_size == t->group_size);
      CHECK(!t->is_opaque || (record.url_size == t->href_size && memcmp(record.url, t->href, t->href_size) == 0));
      CHECK(record.not_before_ms == t->not_before_ms);
    }
  }
  CHECK(frontier_stats_read(f, &stats) == FRONTIER_OK && stats.queued + stats.in_flight + stats.done == id);
}

/* No time of these ever comes. Every third is released, with another payload and priority. */
static void lease_all(frontier *f)
{
  static uint64_t now_ms;
  frontier_lease leases[64];
  size_t count;
  int64_t wait_ms;
  do {
    CHECK(frontier_next(f, ++now_ms, leases, 64, &count, &wait_ms) == FRONTIER_OK);
    for (size_t i = 0; i < count; i++) {
      const frontier_lease *l = &leases[i];
      CHECK(l->url[l->url_size] == '\0' && l->host_begin <= l->host_end && l->host_end <= l->url_size);
      CHECK(l->is_opaque == (l->host_end == 0) && (!l->is_opaque || l->group_size));
      CHECK(l->priority >= -2 && l->priority <= 3);
      const frontier_return with = {
        .has_payload = true, .payload = l->url, .payload_size = l->url_size, .has_priority = true, .priority = 3};
      CHECK(!l->payload || (l->priority == 3 && memcmp(l->payload, l->url, l->url_size) == 0));
      if (l->id % 3 == 0 && !l->payload)
        CHECK(frontier_release_with(f, l->id, &with, now_ms) == FRONTIER_OK);
      else
        CHECK(frontier_done(f, l->id, FRONTIER_DONE, 0, NULL, 0, now_ms) == FRONTIER_OK);
    }
  } while (count);
}

/* One for each profile, for many inputs: opening takes longer than an input does. */
static frontier *frontier_of(url_profile profile)
{
  static frontier *kept[2];
  frontier **f = &kept[profile == URL_STRICT];
  frontier_stats stats = {0};
  char message[FRONTIER_MESSAGE_SIZE];
  CHECK(!*f || frontier_stats_read(*f, &stats) == FRONTIER_OK);
  if (stats.queued + stats.done > 200) {
    frontier_close(*f);
    *f = NULL;
  }
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .profile = profile, .expected_urls = 100000, .rate = 1e-9, .per_host = 64};
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
  frontier *f = frontier_of(c.profile);
  add_all(f, &c);
  lease_all(f);
  url_base_free(base);
  return 0;
}
