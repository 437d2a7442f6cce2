/* Any bytes as a URL list: every line is accounted for, and what is handed out keeps truth_reader.h's word. Bytes that
 * begin like gzip, zstd or xz may be damaged, and their lines are known to the reader alone. */
#include "datasets/read/reader.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t count_lines(const uint8_t *data, size_t size)
{
  uint64_t lines = size > 0 && data[size - 1] != '\n'; /* a last one without its LF */
  for (size_t i = 0; i < size; i++)
    lines += data[i] == '\n';
  return lines;
}

static void check(int holds)
{
  if (!holds)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  int file = memfd_create("list", 0);
  check(file >= 0 && write(file, data, size) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0);
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  dataset_reader *reader = dataset_open(path);
  check(reader != NULL);

  uint64_t last = 0, handed_out = 0;
  const char *line;
  size_t length;
  dataset_status status;
  while ((status = dataset_next(reader, &line, &length)) == DATASET_OK) {
    check(length > 0 && length <= DATASET_LINE_MAX);
    check(memchr(line, '\0', length) == NULL && memchr(line, '\n', length) == NULL);
    check(dataset_line_number(reader) > last);
    last = dataset_line_number(reader);
    handed_out++;
  }
  bool is_compressed = size > 0 && strcmp(dataset_compression(reader), "none") != 0;
  check(status == DATASET_END || (is_compressed && status == DATASET_DAMAGED));
  check(is_compressed || dataset_line_number(reader) == count_lines(data, size));
  check(handed_out + dataset_bad_lines(reader)->count <= dataset_line_number(reader)); /* the others are empty */

  dataset_close(reader);
  close(file);
  return 0;
}
