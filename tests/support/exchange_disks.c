/* Processes of an exchange's world, their directories, and copies elsewhere.
 *
 * A kill: the directory's file is copied as it is, which is what a crash would leave, and opened; the old handle and
 * its directory go. */
#include "tests/support/exchange_inside.h"

#include "frontier/admin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- directories ----------------------------------------------------------------------------------------- */

void world_name_directory(world *w, char directory[SCRATCH_PATH])
{
  char name[32];
  snprintf(name, sizeof name, "d%u", w->names++);
  scratch_join(w->root, name, directory);
}

void world_open(world *w, actor *a)
{
  static const uint8_t key[FRONTIER_ROUTE_KEY_BYTES] = "an exchange key";
  static const uint8_t secret[MLBF_SECRET_BYTES] = "the secret of a test";
  char message[FRONTIER_MESSAGE_SIZE];
  const frontier_options options = {.filter = MLBF_KIND_BLOOM,
                                    .expected_urls = 16,
                                    .rate = w->is_exact ? 0.6 : 1e-9,
                                    .exact = w->is_exact,
                                    .per_host = 2,
                                    .depth_cap = UINT16_MAX,
                                    .secret = secret,
                                    .map_size = FRONTIER_MAP_MIN,
                                    .partitions = w->partitions,
                                    .partition = a->own,
                                    .route_key = key,
                                    .linger_ms = 100,
                                    .keeps_copies = w->lie != LIE_DROPPED_AT_HAVE};
  frontier_life life;
  frontier_status status = frontier_open(a->directory, &options, &a->f, message);
  if (status != FRONTIER_OK) {
    a->f = NULL;
    world_fault(w, "opening: %d, %.200s", (int)status, message);
    return;
  }
  frontier_life_read(a->f, &life);
  if (life.incarnation > w->lives[a->own])
    w->lives[a->own] = life.incarnation;
}

void world_close(actor *a)
{
  if (a->f) {
    frontier_close(a->f);
    scratch_remove(a->directory);
  }
  *a = (actor){.own = a->own};
}

/* As a crash would leave it. */
static void copy_file(const char *from, const char *to)
{
  char path[SCRATCH_PATH];
  size_t size;
  scratch_join(from, "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  mkdir(to, 0700);
  scratch_join(to, "data.mdb", path);
  scratch_write(path, bytes, size);
  free(bytes);
}

void world_kill(world *w, actor *a)
{
  actor next = {.own = a->own};
  world_name_directory(w, next.directory);
  copy_file(a->directory, next.directory);
  world_close(a);
  *a = next;
  world_open(w, a);
  w->result->kills++;
}

/* ---- copies elsewhere ------------------------------------------------------------------------------------ */

void world_drop_copies(world *w, uint32_t p, size_t count)
{
  for (size_t i = 0; i < count; i++)
    scratch_remove(w->copies[p][i].directory);
  memmove(w->copies[p], w->copies[p] + count, (w->copy_count[p] - count) * sizeof **w->copies);
  w->copy_count[p] -= count;
}

static void say_kept(world *w, actor *a, const copy *c)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_life life;
  frontier_life_read(a->f, &life);
  frontier_status wanted = c->incarnation == life.incarnation ? FRONTIER_OK : FRONTIER_MISMATCH;
  if (frontier_inbox_kept(a->f, c->directory, message) != wanted)
    world_fault(w, "kept: %.200s", message);
}

/* It is told of some time later, and then older ones may be removed. */
void world_take_copy(world *w, uint32_t p)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_life life;
  actor *a = &w->current[p];
  if (w->copy_count[p] == COPIES)
    return;
  copy *c = &w->copies[p][w->copy_count[p]];
  world_name_directory(w, c->directory);
  frontier_life_read(a->f, &life);
  c->incarnation = life.incarnation;
  if (frontier_snapshot(a->f, c->directory, NULL, message) != FRONTIER_OK) {
    world_fault(w, "a snapshot: %.200s", message);
    return;
  }
  if (w->lie == LIE_KEPT_TOO_SOON) {
    say_kept(w, a, c); /* and it never arrives elsewhere */
    if (w->copy_count[p] > 0) {
      scratch_remove(c->directory);
      return;
    }
  }
  w->copy_count[p]++;
}

void world_copy_arrives(world *w, uint32_t p)
{
  if (!w->copy_count[p] || w->lie == LIE_KEPT_TOO_SOON)
    return;
  size_t which = world_roll(w, w->copy_count[p]);
  frontier_life life;
  say_kept(w, &w->current[p], &w->copies[p][which]);
  frontier_life_read(w->current[p].f, &life);
  if (w->copies[p][which].incarnation == life.incarnation)
    world_drop_copies(w, p, which);
}

/* The disk is lost, or is thought to be lost: then the old process goes on for a while. */
void world_restore(world *w, uint32_t p)
{
  char message[FRONTIER_MESSAGE_SIZE];
  actor *a = &w->current[p];
  if (!w->copy_count[p])
    return;
  size_t which = world_roll(w, w->copy_count[p]);
  world_close(&w->ghosts[p]);
  if (world_roll(w, 2)) {
    w->ghosts[p] = *a;
    *a = (actor){.own = p};
  } else {
    world_close(a);
  }
  world_name_directory(w, a->directory);
  copy_file(w->copies[p][which].directory, a->directory);
  uint64_t least = w->lie == LIE_LIFE_OF_COPY ? 0 : ++w->now_ms; /* no two lives begin in one millisecond */
  if (w->lie != LIE_NO_NEW_LIFE && frontier_incarnate(a->directory, least, NULL, message) != FRONTIER_OK)
    world_fault(w, "a new life: %.200s", message);
  world_open(w, a);
  w->result->restores++;
}
