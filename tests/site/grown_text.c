/* Bytes that grow at the end. */
#include "tests/site/grown_text.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for `more` bytes and the NUL behind them. */
static void text_reserve(text *t, size_t more)
{
  if (t->size + more < t->room)
    return;
  size_t room = t->room ? t->room : 256;
  while (room <= t->size + more)
    room *= 2;
  char *bytes = realloc(t->bytes, room);
  if (!bytes) {
    fputs("tests/site: out of memory\n", stderr);
    abort();
  }
  t->bytes = bytes;
  t->room = room;
}

void text_free(text *t)
{
  free(t->bytes);
  *t = (text){0};
}

void text_clear(text *t)
{
  t->size = 0;
  if (t->bytes)
    t->bytes[0] = '\0';
}

void text_add_bytes(text *t, const void *bytes, size_t size)
{
  text_reserve(t, size);
  if (size)
    memcpy(t->bytes + t->size, bytes, size);
  t->size += size;
  t->bytes[t->size] = '\0';
}

void text_add(text *t, const char *string)
{
  text_add_bytes(t, string, strlen(string));
}

void text_add_byte(text *t, char byte)
{
  text_add_bytes(t, &byte, 1);
}

void text_addf(text *t, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (size < 0)
    abort(); /* a wrong format is a bug in a test */
  text_reserve(t, (size_t)size);
  va_start(arguments, format);
  vsnprintf(t->bytes + t->size, (size_t)size + 1, format, arguments);
  va_end(arguments);
  t->size += (size_t)size;
}

bool text_add_file(text *t, const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t got;
  do {
    enum { PIECE = 65536 };
    text_reserve(t, PIECE);
    got = read(fd, t->bytes + t->size, PIECE);
    if (got > 0)
      t->size += (size_t)got;
  } while (got > 0);
  t->bytes[t->size] = '\0';
  close(fd);
  return got == 0;
}
