/* Messages for people, on stderr. Each is one line, shown as shown.h says: no URL and no file name in it can draw on a
 * terminal, or begin another line. */
#ifndef STRATA_CRAWLER_MESSAGE_H
#define STRATA_CRAWLER_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

/* "strata crawl: ...\n" */
void say_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From now on what is said for `command` is said for `name`, which runs it. `name` stays. */
void say_as(const char *command, const char *name);
const char *say_name(const char *command); /* as it is said */

/* The same line without "strata crawl: ". */
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As say_note; on a terminal in grey, unless NO_COLOR is set: what matters less than the lines beside it. */
void say_dim(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Once, before anything is hashed: if it uses no AES instructions of the processor, it takes several times as long. */
void say_if_hashing_is_slow(const char *command);

/* A number with a comma every three digits; a size as "12.3 MB"; a duration as "1.9 s" or "2 h 05 min". */
enum { SAY_SIZE = 32 };
const char *say_count(uint64_t number, char text[SAY_SIZE]);
/* The same with its noun: "1 page", "2,000 pages". */
enum { SAY_MANY_SIZE = 2 * SAY_SIZE };
const char *say_many(uint64_t number, const char *noun, char text[SAY_MANY_SIZE]);
const char *say_bytes(uint64_t bytes, char text[SAY_SIZE]);
const char *say_seconds(double seconds, char text[SAY_SIZE]);

/* "12 links wait to be confirmed; 340 URLs came late" */
enum { SAY_LATE_SIZE = 2 * SAY_SIZE + 64 };
const char *say_late(uint64_t unconfirmed, uint64_t late, char text[SAY_LATE_SIZE]);

#endif
