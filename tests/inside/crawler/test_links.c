/* crawler/html/links.c and what it stands on: pages as rows, each read whole, byte by byte and in every two pieces. */
#include "crawler/html/links.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a page gave, as text: "a:x area:y! link:z^" (! nofollow, ^ canonical). */
typedef struct found {
  char text[4096];
  size_t size;
  unsigned count;
} found;

static void note(void *context, const link_found *link)
{
  found *notes = context;
  notes->count++;
  int size = snprintf(notes->text + notes->size, sizeof notes->text - notes->size, "%s%s:%.*s%s%s",
                      notes->size ? " " : "", link_kind_name(link->kind), (int)link->size, link->href,
                      link->nofollow ? "!" : "", link->canonical ? "^" : "");
  notes->size += (size_t)size < sizeof notes->text - notes->size ? (size_t)size : 0;
}

/* Feeds exact-size copies, so that a sanitizer sees one byte too far. */
static void feed_copy(links_scanner *scanner, const char *bytes, size_t size)
{
  char *copy = malloc(size + !size);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  links_feed(scanner, copy, size);
  free(copy);
}

static found scan_cut(const char *page, size_t size, size_t cut)
{
  found notes = {.size = 0};
  links_scanner *scanner = links_create(note, &notes);
  assert_non_null(scanner);
  feed_copy(scanner, page, cut);
  feed_copy(scanner, page + cut, size - cut);
  links_finish(scanner);
  links_free(scanner);
  return notes;
}

static found scan_bytewise(const char *page, size_t size)
{
  found notes = {.size = 0};
  links_scanner *scanner = links_create(note, &notes);
  assert_non_null(scanner);
  for (size_t i = 0; i < size; i++)
    feed_copy(scanner, page + i, 1);
  links_finish(scanner);
  links_free(scanner);
  return notes;
}

typedef struct row {
  const char *page, *links;
} row;

static const row rows[] = {
  /* quoting, case, white space */
  {"<a href=x>", "a:x"},
  {"<A HREF=\"x y\">", "a:x y"},
  {"<a href='x\"y'>", "a:x\"y"},
  {"<a\thref\n=\r\n\f x\n>", "a:x"},
  {"<a href=' x '>", "a: x "},
  {"<a/href=x/>", "a:x/"},
  {"<a href=x/y?a=b>", "a:x/y?a=b"},
  {"<a href=x\"y'z`<>", "a:x\"y'z`<"},
  {"<a href>", "a:"},
  {"<a href=>", "a:"},
  {"<a href= >", "a:"},
  {"<a href=\"\">", "a:"},
  {"<a href=''id=b>", "a:"},
  {"<a href=\"x\"href=\"y\">", "a:x"},
  {"<a id=\"a>b\" href=x>", "a:x"},
  {"<a id=a>b href=x>", ""},
  {"<a \"href=x>", ""},
  {"<a =href=x>", ""},
  {"<a =\"x\" href=y>", "a:y"},
  {"<a b/ =\"x\" href=y>", "a:y"},
  {"<a b ='>' href=y>", "a:y"},
  {"<a / href=y>", "a:y"},
  {"<a href=x//>", "a:x//"},
  {"<a href=\"x\ny\r\nz\rw\">", "a:x\ny\nz\nw"},
  {"<a href=x", ""},
  {"<a href=\"x>\n", ""},
  {"<a href=\"x\"", ""},
  {"<a href=x><a href=y", "a:x"},
  {"<ahref=x><a-b href=x><ab href=x>", ""},
  {"<a hrefx=y xhref=z data-href=w>", ""},
  {"< a href=x>", ""},
  {"<<a href=x>", "a:x"},
  {"<3<a href=x>", "a:x"},
  {"</a href=x><a href=y>", "a:y"},

  /* duplicates: the first wins */
  {"<a href=x HREF=y>", "a:x"},
  {"<a rel=x rel=nofollow href=y>", "a:y"},
  {"<a href href=y>", "a:"},

  /* references */
  {"<a href='?a=1&amp;b=2&copy=3&copy;&#x26;&lt;&quot;&not'>", "a:?a=1&b=2&copy=3\xC2\xA9&<\"\xC2\xAC"},
  {"<a href=?a&amp;b&amp>", "a:?a&b&"},
  {"<a href='&#xA;&#32;&#128;&#0;&'>", "a:\n \xE2\x82\xAC\xEF\xBF\xBD&"},
  {"<a h&#114;ef=x>", ""},
  {"<a href=\"&notit;&notin;&unknown;\">", "a:&notit;\xE2\x88\x89&unknown;"},
  {"<a href='&amp;amp;'>", "a:&amp;"},

  /* bytes */
  {"<a href=\xE4\xBD\xA0\xFF>", "a:\xE4\xBD\xA0\xFF"},

  /* comments and their odd endings */
  {"<!-- <a href=no> --><a href=x>", "a:x"},
  {"<!--><a href=x>", "a:x"},
  {"<!---><a href=x>", "a:x"},
  {"<!----><a href=x>", "a:x"},
  {"<!-----><a href=x>", "a:x"},
  {"<!--!><a href=no>--><a href=x>", "a:x"},
  {"<!---!><a href=no>--><a href=x>", "a:x"},
  {"<!----!><a href=x>", "a:x"},
  {"<!-- a --!><a href=x>", "a:x"},
  {"<!-- a --!b><a href=no>--><a href=x>", "a:x"},
  {"<!-- a --!--><a href=x>", "a:x"},
  {"<!-- a --!-><a href=no>--><a href=x>", "a:x"},
  {"<!-- a -- ><a href=no>--><a href=x>", "a:x"},
  {"<!-- a -><a href=no>--><a href=x>", "a:x"},
  {"<!-- <!-- --><a href=x>", "a:x"},
  {"<!-- <!--><a href=x>", "a:x"},
  {"<!-- <!-><a href=no>--><a href=x>", "a:x"},
  {"<!-><a href=x>", "a:x"},
  {"<!- <a href=no>><a href=x>", "a:x"},
  {"<!><a href=x>", "a:x"},
  {"<!doctype html \"<a href=no\"><a href=x>", "a:x"},
  {"<!DOCTYPE html PUBLIC \"-//W3C//DTD>\" \"x\"><a href=x>", "a:x"},
  {"<?php <a href=no> ?><a href=x>", "a:x"},
  {"</ <a href=no><a href=x>", "a:x"},
  {"</><a href=x>", "a:x"},
  {"</3 <a href=no><a href=x>", "a:x"},
  {"<![CDATA[<a href=no>]]><a href=x>", "a:x"},
  {"<![CDATA[ > <a href=x>]]>", "a:x"},
  {"<!-- <a href=no>", ""},

  /* text */
  {"<script>'<a href=no>'</script><a href=x>", "a:x"},
  {"<script></scriptx><a href=no></script ><a href=x>", "a:x"},
  {"<script></scrip</script/><a href=x>", "a:x"},
  {"<SCRIPT></</ScRiPt href=no><a href=x>", "a:x"},
  {"<script><!-- </script><a href=x>", "a:x"},
  {"<script><!-- <script> </script> <a href=no> --></script><a href=x>", "a:x"},
  {"<script><!-- <script> </script> </script><a href=x>", "a:x"},
  {"<script><!-- <scriptx> </script><a href=x>", "a:x"},
  {"<script><!-- <script </script> </script><a href=x>", "a:x"},
  {"<script><!--><script> </script><a href=x>", "a:x"},
  {"<script><!---><script> </script><a href=x>", "a:x"},
  {"<script><!-><!-- <script> --> </script><a href=x>", "a:x"},
  {"<script><!-- <script> -- > </script><a href=no>--></script><a href=x>", "a:x"},
  {"<script><!-- <script> </scriptx> </script><a href=no></script><a href=x>", "a:x"},
  {"<script><!- <script> </script><a href=x>", "a:x"},
  {"<script/><a href=no></script><a href=x>", "a:x"},
  {"<style><a href=no></style><a href=x>", "a:x"},
  {"<style><!-- </style><a href=x>", "a:x"},
  {"<textarea><a href=no></title></textarea><a href=x>", "a:x"},
  {"<title><a href=no><!-- </title><a href=x>", "a:x"},
  {"<xmp><a href=no></xmp><a href=x>", "a:x"},
  {"<iframe src=i><a href=no></iframe><a href=x>", "iframe:i a:x"},
  {"<noembed><a href=no></noembed><a href=x>", "a:x"},
  {"<noframes><a href=no></noframes><a href=x>", "a:x"},
  {"<noscript><a href=x></noscript>", "a:x"},
  {"<template><a href=no></template><a href=x>", "a:x"},
  {"<template><template><a href=no></template><a href=no></template><a href=x>", "a:x"},
  {"<template><p></div><a href=no></table></body><a href=no></TEMPLATE ><a href=x>", "a:x"},
  {"<template/><a href=no></template><a href=x>", "a:x"},
  {"</template><a href=x><template><a href=no>", "a:x"},
  {"<template><script>'</template><a href=no>'</script><a href=no></template><a href=x>", "a:x"},
  {"<template><iframe src=no></template></iframe></template><iframe src=x>", "iframe:x"},
  {"<template><svg><a href=no></template><a href=x>", "a:x"},
  {"<svg><template><a href=x></template><a href=y></svg><template><a href=no></template><a href=z>", "a:x a:y a:z"},
  {"<svg><template/><a href=x></svg><a href=y>", "a:x a:y"},
  {"<template><svg><template></template><a href=no></template><a href=x>", "a:x"},
  {"<svg><foreignObject><template></svg><a href=no></foreignObject></template><area href=x>", "area:x"},
  {"<template><base href=no></template><base href=b><a href=x>", "base:b a:x"},
  {"<template><link rel=canonical href=no><meta http-equiv=refresh content='0;no'></template><link rel=next href=x>",
   "link:x"},
  {"<div><template shadowrootmode=open><a href=x><template><a href=no></template></template></div>", "a:x"},
  {"<template><div><template shadowrootmode=open><a href=no></template></div></template>", ""},
  {"<template shadowrootmode=x><a href=no></template><template shadowrootmode=CLOSED><a href=y>", "a:y"},
  {"<plaintext></plaintext><a href=no>", ""},
  {"<plaintext><select></select><a href=no>", ""},
  {"<select><plaintext></plaintext>a</select><a href=x>", "a:x"},
  {"<select><option><plaintext><input><a href=x>", "a:x"},
  {"<select><select><plaintext><a href=x>", "a:x"},
  {"<table><select><plaintext>a<caption><a href=x>b", "a:x"},
  {"<table><tr><td><select><plaintext>a</td><a href=x>", "a:x"},
  {"<table><select><plaintext></plaintext><tr><td><a href=x>", "a:x"},
  {"<svg><desc><select><plaintext></select><a href=x>", "a:x"},
  {"<select></select><plaintext><a href=no>", ""},
  {"<select><plaintext></SELECT ><plaintext><a href=no>", ""},
  {"<svg><select></svg><plaintext><a href=no>", ""},
  {"<select><textarea><a href=no></textarea><script><a href=no></script></select><a href=x>", "a:x"},
  {"<title>a</title <a href=no><a href=x>", "a:x"},
  {"</title><a href=x>", "a:x"},

  /* elements */
  {"<area href=x rel=nofollow><frame src=f><iframe src=g></iframe>", "area:x! frame:f iframe:g"},
  {"<area src=x><frame href=f><img src=i><form action=f><q cite=c>", ""},
  {"<base href=b><base href=c><a href=x>", "base:b a:x"},
  {"<base target=t><base href=c>", "base:c"},
  {"<a rel=' x NOFOLLOW\ty' href=x>", "a:x!"},
  {"<a rel='nofollow,x' href=x>", "a:x"},
  {"<link rel=next href=n><link rel=PREV href=p><link rel='x canonical' href=c>", "link:n link:p link:c^"},
  {"<link href=n><link rel=stylesheet href=s><link rel='alternate stylesheet' href=t><link rel=icon href=i>", ""},
  {"<link rel='alternate' type=application/atom+xml href=f><link href=h rel='next nofollow'>", "link:f link:h!"},

  /* refresh */
  {"<meta http-equiv=refresh content='5;url=x'>", "meta-refresh:x"},
  {"<META CONTENT=\"0; URL = 'x y' z\" HTTP-EQUIV=Refresh>", "meta-refresh:x y"},
  {"<meta http-equiv=refresh content='5;url=\"x'>", "meta-refresh:x"},
  {"<meta http-equiv=refresh content='5,x'>", "meta-refresh:x"},
  {"<meta http-equiv=refresh content=' 5 x'>", "meta-refresh:x"},
  {"<meta http-equiv=refresh content='1.5.2; ux'>", "meta-refresh:ux"},
  {"<meta http-equiv=refresh content='.5;url x'>", "meta-refresh:url x"},
  {"<meta http-equiv=refresh content=\"5;'x'\">", "meta-refresh:x"},
  {"<meta http-equiv=refresh content=\"5;ur'x'\">", "meta-refresh:ur'x'"},
  {"<meta http-equiv=refresh content='5;url='>", "meta-refresh:"},
  {"<meta http-equiv=refresh content='5'><meta http-equiv=refresh content='5; '>", ""},
  {"<meta http-equiv=refresh content='url=x'><meta http-equiv=refresh content='5x'>", ""},
  {"<meta http-equiv=refresh content=''><meta http-equiv=refresh><meta content='5;url=x'>", ""},
  {"<meta http-equiv=refreshing content='5;url=x'><meta name=refresh content='5;url=x'>", ""},
  {"<noscript><meta http-equiv=refresh content='0;x'></noscript>", "meta-refresh:x"},

  /* SVG and MathML */
  {"<svg><a xlink:href=x /><a href=y></a></svg><a xlink:href=no>", "a:x a:y"},
  {"<svg><a xlink:href=x href=y /><a href=z xlink:href=w />", "a:y a:z"},
  {"<svg><style><a href=x></style></svg><style><a href=no></style>", "a:x"},
  {"<svg><title><a href=x></title><script><a href=y></script></svg>", "a:x a:y"},
  {"<svg><![CDATA[<a href=no>]]]><a href=x>", "a:x"},
  {"<svg><![CDATA[ ]] > <a href=no> ]>]]><a href=x>", "a:x"},
  {"<svg><![cdata[ ><a href=x>]]>", "a:x"},
  {"<svg></svg><![CDATA[ ><a href=x>]]>", "a:x"},
  {"<svg/><![CDATA[ ><a href=x>]]>", "a:x"},
  {"<svg><svg></svg><![CDATA[ ><a href=no>]]></svg><![CDATA[ ><a href=x>]]>", "a:x"},
  {"<svg><base href=b><link rel=next href=n><area href=c><frame src=f><iframe src=i><a href=x>", "a:x"},
  {"<svg><p><iframe src=i></iframe>", "iframe:i"},
  {"<svg></p><style><a href=no></style><a href=x>", "a:x"},
  {"<svg></p><title><a href=no></title><a href=x>", "a:x"},
  {"<math></br><title><a href=no></title><a href=x>", "a:x"},
  {"<svg></p><svg><title><a href=x></title></svg>", "a:x"},
  {"<svg><desc></p></desc><title><a href=x></title><style><a href=y></style></svg>", "a:x a:y"},
  {"<svg><desc><svg></p></desc><style><a href=x></style>", "a:x"},
  {"<svg><meta http-equiv=refresh content='0;x'><style><a href=no></style>", "meta-refresh:x"},
  {"<svg><font><style><a href=x></style></font>", "a:x"},
  {"<svg><font color=red><style><a href=no></style></font>", ""},
  {"<svg><foreignObject><style><a href=no></style></foreignObject><style><a href=x></style>", "a:x"},
  {"<svg><foreignObject><![CDATA[<a href=no>]]><b><![CDATA[ ><a href=x>]]>", "a:x"},
  {"<svg><desc><area href=x></desc><area href=no>", "area:x"},
  {"<math><mi><style><a href=no></style></mi><style><a href=x></style></math>", "a:x"},
  {"<math><annotation-xml><style><a href=x></style></annotation-xml></math>", "a:x"},
  {"<math><annotation-xml encoding=Text/HTML><style><a href=no></style></annotation-xml></math>", ""},
  {"<math><annotation-xml><svg><desc><area href=x></desc></svg></annotation-xml>", "area:x"},
  {"<math><svg><desc><area href=no>", ""},
  {"<svg><math><mi><area href=no>", ""},
};

static void check(const char *page, size_t size, const char *links, const found *notes, const char *how, size_t cut)
{
  if (strcmp(notes->text, links) != 0)
    fail_msg("%.*s\n%s (cut at %zu): \"%s\", expected \"%s\"", (int)size, page, how, cut, notes->text, links);
}

static void check_every_cut(const char *page, size_t size, const char *links)
{
  for (size_t cut = 0; cut <= size; cut++) {
    found notes = scan_cut(page, size, cut);
    check(page, size, links, &notes, cut == 0 ? "whole" : "in two", cut);
  }
  found notes = scan_bytewise(page, size);
  check(page, size, links, &notes, "byte by byte", 0);
}

CASE(each_page_has_its_links)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    check_every_cut(rows[i].page, strlen(rows[i].page), rows[i].links);
}

/* NUL is U+FFFD in a value and no part of any name we know. */
CASE(nul_bytes_are_ordinary_noise)
{
#define WITH_NUL(page, links) check_every_cut(page, sizeof page - 1, links)
  WITH_NUL("<a href=\"x\0y\">", "a:x\xEF\xBF\xBDy");
  WITH_NUL("<a href=\0>", "a:\xEF\xBF\xBD");
  WITH_NUL("<a\0 href=no><a hr\0ef=no><\0a href=no>\0<a href=x>", "a:x");
  WITH_NUL("<script></script\0><a href=no></script><a href=x>", "a:x");
  WITH_NUL("<svg></svg\0><style><a href=x></style>", "a:x");
  WITH_NUL("<a\0href=no><!--\0--\0><a href=no>--><a href=x>", "a:x");
#undef WITH_NUL
}

CASE(a_scanner_reads_page_after_page)
{
  found notes = {.size = 0};
  links_scanner *scanner = links_create(note, &notes);
  assert_non_null(scanner);
  static const char *const pages[] = {
    "<base href=b><meta name=ROBOTS content='NoIndex, x,nofollow'><svg><script><a href=1 x='",
    "<base href=c><a href=2><!-- ", "<a href=3>"};
  for (size_t i = 0; i < 3; i++) {
    links_feed(scanner, pages[i], strlen(pages[i]));
    links_finish(scanner);
    assert_int_equal(links_page_nofollow(scanner), i == 0);
    assert_int_equal(links_page_noindex(scanner), i == 0);
  }
  assert_string_equal(notes.text, "base:b base:c a:2 a:3");
  links_free(scanner);
  links_free(NULL);
}

/* The same bytes, as HTML and as XHTML. */
CASE(xhtml_closes_its_scripts)
{
  static const char page[] = "<script src='s'/><a href='x'/><title/><![CDATA[<a href='no'/>]]><a href='y'/>";
  found notes = {.size = 0};
  links_scanner *scanner = links_create(note, &notes);
  assert_non_null(scanner);
  links_expect_xml(scanner);
  links_feed(scanner, page, sizeof page - 1);
  links_finish(scanner);
  assert_string_equal(notes.text, "a:x a:y");
  links_feed(scanner, page, sizeof page - 1); /* for one page only */
  links_finish(scanner);
  assert_int_equal(notes.count, 2);
  links_free(scanner);
}

/* Names of XML: HTML's by their namespace, and as they are written. */
CASE(xhtml_has_prefixes)
{
#define HTML "http://www.w3.org/1999/xhtml"
  (void)state;
  static const struct {
    const char *page, *links;
  } rows_of_xml[] = {
    {"<h:html xmlns:h='" HTML "'><h:a href='x'/><a href='y'/><H:a href='no'/></h:html>", "a:x a:y"},
    {"<h:html xmlns='urn:x' xmlns:h='" HTML "'><h:a href='x'/><a href='no'/><h:link rel='next' href='l'/></h:html>",
     "a:x link:l"},
    {"<html xmlns='" HTML "' xmlns:a='urn:a'><a:link rel='next' href='no'/><a:base href='no'/><a href='x'/></html>",
     "a:x"},
    {"<x xmlns='urn:x'><a href='no'/><p:a href='x' xmlns:p='" HTML "'/><p:a xmlns:p='urn:p' href='no'/></x>", "a:x"},
    {"<x xmlns='urn:x'><body xmlns='" HTML "'><a href='x'/></body></x>", "a:x"},
    {"<html xmlns='" HTML "'><A href='no'/><a HREF='no'/><a href='x'/></html>", "a:x"},
    {"<html><a href='x'/></html>", "a:x"},
    {"<svg xmlns='http://www.w3.org/2000/svg'><a href='x'/><foreignObject><a xmlns='" HTML
     "' href='y'/></foreignObject>"
     "</svg>",
     "a:x a:y"},
    {"<a-prefix-that-is-too-long:a xmlns:a-prefix-that-is-too-long='" HTML "' href='no'/><a href='x'/>", "a:x"},
    {"<p:a href='no'/><a: href='no'/><a:a:a href='no'/><:/><a:/><a href='x'/>", "a:x"},
    {"<h:html xmlns:h='" HTML "'><h:template><h:a href='no'/></h:template><h:a href='x'/><h:template/><h:a href='y'/>"
     "</h:html>",
     "a:x a:y"},
  };
  found notes = {.size = 0};
  links_scanner *scanner = links_create(note, &notes);
  assert_non_null(scanner);
  for (size_t i = 0; i < sizeof rows_of_xml / sizeof *rows_of_xml; i++) {
    size_t size = strlen(rows_of_xml[i].page);
    for (size_t cut = 0; cut <= size; cut++) {
      notes = (found){.size = 0};
      links_expect_xml(scanner);
      feed_copy(scanner, rows_of_xml[i].page, cut);
      feed_copy(scanner, rows_of_xml[i].page + cut, size - cut);
      links_finish(scanner);
      if (strcmp(notes.text, rows_of_xml[i].links) != 0)
        fail_msg("%s: %s", rows_of_xml[i].page, notes.text);
    }
  }
  links_free(scanner);
#undef HTML
}

static void robots_of(const char *page, bool nofollow, bool noindex)
{
  found notes = {.size = 0};
  links_scanner *scanner = links_create(note, &notes);
  assert_non_null(scanner);
  links_feed(scanner, page, strlen(page));
  if (links_page_nofollow(scanner) != nofollow || links_page_noindex(scanner) != noindex)
    fail_msg("%s", page);
  links_free(scanner);
}

CASE(meta_robots_are_heard)
{
  robots_of("<meta name=robots content=nofollow>", true, false);
  robots_of("<meta content='noarchive,NOINDEX' name=Robots>", false, true);
  robots_of("<meta name=robots content='none'>", true, true);
  robots_of("<meta name=robots content='index, follow'>", false, false);
  robots_of("<meta name=robots content='nofollowing'>", false, false);
  robots_of("<meta name=robots><meta name=googlebot content=none>", false, false);
  robots_of("<meta name=robots content=noindex><meta name=robots content=nofollow>", true, true);
  robots_of("<!-- <meta name=robots content=none> -->", false, false);
  robots_of("<template><meta name=robots content=none></template><meta name=robots content=noindex>", false, true);
}

static void scan_long_value(size_t size, size_t piece, bool wants_cut)
{
  static char page[LINKS_VALUE_MAX + 64];
  memcpy(page, "<a href='abc", 12);
  memset(page + 12, 'x', size - 3);
  memcpy(page + 9 + size, "' rel=nofollow><a href=y>", 25);
  found notes = {.size = 0};
  links_scanner *scanner = links_create(note, &notes);
  assert_non_null(scanner);
  links_want_cut(scanner, wants_cut);
  for (size_t at = 0, end = 9 + size + 25; at < end; at += piece)
    feed_copy(scanner, page + at, end - at < piece ? end - at : piece);
  bool is_cut = size > LINKS_VALUE_MAX;
  assert_int_equal(notes.count, is_cut && !wants_cut ? 1 : 2);
  if (is_cut && wants_cut) { /* "a:", its beginning, " a:y" */
    assert_int_equal(notes.size, 2 + LINKS_BEGINNING + 4);
    assert_memory_equal(notes.text, "a:abcxxx", 8);
  }
  links_free(scanner);
}

/* A value of LINKS_VALUE_MAX bytes is a link, one more is none, before decoding and after. */
CASE(values_have_a_limit)
{
  static const size_t pieces[] = {1, 11, 1000, 2 * LINKS_VALUE_MAX};
  static char page[LINKS_VALUE_MAX + 64] = "<a href='";
  for (size_t size = LINKS_VALUE_MAX - 1; size <= LINKS_VALUE_MAX + 1; size++)
    for (size_t i = 0; i < 4; i++) {
      scan_long_value(size, pieces[i], false);
      scan_long_value(size, pieces[i], true);
    }
  memset(page + 9, 0, LINKS_VALUE_MAX / 3 + 1); /* each NUL becomes three bytes */
  memcpy(page + 9 + LINKS_VALUE_MAX / 3 + 1, "'><a href=y>", 12);
  found notes = scan_cut(page, 9 + LINKS_VALUE_MAX / 3 + 1 + 12, 0);
  assert_string_equal(notes.text, "a:y");
}

/* Bounded time and memory on what hostile pages do, and the link behind it is still found. */
CASE(hostile_pages_end)
{
  static const struct {
    const char *begin, *middle, *end;
  } pages[] = {
    {"<a href=x>", "<a href=x>", ""}, /* a million links */
    {"<p id='", "xxxxxxxxxx", "'>"},  /* a 10 MB attribute */
    {"<a href='", "&&&&&&&&&&", "'>"},
    {"<", "xxxxxxxxxx", ">"},   /* a 10 MB name */
    {"<p ", "x/=x y='z'", ">"}, /* a million attributes */
    {"", "<div><svg>", "<p>"},  /* deep nesting */
    {"", "<<<<<<<<<<", ""},
    {"", "<math><mi>", "</math><p>"},
    {"<script><!--", "<script>--", "--></script>"},
  };
  for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
    found notes = {.size = 0};
    links_scanner *scanner = links_create(note, &notes);
    assert_non_null(scanner);
    links_feed(scanner, pages[i].begin, strlen(pages[i].begin));
    for (unsigned repeat = 0; repeat < 1000000; repeat++)
      links_feed(scanner, pages[i].middle, strlen(pages[i].middle));
    links_feed(scanner, pages[i].end, strlen(pages[i].end));
    unsigned before = notes.count;
    links_feed(scanner, "<a href=last>", 13);
    if (notes.count != before + 1)
      fail_msg("page %zu: the last link is lost", i);
    assert_int_equal(before, i == 0 ? 1000001 : 0);
    links_free(scanner);
  }
}

/* What the scanner skips 32 bytes at a time, it also reads byte by byte; 50,000 pages of what tags are made of. */
CASE(tags_skipped_in_one_are_those_skipped_bytewise)
{
  static const char *const pieces[] = {
    "<",        ">",       "\"",       "'",        "=",          "/",     " ",           "\n",
    "\t",       "\x01",    "x",        "</",       "<p",         "<td",   "<span",       "</td>",
    "<a ",      "<title",  "</title>", " a=\"",    "\" b=",      "href=", "=\"x",        "<!--",
    "-->",      "\" >",    "<svg",     "</svg",    "<b>",        "<base", " href=\"u\"", "<select",
    "</select", "<script", "</script", "aaaaaaaa", "<a href=u>",
  };
  enum { PAGES = 50000, PIECES = 24, LONGEST = 12 };
  uint32_t random = 1;
  for (unsigned page = 0; page < PAGES; page++) {
    char text[PIECES * LONGEST + 64];
    size_t size = 0;
    for (unsigned i = 0; i < PIECES; i++) {
      random = random * 1664525 + 1013904223;
      const char *piece = pieces[(random >> 16) % (sizeof pieces / sizeof *pieces)];
      memcpy(text + size, piece, strlen(piece));
      size += strlen(piece);
    }
    memset(text + size, ' ', 32); /* so that a tag at the end is looked at, too */
    size += 32;
    found whole = scan_cut(text, size, 0), bytewise = scan_bytewise(text, size);
    if (whole.count != bytewise.count || strcmp(whole.text, bytewise.text) != 0)
      fail_msg("%.*s\nwhole: %s\nbyte by byte: %s", (int)size, text, whole.text, bytewise.text);
  }
}
