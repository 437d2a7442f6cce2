/* Reads a tree of HTML files. */
#include "tests/support/page_trees.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void *checked(void *memory)
{
  if (!memory) {
    fputs("pages: out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

static int is_html(const char *name)
{
  const char *dot = strrchr(name, '.');
  return dot && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
}

static void page_add(page_tree *tree, const FTSENT *entry)
{
  size_t size = (size_t)entry->fts_statp->st_size;
  FILE *file = fopen(entry->fts_accpath, "rb");
  if (!file)
    return;
  html_page added = {.name = checked(strdup(entry->fts_path)), .bytes = checked(malloc(size + 1))};
  added.size = fread(added.bytes, 1, size, file);
  added.bytes[added.size] = 0;
  fclose(file);
  if ((tree->count & (tree->count + 1)) == 0) /* the list holds 2^n - 1 and is full */
    tree->list = checked(realloc(tree->list, (2 * tree->count + 1) * sizeof *tree->list));
  tree->list[tree->count++] = added;
  tree->bytes += added.size;
}

page_tree page_tree_read(const char *directory, size_t bytes_max)
{
  page_tree tree = {0};
  char *roots[] = {checked(strdup(directory)), NULL};
  FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  for (FTSENT *entry; walk && tree.bytes < bytes_max && (entry = fts_read(walk));)
    if (entry->fts_info == FTS_F && is_html(entry->fts_name))
      page_add(&tree, entry);
  if (walk)
    fts_close(walk);
  free(roots[0]);
  return tree;
}

void page_tree_free(page_tree *tree)
{
  for (size_t i = 0; i < tree->count; i++) {
    free(tree->list[i].name);
    free(tree->list[i].bytes);
  }
  free(tree->list);
  *tree = (page_tree){0};
}
