/* See audit.h. */
#include "tests/contract/crash/audit.h"

#include "tests/site/random.h"
#include "tests/support/second_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t audit_roll(audit *a, uint64_t sides)
{
  a->dice = a->dice * 6364136223846793005u + 1442695040888963407u;
  return (a->dice >> 33) % sides;
}

void audit_break(audit *a, const char *promise, uint32_t number)
{
  if (!a->is_lied_to)
    fprintf(stderr, "crawl %u, life %u, page %u: %s\n", a->crawls, a->lives, (unsigned)number, promise);
  a->broken++;
}

/* ---- what the driver says -------------------------------------------------------------------------------- */

static void hear_lease(audit *a, uint32_t number)
{
  page *p = &a->pages[number];
  if (p->is_done_for_good)
    audit_break(a, "leased again after it was done and committed", number);
  if (p->is_leased)
    audit_break(a, "leased twice at once", number);
  if (p->is_done)
    audit_break(a, "leased again after it was done in this life", number);
  if (p->was_leased && p->may_return)
    a->again++;
  p->may_return = false;
  p->is_leased = p->was_leased = p->is_accepted = true;
}

static void hear_sync(audit *a)
{
  for (uint32_t i = 0; i < WEB_PAGES; i++) {
    a->pages[i].is_accepted_for_good |= a->pages[i].is_accepted;
    a->pages[i].is_found_for_good |= a->pages[i].is_found;
    a->pages[i].is_done_for_good |= a->pages[i].is_done;
  }
}

void audit_hear(audit *a, report r)
{
  page *p = &a->pages[r.page % WEB_PAGES];
  switch ((report_kind)r.kind) {
  case REPORT_ACCEPTED:
    if (p->is_accepted)
      audit_break(a, p->is_accepted_for_good ? "accepted again after it was committed" : "accepted again", r.page);
    p->is_accepted = true;
    break;
  case REPORT_FOUND: p->is_found = true; break;
  case REPORT_LEASED: hear_lease(a, r.page); break;
  case REPORT_RELEASED: p->is_leased = false; break;
  case REPORT_DONE:
    p->is_leased = false;
    p->is_done = true;
    break;
  case REPORT_SYNCED: hear_sync(a); break;
  case REPORT_FINISHED: a->is_finished = true; break;
  case REPORT_LATE: a->late = r.page > a->late ? r.page : a->late; break;
  case REPORT_FAILED: a->has_failed = true; break;
  }
}

/* What was in flight, or done and not committed as far as we know, may come back. */
void audit_note_death(audit *a)
{
  for (uint32_t i = 0; i < WEB_PAGES; i++) {
    page *p = &a->pages[i];
    bool is_open = p->is_leased || (p->is_done && !p->is_done_for_good); /* released is as if never leased */
    p->may_return |= is_open;
    a->may_be_again += is_open;
    p->is_leased = false;
    p->is_done = p->is_done_for_good;
    p->is_accepted = p->is_accepted_for_good;
    p->is_found = p->is_found_for_good;
  }
}

/* ---- after it --------------------------------------------------------------------------------------------- */

/* What a broken journal holds may have NULs. */
static char *next_line(char *at, const char *end)
{
  return (char *)memchr(at, '\n', (size_t)(end - at)) + 1;
}

/* Whole lines stay for ever, and what they say is final. A torn one at the end may be there until the next open. */
void audit_look_at_journal(audit *a)
{
  size_t size = 0;
  char *text = scratch_read(a->journal, &size);
  while (size && text[size - 1] != '\n')
    size--;
  if (size < a->lines_size || (a->lines_size && memcmp(text, a->lines, a->lines_size) != 0))
    audit_break(a, "the journal took lines back", 0);
  for (char *at = text ? text + a->lines_size : NULL; at && at < text + size; at = next_line(at, text + size)) {
    uint32_t number = (uint32_t)strtoul(at, NULL, 10) % WEB_PAGES;
    static const page unknown;
    if (memcmp(&a->pages[number], &unknown, sizeof unknown) == 0)
      audit_break(a, "a line of a page that was never leased", number);
    a->pages[number].is_done_for_good = true;
    a->pages[number].is_done = true;
    a->pages[number].may_return = false;
  }
  free(a->lines);
  a->lines = text;
  a->lines_size = size;
}

static uint32_t page_in(const char *text)
{
  return (uint32_t)strtoul(strrchr(text, '/') + 1, NULL, 10) % WEB_PAGES;
}

static void look_at_doubts(const second_view *v, bool is_found[WEB_PAGES])
{
  for (size_t i = 0; i < v->doubt_count; i++) {
    char text[WEB_URL_SIZE];
    const second_doubt *d = &v->doubts[i];
    snprintf(text, sizeof text, "%.*s", (int)d->text_size, d->text);
    is_found[page_in(text)] = true;
  }
}

static void look_at_links(audit *a, uint32_t from, const bool is_found[WEB_PAGES])
{
  for (uint32_t i = 0; i < WEB_LINKS; i++)
    if (!is_found[web_link(from, i)])
      audit_break(a, "on a page that is done and committed, and lost", web_link(from, i));
}

void audit_look_at_directory(audit *a)
{
  bool is_there[WEB_PAGES] = {false}, is_ended[WEB_PAGES] = {false}, is_found[WEB_PAGES] = {false};
  second_view v = {0};
  if (!second_is_unborn(a->directory))
    second_read(a->directory, false, &v);
  if (v.faults)
    audit_break(a, "the second reader finds faults", v.faults);
  for (uint64_t s = 1; s < v.url_room; s++) {
    uint32_t number = page_in(v.urls[s].text);
    if (is_there[number])
      audit_break(a, "on disk twice", number);
    is_there[number] = is_found[number] = true;
    is_ended[number] = v.urls[s].state != 0;
  }
  look_at_doubts(&v, is_found);
  for (uint32_t i = 0; i < WEB_PAGES; i++) {
    if (a->pages[i].is_found_for_good && !is_found[i])
      audit_break(a, "found and committed, and lost", i);
    if (a->pages[i].is_accepted_for_good && !is_there[i])
      audit_break(a, "accepted and committed, and lost", i);
    if (a->pages[i].is_done_for_good && !is_ended[i])
      audit_break(a, "done and committed, and not in the history", i);
    if (a->pages[i].is_done_for_good)
      look_at_links(a, i, is_found);
  }
  second_free(&v);
}

/* Every page was ended, and has one line. */
static void look_at_the_end(audit *a)
{
  unsigned lines[WEB_PAGES] = {0};
  for (char *at = a->lines; at && at < a->lines + a->lines_size; at = next_line(at, a->lines + a->lines_size))
    lines[strtoul(at, NULL, 10) % WEB_PAGES]++;
  for (uint32_t i = 0; i < WEB_PAGES; i++) {
    if (!a->pages[i].is_done_for_good)
      audit_break(a, "never ended, and the crawl is finished", i);
    if (lines[i] != 1)
      audit_break(a, "not exactly one line in the journal", i);
  }
}

/* ---- from the first life to the last ------------------------------------------------------------------------ */

void audit_begin_crawl(audit *a)
{
  a->crawls++;
  memset(a->pages, 0, sizeof a->pages);
  a->is_finished = false;
  a->lines = NULL;
  a->lines_size = 0;
  scratch_make(a->root);
  scratch_join(a->root, "frontier", a->directory);
  scratch_join(a->root, "journal", a->journal);
}

void audit_end_crawl(audit *a)
{
  look_at_the_end(a);
  free(a->lines);
  scratch_remove(a->root);
}

bool audit_goes_on(const audit *a, unsigned kills_wanted)
{
  enum { CRAWLS = 3, CRAWLS_MAX = 6 };
  unsigned crawls = a->late ? CRAWLS : CRAWLS_MAX;
  return !a->broken && (a->kills < kills_wanted || a->crawls < crawls);
}

audit *audit_begin(void)
{
  audit *a = calloc(1, sizeof *a);
  if (!a)
    abort();
  a->dice = random_seed();
  return a;
}
