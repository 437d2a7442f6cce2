/* Any bytes as a URL set, in the format they look like and in one the first byte names: no row is read past its end,
 * and every line is either a row or counted. */
#include "datasets/read/rowkey.h"
#include "datasets/read/urlset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
  if (!holds)
    abort();
}

static void read_all(const char *path, const char *name)
{
  static url out;
  const char *reason = NULL, *text;
  size_t length;
  bool is_https;
  urlset *set = urlset_open(path, name, NULL, &reason);
  check(set != NULL || reason != NULL);
  if (set == NULL)
    return;
  dataset_status status;
  while ((status = urlset_next(set, &text, &length)) == DATASET_OK) {
    check(memchr(text, '\n', length) == NULL);
    if (rowkey_make(text, length, &out, &is_https) == URL_OK)
      check(memcmp(out.key, "//", 2) == 0 && out.key_size == strlen(out.key));
    else
      urlset_refuse(set);
  }
  check(status == DATASET_END || status == DATASET_DAMAGED);
  urlset_close(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"plain",        "sogout-link", "sogouq",   "sogou-news",
                                      "sogout-pages", "cdx",         "crawl-log"};
  int file = memfd_create("set", 0);
  check(file >= 0 && write(file, data, size) == (ssize_t)size);
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  read_all(path, NULL);
  if (size > 0)
    read_all(path, names[data[0] % (sizeof names / sizeof names[0])]);
  close(file);
  return 0;
}
