/* Files of a directory as responses. */
#include "tests/site/tree.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

const char *tree_content_type(const char *path)
{
  static const struct {
    const char *ending, *type;
  } types[] = {
    {".html", "text/html"},   {".htm", "text/html"},       {".xhtml", "application/xhtml+xml"},
    {".css", "text/css"},     {".js", "text/javascript"},  {".json", "application/json"},
    {".txt", "text/plain"},   {".xml", "application/xml"}, {".svg", "image/svg+xml"},
    {".png", "image/png"},    {".gif", "image/gif"},       {".jpg", "image/jpeg"},
    {".ico", "image/x-icon"}, {".woff", "font/woff"},      {".woff2", "font/woff2"},
  };
  const char *ending = strrchr(path, '.');
  for (size_t i = 0; ending && i < sizeof types / sizeof *types; i++)
    if (strcasecmp(ending, types[i].ending) == 0)
      return types[i].type;
  return "application/octet-stream";
}

bool tree_unescape(text *out, const char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    char byte = bytes[i];
    if (byte == '%') {
      if (i + 2 >= size || !isxdigit((unsigned char)bytes[i + 1]) || !isxdigit((unsigned char)bytes[i + 2]))
        return false;
      const char hex[] = {bytes[i + 1], bytes[i + 2], '\0'};
      byte = (char)strtol(hex, NULL, 16);
      i += 2;
    }
    if (byte == '\0')
      return false;
    text_add_byte(out, byte);
  }
  return true;
}

static bool has_dot_segment(const char *path)
{
  for (const char *segment = strchr(path, '/'); segment; segment = strchr(segment, '/')) {
    segment++;
    size_t size = strcspn(segment, "/");
    if ((size == 1 && segment[0] == '.') || (size == 2 && segment[0] == '.' && segment[1] == '.'))
      return true;
  }
  return false;
}

bool tree_find(const char *root, const char *path, text *file, bool *wants_slash)
{
  struct stat info;
  *wants_slash = false;
  if (path[0] != '/' || has_dot_segment(path))
    return false;
  text_clear(file);
  text_addf(file, "%s%s", root, path);
  if (stat(file->bytes, &info) != 0)
    return false;
  if (S_ISDIR(info.st_mode)) {
    if (path[strlen(path) - 1] != '/') {
      *wants_slash = true;
      return false;
    }
    text_add(file, "index.html");
    return stat(file->bytes, &info) == 0 && S_ISREG(info.st_mode);
  }
  return S_ISREG(info.st_mode);
}

void tree_answer(void *context, const http_request *request, http_reply *reply)
{
  static text path, file, location; /* reused by every request; `location` outlives the call, as promised */
  const http_span target = request->target;
  const char *query = memchr(target.bytes, '?', target.size);
  size_t path_size = query ? (size_t)(query - target.bytes) : target.size;
  bool wants_slash = false;
  text_clear(&path);
  reply->status = 404;
  if (!tree_unescape(&path, target.bytes, path_size))
    reply->status = 400;
  else if (tree_find(context, path.bytes, &file, &wants_slash) && text_add_file(&reply->body, file.bytes))
    reply->status = 200, reply->type = tree_content_type(file.bytes);
  if (wants_slash) {
    text_clear(&location);
    text_add_bytes(&location, target.bytes, path_size);
    text_add_byte(&location, '/');
    text_add_bytes(&location, target.bytes + path_size, target.size - path_size);
    reply->status = 301, reply->location = location.bytes;
  }
}
