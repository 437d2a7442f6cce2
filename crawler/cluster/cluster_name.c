/* See cluster_name.h. */
#include "crawler/cluster/cluster_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
static const char host_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

static bool refuse(char message[CLUSTER_NAME_MESSAGE], const char *why)
{
  snprintf(message, CLUSTER_NAME_MESSAGE, "%s; redis://HOST:PORT/NAME, please", why);
  return false;
}

/* [text, end) into `word`, if it is made of `bytes`. */
static bool take_word(const char *text, const char *end, const char *bytes, char *word, size_t room)
{
  size_t size = (size_t)(end - text);
  if (!size || size >= room || strspn(text, bytes) < size)
    return false;
  memcpy(word, text, size);
  word[size] = '\0';
  return true;
}

static bool take_port(const char *text, const char *end, int *port)
{
  char digits[6];
  if (!take_word(text, end, "0123456789", digits, sizeof digits))
    return false;
  *port = (int)strtol(digits, NULL, 10); /* five digits at most */
  return *port >= 1 && *port <= 65535;
}

static bool take_server(const char *text, const char *end, int default_port, cluster_server *server)
{
  bool is_bracketed = *text == '[';
  const char *host_end = is_bracketed ? memchr(text, ']', (size_t)(end - text)) : NULL;
  if (is_bracketed && !host_end)
    return false;
  const char *colon = memchr(is_bracketed ? host_end : text, ':', (size_t)(end - (is_bracketed ? host_end : text)));
  if (!is_bracketed)
    host_end = colon ? colon : end;
  else if (host_end + 1 != (colon ? colon : end))
    return false;
  server->port = default_port;
  return take_word(text + is_bracketed, host_end, is_bracketed ? "0123456789abcdefABCDEF:." : host_bytes, server->host,
                   sizeof server->host) &&
         (!colon || take_port(colon + 1, end, &server->port));
}

static bool take_servers(const char *text, const char *end, cluster_name *name)
{
  for (name->server_count = 0; text <= end && name->server_count < CLUSTER_HOSTS_MAX; name->server_count++) {
    const char *comma = memchr(text, ',', (size_t)(end - text)), *stop = comma ? comma : end;
    if (!take_server(text, stop, name->is_sentinel ? 26379 : 6379, &name->servers[name->server_count]))
      return false;
    text = stop + 1;
  }
  return text > end;
}

bool cluster_name_read(const char *text, cluster_name *name, char message[CLUSTER_NAME_MESSAGE])
{
  static const char plain[] = "redis://", sentinel[] = "redis+sentinel://";
  memset(name, 0, sizeof *name);
  name->is_sentinel = strncmp(text, sentinel, sizeof sentinel - 1) == 0;
  if (!name->is_sentinel && strncmp(text, plain, sizeof plain - 1) != 0)
    return refuse(message, strncmp(text, "rediss://", 9) == 0
                             ? "this program has no TLS for Redis: a tunnel (stunnel, WireGuard) carries it"
                             : "not a Redis server's address");
  const char *at = text + (name->is_sentinel ? sizeof sentinel : sizeof plain) - 1, *slash = strchr(at, '/');
  if (!slash)
    return refuse(message, "the name of the crawl is missing at its end");
  const char *user_end = memchr(at, '@', (size_t)(slash - at));
  if (user_end && memchr(at, ':', (size_t)(user_end - at)))
    return refuse(message, "a password would be seen in the list of processes: --cluster-password-file FILE, or the "
                           "environment's STRATA_CLUSTER_PASSWORD");
  if (user_end && !take_word(at, user_end, name_bytes, name->user, sizeof name->user))
    return refuse(message, "no such user's name");
  if (!take_servers(user_end ? user_end + 1 : at, slash, name))
    return refuse(message, "its hosts cannot be read");
  const char *last = name->is_sentinel ? strchr(slash + 1, '/') : NULL;
  if (name->is_sentinel && (!last || !take_word(slash + 1, last, name_bytes, name->master, sizeof name->master)))
    return refuse(message, "sentinels are asked for a master: redis+sentinel://HOST:PORT/MASTER/NAME");
  const char *crawl = (last ? last : slash) + 1;
  if (!take_word(crawl, crawl + strlen(crawl), name_bytes, name->name, sizeof name->name))
    return refuse(message, "the name of the crawl is of letters, digits, '.', '_' and '-', 64 at most");
  return true;
}
