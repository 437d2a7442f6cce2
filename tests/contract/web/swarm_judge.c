/* What a crawl left, against what it promised and what the web knows of itself. See swarm.h. */
#include "tests/contract/web/swarm.h"

#include "tests/site/warc_reader.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

/* A line of pages.jsonl. */
typedef struct line {
  uint64_t identity; /* of what its URL stands for; 0: free */
  long status;       /* 0: no answer */
  bool is_done;
} line;

struct swarm_lines {
  size_t bytes;  /* that were there the last time: whole lines */
  uint64_t hash; /* of those */
  line *table;   /* by URL */
  size_t slots, count;
  uint64_t answered; /* lines with a status */
};

swarm_lines *swarm_lines_create(void)
{
  swarm_lines *l = calloc(1, sizeof *l);
  l->slots = WITNESS_URLS;
  l->table = calloc(l->slots, sizeof *l->table);
  return l;
}

void swarm_lines_free(swarm_lines *l)
{
  free(l->table);
  free(l);
}

static line *find(const swarm_lines *l, const char *address, size_t size)
{
  uint64_t identity = witness_identity(address, size);
  size_t at = identity >> 7 & (l->slots - 1);
  while (l->table[at].identity && l->table[at].identity != identity)
    at = (at + 1) & (l->slots - 1);
  return &l->table[at];
}

/* ---- pages.jsonl ------------------------------------------------------------------------------------------------- */

/* One that failed and is named again by the next life gets a fresh try. */
static bool is_start(const swarm_plan *plan, uint64_t identity)
{
  text start = {0};
  bool is_one = false;
  for (unsigned i = 0; i < plan->start_count && !is_one; i++) {
    text_clear(&start);
    web_url(sim_web, plan->starts[i], 0, &start);
    is_one = witness_identity(start.bytes, start.size) == identity;
  }
  text_free(&start);
  return is_one;
}

static bool take_line(swarm_lines *l, const swarm_plan *plan, const char *bytes, size_t size)
{
  json_error_t error;
  json_t *object = json_loadb(bytes, size, 0, &error);
  const char *address = json_string_value(json_object_get(object, "url"));
  const char *outcome = json_string_value(json_object_get(object, "outcome"));
  if (!address || !outcome) {
    json_decref(object);
    return swarm_broken("pages.jsonl: no line of a page: %.*s", (int)(size < 300 ? size : 300), bytes);
  }
  line *at = find(l, address, strlen(address));
  bool is_first = !at->identity;
  if (!is_first && !plan->again && (at->is_done || !is_start(plan, at->identity))) {
    swarm_broken("page twice: two lines of pages.jsonl for %s", address);
  } else {
    at->identity = witness_identity(address, strlen(address));
    at->status = (long)json_integer_value(json_object_get(object, "status"));
    at->is_done = strcmp(outcome, "done") == 0;
    l->count += is_first;
    l->answered += at->status > 0;
    sim_trace("line %.*s", (int)size, bytes);
  }
  json_decref(object);
  return !the_sim->has_failed;
}

bool swarm_judge_lines(swarm_lines *l, const swarm_plan *plan, const swarm_place *place)
{
  char path[SCRATCH_PATH];
  size_t size = 0;
  scratch_join(place->crawl, "pages.jsonl", path);
  char *bytes = scratch_read(path, &size);
  if (size < l->bytes || (l->bytes && XXH3_64bits(bytes, l->bytes) != l->hash)) {
    free(bytes);
    return swarm_broken("pages.jsonl: lines that were there are gone, or others");
  }
  bool holds = true;
  for (char *at = bytes ? bytes + l->bytes : NULL, *end; holds && at && (end = strchr(at, '\n')); at = end + 1) {
    holds = take_line(l, plan, at, (size_t)(end - at));
    l->bytes = (size_t)(end + 1 - bytes);
  }
  l->hash = l->bytes ? XXH3_64bits(bytes, l->bytes) : 0;
  free(bytes);
  return holds;
}

/* ---- what is on disk --------------------------------------------------------------------------------------------- */

static bool meet(void *context, const frontier_record *record)
{
  (void)context;
  witness_meet(record);
  return true;
}

static void read_frontier(const char *directory)
{
  char path[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  frontier *f;
  const char *host = "";
  scratch_join(directory, "frontier", path);
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 1000,
                              .rate = 1e-6,
                              .per_host = 1,
                              .depth_cap = UINT16_MAX,
                              .read_only = true,
                              .keep_identity = true};
  frontier_status status = frontier_open(path, &options, &f, message);
  if (status == FRONTIER_OK)
    status = frontier_each(f, meet, NULL);
  if (status != FRONTIER_OK && status != FRONTIER_NOT_FOUND)
    sim_fail("the frontier cannot be read: %s", status == FRONTIER_OK ? "" : message);
  if (witness_misses(&host))
    sim_fail("lost: a URL of %s was committed and is not there any more", host);
}

bool swarm_judge_kept(const swarm_place *place)
{
  int status;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    read_frontier(place->crawl);
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child)
    return swarm_broken("the frontier could not be read");
  return status == 0 || swarm_broken("reading the frontier ended with status %d", status);
}

/* ---- the truth --------------------------------------------------------------------------------------------------- */

typedef struct judging {
  const swarm_lines *lines;
  const swarm_plan *plan;
  web *web;
  text url;
} judging;

/* The best fate of a page, over all starts: with --scope host they are crawls side by side. */
static web_truth truth_of(const judging *j, uint32_t host, uint32_t page)
{
  web_truth best = {.fate = WEB_ELSEWHERE};
  for (unsigned i = 0; i < j->plan->start_count; i++) {
    web_rules rules = j->plan->rules.truth;
    rules.start = j->plan->starts[i];
    web_truth truth = web_look(j->web, &rules, host, page);
    if (truth.fate < best.fate)
      best = truth;
  }
  return best;
}

static bool judge_page(judging *j, uint32_t host, uint32_t page)
{
  web_truth truth = truth_of(j, host, page);
  text_clear(&j->url);
  web_url(j->web, host, page, &j->url);
  const char *address = j->url.bytes;
  const line *at = find(j->lines, address, j->url.size);
  const witnessed_url *seen = witness_find(address, j->url.size);
  bool was_asked = seen && seen->asked;
  switch (truth.fate) {
  case WEB_WANTED:
    if (!j->plan->has_truth)
      return true;
    return (at->identity && at->is_done) ||
           swarm_broken("lost: %s is wanted, and %s", address, at->identity ? "failed" : "not done");
  case WEB_BAD:
    if (!j->plan->has_truth)
      return true;
    return (at->identity && !at->is_done) || swarm_broken("lost: %s fails for good, and has %s", address,
                                                          at->identity ? "a line that says done" : "no line");
  case WEB_DEAD: return !at->identity || !at->is_done || swarm_broken("done, and its host is dead: %s", address);
  case WEB_BARRED: return !was_asked || swarm_broken("robots: %s was asked for and is forbidden", address);
  case WEB_ELSEWHERE: return !was_asked || swarm_broken("scope: %s was asked for and is out of it", address);
  default: return !was_asked || swarm_broken("%s was asked for, and nothing leads there", address);
  }
}

/* "site12.test" of "www.site12.test". */
static const char *domain_of(const char *host)
{
  const char *at = host + strlen(host);
  for (unsigned dots = 0; at > host && (at[-1] != '.' || ++dots < 2);)
    at--;
  return at;
}

/* What waits is of domains that have used up their budgets, of which a page that is fetched again takes a part, too. */
static bool judge_budget(const swarm_plan *plan)
{
  const witnessed_host *held, *other;
  for (size_t i = 0; (held = witness_host_at(i)); i++) {
    uint64_t asked = 0;
    for (size_t j = 0; held->waiting && (other = witness_host_at(j)); j++)
      asked += strcmp(domain_of(other->name), domain_of(held->name)) == 0 ? other->asked : 0;
    if (held->waiting && asked < plan->domain_budget)
      return swarm_broken("end too soon: %u URLs of %s wait, and its domain had %llu of %u", held->waiting, held->name,
                          (unsigned long long)asked, plan->domain_budget);
  }
  return true;
}

/* All that was accepted has ended: witness_life_begins counts by what is on disk. Of URLs without end some are held
 * back. */
static bool judge_witness(const swarm_plan *plan)
{
  if (plan->lives[plan->life_count - 1].is_capped || plan->has_endless)
    return true;
  witness_life_begins(&plan->rules);
  if (plan->domain_budget)
    return judge_budget(plan);
  return !witness_waiting() ||
         swarm_broken("end too soon: %llu URLs were accepted and are not done", (unsigned long long)witness_waiting());
}

static uint64_t lines_of(const char *path)
{
  size_t size;
  uint64_t count = 0;
  char *bytes = scratch_read(path, &size);
  for (const char *at = bytes; at && (at = strchr(at, '\n')); at++)
    count++;
  free(bytes);
  return count;
}

/* Its records, of all lives, read by the standard. */
static uint64_t captures_in(const char *path)
{
  warc_content c = warc_content_read(path);
  uint64_t captures = 0;
  for (size_t i = 0; i < c.count; i++)
    captures += warc_item_is(&c.items[i], "response") || warc_item_is(&c.items[i], "revisit");
  if (c.bad)
    swarm_broken("archive: %u faults in %s", c.bad, path);
  warc_content_free(&c);
  return captures;
}

/* Each fetch that was answered has its record, and the index a line for it. */
static bool judge_archive(const swarm_lines *l, const swarm_plan *plan, const swarm_place *place)
{
  uint64_t captures = 0, records = 0;
  bool has_one = false;
  for (int i = 0; i < plan->arg_count; i++)
    has_one |= strcmp(plan->args[i], "--warc") == 0;
  DIR *directory = opendir(place->crawl);
  for (struct dirent *found; directory && (found = readdir(directory));) {
    char path[SCRATCH_PATH];
    const char *dot = strrchr(found->d_name, '.');
    scratch_join(place->crawl, found->d_name, path);
    captures += dot && strcmp(dot, ".cdxj") == 0 ? lines_of(path) : 0;
    records += dot && strcmp(dot, ".gz") == 0 ? captures_in(path) : 0;
  }
  if (directory)
    closedir(directory);
  if (the_sim->has_failed)
    return false;
  return !has_one || (captures == l->answered && records == captures) ||
         swarm_broken("archive: %llu fetches were answered, %llu are in the index, %llu are there",
                      (unsigned long long)l->answered, (unsigned long long)captures, (unsigned long long)records);
}

bool swarm_judge_truth(const swarm_lines *l, const swarm_plan *plan, const swarm_place *place)
{
  judging j = {.lines = l, .plan = plan, .web = sim_web};
  bool holds = judge_witness(plan) && judge_archive(l, plan, place);
  for (uint32_t host = 0; holds && host < plan->options.hosts; host++)
    for (uint32_t page = 0, pages = web_host_pages(sim_web, host); holds && page < pages; page++)
      holds = judge_page(&j, host, page);
  text_free(&j.url);
  return holds;
}
