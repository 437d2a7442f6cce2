/* Every reader of files from outside is linear, as the parsers of test_linear.c are: a crawl's pages.jsonl, which
 * another program may have written, and lists of URLs in every format. jansson's steps are not counted, but the bytes
 * it gets are; its tables are seeded. */
#include "crawler/report/report_data.h"
#include "datasets/read/rowkey.h"
#include "datasets/read/urlset.h"
#include "tests/support/attack.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/strata-linear-XXXXXX";

static int make_file(void **state)
{
  (void)state;
  int file = mkstemp(path);
  return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
  (void)state;
  return unlink(path);
}

static void write_file(const char *bytes, size_t size)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void pages(const char *bytes, size_t size, size_t piece)
{
  (void)piece;
  write_file(bytes, size);
  report_data *data = report_data_read(path, NULL);
  assert_non_null(data);
  report_data_free(data);
}

/* As `strata replay` takes its rows. */
static void read_set(const char *name, const char *bytes, size_t size)
{
  static url key;
  const char *reason = NULL, *row;
  size_t row_size;
  bool is_https;
  write_file(bytes, size);
  urlset *set = urlset_open(path, name, NULL, &reason);
  while (set && urlset_next(set, &row, &row_size) == DATASET_OK)
    if (rowkey_make(row, row_size, &key, &is_https) != URL_OK)
      urlset_refuse(set);
  urlset_close(set);
}

static void any_list(const char *bytes, size_t size, size_t piece)
{
  (void)piece;
  read_set(NULL, bytes, size);
}

static void plain_list(const char *bytes, size_t size, size_t piece)
{
  (void)piece;
  read_set("plain", bytes, size);
}

static void cdx(const char *bytes, size_t size, size_t piece)
{
  (void)piece;
  read_set("cdx", bytes, size);
}

static void crawl_log(const char *bytes, size_t size, size_t piece)
{
  (void)piece;
  read_set("crawl-log", bytes, size);
}

static void news(const char *bytes, size_t size, size_t piece)
{
  (void)piece;
  read_set("sogou-news", bytes, size);
}

static void queries(const char *bytes, size_t size, size_t piece)
{
  (void)piece;
  read_set("sogouq", bytes, size);
}

/* The beginning of a list, of which 64 KiB are read to find out the format, is passed over twice. */
enum { LIST = 400000 };

#define PAGE "{\"url\":\"http://h" N "/\",\"status\":200,\"body_bytes\":" N ",\"seconds\":" N ","
#define STAMP " 20120503180000 "

static const attack attacks[] = {
  /* pages.jsonl */
  {"pages", pages, LIST, "", PAGE "\"type\":\"t\",\"start\":\"2026-01-01T00:00:00Z\"}\n", NULL, "", LINEAR},
  {"types", pages, LIST, "", PAGE "\"type\":\"t" N "/x\"}\n", NULL, "", LINEAR},
  {"errors", pages, LIST, "", PAGE "\"error\":\"e" N "\"}\n", NULL, "", LINEAR},
  {"bodies", pages, LIST, "", PAGE "\"sha256\":\"" N "\"}\n", NULL, "", LINEAR},
  {"copies", pages, LIST, "", PAGE "\"sha256\":\"0123456789abcdef0123456789abcdef\"}\n", NULL, "", LINEAR},
  {"alike", pages, LIST, "", PAGE "\"near\":\"http://g" N "/\",\"near_share\":0.9" N "}\n", NULL, "", LINEAR},
  {"alike, by rising share", pages, LIST, "", PAGE "\"near\":\"http://g/\",\"near_share\":" N "}\n", NULL, "", LINEAR},
  {"no JSON", pages, LIST, "", "x\n", NULL, "", LINEAR},
  {"lines without end", pages, LIST, "{\"url\":\"", "\\u0000", NULL, "", LINEAR},
  {"members", pages, LIST, "{\"url\":\"x\"", ",\"a" N "\":" N, NULL, "}", LINEAR},
  {"in each other", pages, LIST, "", "{\"url\":[", NULL, "", LINEAR},
  /* lists */
  {"URLs", plain_list, LIST, "", "http://h" N "/a/b?c\n", NULL, "", LINEAR},
  {"hosts alone", any_list, LIST, "", "h" N ".example\n", NULL, "", LINEAR},
  {"empty rows", any_list, LIST, "x\n", "\r\n\n", NULL, "", LIMITED},
  {"columns", any_list, LIST, "", "\t", NULL, "", LIMITED},
  {"a long row", plain_list, LIST, "", "x", NULL, "\nx\n", LINEAR},
  {"long rows", plain_list, LIST, "",
   "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\t\n", NULL, "",
   LINEAR},
  {"carriage returns", plain_list, LIST, "", "\r", NULL, "\n", LIMITED},
  {"CDX", cdx, LIST, "", "h)/" STAMP "http://h/" N " text/html 200 X\n", NULL, "", LINEAR},
  {"blanks of CDX", cdx, LIST, "h)/" STAMP, " ", NULL, "", LIMITED},
  {"headings of CDX", cdx, LIST, "", " CDX N b a\n", NULL, "", LINEAR},
  {"CDXJ", cdx, LIST, "", "h)/" STAMP "{\"url\":\"http://h/" N "\"}\n", NULL, "", LINEAR},
  {"CDXJ in CDXJ", cdx, LIST, "", "h)/" STAMP "{\"url\":{\"url\":{\"url\":[[[[[[\n", NULL, "", LINEAR},
  {"crawl.log", crawl_log, LIST, "", "2012-05-03T18:00:00.000Z 200 1 http://h/" N " L -\n", NULL, "", LINEAR},
  {"documents", news, LIST, "", "<doc>\n<url>http://h/" N "</url>\n</doc>\n", NULL, "", LINEAR},
  {"documents without end", news, LIST, "", "<doc>\n<url>\n", NULL, "", LINEAR},
  {"ends of no documents", news, LIST, "<doc>\n", "</doc>\n</url>\n", NULL, "", LINEAR},
  {"URLs of one document", news, LIST, "<doc>\n", "<url>http://h/" N "</url>\n", NULL, "", LINEAR},
  {"queries", queries, LIST, "", "1\t[q]\t1 1\th/" N "\n", NULL, "", LINEAR},
  {"columns of queries", queries, LIST, "", "\t\t\t\t\t\t\t\n", NULL, "", LINEAR},
};

CASE(twice_the_file_takes_twice_the_steps)
{
  int bad = 0;
  (void)state;
  for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
    bad += attack_judge(&attacks[i], NETWORK_PIECE);
  assert_int_equal(bad, 0);
}

EACH_CASE(make_file, remove_file)
