/* See swarm.h. What is drawn here depends on the seed alone, and each line of it on those before: a line more, and each
 * seed is another crawl. */
#include "tests/contract/web/swarm.h"

#include "tests/support/faults.h"
#include "tests/site/random.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum {
  PAGES_MOST = 1000,
  TRIES_ENOUGH = 20, /* that what may heal has healed by then */
};

typedef struct drawing {
  swarm_plan *plan;
  uint64_t dice;
  text web;
  bool has_traps;
  unsigned tries;
} drawing;

static unsigned below(drawing *d, unsigned sides)
{
  return random_below(&d->dice, sides);
}

static bool one_in(drawing *d, unsigned n)
{
  return below(d, n) == 0;
}

static unsigned one_of(drawing *d, const unsigned *of, size_t count)
{
  return of[below(d, (unsigned)count)];
}

#define ONE_OF(d, ...) \
  one_of(d, (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

__attribute__((format(printf, 2, 3))) static void add_arg(drawing *d, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(d->plan->args[d->plan->arg_count++], SWARM_ARG, format, arguments);
  va_end(arguments);
}

/* ---- the web ---------------------------------------------------------------------------------------------------- */

/* How much of it, at most, in a web that has it. */
static const struct {
  web_share share;
  double most;
} ordinary[] =
  {
    {WEB_HTTPS, 1},        {WEB_SHARED, 1},        {WEB_HEAVY, 0.1},        {WEB_CHARSET, 0.5},    {WEB_SITEMAP, 0.5},
    {WEB_RESTING, 0.2},    {WEB_NAMELESS, 0.1},    {WEB_REFUSED, 0.1},      {WEB_SILENT, 0.1},     {WEB_NOROBOTS, 0.3},
    {WEB_CLOSED, 0.2},     {WEB_MOVEDROBOTS, 0.2}, {WEB_SLOWROBOTS, 0.1},   {WEB_CRAWLDELAY, 0.3}, {WEB_FAILING, 0.2},
    {WEB_FORBIDDEN, 0.2},  {WEB_COPY, 0.3},        {WEB_SIMILAR, 0.3},      {WEB_DOOR, 0.3},       {WEB_AWAY, 0.2},
    {WEB_FLAKY, 0.3},      {WEB_GHOST, 0.3},       {WEB_SPELLED, 1},        {WEB_DISTRUSTED, 0.1}, {WEB_ASLEEP, 0.1},
    {WEB_LONGROBOTS, 0.2}, {WEB_STRAYROBOTS, 0.5}, {WEB_BROKENROBOTS, 0.1}, {WEB_UNSAID, 1},       {WEB_CHAINED, 0.04},
    {WEB_WIDE, 1},
},
  endless[] = {
    {WEB_CALENDAR, 0.1},
    {WEB_SESSIONS, 0.1},
    {WEB_LOST, 0.1},
    {WEB_FARM, 0.1},
};

/* Periods are primes: waits of 4, 16, 64, ... 3600 s would meet every period of 4 or 20 s at the same point of it, and
 * find a page in its bad time for ever. */
static void draw_web(drawing *d)
{
  unsigned hosts = ONE_OF(d, 1, 2, 4, 10, 30, 100, 300);
  unsigned pages = 1 + below(d, PAGES_MOST / hosts);
  unsigned from = ONE_OF(d, 0, 1, 10, 50, 200), to = from + ONE_OF(d, 0, 5, 100, 500, 2000);
  text_addf(&d->web, "seed=%u,hosts=%u,pages=%u,links=%u,bytes=%u,latency=%u-%u,rest=%u,period=%u,delay=%u",
            (unsigned)(random_next(&d->dice) >> 40), hosts, pages, below(d, 10), 200 + below(d, 2000), from, to,
            ONE_OF(d, 7, 11, 19), ONE_OF(d, 7, 23, 41), ONE_OF(d, 2, 5, 30));
  if (one_in(d, 4))
    text_addf(&d->web, ",change=%u", ONE_OF(d, 60, 3600, 86400));
  if (one_in(d, 2))
    text_add(&d->web, ",zipf");
  for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++)
    if (one_in(d, 2))
      text_addf(&d->web, ",%s=%.3f", web_share_name(ordinary[i].share), random_share(&d->dice) * ordinary[i].most);
  d->has_traps = one_in(d, 8);
  for (size_t i = 0; d->has_traps && i < sizeof endless / sizeof *endless; i++)
    if (one_in(d, 2))
      text_addf(&d->web, ",%s=%.3f", web_share_name(endless[i].share), random_share(&d->dice) * endless[i].most);
}

/* A start that gives a page, or the crawl says that none did. */
static void draw_starts(drawing *d, const web *w)
{
  swarm_plan *p = d->plan;
  static const char *const scopes[] = {"host", "domain", "any"};
  p->rules.truth.scope = (web_scope)below(d, 3);
  unsigned wanted = p->rules.truth.scope == WEB_SCOPE_HOST ? 1 + below(d, 8) : 1;
  for (unsigned i = 0; i < wanted; i++) {
    uint32_t host = p->rules.truth.scope == WEB_SCOPE_HOST ? below(d, p->options.hosts) : 0;
    web_rules rules = p->rules.truth;
    rules.start = host;
    bool is_known = false;
    for (unsigned j = 0; j < p->start_count; j++)
      is_known |= p->starts[j] == host;
    if (!is_known && web_look(w, &rules, host, 0).fate == WEB_WANTED)
      p->starts[p->start_count++] = host;
  }
  if (!p->start_count)
    p->starts[p->start_count++] = 0;
  p->rules.truth.start = p->starts[0];
  add_arg(d, "--scope=%s", scopes[p->rules.truth.scope]);
}

/* ---- the crawl's options ----------------------------------------------------------------------------------------- */

static void draw_manners(drawing *d)
{
  witness_rules *r = &d->plan->rules;
  r->delay_ms = ONE_OF(d, 0, 50, 500, 1000, 1000, 5000);
  r->per_host = ONE_OF(d, 1, 1, 1, 2, 5);
  r->connections = ONE_OF(d, 1, 4, 16, 64, 64);
  r->max_depth = UINT16_MAX;
  r->ignores_robots = r->truth.ignores_robots = one_in(d, 8);
  bool wants_maps = !one_in(d, 3);
  r->truth.sitemaps = wants_maps && !r->ignores_robots; /* robots.txt, which names them, is not read then */
  add_arg(d, "--delay=%u.%03u", (unsigned)(r->delay_ms / 1000), (unsigned)(r->delay_ms % 1000));
  add_arg(d, "--per-host=%u", r->per_host);
  add_arg(d, "--connections=%u", r->connections);
  add_arg(d, "--tries=%u", d->tries);
  add_arg(d, "--timeout=90"); /* a slow robots.txt of a heavy host takes longer than the usual 30 */
  add_arg(d, "--sitemaps=%s", wants_maps ? "robots" : "none");
  if (r->ignores_robots)
    add_arg(d, "--ignore-robots");
  if (one_in(d, 3))
    add_arg(d, "--per-address=%u", ONE_OF(d, 0, 1, 2, 50));
  d->plan->has_truth = d->tries >= TRIES_ENOUGH && !d->has_traps;
}

/* Where keys are exact the filter may be bad, and all pages are demanded all the same. A rate shows in a life after one
 * that ended well, if no more room is asked for. */
static void draw_filter(drawing *d)
{
  static const char *const filters[] = {"mlbf", "bloom", "line", "exact", "exact:bloom", "exact:line"};
  enum { EXACT = 3, KINDS = 3, SMALL = 10 };
  unsigned filter = below(d, EXACT + 1), expected = ONE_OF(d, SMALL, 100, 1000, 100000);
  bool is_bad = filter == EXACT && below(d, 4);
  if (filter == EXACT)
    filter += below(d, KINDS);
  add_arg(d, "--filter=%s", filters[filter]);
  add_arg(d, "--expect=%u", is_bad ? SMALL : expected);
  add_arg(d, "--fp=%s", !is_bad ? "1e-9" : below(d, 3) ? "0.5" : "0.3");
}

/* A web that was asked for may have traps that were not drawn: with the usual budget a crawl of them takes an hour.
 * What the web has of honest pages is demanded all the same. */
static void draw_budgets(drawing *d)
{
  for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
    d->plan->has_endless |= d->plan->options.share[endless[i].share] > 0;
  if (d->plan->has_endless)
    add_arg(d, "--trap-budget=%u", 1 + below(d, 60));
  if (d->plan->rules.truth.scope != WEB_SCOPE_ANY || !one_in(d, 3)) /* else its user named each domain */
    return;
  d->plan->domain_budget = 1 + below(d, 20);
  d->plan->has_truth = false;
  add_arg(d, "--domain-budget=%u", d->plan->domain_budget);
}

static void draw_memory(drawing *d)
{
  draw_filter(d);
  if (one_in(d, 3))
    add_arg(d, "--warc");
  if (one_in(d, 6))
    add_arg(d, "--warc-size=20000");
  if (one_in(d, 3))
    add_arg(d, "--no-similar");
  else if (one_in(d, 4))
    add_arg(d, "--near-last");
  if (one_in(d, 4))
    add_arg(d, "--digests");
  if (one_in(d, 2))
    add_arg(d, "--robots-memory=1M");
  draw_budgets(d);
}

/* ---- lives ------------------------------------------------------------------------------------------------------- */

static void add_deed(swarm_life *l, sim_happening deed)
{
  unsigned at = l->agenda_count++;
  for (; at && l->agenda[at - 1].at_ms > deed.at_ms; at--)
    l->agenda[at] = l->agenda[at - 1];
  l->agenda[at] = deed;
}

/* Virtual time that the crawl takes about. */
static uint64_t draw_moment(drawing *d)
{
  const swarm_plan *p = d->plan;
  uint64_t each = p->rules.delay_ms + (p->options.latency_from_ms + p->options.latency_to_ms) / 2 + 20;
  uint64_t all = each * (p->options.pages + 3) * (p->options.zipf ? 4 : 1);
  return 1 + random_next(&d->dice) % all;
}

static void draw_clocks(drawing *d, swarm_life *l)
{
  for (unsigned n = one_in(d, 3) ? 1 + below(d, 3) : 0; n; n--) {
    static const int64_t jumps[] = {-86400000, -3600000, -5000, -700, 700, 5000, 3600000, 86400000 * 40LL};
    sim_happening deed = {.at_ms = draw_moment(d), .deed = one_in(d, 3) ? SIM_SUSPEND : SIM_WALL};
    deed.amount_ms = jumps[below(d, 8)];
    if (deed.deed == SIM_SUSPEND && deed.amount_ms < 0)
      deed.amount_ms = -deed.amount_ms;
    add_deed(l, deed);
  }
}

/* Full for a while; or out of order. */
static void draw_outages(drawing *d, swarm_life *l)
{
  for (unsigned n = one_in(d, 3) ? 1 + below(d, 3) : 0; n; n--) {
    sim_happening ill = {.at_ms = draw_moment(d), .deed = SIM_DISK_ILL, .error = one_in(d, 4) ? EIO : ENOSPC};
    ill.what = ill.error == EIO && one_in(d, 2) ? FAULT_SYNC : FAULT_WRITE;
    ill.number = 1 + below(d, 40);
    add_deed(l, ill);
    uint64_t while_ms = 1 + random_next(&d->dice) % ONE_OF(d, 100, 3000, 50000, 600000);
    add_deed(l, (sim_happening){.at_ms = ill.at_ms + while_ms, .deed = SIM_DISK_WELL});
    l->may_fail = true;
  }
}

static void draw_end(drawing *d, swarm_life *l)
{
  switch (below(d, 7)) {
  case 0:
    l->fatal_class = FAULT_WRITE;
    l->fatal_call = 1 + below(d, ONE_OF(d, 30, 300, 3000));
    break;
  case 1:
    l->fatal_class = FAULT_SYNC;
    l->fatal_call = 1 + below(d, ONE_OF(d, 10, 100, 1000));
    break;
  case 2: add_deed(l, (sim_happening){.at_ms = draw_moment(d), .deed = SIM_KILL}); break;
  case 3: add_deed(l, (sim_happening){.at_ms = draw_moment(d), .deed = SIM_STOP}); break;
  case 4: snprintf(l->extra, sizeof l->extra, "--max-pages=%u", 1 + below(d, PAGES_MOST)); break;
  case 5: snprintf(l->extra, sizeof l->extra, "--max-seconds=%u", (unsigned)(1 + draw_moment(d) / 1000)); break;
  case 6: snprintf(l->extra, sizeof l->extra, "--max-depth=%u", below(d, 8)); break;
  }
  l->is_capped = true;
}

static void draw_life(drawing *d, swarm_life *l, bool is_last)
{
  if (!is_last)
    draw_end(d, l);
  draw_clocks(d, l);
  if (!is_last && !l->fatal_call) /* one trouble of calls at a time: see faults.h */
    draw_outages(d, l);
  if (d->has_traps && !*l->extra)
    snprintf(l->extra, sizeof l->extra, "--max-pages=%d", PAGES_MOST);
  l->is_capped |= is_last && d->has_traps;
}

/* Sometimes a pause, and what was done or failed comes again; sometimes strata compact in between. A last life, which
 * nothing cuts short, is to find what comes an hour late: after two to three hours, when all is due. */
static void draw_again(drawing *d, swarm_life *l, bool is_first, bool is_last)
{
  enum { HOUR_MS = 3600 * 1000 };
  if (is_first)
    return;
  l->is_compacted = one_in(d, 8);
  if (*l->extra || !one_in(d, is_last ? 2 : 3))
    return;
  l->again = d->plan->again = true;
  l->pause_ms = is_last ? 2 * HOUR_MS + random_next(&d->dice) % HOUR_MS : random_next(&d->dice) % (4 * HOUR_MS);
  snprintf(l->extra, sizeof l->extra, "%s", one_in(d, is_last ? 8 : 3) ? "--retry-failed" : SWARM_RECRAWL);
}

static uint64_t pages_of(const web *w)
{
  uint64_t pages = 0;
  for (uint32_t host = 0; host < web_options_of(w)->hosts; host++)
    pages += web_host_pages(w, host);
  return pages;
}

static web *make_web(drawing *d)
{
  swarm_plan *plan = d->plan;
  char error[256];
  snprintf(plan->web, sizeof plan->web, "%s", d->web.bytes);
  if (web_options_read(&plan->options, plan->web, error, sizeof error))
    return web_create(&plan->options);
  fprintf(stderr, "%s: %s\n", plan->web, error);
  abort();
}

/* By Zipf's law a few hosts may have far more pages than were asked for. */
static web *make_small_web(drawing *d)
{
  web *w = make_web(d);
  while (pages_of(w) > 2 * PAGES_MOST) {
    text_addf(&d->web, ",pages=%u", d->plan->options.pages / 2);
    web_free(w);
    w = make_web(d);
  }
  return w;
}

void swarm_draw(uint64_t seed, const char *more_of_web, bool is_tiny, swarm_plan *plan)
{
  drawing d = {.plan = plan, .dice = random_stream(seed, 2)};
  memset(plan, 0, sizeof *plan);
  plan->seed = seed;
  d.tries = ONE_OF(&d, 1, 3, TRIES_ENOUGH, TRIES_ENOUGH, TRIES_ENOUGH);
  draw_web(&d);
  if (*more_of_web)
    text_addf(&d.web, ",%s", more_of_web);
  web *w = make_small_web(&d);
  text_free(&d.web);
  draw_manners(&d);
  draw_starts(&d, w);
  draw_memory(&d);
  web_free(w);
  plan->rules.is_tiny = is_tiny;
  plan->rules.is_ordered = one_in(&d, 4);
  plan->life_count = 1 + below(&d, 5);
  for (unsigned i = 0; i < plan->life_count; i++)
    draw_life(&d, &plan->lives[i], i + 1 == plan->life_count);
  for (unsigned i = 0; i < plan->life_count; i++)
    draw_again(&d, &plan->lives[i], i == 0, i + 1 == plan->life_count);
}
