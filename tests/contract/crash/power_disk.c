/* See power_disk.h. A file is its synced bytes and what it was told since; a directory tree likewise. */
#include "tests/contract/crash/power_disk.h"

#include "tests/support/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 1024, NAMES = 128, PENDING = 1024, FDS = 256, A_DIRECTORY = -1, FOREIGN = -2 };

typedef struct bytes {
  uint8_t *at;
  size_t size;
} bytes;

typedef struct change {
  bool is_cut;     /* to `at`; else `data` at `at` */
  bool is_written; /* for good (O_DSYNC), with all that its sectors were told before */
  uint64_t at;
  bytes data;
} change;

typedef struct inode {
  bytes synced;
  change *changes;
  size_t count, room;
  bool is_lied_about;
} inode;

typedef struct name {
  char path[SCRATCH_PATH]; /* below the root */
  int file;
} name;

typedef struct names {
  name list[NAMES];
  size_t count;
} names;

/* A change of names. */
typedef struct naming {
  char from[SCRATCH_PATH], to[SCRATCH_PATH]; /* both: renamed; from alone: removed; to alone: made */
  int file;
} naming;

struct disk {
  char root[SCRATCH_PATH];
  const char *lie;
  inode files[FILES];
  size_t file_count;
  names synced;
  naming pending[PENDING];
  size_t pending_count;
  struct {
    int file;
    char path[SCRATCH_PATH];
  } fds[FDS];
};

static void *must(void *memory)
{
  if (!memory)
    abort();
  return memory;
}

static uint64_t roll(uint64_t *dice, uint64_t sides)
{
  *dice = *dice * 6364136223846793005u + 1442695040888963407u;
  return (*dice >> 33) % sides;
}

static void resize(bytes *b, size_t size)
{
  if (size > b->size) {
    b->at = must(realloc(b->at, size));
    memset(b->at + b->size, 0, size - b->size);
  }
  b->size = size;
}

static void put(bytes *b, uint64_t at, const uint8_t *data, size_t size)
{
  if (at + size > b->size)
    resize(b, (size_t)at + size);
  if (size)
    memcpy(b->at + at, data, size);
}

static bytes copy_of(const bytes *b)
{
  bytes copy = {0};
  put(&copy, 0, b->at, b->size);
  return copy;
}

/* ---- files ------------------------------------------------------------------------------------------------ */

static void told(inode *f, change c)
{
  if (f->count == f->room) {
    f->room = f->room ? 2 * f->room : 16;
    f->changes = must(realloc(f->changes, f->room * sizeof *f->changes));
  }
  f->changes[f->count++] = c;
}

static void forget_changes(inode *f)
{
  for (size_t i = 0; i < f->count; i++)
    free(f->changes[i].data.at);
  f->count = 0;
}

static bytes newest(const inode *f)
{
  bytes b = copy_of(&f->synced);
  for (const change *c = f->changes; c < f->changes + f->count; c++)
    if (c->is_cut)
      resize(&b, (size_t)c->at);
    else
      put(&b, c->at, c->data.at, c->data.size);
  return b;
}

static void sync_file(inode *f)
{
  if (f->is_lied_about)
    return;
  bytes b = newest(f);
  free(f->synced.at);
  f->synced = b;
  forget_changes(f);
}

/* ---- what is left of a file ------------------------------------------------------------------------------- */

typedef struct loss {
  enum { KEEPS_NONE, KEEPS_ALL, KEEPS_LAST, KEEPS_SOME } what;
  uint64_t sector, salt; /* salt: so that a sector is asked twice and says the same */
  size_t cuts;           /* so many of the cuts are kept */
} loss;

static bool touches(const change *c, uint64_t sector, uint64_t size)
{
  return !c->is_cut && c->at < (sector + 1) * size && c->at + c->data.size > sector * size;
}

/* A sector keeps the first so many changes: what it was told later had the earlier ones in it. */
static size_t kept(const inode *f, const loss *l, uint64_t sector)
{
  uint64_t dice = l->salt ^ sector * 0x9e3779b97f4a7c15;
  size_t keeps = 0;
  roll(&dice, 2);
  switch (l->what) {
  case KEEPS_NONE: break;
  case KEEPS_ALL: keeps = f->count; break;
  case KEEPS_LAST: keeps = touches(&f->changes[f->count - 1], sector, l->sector) ? f->count : 0; break;
  case KEEPS_SOME: keeps = roll(&dice, 2) ? f->count : (size_t)roll(&dice, f->count + 1); break;
  }
  for (size_t i = f->count; i > keeps; i--)
    if (f->changes[i - 1].is_written && touches(&f->changes[i - 1], sector, l->sector))
      return i;
  return keeps;
}

static void put_kept_sectors(const inode *f, size_t i, const loss *l, bytes *b)
{
  const change *c = &f->changes[i];
  for (uint64_t at = c->at, end = c->at + c->data.size, next; at < end; at = next) {
    uint64_t sector = at / l->sector;
    next = (sector + 1) * l->sector < end ? (sector + 1) * l->sector : end;
    if (i < kept(f, l, sector))
      put(b, at, c->data.at + (at - c->at), (size_t)(next - at));
  }
}

/* The length is metadata, and may be ahead of the sectors, zeros in their place, or behind them. */
static void choose_length(const inode *f, bool is_fixed, uint64_t *dice, bytes *b)
{
  bytes all = newest(f);
  uint64_t choice = roll(dice, 3);
  if (choice == 0 && !is_fixed && b->size > f->synced.size)
    resize(b, f->synced.size);
  else if (choice == 1 && all.size > b->size)
    resize(b, all.size);
  free(all.at);
}

static bytes left_of(const inode *f, uint64_t *dice)
{
  loss l = {.what = (int)roll(dice, 6),
            .sector = roll(dice, 2) ? 512 : 4096,
            .salt = roll(dice, UINT32_MAX),
            .cuts = roll(dice, 4)};
  bytes b = copy_of(&f->synced);
  if (!f->count || f->is_lied_about)
    return b;
  if (l.what > KEEPS_SOME)
    l.what = KEEPS_SOME;
  bool is_fixed = false;
  size_t cuts = 0;
  for (size_t i = 0; i < f->count; i++) {
    const change *c = &f->changes[i];
    bool is_kept_cut = c->is_cut && cuts++ < l.cuts;
    is_fixed |= c->is_written || is_kept_cut;
    if (is_kept_cut)
      resize(&b, (size_t)c->at);
    else if (!c->is_cut)
      put_kept_sectors(f, i, &l, &b);
  }
  choose_length(f, is_fixed, dice, &b);
  return b;
}

/* ---- names ------------------------------------------------------------------------------------------------ */

static int find(const names *n, const char *path)
{
  for (size_t i = 0; i < n->count; i++)
    if (strcmp(n->list[i].path, path) == 0)
      return (int)i;
  return -1;
}

static void give(names *n, const char *path, int file)
{
  int at = find(n, path);
  if (at < 0 && n->count == NAMES)
    abort();
  name *slot = &n->list[at < 0 ? n->count++ : (size_t)at];
  snprintf(slot->path, sizeof slot->path, "%s", path);
  slot->file = file;
}

/* A name that was to be changed may be one that was not kept. */
static void apply(names *n, const naming *c)
{
  int at = *c->from ? find(n, c->from) : -1;
  int file = at < 0 ? c->file : n->list[at].file;
  if (at >= 0)
    n->list[at] = n->list[--n->count];
  if (*c->to)
    give(n, c->to, file);
}

static names *names_after(const disk *d, size_t pending)
{
  names *n = must(malloc(sizeof *n));
  *n = d->synced;
  for (size_t i = 0; i < pending; i++)
    apply(n, &d->pending[i]);
  return n;
}

static int file_named(const disk *d, const char *path)
{
  names *n = names_after(d, d->pending_count);
  int at = find(n, path), file = at < 0 ? FOREIGN : n->list[at].file;
  free(n);
  return file;
}

static void change_name(disk *d, const char *from, const char *to, int file)
{
  if (d->pending_count == PENDING)
    abort();
  naming *c = &d->pending[d->pending_count++];
  *c = (naming){.file = file};
  snprintf(c->from, sizeof c->from, "%s", from);
  snprintf(c->to, sizeof c->to, "%s", to);
}

static bool is_in(const char *path, const char *directory)
{
  const char *slash = strrchr(path, '/');
  size_t size = slash ? (size_t)(slash - path) : 0;
  return strlen(directory) == size && memcmp(path, directory, size) == 0;
}

static void sync_names(disk *d, const char *directory)
{
  size_t left = 0;
  for (size_t i = 0; i < d->pending_count; i++)
    if (is_in(*d->pending[i].to ? d->pending[i].to : d->pending[i].from, directory))
      apply(&d->synced, &d->pending[i]);
    else
      d->pending[left++] = d->pending[i];
  d->pending_count = left;
}

/* ---- events ----------------------------------------------------------------------------------------------- */

/* The path below the root, "" for the root; NULL if it is not there. */
static const char *below(const disk *d, const char *path)
{
  size_t size = strlen(d->root);
  if (strncmp(path, d->root, size) != 0 || (path[size] && path[size] != '/'))
    return NULL;
  return path[size] ? path + size + 1 : path + size;
}

static int new_file(disk *d, const char *path)
{
  if (d->file_count == FILES)
    abort();
  const char *slash = strrchr(path, '/');
  d->files[d->file_count].is_lied_about = d->lie && strcmp(slash ? slash + 1 : path, d->lie) == 0;
  return (int)d->file_count++;
}

static void play_open(disk *d, int fd, int flags, const char *path)
{
  const char *inside = below(d, path);
  if (fd < 0 || fd >= FDS)
    abort();
  d->fds[fd].file = FOREIGN;
  if (!inside)
    return;
  int file = *inside ? file_named(d, inside) : A_DIRECTORY;
  if (file == FOREIGN && (flags & O_CREAT)) {
    file = new_file(d, inside);
    change_name(d, "", inside, file);
  } else if (file >= 0 && (flags & O_TRUNC))
    told(&d->files[file], (change){.is_cut = true});
  d->fds[fd].file = file;
  snprintf(d->fds[fd].path, sizeof d->fds[fd].path, "%s", inside);
}

static bool play_names(disk *d, const event *e, const uint8_t *data)
{
  const char *from = (const char *)data, *to = from + strlen(from) + 1;
  const char *inside = below(d, from);
  if (e->kind == EVENT_OPENED)
    play_open(d, e->fd, (int)e->at, from);
  else if (!inside)
    return false;
  else if (e->kind == EVENT_MADE)
    change_name(d, "", inside, A_DIRECTORY);
  else if (e->kind == EVENT_UNLINKED)
    change_name(d, inside, "", FOREIGN);
  else
    change_name(d, inside, below(d, to) ? below(d, to) : "", FOREIGN);
  return true;
}

static bool play_file(disk *d, const event *e, const uint8_t *data)
{
  int at = e->fd >= 0 && e->fd < FDS ? d->fds[e->fd].file : FOREIGN;
  if (at == A_DIRECTORY && e->kind == EVENT_SYNCED)
    sync_names(d, d->fds[e->fd].path);
  if (at < 0)
    return at == A_DIRECTORY;
  inode *f = &d->files[at];
  change c = {.is_cut = e->kind == EVENT_CUT, .at = e->at};
  if (e->kind == EVENT_SYNCED)
    sync_file(f);
  else if (e->kind == EVENT_WRITTEN)
    f->changes[f->count - 1].is_written = !f->is_lied_about;
  else {
    put(&c.data, 0, data, (size_t)e->size);
    told(f, c);
  }
  return true;
}

bool disk_play(disk *d, const event *e, const uint8_t *data)
{
  switch ((event_kind)e->kind) {
  case EVENT_OPENED:
  case EVENT_MADE:
  case EVENT_RENAMED:
  case EVENT_UNLINKED: return play_names(d, e, data);
  case EVENT_WRITE:
  case EVENT_CUT:
  case EVENT_SYNCED:
  case EVENT_WRITTEN: return play_file(d, e, data);
  }
  return false;
}

/* ---- the real directory ----------------------------------------------------------------------------------- */

static void load(disk *d, const char *inside)
{
  char directory[SCRATCH_PATH], path[SCRATCH_PATH], real[SCRATCH_PATH];
  scratch_join(d->root, inside, directory);
  DIR *list = must(opendir(directory));
  for (struct dirent *found; (found = readdir(list));) {
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
      continue;
    if (*inside)
      scratch_join(inside, found->d_name, path);
    else
      snprintf(path, sizeof path, "%s", found->d_name);
    scratch_join(d->root, path, real);
    struct stat info;
    if (stat(real, &info) == 0 && S_ISDIR(info.st_mode)) {
      give(&d->synced, path, A_DIRECTORY);
      load(d, path);
      continue;
    }
    int file = new_file(d, path);
    d->files[file].synced.at = must(scratch_read(real, &d->files[file].synced.size));
    give(&d->synced, path, file);
  }
  closedir(list);
}

disk *disk_open(const char *root, const char *lie)
{
  disk *d = must(calloc(1, sizeof *d));
  snprintf(d->root, sizeof d->root, "%s", root);
  d->lie = lie;
  for (size_t i = 0; i < FDS; i++)
    d->fds[i].file = FOREIGN;
  load(d, "");
  return d;
}

void disk_free(disk *d)
{
  if (!d)
    return;
  for (size_t i = 0; i < d->file_count; i++) {
    forget_changes(&d->files[i]);
    free(d->files[i].changes);
    free(d->files[i].synced.at);
  }
  free(d);
}

/* A directory comes before what is in it, or is not there: then neither is what is in it. */
static void make_directories(const names *n, const char *to)
{
  char path[SCRATCH_PATH];
  for (size_t i = 0; i < n->count; i++)
    if (n->list[i].file == A_DIRECTORY) {
      scratch_join(to, n->list[i].path, path);
      mkdir(path, 0777);
    }
}

static bool has_directory(const char *path)
{
  char directory[SCRATCH_PATH];
  snprintf(directory, sizeof directory, "%s", path);
  *strrchr(directory, '/') = '\0';
  return access(directory, F_OK) == 0;
}

void disk_lose_power(disk *d, uint64_t *dice, const char *to)
{
  names *n = names_after(d, roll(dice, 2) ? d->pending_count : (size_t)roll(dice, d->pending_count + 1));
  char path[SCRATCH_PATH];
  make_directories(n, to);
  for (size_t i = 0; i < n->count; i++) {
    scratch_join(to, n->list[i].path, path);
    if (n->list[i].file < 0 || !has_directory(path))
      continue;
    bytes left = left_of(&d->files[n->list[i].file], dice);
    scratch_write(path, left.at ? left.at : (const uint8_t *)"", left.size);
    free(left.at);
  }
  free(n);
}

static bool is_same(const disk *d, const name *n)
{
  char path[SCRATCH_PATH];
  size_t size = 0;
  if (n->file < 0 || strstr(n->path, "lock.mdb"))
    return true;
  scratch_join(d->root, n->path, path);
  char *real = scratch_read(path, &size);
  bytes ours = newest(&d->files[n->file]);
  bool same = real && size == ours.size && (size == 0 || memcmp(real, ours.at, size) == 0);
  size_t at = 0;
  while (real && at < size && at < ours.size && (uint8_t)real[at] == ours.at[at])
    at++;
  if (!same)
    fprintf(stderr, "%s is not as it was recorded: %zu bytes of %zu, from byte %zu\n", path, size, ours.size, at);
  free(real);
  free(ours.at);
  return same;
}

bool disk_agrees(const disk *d)
{
  names *n = names_after(d, d->pending_count);
  bool agrees = true;
  for (size_t i = 0; i < n->count; i++)
    agrees &= is_same(d, &n->list[i]);
  free(n);
  return agrees;
}
