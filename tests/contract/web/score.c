/* Each request is asked for what it is; in the end, each page whether it was fetched. */
#include "tests/contract/web/score.h"
#include "tests/contract/web/web_inside.h"

#include <stdlib.h>
#include <string.h>

/* What a host's requests so far have to be remembered for. */
typedef struct host_seen {
  uint64_t last_ms[2]; /* + 1, by its own name and by the other; 0: none yet */
  uint8_t robots;      /* a bit for each of its names and schemes */
} host_seen;

struct judge {
  const web *w;
  web_rules rules;
  uint64_t delay_ms;
  score score;
  host_seen *hosts;
  uint64_t *came; /* open addressing: what came whole, 0 is empty */
  size_t room, count;
};

static void *checked(void *memory)
{
  if (!memory)
    abort();
  return memory;
}

judge *judge_create(const web *w, const web_rules *rules, uint64_t delay_ms)
{
  judge *j = checked(calloc(1, sizeof *j));
  *j = (judge){.w = w, .rules = *rules, .delay_ms = delay_ms, .room = 1024};
  j->hosts = checked(calloc(web_options_of(w)->hosts, sizeof *j->hosts));
  j->came = checked(calloc(j->room, sizeof *j->came));
  return j;
}

void judge_free(judge *j)
{
  free(j->hosts);
  free(j->came);
  free(j);
}

/* -- what came whole -- */

static uint64_t *slot_of(const judge *j, uint64_t key)
{
  size_t at = key & (j->room - 1);
  while (j->came[at] && j->came[at] != key)
    at = (at + 1) & (j->room - 1);
  return &j->came[at];
}

static void remember(judge *j, uint64_t key)
{
  if (2 * ++j->count > j->room) {
    uint64_t *old = j->came;
    size_t room = j->room;
    j->room *= 2;
    j->came = checked(calloc(j->room, sizeof *j->came));
    for (size_t i = 0; i < room; i++)
      if (old[i])
        *slot_of(j, old[i]) = old[i];
    free(old);
  }
  *slot_of(j, key) = key;
}

static uint64_t key_of_page(const judge *j, uint32_t host, uint32_t page)
{
  return web_dice(j->w, WEB_ASK_SHARE + WEB_SHARES, host, page) | 1;
}

/* A page is the same in all its spellings, anything else only in one. */
static uint64_t key_of(const judge *j, const serve_log_line *line, web_place place)
{
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  if (place.what == WEB_PAGE)
    return key_of_page(j, place.host, place.page);
  for (const char *byte = line->host; *byte; byte++)
    hash = (hash ^ (unsigned char)*byte) * 1099511628211u;
  for (const char *byte = line->target; *byte; byte++)
    hash = (hash ^ (unsigned char)*byte) * 1099511628211u;
  return web_dice(j->w, WEB_ASK_SHARE + WEB_SHARES + 1, hash, line->is_https) | 1;
}

/* -- one request -- */

/* What may heal: nobody is to be blamed for asking again. */
static bool is_passing(const serve_log_line *line)
{
  bool came = line->ending == WEB_WHOLE || line->ending == WEB_NO_TRUST;
  return !came || line->status == 429 || line->status >= 500;
}

static void judge_manners(judge *j, const serve_log_line *line, web_place place)
{
  enum { SLACK_MS = 5, SLACK_PART = 20 };
  host_seen *seen = &j->hosts[place.asked];
  uint32_t host;
  web_name name = web_read_name(j->w, line->host, strcspn(line->host, ":"), &host);
  bool is_own = name == WEB_NAME_OWN;
  uint8_t origin = (uint8_t)(1u << (2 * is_own + line->is_https));
  uint64_t *last_ms = &seen->last_ms[is_own];
  if (name == WEB_NAME_ENDLESS)
    return; /* names without end: none is kept */
  uint64_t delay_ms = 1000 * (uint64_t)web_host_delay_s(j->w, place.asked);
  delay_ms = delay_ms > j->delay_ms ? delay_ms : j->delay_ms;
  delay_ms -= delay_ms / SLACK_PART; /* requests arrive later than they were sent, the first on a connection most */
  if (place.what == WEB_ROBOTS) {
    seen->robots |= origin;
    return;
  }
  j->score.before_robots += !(seen->robots & origin);
  j->score.too_soon += *last_ms && line->ms + 1 + SLACK_MS < *last_ms + delay_ms;
  *last_ms = line->ms + 1;
}

static bool is_barred(const judge *j, web_place place)
{
  web_share robots = web_host_robots(j->w, place.asked);
  if (j->rules.ignores_robots || place.what == WEB_ROBOTS || place.what == WEB_MAP)
    return false;
  return robots == WEB_CLOSED || robots == WEB_BROKENROBOTS ||
         (place.what == WEB_PAGE && web_page_form(j->w, place.host, place.page) == WEB_FORM_FORBIDDEN);
}

static void judge_target(judge *j, web_place place)
{
  switch (place.what) {
  case WEB_NOTHING: j->score.unknown++; return;
  case WEB_ENDLESS: j->score.endless++; return;
  case WEB_PAGE: break;
  default: return;
  }
  web_fate fate = web_look(j->w, &j->rules, place.host, place.page).fate;
  j->score.elsewhere += fate == WEB_ELSEWHERE;
  j->score.unlinked += fate == WEB_UNLINKED;
}

void judge_take(judge *j, const serve_log_line *line)
{
  score *s = &j->score;
  web_place place = web_find_target(j->w, line->is_https, line->host, strcspn(line->host, ":"), line->target,
                                    strlen(line->target));
  s->first_ms = s->requests++ ? s->first_ms : line->ms;
  s->last_ms = line->ms;
  s->bytes += line->bytes;
  s->robots += place.what == WEB_ROBOTS;
  s->failures += is_passing(line);
  judge_target(j, place);
  if (place.asked == WEB_NO_HOST)
    return;
  judge_manners(j, line, place);
  s->barred += is_barred(j, place);
  if (place.what == WEB_ROBOTS || place.what == WEB_ENDLESS)
    return;
  uint64_t key = key_of(j, line, place);
  bool came = *slot_of(j, key) != 0;
  s->again += came;
  if (!came && !is_passing(line))
    remember(j, key);
}

/* -- the end -- */

static void look_for(judge *j, uint32_t host, uint32_t page)
{
  web_truth truth = web_look(j->w, &j->rules, host, page);
  if (truth.fate != WEB_WANTED)
    return;
  bool came = *slot_of(j, key_of_page(j, host, page)) != 0;
  j->score.wanted++;
  j->score.fetched += came;
  j->score.missed_resting += !came && truth.rests;
  j->score.missed_flaky += !came && !truth.rests && truth.is_flaky;
}

score judge_end(judge *j)
{
  for (uint32_t host = 0; host < web_options_of(j->w)->hosts; host++)
    for (uint32_t page = 0, pages = web_host_pages(j->w, host); page < pages; page++)
      look_for(j, host, page);
  return j->score;
}
