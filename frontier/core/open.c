/* From a directory to a frontier and back.
 *
 *     DIRECTORY/LOCK       held (flock) by the one writer; its process id inside
 *     DIRECTORY/data.mdb   LMDB: queue, history, hosts, hash log, meta; lock.mdb beside it
 *     DIRECTORY/seen.0 .1  filter files, one of them valid
 */
#include "frontier/core/recrawl_inside.h"
#include "frontier/core/spill.h"

#include "frontier/base/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- identity: what may never change ------------------------------------------------------------------- */

static const char magic[16] = "STRATA frontier";
enum { FORMAT_VERSION = 6 };
/* On top of the kind of filter: there is a table `exact`. */
enum { IS_EXACT = 0x100 };

size_t identity_write(const frontier_options *options, uint8_t body[IDENTITY_MAX])
{
  char profile[URL_PROFILE_NAME_SIZE];
  url_profile_name(options->profile, profile);
  memcpy(body, magic, sizeof magic);
  put_le(body + 16, FORMAT_VERSION, 4);
  put_le(body + 20, (uint64_t)options->filter | (options->exact ? IS_EXACT : 0), 4);
  put_le(body + 24, double_bits(options->rate), 8);
  put_le(body + 32, options->expected_urls, 8);
  memcpy(body + IDENTITY_HEAD, profile, strlen(profile));
  return IDENTITY_HEAD + strlen(profile);
}

/* What the directory was made with wins, or must agree. */
frontier_status identity_read(frontier *f, const uint8_t *body, size_t size)
{
  if (size < IDENTITY_HEAD || size >= IDENTITY_MAX || memcmp(body, magic, sizeof magic) != 0)
    return frontier_fail(f, FRONTIER_NOT_OURS, "%s/data.mdb: not a Strata frontier", f->directory);
  uint32_t version = (uint32_t)get_le(body + 16, 4);
  if (version != FORMAT_VERSION)
    return frontier_fail(f, FRONTIER_VERSION,
                         "%s is of %s format, %" PRIu32 " (this strata reads %d): `strata export OLD` of the build that"
                         " wrote it, piped into `strata crawl --dir NEW --seeds -` of this one, carries its URLs over",
                         f->directory, version > FORMAT_VERSION ? "a newer" : "an older", version, FORMAT_VERSION);
  char name[URL_PROFILE_NAME_SIZE] = "";
  memcpy(name, body + IDENTITY_HEAD, size - IDENTITY_HEAD);
  bool is_exact = get_le(body + 20, 4) & IS_EXACT;
  mlbf_kind filter = (mlbf_kind)(get_le(body + 20, 4) - (is_exact ? IS_EXACT : 0));
  double rate = double_of(get_le(body + 24, 8));
  url_profile profile;
  if (!url_profile_parse(name, &profile) || !mlbf_kind_name(filter))
    return frontier_fail(f, FRONTIER_VERSION, "%s was made by a newer Strata (profile \"%s\")", f->directory, name);
  frontier_options *options = &f->options;
  if (!options->keep_identity &&
      (filter != options->filter || profile != options->profile || rate != options->rate || is_exact != options->exact))
    return frontier_fail(f, FRONTIER_MISMATCH, "%s was made with filter %s%s, rate %g, profile %s", f->directory,
                         mlbf_kind_name(filter), is_exact ? " and exact keys" : "", rate, name);
  options->filter = filter;
  options->exact = is_exact;
  options->rate = rate;
  options->profile = profile;
  options->expected_urls = get_le(body + 32, 8);
  return FRONTIER_OK;
}

/* ---- whose directory it is ----------------------------------------------------------------------------- */

static bool is_our_name(const char *name)
{
  static const char *const ours[] = {".", "..", "LOCK", "data.mdb", "lock.mdb", "seen.0", "seen.1"};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (strcmp(name, ours[i]) == 0)
      return true;
  /* a filter's temporary file that a crash left; what a repair kept, or was making */
  return strncmp(name, "seen.", 5) == 0 || strncmp(name, "data.mdb.", 9) == 0 || strcmp(name, "rebuilt") == 0;
}

/* Nothing is made in a directory that holds what we did not put there. */
static frontier_status refuse_foreign(frontier *f)
{
  DIR *directory = opendir(f->directory);
  if (!directory)
    return frontier_fail(f, FRONTIER_IO, "%s: %s", f->directory, strerror(errno));
  frontier_status status = FRONTIER_OK;
  for (struct dirent *found; status == FRONTIER_OK && (found = readdir(directory));)
    if (!is_our_name(found->d_name))
      status = frontier_fail(f, FRONTIER_NOT_OURS, "%s is not a Strata frontier: it holds \"%s\"", f->directory,
                             found->d_name);
  closedir(directory);
  return status;
}

/* So that a power cut does not take the names away from files that are safely on disk. */
static void sync_directory(const char *path)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)fsync(fd); /* some file systems have nothing to sync here, and say so */
    close(fd);
  }
}

static void sync_parent(const char *path)
{
  char *copy = strdup(path);
  if (copy)
    sync_directory(dirname(copy));
  free(copy);
}

frontier_status lock_directory(frontier *f)
{
  char path[4096], pid[32] = "";
  snprintf(path, sizeof path, "%s/LOCK", f->directory);
  f->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (f->lock_fd < 0)
    return frontier_fail(f, FRONTIER_IO, "%s: %s", path, strerror(errno));
  if (flock(f->lock_fd, LOCK_EX | LOCK_NB) != 0) {
    ssize_t got = pread(f->lock_fd, pid, sizeof pid - 1, 0); /* a number, unless somebody else wrote there */
    pid[got > 0 ? got : 0] = '\0';
    return frontier_fail(f, FRONTIER_BUSY, "%s is in use by another process (%ld)", f->directory,
                         strtol(pid, NULL, 10));
  }
  int size = snprintf(pid, sizeof pid, "%ld", (long)getpid());
  if (ftruncate(f->lock_fd, 0) != 0 || pwrite(f->lock_fd, pid, (size_t)size, 0) != size)
    return frontier_fail(f, errno == ENOSPC || errno == EFBIG ? FRONTIER_NO_SPACE : FRONTIER_IO, "%s: %s", path,
                         strerror(errno));
  return FRONTIER_OK;
}

/* ---- open ---------------------------------------------------------------------------------------------- */

static frontier_status load_hosts(frontier *f)
{
  bool of_store;
  frontier_status status = host_changes_load(&f->host_changes, f->hosts, f->store, &of_store);
  if (of_store)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  if (status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, status, "out of memory for one more host");
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: the host table is damaged at host %" PRIu64, f->directory,
                         hosts_count(f->hosts));
  const host *who;
  for (uint32_t id = 0; (who = hosts_at(f->hosts, id)); id++)
    counts_found_queued(&f->counts, host_queued(who));
  return FRONTIER_OK;
}

/* One meta record through its reader; absent is fine unless `is_required`. */
static frontier_status read_meta(frontier *f, const char *name, bool is_required,
                                 frontier_status (*read)(frontier *, const uint8_t *, size_t))
{
  uint8_t *body;
  size_t size;
  frontier_status status = store_get_meta(f->store, name, &body, &size);
  if (status == FRONTIER_NOT_FOUND && !is_required)
    return FRONTIER_OK;
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  status = read(f, body, size);
  free(body);
  return status;
}

/* The record of a journal: the offset of the owed lines, and the lines. Without one the journal is new. */
static frontier_status open_journal(frontier *f, const uint8_t *body, size_t size)
{
  if (size < JOURNAL_HEAD)
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: the journal record is damaged", f->directory);
  return journal_open(f->options.journal_path, get_le(body, JOURNAL_HEAD), body + JOURNAL_HEAD, size - JOURNAL_HEAD,
                      &f->journal, f->message);
}

static frontier_status resume_journal(frontier *f, const uint8_t *body, size_t size)
{
  if (size != JOURNAL_SUM_SIZE)
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: the record of the journal's sum is damaged", f->directory);
  journal_resume(f->journal, (journal_sum){.lines = get_le(body, 8), .sum = get_le(body + 8, 8)});
  return FRONTIER_OK;
}

static frontier_status recover_journal(frontier *f)
{
  if (!f->options.journal_path || f->options.read_only)
    return FRONTIER_OK;
  frontier_status status = read_meta(f, "journal", false, open_journal);
  if (status == FRONTIER_OK && !f->journal)
    status = journal_open(f->options.journal_path, 0, NULL, 0, &f->journal, f->message);
  if (status == FRONTIER_OK)
    status = read_meta(f, "journal-sum", false, resume_journal);
  if (status == FRONTIER_OK)
    sync_parent(f->options.journal_path);
  return status;
}

/* One that has keys and no table of them was robbed of it; one that has no key yet was cut short when it was made. */
static frontier_status open_exact(frontier *f)
{
  if (!f->options.exact)
    return FRONTIER_OK;
  frontier_status status = store_find_exact(f->store, hash_log_keys(&f->log) == 0 && !f->options.read_only);
  if (status == FRONTIER_OK)
    return FRONTIER_OK;
  if (status != FRONTIER_NOT_FOUND)
    return frontier_fail(f, status, "%s", store_message(f->store));
  if (hash_log_keys(&f->log))
    return frontier_fail(f, FRONTIER_DAMAGED, "%s/data.mdb: its table of exact keys is missing", f->directory);
  return frontier_fail(f, status, "%s: its making was cut short; crawl again to begin it", f->directory);
}

/* For a reader: records of several tables, while another process commits. */
static frontier_status pin_store(frontier *f)
{
  frontier_status status = store_pin(f->store);
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s", store_message(f->store));
}

static frontier_status open_store(frontier *f)
{
  uint8_t identity[IDENTITY_MAX];
  size_t identity_size = identity_write(&f->options, identity);
  frontier_status status =
    store_open(f->directory, f->options.read_only, identity, identity_size, &f->store, f->message);
  if (status == FRONTIER_OK && f->options.read_only)
    status = pin_store(f);
  if (status == FRONTIER_OK)
    status = read_meta(f, "identity", true, identity_read);
  const char *missing = status == FRONTIER_OK ? store_missing_table(f->store) : NULL;
  if (missing)
    status = frontier_fail(f, FRONTIER_DAMAGED, "%s/data.mdb: its table %s is missing", f->directory, missing);
  if (status == FRONTIER_OK)
    status = read_meta(f, "progress", false, counts_take_progress);
  if (status == FRONTIER_OK)
    status = read_meta(f, "acceptance", false, counts_take_acceptance);
  if (status == FRONTIER_OK)
    status = read_meta(f, "counters", false, counters_take);
  return status == FRONTIER_OK ? open_exact(f) : status;
}

static frontier_status open_for_writing(frontier *f)
{
  if (mkdir(f->directory, 0777) != 0 && errno != EEXIST)
    return frontier_fail(f, errno == ENOSPC ? FRONTIER_NO_SPACE : FRONTIER_IO, "%s: %s", f->directory, strerror(errno));
  frontier_status status = refuse_foreign(f);
  if (status == FRONTIER_OK)
    status = lock_directory(f);
  if (status == FRONTIER_OK)
    status = open_store(f);
  if (status == FRONTIER_OK)
    status = load_hosts(f);
  if (status == FRONTIER_OK)
    status = spill_find_chunks(f);
  if (status == FRONTIER_OK)
    status = seen_load(f);
  if (status == FRONTIER_OK)
    status = recover_journal(f);
  if (status == FRONTIER_OK && counts_next_sequence(&f->counts) == 1) { /* nothing was promised yet */
    sync_directory(f->directory);
    sync_parent(f->directory);
  }
  return status;
}

static frontier_status open_for_reading(frontier *f)
{
  struct stat info;
  char path[4096];
  snprintf(path, sizeof path, "%s/data.mdb", f->directory);
  if (stat(path, &info) != 0)
    return frontier_fail(f, FRONTIER_NOT_FOUND, "%s is not a Strata frontier (no data.mdb in it)", f->directory);
  frontier_status status = open_store(f); /* the counts of URLs and those of hosts are of one commit */
  if (status == FRONTIER_OK)
    status = load_hosts(f);
  store_unpin(f->store);
  return status;
}

static frontier_status previous_fits(frontier *f)
{
  char name[URL_PROFILE_NAME_SIZE];
  url_profile profile = previous_profile(f->previous);
  if (profile == f->options.profile)
    return FRONTIER_OK;
  url_profile_name(profile, name);
  return frontier_fail(f, FRONTIER_MISMATCH, "%s was made with profile %s", f->options.previous_path, name);
}

/* A rule nobody knows has no name, and would be lost with the handle. */
static bool is_profile(url_profile profile)
{
  char name[URL_PROFILE_NAME_SIZE];
  url_profile named;
  url_profile_name(profile, name);
  return url_profile_parse(name, &named) && named == profile;
}

static bool options_make_sense(const frontier_options *o)
{
  bool is_known = o->filter == MLBF_KIND_MLBF || o->filter == MLBF_KIND_BLOOM || o->filter == MLBF_KIND_LINE;
  return is_known && o->expected_urls > 0 && o->rate > 0 && o->rate < 1 && o->per_host > 0 && is_profile(o->profile);
}

frontier_status frontier_open_sized(const char *directory, const frontier_options *given, size_t options_size,
                                    frontier **out, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_options options;
  if (!options_take(given, options_size, &options) || !options_make_sense(&options) ||
      (!directory && (options.read_only || options.journal_path || options.exact))) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "these options make no frontier");
    return FRONTIER_BAD_ARGUMENT;
  }
  frontier *f = handle_create(directory, &options);
  if (!f) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory");
    return FRONTIER_NO_MEMORY;
  }
  /* first of all, so that nothing is made where it is missing */
  frontier_status status = FRONTIER_OK;
  if (options.previous_path)
    status = previous_open(directory, options.previous_path, &f->previous, f->message);
  if (status == FRONTIER_OK)
    status = !directory          ? seen_load(f)
             : options.read_only ? open_for_reading(f)
                                 : open_for_writing(f);
  if (status == FRONTIER_OK && f->previous)
    status = previous_fits(f);
  queue_begin(f);
  if (status == FRONTIER_OK) {
    *out = f;
  } else {
    memcpy(message, f->message, FRONTIER_MESSAGE_SIZE);
    f->options.read_only = true; /* nothing to commit */
    frontier_close(f);
  }
  return status;
}

/* ---- close --------------------------------------------------------------------------------------------- */

static frontier_status close_cleanly(frontier *f)
{
  frontier_status status = commit_batch(f);
  if (status == FRONTIER_OK && checkpoint_is_worthwhile(f) && checkpoint_save(f))
    status = commit_batch(f);
  return status;
}

frontier_status frontier_close(frontier *f)
{
  if (!f)
    return FRONTIER_OK;
  frontier_status status = f->store && !f->options.read_only ? close_cleanly(f) : FRONTIER_OK;
  recrawl_free(f);
  spill_free(f); /* before the batch: it looks at URLs that ended there */
  batch_free(f);
  leases_free(&f->in_flight);
  hosts_free(f->hosts);
  host_changes_free(&f->host_changes);
  entry_pool_free(&f->pool);
  checkpoint_abandon(f);
  watch_free(f->watch);
  grow_abandon(f);
  hash_log_free(f);
  previous_close(f->previous);
  journal_close(f->journal);
  store_close(f->store);
  settings_free(f);
  if (f->lock_fd >= 0)
    close(f->lock_fd);
  handle_free(f);
  return status;
}
