/* See export_broken.h. */
#include "crawler/commands/export_broken.h"

#include "crawler/base/json.h"
#include "crawler/base/message.h"
#include "crawler/commands/cmd.h"
#include "crawler/report/broken_links.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Quoted where RFC 4180 wants it. URLs have no line breaks, and nothing else is let through that is no text. */
static void put_field(const char *text, const char *behind)
{
  bool is_quoted = strpbrk(text, ",\"\r\n");
  if (is_quoted)
    putchar('"');
  for (; *text; text++) {
    if (*text == '"')
      putchar('"');
    if (iscntrl((unsigned char)*text))
      printf("%%%02X", (unsigned char)*text);
    else
      putchar(*text);
  }
  if (is_quoted)
    putchar('"');
  fputs(behind, stdout);
}

static void put_row(const broken_link *link)
{
  char status[FETCH_ENDING_TEXT];
  put_field(link->target, ",");
  put_field(fetch_ending_text(link->ending, status), ",");
  put_field(link->source, ",");
  put_field(link_element_name(link->by), "\r\n");
}

static void put_object(json *line, const broken_link *link)
{
  char status[FETCH_ENDING_TEXT];
  json_clear(line);
  json_begin(line);
  json_put_string(line, "target", link->target);
  if (link->ending & FETCH_NO_ANSWER)
    json_put_string(line, "status", fetch_ending_text(link->ending, status));
  else
    json_put_number(line, "status", link->ending);
  json_put_string(line, "source", link->source);
  json_put_string(line, "element", link_element_name(link->by));
  json_end(line);
  fwrite(line->text, 1, line->size, stdout);
  putchar('\n');
}

static int print(broken_links *b, bool as_json)
{
  json line = {0};
  broken_link link;
  bool is_any = false;
  if (!as_json)
    fputs("target,status,source,element\r\n", stdout);
  for (; !line.failed && broken_links_next(b, &link); is_any = true)
    if (as_json)
      put_object(&line, &link);
    else
      put_row(&link);
  bool is_good = !line.failed && fflush(stdout) == 0 && !ferror(stdout);
  json_free(&line);
  return !is_good ? EXIT_FAILED : is_any ? EXIT_BROKEN : EXIT_DONE;
}

int export_broken(frontier *f, const char *directory, bool as_json)
{
  char message[FRONTIER_MESSAGE_SIZE];
  broken_links *b = broken_links_read(f, directory, message);
  int code = EXIT_FAILED;
  if (b)
    code = print(b, as_json);
  else
    say_error("export", "%s", message);
  broken_links_free(b);
  return code;
}
