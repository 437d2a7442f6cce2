/* A directory as others may leave it: data.mdb damaged, copied, emptied, taken away; links where files should be; files
 * of another user; and pages that change while a handle is open. Each time a sentence, and no signal. */
#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/small_crawl.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

static char root[SCRATCH_PATH], original[SCRATCH_PATH], work[SCRATCH_PATH], data[SCRATCH_PATH];
static char message[FRONTIER_MESSAGE_SIZE];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "original", original);
  scratch_join(root, "work", work);
  scratch_join(work, "data.mdb", data);
  small_crawl_make(&(small_crawl){.directory = original, .seed = 3, .urls = 800, .fetched = 200});
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static void copy_to_work(const char *from)
{
  scratch_remove(work);
  assert_int_equal(mkdir(work, 0777), 0);
  scratch_copy(from, work);
}

static void copy_original(void)
{
  copy_to_work(original);
}

static frontier_status open_it(bool read_only, frontier **f)
{
  small_crawl c = {.directory = work, .urls = 800};
  frontier_options options = small_crawl_options(&c);
  options.read_only = read_only;
  options.keep_identity = true;
  *f = NULL;
  *message = '\0';
  return frontier_open(work, &options, f, message);
}

static void assert_refused(frontier_status status, const char *words)
{
  frontier *f;
  for (int reading = 0; reading < 2; reading++) {
    frontier_status got = open_it(reading, &f);
    if (got != status || !strstr(message, words) || !strstr(message, work))
      fail_msg("reading %d: status %d, \"%s\"", reading, (int)got, message);
  }
}

static void assert_opens(void)
{
  frontier *f;
  for (int reading = 0; reading < 2; reading++) {
    if (open_it(reading, &f) != FRONTIER_OK)
      fail_msg("%s", message);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
  }
}

/* Without another inode, as a disk or a program would do it. */
static void write_in_place(size_t at, const void *bytes, size_t size)
{
  int fd = open(data, O_RDWR);
  assert_int_equal(pwrite(fd, bytes, size, (off_t)at), (ssize_t)size);
  close(fd);
}

static void cut_anywhere(const char *from)
{
  size_t size;
  char path[SCRATCH_PATH];
  scratch_join(from, "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  for (size_t cut = PAGE; cut < size; cut += PAGE) {
    frontier *f;
    copy_to_work(from);
    scratch_write(data, bytes, size - cut + 100);
    for (int reading = 0; reading < 2; reading++) {
      frontier_status status = open_it(reading, &f);
      if (status == FRONTIER_OK) /* pages that were free */
        frontier_close(f);
      else if (status != FRONTIER_DAMAGED || !strstr(message, data) || !strstr(message, "strata check"))
        fail_msg("cut at %zu: status %d, \"%s\"", size - cut, (int)status, message);
    }
  }
  free(bytes);
}

CASE(every_truncation_is_a_sentence)
{
  cut_anywhere(original);
}

/* All links once more, which wait to be confirmed: the last pages of the file are those of a large value. */
CASE(one_inside_a_value_too)
{
  static url u;
  char twice[SCRATCH_PATH];
  frontier_verdict verdict;
  scratch_join(root, "twice", twice);
  small_crawl c = {.directory = twice, .seed = 3, .urls = 800, .fetched = 200, .exact = true};
  small_crawl_make(&c);
  frontier *f = small_crawl_open(&c);
  for (unsigned i = 0; i < c.urls; i++) {
    small_crawl_url(&c, i, &u);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  cut_anywhere(twice);
}

static void spoil_a_page(void)
{
  static const uint8_t flags[2] = {0x77, 0x77};
  for (size_t page = 2; page < 12; page++)
    write_in_place(page * PAGE + 10, flags, sizeof flags);
}

/* LOCK says what was left. A copy is not that, though it has the same LOCK. */
CASE(what_was_not_left_here_is_read_through)
{
  copy_original();
  assert_opens(); /* a sound copy is fine, and then left here by ourselves */
  usleep(20000);  /* a file system's clock has ticks */
  spoil_a_page();
  assert_refused(FRONTIER_DAMAGED, "strata check");
  copy_original();
  spoil_a_page();
  assert_refused(FRONTIER_DAMAGED, "strata check");
}

/* A process that opens it, and is killed: the status of its opening; -1: it died of that. */
static int open_and_die(pid_t *child)
{
  int status;
  frontier *f;
  *child = fork();
  if (*child == 0)
    _exit((int)open_it(false, &f));
  assert_int_equal(waitpid(*child, &status, 0), *child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Killed, on a machine that still runs: its file is taken as it is. So it is opened although a page is spoiled that
 * nobody needs for that, which is refused after another boot. */
CASE(after_a_kill_nothing_is_read)
{
  static const uint8_t flags[2] = {0x77, 0x77};
  char lock[SCRATCH_PATH];
  size_t size, lock_size;
  unsigned unread = 0;
  pid_t child;
  copy_original();
  assert_int_equal(open_and_die(&child), FRONTIER_OK);
  scratch_join(work, "LOCK", lock);
  char *said = scratch_read(lock, &lock_size), *bytes = scratch_read(data, &size);
  assert_int_equal(strtol(said, NULL, 10), child);
  char *boot = strstr(said, "\nboot ");
  assert_non_null(boot);
  for (size_t page = 2; (page + 1) * PAGE <= size; page++) {
    write_in_place(page * PAGE + 10, flags, sizeof flags);
    scratch_write(lock, said, lock_size);
    bool opens = open_and_die(&child) == FRONTIER_OK;
    boot[6] ^= 1; /* another boot */
    scratch_write(lock, said, lock_size);
    boot[6] ^= 1;
    unread += opens && open_and_die(&child) == FRONTIER_DAMAGED;
    write_in_place(0, bytes, size); /* as it was */
  }
  assert_true(unread > 0);
  free(said);
  free(bytes);
}

CASE(an_empty_file_is_not_begun_again)
{
  struct stat file;
  copy_original();
  scratch_write(data, "", 0);
  assert_refused(FRONTIER_DAMAGED, "though there were records in it");
  assert_int_equal(stat(data, &file), 0);
  assert_int_equal(file.st_size, 0);
  unlink(data);
  frontier *f;
  assert_int_equal(open_it(false, &f), FRONTIER_DAMAGED);
  assert_int_not_equal(access(data, F_OK), 0);
}

/* ---- links and owners --------------------------------------------------------------------------------------- */

CASE(no_link_is_followed)
{
  static const char *const names[] = {"LOCK", "data.mdb", "lock.mdb", "IDENTITY.tmp", "seen.0", "seen.1", "seen.0.tmp"};
  char victim[SCRATCH_PATH], path[SCRATCH_PATH];
  scratch_join(root, "victim", victim);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    frontier *f;
    size_t size;
    copy_original();
    scratch_write(victim, "precious", 8);
    scratch_join(work, names[i], path);
    unlink(path);
    assert_int_equal(symlink(victim, path), 0);
    frontier_status status = open_it(false, &f);
    bool is_ours_to_open = i < 3;
    if ((status == FRONTIER_OK) == is_ours_to_open || (is_ours_to_open && !strstr(message, "link")))
      fail_msg("%s: status %d, \"%s\"", names[i], (int)status, message);
    if (f)
      frontier_close(f);
    char *text = scratch_read(victim, &size);
    assert_int_equal(size, 8);
    assert_memory_equal(text, "precious", 8);
    free(text);
  }
}

static void say_nothing(void *context, const char *sentence)
{
  (void)context, (void)sentence;
}

CASE(a_fifo_is_not_waited_for)
{
  static const char *const names[] = {"LOCK", "data.mdb", "lock.mdb", "IDENTITY", "seen.0", "seen.1"};
  char path[SCRATCH_PATH];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    frontier *f;
    frontier_findings found;
    copy_original();
    scratch_join(work, names[i], path);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(20);
    if (open_it(true, &f) == FRONTIER_OK)
      frontier_close(f);
    if (open_it(false, &f) == FRONTIER_OK)
      frontier_close(f);
    frontier_check(work, NULL, say_nothing, NULL, &found, message);
    alarm(0);
  }
}

CASE(another_users_directory_is_only_read)
{
  frontier *f;
  copy_original();
  if (geteuid() != 0 || chown(work, 12345, (gid_t)-1) != 0) {
    print_message("skipped: only root can give a directory away\n");
    skip();
  }
  assert_int_equal(open_it(false, &f), FRONTIER_IO);
  assert_non_null(strstr(message, "another user"));
  assert_int_equal(open_it(true, &f), FRONTIER_OK);
  frontier_close(f);
}

CASE(a_group_may_read_where_it_is_told_so)
{
  static const char *const names[] = {"data.mdb", "IDENTITY"};
  for (int shared = 0; shared < 2; shared++) {
    struct stat file;
    char path[SCRATCH_PATH];
    frontier *f;
    small_crawl c = {.directory = work, .urls = 800};
    frontier_options options = small_crawl_options(&c);
    options.group_readable = shared;
    scratch_remove(work);
    assert_int_equal(frontier_open(work, &options, &f, message), FRONTIER_OK);
    frontier_close(f);
    for (int i = 0; i < 2; i++) {
      scratch_join(work, names[i], path);
      assert_int_equal(stat(path, &file), 0);
      assert_int_equal(file.st_mode & 0777, shared ? 0640 : 0600);
    }
  }
}

/* ---- while it is open --------------------------------------------------------------------------------------- */

static bool go_on(void *context, const frontier_record *record)
{
  (void)context, (void)record;
  return true;
}

/* Branches with one page below them, at which LMDB's reader asserts. */
static void spoil_branches(void)
{
  static const uint8_t lower[2] = {18, 0};
  size_t size, spoiled = 0;
  char *bytes = scratch_read(data, &size);
  for (size_t at = 2 * PAGE; at + PAGE <= size; at += PAGE)
    if (bytes[at + 10] == 1) {
      write_in_place(at + 12, lower, sizeof lower);
      spoiled++;
    }
  free(bytes);
  assert_true(spoiled > 0);
}

/* In a child: the environment that asserted stays behind. */
static int meet_damage(void)
{
  frontier *f, *second;
  static url u;
  frontier_verdict verdict;
  if (open_it(false, &f) != FRONTIER_OK)
    return 1;
  spoil_branches();
  if (frontier_each(f, go_on, NULL) != FRONTIER_DAMAGED || !strstr(frontier_message(f), "strata check"))
    return 2;
  url_parse("http://new.test/", 16, URL_STRICT, &u);
  frontier_add(f, &u, (frontier_origin){0}, 0, &verdict);
  if (frontier_sync(f) != FRONTIER_DAMAGED)
    return 3;
  if (frontier_close(f) != FRONTIER_DAMAGED)
    return 4;
  if (open_it(false, &second) != FRONTIER_BUSY) /* its lock lives on in here */
    return 5;
  return 0;
}

CASE(damage_under_an_open_handle_is_a_status)
{
  int status;
  copy_original();
  pid_t child = fork();
  if (child == 0)
    _exit(meet_damage());
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

EACH_CASE(begin, end)
