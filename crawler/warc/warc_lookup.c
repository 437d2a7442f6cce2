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
  warc_wanted wanted;
  bool is_success; /* wanted: a status of 2xx */
  unsigned file;
  capture_place best;
} search;

static bool is_digits(const char *text, size_t count)
{
  return strspn(text, "0123456789") >= count;
}

static bool is_value(const json_t *fields, const char *name, const char *wanted)
{
  const char *value = json_string_value(json_object_get(fields, name));
  return value && strcmp(value, wanted) == 0;
}

/* Several URLs have the key that is looked for. */
static bool is_wanted(const search *s, const json_t *fields)
{
  const char *status = json_string_value(json_object_get(fields, "status"));
  return is_value(fields, "url", s->wanted.url) &&
         (!s->wanted.digest || is_value(fields, "digest", s->wanted.digest)) &&
         !(s->wanted.is_full && is_value(fields, "mime", CDXJ_REVISIT)) &&
         (!s->is_success || (status && *status == '2'));
}

/* "KEY DATE {...}" */
static void take_line(void *context, const char *line, size_t size)
{
  search *s = context;
  const char *blank = memchr(line, ' ', size), *date = blank ? blank + 1 : line;
  size_t left = blank ? size - (size_t)(date - line) : 0;
  if (left < 15 || !is_digits(date, 14) || date[14] != ' ' ||
      (s->wanted.date && memcmp(date, s->wanted.date, 14) != 0) || (s->best.file && memcmp(date, s->best.date, 14) < 0))
    return;
  json_t *fields = json_loadb(date + 15, left - 15, 0, NULL);
  const char *offset = json_string_value(json_object_get(fields, "offset"));
  if (offset && is_wanted(s, fields)) {
    s->best.file = s->file;
    s->best.offset = strtoull(offset, NULL, 10);
    memcpy(s->best.date, date, 14);
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

/* The largest number of a WARC file there; 0: none. Files may have been moved away. false: errno. */
static bool find_last(const char *directory, unsigned *last)
{
  DIR *d = opendir(directory);
  *last = 0;
  for (struct dirent *found; d && (found = readdir(d));)
    if (number_of(found->d_name) > *last)
      *last = number_of(found->d_name);
  if (d)
    closedir(d);
  return d != NULL;
}

warc_lookup_status warc_lookup_find(const char *directory, const warc_wanted *wanted, capture_place *place,
                                    char index[WARC_PATH_SIZE])
{
  search s = {.wanted = *wanted};
  unsigned last;
  if (!find_last(directory, &last)) {
    snprintf(index, WARC_PATH_SIZE, "%.4000s", directory);
    return WARC_LOOKUP_UNREADABLE;
  }
  for (s.file = 1; s.file <= last; s.file++) {
    /* while it is written, and after a crash, there is the unsorted one */
    warc_path(directory, s.file, WARC_PART, index);
    bool read = cdxj_find(index, false, wanted->url, take_line, &s);
    if (!read && errno == ENOENT) {
      warc_path(directory, s.file, WARC_INDEX, index);
      read = cdxj_find(index, true, wanted->url, take_line, &s);
    }
    if (!read && errno != ENOENT)
      return WARC_LOOKUP_UNREADABLE;
  }
  *place = s.best;
  return s.best.file ? WARC_LOOKUP_FOUND : last ? WARC_LOOKUP_NONE : WARC_LOOKUP_NO_WARC;
}

capture_place warc_lookup_success(const char *directory, unsigned last, const char *url)
{
  search s = {.wanted = {.url = url}, .is_success = true};
  char index[WARC_PATH_SIZE];
  for (s.file = last; s.file && !s.best.file; s.file--) {
    warc_path(directory, s.file, WARC_INDEX, index);
    (void)cdxj_find(index, true, url, take_line, &s);
  }
  return s.best;
}
