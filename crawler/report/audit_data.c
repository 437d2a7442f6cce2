/* See audit_data.h. */
#include "crawler/report/audit_data.h"

#include "crawler/base/skip.h"
#include "datasets/sort/sorter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SORT_MEMORY = 16 << 20 };

static bool is_page(const fetch_row *row)
{
  return row->ending >= 200 && row->ending <= 299 && !(row->flags & (FETCH_MAP | FETCH_CHECK));
}

/* false: out of memory, or the file cannot be read. */
static bool copy_url(const audit_data *a, const fetch_row *row, char **to)
{
  const char *address = fetch_table_url(broken_links_table(a->broken), row);
  *to = address ? strdup(address) : NULL;
  return *to != NULL;
}

static bool add_url(const audit_data *a, audit_urls *to, const fetch_row *row)
{
  to->all++;
  return to->count == AUDIT_SHOWN || (copy_url(a, row, &to->list[to->count]) && ++to->count);
}

/* ---- redirects ---------------------------------------------------------------------------------------------- */

/* What is worth a look comes first: one hop is as it should be. */
static bool keep_redirect(audit_data *a, const fetch_row *row, const fetch_end *end)
{
  audit_redirect *r = &a->redirects[a->redirect_count];
  if (a->redirect_count == AUDIT_SHOWN)
    return true;
  *r = (audit_redirect){.hops = end->hops,
                        .ending = end->ending,
                        .is_loop = end->is_loop,
                        .is_too_long = end->is_too_long,
                        .is_known = end->is_known};
  bool is_kept = copy_url(a, row, &r->url) && copy_url(a, end->last, &r->end);
  a->redirect_count++;
  return is_kept;
}

static bool read_redirects(audit_data *a, bool of_one_hop)
{
  uint64_t count;
  const fetch_table *t = broken_links_table(a->broken);
  const fetch_row *rows = fetch_table_rows(t, &count);
  for (const fetch_row *row = rows; row < rows + count; row++) {
    if (!row->next || row->flags & FETCH_MAP)
      continue;
    fetch_end end = fetch_table_follow(t, row);
    bool is_plain = end.hops <= 1 && !end.is_loop;
    if (is_plain != of_one_hop)
      continue;
    a->redirect_all++;
    a->loops += end.is_loop;
    a->too_long += end.is_too_long && !end.is_loop;
    a->chains += !is_plain && !end.is_too_long;
    if (!keep_redirect(a, row, &end))
      return false;
  }
  return true;
}

/* ---- titles ------------------------------------------------------------------------------------------------- */

static int compare_titles(const void *x, const void *y)
{
  const fetch_row *a = x, *b = y;
  if (a->title != b->title)
    return a->title < b->title ? -1 : 1;
  return a->line < b->line ? -1 : a->line > b->line;
}

static void free_title(audit_title *t)
{
  free(t->title);
  for (size_t i = 0; i < AUDIT_EXAMPLES; i++)
    free(t->examples[i]);
}

/* In its place among those of most pages; the last one makes room. */
static bool keep_title(audit_data *a, const fetch_row rows[AUDIT_EXAMPLES], uint64_t pages)
{
  size_t at = a->title_count;
  a->title_all++;
  if (at == AUDIT_TITLES && a->titles[at - 1].pages >= pages)
    return true;
  audit_title t = {.pages = pages};
  for (size_t i = 0; i < AUDIT_EXAMPLES && i < pages; i++)
    if (!copy_url(a, &rows[i], &t.examples[i])) {
      free_title(&t);
      return false;
    }
  t.title = strdup(fetch_table_title(broken_links_table(a->broken)));
  if (at == AUDIT_TITLES)
    free_title(&a->titles[--at]);
  else
    a->title_count++;
  for (; at > 0 && a->titles[at - 1].pages < pages; at--)
    a->titles[at] = a->titles[at - 1];
  a->titles[at] = t;
  return t.title != NULL;
}

static bool group_titles(audit_data *a, sorter *sorted)
{
  fetch_row group[AUDIT_EXAMPLES] = {{0}};
  uint64_t pages = 0;
  for (const fetch_row *row;; pages++) {
    row = sorter_next(sorted);
    if (pages && (!row || row->title != group[0].title)) {
      if (pages > 1 && !keep_title(a, group, pages))
        return false;
      pages = 0;
    }
    if (!row)
      return true;
    if (pages < AUDIT_EXAMPLES)
      group[pages] = *row;
  }
}

static bool read_titles(audit_data *a, const char *directory)
{
  uint64_t count;
  const fetch_row *rows = fetch_table_rows(broken_links_table(a->broken), &count);
  sorter *by_title = sorter_create(directory, sizeof *rows, compare_titles, SORT_MEMORY);
  bool is_good = by_title;
  for (uint64_t i = 0; is_good && i < count; i++)
    if (rows[i].title && is_page(&rows[i]))
      is_good = sorter_add(by_title, &rows[i]);
  is_good = is_good && sorter_finish(by_title) && group_titles(a, by_title);
  sorter_free(by_title);
  return is_good;
}

/* ---- orphans, and what is forbidden ------------------------------------------------------------------------- */

static bool read_orphans(audit_data *a)
{
  const fetch_table *t = broken_links_table(a->broken);
  uint64_t count;
  const fetch_row *rows = fetch_table_rows(t, &count);
  for (uint64_t i = 0; i < count; i++)
    if (is_page(&rows[i]) && broken_links_is_orphan(a->broken, i) && !add_url(a, &a->orphans, &rows[i]))
      return false;
  return true;
}

static bool take_denied(void *context, const frontier_record *record)
{
  audit_urls *to = context;
  if (record->is_queued || record->state != FRONTIER_SKIPPED || record->code != SKIP_ROBOTS || record->is_opaque)
    return true;
  to->all++;
  if (to->count < AUDIT_SHOWN && (to->list[to->count] = strndup(record->url, record->url_size)))
    to->count++;
  return true;
}

audit_data *audit_data_read(frontier *f, const char *directory, char message[FRONTIER_MESSAGE_SIZE])
{
  *message = '\0';
  if (!edge_log_is_kept(f))
    return NULL;
  audit_data *a = calloc(1, sizeof *a);
  snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory");
  if (!a || !(a->broken = broken_links_read(f, directory, message))) {
    free(a);
    return NULL;
  }
  bool is_good = read_redirects(a, false) && read_redirects(a, true) && read_titles(a, directory) && read_orphans(a);
  if (is_good && frontier_each(f, take_denied, &a->denied) == FRONTIER_OK)
    return a;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.300s: %s", directory,
           is_good ? frontier_message(f)
           : errno ? strerror(errno)
                   : "it cannot be read");
  audit_data_free(a);
  return NULL;
}

static void free_urls(audit_urls *urls)
{
  for (size_t i = 0; i < urls->count; i++)
    free(urls->list[i]);
}

void audit_data_free(audit_data *a)
{
  if (!a)
    return;
  for (size_t i = 0; i < a->redirect_count; i++) {
    free(a->redirects[i].url);
    free(a->redirects[i].end);
  }
  for (size_t i = 0; i < a->title_count; i++)
    free_title(&a->titles[i]);
  free_urls(&a->orphans);
  free_urls(&a->denied);
  broken_links_free(a->broken);
  free(a);
}
