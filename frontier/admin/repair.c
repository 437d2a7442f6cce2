/* Repairs a directory.
 *
 *     check             sound: nothing to do
 *     IDENTITY          written from data.mdb
 *     journal, filter   its record is set from the file; wrong filter files and files of keys are removed, and rebuilt
 *                       from the log
 *     data.mdb          salvage into DIRECTORY/rebuilt/data.mdb, which replaces it; the old is data.mdb.damaged
 *
 * New files are complete before old ones are removed. */
#include "frontier/admin/repair.h"

#include "frontier/base/record.h"
#include "frontier/admin/replace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

void salvage_say(salvage *s, const char *format, ...)
{
  char sentence[FRONTIER_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  s->say(s->context, sentence);
}

bool salvage_fail(salvage *s, frontier_status status, const char *what)
{
  if (s->status == FRONTIER_OK)
    frontier_fail(s->f, s->status = status, "%s: %s", s->f->directory, what);
  return false;
}

static void path_of(const salvage *s, const char *name, char path[PATH_SIZE])
{
  snprintf(path, PATH_SIZE, "%s/%s", s->f->directory, name);
}

/* ---- data.mdb ------------------------------------------------------------------------------------------- */

/* What is said of pages was said by the check. */
static void say_nothing(void *context, const char *sentence)
{
  (void)context, (void)sentence;
}

/* Those that not every directory has. */
static bool make_tables(const salvage *s)
{
  bool is_partition = s->f->identity.partitions > 0;
  return (!s->f->options.exact || store_find_table(s->to, STORE_UNCONFIRMED, true) == FRONTIER_OK) &&
         (!is_partition || (store_find_table(s->to, STORE_OUTBOX, true) == FRONTIER_OK &&
                            store_find_table(s->to, STORE_MARKS, true) == FRONTIER_OK));
}

static bool open_both(salvage *s)
{
  char from[PATH_SIZE], to[REBUILT_PATH_SIZE];
  uint8_t body[IDENTITY_MAX];
  path_of(s, "data.mdb", from);
  environment_rebuilt(s->f->directory, "", to);
  s->status = mdb_pages_open(from, say_nothing, NULL, &s->p, s->f->message);
  if (s->status != FRONTIER_OK || !salvage_meta(s))
    return false;
  s->status = environment_begin_rebuilt(s->f->directory, s->f->message);
  if (s->status != FRONTIER_OK)
    return false;
  s->status = store_open(to, false, body, identity_write(&s->f->options, &s->f->identity, body), &s->to, s->f->message);
  if (s->status == FRONTIER_OK && (!make_tables(s) || store_begin(s->to) != FRONTIER_OK))
    return salvage_fail(s, FRONTIER_IO, store_message(s->to));
  return s->status == FRONTIER_OK;
}

/* A repair that was killed as it put its file in place leaves two names for the old one. */
static bool is_same_file(const char *path, const char *other)
{
  struct stat one, two;
  return lstat(path, &one) == 0 && lstat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static bool rebuild(salvage *s)
{
  char data[PATH_SIZE], from[REBUILT_PATH_SIZE], keep[PATH_SIZE];
  path_of(s, "data.mdb", data);
  environment_rebuilt(s->f->directory, "data.mdb", from);
  path_of(s, "data.mdb.damaged", keep);
  if (is_same_file(data, keep))
    unlink(keep);
  if (access(keep, F_OK) == 0)
    return salvage_fail(s, FRONTIER_BUSY, "data.mdb.damaged of an earlier repair is still there; move it away first");
  if (!open_both(s) || !salvage_tables(s) || !salvage_finish(s))
    return false;
  store_close(s->to);
  s->to = NULL;
  s->status = environment_replace(s->f->directory, from, keep, s->f->message);
  s->done->was_rebuilt = s->status == FRONTIER_OK;
  return s->done->was_rebuilt;
}

static void say_rebuilt(salvage *s)
{
  const frontier_repairs *d = s->done;
  salvage_say(s,
              "data.mdb: rebuilt with %" PRIu64 " URLs, %" PRIu64 " of them from pages that nothing led to;"
              " the old one is data.mdb.damaged",
              d->kept, d->found_again);
  if (d->gone)
    salvage_say(s, "gone: %" PRIu64 " URLs in all; those that are found again are new", d->gone);
  if (d->keys_gone)
    salvage_say(s, "gone: %" PRIu64 " keys of the hash log; a URL of theirs that is found again is new", d->keys_gone);
}

/* ---- filter files, files of keys ------------------------------------------------------------------------ */

/* All go: opening makes the filter from the log, and closing saves it. Files of keys are made again from the log and
 * from the rows of unconfirmed links. */
static bool renew_files(salvage *s, const char *journal_path)
{
  static const char *const names[] = {"seen.0", "seen.1"};
  char path[PATH_SIZE];
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 1,
                              .rate = 1e-6,
                              .per_host = 1,
                              .depth_cap = UINT16_MAX,
                              .journal_path = journal_path,
                              .keep_identity = true};
  frontier *f = NULL;
  bool is_exact = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    path_of(s, names[i], path);
    if (unlink(path) != 0 && errno != ENOENT)
      return salvage_fail(s, FRONTIER_IO, strerror(errno));
  }
  const key_place place = {.directory = s->f->directory};
  key_files_sweep(&place, KEY_FILE_RUN, NULL, 0);
  key_files_sweep(&place, KEY_FILE_DOUBTS, NULL, 0);
  directory_unlock(s->f); /* to be taken again by the one that follows */
  s->status = frontier_open(s->f->directory, &options, &f, s->f->message);
  if (s->status == FRONTIER_OK) {
    is_exact = frontier_is_exact(f);
    checkpoint_lose(f); /* closing saves one */
    if ((s->status = late_complete(f)) != FRONTIER_OK)
      frontier_message_copy(f, s->f->message);
    frontier_status closed = frontier_close(f);
    if (closed != FRONTIER_OK)
      salvage_fail(s, closed, "the filter made from the log could not be committed");
  }
  if (s->status == FRONTIER_OK)
    salvage_say(s, "filter%s: made anew from the hash log", is_exact ? " and runs" : "");
  return s->status == FRONTIER_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* As data.mdb says it now. */
static bool put_identity(salvage *s)
{
  store *of = NULL;
  uint8_t *body = NULL;
  size_t size = 0;
  s->status = store_open(s->f->directory, true, "", 0, &of, s->f->message);
  if (s->status == FRONTIER_OK && (s->status = store_get_identity(of, &body, &size)) != FRONTIER_OK)
    frontier_fail(s->f, s->status, "%s", store_message(of));
  store_close(of);
  if (s->status == FRONTIER_OK)
    s->status = store_identity_file_put(s->f->directory, body, size, s->f->message);
  free(body);
  if (s->status == FRONTIER_OK)
    salvage_say(s, "IDENTITY: written from data.mdb");
  return s->status == FRONTIER_OK;
}

static bool repair_all(salvage *s, const frontier_findings *found, const char *journal_path)
{
  bool of_data = found->faults > found->filter_faults + found->journal_faults + found->identity_faults;
  s->status = directory_lock_it(s->f);
  if (s->status != FRONTIER_OK)
    return false;
  if (of_data) {
    bool is_done = rebuild(s);
    environment_remove_rebuilt(s->f->directory);
    if (!is_done)
      return false;
    say_rebuilt(s);
    directory_note_left(s->f);
  }
  if (found->identity_faults && !put_identity(s))
    return false;
  if (journal_path && (found->journal_faults || of_data) && !repair_journal(s, journal_path))
    return false;
  return (!of_data && !found->filter_faults && !found->journal_faults) || renew_files(s, journal_path);
}

static frontier_status repair_it(const char *directory, const char *journal_path, frontier_remark *say, void *context,
                                 frontier_repairs *done, char message[FRONTIER_MESSAGE_SIZE])
{
  const frontier_options options = {.per_host = 1, .keep_identity = true};
  salvage s = {.f = handle_create(directory, &options),
               .u = malloc(sizeof *s.u),
               .say = say,
               .context = context,
               .done = done,
               .stood = {.next_sequence = 1}};
  frontier_findings found;
  *done = (frontier_repairs){0};
  if (!s.f || !s.u) {
    if (s.f)
      handle_free(s.f);
    free(s.u);
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s: out of memory", directory);
    return FRONTIER_NO_MEMORY;
  }
  s.status = frontier_check(directory, journal_path, say, context, &found, s.f->message);
  if (s.status == FRONTIER_OK && found.faults)
    repair_all(&s, &found, journal_path);
  frontier_status status = s.status;
  if (status != FRONTIER_OK)
    memcpy(message, s.f->message, FRONTIER_MESSAGE_SIZE);
  salvage_free(&s);
  handle_free(s.f);
  return status;
}

frontier_status frontier_repair_sized(const char *directory, const char *journal_path, frontier_remark *say,
                                      void *context, frontier_repairs *done, size_t size,
                                      char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_repairs ours = {0};
  frontier_status status = repair_it(directory, journal_path, say, context, &ours, message);
  sized_give(done, size, &ours, sizeof ours);
  return status;
}
