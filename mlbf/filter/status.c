/* The words for statuses and kinds: one table each, used by every message and every file name.
 *
 * Always: each status and each kind has its words, and no two kinds the same: a name leads back to its kind.
 *
 * Called by whoever writes a message about mlbf/, and where a kind is named in an option or a summary. */
#include "mlbf/filter.h"

#include <string.h>

static const char *const status_texts[] = {
  [MLBF_OK] = "fine",
  [MLBF_FULL] = "the filter has passed its design load",
  [MLBF_BAD_ARGUMENT] = "these sizes make no filter",
  [MLBF_NO_MEMORY] = "out of memory",
  [MLBF_IO] = "reading or writing the file failed",
  [MLBF_NOT_A_FILTER] = "not a filter file",
  [MLBF_VERSION] = "a filter file of another format version",
  [MLBF_DAMAGED] = "a damaged filter file",
  [MLBF_MISMATCH] = "filters of different geometry, secret or profile",
  [MLBF_SECRET] = "this needs the secret that it was made with",
};

static const char *const kind_names[] = {
  [MLBF_KIND_BLOOM] = "bloom",
  [MLBF_KIND_MLBF] = "mlbf",
  [MLBF_KIND_LINE] = "line",
};

enum { STATUSES = sizeof status_texts / sizeof *status_texts, KINDS = sizeof kind_names / sizeof *kind_names };

const char *mlbf_status_text(mlbf_status status)
{
  return (unsigned)status < STATUSES ? status_texts[status] : "unknown status";
}

const char *mlbf_kind_name(mlbf_kind kind)
{
  return (unsigned)kind < KINDS ? kind_names[kind] : NULL;
}

bool mlbf_kind_from_name(const char *name, mlbf_kind *kind)
{
  for (unsigned i = 1; i < KINDS; i++)
    if (kind_names[i] && strcmp(name, kind_names[i]) == 0) {
      *kind = (mlbf_kind)i;
      return true;
    }
  return false;
}

int mlbf_abi(void)
{
  return MLBF_ABI;
}
