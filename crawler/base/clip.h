/* A line cut to a width as a terminal counts it: wide characters take two columns, combining ones none. What is no
 * printable character becomes '?', so that nothing in the line can move the cursor. */
#ifndef STRATA_CRAWLER_CLIP_H
#define STRATA_CRAWLER_CLIP_H

#include <stddef.h>

/* The beginning of `text`, at most `columns` wide, into `line` with a NUL; the last column is '~' if something was
 * cut off. Returns the width. `is_utf8`: the terminal shows UTF-8; else every byte over 0x7E becomes '?'. */
size_t clip_line(const char *text, size_t columns, int is_utf8, char *line, size_t size);

/* Does the environment say that the terminal shows UTF-8? */
int clip_is_utf8(void);

#endif
