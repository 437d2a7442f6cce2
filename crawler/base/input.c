/* Reads a file whole; pipes have no size to ask for. */
#include "crawler/base/input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/base/message.h"

/* Reads on until the end, `size_max` or an error; false if memory is short. */
static bool read_all(FILE *file, size_t size_max, char **bytes, size_t *size)
{
  size_t capacity = 0;
  for (size_t got = 1; got > 0 && *size < size_max; *size += got) {
    if (*size == capacity) {
      capacity = 2 * capacity + 65536;
      char *larger = realloc(*bytes, capacity);
      if (!larger)
        return false;
      *bytes = larger;
    }
    size_t room = capacity < size_max ? capacity - *size : size_max - *size;
    got = fread(*bytes + *size, 1, room, file);
  }
  return true;
}

char *input_read(const char *command, const char *name, size_t size_max, size_t *size)
{
  char *bytes = NULL;
  *size = 0;
  FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
  if (!file || !read_all(file, size_max, &bytes, size) || ferror(file)) {
    say_error(command, "%s: %s", name, strerror(errno));
    free(bytes);
    bytes = NULL;
  }
  if (file && file != stdin)
    fclose(file);
  return bytes;
}
