#include "datasets/html.h"

#include <stdlib.h>
#include <string.h>

void html_text(FILE *to, const char *text)
{
  for (; *text != '\0'; text++) {
    unsigned char byte = (unsigned char)*text;
    if (strchr("<>&\"'", byte) != NULL)
      fprintf(to, "&#%u;", byte);
    else if (byte < 0x20 || byte > 0x7E)
      fprintf(to, "\\x%02X", byte);
    else
      fputc(byte, to);
  }
}

void html_count(FILE *to, uint64_t number)
{
  char digits[24];
  int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
  for (int i = 0; i < size; i++) {
    if (i > 0 && (size - i) % 3 == 0)
      fputs("&#8239;", to);
    fputc(digits[i], to);
  }
}

static void write_base64(FILE *to, FILE *from)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char three[3];
  for (size_t got; (got = fread(three, 1, sizeof three, from)) > 0;) {
    memset(three + got, 0, sizeof three - got);
    uint32_t bits = (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];
    for (size_t i = 0; i < 4; i++)
      fputc(i <= got ? digits[bits >> (18 - 6 * i) & 63] : '=', to);
  }
}

bool html_figure(FILE *to, const char *path, const char *caption)
{
  FILE *from = fopen(path, "r");
  if (from == NULL)
    return false;
  fputs("<figure><img alt=\"", to);
  html_text(to, caption);
  fputs("\" src=\"data:image/svg+xml;base64,", to);
  write_base64(to, from);
  fputs("\"><figcaption>", to);
  html_text(to, caption);
  fputs("</figcaption></figure>\n", to);
  fclose(from);
  return true;
}
