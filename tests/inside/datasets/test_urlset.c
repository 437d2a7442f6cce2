/* datasets/read/urlset.h: every format's sample, whole and ill-treated, and how formats are told apart. */
#include "datasets/read/rowkey.h"
#include "datasets/read/urlset.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define SAMPLES TESTS_DIR "/../datasets/samples/"

enum { MEGABYTE = 1000000 };

typedef struct bytes {
  char *at;
  size_t size;
} bytes;

/* What a set said: URLs, each with a newline behind it, and the number of bad rows. */
typedef struct account {
  char *urls;
  size_t size, count;
  uint64_t bad;
  dataset_bad first_bad;
  dataset_status end;
  char format[80];
  unsigned place, columns;
  const char *refusal; /* not NULL: it was not opened */
} account;

static const struct {
  const char *file, *name, *text; /* --format, and a word of its description */
  size_t urls, bad;
  const char *first, *last;
} samples[] = {
  {"id2url.link", "sogout-link", "id table", 8, 0, "http://www.meridian.example/",
   "http://www.lantern.example/~keeper/%B5%C6.html"},
  {"SogouT-link", "sogout-link", "SogouT-link", 10, 1, "http://www.meridian.example/atlas/index.html",
   "http://www.meridian.example/"},
  {"SogouQ2008.gb18030.txt", "sogouq", "SogouQ 2008", 6, 0, "www.meridian.example/", "shop.orchard.example/item?id=9"},
  {"SogouQ2012.gb18030.txt", "sogouq", "SogouQ 2012", 6, 0, "http://www.meridian.example/",
   "https://shop.orchard.example/item?id=9"},
  {"news_sohusite_xml.dat", "sogou-news", "Sogou news", 4, 0, "http://news.harbour.example/2008/06/tide.shtml",
   "http://sports.orchard.example/0601/1.shtml"},
  {"pages.001", "sogout-pages", "SogouT pages", 4, 0, "http://www.meridian.example/",
   "http://www.lantern.example/~keeper/"},
  {"index.cdx", "cdx", "CDX,", 4, 0, "http://www.meridian.example/", "http://img.harbour.example/a/b/c/lamp.jpg"},
  {"index.cdxj", "cdx", "CDXJ", 4, 0, "http://www.meridian.example/", "http://img.harbour.example/a/b/c/lamp.jpg"},
  {"crawl.log", "crawl-log", "Heritrix", 4, 0, "http://www.meridian.example/robots.txt",
   "http://shop.orchard.example/item?id=9"},
  {"plain.txt", "plain", "plain list", 6, 0, "http://www.meridian.example/", "mailto:keeper@lantern.example"},
};
enum { SAMPLES_COUNT = sizeof samples / sizeof samples[0] };

static url_ids *ids; /* of the samples, for SogouT-link */

static bytes read_sample(const char *name)
{
  char path[512];
  snprintf(path, sizeof path, SAMPLES "%s", name);
  FILE *from = fopen(path, "r");
  assert_non_null(from);
  bytes read = {malloc(65536), 0};
  read.size = fread(read.at, 1, 65536, from);
  assert_in_range(read.size, 1, 65535);
  fclose(from);
  return read;
}

static account hear(const char *path, const char *name)
{
  account heard = {.urls = NULL};
  urlset *set = urlset_open(path, name, ids, &heard.refusal);
  if (set == NULL) {
    assert_non_null(heard.refusal);
    return heard;
  }
  FILE *to = open_memstream(&heard.urls, &heard.size);
  const char *text;
  size_t size;
  while ((heard.end = urlset_next(set, &text, &size)) == DATASET_OK) {
    fwrite(text, 1, size, to);
    fputc('\n', to);
    heard.count++;
  }
  fclose(to);
  heard.bad = urlset_bad_rows(set)->count;
  heard.first_bad = *urlset_bad_rows(set);
  snprintf(heard.format, sizeof heard.format, "%s", urlset_format(set));
  heard.place = urlset_column(set, &heard.columns);
  urlset_close(set);
  return heard;
}

static account hear_bytes(const char *at, size_t size, const char *name)
{
  int file = memfd_create("set", 0);
  assert_true(file >= 0 && write(file, at, size) == (ssize_t)size);
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  account heard = hear(path, name);
  close(file);
  return heard;
}

static bool begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static void assert_sample(size_t which, const account *heard, uint64_t more_bad)
{
  char last[256];
  if (heard->refusal != NULL || heard->count != samples[which].urls || heard->bad != samples[which].bad + more_bad)
    fail_msg("%s: %zu URLs, %llu bad, refused because %s", samples[which].file, heard->count,
             (unsigned long long)heard->bad, heard->refusal != NULL ? heard->refusal : "it was not");
  assert_int_equal(heard->end, DATASET_END);
  assert_true(begins(heard->urls, samples[which].first));
  snprintf(last, sizeof last, "%s\n", samples[which].last);
  assert_true(heard->size >= strlen(last));
  assert_string_equal(heard->urls + heard->size - strlen(last), last);
}

CASE(test_every_sample)
{
  for (size_t i = 0; i < SAMPLES_COUNT; i++) {
    bytes sample = read_sample(samples[i].file);
    account found = hear_bytes(sample.at, sample.size, NULL);
    account named = hear_bytes(sample.at, sample.size, samples[i].name);
    assert_sample(i, &found, 0);
    assert_sample(i, &named, 0);
    if (strstr(found.format, samples[i].text) == NULL)
      fail_msg("%s was taken for %s", samples[i].file, found.format);
    free(found.urls);
    free(named.urls);
    free(sample.at);
  }
}

/* The column that parses, wherever it is; of two the last. */
CASE(test_the_column_is_found)
{
  static const struct {
    const char *text, *urls;
    unsigned place, count;
  } rows[] = {
    {"http://a.example/x\t1\nhttps://b.example/y\t2\n", "http://a.example/x\nhttps://b.example/y\n", 1, 2},
    {"a.example/x\t50\nb.example\t51\n", "a.example/x\nb.example\n", 1, 2},
    {"1\thttp://a.example/x\n2\thttp://b.example/y\n", "http://a.example/x\nhttp://b.example/y\n", 2, 2},
    {"url\trank\nhttp://a.example/x\t1\nhttp://b.example/\t2\n", "url\nhttp://a.example/x\nhttp://b.example/\n", 1, 2},
    {"1\thttp://a.example/\tThe a.b story\n", "http://a.example/\n", 2, 3},
    {"1\thttp://a.example/\treadme.txt\n", "http://a.example/\n", 2, 3},
    {"http://a.example/\thttp://b.example/\n", "http://b.example/\n", 2, 2},
    {"1\ta\thttp://a.example/\n2\tb\tc\thttp://b.example/\n", "http://a.example/\nhttp://b.example/\n", 4, 4},
    {"1,a.example\n2,b.example\n", "a.example\nb.example\n", 2, 2},
    {"\"Rank\",\"Domain\",\"Note\"\n\"1\",\"a.example\",\"x, y\"\n\"2\",\"b.example\",\"\"\n",
     "Domain\na.example\nb.example\n", 2, 3},
    {"1,\"http://a.example/x,y\"\n2,\"http://b.example/\"\n", "http://a.example/x,y\nhttp://b.example/\n", 2, 2},
    {"\"http://a.example/\"\n\"http://b.example/\"\n", "http://a.example/\nhttp://b.example/\n", 1, 1},
    {"http://a.example/x 7\nhttp://b.example/y 8\n", "http://a.example/x\nhttp://b.example/y\n", 1, 2},
    {"http://a.example/x y\nhttp://b.example/y,z\nhttp://c.example/\n",
     "http://a.example/x y\nhttp://b.example/y,z\nhttp://c.example/\n", 1, 1},
    {"3.14\tb\n50\tc\n", "b\nc\n", 0, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    account heard = hear_bytes(rows[i].text, strlen(rows[i].text), NULL);
    if (heard.refusal != NULL || strcmp(heard.urls, rows[i].urls) != 0 || heard.place != rows[i].place ||
        heard.columns != rows[i].count)
      fail_msg("row %zu: column %u of %u: %s", i, heard.place, heard.columns, heard.urls);
    free(heard.urls);
  }
}

CASE(test_numbers_and_titles_are_no_hosts)
{
  static const char *const keys[] = {"a.example/x",       "10.0.0.1/x", "b.example:80",           "b.example:80/c",
                                     "http://localhost/", "http://50/", "xn--80ak6aa92e.example", "a.example?q=1"};
  static const char *const others[] = {"50",          "3.14",  "1.2.3/x", "rank", "title", "12:34:56",
                                       "a b.example", "(a.b)", ".",       "a.",   ""};
  static url made;
  bool is_https;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (rowkey_make(keys[i], strlen(keys[i]), &made, &is_https) != URL_OK)
      fail_msg("%s is refused", keys[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (rowkey_make(others[i], strlen(others[i]), &made, &is_https) == URL_OK)
      fail_msg("%s is taken", others[i]);
}

/* Each CR LF ends a line; none of it gets into a URL. */
CASE(test_crlf)
{
  for (size_t i = 0; i < SAMPLES_COUNT; i++) {
    bytes sample = read_sample(samples[i].file);
    char *windows = malloc(2 * sample.size);
    size_t size = 0;
    for (size_t at = 0; at < sample.size; at++) {
      if (sample.at[at] == '\n')
        windows[size++] = '\r';
      windows[size++] = sample.at[at];
    }
    account heard = hear_bytes(windows, size, NULL);
    assert_sample(i, &heard, 0);
    assert_null(memchr(heard.urls, '\r', heard.size));
    free(heard.urls);
    free(windows);
    free(sample.at);
  }
}

/* The sample with `size` bytes put before one of its lines. */
static bytes insert_line(bytes sample, const char *line, size_t size, unsigned *dice)
{
  size_t at = (size_t)rand_r(dice) % sample.size;
  while (at > 0 && sample.at[at - 1] != '\n')
    at--;
  bytes made = {malloc(sample.size + size), sample.size + size};
  memcpy(made.at, sample.at, at);
  memcpy(made.at + at, line, size);
  memcpy(made.at + at + size, sample.at + at, sample.size - at);
  return made;
}

/* A line of 1 MB, or one with NULs, is one bad row; in documents it is text, which may be anything. */
CASE(test_unreadable_lines)
{
  char *mega = malloc(MEGABYTE + 1);
  memset(mega, 'x', MEGABYTE);
  mega[MEGABYTE] = '\n';
  const struct {
    const char *line;
    size_t size;
  } lines[] = {{mega, MEGABYTE + 1}, {"a\0b\0\n", 5}};
  for (unsigned seed = 1; seed <= 20; seed++)
    for (size_t i = 0; i < SAMPLES_COUNT; i++) {
      unsigned dice = seed;
      bytes sample = read_sample(samples[i].file);
      bytes treated = insert_line(sample, lines[seed % 2].line, lines[seed % 2].size, &dice);
      account heard = hear_bytes(treated.at, treated.size, samples[i].name);
      bool is_documents = strstr(samples[i].name, "news") != NULL || strstr(samples[i].name, "pages") != NULL;
      assert_sample(i, &heard, !is_documents);
      free(heard.urls);
      free(treated.at);
      free(sample.at);
    }
  free(mega);
}

/* What comes out of the first bytes of a file is the beginning of what comes out of all, but for a last row
 * that was cut in the middle. What a cut head leaves is never fatal either. */
CASE(test_cut_anywhere)
{
  for (size_t i = 0; i < SAMPLES_COUNT; i++) {
    bytes sample = read_sample(samples[i].file);
    account whole = hear_bytes(sample.at, sample.size, samples[i].name);
    for (size_t size = 0; size <= sample.size; size += 7) {
      account head = hear_bytes(sample.at, size, samples[i].name);
      assert_null(head.refusal);
      size_t sure = head.size > 0 ? head.size - 1 : 0; /* up to the last row */
      while (sure > 0 && head.urls[sure - 1] != '\n')
        sure--;
      assert_true(head.count <= whole.count && sure <= whole.size);
      assert_memory_equal(head.urls, whole.urls, sure);
      account tail = hear_bytes(sample.at + size, sample.size - size, samples[i].name);
      assert_null(tail.refusal);
      assert_true(tail.count <= whole.count + 1 && tail.end == DATASET_END);
      free(head.urls);
      free(tail.urls);
    }
    free(whole.urls);
    free(sample.at);
  }
}

/* Arriving in pieces of 1 to 40 bytes through a pipe, a file is the same. */
CASE(test_in_pieces)
{
  for (size_t i = 0; i < SAMPLES_COUNT; i++) {
    bytes sample = read_sample(samples[i].file);
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      unsigned dice = (unsigned)i;
      for (size_t at = 0, step; at < sample.size; at += step) {
        step = 1 + (size_t)rand_r(&dice) % 40;
        step = step > sample.size - at ? sample.size - at : step;
        if (write(ends[1], sample.at + at, step) != (ssize_t)step)
          _exit(1);
      }
      _exit(0);
    }
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    account heard = hear("-", NULL);
    assert_sample(i, &heard, 0);
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    free(heard.urls);
    free(sample.at);
  }
}

static bytes compress_gzip(bytes plain)
{
  bytes made = {malloc(plain.size + 1000), plain.size + 1000};
  z_stream stream = {.next_in = (Bytef *)plain.at,
                     .avail_in = (uInt)plain.size,
                     .next_out = (Bytef *)made.at,
                     .avail_out = (uInt)made.size};
  assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  made.size = stream.total_out;
  deflateEnd(&stream);
  return made;
}

static bytes compress_zstd(bytes plain)
{
  bytes made = {malloc(plain.size + 1000), 0};
  ZSTD_CCtx *context = ZSTD_createCCtx();
  assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)));
  made.size = ZSTD_compress2(context, made.at, plain.size + 1000, plain.at, plain.size);
  assert_false(ZSTD_isError(made.size));
  ZSTD_freeCCtx(context);
  return made;
}

static bytes compress_xz(bytes plain)
{
  bytes made = {malloc(plain.size + 1000), 0};
  assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (uint8_t *)plain.at, plain.size,
                                           (uint8_t *)made.at, &made.size, plain.size + 1000),
                   LZMA_OK);
  return made;
}

static bytes (*const compressors[])(bytes plain) = {compress_gzip, compress_zstd, compress_xz};

CASE(test_compressed)
{
  for (size_t c = 0; c < 3; c++)
    for (size_t i = 0; i < SAMPLES_COUNT; i++) {
      bytes sample = read_sample(samples[i].file);
      bytes packed = compressors[c](sample);
      account heard = hear_bytes(packed.at, packed.size, NULL);
      assert_sample(i, &heard, 0);
      free(heard.urls);
      free(packed.at);
      free(sample.at);
    }
}

/* Streams end to end are one; one that ends early, or has a wrong byte, is said to be damaged. */
CASE(test_compressed_streams_joined_and_damaged)
{
  bytes plain = read_sample("crawl.log");
  for (size_t c = 0; c < 3; c++) {
    bytes packed = compressors[c](plain);
    bytes twice = {malloc(2 * packed.size + 8), 2 * packed.size + 8};
    memcpy(twice.at, packed.at, packed.size);
    memset(twice.at + packed.size, 0, 8); /* padding, as tapes leave it */
    memcpy(twice.at + packed.size + 8, packed.at, packed.size);
    account heard = hear_bytes(twice.at, twice.size, "crawl-log");
    assert_int_equal(heard.count, 8);
    assert_int_equal(heard.end, DATASET_END);
    free(heard.urls);

    for (size_t size = 8; size < packed.size; size += 11) {
      account cut = hear_bytes(packed.at, size, NULL);
      assert_true(cut.refusal != NULL || cut.end == DATASET_DAMAGED);
      if (cut.refusal != NULL)
        assert_string_equal(cut.refusal, "its compressed data is damaged or ends early");
      free(cut.urls);
    }
    packed.at[packed.size / 2] ^= 0x55;
    account wrong = hear_bytes(packed.at, packed.size, NULL);
    assert_true(wrong.refusal != NULL || wrong.end == DATASET_DAMAGED);
    free(wrong.urls);
    free(twice.at);
    free(packed.at);
  }
  free(plain.at);
}

CASE(test_what_holds_no_urls_is_refused)
{
  account fingerprints = hear(SAMPLES "requests.seen", NULL);
  assert_non_null(strstr(fingerprints.refusal, "fingerprints"));
  account unknown = hear(SAMPLES "plain.txt", "sogou");
  assert_string_equal(unknown.refusal, "there is no such format");
  account absent = hear("/nonexistent/list", NULL);
  assert_string_equal(absent.refusal, "No such file or directory");

  url_ids *kept = ids;
  ids = NULL;
  account links = hear(SAMPLES "SogouT-link", NULL);
  ids = kept;
  assert_non_null(strstr(links.refusal, "--ids"));

  const char *reason;
  assert_null(ids_open(SAMPLES "plain.txt", "/tmp", &reason));
  assert_string_equal(reason, "no row of it is an id, a TAB and a URL");
}

/* The first five bad rows by line number, empty lines counted, and all of them counted. */
CASE(test_bad_rows_are_shown)
{
  static const char log[] = "00:00:00\t1\t[a]\t1 1\ta.example/\n"
                            "torn\n"
                            "\n"
                            "00:00:00\t1\t[a]\t1 1\t\n"
                            "1\n2\n3\n4\n"
                            "00:00:00\t1\t[a]\t1 1\tb.example/\n";
  account heard = hear_bytes(log, sizeof log - 1, "sogouq");
  assert_string_equal(heard.urls, "a.example/\nb.example/\n");
  assert_int_equal(heard.bad, 6);
  static const uint64_t lines[DATASET_BAD_SHOWN] = {2, 4, 5, 6, 7};
  for (int i = 0; i < DATASET_BAD_SHOWN; i++) {
    assert_int_equal(heard.first_bad.first[i].line, lines[i]);
    assert_int_equal(heard.first_bad.first[i].fault, DATASET_MALFORMED);
  }
  free(heard.urls);

  static const char links[] =
    "<doc>\n<docno>1</docno>\n</doc>\n<doc>\n<url>http://a.example/</url>\n<doc>\n<url>torn\n</doc>\n";
  heard = hear_bytes(links, sizeof links - 1, "sogou-news");
  assert_int_equal(heard.count, 1);
  assert_int_equal(heard.bad, 2);
  assert_int_equal(heard.first_bad.first[0].line, 3);
  assert_int_equal(heard.first_bad.first[0].fault, DATASET_NO_URL);
  assert_int_equal(heard.first_bad.first[1].line, 7);
  assert_int_equal(heard.first_bad.first[1].fault, DATASET_MALFORMED);
  free(heard.urls);
}

/* The published look of each set, where the reference data lies beside the checkout. */
CASE(test_faithful_samples)
{
  static const struct {
    const char *file, *text;
    size_t least;
  } rows[] = {
    {"id2url.link", "id table", 2000},
    {"SogouQ2008.gb18030.txt", "SogouQ 2008", 1000},
    {"SogouQ2012.gb18030.txt", "SogouQ 2012", 1000},
    {"sogou.500w.utf8", "SogouQ 2012", 1000},
    {"news_sohusite_xml.dat", "Sogou news", 50},
    {"pages.001", "SogouT pages", 50},
    {"SogouT-link", "SogouT-link", 6001},
  };
  if (access(SHARED_DATA "/sogou", R_OK) != 0) {
    print_message("skipped: no %s\n", SHARED_DATA "/sogou");
    skip();
  }
  const char *reason;
  url_ids *kept = ids;
  ids = ids_open(SHARED_DATA "/sogou/id2url.link", "/tmp", &reason);
  assert_non_null(ids);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char path[512];
    snprintf(path, sizeof path, SHARED_DATA "/sogou/%s", rows[i].file);
    account heard = hear(path, NULL);
    assert_null(heard.refusal);
    assert_non_null(strstr(heard.format, rows[i].text));
    assert_int_equal(heard.count, rows[i].least);
    assert_int_equal(heard.bad, 0);
    free(heard.urls);
  }
  ids_close(ids);
  ids = kept;
}

static int open_sample_ids(void **state)
{
  (void)state;
  const char *reason;
  ids = ids_open(SAMPLES "id2url.link", "/tmp", &reason);
  return ids == NULL;
}

static int close_sample_ids(void **state)
{
  (void)state;
  ids_close(ids);
  return 0;
}

EACH_CASE(open_sample_ids, close_sample_ids)
