/* A chain of slices in one file, slice after slice. FORMAT.md. */
#include "mlbf/growth.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "mlbf/file/disk_io.h"
#include "mlbf/file/file.h"
#include "mlbf/filter/growth_inside.h"

mlbf_status mlbf_chain_save(const mlbf_chain *chain, const char *path)
{
  const mlbf_filter *slices[MLBF_SLICES_MAX];
  assert_chain(chain);
  for (uint32_t i = 0; i < chain->count; i++)
    slices[i] = chain->slices[i];
  return mlbf_file_save(slices, chain->count, path);
}

/* Slices of one chain share what their hashes depend on. */
static bool is_slice_of(const mlbf_chain *chain, const mlbf_filter *slice)
{
  const mlbf_filter *first = chain->slices[0];
  return slice->plan.kind == first->plan.kind && mlbf_keying_equal(&slice->keying, &first->keying) &&
         slice->plan.signals == first->plan.signals;
}

static mlbf_status load_slices(int file, const uint8_t *secret, mlbf_chain *chain)
{
  uint64_t offset = 0;
  uint32_t count = 1;
  mlbf_status status = MLBF_OK;
  while (status == MLBF_OK && chain->count < count) {
    assert(chain->count < MLBF_SLICES_MAX); /* the header's check lets no more through */
    status = mlbf_file_load_slice(file, secret, &offset, chain->count, &count, &chain->slices[chain->count]);
    if (status == MLBF_OK && !is_slice_of(chain, chain->slices[chain->count++]))
      status = MLBF_MISMATCH;
  }
  return status;
}

mlbf_status mlbf_chain_load(const char *path, mlbf_chain **chain)
{
  return mlbf_chain_load_with(path, NULL, chain);
}

mlbf_status mlbf_chain_load_with(const char *path, const uint8_t *secret, mlbf_chain **chain)
{
  int file = mlbf_disk_open(path);
  if (file < 0)
    return MLBF_IO;
  mlbf_chain *loaded = calloc(1, sizeof *loaded);
  mlbf_status status = loaded ? load_slices(file, secret, loaded) : MLBF_NO_MEMORY;
  int why = errno;
  if (status == MLBF_OK)
    *chain = loaded;
  else
    mlbf_chain_free(loaded);
  close(file);
  errno = why;
  return status;
}
