/* See archive.h. */
#include "tests/site/archive.h"
#include "tests/site/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *archive_path(const trial *t, unsigned number, const char *suffix)
{
  text name = {0};
  text_addf(&name, "crawl/pages-%05u%s", number, suffix);
  char *path = trial_path(t, name.bytes);
  text_free(&name);
  return path;
}

bool archive_is_capture(const warc_item *item)
{
  return warc_item_is(item, "response") || warc_item_is(item, "revisit");
}

/* Counts the captures of each URL in `times`. */
static void count_captures(const warc_content *c, json_t *times, archive_verdict *v)
{
  for (size_t i = 0; i < c->count; i++)
    if (archive_is_capture(&c->items[i])) {
      const char *address = warc_item_field(&c->items[i], "WARC-Target-URI");
      json_int_t before = json_integer_value(json_object_get(times, address));
      json_object_set_new(times, address, json_integer(before + 1));
      if (before)
        fprintf(stderr, "  again: %s\n", address);
      v->again += before > 0;
      v->captures++;
    }
}

/* Of file `number`: each revisit refers to a response before it, in this file or an earlier one. */
static void judge_revisits(const warc_content *files, unsigned number, archive_verdict *v)
{
  const warc_content *c = &files[number];
  for (size_t i = 0; i < c->count; i++) {
    if (!warc_item_is(&c->items[i], "revisit"))
      continue;
    bool is_there = warc_content_has_original(c, i, &c->items[i]);
    for (unsigned earlier = 0; earlier < number && !is_there; earlier++)
      is_there = warc_content_has_original(&files[earlier], files[earlier].count, &c->items[i]);
    if (!is_there)
      fprintf(stderr, "  refers to no response with that payload:\n%s", c->items[i].head.bytes);
    v->bad += !is_there;
  }
}

static void compare(const trial *t, json_t *times, archive_verdict *v)
{
  page_log log = pages_read(t->pages);
  for (size_t i = 0; i < pages_count(&log); i++)
    if (pages_number(&log, i, "status") >= 0 && json_object_del(times, pages_url(&log, i)) != 0) {
      fprintf(stderr, "  not archived: %s\n", pages_url(&log, i));
      v->missed++;
    }
  v->strangers = (unsigned)json_object_size(times);
  pages_free(&log);
}

archive_verdict archive_judge(const trial *t)
{
  archive_verdict v = {0};
  json_t *times = json_object();
  warc_content *files = NULL;
  for (;; v.files++) {
    char *path = archive_path(t, v.files + 1, ".warc.gz");
    bool is_there = access(path, F_OK) == 0;
    files = realloc(files, (v.files + 1) * sizeof *files);
    if (!files)
      abort();
    files[v.files] = is_there ? warc_content_read(path) : (warc_content){0};
    free(path);
    if (!is_there)
      break;
    v.bad += files[v.files].bad;
    count_captures(&files[v.files], times, &v);
    judge_revisits(files, v.files, &v);
  }
  for (unsigned i = 0; i < v.files; i++)
    warc_content_free(&files[i]);
  free(files);
  compare(t, times, &v);
  json_decref(times);
  return v;
}
