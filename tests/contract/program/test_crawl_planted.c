/* Whatever somebody planted in the directory of a crawl under the name of one of its files: no command reads or writes
 * through it, none waits, and what is refused is said, with its name.
 *
 * `outside` is a directory that no command is told of. What is planted leads there; its state is compared as a text. */
#include "tests/site/trial.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static trial *t;
static char base[SCRATCH_PATH], outside[SCRATCH_PATH], root[SCRATCH_PATH], temporary[SCRATCH_PATH];

/* ---- commands ----------------------------------------------------------------------------------------------- */

typedef struct command {
  char letter;
  const char *words[20];
} command;

static const command commands[] = {
  {'c',
   {"crawl", "--dir", "DIR", "--warc", "--warc-size", "1K", "--digests", "--delay", "0", "--allow-private", "--quiet",
    "--max-pages", "5", "URL"}},
  {'r', {"report", "DIR"}}, /* into DIR/report.html */
  {'p', {"report", "DIR", "--out", "-"}},
  {'k', {"check", "DIR"}},
  {'K', {"check", "DIR", "--repair"}},
  {'l', {"like", "DIR", "URL"}},
  {'s', {"show", "DIR", "URL"}},
  {'i', {"inlinks", "DIR"}},
  {'t', {"stat", "DIR"}},
  {'e', {"export", "DIR"}},
  {'b', {"export", "DIR", "--broken"}},
  {'n', {"seen", "DIR", "URL"}},
  {'m', {"compact", "DIR"}},
  {'f', {"forget", "DIR", "URL"}},
  {'g', {"merge", "DIR", "-o", "MERGED"}},
};

static const command *command_of(char letter)
{
  size_t i = 0;
  while (commands[i].letter != letter)
    i++;
  return &commands[i];
}

/* Its exit code; -1: it was killed, by a signal or because it waited. */
static int run(char letter)
{
  char merged[SCRATCH_PATH];
  const command *c = command_of(letter);
  const char *words[21] = {NULL};
  scratch_join(t->home, "merged", merged);
  for (size_t i = 0; c->words[i]; i++)
    words[i] = strcmp(c->words[i], "MERGED") == 0 ? merged : c->words[i];
  int code = trial_strata(t, words);
  scratch_remove(merged);
  return code;
}

/* ---- a state ------------------------------------------------------------------------------------------------ */

static text state_now;

static int add_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
  (void)kind, (void)where;
  text_addf(&state_now, "%s %o %u %lld %lld.%ld %llu ", path, info->st_mode, info->st_uid, (long long)info->st_size,
            (long long)info->st_mtim.tv_sec, info->st_mtim.tv_nsec, (unsigned long long)info->st_ino);
  if (S_ISREG(info->st_mode))
    text_add_file(&state_now, path);
  text_add(&state_now, "\n");
  return 0;
}

/* Of `path` with all that is in it; another one, if anything was written there. */
static text state_of(const char *path)
{
  text_clear(&state_now);
  nftw(path, add_one, 16, FTW_PHYS);
  text state = state_now;
  state_now = (text){0};
  return state;
}

static bool is_same(const text *a, const text *b)
{
  return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* ---- what is planted ---------------------------------------------------------------------------------------- */

typedef enum planting { LINK, LINK_TO_NOWHERE, SECOND_NAME, FIFO, DIRECTORY, OF_ANOTHER, PLANTINGS } planting;

static const char *const planting_names[PLANTINGS] = {"link", "nowhere",   "second name",
                                                      "fifo", "directory", "other user's"};

typedef struct planted {
  const char *name;
  const char *like; /* the victim is such a file of a crawl, so that a command that follows goes on; NULL: another */
  const char *plantings; /* by their first letters */
  const char *commands;  /* that meet it */
  const char *refused;   /* by which of them, with its name: a link, FIFO or directory */
  const char *unwritten; /* and by which a second name of a file, and another user's file */
  const char *end;       /* of the file, as a crash leaves it: the next run cuts it off; NULL: none */
  const char *removed;   /* first, so that the crawl makes it again; NULL: nothing */
} planted;

static const planted rows[] = {
  {"pages.jsonl", "pages.jsonl", "lnsfdo", "crK", "crK", "c", "torn", NULL},
  {"pages-00001.warc.gz", "pages-00001.warc.gz", "lnfd", "s", "s", "", NULL, NULL},
  {"pages-00003.warc.gz", "pages-00003.warc.gz", "lnsfdo", "c", "c", "c", "torn", NULL}, /* the last: it is cut */
  {"pages-00004.warc.gz", NULL, "lsfd", "c", "", "", NULL, NULL},
  {"pages-00005.warc.gz", NULL, "lnsfdo", "c", "", "", NULL, NULL},
  {"pages-00001.cdxj", "pages-00001.cdxj", "lnfd", "s", "s", "", NULL, NULL},
  {"pages-00001.cdxj.part", "pages-00001.cdxj", "lnfd", "cs", "cs", "", NULL, NULL},
  {"pages-00003.cdxj.part", "pages-00003.cdxj", "lnsfdo", "c", "c", "c", "torn", NULL},
  {"pages-00004.cdxj.part", NULL, "ls", "c", "", "", NULL, NULL},
  {"pages-00005.cdxj.part", NULL, "lnsfd", "c", "", "", NULL, NULL},
  {"pages-00004.cdxj", NULL, "lsd", "c", "", "", NULL, NULL},
  {"pages-00004.cdxj.tmp", NULL, "lsfd", "c", "", "", NULL, NULL},
  {"inlinks.0", "inlinks.0", "lnsfdo", "ci", "ci", "c", NULL, NULL},
  {"inlinks.0.next", NULL, "lsd", "c", "", "", NULL, NULL},
  {"inlinks.0.next.tmp", NULL, "lsfd", "c", "", "", NULL, NULL},
  {"edges", "edges", "lnsfdo", "cb", "cb", "c", "torn", NULL},
  {"digests.sdbf", "digests.sdbf", "lnsfdo", "cr", "cr", "c", "torn", NULL},
  {"report.html", NULL, "lnsfdo", "r", "", "r", NULL, NULL},
  {"report.html.tmp", NULL, "lnsfdo", "r", "", "", NULL, NULL},
  {"contents", "contents", "lnfo", "clK", "clK", "c", NULL, NULL},
  {"contents/00001.docs", "contents/00001.docs", "lnsfdo", "clK", "clK", "c", "torn", NULL},
  {"contents/00001.docs.new", NULL, "lsfd", "c", "", "", NULL, "contents/00001.docs"},
  {"contents/00001.rows", NULL, "lnfd", "cl", "cl", "", NULL, NULL},
  {"frontier", "frontier", "l", "ctprkKienmfg", "ctprkKienmfg", "c", NULL, NULL},
  {"frontier", "frontier", "nfo", "ct", "ct", "c", NULL, NULL},
  /* test_left_file.c plants more of these */
  {"frontier/LOCK", "frontier/LOCK", "ls", "cmf", "cmf", "cmf", NULL, NULL},
  {"frontier/data.mdb", "frontier/data.mdb", "ls", "ctmg", "ctmg", "c", NULL, NULL},
  {"frontier/lock.mdb", "frontier/lock.mdb", "ls", "ctgK", "ctg", "ct", NULL, NULL},
  {"frontier/IDENTITY", "frontier/IDENTITY", "ls", "cK", "", "", NULL, NULL},
  {"frontier/IDENTITY.tmp", NULL, "ls", "c", "", "", NULL, NULL},
  {"frontier/seen.0", NULL, "ls", "c", "", "", NULL, NULL},
  {"frontier/seen.1", "frontier/seen.1", "ls", "c", "", "", NULL, NULL},
  {"frontier/seen.0.tmp", NULL, "ls", "c", "", "", NULL, NULL},
};

enum { ROWS = sizeof rows / sizeof *rows };

static void copy_base(void)
{
  static const char *const directories[] = {"", "frontier", "contents"};
  char from[SCRATCH_PATH], to[SCRATCH_PATH];
  scratch_remove(t->crawl);
  for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
    scratch_join(base, directories[i], from);
    scratch_join(t->crawl, directories[i], to);
    assert_int_equal(mkdir(to, 0755), 0);
    scratch_copy(from, to);
  }
}

static void add_end(const char *path, const char *end)
{
  FILE *file = fopen(path, "ae");
  assert_non_null(file);
  fputs(end, file);
  fclose(file);
}

static void make_victim(const char *like, const char *victim)
{
  char from[SCRATCH_PATH];
  struct stat info;
  scratch_join(base, like ? like : "pages.jsonl", from);
  assert_int_equal(stat(from, &info), 0);
  if (S_ISDIR(info.st_mode)) {
    assert_int_equal(mkdir(victim, 0755), 0);
    scratch_copy(from, victim);
  } else {
    scratch_write(victim, "", 0);
    size_t size;
    char *bytes = scratch_read(from, &size);
    scratch_write(victim, bytes, size);
    free(bytes);
  }
}

/* false: there is nothing of this kind. */
static bool plant(const planted *row, planting what, char path[SCRATCH_PATH])
{
  char victim[SCRATCH_PATH];
  struct stat info;
  copy_base();
  scratch_remove(outside);
  assert_int_equal(mkdir(outside, 0755), 0);
  scratch_join(outside, "victim", victim);
  scratch_join(t->crawl, row->name, path);
  make_victim(row->like, victim);
  assert_int_equal(stat(victim, &info), 0);
  if (row->removed) {
    char removed[SCRATCH_PATH];
    scratch_join(t->crawl, row->removed, removed);
    assert_int_equal(unlink(removed), 0);
  }
  if ((what == SECOND_NAME || what == DIRECTORY) && S_ISDIR(info.st_mode))
    return false;
  if (what == OF_ANOTHER && access(path, F_OK) != 0)
    scratch_write(path, "another's", 9);
  if (row->end)
    add_end(what == OF_ANOTHER ? path : victim, row->end);
  if (what == OF_ANOTHER)
    return chown(path, NOBODY, NOBODY) == 0;
  if (unlink(path) != 0)
    scratch_remove(path);
  switch (what) {
  case LINK: return symlink(victim, path) == 0;
  case LINK_TO_NOWHERE:
    return unlink(victim) == 0 || (scratch_remove(victim), true) ? symlink(victim, path) == 0 : false;
  case SECOND_NAME: return link(victim, path) == 0;
  case FIFO: return mkfifo(path, 0666) == 0;
  default: return mkdir(path, 0755) == 0;
  }
}

/* ---- a trial ------------------------------------------------------------------------------------------------ */

static bool says(const char *what)
{
  return (t->err.bytes && strstr(t->err.bytes, what)) || (t->out.bytes && strstr(t->out.bytes, what));
}

/* The file by its name without its directory, and in-link counts without their number; or what is missing. */
static bool is_named(const planted *row)
{
  const char *slash = strrchr(row->name, '/'), *name = slash ? slash + 1 : row->name;
  char stem[64];
  snprintf(stem, sizeof stem, "%.*s", strncmp(name, "inlinks.", 8) == 0 ? 8 : 60, name);
  return says(stem) || (strcmp(name, "frontier") == 0 && says("not the directory of a crawl"));
}

static int complain(const planted *row, planting what, char letter, int code, const char *fault)
{
  print_message("%s as a %s, %s: %s; exit code %d, signal %d: %s", row->name, planting_names[what],
                command_of(letter)->words[0], fault, code, t->end.signal, t->err.size ? t->err.bytes : "\n");
  return 1;
}

/* Whether the file at `path` itself must not change either. */
static bool is_kept(const planted *row, planting what, char letter)
{
  return what == OF_ANOTHER && strchr(row->unwritten, letter);
}

static int meet(const planted *row, planting what, char letter)
{
  char path[SCRATCH_PATH];
  if (!plant(row, what, path))
    return 0;
  bool is_refused = strchr(what == SECOND_NAME || what == OF_ANOTHER ? row->unwritten : row->refused, letter);
  text before = state_of(outside), kept = state_of(path);
  int code = run(letter), faults = 0;
  text after = state_of(outside), now = state_of(path);
  if (code != 0 && code != 1 && code != 4)
    faults += complain(row, what, letter, code, "killed, or did not end");
  else if (!is_same(&before, &after))
    faults += complain(row, what, letter, code, "the victim changed");
  else if (is_kept(row, what, letter) && !is_same(&kept, &now))
    faults += complain(row, what, letter, code, "another user's file changed");
  else if ((is_refused && !is_named(row)) || (code == 1 && !t->err.size && !t->out.size))
    faults += complain(row, what, letter, code, "no sentence names it");
  text_free(&before);
  text_free(&kept);
  text_free(&after);
  text_free(&now);
  return faults;
}

static void only_for_root(void)
{
  if (geteuid() == 0)
    return;
  print_message("skipped: only root can be several users\n");
  skip();
}

static void plant_everywhere(planting what)
{
  int faults = 0;
  for (size_t i = 0; i < ROWS; i++)
    for (const char *letter = rows[i].commands; strchr(rows[i].plantings, *planting_names[what]) && *letter; letter++)
      faults += meet(&rows[i], what, *letter);
  assert_int_equal(faults, 0);
}

CASE(links_are_not_followed)
{
  plant_everywhere(LINK);
}

CASE(nothing_is_made_where_a_link_leads)
{
  plant_everywhere(LINK_TO_NOWHERE);
}

CASE(a_file_with_a_second_name_is_not_written)
{
  plant_everywhere(SECOND_NAME);
}

CASE(a_fifo_is_not_waited_for)
{
  plant_everywhere(FIFO);
}

CASE(a_directory_is_a_sentence)
{
  plant_everywhere(DIRECTORY);
}

CASE(another_users_file_is_not_written)
{
  only_for_root();
  plant_everywhere(OF_ANOTHER);
}

/* ---- the list is whole -------------------------------------------------------------------------------------- */

static void assert_known(const char *directory, const char *above)
{
  DIR *d = opendir(directory);
  assert_non_null(d);
  for (struct dirent *found; (found = readdir(d));) {
    char name[600], path[SCRATCH_PATH];
    size_t row = 0;
    snprintf(name, sizeof name, "%s%s", above, found->d_name);
    if (*found->d_name == '.')
      continue;
    while (row < ROWS && strcmp(rows[row].name, name) != 0)
      row++;
    if (row == ROWS && strncmp(name, "pages-", 6) != 0)
      fail_msg("%s is a file of a crawl, and is not planted", name);
    scratch_join(directory, found->d_name, path);
    if (found->d_type == DT_DIR) {
      strcat(name, "/");
      assert_known(path, name);
    }
  }
  closedir(d);
}

CASE(every_file_of_a_crawl_is_planted)
{
  copy_base();
  assert_int_equal(run('c'), 0);
  assert_int_equal(run('r'), 0);
  assert_known(t->crawl, "");
}

/* ---- another user's directory ------------------------------------------------------------------------------- */

static int open_to_all(const char *path, const struct stat *info, int kind, struct FTW *where)
{
  (void)info, (void)kind, (void)where;
  return chmod(path, 0777);
}

static int give_away(const char *path, const struct stat *info, int kind, struct FTW *where)
{
  (void)info, (void)kind, (void)where;
  return lchown(path, NOBODY, NOBODY);
}

/* But lock.mdb, in which LMDB's readers say what they read. */
static text state_of_crawl(void)
{
  char path[SCRATCH_PATH];
  scratch_join(t->crawl, "frontier/lock.mdb", path);
  text state = {0}, lock = {0}, all = state_of(t->crawl);
  lock = state_of(path);
  char *at = lock.size ? memmem(all.bytes, all.size, lock.bytes, lock.size) : NULL;
  text_add_bytes(&state, all.bytes, at ? (size_t)(at - all.bytes) : all.size);
  if (at)
    text_add_bytes(&state, at + lock.size, all.size - (size_t)(at - all.bytes) - lock.size);
  text_free(&all);
  text_free(&lock);
  return state;
}

static void assert_untouched(char letter, int code, int wanted, const char *words, const text *before)
{
  text after = state_of_crawl();
  if (code != wanted || !says(words) || !is_same(before, &after))
    fail_msg("%s: exit code %d, %s: %s", command_of(letter)->words[0], code,
             is_same(before, &after) ? "the same" : "changed", t->err.size ? t->err.bytes : "");
  text_free(&after);
}

CASE(root_writes_nothing_of_another_user)
{
  only_for_root();
  copy_base();
  assert_int_equal(nftw(t->crawl, give_away, 16, FTW_PHYS), 0);
  text before = state_of_crawl();
  for (const char *letter = "crKmf"; *letter; letter++)
    assert_untouched(*letter, run(*letter), 1, "another user", &before);
  for (const char *letter = "pkteisnl"; *letter; letter++)
    assert_untouched(*letter, run(*letter), 0, "", &before);
  text_free(&before);
}

/* A copy of the program, where that user can find it, runs as that user. */
static int run_as_nobody(const char *program, char letter)
{
  const command *c = command_of(letter);
  const char *argv[32] = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program};
  char *out = trial_path(t, "strata.out"), *err = trial_path(t, "strata.err");
  for (size_t i = 0; c->words[i]; i++)
    argv[5 + i] = strcmp(c->words[i], "DIR") == 0 ? t->crawl : strcmp(c->words[i], "URL") == 0 ? t->url : c->words[i];
  int code = trial_collect(t, process_start(argv, &(process_files){.out = out, .err = err}));
  free(out);
  free(err);
  return code;
}

CASE(nobody_writes_nothing_of_root)
{
  only_for_root();
  char program[SCRATCH_PATH];
  size_t size;
  char *bytes = scratch_read(STRATA_PROGRAM, &size);
  scratch_join(temporary, "strata", program);
  scratch_write(program, bytes, size);
  free(bytes);
  copy_base();
  assert_int_equal(chmod(program, 0755) + chmod(temporary, 0755) + chmod(t->home, 0755), 0);
  assert_int_equal(nftw(t->crawl, open_to_all, 16, FTW_PHYS), 0);
  text before = state_of_crawl();
  for (const char *letter = "crKmf"; *letter; letter++)
    assert_untouched(*letter, run_as_nobody(program, *letter), 1, "another user", &before);
  text_free(&before);
}

/* ---- strata uniq --state ------------------------------------------------------------------------------------ */

CASE(beside_the_state_of_uniq)
{
  static const char *const names[] = {"state", "state.lock", "state.tmp"};
  static const char urls[] = "http://a.test/1\nhttp://a.test/2\n";
  char kept[SCRATCH_PATH], input[SCRATCH_PATH], work[SCRATCH_PATH], victim[SCRATCH_PATH], path[SCRATCH_PATH];
  scratch_join(t->home, "uniq", work);
  scratch_join(t->home, "urls", input);
  scratch_join(t->home, "state-of-before", kept);
  scratch_join(outside, "victim", victim);
  scratch_write(input, urls, sizeof urls - 1);
  int faults = 0;
  for (size_t i = 0; i < 3; i++)
    for (planting what = LINK; what < PLANTINGS; what++) {
      scratch_remove(work);
      scratch_remove(outside);
      assert_int_equal(mkdir(work, 0755) + mkdir(outside, 0755), 0);
      scratch_join(work, names[i], path);
      scratch_write(victim, "precious", 8);
      if (what == OF_ANOTHER) {
        scratch_write(path, "precious", 8);
        if (chown(path, NOBODY, NOBODY) != 0)
          continue;
      } else if (what == LINK_TO_NOWHERE)
        unlink(victim);
      int made = what == LINK || what == LINK_TO_NOWHERE ? symlink(victim, path)
                 : what == SECOND_NAME                   ? link(victim, path)
                 : what == FIFO                          ? mkfifo(path, 0666)
                 : what == DIRECTORY                     ? mkdir(path, 0755)
                                                         : 0;
      assert_int_equal(made, 0);
      text before = state_of(outside), was = state_of(path);
      char state_path[SCRATCH_PATH];
      scratch_join(work, "state", state_path);
      int code = trial_strata(t, (const char *const[]){"uniq", "--state", state_path, input, NULL});
      text after = state_of(outside), now = state_of(path);
      bool is_sound = (code == 0 || (code == 1 && says("state"))) && is_same(&before, &after) &&
                      (what != OF_ANOTHER || i == 2 || is_same(&was, &now));
      if (!is_sound) {
        print_message("%s as a %s: exit code %d: %s\n", names[i], planting_names[what], code,
                      t->err.size ? t->err.bytes : "");
        faults++;
      }
      text_free(&before);
      text_free(&was);
      text_free(&after);
      text_free(&now);
    }
  assert_int_equal(faults, 0);
}

/* ---- the crawl that all of it is planted in ------------------------------------------------------------------ */

static void write_site(void)
{
  static const char *const names[] = {"a.html", "b.bin", "c.html", "d.bin", "e.html", "f.html", "g.bin"};
  enum { NAMES = sizeof names / sizeof *names, WORDS = 200, BYTES = 8000 };
  char path[SCRATCH_PATH];
  text start = {0}, page = {0};
  dice_begin(18);
  for (size_t i = 0; i < NAMES; i++) {
    text_addf(&start, "<a href=%s></a>", names[i]);
    text_clear(&page);
    for (size_t k = 0; strstr(names[i], ".html") && k < NAMES; k++)
      text_addf(&page, "<a href=%s></a>", names[k]);
    for (int word = 0; strstr(names[i], ".html") && word < WORDS; word++)
      text_addf(&page, "w%u ", (unsigned)dice_throw(9999));
    for (int byte = 0; strstr(names[i], ".bin") && byte < BYTES; byte++)
      text_add_byte(&page, (char)dice_throw(256));
    scratch_join(root, names[i], path);
    scratch_write(path, page.bytes, page.size);
  }
  scratch_join(root, "index.html", path);
  text_add(&start, "what a start page says, and more of it than one sentence, as shingles have several words");
  scratch_write(path, start.bytes, start.size);
  text_free(&start);
  text_free(&page);
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(temporary);
  setenv("TMPDIR", temporary, 1);
  setenv("SSL_CERT_DIR", temporary, 1); /* no certificates: to read the system's takes longer than all else */
  scratch_join(temporary, "root", root);
  mkdir(root, 0755);
  write_site();
  t = trial_open(&(trial_options){.root = root});
  scratch_join(t->home, "outside", outside);
  scratch_join(t->home, "base", base);
  const char *const words[] = {"crawl",    "--audit",   "--dir",    base,   "--warc",      "--warc-size",
                               "1K",       "--digests", "--delay",  "0",    "--quiet",     "--allow-private",
                               "--filter", "exact",     "--expect", "1000", "--max-pages", "3",
                               t->url,     NULL};
  return trial_strata(t, words);
}

static int end(void **state)
{
  (void)state;
  trial_close(t);
  scratch_remove(temporary);
  return 0;
}

EACH_CASE(begin, end)
