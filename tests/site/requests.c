/* One request a line, TABs between the fields. */
#include "tests/site/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *cut_field(char **rest)
{
  const char *field = strsep(rest, "\t");
  return field ? field : "";
}

request_log requests_read(const char *log_path)
{
  request_log r = {0};
  if (!text_add_file(&r.file, log_path)) {
    perror(log_path);
    abort();
  }
  size_t room = 0;
  for (char *line, *rest = r.file.bytes; (line = strsep(&rest, "\n")) && rest; r.count++) {
    if (r.count == room) {
      room = room ? 2 * room : 1024;
      r.lines = realloc(r.lines, room * sizeof *r.lines);
      if (!r.lines)
        abort();
    }
    request_line *parsed = &r.lines[r.count];
    parsed->status = (int)strtol(cut_field(&line), NULL, 10);
    parsed->host = cut_field(&line);
    parsed->method = cut_field(&line);
    parsed->target = cut_field(&line);
    parsed->agent = cut_field(&line);
  }
  return r;
}

void requests_free(request_log *r)
{
  free(r->lines);
  text_free(&r->file);
  *r = (request_log){0};
}

bool request_is_mark(const request_line *line, const char *name)
{
  return strcmp(line->host, "mark") == 0 && (!name || strcmp(line->target + 1, name) == 0);
}
