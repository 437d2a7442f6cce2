/* Prints the keys of the URLs on standard input, a line each, for surt_compare.py. */
#include "crawler/warc/surt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    line[strcspn(line, "\n")] = '\0';
    char *key = surt_key(line);
    puts(key ? key : "");
    free(key);
  }
  free(line);
  return 0;
}
