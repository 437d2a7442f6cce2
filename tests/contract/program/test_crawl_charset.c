/* Pages in the charsets of the old web: what the crawl asks for is what a browser would ask for, path in UTF-8 and
 * query in the page's own charset. */
#include "tests/site/pages.h"
#include "tests/site/raw.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define HTML "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html"

static const struct page {
  const char *target, *head, *body;
  size_t body_size;
  const char *leads_to; /* the request its one link makes */
} pages[] = {
#define PAGE(target, charset, body, leads_to)                               \
  {                                                                         \
    (target), HTML charset "\r\n\r\n", (body), sizeof(body) - 1, (leads_to) \
  }
  PAGE("/header", "; charset=windows-1251", "<a href='/\xEF\xF3\xF2\xFC?q=\xEF\xF3\xF2\xFC'>",
       "/%D0%BF%D1%83%D1%82%D1%8C?q=%EF%F3%F2%FC"),
  PAGE("/meta", "", "<html><head><title>\xC0</title><meta charset=koi8-r><a href='?\xD0\xD5\xD4\xD8'>",
       "/meta?%D0%D5%D4%D8"),
  PAGE("/header-over-meta", ";charset=gb18030", "<meta charset=koi8-r><a href='?\xD6\xD0\xCE\xC4'>",
       "/header-over-meta?%D6%D0%CE%C4"),
  PAGE("/mark-over-header", "; charset=gbk", "\xEF\xBB\xBF<a href='?\xE4\xB8\xAD'>", "/mark-over-header?%E4%B8%AD"),
  PAGE("/sjis", "; charset=Shift_JIS", "<a href=\"\x95\x5C?\x95\x5C\">", "/%E8%A1%A8?%95\\"), /* 5C is no back slash */
  PAGE("/big5", "", "<meta http-equiv=content-type content='text/html; charset=big5'><a href='?\xA4\xA4'>",
       "/big5?%A4%A4"),
  PAGE("/euc-jp", "; charset=euc-jp", "<a href='\xA5\xC6#\xA5\xC6'>", "/%E3%83%86"),
  PAGE("/latin1", "; charset=iso-8859-1", "<a href='?\x80&#x263A;'>", "/latin1?%80%26%239786%3B"),
  PAGE("/utf-16", "; charset=utf-16", "<\0a\0 \0h\0r\0e\0f\0=\0?\0\x2D\x4E>\0", "/utf-16?%E4%B8%AD"),
  PAGE("/utf-8", "; charset=utf-8", "<a href='/\xC3\xA9?\xC3\xA9'>", "/%C3%A9?%C3%A9"),
  PAGE("/none", "", "<a href='?\xE9'>", "/none?%E9"), /* nothing was said: windows-1252 */
  PAGE("/none-1252", "", "<a href='/\x93\xE9\x94?\xE9'>", "/%E2%80%9C%C3%A9%E2%80%9D?%E9"),
  PAGE("/none-utf-8", "", "<a href='/\xC3\xA8?\xC3\xA8'>", "/%C3%A8?%C3%A8"), /* UTF-8 wherever it can be */
  PAGE("/xml", "", "<?xml version='1.0' encoding='windows-1251'?><a href='?\xEF'>", "/xml?%EF"),
#undef PAGE
};
enum { PAGES = sizeof pages / sizeof *pages };

static void answer_index(int fd)
{
  raw_send_string(fd, HTML "\r\n\r\n");
  for (size_t i = 0; i < PAGES; i++) {
    raw_send_string(fd, "<a href=");
    raw_send_string(fd, pages[i].target);
    raw_send_string(fd, ">x</a>\n");
  }
}

static void answer(int fd, const char *target)
{
  for (size_t i = 0; i < PAGES; i++)
    if (strcmp(pages[i].target, target) == 0) {
      raw_send_string(fd, pages[i].head);
      raw_send(fd, pages[i].body, pages[i].body_size);
      return;
    }
  if (strcmp(target, "/") == 0)
    answer_index(fd);
  else
    raw_send_string(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
}

static bool was_asked_for(const page_log *log, const char *target)
{
  for (size_t i = 0; i < pages_count(log); i++) {
    const char *path = strchr(pages_url(log, i) + strlen("http://"), '/');
    if (path && strcmp(path, target) == 0)
      return true;
  }
  return false;
}

CASE(links_are_asked_for_as_browsers_do)
{
  trial *t = trial_open(&(trial_options){.entries = 1}); /* for its directory */
  unsigned port;
  pid_t server = raw_start(answer, &port);
  text url = {0};
  text_addf(&url, "http://127.0.0.1:%u/", port);
  const char *const words[] = {"crawl",           "--dir",      "DIR", "--delay", "0", "--allow-private",
                               "--ignore-robots", "--per-host", "4",   url.bytes, NULL};
  int code = trial_strata(t, words);
  process_kill(server);
  assert_int_equal(code, 0);
  page_log log = pages_read(t->pages);
  unsigned missed = 0;
  for (size_t i = 0; i < PAGES; i++)
    if (!was_asked_for(&log, pages[i].leads_to)) {
      print_error("%s: nobody asked for %s\n", pages[i].target, pages[i].leads_to);
      missed++;
    }
  for (size_t i = 0; missed && i < pages_count(&log); i++)
    print_error("asked for: %s\n", pages_url(&log, i));
  assert_int_equal(missed, 0);
  assert_int_equal(pages_count(&log), 1 + 2 * PAGES); /* and for nothing else */
  pages_free(&log);
  text_free(&url);
  trial_close(t);
}
