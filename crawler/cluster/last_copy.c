/* See last_copy.h. One line: milliseconds, a space, the path. */
#include "crawler/cluster/last_copy.h"

#include "frontier/base/own_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 4096 + 32 };

bool last_copy_write(const char *directory, const last_copy *copy)
{
  char path[NAME_SIZE], fresh[NAME_SIZE + 8];
  snprintf(path, sizeof path, "%s/" LAST_COPY_NAME, directory);
  snprintf(fresh, sizeof fresh, "%s.new", path);
  FILE *file = own_file_stream(fresh, "w", 0666);
  if (!file)
    return false;
  bool is_written = fprintf(file, "%" PRIu64 " %s\n", copy->at_ms, copy->path) > 0;
  is_written = fclose(file) == 0 && is_written;
  return is_written && rename(fresh, path) == 0;
}

bool last_copy_read(const char *directory, last_copy *copy)
{
  char path[NAME_SIZE], line[NAME_SIZE], *end;
  snprintf(path, sizeof path, "%s/" LAST_COPY_NAME, directory);
  FILE *file = own_file_stream(path, "r", 0);
  if (!file)
    return false;
  size_t size = fread(line, 1, sizeof line - 1, file);
  (void)fclose(file);
  line[size] = '\0';
  copy->at_ms = strtoull(line, &end, 10);
  if (!copy->at_ms || *end != ' ' || !size || line[size - 1] != '\n')
    return false;
  line[size - 1] = '\0';
  snprintf(copy->path, sizeof copy->path, "%s", end + 1);
  return *copy->path == '/';
}
