/* See export_sitemap.h. What a search engine would list: HTML that was fetched well, is in scope, does not ask not to
 * be listed, and names no other URL as its own. In the order in which they were fetched. */
#include "crawler/commands/export_sitemap.h"

#include "crawler/base/message.h"
#include "crawler/commands/cmd.h"
#include "crawler/report/fetch_table.h"
#include "datasets/sort/sorter.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { URLS_MAX = 50000, BYTES_MAX = 50 << 20, SORT_MEMORY = 16 << 20 };

static bool is_listed(const fetch_row *row)
{
  return row->ending >= 200 && row->ending <= 299 && row->flags & FETCH_HTML &&
         !(row->flags & (FETCH_MAP | FETCH_CHECK | FETCH_NOINDEX | FETCH_COPY));
}

static int compare_lines(const void *a, const void *b)
{
  const fetch_row *x = a, *y = b;
  return x->line < y->line ? -1 : x->line > y->line;
}

/* Bytes written. */
static size_t put_url(const char *address)
{
  size_t size = (size_t)printf("<url><loc>");
  for (; *address; address++)
    if (strchr("&<>\"'", *address) || iscntrl((unsigned char)*address))
      size += (size_t)printf("&#%u;", iscntrl((unsigned char)*address) ? 0xFFFDU : (unsigned char)*address);
    else
      size += putchar(*address) != EOF;
  return size + (size_t)printf("</loc></url>\n");
}

static int print(fetch_table *t, sorter *sorted, uint64_t part)
{
  uint64_t place = 0, first = (part - 1) * URLS_MAX;
  size_t bytes = 0;
  puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">");
  for (const fetch_row *row; (row = sorter_next(sorted)); place++) {
    if (place < first || place - first >= URLS_MAX)
      continue;
    const char *address = fetch_table_url(t, row);
    if (!address) {
      say_error("export", "pages.jsonl: %s", strerror(errno));
      return EXIT_FAILED;
    }
    bytes += put_url(address);
  }
  puts("</urlset>");
  if (bytes > BYTES_MAX)
    say_error("export", "this sitemap has more than the 50 MiB that a sitemap may have");
  if (place > first + URLS_MAX)
    say_error("export", "a sitemap takes 50,000 URLs, and %" PRIu64 " come behind these: --part %" PRIu64,
              place - first - URLS_MAX, part + 1);
  return bytes > BYTES_MAX || fflush(stdout) != 0 || ferror(stdout) ? EXIT_FAILED : EXIT_DONE;
}

static bool sort(const fetch_table *t, sorter *to)
{
  uint64_t count;
  const fetch_row *rows = fetch_table_rows(t, &count);
  for (uint64_t i = 0; i < count; i++)
    if (is_listed(&rows[i]) && !sorter_add(to, &rows[i]))
      return false;
  return sorter_finish(to);
}

int export_sitemap(frontier *f, const char *directory, uint64_t part)
{
  frontier_stats stats;
  if (frontier_stats_read(f, &stats) != FRONTIER_OK) {
    say_error("export", "%s", frontier_message(f));
    return EXIT_FAILED;
  }
  fetch_table *t = fetch_table_read(f, stats.profile, directory);
  sorter *sorted = t ? sorter_create(directory, sizeof(fetch_row), compare_lines, SORT_MEMORY) : NULL;
  int code = EXIT_FAILED;
  if (sorted && sort(t, sorted))
    code = print(t, sorted, part);
  else
    say_error("export", "%s/pages.jsonl: %s", directory, strerror(errno));
  sorter_free(sorted);
  fetch_table_free(t);
  return code;
}
