#include "tests/support/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void give_up(const char *doing, const char *path)
{
  fprintf(stderr, "%s %s: %s\n", doing, path, strerror(errno));
  exit(1);
}

static void make_in(const char *base, char path[SCRATCH_PATH])
{
  snprintf(path, SCRATCH_PATH, "%s/strata-test-XXXXXX", base);
  if (!mkdtemp(path))
    give_up("making", path);
}

void scratch_make(char path[SCRATCH_PATH])
{
  const char *base = getenv("TMPDIR");
  make_in(base && *base ? base : "/tmp", path);
}

void scratch_make_fast(char path[SCRATCH_PATH])
{
  if (access("/dev/shm", W_OK) == 0)
    make_in("/dev/shm", path);
  else
    scratch_make(path);
}

void scratch_join(const char *directory, const char *name, char path[SCRATCH_PATH])
{
  if (snprintf(path, SCRATCH_PATH, "%s/%s", directory, name) >= SCRATCH_PATH) {
    errno = ENAMETOOLONG;
    give_up("joining", directory);
  }
}

void scratch_remove(const char *path)
{
  DIR *directory = opendir(path);
  for (struct dirent *found; directory && (found = readdir(directory));) {
    char inside[SCRATCH_PATH];
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
      continue;
    scratch_join(path, found->d_name, inside);
    if (unlink(inside) != 0)
      scratch_remove(inside);
  }
  if (directory) {
    closedir(directory);
    rmdir(path);
  }
}

char *scratch_read(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  struct stat info;
  if (fstat(fileno(file), &info) != 0)
    give_up("looking at", path);
  char *bytes = malloc((size_t)info.st_size + 1);
  if (!bytes)
    give_up("reading", path);
  *size = fread(bytes, 1, (size_t)info.st_size, file);
  bytes[*size] = '\0';
  fclose(file);
  return bytes;
}

void scratch_write(const char *path, const void *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
    give_up("writing", path);
}

void scratch_copy(const char *from, const char *to)
{
  DIR *directory = opendir(from);
  if (!directory)
    give_up("listing", from);
  for (struct dirent *found; (found = readdir(directory));) {
    char old[SCRATCH_PATH], new[SCRATCH_PATH];
    struct stat info;
    size_t size;
    scratch_join(from, found->d_name, old);
    scratch_join(to, found->d_name, new);
    if (stat(old, &info) != 0 || !S_ISREG(info.st_mode))
      continue;
    char *bytes = scratch_read(old, &size);
    if (!bytes)
      give_up("reading", old);
    scratch_write(new, bytes, size);
    free(bytes);
  }
  closedir(directory);
}
