/* What a crawl is made of: private to the files of crawler/loop/. */
#ifndef STRATA_CRAWLER_CRAWL_STATE_H
#define STRATA_CRAWLER_CRAWL_STATE_H

#include "crawler/http/per_address.h"
#include "crawler/loop/crawl.h"
#include "crawler/loop/domain_budget.h"
#include "crawler/loop/harvest.h"
#include "crawler/loop/host_pace.h"
#include "crawler/robots/robots_cache.h"
#include "crawler/robots/robots_passes.h"
#include "crawler/loop/disk_pause.h"
#include "crawler/loop/redirect_loops.h"
#include "crawler/loop/retry.h"
#include "crawler/loop/time_shares.h"
#include "crawler/loop/visit_pool.h"

#include <stdatomic.h>

typedef struct suspects suspects; /* suspects.h */

struct crawl {
  crawl_options options;
  frontier *frontier;
  scope *scope;
  fetcher *fetcher;
  robots_cache *origins;
  visit_pool visits; /* the active ones: leases not ended */
  harvest *harvest;
  retries *retries;
  per_address *addresses; /* NULL: no limit */
  host_pace *pace;
  domain_budget *budgets;              /* NULL: no limit */
  uint64_t reviewed_ms, kept_links_ms; /* hosts that are held, and who links to whom: the last time */
  robots_passes *passes;
  redirect_loops *loops;        /* of an audit; else NULL */
  visit *asking;                /* for robots.txt, at this moment; NULL: none */
  bool has_new_map;             /* the robots.txt whose sitemaps are told has named one that is new */
  const fingerprint_near *near; /* what the page is near whose links are being added; NULL: none */
  suspects *suspects;           /* NULL: texts are not read */
  url *target;                  /* 17 KB: not for the stack */
  json line;
  uint64_t pages_ever, bytes_ever;
  uint64_t started_ms, end_ms;
  uint64_t now_ms; /* when the clock was last read. It is old inside fetch_poll: what that calls reads it first */
  crawl_totals totals;
  time_shares shares;
  uint64_t shares_kept_ms; /* the last time */
  uint64_t rests_kept_ms;  /* committed while nothing was due */
  bool has_rest;           /* since then one began that is worth it */
  url_profile profile;
  disk_pause pause;
  uint64_t stood_still_ms; /* until then, the last time crawl_wait_out waited */
  crawl_tick *tick;
  void *tick_context;
  uint64_t ticked_ms;
  _Atomic uint64_t cut_short_ms; /* since when it is known that it must end; 0: it need not */
  atomic_bool is_stopping, is_broken;
  bool is_done; /* nothing more may be leased here; with company, something may come yet */
  char message[FRONTIER_MESSAGE_SIZE];
  char start_failure[FRONTIER_MESSAGE_SIZE], map_failure[FRONTIER_MESSAGE_SIZE];
  failures failures;
};

/* The frontier failed for good, or memory is out: the crawl ends, the directory is as of the last commit. */
void crawl_break_off(crawl *c, const char *message);

/* Of a call that only changes what is in memory: true if it went well, else the crawl is broken off. */
bool crawl_holds(crawl *c, frontier_status status);

/* The lease of a visit has ended, or was given back. */
void crawl_let_go(crawl *c, visit *v);

/* It holds no place at an address any more. */
void crawl_leave_address(crawl *c, visit *v);

/* Is its URL one that a link is followed to? */
bool crawl_has_in_scope(crawl *c, const visit *v);

/* Before anything can commit a URL of a host that just joined. */
void crawl_keep_scope(crawl *c);

/* The lease of a visit goes back, and its host is not asked for so long. */
void crawl_put_off(crawl *c, visit *v, uint64_t wait_ms);

/* ---- page_reader.c ---- */

/* Who reads the page of a visit: `body` and `ended`, and that they do so on any thread. */
void crawl_set_reader(crawl *c, visit *v, fetch_receiver *receiver);

/* ---- suspects.c ---- */

/* The frontier_classifier of a crawl. With near_last, what a near-duplicate links to goes last. */
frontier_class crawl_put_in_order(void *crawl, const frontier_link *link, frontier_verdict verdict,
                                  frontier_class by_rule);

/* ---- robots_turns.c ---- */

/* For the requests of `c->origins`. */
robots_turns crawl_robots_turns(crawl *c);

/* ---- disk_pause.c ---- */

/* The caller's tick, if it is time: a few times a second, where what is on the way can be seen. */
void crawl_tell(crawl *c);

/* Must the crawl end, whatever there is left to do? Then `*end` says why. On any thread. */
bool crawl_is_cut_short(const crawl *c, uint64_t now_ms, crawl_end *end);

/* And soon: nothing more is read, and what is in flight comes again when the crawl goes on. On any thread. */
bool crawl_drops_pages(crawl *c);

/* A call of the frontier failed. true: the crawl pauses. false: it does not heal, and the crawl is broken off. */
bool crawl_note_pause(crawl *c, frontier_status status, const char *why);

/* Nothing may be leased now. Tries to commit, if it is time, and goes on. */
bool crawl_is_paused(crawl *c);

/* A call failed, and what it was for cannot be put off. Waits out the outage, while fetches stand still. true: it is
 * over, repeat the call. false: the crawl is to end. Commits: what must go with one commit is told all before, or all
 * after it. */
bool crawl_wait_out(crawl *c, frontier_status status, const char *why);

/* Nothing is over before what came of it is kept: commits, and waits until it is done or the crawl is cut short. */
crawl_end crawl_keep_all(crawl *c, crawl_end end);

#endif
