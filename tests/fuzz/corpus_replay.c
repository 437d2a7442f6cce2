/* Runs a fuzz target over the files of its corpus directory: what the ordinary test run does with every
 * input that ever found something. Usage: replay_NAME DIRECTORY */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *directory, const char *name)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    return 1;
  }
  enum { INPUT_MAX = 1 << 20 };
  uint8_t *data = malloc(INPUT_MAX);
  size_t size = data ? fread(data, 1, INPUT_MAX, file) : 0;
  fclose(file);
  /* an exact-size copy, so that the sanitizer sees the first byte read past the end */
  uint8_t *exact = malloc(size ? size : 1);
  if (!data || !exact)
    return 1;
  for (size_t i = 0; i < size; i++)
    exact[i] = data[i];
  free(data);
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
  return 0;
}

int main(int argc, char **argv)
{
  DIR *directory = argc == 2 ? opendir(argv[1]) : NULL;
  if (!directory) {
    fprintf(stderr, "usage: replay DIRECTORY (the corpus)\n");
    return 2;
  }
  unsigned files = 0;
  int failed = 0;
  for (struct dirent *entry; (entry = readdir(directory));)
    if (entry->d_name[0] != '.') {
      files++;
      failed |= replay_file(argv[1], entry->d_name);
    }
  closedir(directory);
  printf("%u corpus files replayed\n", files);
  return failed || files == 0;
}
