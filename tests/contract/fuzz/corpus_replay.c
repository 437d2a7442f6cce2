/* Runs a fuzz target over all inputs of its corpus, in every ordinary run of the tests: each that ever found something
 * is among them. The corpus is a text, whose form pack.py tells. With a directory the inputs are written there as
 * files, for libFuzzer.
 *
 * Usage: replay_TARGET CORPUS [DIRECTORY] */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
  char name[256];
  uint8_t *data; /* as many bytes as there are, so that the sanitizer sees the first one read past them */
  size_t size;
} input;

static bool append(input *in, uint8_t byte, size_t count)
{
  uint8_t *data = realloc(in->data, in->size + count);
  if (!data)
    return false;
  memset(data + in->size, byte, count);
  in->data = data;
  in->size += count;
  return true;
}

/* The byte that begins at `*at`, and behind it `*at`; -1 if it is no byte. */
static int read_byte(const char **at)
{
  static const char letters[] = "\\nrt", bytes[] = "\\\n\r\t";
  const char *c = *at, *letter;
  unsigned byte;
  int length = 0;
  if (*c != '\\') {
    *at = c + 1;
    return (unsigned char)*c;
  }
  if (sscanf(c, "\\x%2x%n", &byte, &length) == 1 && length == 4) {
    *at = c + length;
    return (int)byte;
  }
  *at = c + 2;
  letter = c[1] ? strchr(letters, c[1]) : NULL;
  return letter ? bytes[letter - letters] : -1;
}

static bool append_line(input *in, const char *at)
{
  while (*at) {
    unsigned count = 1;
    int length = 0;
    if (sscanf(at, "\\{%u}%n", &count, &length) == 1)
      at += length;
    int byte = count && *at ? read_byte(&at) : -1;
    if (byte < 0 || !append(in, (uint8_t)byte, count))
      return false;
  }
  return true;
}

static bool write_file(const input *in, const char *directory)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, in->name);
  FILE *file = fopen(path, "wb");
  bool is_written = file && fwrite(in->data, 1, in->size, file) == in->size;
  return file && fclose(file) == 0 && is_written;
}

/* Uses what has been read, and makes room for the next one. */
static bool use(input *in, const char *directory)
{
  bool is_used = true;
  printf("%s\n", in->name);
  if (directory)
    is_used = write_file(in, directory);
  else
    LLVMFuzzerTestOneInput(in->data, in->size);
  free(in->data);
  *in = (input){.data = malloc(1)};
  return is_used && in->data;
}

static unsigned use_all(FILE *corpus, const char *directory)
{
  input in = {.data = malloc(1)};
  char *line = NULL;
  size_t room = 0;
  unsigned inputs = 0;
  bool is_well = in.data != NULL;
  for (ssize_t size; is_well && (size = getline(&line, &room, corpus)) > 0;) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == ' ' && inputs) {
      is_well = append_line(&in, line + 1);
      continue;
    }
    is_well = (!inputs++ || use(&in, directory)) && sscanf(line, "= %255s", in.name) == 1;
  }
  if (!is_well)
    fprintf(stderr, "input %u, %s: \"%s\" cannot be read, or the input not be written\n", inputs, in.name, line);
  is_well = is_well && inputs && use(&in, directory);
  free(in.data);
  free(line);
  return is_well ? inputs : 0;
}

int main(int argc, char **argv)
{
  FILE *corpus = argc == 2 || argc == 3 ? fopen(argv[1], "r") : NULL;
  if (!corpus) {
    fprintf(stderr, "usage: replay_TARGET CORPUS [DIRECTORY]\n");
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0); /* the last name is that of the input that a target died of */
  unsigned inputs = use_all(corpus, argv[2]);
  fclose(corpus);
  printf("%u inputs\n", inputs);
  return inputs == 0;
}
