#include "train/session/session_backup.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "io/file/path.h"
#include "sluice/cluster.h"
#include "train/cluster/train_server.h"
#include "train/common/progress.h"

enum { REPLY_MILLIS = 2000, RESTORE_MILLIS = 600000 };

void sli_session_backup_initialize(sli_session_backup_t *backup, const sl_server_t *server, const char *checkpoint_dir,
                                   const char *title) {
  backup->server = server;
  backup->title = title;
  backup->secs = sli_train_server_ps_backup_secs(server);
  bool has_ps = server && sl_server_handle(server) && sl_server_count(server, "ps") > 0;
  if (has_ps && backup->secs > 0 && checkpoint_dir) backup->directory = sli_path_join(checkpoint_dir, "ps_backup");
  atomic_store(&backup->next_nanos, sli_clock_now_nanos() + (int64_t)(backup->secs * 1e9));
}

void sli_session_backup_deinitialize(sli_session_backup_t *backup) { free(backup->directory); }

static int ps_count(const sli_session_backup_t *backup) { return sl_server_count(backup->server, "ps"); }

bool sli_session_backup_is_due(const sli_session_backup_t *backup) {
  return backup->directory && !backup->is_stock && sli_clock_now_nanos() >= atomic_load(&backup->next_nanos);
}

void sli_session_backup_cut(sli_session_backup_t *backup, int64_t step) {
  atomic_store(&backup->next_nanos, sli_clock_now_nanos() + (int64_t)(backup->secs * 1e9));
  for (int i = 0; i < ps_count(backup) && !backup->is_stock; i++) {
    const char *address = sl_server_address(backup->server, "ps", i);
    TF_Status *status = TF_NewStatus();
    if (address) sl_cluster_backup(address, backup->directory, step, REPLY_MILLIS, status);
    backup->is_stock = TF_GetCode(status) == TF_UNIMPLEMENTED;
    // The session notices a ps that is lost.
    if (backup->is_stock)
      sli_progress_print(backup->title, "/job:ps/task:%d at %s is not a Sluice task: its variables are not backed up",
                         i, address);
    TF_DeleteStatus(status);
  }
}

// --- Recovery ---

typedef struct {
  int64_t *items;  // ascending
  size_t count;
} version_list_t;

static version_list_t list_versions(const sli_session_backup_t *backup, int task) {
  version_list_t list = {0};
  const char *address = sl_server_address(backup->server, "ps", task);
  TF_Status *status = TF_NewStatus();
  if (address) list.count = sl_cluster_backups(address, backup->directory, REPLY_MILLIS, &list.items, status);
  TF_DeleteStatus(status);
  return list;
}

static bool has_version(const version_list_t *list, int64_t step) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i] == step) return true;
  return false;
}

static bool restore_task(const sli_session_backup_t *backup, int task, int64_t step) {
  const char *address = sl_server_address(backup->server, "ps", task);
  TF_Status *status = TF_NewStatus();
  sl_cluster_restore_backup(address ? address : "", backup->directory, step, RESTORE_MILLIS, status);
  bool is_restored = TF_GetCode(status) == TF_OK;
  if (!is_restored)
    sli_progress_print(backup->title, "the backup of /job:ps/task:%d of global step %lld cannot be restored (%s)", task,
                       (long long)step, TF_Message(status));
  TF_DeleteStatus(status);
  return is_restored;
}

// Each lost task alone. The others keep their parameters.
static bool recover_alone(const sli_session_backup_t *backup, const sli_session_backup_need_t *need) {
  bool all = true;
  for (int i = 0; i < ps_count(backup) && all; i++) {
    if (!need->lost[i]) continue;
    version_list_t list = list_versions(backup, i);
    bool is_restored = false;
    for (size_t k = list.count; k > 0 && !is_restored && list.items[k - 1] > need->newer_than; k--) {
      is_restored = restore_task(backup, i, list.items[k - 1]);
      if (is_restored)
        sli_progress_print(
            backup->title,
            "/job:ps/task:%d has lost its variables: they are back, as of global step %lld; the other ps "
            "tasks keep theirs",
            i, (long long)list.items[k - 1]);
    }
    all = is_restored;
    free(list.items);
  }
  return all;
}

// The lost tasks last, so that the other workers wait until all is done.
static bool restore_all(const sli_session_backup_t *backup, const sli_session_backup_need_t *need, int64_t step) {
  bool all = true;
  for (int lost = 0; lost < 2; lost++)
    for (int i = 0; i < ps_count(backup) && all; i++)
      if (need->lost[i] == lost) all = restore_task(backup, i, step);
  return all;
}

static bool recover_together(const sli_session_backup_t *backup, const sli_session_backup_need_t *need) {
  int count = ps_count(backup);
  version_list_t *lists = sli_calloc((size_t)count, sizeof(*lists));
  for (int i = 0; i < count; i++) lists[i] = list_versions(backup, i);
  bool is_restored = false;
  for (size_t k = lists[0].count; k > 0 && !is_restored && lists[0].items[k - 1] > need->newer_than; k--) {
    int64_t step = lists[0].items[k - 1];
    bool is_common = true;
    for (int i = 1; i < count; i++) is_common = is_common && has_version(&lists[i], step);
    is_restored = is_common && restore_all(backup, need, step);
    if (is_restored)
      sli_progress_print(backup->title, "rolled all ps tasks back to their backup of global step %lld",
                         (long long)step);
  }
  for (int i = 0; i < count; i++) free(lists[i].items);
  free(lists);
  return is_restored;
}

bool sli_session_backup_recover(sli_session_backup_t *backup, const sli_session_backup_need_t *need) {
  if (!backup->directory || backup->is_stock) return false;
  return need->is_together ? recover_together(backup, need) : recover_alone(backup, need);
}
