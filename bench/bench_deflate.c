/* What zlib alone takes for the records of a crawl's WARC files: the part of `strata crawl --warc` that is not ours.
 *   bench_deflate FILE.warc.gz...
 * Each record is decompressed, which is not timed, and compressed again by itself, as the crawl does it, with the level
 * and the window of crawler/warc/warc_record.c, in one thread. Prints CPU seconds, records and bytes before and after;
 * the bytes after must be those of the files, or this measures something else. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

enum { LEVEL = 3, GZIP_WINDOW = 15 + 16 }; /* warc_record.c's */

typedef struct bytes {
  unsigned char *at;
  size_t size, room;
} bytes;

typedef struct totals {
  double seconds;
  unsigned long records, before, after;
} totals;

static void fail(const char *what)
{
  fprintf(stderr, "bench_deflate: %s\n", what);
  exit(1);
}

static void make_room(bytes *b, size_t room)
{
  if (b->room >= room)
    return;
  b->room = room;
  b->at = realloc(b->at, room);
  if (!b->at)
    fail("no memory");
}

static bytes read_file(const char *path)
{
  bytes b = {0};
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(1);
  }
  do {
    make_room(&b, b.size + (1 << 20));
    b.size += fread(b.at + b.size, 1, b.room - b.size, file);
  } while (b.size == b.room);
  fclose(file);
  return b;
}

/* The next member of `z`'s input into `record`. */
static void decompress(z_stream *z, bytes *record)
{
  int status = Z_OK;
  record->size = 0;
  while (status == Z_OK) {
    if (record->size == record->room)
      make_room(record, record->room ? 2 * record->room : 1 << 20);
    z->next_out = record->at + record->size;
    z->avail_out = (uInt)(record->room - record->size);
    status = inflate(z, Z_NO_FLUSH);
    record->size = (size_t)(z->next_out - record->at);
  }
  if (status != Z_STREAM_END)
    fail("not a whole WARC file");
  inflateReset(z);
}

static double cpu_seconds(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void compress_record(z_stream *z, const bytes *record, bytes *out, totals *t)
{
  make_room(out, deflateBound(z, record->size));
  double begin = cpu_seconds();
  z->next_in = record->at;
  z->avail_in = (uInt)record->size;
  z->next_out = out->at;
  z->avail_out = (uInt)out->room;
  if (deflate(z, Z_FINISH) != Z_STREAM_END)
    fail("a record cannot be compressed");
  t->after += z->total_out;
  deflateReset(z);
  t->seconds += cpu_seconds() - begin;
  t->before += record->size;
  t->records++;
}

int main(int argc, char **argv)
{
  z_stream in = {0}, out = {0};
  bytes record = {0}, compressed = {0};
  totals t = {0};
  if (argc < 2)
    fail("usage: bench_deflate FILE.warc.gz...");
  if (inflateInit2(&in, GZIP_WINDOW) != Z_OK ||
      deflateInit2(&out, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    fail("no memory");
  for (int i = 1; i < argc; i++) {
    bytes file = read_file(argv[i]);
    in.next_in = file.at;
    in.avail_in = (uInt)file.size;
    while (in.avail_in) {
      decompress(&in, &record);
      compress_record(&out, &record, &compressed, &t);
    }
    free(file.at);
  }
  printf("%.4f %lu %lu %lu\n", t.seconds, t.records, t.before, t.after);
  inflateEnd(&in);
  deflateEnd(&out);
  free(record.at);
  free(compressed.at);
  return 0;
}
