/* See pages_log.h. */
#include "crawler/pages_log.h"

#include <time.h>

static void put_time(json *line)
{
  struct timespec now;
  struct tm utc;
  char text[32];
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &utc);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  json_put_string(line, "time", text);
}

void pages_log_line(json *line, const visit *v, const fetch_response *response, page_links links, const char *target)
{
  json_clear(line);
  json_begin(line);
  json_put_number(line, "id", v->lease.id);
  json_put_string(line, "url", v->lease.url);
  json_put_number(line, "depth", v->lease.origin.depth);
  json_put_number(line, "via", v->lease.origin.via);
  if (v->is_map)
    json_put_bool(line, "sitemap", true);
  if (v->tries > 1)
    json_put_number(line, "tries", v->tries);
  put_time(line);
  json_put_real(line, "seconds", response->seconds, 6);
  if (response->error == FETCH_OK) {
    json_put_number(line, "status", (uint64_t)response->status);
    json_put_string(line, "type", response->content_type);
    json_put_number(line, "wire_bytes", response->wire_bytes);
    json_put_number(line, "body_bytes", response->body_bytes);
    if (response->truncated)
      json_put_bool(line, "truncated", true);
    if (target)
      json_put_string(line, "redirect", target);
    if (links.canonical)
      json_put_string(line, "canonical", links.canonical);
    if (v->noindex)
      json_put_bool(line, "noindex", true);
    if (v->nofollow)
      json_put_bool(line, "nofollow", true);
    json_put_number(line, "links", links.found);
    json_put_number(line, "new", links.fresh);
  } else {
    json_put_string(line, "error", fetch_error_name(response->error));
    json_put_string(line, "reason", response->explanation);
  }
  json_end(line);
}
