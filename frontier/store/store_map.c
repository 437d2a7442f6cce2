/* The map: the address space that LMDB's file is mapped in, which limits the size of the file.
 *
 * Without a limit on address space the map has 1 TiB and never changes. Under a limit (ulimit -v) the rest of the
 * program needs some as well. So the map begins with half of what is free, or less, and is made larger before a
 * transaction that might not find room in it, as long as SPARE bytes stay free for the program. The limit is read each
 * time, as it can be raised while the program runs (prlimit --as). The same holds where the caller says how large the
 * map is at first.
 *
 * mdb_env_set_mapsize unmaps first, and leaves no map if the address space is short, so the environment is opened again
 * instead. A reader does the same when LMDB reports that the file has outgrown its map.
 *
 * Always: opening again leaves s->env with our tables in it, or NULL. While a transaction reads from the map
 * (s->readings), the map stays: opening again gives EBUSY, and store_make_room does nothing. Called by store.c and
 * store_open.c alone. A map is address space and no part of the file, so a crash leaves nothing to mend. */
#include "frontier/store/store_inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t MIB = (size_t)1 << 20;
#define MAP_LEAST (64 * MIB)
#define SPARE (64 * MIB)
#define AHEAD (32 * MIB) /* the largest batch writes some 25: open_batch.h, late.h */
#if defined(__SANITIZE_THREAD__)
#define MAP_MOST (65536 * MIB)
#else
#define MAP_MOST (1048576 * MIB)
#endif

static bool has_address_space(size_t size)
{
  void *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at != MAP_FAILED && munmap(at, size) == 0;
}

static int open_with(MDB_env **env, const char *directory, unsigned flags, size_t map)
{
  int error = mdb_env_create(env);
  if (error)
    return error;
  mdb_env_set_mapsize(*env, map); /* or as large as the file, if that is larger */
  mdb_env_set_assert(*env, store_guard_assertion);
  mdb_env_set_maxdbs(*env, STORE_TABLES + 2);
  error = mdb_env_open(*env, directory, flags, 0600);
  if (!error)
    return 0;
  mdb_env_close(*env);
  *env = NULL;
  return error;
}

static unsigned flags_of(const store *s)
{
  return MDB_NOTLS | (s->is_read_only ? MDB_RDONLY : 0) | (s->is_still ? MDB_NOLOCK : 0);
}

/* A reader's map must be ahead of the file, too, or it would be made again after each commit of the writer. */
static size_t first_map(const store *s)
{
  struct stat file;
  char path[4096];
  size_t page = (size_t)sysconf(_SC_PAGESIZE), map = s->map_first ? (s->map_first + page - 1) / page * page : MAP_MOST;
  if (snprintf(path, sizeof path, "%s/data.mdb", s->directory) < (int)sizeof path && stat(path, &file) == 0)
    while (map < MAP_MOST && map < (size_t)file.st_size + AHEAD)
      map *= 2;
  return map;
}

int store_map(store *s)
{
  size_t map = first_map(s);
  while (map > MAP_LEAST && !has_address_space(2 * map))
    map /= 2;
  return open_with(&s->env, s->directory, flags_of(s), map);
}

/* ---- once more, and larger -------------------------------------------------------------------------------- */

/* With a map of so many bytes; 0: as at first. */
static int reopen(store *s, size_t map)
{
  if (s->readings)
    return EBUSY; /* they look into the map */
  if (s->env)
    mdb_env_close(s->env);
  s->env = NULL;
  int error = map ? open_with(&s->env, s->directory, flags_of(s), map) : store_map(s);
  if (!error)
    error = store_adopt(s, s->is_read_only, NULL, 0);
  if (error && s->env) {
    mdb_env_close(s->env);
    s->env = NULL;
  }
  return error;
}

int store_reopen(store *s)
{
  MDB_envinfo info = {0};
  if (s->env)
    mdb_env_info(s->env, &info);
  int error = reopen(s, info.me_mapsize);
  return error == ENOMEM ? reopen(s, 0) : error;
}

int store_follow(store *s)
{
  return reopen(s, 0);
}

/* Twice as large, or what else there is room for; as it was, if another thread was quicker. */
static int enlarge(store *s, size_t map)
{
  size_t more = map;
  while (more >= map / 8 && !has_address_space(more + SPARE))
    more /= 2;
  if (more < map / 8)
    return 0;
  int error = reopen(s, map + more);
  return error == ENOMEM ? reopen(s, map) : error;
}

int store_make_room(store *s)
{
  MDB_envinfo info;
  MDB_stat stat;
  if (s->readings || mdb_env_info(s->env, &info) != 0 || mdb_env_stat(s->env, &stat) != 0)
    return 0;
  size_t used = (info.me_last_pgno + 1) * stat.ms_psize;
  size_t wanted = used + AHEAD + 2 * s->sealed.weight;
  return s->landing.error == MDB_MAP_FULL || wanted > info.me_mapsize ? enlarge(s, info.me_mapsize) : 0;
}

/* LMDB does not write pages at the end that were taken and given back within one transaction. A file that is shorter
 * than its roots say looks like one that was cut, and would be read through at the next opening. */
void store_keep_length(const store *s)
{
  MDB_envinfo info;
  MDB_stat stat;
  struct stat file;
  int fd;
  if (mdb_env_info(s->env, &info) != 0 || mdb_env_stat(s->env, &stat) != 0 || mdb_env_get_fd(s->env, &fd) != 0)
    return;
  off_t used = (off_t)((info.me_last_pgno + 1) * stat.ms_psize);
  if (fstat(fd, &file) == 0 && file.st_size < used && ftruncate(fd, used) != 0)
    return; /* then it is read through */
}

/* ---- in words ----------------------------------------------------------------------------------------------- */

static bool is_limited(unsigned long long *mib)
{
  struct rlimit limit;
  bool is_so = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  *mib = is_so ? limit.rlim_cur / MIB : 0;
  return is_so;
}

const char *store_words(MDB_env *env, int error, char words[STORE_WORDS])
{
  MDB_envinfo info = {0};
  unsigned long long limit;
  bool has_limit = is_limited(&limit);
  if (env)
    mdb_env_info(env, &info);
  if (error == MDB_MAP_FULL)
    snprintf(words, STORE_WORDS, "its map of %zu MiB is full", info.me_mapsize / MIB);
  else /* LMDB's words are for those who know it */
    snprintf(words, STORE_WORDS, "%s",
             error == MDB_PANIC ? "the disk failed while a commit was written" : mdb_strerror(error));
  size_t end = strlen(words);
  if (has_limit && (error == MDB_MAP_FULL || error == ENOMEM))
    snprintf(words + end, STORE_WORDS - end,
             ", and address space is limited to %llu MiB (ulimit -v; prlimit --as raises it for a program that runs)",
             limit);
  return words;
}
