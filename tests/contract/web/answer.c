/* From a request to an answer: who is asked, what for, and what stands in the way.
 *
 *     host? ─ no name ─> WEB_NO_NAME           other name, other scheme ─> 301
 *       │                                      robots.txt, sitemap      ─> themselves
 *     its kind: refused, silent ...            resting                  ─> 503
 *       │                                      door, away               ─> 301, 302, 303, 307, 308
 *     target? ───────────────────────────────> page: flaky ─> 503, 429, reset, cut
 *                                                    failing ─> 404, 410, 403, 500
 *                                                    else 200, or 304 if it is known
 *                                              endless ─> its kind's       else 404 */
#include "tests/contract/web/web_inside.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct visit {
  const web *w;
  const web_request *request;
  web_reply *reply;
  uint32_t host;
  unsigned hop;
  char target[WEB_TARGET_MAX]; /* decoded */
} visit;

static void set_status(web_reply *reply, int status, const char *type)
{
  reply->status = status;
  text_add(&reply->headers, "Content-Type: ");
  text_add(&reply->headers, type);
  text_add(&reply->headers, "\r\n");
}

static void set_html(const visit *v, int status)
{
  char type[64] = "text/html";
  if (web_host_says_charset(v->w, v->host))
    snprintf(type, sizeof type, "text/html; charset=%s", web_charset_name(web_host_charset(v->w, v->host)));
  set_status(v->reply, status, type);
}

static void say(const visit *v, int status, const char *words)
{
  set_status(v->reply, status, "text/html; charset=utf-8");
  text_add(&v->reply->body, "<!DOCTYPE html><title>");
  text_add(&v->reply->body, words);
  text_add(&v->reply->body, "</title>\n");
}

static void add_header_number(web_reply *reply, const char *name, uint64_t number)
{
  text_add(&reply->headers, name);
  web_add_number(&reply->headers, number);
  text_add(&reply->headers, "\r\n");
}

static void redirect(const visit *v, int status, uint32_t host, const char *target, size_t size)
{
  say(v, status, "elsewhere");
  text_add(&v->reply->headers, "Location: ");
  if (host != WEB_NO_HOST)
    web_add_origin(v->w, &v->reply->headers, host);
  text_add_bytes(&v->reply->headers, target, size);
  text_add(&v->reply->headers, "\r\n");
}

static int redirect_status(const visit *v)
{
  static const int statuses[] = {301, 302, 307, 308, 301, 302, 303, 301};
  return statuses[web_dice(v->w, WEB_ASK_STATUS, v->host, v->reply->place.page + v->hop) & 7];
}

/* The nearest redirect, or the page behind the last. Within the host every second one says so without the host. */
static void answer_hop(const visit *v)
{
  char target[WEB_TARGET_MAX];
  const web_place *place = &v->reply->place;
  size_t size = v->hop > 1 ? (size_t)snprintf(target, sizeof target, "/go/%u/%u", v->hop - 1, place->page)
                           : web_page_target(v->w, place->host, place->page, target);
  bool is_short = v->hop && (place->page + v->hop) % 2;
  redirect(v, redirect_status(v), is_short ? WEB_NO_HOST : place->host, target, size);
}

/* true: it strayed, or strays on. */
static bool answer_stray_robots(const visit *v)
{
  char to[64];
  unsigned left = 2;
  uint32_t of = web_host_strayed(v->w, v->host, v->target, &left);
  if (of == WEB_NO_HOST && !web_host_strays(v->w, v->host))
    return false;
  snprintf(to, sizeof to, "/robots-of/%u/%u", of == WEB_NO_HOST ? v->host : of, left - 1);
  if (of != WEB_NO_HOST && !left) {
    set_status(v->reply, 200, "text/plain");
    web_write_robots(v->w, of, &v->reply->body);
  } else {
    redirect(v, 302, 0, to, strlen(to));
  }
  return true;
}

static void answer_robots(const visit *v)
{
  if (answer_stray_robots(v))
    return;
  switch (web_host_robots(v->w, v->host)) {
  case WEB_NOROBOTS: say(v, 404, "no robots.txt"); return;
  case WEB_BROKENROBOTS: say(v, 500, "out of order"); return;
  case WEB_MOVEDROBOTS:
    if (strcmp(v->target, "/robots.txt") == 0) {
      redirect(v, 301, WEB_NO_HOST, "/moved-robots.txt", strlen("/moved-robots.txt"));
      return;
    }
    break;
  case WEB_SLOWROBOTS: v->reply->latency_ms += 10000; break;
  default: break;
  }
  set_status(v->reply, 200, "text/plain");
  web_write_robots(v->w, v->host, &v->reply->body);
}

/* A resting host works in the second half of each period; the periods of two hosts begin at different times. */
static bool answer_rest(const visit *v, web_share what)
{
  uint64_t rest_ms = 1000 * (uint64_t)v->w->options.rest_s, period_ms = 2 * rest_ms;
  if (!web_host_has(v->w, v->host, what))
    return false;
  uint64_t at = (v->request->now_ms + web_dice(v->w, WEB_ASK_REST, v->host, 0) % period_ms) % period_ms;
  if (at >= rest_ms)
    return false;
  say(v, 503, "resting");
  add_header_number(v->reply, "Retry-After: ", (rest_ms - at + 999) / 1000);
  return true;
}

static void answer_page(const visit *v);

/* Until the bad third of its period is over. */
static bool answer_flaky(const visit *v)
{
  uint32_t page = v->reply->place.page;
  uint64_t period_ms = 1000 * (uint64_t)v->w->options.flaky_s;
  if (!web_page_is_flaky(v->w, v->host, page))
    return false;
  uint64_t dice = web_dice(v->w, WEB_ASK_FLAKY_WHEN, v->host, page);
  uint64_t at = (v->request->now_ms + dice % period_ms) % period_ms;
  if (at >= period_ms / 3)
    return false;
  switch (dice >> 62) {
  case 0: v->reply->ending = WEB_RESET; return true;
  case 1:
    answer_page(v);
    v->reply->ending = v->reply->status == 200 ? WEB_CUT : WEB_WHOLE;
    v->reply->sent = v->reply->body.size / 2;
    return true;
  default:
    say(v, dice >> 62 == 2 ? 503 : 429, "not now");
    add_header_number(v->reply, "Retry-After: ", (period_ms / 3 - at + 999) / 1000);
    return true;
  }
}

static void add_date(text *out, const char *name, time_t when)
{
  char line[64];
  struct tm parts;
  gmtime_r(&when, &parts);
  strftime(line, sizeof line, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  text_add(out, name);
  text_add(out, line);
  text_add(out, "\r\n");
}

/* One host in two names versions, one in four dates them, one in four does neither. True: the asker has this one. */
static bool add_version(const visit *v, uint64_t version)
{
  enum { BEGAN_S = 1735689600 /* 2025 */ };
  text *headers = &v->reply->headers;
  uint64_t how = web_dice(v->w, WEB_ASK_VERSION, v->host, 0) & 3;
  size_t from = headers->size;
  const char *asked = how < 2 ? v->request->if_none_match : v->request->if_modified_since;
  if (how < 2) {
    char tag[40];
    snprintf(tag, sizeof tag, "\"%016llx\"",
             (unsigned long long)web_dice(v->w, WEB_ASK_VERSION, v->reply->place.page, version));
    text_add(headers, "ETag: ");
    text_add(headers, tag);
    text_add(headers, "\r\n");
    return asked && strcmp(asked, tag) == 0;
  }
  if (how == 3)
    return false;
  add_date(headers, "Last-Modified: ", (time_t)(BEGAN_S + version * v->w->options.change_s));
  const char *date = headers->bytes + from + strlen("Last-Modified: ");
  return asked && strncmp(asked, date, strlen(asked)) == 0;
}

static void answer_page(const visit *v)
{
  uint32_t page = v->reply->place.page;
  uint64_t version = web_page_version(v->w, v->host, page, v->request->now_ms);
  if (add_version(v, version)) {
    v->reply->status = 304;
    return;
  }
  set_html(v, 200);
  web_write_page(v->w, v->host, page, version, &v->reply->body);
}

static void answer_failing(const visit *v)
{
  static const int statuses[] = {404, 410, 403, 500};
  say(v, statuses[web_dice(v->w, WEB_ASK_STATUS, v->host, v->reply->place.page) & 3], "no more");
}

static void answer_endless(const visit *v)
{
  const web_kind *kind = web_host_kind(v->w, v->host);
  set_status(v->reply, 200, "text/html; charset=utf-8");
  kind->answer(v->w, v->request, v->host, v->target, v->reply);
}

static void answer_place(const visit *v)
{
  if (answer_rest(v, WEB_ASLEEP))
    return;
  switch (v->reply->place.what) {
  case WEB_ROBOTS: answer_robots(v); return;
  case WEB_MAP:
    set_status(v->reply, 200, "application/xml");
    web_write_map(v->w, v->host, v->target, &v->reply->body);
    return;
  default: break;
  }
  if (answer_rest(v, WEB_RESTING))
    return;
  switch (v->reply->place.what) {
  case WEB_PAGE:
    if (answer_flaky(v))
      return;
    if (web_page_form(v->w, v->host, v->reply->place.page) == WEB_FORM_FAILING)
      answer_failing(v);
    else
      answer_page(v);
    return;
  case WEB_HOP: answer_hop(v); return;
  case WEB_ENDLESS: answer_endless(v); return;
  default: say(v, 404, "not found");
  }
}

/* A quarter more or less than the host's own. */
static uint32_t latency_of(const visit *v)
{
  uint32_t middle = web_host_latency_ms(v->w, v->host);
  uint64_t dice = web_dice(v->w, WEB_ASK_JITTER, v->host, v->request->target_size * 131 + v->reply->place.page);
  return middle - middle / 4 + (uint32_t)(dice % (middle / 2 + 1));
}

static void clear(web_reply *reply)
{
  text_clear(&reply->headers);
  text_clear(&reply->body);
  reply->ending = WEB_WHOLE;
  reply->latency_ms = 0;
  reply->status = 0;
  reply->sent = 0;
}

/* Of a name that is not the host's own, or by the other scheme: the same target at its own. True: that was so. */
static bool answer_elsewhere(const visit *v, web_name name)
{
  bool speaks_https = web_host_is_https(v->w, v->host);
  if (v->request->is_https && !speaks_https) {
    v->reply->ending = WEB_NOT_LISTENING;
    return true;
  }
  if (name == WEB_NAME_ENDLESS && v->reply->place.what == WEB_ROBOTS) {
    if (web_host_has(v->w, v->host, WEB_LONGROBOTS)) {
      set_status(v->reply, 200, "text/plain");
      web_write_long_robots(v->w, v->host, &v->reply->body);
    } else {
      say(v, 404, "no robots.txt");
    }
    return true;
  }
  if (name == WEB_NAME_ENDLESS || (name == WEB_NAME_OWN && v->request->is_https == speaks_https))
    return false;
  redirect(v, 301, v->host, v->request->target, v->request->target_size);
  return true;
}

static void answer(visit *v)
{
  const web_request *request = v->request;
  web_reply *reply = v->reply;
  size_t size = 0;
  while (size < request->host_size && request->host[size] != ':')
    size++;
  web_name name = web_read_name(v->w, request->host, size, &v->host);
  const web_kind *kind = name == WEB_NAME_NONE ? NULL : web_host_kind(v->w, v->host);
  reply->place = web_find_target(v->w, request->is_https, request->host, request->host_size, request->target,
                                 request->target_size);
  bool is_answered = !kind || kind->ending == WEB_WHOLE || kind->ending == WEB_NO_TRUST;
  if (name == WEB_NAME_NONE || !is_answered) {
    reply->ending = kind ? kind->ending : WEB_NO_NAME;
    return;
  }
  reply->latency_ms = latency_of(v);
  if (answer_elsewhere(v, name))
    return;
  if (!web_decode(request->target, request->target_size, v->target, sizeof v->target))
    v->target[0] = '\0';
  else if (reply->place.what == WEB_HOP)
    web_find_decoded(v->w, v->host, v->target, &v->hop);
  answer_place(v);
}

void web_answer(const web *w, const web_request *request, web_reply *reply)
{
  visit v = {.w = w, .request = request, .reply = reply};
  clear(reply);
  answer(&v);
  if (reply->ending != WEB_CUT)
    reply->sent = reply->body.size;
  if (request->is_https && reply->place.asked != WEB_NO_HOST && web_host_has(w, reply->place.asked, WEB_DISTRUSTED))
    reply->ending = WEB_NO_TRUST;
}

void web_reply_free(web_reply *reply)
{
  text_free(&reply->headers);
  text_free(&reply->body);
}
