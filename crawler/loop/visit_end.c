/* How a visit ends, step by step. Of a page:
 *
 *     near-duplicates looked for --> links added --> visit noted, WARC records, counters, frontier_done with its line
 *     (files of their own)           (may commit)    (one transaction takes all of these)
 *
 * The order counts. A page's links come first: adding them may fill the open batch, which commits it, and then nothing
 * else of the page may be in the batch. Its records come last before frontier_done: from there on nothing fails unless
 * memory runs out.
 *
 * Always: end_lease or put_off ends a visit and gives it back (crawl_let_go), except when the crawl is aborted. A
 * step that fails for want of disk waits in crawl_wait_out, which commits, and is then tried again.
 *
 * Called on the thread that crawls: inside fetch_poll, or when robots.txt has its say.
 *
 * After a crash, or where the crawl ends in between: the lease is not ended, so the page comes again. Its links are
 * then SEEN as far as they were committed. Its WARC records are cut off, since they were written after the last commit
 * (warc.h). The files of near-duplicates may have it twice (fingerprint_index.h, body_digests.h). */
#include "crawler/loop/visit_end.h"

#include "crawler/http/http_head.h"
#include "crawler/http/response_head.h"
#include "crawler/loop/held_hosts.h"
#include "crawler/loop/lacks.h"
#include "crawler/loop/near_duplicates.h"
#include "crawler/loop/redirect_chain.h"
#include "crawler/loop/suspects.h"
#include "crawler/loop/crawl_state.h"
#include "crawler/loop/crawl_warc.h"
#include "frontier/host.h"
#include "frontier/base/machine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* `step`: what to do, "": `why` says it. */
static void note_start_failure(crawl *c, const visit *v, const char *why, const char *step)
{
  if (visit_is_start(v) && !c->start_failure[0])
    snprintf(c->start_failure, sizeof c->start_failure, "%.200s: %s%s%s", v->lease.url, why, *step ? "; " : "", step);
}

/* For the next time, in the transaction that says how the visit ended. */
static bool note_visit(crawl *c, const visit *v, const fetch_response *response, unsigned lacks, bool is_failure)
{
  frontier_status status;
  while (c->options.keeps_log && (status = revisit_note(v->revisit, c->frontier, v->lease.id, response, v->sha256,
                                                        lacks, is_failure)) != FRONTIER_OK)
    if (!crawl_wait_out(c, status, frontier_message(c->frontier)))
      return false;
  return true;
}

static const char *robots_word(const crawl *c)
{
  return c->options.ignore_robots ? "ignored" : "allowed";
}

/* Before the page is said to be done: it is committed with its records, or not as done. false: the crawl ends. */
static bool archive(crawl *c, const visit *v, const fetch_response *response)
{
  warc *w = c->options.warc;
  frontier_status status;
  while (w && !v->is_head && (status = crawl_warc_keep(w, &v->lease, response)) != FRONTIER_OK)
    if (!crawl_wait_out(c, status, warc_message(w)))
      return false;
  return true;
}

/* The lease ends; what the page taught is counted with it. `facts` for its line of pages.jsonl; NULL: it has none. */
static void end_lease(crawl *c, visit *v, frontier_state state, uint16_t code, const page_facts *facts)
{
  assert(v->stage != VISIT_IDLE && v->lease.id && c->visits.active);
  assert(!facts || (facts->visit == v && facts->outcome == state));
  json_clear(&c->line);
  if (facts && c->options.keeps_log)
    pages_log_line(&c->line, facts, c->profile, c->target);
  if (c->line.failed) {
    crawl_break_off(c, "out of memory for a line of pages.jsonl");
    return;
  }
  if (c->budgets && state != FRONTIER_SKIPPED)
    domain_budget_count(c->budgets, v->lease.url + v->lease.host_begin, v->lease.host_end - v->lease.host_begin, 1);
  crawl_holds(c, harvest_count(c->harvest));
  crawl_holds(c, frontier_done(c->frontier, v->lease.id, state, code, c->line.text, c->line.size, c->now_ms));
  crawl_let_go(c, v);
}

/* Of a URL's key, for an audit. */
static bool hash_of(crawl *c, const char *address, uint64_t *hash)
{
  if (url_parse(address, strlen(address), c->profile, c->target) != URL_OK)
    return false;
  *hash = edge_log_hash(c->options.edges, c->target->key, c->target->key_size);
  return true;
}

/* Its links into the edge log, in the transaction that says that it is done. */
static bool log_edges(crawl *c, const visit *v)
{
  if (!c->options.edges || v->is_check)
    return true;
  uint64_t source;
  if (hash_of(c, v->lease.url, &source) && edge_log_end(c->options.edges, source, revisit_is_again(v->revisit)))
    return true;
  crawl_break_off(c, "out of memory for the links of a page");
  return false;
}

/* Not to be had at this time; what was fetched before is not missing. */
static void count_lack(crawl *c, const visit *v, crawl_lack lack)
{
  if (!revisit_is_again(v->revisit))
    crawl_holds(c, lacks_change(c->frontier, 0, LACK_BIT(lack)));
}

/* ---- not for good, or not well ----------------------------------------------------------------------------- */

/* Cut off while all fetches stood still: that was us, not its server, and is no try. */
static bool was_neglected(const crawl *c, const visit *v, const fetch_response *response)
{
  return (response->error == FETCH_TIMEOUT || response->error == FETCH_BROKEN) && v->begun_ms < c->stood_still_ms;
}

static void put_off(crawl *c, visit *v)
{
  crawl_holds(c, frontier_release(c->frontier, v->lease.id, c->now_ms));
  crawl_let_go(c, v);
}

enum { LONG_REST_MS = 1000 }; /* a crawl that only waits commits it (keep_rests in crawl.c) */

/* Of the host of a visit. It is kept by the wall clock, as that is now: it may have been set since the run began, or
 * have gone on while the machine was suspended. */
static void rest(crawl *c, const visit *v, uint64_t wait_ms)
{
  c->has_rest |= wait_ms >= LONG_REST_MS;
  frontier_clock(c->frontier, c->now_ms, machine_wall_ms());
  host_pace_rest(c->pace, v->lease.url + v->lease.host_begin, v->lease.host_end - v->lease.host_begin, c->now_ms,
                 wait_ms);
  crawl_holds(c, frontier_host_back_off(c->frontier, v->lease.id, c->now_ms, wait_ms));
}

/* By the wall clock, too. */
static void put_off_alone(crawl *c, visit *v, uint64_t wait_ms)
{
  c->has_rest |= wait_ms >= LONG_REST_MS;
  uint64_t wall_ms = machine_wall_ms();
  frontier_clock(c->frontier, c->now_ms, wall_ms);
  const frontier_return later = {.not_before_ms = wall_ms + wait_ms};
  crawl_holds(c, frontier_release_with(c->frontier, v->lease.id, &later, c->now_ms));
  crawl_let_go(c, v);
}

/* What may heal goes back to the head of its host's queue, and the host is left in peace for a while. */
static bool end_for_now(crawl *c, visit *v, const fetch_response *response)
{
  uint64_t wait_ms;
  if (was_neglected(c, v, response)) {
    put_off(c, v);
    return true;
  }
  if (!retries_again(c->retries, &v->lease, response, &wait_ms)) {
    wait_ms = retries_asked_ms(response);
    if (wait_ms) /* this URL has had its tries; its host is still to rest */
      rest(c, v, wait_ms);
    return false;
  }
  c->totals.retries++;
  crawl_holds(c, frontier_count(c->frontier, "retries", 1));
  if (retries_spare_host(c->retries, response)) {
    put_off_alone(c, v, wait_ms);
  } else {
    rest(c, v, wait_ms);
    put_off(c, v);
  }
  return true;
}

void visit_end_skipped(crawl *c, visit *v, crawl_skip why, const char *explanation)
{
  note_start_failure(c, v, explanation, "");
  v->tries = retries_end(c->retries, &v->lease, true);
  harvest_skip(c->harvest, why);
  if (!note_visit(c, v, &(fetch_response){0}, 0, true))
    return;
  if (why == SKIP_ROBOTS_UNAVAILABLE && !v->is_check)
    count_lack(c, v, LACK_ROBOTS);
  end_lease(c, v, FRONTIER_SKIPPED, (uint16_t)why, NULL); /* not fetched: no line of pages.jsonl */
}

void visit_end_without_rules(crawl *c, visit *v, const origin_ruling *ruling)
{
  assert(ruling->answer == ORIGIN_UNAVAILABLE && (ruling->rest_ms || ruling->is_given_up));
  if (ruling->rest_ms)
    rest(c, v, ruling->rest_ms);
  if (ruling->is_given_up)
    visit_end_skipped(c, v, SKIP_ROBOTS_UNAVAILABLE,
                      "robots.txt gave a server error, or too many requests came, so nothing may be fetched; run the "
                      "same command again later");
  else
    put_off(c, v);
}

/* Nobody said that it is there. */
static bool is_wrong_guess(const crawl *c, const visit *v, const fetch_response *response)
{
  static const char guessed[] = "/sitemap.xml";
  const frontier_lease *l = &v->lease;
  return c->options.sitemaps == SITEMAPS_GUESS && response->error == FETCH_OK &&
         !failures_may_heal((unsigned)response->status) && l->url_size == l->host_end + strlen(guessed) &&
         strcmp(l->url + l->host_end, guessed) == 0;
}

/* It is no error of the site's pages, but what only it leads to is missing. */
static void count_map_failure(crawl *c, const visit *v, const fetch_response *response)
{
  char status[32];
  if (is_wrong_guess(c, v, response))
    return;
  snprintf(status, sizeof status, "HTTP status %ld", response->status);
  if (!c->map_failure[0])
    snprintf(c->map_failure, sizeof c->map_failure, "%.300s: %.100s", v->lease.url,
             response->error == FETCH_OK ? status : response->explanation);
  crawl_holds(c, frontier_count(c->frontier, "sitemaps-failed", 1));
}

static void count_failure(crawl *c, const visit *v, const fetch_response *response)
{
  bool was_requested = response->start_ms > 0;
  failures_note(&c->failures, v->lease.url, response);
  if (v->is_check) {
    crawl_holds(c, frontier_count(c->frontier, "checked", 1));
    return;
  }
  if (response->error != FETCH_OK || failures_may_heal((unsigned)response->status))
    count_lack(c, v, was_requested ? LACK_FAILED : LACK_ROBOTS);
  if (v->is_map) {
    count_map_failure(c, v, response);
    return;
  }
  c->totals.errors++;
  crawl_holds(c, frontier_count(c->frontier, "errors", 1));
  crawl_holds(c, frontier_count(c->frontier, failures_counter(response), 1));
}

/* Of what was fetched before. */
static void count_again(crawl *c, const visit *v, const fetch_response *response, bool is_failure)
{
  if (!revisit_is_again(v->revisit))
    return;
  c->totals.asked_again++;
  c->totals.failed_again += is_failure;
  c->totals.unchanged += !is_failure && revisit_is_same(v->revisit, response, v->sha256);
}

/* It is not this URL that failed, but this run that may not ask for it. */
static void hold_private(crawl *c, visit *v, const fetch_response *response)
{
  failures_note(&c->failures, v->lease.url, response);
  note_start_failure(c, v, response->explanation, failures_next_step(response->error));
  held_hosts_refuse(c, v);
}

void visit_end_failed(crawl *c, visit *v, const fetch_response *response, const char *permission)
{
  bool answered = response->error == FETCH_OK;
  if (response->error == FETCH_PRIVATE) {
    hold_private(c, v, response);
    return;
  }
  if (end_for_now(c, v, response) || !note_visit(c, v, response, 0, true) || !archive(c, v, response))
    return;
  v->tries = retries_end(c->retries, &v->lease, answered);
  char status[32];
  snprintf(status, sizeof status, "HTTP status %ld", response->status);
  note_start_failure(c, v, answered ? status : response->explanation,
                     failures_next_step(answered ? (unsigned)response->status : response->error));
  count_failure(c, v, response);
  count_again(c, v, response, true);
  page_facts facts = {
    .visit = v, .outcome = FRONTIER_FAILED, .robots = permission, .response = response->start_ms ? response : NULL};
  if (!answered) {
    facts.error = fetch_error_name(response->error);
    facts.reason = response->explanation;
  }
  end_lease(c, v, FRONTIER_FAILED, (uint16_t)(answered ? response->status : response->error), &facts);
}

/* ---- well ---------------------------------------------------------------------------------------------------- */

typedef enum answer { ANSWER_FAILURE, ANSWER_PAGE, ANSWER_REDIRECT, ANSWER_UNCHANGED } answer;

static answer answer_of(const visit *v, const fetch_response *response)
{
  if (revisit_is_unchanged(v->revisit, response))
    return ANSWER_UNCHANGED;
  if (response->error != FETCH_OK)
    return ANSWER_FAILURE;
  if (http_status_redirects(response->status) && *response->location)
    return ANSWER_REDIRECT;
  bool has_page = response->has_page && (response->body_bytes || !http_status_redirects(response->status));
  return has_page ? ANSWER_PAGE : ANSWER_FAILURE;
}

static bool is_in_loop(crawl *c, const visit *v, const char *redirect)
{
  uint64_t from, to;
  return c->loops && redirect && hash_of(c, v->lease.url, &from) && hash_of(c, redirect, &to) &&
         redirect_loops_note(c->loops, from, to);
}

/* HTML there is what some servers say to all that they do not have, with status 200. */
static bool is_named_as_a_file(const char *address)
{
  static const char *const ends[] = {".xml", ".gz", ".txt"};
  size_t size = strcspn(address, "?");
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (size >= strlen(ends[i]) && strncasecmp(address + size - strlen(ends[i]), ends[i], strlen(ends[i])) == 0)
      return true;
  return false;
}

/* It was named as a sitemap, and is a page of HTML, from which a sitemap's reader has nothing. The first time. */
static bool is_page_after_all(const visit *v, const fetch_response *response)
{
  return v->is_map && !v->links && visit_is_html(response->content_type) && !revisit_is_again(v->revisit) &&
         !is_named_as_a_file(v->lease.url);
}

/* What the answer leads to, into the frontier. false: the crawl ends before all of it is there. */
static bool harvest_all(crawl *c, visit *v, const fetch_response *response, answer kind, page_facts *facts)
{
  frontier_status status = FRONTIER_OK;
  if (kind == ANSWER_REDIRECT) {
    redirect_end end;
    status = harvest_redirect(c->harvest, v, response, c->now_ms, &end);
    if (status == FRONTIER_NO_MEMORY) /* if the frontier lacked it, that broke the crawl off already */
      crawl_break_off(c, "out of memory for the scope");
    facts->links = end.links;
    facts->redirect = end.target;
    facts->is_loop = end.may_be_loop && is_in_loop(c, v, end.target);
    crawl_keep_scope(c);
  } else if (kind == ANSWER_PAGE && !v->is_check) {
    bool is_page = is_page_after_all(v, response); /* the header's links are no sitemap's either */
    visit_take_headers(v, response);
    if (!visit_gather_links(v)) {
      crawl_break_off(c, "the links of a page cannot be read back");
      return false;
    }
    status = harvest_links(c->harvest, v, c->now_ms, &facts->links);
    if (status == FRONTIER_OK && is_page && !facts->links.is_cut)
      status = harvest_as_page(c->harvest, v, c->now_ms);
    if (facts->links.is_cut)
      put_off(c, v);
  }
  return status == FRONTIER_OK && !facts->links.is_cut;
}

static void count_page(crawl *c, const visit *v, const fetch_response *response)
{
  c->totals.pages++;
  c->pages_ever++;
  c->bytes_ever += response->body_bytes;
  crawl_holds(c, frontier_count(c->frontier, "pages", 1));
  crawl_holds(c, frontier_count(c->frontier, "page-bytes", response->body_bytes));
  if (visit_is_start(v))
    crawl_holds(c, frontier_count(c->frontier, "start-pages", 1));
  if (visit_is_script_shell(v) && !revisit_is_again(v->revisit))
    crawl_holds(c, frontier_count(c->frontier, "script-shells", 1));
}

static void count_answer(crawl *c, const visit *v, const fetch_response *response, answer kind)
{
  if (kind == ANSWER_UNCHANGED) {
    crawl_holds(c, frontier_count(c->frontier, "unchanged", 1));
  } else if (kind == ANSWER_REDIRECT) {
    c->totals.redirects++;
    crawl_holds(c, frontier_count(c->frontier, "redirects", 1));
  } else if (v->is_map) {
    crawl_holds(c, frontier_count(c->frontier, "sitemaps", 1));
  } else if (v->is_check) {
    crawl_holds(c, frontier_count(c->frontier, "checked", 1));
  } else if (response->body_bytes) {
    count_page(c, v, response);
  }
}

static unsigned lacks_of_body(const visit *v, const fetch_response *response, answer kind)
{
  return kind != ANSWER_PAGE || !response->truncated || v->is_check ? 0
         : v->is_map                                                ? LACK_BIT(LACK_SITEMAP)
                                                                    : LACK_BIT(LACK_BODY);
}

static void end_well(crawl *c, visit *v, const fetch_response *response, answer kind)
{
  page_facts facts = {.visit = v, .outcome = FRONTIER_DONE, .robots = robots_word(c), .response = response};
  v->tries = retries_end(c->retries, &v->lease, true);
  if (kind == ANSWER_PAGE && !near_duplicates_note(c, v, &facts))
    return;
  bool is_harvested = harvest_all(c, v, response, kind, &facts);
  c->near = NULL;
  suspects_end(c, response->truncated);
  facts.links.lacks |= lacks_of_body(v, response, kind);
  if (!is_harvested || !note_visit(c, v, response, facts.links.lacks, false) || !archive(c, v, response))
    return;
  if (kind == ANSWER_PAGE && !log_edges(c, v))
    return;
  count_answer(c, v, response, kind);
  count_again(c, v, response, false);
  crawl_holds(c, lacks_change(c->frontier, revisit_lacks(v->revisit), facts.links.lacks));
  end_lease(c, v, FRONTIER_DONE, (uint16_t)response->status, &facts);
}

/* Some servers refuse HEAD, some as if there were no such page: only GET says that a link is broken. A page of the
 * scope that was linked to as an asset is read, as it may be linked to as a page, too. */
static bool is_to_be_got(crawl *c, const visit *v, const fetch_response *response)
{
  enum { TOO_MANY = 429, UNAVAILABLE = 503, TIMES_MAX = 3 };
  long status = response->status;
  if (!v->is_head || response->error != FETCH_OK)
    return false;
  bool is_refused = status >= 400 && status != TOO_MANY && status != UNAVAILABLE;
  bool is_page = status >= 200 && status <= 299 && visit_may_be_page(response->content_type) &&
                 crawl_has_in_scope(c, v);
  return (is_refused || is_page) && retries_come_again(c->retries, &v->lease, TIMES_MAX);
}

/* It leads to itself. A wall sets cookies, with which it is a page; a cache has filled itself by the second time. */
static bool is_to_come_again(crawl *c, const visit *v, const fetch_response *response, answer kind)
{
  unsigned times = response->cookies_there != response->cookies_sent ? REDIRECTS_MAX : 1;
  return kind == ANSWER_REDIRECT && harvest_leads_to_itself(c->harvest, v, response->location) &&
         retries_come_again(c->retries, &v->lease, times);
}

/* What GET was to read as a page (choose_method in crawl.c), and is none, was only checked. */
static void settle_check(visit *v, const fetch_response *response, answer kind)
{
  bool is_page = kind == ANSWER_PAGE && (v->is_page || visit_is_html(response->content_type));
  v->is_check = v->is_check || (v->lease.origin.hops & VISIT_CHECK && !is_page);
}

static void end_answered(crawl *c, visit *v, const fetch_response *response)
{
  answer kind = answer_of(v, response);
  settle_check(v, response, kind);
  if (is_to_be_got(c, v, response) || is_to_come_again(c, v, response, kind))
    put_off(c, v);
  else if (kind == ANSWER_FAILURE)
    visit_end_failed(c, v, response, robots_word(c));
  else
    end_well(c, v, response, kind);
}

/* Of what is only checked the head came, which says that it is there, and nothing behind it. */
static bool is_found(const visit *v, const fetch_response *response)
{
  fetch_error error = response->error;
  return (v->is_check || (v->lease.origin.hops & VISIT_CHECK && !visit_is_html(response->content_type))) &&
         (error == FETCH_BROKEN || error == FETCH_TIMEOUT || error == FETCH_ENCODING) && response->has_page &&
         response->head && response->head->has_ended;
}

/* What came of a page whose end is lost is used once it is not to be asked for again. Of what is only checked, the
 * status is all that counts. */
static void end_with_part(crawl *c, visit *v, const fetch_response *response)
{
  fetch_response part = *response;
  if (!v->is_check && !is_found(v, response) && end_for_now(c, v, response))
    return;
  part.error = FETCH_OK;
  end_answered(c, v, &part);
}

void visit_end_fetched(void *context, const fetch_response *response)
{
  visit *v = context;
  crawl *c = v->owner;
  assert(v->stage == VISIT_FETCHING);
  c->now_ms = machine_monotonic_ms();
  v->is_dropped = v->is_dropped || crawl_drops_pages(c);
  if (v->is_dropped) { /* as if it had not come */
    put_off(c, v);
    return;
  }
  if (c->addresses)
    per_address_learn(c->addresses, v->lease.url + v->lease.host_begin, v->lease.host_end - v->lease.host_begin,
                      response->address);
  c->totals.wire_bytes += response->wire_bytes;
  c->totals.body_bytes += response->body_bytes;
  if (response->put_off_ms) {
    crawl_put_off(c, v, response->put_off_ms);
    return;
  }
  if (fetch_has_part(response) || is_found(v, response))
    end_with_part(c, v, response);
  else
    end_answered(c, v, response);
}
