// Kills a ps while it backs up its variables (--ps_backup) and starts it again: the training continues with the backup.
// Asynchronous: the other ps keeps its variables. Synchronous: all go back to one step. Without backups only the lost
// ps goes back to the last checkpoint. The workers keep running, also if the ps comes back at another address.
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "tests/train/cluster.h"

enum { PATIENCE_MILLIS = 60000 };

#define COMMON "--step_millis=20", "--save_steps=1000000", "--steps=1000000", "--until_told"

typedef struct {
  const char *name;
  const char *flags[9];
  int victim;           // the ps that is killed
  bool damages;         // its newest version is damaged before it is started again
  bool moves;           // it is started again at another address
  const char *said[2];  // by the chief
} case_t;

static const case_t cases[] = {
    {"async",
     {COMMON, "--ps_backup=0.5"},
     1,
     .said = {"/job:ps/task:1 has lost its variables: they are back, as of global step ", "continuing with it"}},
    {"async-step",
     {COMMON, "--ps_backup=0.5"},
     0,
     .said = {"/job:ps/task:0 has lost its variables: they are back, as of global step ", "continuing with it"}},
    {"sync",
     {COMMON, "--ps_backup=0.5", "--sync"},
     1,
     .said = {"rolled all ps tasks back to their backup of global step ", "continuing with it"}},
    {"damaged",
     {COMMON, "--ps_backup=0.5"},
     1,
     .damages = true,
     .said = {"cannot be restored (", "they are back, as of global step "}},
    {"moved",
     {COMMON, "--ps_backup=0.5"},
     1,
     .moves = true,
     .said = {"/job:ps/task:1 has lost its variables: they are back, as of global step ", "continuing with it"}},
    {"moved-sync",
     {COMMON, "--ps_backup=0.5", "--sync"},
     0,
     .moves = true,
     .said = {"rolled all ps tasks back to their backup of global step ", "continuing with it"}},
    {"checkpoint",
     {"--step_millis=20", "--save_steps=50", "--steps=1000000", "--until_told", "--ps_backup=0"},
     1,
     .said = {"/job:ps/task:1 has lost its variables: they are those of ", "the other ps tasks keep theirs"}},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); }

// The newest of the versions of the victim; NULL if there are fewer than |least|. New.
static char *newest_version(const train_cluster_t *cluster, int ps, size_t least) {
  char *pattern = sli_format("%s/logs/ps_backup/ps-%d/*.index", cluster->directory, ps);
  sli_path_list_t paths = {0};
  SLI_EXPECT_OK(sli_file_match(pattern, &paths));
  char *newest = NULL;
  for (size_t i = 0; i < paths.count && paths.count >= least; i++) {
    const char *step = strrchr(paths.items[i], '-');
    if (!newest || strcmp(strrchr(newest, '-'), step) < 0) {
      free(newest);
      newest = sli_strdup(paths.items[i]);
    }
  }
  sli_path_list_deinitialize(&paths);
  free(pattern);
  return newest;
}

static void wait_for_versions(const train_cluster_t *cluster, int ps, size_t least) {
  char *found = NULL;
  for (int64_t end = sli_clock_deadline_after_millis(PATIENCE_MILLIS); !found && sli_clock_now_nanos() < end; nap())
    found = newest_version(cluster, ps, least);
  if (!found) sli_test_fail(__FILE__, __LINE__, "%s: ps %d has no %zu backups", cluster->name, ps, least);
  free(found);
}

// Changes a byte of the values of the newest version.
static void damage_version(const train_cluster_t *cluster, int ps) {
  char *index = newest_version(cluster, ps, 1);
  SLI_EXPECT(index != NULL);
  if (!index) return;
  *strrchr(index, '.') = '\0';
  char *data = sli_format("%s.data-00000-of-00001", index);
  FILE *file = fopen(data, "r+b");
  SLI_EXPECT(file != NULL);
  if (file) {
    int byte = fgetc(file);
    rewind(file);
    fputc(byte ^ 0x40, file);
    fclose(file);
  }
  free(data);
  free(index);
}

static void strike(train_cluster_t *cluster, const case_t *job) {
  bool has_backups = strcmp(job->name, "checkpoint") != 0;
  for (int i = 0; i < 2; i++) train_task_expect(cluster, train_worker(cluster, i), "first step ");
  if (has_backups) wait_for_versions(cluster, job->victim, job->damages ? 3 : 2);
  train_task_signal(train_ps(cluster, job->victim), SIGKILL);
  if (job->damages) damage_version(cluster, job->victim);
  if (job->moves) cluster->ports[job->victim] = sli_test_free_port();
  train_task_start(cluster, train_ps(cluster, job->victim));
}

static void check(train_cluster_t *cluster, const case_t *job) {
  for (int i = 0; i < 2; i++) train_task_expect(cluster, train_worker(cluster, 0), job->said[i]);
  for (int i = 0; i < 2; i++) train_task_expect_progress(cluster, train_worker(cluster, i));
  train_cluster_end(cluster);
  train_cluster_expect_success(cluster);
  for (int i = 0; i < cluster->worker_count; i++) {
    SLI_EXPECT_INT(train_worker(cluster, i)->starts, 1);
    // The step is on the first ps.
    char *said = train_task_output(cluster, train_worker(cluster, i));
    if (job->victim == 1 && !strstr(job->name, "sync") && strstr(said, "fell to step"))
      sli_test_fail(__FILE__, __LINE__, "%s: the step was lost:\n%s", job->name, said);
    free(said);
  }
  SLI_EXPECT(train_cluster_checkpoint(cluster) > 0);
  char *directory = sli_format("%s/logs/ps_backup", cluster->directory);
  if (sli_file_exists(directory)) sli_test_fail(__FILE__, __LINE__, "%s: the backups are still there", job->name);
  free(directory);
}

SLI_TEST(test_a_lost_ps_continues_from_its_backup) {
  static train_cluster_t clusters[CASES];
  for (int i = 0; i < CASES; i++) {
    train_cluster_initialize(&clusters[i], cases[i].name, 2, 2, cases[i].flags);
    train_cluster_start(&clusters[i]);
  }
  for (int i = 0; i < CASES; i++) strike(&clusters[i], &cases[i]);
  for (int i = 0; i < CASES; i++) check(&clusters[i], &cases[i]);
  for (int i = 0; i < CASES; i++) train_cluster_deinitialize(&clusters[i]);
}

TRAIN_TEST_MAIN(test_a_lost_ps_continues_from_its_backup)
