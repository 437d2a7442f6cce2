/* See shell_word.h. */
#include "crawler/commands/shell_word.h"

#include "crawler/base/shown.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void shell_word_print(const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+";
  if (*word && strspn(word, plain) == strlen(word)) {
    fprintf(stderr, " %s", word);
    return;
  }
  bool is_odd = shown_differs(word); /* $'\x1B': as bash and zsh read it */
  fputs(is_odd ? " $'" : " '", stderr);
  for (size_t size; *word; word += size) {
    size = strcspn(word, "'\\");
    shown_put_bytes(stderr, word, size);
    if (size)
      continue;
    fputs(is_odd ? "\\" : *word == '\'' ? "'\\'" : "", stderr);
    putc(*word, stderr);
    size = 1;
  }
  putc('\'', stderr);
}
