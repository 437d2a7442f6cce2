/* URLs without end: what is asked for makes up what is there next. */
#include "tests/contract/web/web_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_BYTES = 600 };

static void begin(text *out)
{
  text_add(out, "<!DOCTYPE html>\n<html><head><title>more</title></head><body>\n");
}

/* The same words for the same `about`. */
static void add_words(const web *w, text *out, uint32_t host, uint64_t about)
{
  uint64_t state = web_dice(w, WEB_ASK_TRAP, host, about);
  web_add_words(out, WEB_UTF8, WORDS_BYTES, &state, NULL);
  text_add(out, "</body></html>\n");
}

static uint64_t hash_of(const char *bytes, size_t size)
{
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
  return hash;
}

/* -- calendar: /calendar/2024/5/17 leads to the days beside it and to the same day of other years -- */

bool web_is_calendar(const char *target)
{
  return strncmp(target, "/calendar/", 10) == 0;
}

static void add_day(text *out, unsigned long year, unsigned long month, unsigned long day)
{
  month += day > 28;
  text_addf(out, "<a href=\"/calendar/%lu/%lu/%lu\">then</a> ", year + (month > 12), (month - 1) % 12 + 1,
            (day - 1) % 28 + 1);
}

void web_answer_calendar(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply)
{
  (void)request;
  unsigned long year = 0, month = 0, day = 0;
  char *at = NULL;
  year = strtoul(target + 10, &at, 10);
  month = *at == '/' ? strtoul(at + 1, &at, 10) : 1;
  day = *at == '/' ? strtoul(at + 1, &at, 10) : 1;
  year %= 1000000, month = month % 12 + !(month % 12) * 12, day = day % 28 + !(day % 28) * 28;
  begin(&reply->body);
  add_day(&reply->body, year, month, day + 1);
  add_day(&reply->body, year, month + 1, day);
  add_day(&reply->body, year + 1, month, day);
  add_words(w, &reply->body, host, hash_of(target, strlen(target)) % 16);
}

/* -- sessions: /shop/item3?sid=..., a new session with each visit -- */

bool web_is_shop(const char *target)
{
  return strncmp(target, "/shop/", 6) == 0;
}

void web_answer_shop(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply)
{
  enum { ITEMS = 20 };
  uint64_t session = web_dice(w, WEB_ASK_TRAP, hash_of(target, strlen(target)), request->now_ms);
  begin(&reply->body);
  for (unsigned item = 1; item <= ITEMS; item += 1 + (unsigned)(session >> item & 3))
    text_addf(&reply->body, "<a href=\"/shop/item%u?sid=%08x\">item</a> ", item, (unsigned)session);
  add_words(w, &reply->body, host, hash_of(target, strcspn(target, "?")));
}

/* -- lost: whatever is asked for, 200, the same words and links to more of it -- */

bool web_is_anything(const char *target)
{
  (void)target;
  return true;
}

void web_answer_lost(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply)
{
  (void)request;
  uint64_t dice = web_dice(w, WEB_ASK_TRAP, hash_of(target, strlen(target)), host);
  begin(&reply->body);
  text_add(&reply->body, "Sorry, we could not find this. Did you mean ");
  for (unsigned i = 0; i < 4; i++, dice >>= 16)
    text_addf(&reply->body, "<a href=\"/lost/%04x/%u\">this</a> ", (unsigned)(dice & 0xFFFF), i);
  add_words(w, &reply->body, host, 0);
}

/* -- farm: names without end below the host's own, each of which links to others -- */

bool web_is_farm(const char *target)
{
  return strncmp(target, "/best/", 6) == 0;
}

void web_answer_farm(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply)
{
  char name[WEB_NAME_MAX];
  uint64_t asked = hash_of(request->host, request->host_size) ^ hash_of(target, strlen(target));
  uint64_t dice = web_dice(w, WEB_ASK_TRAP, asked, host);
  web_host_name(w, host, name);
  begin(&reply->body);
  for (unsigned i = 0; i < 4; i++, dice >>= 16)
    text_addf(&reply->body, "<a href=\"%s://x%04x.%s/best/%u\">best</a> ", request->is_https ? "https" : "http",
              (unsigned)(dice & 0xFFFF), name, i);
  add_words(w, &reply->body, host, asked);
}
