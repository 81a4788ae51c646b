// Shared by the files of this room: where the versions of a task are.
#ifndef SLI_DIST_BACKUP_BACKUP_INTERNAL_H_
#define SLI_DIST_BACKUP_BACKUP_INTERNAL_H_

#include "base/map.h"
#include "base/sync.h"
#include "dist/backup/backup.h"

// What the last version knows of a variable: the values have not changed where the hashes have not.
typedef struct {
  sli_dtype_t dtype;
  int rank;
  int64_t dims[SLI_MAX_RANK];
  size_t block_count;
  uint64_t *hashes;
} sli_backup_record_t;

struct sli_backup {
  sli_env_t *env;
  sli_resource_manager_t *resources;
  char *folder;       // "ps-0"
  sli_event_t never;  // to sleep for a time
  sli_mutex_t mutex;
  bool is_busy;     // under mutex: a version is written, or one is restored
  bool is_over;     // under mutex: the job is done, and the versions are not needed any more
  char *directory;  // under mutex: of the last version; NULL: none yet
  // Used by whoever has set |is_busy|.
  sli_map_t records;  // by key
  int64_t previous;   // the step of the last version
  int64_t last_full;  // the step of the last full one; -1: none
  int versions;       // since the last full one; 0: the next must be full
  bool has_warned;    // of variables that are not backed up
};

// A version on disk.
typedef struct {
  int64_t step;
  bool is_full;
} sli_backup_version_t;
typedef SLI_ARRAY(sli_backup_version_t) sli_backup_versions_t;

// The key of the value that links a delta to the version before it.
#define SLI_BACKUP_PREVIOUS "sluice_backup/previous"

// DIRECTORY/ps-0, and the prefix of a version in there. New.
char *sli_backup_task_directory(const sli_backup_t *backup, const char *directory);
char *sli_backup_prefix(const char *task_directory, sli_backup_version_t version);
// The versions in |task_directory|, by step. Files of versions that were not finished are deleted if |cleans|.
sli_status_t *sli_backup_find_versions(const char *task_directory, bool cleans, sli_backup_versions_t *out_versions);
// Deletes the versions whose step is not in [first, last].
void sli_backup_delete_outside(const char *task_directory, int64_t first, int64_t last);
// Waits until nothing is written, and becomes busy.
void sli_backup_begin(sli_backup_t *backup);
void sli_backup_end(sli_backup_t *backup);
void sli_backup_forget_records(sli_backup_t *backup);

#endif  // SLI_DIST_BACKUP_BACKUP_INTERNAL_H_
