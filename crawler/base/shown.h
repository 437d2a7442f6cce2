/* Text from outside, as it is shown to people: URLs, names of files, words of a command line, bodies. Nothing in it can
 * act on a terminal, turn or break a line, or pretend to be another message of ours.
 *
 * What utf8_is_control names, and what is not UTF-8, is shown as \xNN, one for each byte: "\x1B[2J", "\xC2\x9B31m". All
 * else is shown as it is, a backslash too: what is shown is for eyes; JSON is for programs.
 *
 * Where: in everything on standard error, and on standard output in lines that are not JSON, in files and pipes as well
 * as on terminals. Only `strata show` and `strata uniq` pass bytes on as they are, and not to a terminal. */
#ifndef STRATA_CRAWLER_SHOWN_H
#define STRATA_CRAWLER_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A word of a line: line feeds and tabs in it are shown as \x0A and \x09. */
void shown_put(FILE *to, const char *text);
void shown_put_bytes(FILE *to, const char *text, size_t size);

/* A line of standard output. */
void shown_puts(const char *text);

/* The same into memory, of `room` bytes, 1 or more, with a NUL. What does not fit is cut off, behind a whole character.
 * Returns `to`. */
char *shown_text(const char *text, char *to, size_t room);

/* Is there anything in it that is not shown as it is? */
bool shown_differs(const char *text);

/* From now on, whatever passes through stdout or stderr to a terminal is shown in this way; there, line feeds and tabs
 * stay, and CR before LF is left out. A terminal that does not say that it shows UTF-8 (LC_ALL, LC_CTYPE, LANG) gets
 * ASCII. Files and pipes get every byte. Called once, before anything is written and any thread started. */
void shown_guard_terminals(void);

/* Does the guard stand before standard output? Then write(2) must not pass it by. */
bool shown_is_guarded(void);

#endif
