#include "crawler/commands/bad_lines.h"

#include "crawler/base/message.h"

#include <inttypes.h>

void say_bad_lines(const char *command, const char *path, const dataset_bad *bad)
{
  for (uint64_t i = 0; i < bad->count && i < DATASET_BAD_SHOWN; i++)
    say_error(command, "%s: line %" PRIu64 " %s", path, bad->first[i].line, dataset_fault_text(bad->first[i].fault));
  if (bad->count > DATASET_BAD_SHOWN)
    say_error(command, "%s: %" PRIu64 " bad lines in all", path, bad->count);
}
