/* See html.h. Always: whatever text comes from elsewhere is written by html_text, so no byte of it is markup; each
 * page has its own style's hash in its policy. Called by the reports of replays and of crawls. */
#include "datasets/replay/html.h"
#include "frontier/base/own_file.h"

#include <stdlib.h>
#include <string.h>

static const char style[] =
  "\n"
  ":root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #ddd; --good: #1b6e2f; --bad: #b3261e;"
  " --middling: #8a5a00; --grey: #6b6b6b; }\n"
  "@media (prefers-color-scheme: dark) {\n"
  "  :root { --ink: #ddd; --paper: #16181b; --line: #3a3d42; --good: #7ccf8f; --bad: #ff8a80; --middling: #e3b341;"
  " --grey: #9a9a9a; }\n"
  "  figure img { filter: invert(0.9) hue-rotate(180deg); }\n"
  "}\n"
  "body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 82rem;"
  " margin: 0 auto; padding: 1rem; }\n"
  "h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }\n"
  "p, li { max-width: 46rem; overflow-wrap: anywhere; }\n"
  ".scroll { overflow-x: auto; }\n"
  "table { border-collapse: separate; border-spacing: 0; font-size: 0.875rem; margin: 0.5rem 0 1rem; }\n"
  "th, td { padding: 0.25rem 0.5rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }\n"
  "th { vertical-align: bottom; white-space: normal; } td { vertical-align: top; }\n"
  "th:first-child, td:first-child, .words th, .words td { text-align: left; }\n"
  "td:first-child { position: sticky; left: 0; background: var(--paper); }\n"
  ".words td { white-space: normal; overflow-wrap: anywhere; }\n"
  ".words td:nth-child(-n+2) { min-width: 7rem; }\n"
  ".holds { color: var(--good); font-weight: 600; } .fails { color: var(--bad); font-weight: 600; }\n"
  ".partly { color: var(--middling); font-weight: 600; } .few { color: var(--grey); font-weight: 400; }\n"
  ".verdict { border-left: 0.3rem solid var(--line); padding: 0.1rem 0.7rem; }\n"
  ".figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem; }\n"
  "figure { margin: 0; max-width: 34rem; } figure img { width: 100%; height: auto; }"
  " figcaption { font-size: 0.875rem; }\n"
  "summary { cursor: pointer; font-weight: 600; padding: 0.3rem 0; }\n"
  "@media (max-width: 40rem) {\n"
  "  body { padding: 0.6rem; }\n"
  "  table, tbody, tr, td { display: block; } th { display: none; }\n"
  "  tr { border: 1px solid var(--line); border-radius: 0.3rem; margin: 0 0 0.6rem; padding: 0.2rem 0.5rem; }\n"
  "  tr:not(:has(td)) { display: none; }\n"
  "  td, .words td { border: 0; padding: 0.1rem 0; white-space: normal; overflow-wrap: anywhere; }\n"
  "  td[data-label] { display: flex; justify-content: space-between; gap: 1rem; }\n"
  "  td[data-label]::before { content: attr(data-label); color: var(--grey); font-weight: 400; text-align: left; }\n"
  "  .words td[data-label] { display: block; } .words td[data-label]::before { display: block; font-size: 0.75rem; }\n"
  "}\n";

static const html_head head = {
  .title = "strata replay",
  .style_hash = "AJp1z71cflHtFbXXPnMFDtLmJJQf5dJrVLjlcu3jTHY=",
  .has_images = true,
  .style = style,
};

/* First in the page, so that it governs all that follows: nothing is run, and nothing is loaded but what the page
 * itself holds. A policy in a page cannot be taken back by what comes later in it. */
void html_open(FILE *out, const html_head *page)
{
  fprintf(out,
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s';%s%s%s%s"
          " base-uri 'none'; form-action 'none'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n"
          "<style>%s</style>\n</head>\n<body>\n",
          page->style_hash, page->has_images ? " img-src data:;" : "", page->script ? " script-src 'sha256-" : "",
          page->script ? page->script_hash : "", page->script ? "';" : "", page->title, page->style);
}

void html_begin(FILE *out)
{
  html_open(out, &head);
}

void html_end(FILE *out)
{
  fputs("</body>\n</html>\n", out);
}

void html_text(FILE *out, const char *text)
{
  for (; *text != '\0'; text++) {
    unsigned char byte = (unsigned char)*text;
    if (strchr("<>&\"'", byte) != NULL)
      fprintf(out, "&#%u;", byte);
    else if (byte < 0x20 || byte > 0x7E)
      fprintf(out, "\\x%02X", byte);
    else
      fputc(byte, out);
  }
}

const char *html_count_text(uint64_t number, char text[HTML_COUNT_SIZE])
{
  char digits[24], *end = text;
  int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
  for (int i = 0; i < size; i++) {
    if (i > 0 && (size - i) % 3 == 0)
      end = stpcpy(end, "&#8239;");
    *end++ = digits[i];
  }
  *end = '\0';
  return text;
}

void html_count(FILE *out, uint64_t number)
{
  char text[HTML_COUNT_SIZE];
  fputs(html_count_text(number, text), out);
}

static void write_base64(FILE *out, FILE *file)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char three[3];
  for (size_t got; (got = fread(three, 1, sizeof three, file)) > 0;) {
    memset(three + got, 0, sizeof three - got);
    uint32_t bits = (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];
    for (size_t i = 0; i < 4; i++)
      fputc(i <= got ? digits[bits >> (18 - 6 * i) & 63] : '=', out);
  }
}

bool html_figure(FILE *out, const char *path, const char *caption)
{
  FILE *file = own_file_stream(path, "r", 0);
  if (file == NULL)
    return false;
  fputs("<figure><img alt=\"", out);
  html_text(out, caption);
  fputs("\" src=\"data:image/svg+xml;base64,", out);
  write_base64(out, file);
  fputs("\"><figcaption>", out);
  html_text(out, caption);
  fputs("</figcaption></figure>\n", out);
  fclose(file);
  return true;
}
