/* A crawl's directory with bytes changed in any of its files, the pages of data.mdb among them, under every command and
 * under the library's calls: no signal, no hang, and one sentence where it fails.
 *
 *     hostile_directory STRATA MUTATIONS [all]      all: every user of each mutation, not three drawn ones
 *
 * STRATA_SEED repeats a run. A mutation is one to three changes: a file cut short, bits flipped, a page of zeros, two
 * pages swapped, a page copied over another, a stretch of random bytes, or a whole file that is of another crawl, of
 * an older state of this one, empty, or no file of ours at all. */
#include "frontier/admin.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/small_crawl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096, SECONDS = 30, WORDS = 16, SAID = 1 << 16, CHANGES_MAX = 3, USERS_DRAWN = 3 };

/* With a dot at its end: one of the files whose names begin so. */
static const char *const names[] = {"frontier/data.mdb", "frontier/lock.mdb", "frontier/LOCK",
                                    "frontier/IDENTITY", "frontier/seen.0",   "frontier/seen.1",
                                    "frontier/keys.",    "frontier/doubts.",  "pages.jsonl"};
enum { FILES = sizeof names / sizeof *names };
enum { BASES = 3 }; /* with exact keys, without, ended by kill -9 */
static char root[SCRATCH_PATH], bases[BASES][SCRATCH_PATH], older[SCRATCH_PATH], trial[SCRATCH_PATH];
static const char *strata;

typedef struct verdicts {
  unsigned runs, failed_in_words, signals, hangs, wordless;
} verdicts;

/* ---- once ------------------------------------------------------------------------------------------------- */

/* Of exact keys there are runs and, as all was found twice, links that wait to be confirmed. */
static void make_crawl(const char *where, bool is_exact, unsigned fetched)
{
  char inside[SCRATCH_PATH], lines[SCRATCH_PATH];
  mkdir(where, 0777);
  scratch_join(where, "frontier", inside);
  scratch_join(where, "pages.jsonl", lines);
  small_crawl c = {
    .directory = inside, .journal = lines, .seed = 6, .urls = 500, .fetched = fetched, .exact = is_exact};
  small_crawl_make(&c);
  frontier *f = is_exact ? small_crawl_open(&c) : NULL;
  for (unsigned i = 0; f && i < c.urls; ++i) {
    static url u;
    frontier_verdict verdict;
    small_crawl_url(&c, i, &u);
    frontier_add(f, &u, (frontier_origin){0}, 0, &verdict);
  }
  for (bool is_more = f != NULL; is_more;) {
    frontier_sync(f);
    if (frontier_maintain(f, 100, &is_more) != FRONTIER_OK)
      break;
  }
  frontier_close(f);
}

static void copy_crawl(const char *from, const char *to)
{
  char a[SCRATCH_PATH], b[SCRATCH_PATH];
  scratch_remove(to);
  mkdir(to, 0777);
  scratch_copy(from, to);
  scratch_join(from, "frontier", a);
  scratch_join(to, "frontier", b);
  mkdir(b, 0777);
  scratch_copy(a, b);
}

/* A child goes on with it and dies with its handle open. */
static void make_killed(const char *where)
{
  char inside[SCRATCH_PATH], lines[SCRATCH_PATH];
  scratch_join(where, "frontier", inside);
  scratch_join(where, "pages.jsonl", lines);
  pid_t child = fork();
  if (child == 0) {
    small_crawl c = {.directory = inside, .journal = lines, .seed = 6, .urls = 500, .fetched = 60};
    frontier *f = small_crawl_open(&c);
    small_crawl_run(&c, f);
    frontier_sync(f);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void prepare(void)
{
  static const char *const base_names[BASES] = {"exact", "plain", "killed"};
  scratch_make_fast(root);
  for (int i = 0; i < BASES; ++i) {
    scratch_join(root, base_names[i], bases[i]);
    make_crawl(bases[i], i == 0, 150);
  }
  scratch_join(root, "older", older);
  scratch_join(root, "trial", trial);
  copy_crawl(bases[2], older);
  make_killed(bases[2]);
}

/* ---- changes ---------------------------------------------------------------------------------------------- */

typedef struct bytes {
  uint8_t *at;
  size_t size;
} bytes;

static size_t draw_page(const bytes *b)
{
  return b->size < PAGE ? 0 : (size_t)dice_throw(b->size / PAGE) * PAGE;
}

static size_t page_bytes(const bytes *b, size_t at)
{
  return b->size - at < PAGE ? b->size - at : PAGE;
}

static void swap_pages(const bytes *b)
{
  uint8_t kept[PAGE];
  size_t one = draw_page(b), other = draw_page(b);
  size_t size = page_bytes(b, one) < page_bytes(b, other) ? page_bytes(b, one) : page_bytes(b, other);
  memcpy(kept, b->at + one, size);
  memmove(b->at + one, b->at + other, size);
  memcpy(b->at + other, kept, size);
}

static void copy_page(const bytes *b)
{
  size_t from = draw_page(b), to = draw_page(b);
  size_t size = page_bytes(b, from) < page_bytes(b, to) ? page_bytes(b, from) : page_bytes(b, to);
  memmove(b->at + to, b->at + from, size);
}

/* Mostly in what begins a page, which LMDB trusts. */
static void flip_bits(const bytes *b)
{
  for (uint64_t n = 1 + dice_throw(4); n; --n) {
    size_t page = draw_page(b), at = (size_t)dice_throw(dice_throw(2) ? PAGE : 160);
    if (page + at < b->size)
      b->at[page + at] ^= (uint8_t)(1 << dice_throw(8));
  }
}

static void scatter(const bytes *b)
{
  size_t at = (size_t)dice_throw(b->size), size = 1 + (size_t)dice_throw(64);
  for (size_t i = at; i < at + size && i < b->size; ++i)
    b->at[i] = (uint8_t)dice_throw(256);
}

static void change_bytes(bytes *b)
{
  switch (dice_throw(7)) {
  case 0: b->size = (size_t)dice_throw(b->size); break;
  case 1: b->size = draw_page(b); break;
  case 2: memset(b->at + draw_page(b), 0, page_bytes(b, 0)); break;
  case 3: swap_pages(b); break;
  case 4: copy_page(b); break;
  case 5: scatter(b); break;
  default: flip_bits(b); break;
  }
}

static void put_foreign(const char *name)
{
  char path[SCRATCH_PATH], from[SCRATCH_PATH];
  const char *others[] = {bases[0], bases[1], older};
  bytes b = {NULL, 0};
  scratch_join(trial, name, path);
  uint64_t kind = dice_throw(6);
  if (kind < 3) {
    scratch_join(others[kind], name, from);
    b.at = (uint8_t *)scratch_read(from, &b.size);
  }
  if (unlink(path) != 0)
    rmdir(path);
  if (kind == 3)
    mkdir(path, 0777);
  else if (kind == 4)
    scratch_write(path, "no file of a crawl\n", 19);
  else if (kind < 3 && b.at)
    scratch_write(path, b.at, b.size);
  else if (kind == 5)
    scratch_write(path, "", 0);
  free(b.at);
}

/* Of files that are numbered, one that is there, in an order that is the same in every run; else number 1. */
static const char *choose_file(const char *name, char chosen[SCRATCH_PATH])
{
  char folder[SCRATCH_PATH];
  struct dirent **found = NULL;
  const char *kind = strchr(name, '/') + 1;
  scratch_join(trial, "frontier", folder);
  int count = scandir(folder, &found, NULL, alphasort), of_kind = 0;
  snprintf(chosen, SCRATCH_PATH, "%s1", name);
  for (int i = 0; i < count; ++i)
    if (strncmp(found[i]->d_name, kind, strlen(kind)) == 0 && dice_throw((uint64_t)++of_kind) == 0)
      snprintf(chosen, SCRATCH_PATH, "frontier/%s", found[i]->d_name);
  for (int i = 0; i < count; ++i)
    free(found[i]);
  free(found);
  return chosen;
}

static void change_one(void)
{
  char path[SCRATCH_PATH], chosen[SCRATCH_PATH];
  const char *name = names[dice_throw(2) ? 0 : dice_throw(FILES)];
  bytes b = {NULL, 0};
  if (name[strlen(name) - 1] == '.')
    name = choose_file(name, chosen);
  struct stat info;
  if (dice_throw(8) == 0) {
    put_foreign(name);
    return;
  }
  scratch_join(trial, name, path);
  bool is_file = lstat(path, &info) == 0 && S_ISREG(info.st_mode);
  b.at = is_file ? (uint8_t *)scratch_read(path, &b.size) : NULL;
  if (b.at && b.size) {
    change_bytes(&b);
    scratch_write(path, b.at, b.size);
  }
  free(b.at);
}

static void mutate(uint64_t state)
{
  dice_state = state;
  copy_crawl(bases[dice_throw(BASES)], trial);
  for (uint64_t n = 1 + dice_throw(CHANGES_MAX); n; --n)
    change_one();
}

/* ---- users ------------------------------------------------------------------------------------------------ */

static bool look(void *context, const frontier_record *record)
{
  size_t *sum = context;
  for (size_t i = 0; i < record->url_size; ++i)
    *sum += (size_t)record->url[i];
  return true;
}

static void write_to(frontier *f)
{
  frontier_lease leases[8];
  size_t count = 0;
  int64_t wait_ms;
  frontier_verdict verdict;
  url *u = malloc(sizeof *u);
  for (uint64_t now_ms = 0; now_ms < 40; ++now_ms) {
    if (frontier_next(f, now_ms * 1000, leases, 8, &count, &wait_ms) != FRONTIER_OK)
      break;
    for (size_t i = 0; i < count; ++i)
      frontier_done(f, leases[i].id, FRONTIER_DONE, 200, "x", 1, now_ms * 1000);
    char text[64];
    int size = snprintf(text, sizeof text, "http://new%u.test/%u", (unsigned)now_ms % 3, (unsigned)now_ms);
    if (u && url_parse(text, (size_t)size, URL_STRICT, u) == URL_OK)
      frontier_add(f, u, (frontier_origin){0}, now_ms * 1000, &verdict);
    if (now_ms % 8 == 0 && frontier_sync(f) != FRONTIER_OK)
      break;
  }
  free(u);
}

static int use_library(const char *directory, bool read_only)
{
  char message[FRONTIER_MESSAGE_SIZE] = "", copy[SCRATCH_PATH];
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 1,
                              .rate = 1e-6,
                              .per_host = 1,
                              .depth_cap = UINT16_MAX,
                              .read_only = read_only,
                              .keep_identity = true};
  frontier *f = NULL;
  frontier_stats stats;
  size_t sum = 0;
  if (frontier_open(directory, &options, &f, message) != FRONTIER_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  frontier_stats_read(f, &stats);
  frontier_each(f, look, &sum);
  if (!read_only)
    write_to(f);
  scratch_join(root, "copy", copy);
  frontier_snapshot(f, copy, NULL, message);
  scratch_remove(copy);
  frontier_close(f);
  return 0;
}

typedef enum user { READER = -2, WRITER = -1 } user;

/* %D: the crawl; %N: a new one. */
static const char *const commands[] = {
  "stat %D --traps",
  "stat %D --json",
  "seen %D http://h0.test/a http://h1.test/b",
  "export %D --format jsonl",
  "export %D --state queued",
  "report %D",
  "check %D",
  "inlinks %D",
  "show %D http://h0.test/a",
  "like %D http://h0.test/a",
  "check %D --repair",
  "crawl --dir %D --max-pages 1 --quiet --delay 0 --tries 1",
  "forget %D http://h0.test/a",
  "compact %D",
  "merge %D -o %N",
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void run_command(const char *command)
{
  char text[4 * SCRATCH_PATH], fresh[SCRATCH_PATH], *words[WORDS + 2] = {text, NULL};
  size_t at = 0, count = 0;
  scratch_join(root, "new", fresh);
  for (const char *c = command; *c; ++c) {
    const char *with = c[0] != '%' ? NULL : c[1] == 'D' ? trial : fresh;
    at += (size_t)(with ? snprintf(text + at, sizeof text - at, "%s", with) : snprintf(text + at, 2, "%c", *c));
    c += with != NULL;
  }
  words[count++] = strdup("strata");
  for (char *word = strtok(text, " "); word && count < WORDS; word = strtok(NULL, " "))
    words[count++] = word;
  words[count] = NULL;
  execv(strata, words);
  _exit(127);
}

static pid_t start(int who, int said)
{
  pid_t child = fork();
  if (child)
    return child;
  int quiet = open("/dev/null", O_RDWR);
  dup2(quiet, 0);
  dup2(quiet, 1);
  dup2(said, 2);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (who >= 0)
    run_command(commands[who]);
  char inside[SCRATCH_PATH];
  scratch_join(trial, "frontier", inside);
  _exit(use_library(inside, who == READER));
}

/* Ended, or killed for being too slow (false). */
static bool wait_for(pid_t child, int *status)
{
  for (int i = 0; i < SECONDS * 1000; ++i) {
    pid_t ended = waitpid(child, status, WNOHANG);
    if (ended == child)
      return true;
    usleep(i < 200 ? 200 : 1000);
  }
  kill(child, SIGKILL);
  waitpid(child, status, 0);
  return false;
}

/* One sentence, and none of LMDB's or the C library's own. */
static bool is_said_well(const char *text)
{
  const char *end = strchr(text, '\n');
  return strlen(text) > 10 && end && end[1] == '\0' && !strstr(text, "Assertion") && !strstr(text, "mdb.c:");
}

static bool use(int who, verdicts *sum, uint64_t seed)
{
  char path[SCRATCH_PATH], fresh[SCRATCH_PATH];
  size_t size = 0;
  int status = 0;
  scratch_join(root, "said", path);
  int said = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool has_ended = wait_for(start(who, said), &status);
  close(said);
  scratch_join(root, "new", fresh);
  scratch_remove(fresh);
  char *text = scratch_read(path, &size);
  bool has_failed = has_ended && WIFEXITED(status) && WEXITSTATUS(status) != 0;
  bool is_wordless = has_failed && (WEXITSTATUS(status) > 3 || !text || !is_said_well(text));
  bool is_signal = has_ended && !WIFEXITED(status);
  ++sum->runs;
  sum->failed_in_words += has_failed && !is_wordless;
  sum->signals += is_signal;
  sum->hangs += !has_ended;
  sum->wordless += is_wordless;
  if (is_signal || !has_ended || is_wordless)
    printf("mutation %llu, %s: %s %d: %s\n", (unsigned long long)seed,
           who >= 0        ? commands[who]
           : who == READER ? "library, reading"
                           : "library, writing",
           is_signal   ? "signal"
           : has_ended ? "exit"
                       : "HANGS",
           is_signal ? WTERMSIG(status) : WEXITSTATUS(status), text ? text : "");
  free(text);
  return !(is_signal || !has_ended || is_wordless);
}

int main(int argc, char **argv)
{
  verdicts sum = {0};
  if (argc < 3) {
    fprintf(stderr, "usage: hostile_directory STRATA MUTATIONS [all]\n");
    return 2;
  }
  strata = argv[1];
  unsigned long mutations = strtoul(argv[2], NULL, 10);
  bool is_all = argc > 3;
  setvbuf(stdout, NULL, _IOLBF, 0);
  dice_begin(16);
  uint64_t seed = dice_state;
  prepare();
  for (unsigned long i = 0; i < mutations; ++i) {
    bool is_first = true;
    for (int n = 0; n < (is_all ? COMMANDS + 2 : USERS_DRAWN); ++n) {
      uint64_t state = (seed << 32) + i;
      if (is_first) /* the one before changed something */
        mutate(state);
      is_first = false;
      dice_state = state + (uint64_t)n * 77777;
      int who = is_all ? n - 2 : (int)dice_throw(COMMANDS + 2) - 2;
      use(who, &sum, i);
      is_first = who == WRITER || who >= 10 || who == 6;
    }
  }
  scratch_remove(root);
  printf("%lu mutations, %u runs: %u failed in one sentence, %u signals, %u hangs, %u without a sentence\n", mutations,
         sum.runs, sum.failed_in_words, sum.signals, sum.hangs, sum.wordless);
  return sum.signals || sum.hangs || sum.wordless || sum.runs == 0;
}
