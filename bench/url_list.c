#include "bench/url_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static void *need(void *memory)
{
  if (!memory) {
    fputs("out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

static uint64_t next_random(uint64_t *state)
{
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

typedef struct raw_line {
  size_t begin, size;
} raw_line;

/* Lines in one text. */
typedef struct raw_lines {
  char *text;
  size_t size, room, count, lines_room;
  raw_line *lines;
} raw_lines;

static void raw_add(raw_lines *raw, const char *line, size_t size)
{
  if (raw->size + size > raw->room)
    raw->text = need(realloc(raw->text, raw->room = 2 * (raw->room + size)));
  if (raw->count == raw->lines_room)
    raw->lines = need(realloc(raw->lines, (raw->lines_room = 2 * raw->lines_room + 64) * sizeof *raw->lines));
  memcpy(raw->text + raw->size, line, size);
  raw->lines[raw->count++] = (raw_line){raw->size, size};
  raw->size += size;
}

static bool lines_equal(const raw_lines *raw, raw_line a, raw_line b)
{
  return a.size == b.size && memcmp(raw->text + a.begin, raw->text + b.begin, a.size) == 0;
}

size_t url_make_up(size_t i, char text[URL_MADE_UP])
{
  return (size_t)snprintf(text, URL_MADE_UP,
                          "www.host-number-%zu.example/directory-%zu/of/articles/page-%zu.html?id=%zx", i / 16, i % 7,
                          i / 3, i * 2654435761u);
}

static void raw_make_up(raw_lines *raw, size_t limit)
{
  for (size_t i = 0; i < limit; i++) {
    char line[URL_MADE_UP];
    size_t size = url_make_up(i, line);
    raw_add(raw, line, size);
  }
}

static void raw_read(raw_lines *raw, const char *path)
{
  char command[4200], line[1 << 16];
  size_t length = strlen(path);
  bool is_packed = length > 4 && strcmp(path + length - 4, ".zst") == 0;
  snprintf(command, sizeof command, "zstd -dc '%s'", path);
  FILE *file = is_packed ? popen(command, "r") : fopen(path, "r");
  if (!file) {
    perror(path);
    exit(1);
  }
  while (fgets(line, sizeof line, file)) {
    const char *scheme_end = strstr(line, "://"), *url = scheme_end ? scheme_end + 3 : line;
    raw_add(raw, url, strcspn(url, "\r\n"));
  }
  if (is_packed ? pclose(file) : fclose(file)) {
    fprintf(stderr, "%s: reading failed\n", path);
    exit(1);
  }
}

/* http and https of one page are one line now: keep the first of equal ones. */
static void raw_drop_duplicates(raw_lines *raw)
{
  size_t room = 1, kept = 0;
  while (room < 2 * raw->count)
    room *= 2;
  size_t *table = need(calloc(room, sizeof *table)); /* a kept line's number + 1 */
  for (size_t i = 0; i < raw->count; i++) {
    raw_line line = raw->lines[i];
    size_t at = XXH3_64bits(raw->text + line.begin, line.size) & (room - 1);
    while (table[at] && !lines_equal(raw, raw->lines[table[at] - 1], line))
      at = (at + 1) & (room - 1);
    if (table[at])
      continue;
    raw->lines[kept++] = line;
    table[at] = kept;
  }
  raw->count = kept;
  free(table);
}

size_t url_cut(const char *text, size_t size, mlbf_span segments[MLBF_LAYERS_MAX])
{
  size_t count = 0, begin = 0;
  for (size_t i = 1; i < size && count < MLBF_LAYERS_MAX - 1; i++)
    if (text[i] == '/' || text[i] == '?' || text[i] == '&') {
      segments[count++] = (mlbf_span){text + begin, i - begin};
      begin = i;
    }
  segments[count++] = (mlbf_span){text + begin, size - begin};
  return count;
}

url_list url_list_read(const char *path, size_t limit, uint64_t seed)
{
  raw_lines raw = {0};
  if (path)
    raw_read(&raw, path);
  else
    raw_make_up(&raw, limit);
  raw_drop_duplicates(&raw);
  size_t *order = need(malloc(raw.count * sizeof *order));
  for (size_t i = 0; i < raw.count; i++) {
    size_t j = next_random(&seed) % (i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  url_list list = {.count = raw.count < limit ? raw.count : limit};
  list.text = need(malloc(raw.size + 1));
  list.texts = need(calloc(list.count, sizeof *list.texts));
  size_t at = 0;
  for (size_t i = 0; i < list.count; i++) {
    size_t begin = raw.lines[order[i]].begin, size = raw.lines[order[i]].size;
    memcpy(list.text + at, raw.text + begin, size);
    list.texts[i] = (mlbf_span){list.text + at, size};
    at += size;
  }
  list.mean_length = (double)at / (double)list.count;
  free(order);
  free(raw.lines);
  free(raw.text);
  return list;
}

void url_list_free(url_list *list)
{
  free(list->texts);
  free(list->text);
}
