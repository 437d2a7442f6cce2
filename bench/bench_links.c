/* How fast is the link scanner? Against libxml2's HTML push parser with a SAX handler that does the same job, in
 * turns over the same pages, fed as a network would: pieces of 16 KiB.
 *
 *     bench_links DIRECTORY [ROUNDS]      a tree of HTML files, such as /usr/share/doc/postgresql-doc-15 */
#include <libxml/HTMLparser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "crawler/html/links.h"
#include "tests/support/page_trees.h"

enum { PIECE = 16384, ROUNDS_MAX = 101 };

static double seconds_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static size_t at_most(size_t size)
{
  return size < PIECE ? size : PIECE;
}

static void count_link(void *context, const link_found *link)
{
  *(size_t *)context += link->kind != LINK_BASE;
}

static size_t scan_strata(const page_tree *tree)
{
  size_t links = 0;
  links_scanner *scanner = links_create(count_link, &links);
  if (!scanner)
    exit(1);
  for (size_t i = 0; i < tree->count; i++) {
    const html_page *page = &tree->list[i];
    for (size_t at = 0; at < page->size; at += PIECE)
      links_feed(scanner, page->bytes + at, at_most(page->size - at));
    links_finish(scanner);
  }
  links_free(scanner);
  return links;
}

static void count_element(void *context, const xmlChar *name, const xmlChar **attributes)
{
  static const struct {
    const char *element, *attribute;
  } wanted[] = {{"a", "href"}, {"area", "href"}, {"frame", "src"}, {"iframe", "src"}, {"link", "href"}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (strcmp((const char *)name, wanted[i].element) == 0)
      for (const xmlChar **at = attributes; at && *at; at += 2)
        *(size_t *)context += strcmp((const char *)at[0], wanted[i].attribute) == 0;
}

static size_t scan_libxml2(const page_tree *tree)
{
  size_t links = 0;
  htmlSAXHandler handler = {.startElement = count_element};
  for (size_t i = 0; i < tree->count; i++) {
    const html_page *page = &tree->list[i];
    htmlParserCtxtPtr parser = htmlCreatePushParserCtxt(&handler, &links, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    if (!parser)
      exit(1);
    htmlCtxtUseOptions(parser, HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
    for (size_t at = 0; at < page->size; at += PIECE)
      htmlParseChunk(parser, page->bytes + at, (int)at_most(page->size - at), 0);
    htmlParseChunk(parser, NULL, 0, 1);
    htmlFreeParserCtxt(parser);
  }
  return links;
}

static double timed(size_t (*scan)(const page_tree *tree), const page_tree *tree, size_t *links)
{
  double begin = seconds_now();
  *links = scan(tree);
  return seconds_now() - begin;
}

static int compare_doubles(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return values[count / 2];
}

int main(int argc, char **argv)
{
  int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 5;
  if (argc < 2 || rounds < 1 || rounds > ROUNDS_MAX) {
    fprintf(stderr, "usage: bench_links DIRECTORY [ROUNDS]\n");
    return 2;
  }
  page_tree tree = page_tree_read(argv[1], (size_t)256 << 20);
  if (tree.count == 0) {
    printf("skipped: no HTML files in %s\n", argv[1]);
    return 0;
  }
  double ours[ROUNDS_MAX], theirs[ROUNDS_MAX], ratios[ROUNDS_MAX];
  size_t our_links = 0, their_links = 0;
  for (int round = 0; round < rounds; round++) {
    ours[round] = timed(scan_strata, &tree, &our_links);
    theirs[round] = timed(scan_libxml2, &tree, &their_links);
    ratios[round] = theirs[round] / ours[round];
  }
  double megabytes = (double)tree.bytes / 1e6;
  printf("%zu pages, %.1f MB, %d rounds\n", tree.count, megabytes, rounds);
  printf("strata       %8.1f MB/s  %zu links\n", megabytes / median(ours, rounds), our_links);
  printf("libxml2 SAX  %8.1f MB/s  %zu links\n", megabytes / median(theirs, rounds), their_links);
  printf("ratio        %8.2f\n", median(ratios, rounds));
  page_tree_free(&tree);
  return 0;
}
