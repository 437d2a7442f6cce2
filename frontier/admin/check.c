/* Checks a directory against FORMAT.md. The parts, in their order:
 *
 *     pages and meta records      identity, progress and the like
 *     hash log, filter files      check_filter.c
 *     runs, unconfirmed links     check_late.c
 *     URLs and hosts              check_urls.c
 *     free pages                  every page has one owner
 *     journal                     check_journal.c
 *     the whole, read by LMDB     check_child.c, if no page is damaged
 *
 * A missing part is reported once; comparisons with it are skipped. */
#include "frontier/admin/check.h"

#include "frontier/admin/watch.h"

#include "frontier/base/own_file.h"
#include "frontier/base/record.h"
#include "frontier/store/open_here.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

void check_say(check *c, check_area where, const char *format, ...)
{
  char sentence[FRONTIER_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  c->found->faults++;
  c->found->filter_faults += where == IN_FILTER;
  c->found->journal_faults += where == IN_JOURNAL;
  c->found->identity_faults += where == IN_IDENTITY;
  c->say(c->context, sentence);
}

void check_fail(check *c, frontier_status status, const char *what)
{
  if (c->status == FRONTIER_OK)
    frontier_fail(c->f, c->status = status, "%s: %s", c->f->directory, what);
}

static void say_of_pages(void *context, const char *sentence)
{
  check_say(context, IN_DATA, "%s", sentence);
}

/* ---- what it says of itself ----------------------------------------------------------------------------- */

static void keep(check *c, const uint8_t *body, size_t size, uint8_t **copy, size_t *copy_size)
{
  free(*copy);
  *copy = malloc(size + 1);
  if (!*copy) {
    check_fail(c, FRONTIER_NO_MEMORY, "out of memory");
    return;
  }
  memcpy(*copy, body, size);
  *copy_size = size;
}

static void take_identity(check *c, const uint8_t *body, size_t size)
{
  keep(c, body, size, &c->identity, &c->identity_size);
  frontier_status status = identity_read(c->f, body, size);
  c->has_identity = status == FRONTIER_OK;
  if (status == FRONTIER_VERSION)
    c->status = status; /* not to be judged by today's rules */
  else if (!c->has_identity)
    check_say(c, IN_DATA, "%s", c->f->message);
}

/* Its other places say the same, or have it where the first is lost. */
static void compare_identity(check *c, check_area where, const char *place, const uint8_t *body, size_t size)
{
  if (!body)
    check_say(c, where, "%s: there is no whole copy of the record \"identity\"", place);
  else if (!c->identity)
    take_identity(c, body, size);
  else if (size != c->identity_size || memcmp(body, c->identity, size) != 0)
    check_say(c, where, "%s: its copy of the record \"identity\" is another", place);
}

typedef struct second_copy {
  check *c;
  bool is_there;
} second_copy;

static void read_second(void *context, const char *name, const uint8_t *body, size_t size)
{
  second_copy *second = context;
  second->is_there |= strcmp(name, "identity") == 0;
  if (strcmp(name, "identity") == 0)
    compare_identity(second->c, IN_DATA, "data.mdb, table identity", body, size);
}

static void check_identity_copies(check *c)
{
  uint8_t *body = NULL;
  size_t size = 0;
  second_copy second = {.c = c};
  mdb_records_each_named(c->p, "identity", read_second, &second);
  if (!second.is_there && c->status == FRONTIER_OK)
    compare_identity(c, IN_DATA, "data.mdb, table identity", NULL, 0);
  if (c->status == FRONTIER_OK && store_identity_file_get(c->f->directory, &body, &size) == FRONTIER_NO_MEMORY)
    check_fail(c, FRONTIER_NO_MEMORY, "out of memory");
  if (c->status == FRONTIER_OK)
    compare_identity(c, IN_IDENTITY, "IDENTITY", body, size);
  free(body);
}

static void read_meta(void *context, const char *name, const uint8_t *body, size_t size)
{
  check *c = context;
  if (strcmp(name, "identity") == 0) {
    take_identity(c, body, size);
  } else if (strcmp(name, "progress") == 0) {
    c->has_progress = progress_read(&c->stood, body, size);
    if (!c->has_progress)
      check_say(c, IN_DATA, "data.mdb: the record \"progress\" contradicts itself");
  } else if (strcmp(name, "acceptance") == 0) {
    if (!acceptance_read(&c->stood, body, size))
      check_say(c, IN_DATA, "data.mdb: the record \"acceptance\" makes no sense");
  } else if (strcmp(name, "counters") == 0) {
    if (!counters_read(&c->counters, (const char *)body, size))
      check_say(c, IN_DATA, "data.mdb: the record \"counters\" is no list of names and numbers");
  } else if (strcmp(name, "journal") == 0) {
    keep(c, body, size, &c->journal, &c->journal_size);
  } else if (strcmp(name, "journal-sum") == 0) {
    keep(c, body, size, &c->sum, &c->sum_size);
  } else if (strcmp(name, "absent") == 0) {
    keep(c, body, size, &c->absent, &c->absent_size);
  } else if (strcmp(name, "run_marks") == 0) {
    keep(c, body, size, &c->run_marks, &c->run_marks_size);
  } else if (strcmp(name, "late") == 0) {
    keep(c, body, size, &c->late, &c->late_size);
  } else if (strcmp(name, ORDERED_MARK) == 0 || strcmp(name, ORDERED_MARK_OLD) == 0) {
    c->has_ordered_mark = true;
    if (strcmp(name, ORDERED_MARK) == 0 && (size != 1 || *body != 1))
      check_say(c, IN_DATA, "data.mdb: the record \"" ORDERED_MARK "\" makes no sense");
  }
}

static void require_table(check *c, const char *name)
{
  size_t at = 0;
  for (const char *found; (found = mdb_pages_table(c->p, at)) && strcmp(found, name) != 0;)
    at++;
  if (!mdb_pages_table(c->p, at))
    check_say(c, IN_DATA, "data.mdb: there is no table %s", name);
}

static bool read_tombstones(void *context, uint64_t low, const uint8_t *body, size_t size)
{
  check *c = context;
  if (size == 0 || size % 8)
    check_say(c, IN_DATA, "data.mdb: record %" PRIu64 " of table revoked makes no sense", low);
  for (size_t at = 0; at + 8 <= size; at += 8)
    if (!hash_set_put(&c->tombstones.set, (mlbf_hash128){low, get_le(body + at, 8)}))
      check_fail(c, FRONTIER_NO_MEMORY, "out of memory for one more forgotten key");
  return true;
}

static void check_meta(check *c)
{
  require_table(c, "meta");
  mdb_records_each_named(c->p, "meta", read_meta, c);
  if (c->status == FRONTIER_OK)
    check_identity_copies(c);
  for (int table = 0; table < (int)STORE_ALWAYS && c->status == FRONTIER_OK; table++)
    require_table(c, store_table_name((store_table)table));
  mdb_records_each(c->p, "revoked", read_tombstones, c);
  if (!c->has_identity && c->status == FRONTIER_OK)
    check_say(c, IN_DATA, "data.mdb: no record says which filter and profile made it, so keys cannot be compared");
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* No process may write meanwhile; the directory need not be writable. */
static void hold_still(check *c, int *lock)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/LOCK", c->f->directory);
  *lock = own_file_open(path, O_RDONLY, 0);
  if (open_here_has(c->f->directory))
    check_fail(c, FRONTIER_BUSY, "this process itself has it open");
  else if (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) != 0)
    check_fail(c, FRONTIER_BUSY, "another process is writing it; end that one first");
}

static void check_all(check *c, const char *journal_path)
{
  check_meta(c);
  if (c->status != FRONTIER_OK)
    return;
  if (c->has_identity && c->status == FRONTIER_OK)
    check_log(c);
  if (c->has_identity && c->status == FRONTIER_OK)
    check_late(c);
  if (c->status == FRONTIER_OK)
    check_urls(c);
  if (c->has_identity && c->status == FRONTIER_OK)
    check_exchange(c);
  mdb_pages_check_owners(c->p);
  if (journal_path && c->status == FRONTIER_OK)
    check_journal(c, journal_path);
  if (c->status == FRONTIER_OK && mdb_pages_faults(c->p) == 0)
    check_in_child(c);
}

static void check_free(check *c)
{
  seen_free(c->from_log);
  seen_free(c->from_file);
  free(c->identity);
  free(c->absent);
  free(c->journal);
  free(c->sum);
  free(c->run_marks);
  free(c->late);
  free(c->u);
  mdb_pages_close(c->p);
  tombstones_free(&c->tombstones);
  handle_free(c->f);
}

static void tell_pages(void *context, uint64_t done, uint64_t whole)
{
  watch_tell(context, done, whole);
}

static frontier_status check_it(const char *directory, const char *journal_path, frontier_remark *say, void *context,
                                frontier_findings *found, watch told, char message[FRONTIER_MESSAGE_SIZE])
{
  const frontier_options options = {.per_host = 1, .read_only = true, .keep_identity = true};
  check c = {.f = handle_create(directory, &options),
             .say = say,
             .context = context,
             .found = found,
             .u = malloc(sizeof *c.u),
             .stood = {.next_sequence = 1}};
  *found = (frontier_findings){0};
  if (!c.f || !c.u) {
    if (c.f)
      check_free(&c);
    else
      free(c.u);
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s: out of memory", directory);
    return FRONTIER_NO_MEMORY;
  }
  char path[4096];
  int lock = -1;
  hold_still(&c, &lock);
  snprintf(path, sizeof path, "%s/data.mdb", directory);
  if (c.status == FRONTIER_OK)
    c.status = mdb_pages_open(path, say_of_pages, &c, &c.p, c.f->message);
  if (c.status == FRONTIER_OK && mdb_pages_have_root(c.p)) {
    found->pages = mdb_pages_count(c.p);
    mdb_pages_watch(c.p, tell_pages, &told);
    check_all(&c, journal_path);
    watch_tell(&told, found->pages, found->pages);
  }
  frontier_status status = c.status;
  if (status != FRONTIER_OK)
    memcpy(message, c.f->message, FRONTIER_MESSAGE_SIZE);
  if (lock >= 0)
    close(lock);
  check_free(&c);
  return status;
}

frontier_status frontier_check_watched(const char *directory, const char *journal_path, frontier_remark *say,
                                       void *context, frontier_findings *found, size_t size, frontier_progress *told,
                                       void *told_context, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_findings ours = {0};
  frontier_status status = check_it(directory, journal_path, say, context, &ours, (watch){told, told_context}, message);
  sized_give(found, size, &ours, sizeof ours);
  return status;
}

frontier_status frontier_check_sized(const char *directory, const char *journal_path, frontier_remark *say,
                                     void *context, frontier_findings *found, size_t size,
                                     char message[FRONTIER_MESSAGE_SIZE])
{
  return frontier_check_watched(directory, journal_path, say, context, found, size, NULL, NULL, message);
}
