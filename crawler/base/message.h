/* Messages for people, on stderr. Text from outside is shown with its control bytes escaped, so that no URL and no file
 * name can draw on the terminal. */
#ifndef STRATA_CRAWLER_MESSAGE_H
#define STRATA_CRAWLER_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

/* "strata crawl: ...\n" */
void say_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Once, before anything is hashed: if it uses no AES instructions of the processor, it takes several times as long. */
void say_if_hashing_is_slow(const char *command);

/* A number with a comma every three digits; a size as "12.3 MB"; a duration as "1.9 s" or "2 h 05 min". */
enum { SAY_SIZE = 32 };
const char *say_count(uint64_t number, char text[SAY_SIZE]);
const char *say_bytes(uint64_t bytes, char text[SAY_SIZE]);
const char *say_seconds(double seconds, char text[SAY_SIZE]);

#endif
