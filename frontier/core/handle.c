/* The handle: create, free; and the library's version. */
#include "frontier/core/state.h"

#include <stdlib.h>
#include <string.h>

int frontier_abi(void)
{
  return FRONTIER_ABI;
}

const char *frontier_version(void)
{
  return STRATA_VERSION;
}

/* ---- its life ------------------------------------------------------------------------------------------- */

/* Recursive: lock.h. */
static pthread_mutex_t *mutex_create(void)
{
  pthread_mutexattr_t attributes;
  pthread_mutex_t *mutex = malloc(sizeof(pthread_mutex_t));
  if (!mutex || pthread_mutexattr_init(&attributes) != 0) {
    free(mutex);
    return NULL;
  }
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  bool made = pthread_mutex_init(mutex, &attributes) == 0;
  pthread_mutexattr_destroy(&attributes);
  if (!made) {
    free(mutex);
    return NULL;
  }
  return mutex;
}

/* The caller's strings may go. `options` points to the copies from here on. */
static bool strings_copy(frontier *f)
{
  const char **const kept[] = {&f->options.journal_path, &f->options.previous_path};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (*kept[i] && !(*kept[i] = f->strings[i] = strdup(*kept[i])))
      return false;
  return true;
}

frontier *handle_create(const char *directory, const frontier_options *options)
{
  frontier *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->number = message_number();
  f->options = *options;
  directory_lock_begin(&f->lock);
  counts_begin(&f->counts);
  f->mutex = mutex_create();
  f->hosts = f->mutex && identity_begin(f) && secret_begin(f)
               ? hosts_create(options->delay_ms, options->per_host, secret_hasher(f))
               : NULL;
  f->directory = f->hosts && directory ? strdup(directory) : NULL;
  if (f->hosts && (f->directory || !directory) && strings_copy(f))
    return f;
  handle_free(f);
  return NULL;
}

void handle_free(frontier *f)
{
  for (const part *const *p = all_parts; *p; p++)
    if ((*p)->close)
      (*p)->close(f);
  entry_pool_free(&f->pool);
  previous_close(f->previous);
  if (f->mutex)
    pthread_mutex_destroy(f->mutex);
  free(f->mutex);
  free(f->directory);
  free(f->strings[0]);
  free(f->strings[1]);
  free(f);
}

#ifndef NDEBUG
void assert_frontier(const frontier *f)
{
  for (const part *const *p = all_parts; *p; p++)
    if ((*p)->check)
      (*p)->check(f);
}
#endif
