/* See metrics_output.h. The file is replaced by rename, so that who reads it never sees half of it. */
#include "crawler/commands/metrics_output.h"

#include "crawler/base/message.h"
#include "frontier/base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVERY_MS = 1000, PATH_SIZE = 4096 };

bool metrics_output_is_port(const char *where, uint16_t *port)
{
  char *end;
  unsigned long number = strtoul(where, &end, 10);
  if (!*where || strspn(where, "0123456789") != strlen(where) || *end || end - where > 5 || number > UINT16_MAX)
    return false;
  *port = (uint16_t)number;
  return true;
}

static void name_fresh(const metrics_output *o, char path[PATH_SIZE])
{
  snprintf(path, PATH_SIZE, "%.4080s.part", o->path);
}

/* 0, or an errno. */
static int write_fresh(const char *path, const char *text, size_t size)
{
  (void)unlink(path); /* of a run that was killed */
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0)
    return errno;
  ssize_t put = size ? write(fd, text, size) : 0;
  int error = put < 0 ? errno : (size_t)put < size ? ENOSPC : 0;
  if (close(fd) != 0 && !error)
    error = errno;
  return error;
}

static bool refuse(const metrics_output *o, int error)
{
  say_error("crawl", "--metrics %s: %s; choose another file", o->path, strerror(error));
  return false;
}

/* It can be made where it is to be; an old one stays until there is something to say. */
static bool open_file(metrics_output *o, const char *where)
{
  char fresh[PATH_SIZE];
  struct stat info;
  const char *slash = strrchr(where, '/');
  o->path = where;
  snprintf(o->directory, sizeof o->directory, "%.*s", slash ? (int)(slash - where) + 1 : 1, slash ? where : ".");
  if (stat(where, &info) == 0 && !S_ISREG(info.st_mode))
    return refuse(o, S_ISDIR(info.st_mode) ? EISDIR : EINVAL);
  name_fresh(o, fresh);
  int error = write_fresh(fresh, "", 0);
  (void)unlink(fresh);
  return !error || refuse(o, error);
}

bool metrics_output_open(metrics_output *o, const char *where)
{
  uint16_t port;
  if (!where)
    return true;
  if (!metrics_output_is_port(where, &port))
    return open_file(o, where);
  o->server = scrape_server_open(port);
  if (o->server)
    return true;
  say_error("crawl", "--metrics %s: 127.0.0.1:%s: %s; choose another port", where, where, strerror(errno));
  return false;
}

static char *make(void *context, size_t *size)
{
  return metrics_text(context, size);
}

static void write_file(metrics_output *o, const metrics *m)
{
  size_t size;
  char fresh[PATH_SIZE], *text = metrics_text(m, &size);
  name_fresh(o, fresh);
  int error = text ? write_fresh(fresh, text, size) : ENOMEM;
  if (!error && rename(fresh, o->path) != 0)
    error = errno;
  if (error)
    (void)unlink(fresh);
  if (error && !o->has_told)
    say_error("crawl", "--metrics %s: %s; the crawl goes on, and tries again", o->path, strerror(error));
  o->has_told = error != 0;
  free(text);
}

void metrics_output_turn(metrics_output *o, const metrics *m, bool is_end)
{
  metrics now = *m;
  if (o->server)
    scrape_server_turn(o->server, "/metrics", make, &now);
  if (!o->path)
    return;
  uint64_t now_ms = machine_monotonic_ms();
  if (!is_end && o->written_ms && now_ms - o->written_ms < EVERY_MS)
    return;
  o->written_ms = now_ms;
  write_file(o, m);
}

void metrics_output_close(metrics_output *o)
{
  scrape_server_close(o->server);
  o->server = NULL;
}
