/* A line for each request: in memory first, to the file in large pieces. */
#include "tests/contract/web/serve_log.h"
#include "tests/contract/web/web_inside.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const endings[] = {
  [WEB_WHOLE] = "whole",         [WEB_RESET] = "reset",           [WEB_CUT] = "cut",
  [WEB_NEVER] = "never",         [WEB_NOT_LISTENING] = "refused", [WEB_NO_NAME] = "nameless",
  [WEB_NO_TRUST] = "distrusted",
};
enum { ENDINGS = sizeof endings / sizeof *endings };

bool serve_log_open(serve_log *log, const char *path)
{
  *log = (serve_log){.fd = -1};
  if (path)
    log->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  return !path || log->fd >= 0;
}

static void write_all(serve_log *log)
{
  size_t done = 0;
  for (ssize_t wrote = 0; done < log->lines.size && wrote >= 0; done += (size_t)(wrote > 0 ? wrote : 0))
    wrote = write(log->fd, log->lines.bytes + done, log->lines.size - done);
  text_clear(&log->lines);
}

void serve_log_flush(serve_log *log, uint64_t now_ms, bool at_once)
{
  enum { PIECE = 1 << 16, OFTEN_MS = 1000 };
  if (log->lines.size && (at_once || log->lines.size >= PIECE || now_ms >= log->written_ms + OFTEN_MS)) {
    write_all(log);
    log->written_ms = now_ms;
  }
}

void serve_log_close(serve_log *log)
{
  serve_log_flush(log, 0, true);
  if (log->fd >= 0)
    close(log->fd);
  text_free(&log->lines);
}

void serve_log_add(serve_log *log, const web_request *request, const web_reply *reply)
{
  text *out = &log->lines;
  if (log->fd < 0)
    return;
  web_add_number(out, request->now_ms);
  text_add(out, request->is_https ? "\thttps\t" : "\thttp\t");
  text_add_bytes(out, request->host, request->host_size);
  text_add_byte(out, '\t');
  text_add_bytes(out, request->target, request->target_size);
  text_add_byte(out, '\t');
  web_add_number(out, (uint64_t)reply->status);
  text_add_byte(out, '\t');
  web_add_number(out, reply->sent);
  text_add_byte(out, '\t');
  text_add(out, endings[reply->ending]);
  text_add_byte(out, '\n');
}

bool serve_log_read(char *line, serve_log_line *read)
{
  enum { FIELDS = 7 };
  char *fields[FIELDS];
  for (unsigned i = 0; i < FIELDS; i++) {
    fields[i] = line;
    line += strcspn(line, "\t\n");
    if ((i < FIELDS - 1) != (*line == '\t'))
      return false;
    *line++ = '\0';
  }
  *read = (serve_log_line){.ms = strtoull(fields[0], NULL, 10),
                           .is_https = strcmp(fields[1], "https") == 0,
                           .host = fields[2],
                           .target = fields[3],
                           .status = (int)strtol(fields[4], NULL, 10),
                           .bytes = strtoull(fields[5], NULL, 10)};
  for (unsigned i = 0; i < ENDINGS; i++)
    if (strcmp(endings[i], fields[6]) == 0) {
      read->ending = (web_ending)i;
      return true;
    }
  return false;
}
