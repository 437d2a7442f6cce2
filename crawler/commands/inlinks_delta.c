/* See inlinks_delta.h. */
#include "crawler/commands/inlinks_delta.h"

#include "crawler/commands/cmd.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "frontier/base/own_file.h"
#include "frontier/inlinks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say_why(const char *path, mlbf_status status)
{
  say_error("inlinks", "%s.*: %s", path, status == MLBF_IO ? own_file_words(errno) : mlbf_status_text(status));
}

/* The secret is that of the crawl in `owner`; NULL: of none, the counts hold theirs. */
static inlinks *open_path(const char *path, const uint8_t *secret, const char *owner)
{
  inlinks *counts = NULL;
  mlbf_status status = inlinks_open_existing_with(path, secret, &counts);
  if (status == MLBF_IO && errno == ENOENT)
    say_error("inlinks", "%s.0: there are no in-link counts", path);
  else if (status == MLBF_SECRET && secret)
    say_error("inlinks", "%s.*: these counts were made with another secret than the crawl in %s", path, owner);
  else if (status != MLBF_OK)
    say_why(path, status);
  return counts;
}

static inlinks *open_in(const char *directory, const uint8_t *secret, const char *owner)
{
  char path[CRAWL_PATH_SIZE];
  crawl_dir_file(directory, "inlinks", path);
  return open_path(path, secret, owner);
}

/* ---- what came since ------------------------------------------------------------------------------------- */

static bool is_free(const char *output)
{
  char first[CRAWL_PATH_SIZE];
  if (snprintf(first, sizeof first, "%s.0", output) >= CRAWL_PATH_SIZE)
    say_error("inlinks", "-o: the name is too long");
  else if (access(first, F_OK) == 0)
    say_error("inlinks", "%s is there already", first);
  else
    return true;
  return false;
}

static int write_difference(inlinks *before, inlinks *after, const char *older, const char *newer, const char *output)
{
  inlinks *delta = NULL;
  mlbf_status status = inlinks_difference(after, before, &delta);
  bool is_written = status == MLBF_OK && (status = inlinks_save_as(delta, output)) == MLBF_OK;
  if (!is_written && status == MLBF_MISMATCH)
    say_error("inlinks",
              "the counts in %s are no earlier state of those in %s: they have another size, or "
              "count links that those do not",
              older, newer);
  else if (!is_written)
    say_why(output, status);
  inlinks_close(delta);
  return is_written ? EXIT_DONE : EXIT_FAILED;
}

/* `*owner`: which of them is the directory of a crawl, not of counts alone; NULL: neither. */
static bool find_secret(const char *older, const char *newer, uint8_t secret[MLBF_SECRET_BYTES], const char **owner)
{
  *owner = crawl_dir_exists(newer) ? newer : crawl_dir_exists(older) ? older : NULL;
  if (!*owner)
    return true;
  frontier *f = crawl_dir_open("inlinks", *owner);
  if (f)
    frontier_secret(f, secret);
  frontier_close(f);
  return f != NULL;
}

int inlinks_delta_write(const char *older, const char *newer, const char *output)
{
  uint8_t bytes[MLBF_SECRET_BYTES];
  const char *owner;
  if (!is_free(output) || !find_secret(older, newer, bytes, &owner))
    return EXIT_FAILED;
  const uint8_t *secret = owner ? bytes : NULL;
  inlinks *before = open_in(older, secret, owner), *after = before ? open_in(newer, secret, owner) : NULL;
  int code = after ? write_difference(before, after, older, newer, output) : EXIT_FAILED;
  inlinks_close(before);
  inlinks_close(after);
  return code;
}

/* ---- and into another crawl ------------------------------------------------------------------------------ */

static int add_to(inlinks *counts, inlinks *delta, const char *path, const char *directory)
{
  mlbf_status status = inlinks_merge(counts, delta);
  bool is_added = status == MLBF_OK && (status = inlinks_save(counts)) == MLBF_OK;
  if (!is_added && status == MLBF_MISMATCH)
    say_error("inlinks", "%s.* does not fit the counts in %s: they have another size", path, directory);
  else if (!is_added)
    say_why(directory, status);
  return is_added ? EXIT_DONE : EXIT_FAILED;
}

int inlinks_delta_apply(const char *path, const char *directory)
{
  frontier *f = crawl_dir_open_to_change("inlinks", directory); /* so that no crawl writes its counts over ours */
  if (!f)
    return EXIT_FAILED;
  uint8_t secret[MLBF_SECRET_BYTES];
  frontier_secret(f, secret);
  inlinks *delta = open_path(path, secret, directory), *counts = delta ? open_in(directory, secret, directory) : NULL;
  int code = counts ? add_to(counts, delta, path, directory) : EXIT_FAILED;
  inlinks_close(delta);
  inlinks_close(counts);
  frontier_close(f);
  return code;
}
