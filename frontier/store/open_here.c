/* See open_here.h. The list is global, since what it guards against is: two handles that do not know of each other.
 *
 * Always: a directory is in it from before LMDB opens it until after LMDB has closed it; one that LMDB cannot close any
 * more (store_guard.c) stays. After a fork the child has a copy of the list; what its parent has open is not open in
 * the child, so each directory is listed with its process. */
#include "frontier/store/open_here.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct open_here {
  open_here *next;
  dev_t device;
  ino_t inode;
  pid_t process;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static open_here *first;

static bool is_listed(const struct stat *directory)
{
  const open_here *o = first;
  while (o && !(o->process == getpid() && o->device == directory->st_dev && o->inode == directory->st_ino))
    o = o->next;
  return o;
}

frontier_status open_here_add(const char *directory, open_here **o)
{
  struct stat info;
  *o = NULL;
  if (stat(directory, &info) != 0)
    return FRONTIER_OK;
  pthread_mutex_lock(&mutex);
  frontier_status status = is_listed(&info) ? FRONTIER_BUSY : FRONTIER_OK;
  if (status == FRONTIER_OK && !(*o = malloc(sizeof **o)))
    status = FRONTIER_NO_MEMORY;
  if (status == FRONTIER_OK) {
    **o = (open_here){.next = first, .device = info.st_dev, .inode = info.st_ino, .process = getpid()};
    first = *o;
  }
  pthread_mutex_unlock(&mutex);
  return status;
}

void open_here_remove(open_here *o)
{
  if (!o)
    return;
  pthread_mutex_lock(&mutex);
  open_here **at = &first;
  while (*at != o)
    at = &(*at)->next;
  *at = o->next;
  pthread_mutex_unlock(&mutex);
  free(o);
}

bool open_here_has(const char *directory)
{
  struct stat info;
  if (stat(directory, &info) != 0)
    return false;
  pthread_mutex_lock(&mutex);
  bool has = is_listed(&info);
  pthread_mutex_unlock(&mutex);
  return has;
}
