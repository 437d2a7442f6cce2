/* See warc_lookup.h. */
#include "crawler/warc/warc_lookup.h"

#include "crawler/warc/cdxj.h"
#include "crawler/warc/warc.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
  const char *url, *date;
  unsigned file;
  capture_place best;
} search;

static bool is_digits(const char *text, size_t count)
{
  return strspn(text, "0123456789") >= count;
}

/* "KEY DATE {...}": the key is the one looked for, but several URLs have it. */
static void take_line(void *context, const char *line, size_t size)
{
  search *s = context;
  const char *date = memchr(line, ' ', size);
  size_t left = date ? size - (size_t)(date + 1 - line) : 0;
  if (left < 16 || !is_digits(date + 1, 14) || date[15] != ' ' || (s->date && memcmp(date + 1, s->date, 14) != 0))
    return;
  json_t *fields = json_loadb(date + 16, left - 15, 0, NULL);
  const char *url = json_string_value(json_object_get(fields, "url"));
  const char *offset = json_string_value(json_object_get(fields, "offset"));
  bool is_it = url && offset && strcmp(url, s->url) == 0;
  bool is_later = !s->best.file || memcmp(date + 1, s->best.date, 14) >= 0;
  if (is_it && is_later) {
    s->best.file = s->file;
    s->best.offset = strtoull(offset, NULL, 10);
    memcpy(s->best.date, date + 1, 14);
  }
  json_decref(fields);
}

/* The number in "pages-NUMBER.warc.gz"; 0: it is another file. */
static unsigned number_of(const char *name)
{
  static const char prefix[] = "pages-";
  char *end;
  if (strncmp(name, prefix, sizeof prefix - 1) != 0 || !is_digits(name + sizeof prefix - 1, 1))
    return 0;
  unsigned long number = strtoul(name + sizeof prefix - 1, &end, 10);
  return strcmp(end, WARC_SUFFIX) == 0 && number <= WARC_NUMBER_MAX ? (unsigned)number : 0;
}

/* The largest number of a WARC file there; 0: none. Files may have been moved away. */
static unsigned last_file(const char *directory)
{
  unsigned last = 0;
  DIR *d = opendir(directory);
  for (struct dirent *found; d && (found = readdir(d));)
    if (number_of(found->d_name) > last)
      last = number_of(found->d_name);
  if (d)
    closedir(d);
  return last;
}

warc_lookup_status warc_lookup_find(const char *directory, const char *url, const char *date, capture_place *place,
                                    char index[WARC_PATH_SIZE])
{
  search s = {.url = url, .date = date};
  unsigned last = last_file(directory);
  for (s.file = 1; s.file <= last; s.file++) {
    /* while it is written, and after a crash, there is the unsorted one */
    warc_path(directory, s.file, WARC_PART, index);
    bool read = cdxj_find(index, false, url, take_line, &s);
    if (!read && errno == ENOENT) {
      warc_path(directory, s.file, WARC_INDEX, index);
      read = cdxj_find(index, true, url, take_line, &s);
    }
    if (!read && errno != ENOENT)
      return WARC_LOOKUP_UNREADABLE;
  }
  *place = s.best;
  return s.best.file ? WARC_LOOKUP_FOUND : last ? WARC_LOOKUP_NONE : WARC_LOOKUP_NO_WARC;
}
