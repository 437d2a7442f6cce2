/* tests/site/tree.h: a directory of files, served as they are. */
#ifndef STRATA_TESTS_SITE_TREE_H
#define STRATA_TESTS_SITE_TREE_H

#include "tests/site/server.h"

/* A `server_answer`; the context is the path of the directory (const char *).
 *
 * `/a/b?query` gives the file a/b, a directory its index.html; a directory asked for without the last slash is
 * a 301 to the one with it, as web servers do. `.` and `..` are refused. Links inside the tree are followed. */
void tree_answer(void *context, const http_request *request, http_reply *reply);

/* The file `path` (decoded, without query, starting with '/') stands for: PATH or PATH/index.html below `root`.
 * False if there is none, or if it is a directory asked for without its slash, which sets `*wants_slash`. */
bool tree_find(const char *root, const char *path, text *file, bool *wants_slash);

/* Append `size` bytes with %XX decoded; false if an escape is broken or gives a NUL. */
bool tree_unescape(text *out, const char *bytes, size_t size);

const char *tree_content_type(const char *path);

#endif
