/* crawler/html/sniff.c: bodies without a type, and XML by its root. */
#include "crawler/html/sniff.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define HTML "http://www.w3.org/1999/xhtml"

/* Exact-size copies, so that a sanitizer sees one byte too far. */
static sniffed sniff_copy(sniffed (*sniff)(const char *, size_t), const char *bytes, size_t size)
{
  char *copy = malloc(size + !size);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  sniffed what = sniff(copy, size);
  free(copy);
  return what;
}

#define ROW(bytes, type)               \
  {                                    \
    (bytes), sizeof(bytes) - 1, (type) \
  }

typedef struct row {
  const char *bytes;
  size_t size;
  const char *type;
} row;

static void compare(const row *rows, size_t count, sniffed (*sniff)(const char *, size_t))
{
  for (size_t i = 0; i < count; i++) {
    const char *type = sniffed_type(sniff_copy(sniff, rows[i].bytes, rows[i].size));
    if (strcmp(type, rows[i].type) != 0)
      fail_msg("%s: \"%s\", not \"%s\"", rows[i].bytes, type, rows[i].type);
    for (size_t cut = 0; cut < rows[i].size; cut++)
      sniff_copy(sniff, rows[i].bytes, cut);
  }
}

CASE(unknown_types)
{
  static const row rows[] = {
    ROW("<!doctype html>x", "text/html"),
    ROW(" \r\n\t<HtMl>", "text/html"),
    ROW("<html\nlang=en>", "text/html"),
    ROW("\xEF\xBB\xBF<!DOCTYPE HTML PUBLIC", "text/html"),
    ROW("<!-- x --><ul>", "text/html"),
    ROW("<p>", "text/html"),
    ROW("<?xml version='1.0'?><html xmlns='" HTML "'>", "application/xhtml+xml"),
    ROW("<?xml version='1.0'?><rss version='2.0'>", "application/rss+xml"),
    ROW("<?xml version='1.0'?><urlset>", ""),
    ROW("x <a href=y>", "text/plain"),
    ROW("<ul><li>", "text/plain"),
    ROW("", "text/plain"),
    ROW("\x89PNG\r\n\x1A\n<a href=y>", ""),
    ROW("x\0<html>", ""),
  };
  compare(rows, sizeof rows / sizeof *rows, sniff_unknown);
}

CASE(xml)
{
  static const row rows[] = {
    ROW("<html xmlns=\"" HTML "\">", "application/xhtml+xml"),
    ROW("<?xml version='1.0'?>\n<!DOCTYPE html [<!ENTITY x \"]>'\"> <!-- ' -->]>\n<!-- <rss> --><?x <feed> ?>"
        "<html lang = 'en' xmlns\n=\n'" HTML "'>",
        "application/xhtml+xml"),
    ROW("<h:div xmlns='urn:x' xmlns:h='" HTML "'>", "application/xhtml+xml"),
    ROW("<html/>", ""),
    ROW("<html xmlns='urn:x'>", ""),
    ROW("<h:html xmlns='" HTML "'>", ""),
    ROW("<x title='xmlns=\"" HTML "\"'>", ""),
    ROW("<svg xmlns='http://www.w3.org/2000/svg'>", "image/svg+xml"),
    ROW("\xEF\xBB\xBF <rss version='2.0'>", "application/rss+xml"),
    ROW("<feed xmlns='http://www.w3.org/2005/Atom'>", "application/rss+xml"),
    ROW("<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>", "application/rss+xml"),
    ROW("\xFF\xFE<\0r\0s\0s\0>\0", "application/rss+xml"),
    ROW("\0<\0r\0s\0s\0>", "application/rss+xml"),
    ROW("<urlset>", ""),
    ROW("x<rss>", ""),
    ROW("<!-- <rss>", ""),
    ROW("<!DOCTYPE x [", ""),
    ROW("<", ""),
    ROW("", ""),
  };
  compare(rows, sizeof rows / sizeof *rows, sniff_xml);
}
