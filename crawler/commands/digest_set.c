/* Digests of files, and files of digests. */
#include "crawler/commands/digest_set.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "crawler/base/input.h"
#include "crawler/base/message.h"
#include "crawler/base/shown.h"
#include "frontier/base/vector.h"

static const size_t FILE_MAX = (size_t)4 << 30;

/* Names of files may hold anything, but a digest is a line. */
static bool add(digest_set *set, mlbf_digest *digest, const char *name)
{
  if (!HAS_ROOM(set->items, set->room, set->count + 1))
    return false;
  digest_item *item = &set->items[set->count];
  item->digest = digest;
  size_t room = 4 * strlen(name) + 1;
  item->name = malloc(room);
  if (item->name)
    shown_text(name, item->name, room);
  set->count += item->name != NULL;
  return item->name != NULL;
}

void digest_set_free(digest_set *set)
{
  for (size_t i = 0; i < set->count; i++) {
    mlbf_digest_free(set->items[i].digest);
    free(set->items[i].name);
  }
  free(set->items);
}

/* By its size, before it is read; a pipe has none. */
static bool is_too_large(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size >= FILE_MAX;
}

static char *read_file(const char *path, size_t *size)
{
  char *bytes = NULL;
  bool is_known = is_too_large(path);
  if (!is_known && !(bytes = input_read("digest", path, FILE_MAX, size)))
    return NULL;
  if (!is_known && *size < FILE_MAX)
    return bytes;
  say_error("digest", "%s: 4 GiB or more; digest it in pieces (split -b 1G)", path);
  free(bytes);
  return NULL;
}

static bool add_bytes(digest_set *set, const digest_manner *manner, const char *path, const char *bytes, size_t size)
{
  mlbf_digest_options options = manner->options;
  const char *slash = strrchr(path, '/');
  mlbf_digest *digest = NULL;
  options.blocks |= size > MLBF_DIGEST_STREAM_MAX;
  mlbf_status status = mlbf_digest_create(&options, bytes, size, &digest);
  if (status == MLBF_OK && add(set, digest, slash && !manner->keep_paths ? slash + 1 : path))
    return true;
  mlbf_digest_free(digest);
  if (status == MLBF_BAD_ARGUMENT)
    say_error("digest", "%s: %zu bytes; fewer than %d have too few features to compare", path, size,
              MLBF_DIGEST_SIZE_MIN);
  else
    say_error("digest", "%s: out of memory", path);
  return false;
}

bool digest_set_add_file(digest_set *set, const digest_manner *manner, const char *path)
{
  size_t size;
  char *bytes = read_file(path, &size);
  bool is_done = bytes && add_bytes(set, manner, path, bytes, size);
  free(bytes);
  return is_done;
}

static bool add_lines(digest_set *set, const char *path, const char *text, size_t size)
{
  size_t number = 1;
  for (const char *at = text, *end = text + size; at < end; number++) {
    const char *feed = memchr(at, '\n', (size_t)(end - at)), *why;
    size_t length = (size_t)((feed ? feed : end) - at);
    mlbf_digest *digest = NULL;
    if (length && mlbf_digest_parse(at, length, &digest, &why) != MLBF_OK) {
      say_error("digest", "%s: line %zu is no digest: %s", path, number, why);
      return false;
    }
    if (digest && !add(set, digest, mlbf_digest_name(digest))) {
      mlbf_digest_free(digest);
      say_error("digest", "%s: out of memory", path);
      return false;
    }
    at = feed ? feed + 1 : end;
  }
  return true;
}

/* Is it a set by its first bytes? */
static bool is_set(const char *bytes, size_t size)
{
  return (size > 5 && memcmp(bytes, "sdbf:", 5) == 0) || (size > 8 && memcmp(bytes, "sdbf-dd:", 8) == 0);
}

bool digest_set_add(digest_set *set, const digest_manner *manner, const char *path)
{
  size_t size;
  char *bytes = read_file(path, &size);
  bool is_done = bytes &&
                 (is_set(bytes, size) ? add_lines(set, path, bytes, size) : add_bytes(set, manner, path, bytes, size));
  free(bytes);
  return is_done;
}
