/* See pages_log.h. */
#include "crawler/loop/pages_log.h"

#include "crawler/base/chars.h"
#include "crawler/base/mime_type.h"
#include "frontier/base/machine.h"

#include <string.h>
#include <time.h>

static void put_time(json *line)
{
  time_t now = (time_t)(machine_wall_ms() / 1000);
  struct tm utc;
  char text[32];
  gmtime_r(&now, &utc);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  json_put_string(line, "time", text);
}

static void put_request(json *line, const fetch_response *r)
{
  json_put_number(line, "start_ms", r->start_ms);
  json_put_real(line, "dns_ms", 1000 * r->name_seconds, 3);
  json_put_real(line, "connect_ms", 1000 * r->connect_seconds, 3);
  json_put_real(line, "first_byte_ms", 1000 * r->first_byte_seconds, 3);
}

/* What an HTML page was read in; of anything else, and of a page that does not say it, what its header says. */
static void put_charset(json *line, const page_facts *facts)
{
  const charset *known = visit_charset(facts->visit);
  mime_type type;
  mime_type_read(facts->response->content_type, strlen(facts->response->content_type), &type);
  for (char *at = type.charset; *at; at++)
    *at = lower(*at);
  json_put_string(line, "charset", known ? charset_name(known) : type.charset);
}

static void put_hash(json *line, const page_facts *facts)
{
  if (facts->response->body_bytes > 0)
    json_put_string(line, "sha256", facts->visit->sha256);
}

static void put_answer(json *line, const page_facts *facts)
{
  static const char *const limits[] = {[FETCH_CUT_LENGTH] = "too many decoded bytes",
                                       [FETCH_CUT_DISCONNECT] = "disconnected",
                                       [FETCH_CUT_TIME] = "timeout",
                                       [FETCH_CUT_CODING] = "damaged"};
  const fetch_response *r = facts->response;
  json_put_number(line, "status", (uint64_t)r->status);
  json_put_string(line, "type", r->content_type);
  if (facts->visit->sniffed != SNIFFED_NOTHING)
    json_put_string(line, "sniffed", sniffed_type(facts->visit->sniffed));
  put_charset(line, facts);
  json_put_number(line, "wire_bytes", r->wire_bytes);
  json_put_number(line, "body_bytes", r->body_bytes);
  put_hash(line, facts);
  if (r->truncated)
    json_put_bool(line, "truncated", true);
  const char *limit = r->truncated ? limits[r->truncated] : facts->links.limit;
  if (limit)
    json_put_string(line, "limit", limit);
  if (facts->redirect)
    json_put_string(line, "redirect", facts->redirect);
  if (facts->is_loop)
    json_put_bool(line, "loop", true);
  if (*facts->visit->title)
    json_put_string(line, "title", facts->visit->title);
  if (facts->links.canonical)
    json_put_string(line, "canonical", facts->links.canonical);
  if (facts->visit->noindex)
    json_put_bool(line, "noindex", true);
  if (facts->visit->nofollow)
    json_put_bool(line, "nofollow", true);
  if (facts->near) {
    json_put_string(line, "near", facts->near->url);
    json_put_real(line, "near_share", facts->near->share, 3);
  }
  json_put_number(line, "links", facts->links.found);
  json_put_number(line, "new", facts->links.fresh);
}

static const char *outcome_name(frontier_state state)
{
  return state == FRONTIER_DONE ? "done" : state == FRONTIER_FAILED ? "failed" : "skipped";
}

void pages_log_line(json *line, const page_facts *facts, url_profile profile, url *scratch)
{
  const frontier_lease *lease = &facts->visit->lease;
  bool is_key = url_parse(lease->url, lease->url_size, profile, scratch) == URL_OK;
  json_clear(line);
  json_begin(line);
  json_put_number(line, "id", lease->id);
  json_put_string(line, "url", lease->url);
  json_put_string(line, "key", is_key ? scratch->key : lease->url);
  json_put_number(line, "depth", lease->origin.depth);
  json_put_number(line, "via", lease->origin.via);
  json_put_string(line, "verdict", frontier_outcome_name(lease->verdict.outcome));
  json_put_number(line, "layer", lease->verdict.layer);
  if (facts->visit->is_map)
    json_put_bool(line, "sitemap", true);
  if (facts->visit->lease.origin.hops & VISIT_CHECK)
    json_put_bool(line, "check", true);
  if (lease->origin.hops & ~VISIT_BITS && !facts->visit->is_map)
    json_put_number(line, "hops", lease->origin.hops & ~(unsigned)VISIT_BITS);
  json_put_number(line, "tries", facts->visit->tries > 1 ? facts->visit->tries : 1);
  json_put_string(line, "outcome", outcome_name(facts->outcome));
  json_put_string(line, "robots", facts->robots);
  put_time(line);
  json_put_real(line, "seconds", facts->response ? facts->response->seconds : 0, 6);
  if (facts->response)
    put_request(line, facts->response);
  if (facts->error) {
    json_put_string(line, "error", facts->error);
    json_put_string(line, "reason", facts->reason);
  } else if (facts->response) {
    put_answer(line, facts);
  }
  json_end(line);
}
