/* The files of a WARC: where the next record goes, how much of them is committed, and their indexes. Part of warc.h. */
#ifndef STRATA_CRAWLER_WARC_FILES_H
#define STRATA_CRAWLER_WARC_FILES_H

#include "crawler/base/json.h"
#include "crawler/warc/warc.h"
#include "crawler/warc/warc_record.h"

typedef struct warc_files {
  const char *directory;
  unsigned number; /* of the open file, or of the last one */
  warc_file data;
  json lines; /* of the index, not on disk yet */
  int index_fd;
  uint64_t index_bytes;          /* on disk */
  char not_made[WARC_PATH_SIZE]; /* the file that the last call could not make; "": none */
} warc_files;

bool warc_files_init(warc_files *f, const char *directory); /* false: out of memory. `directory` is borrowed. */
void warc_files_free(warc_files *f);

/* Cuts what is behind `place` and sorts the indexes that a crash left unsorted. false: `message` says why not. */
bool warc_files_recover(warc_files *f, warc_place place, char message[WARC_MESSAGE_SIZE]);

/* A file is open that has fewer bytes than `file_bytes`; *is_new if it is empty. 0, or an errno: then all is as it was,
 * and the call may be repeated. */
int warc_files_ready(warc_files *f, uint64_t file_bytes, bool *is_new);

/* All is on disk. 0, or an errno: what may not be there waits, and the call may be repeated. */
int warc_files_settle(warc_files *f);
warc_place warc_files_place(const warc_files *f);

bool warc_files_sort(warc_files *f, char message[WARC_MESSAGE_SIZE]);

#endif
