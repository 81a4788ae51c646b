// How the lists of two tasks of a cluster differ.
#include <stdlib.h>

#include "dist/cluster/cluster.h"

enum { MAX_DIFFERENCES = 4 };

char *sli_cluster_short_name(const char *task_name) {
  static const char replica[] = "/replica:0";
  const char *found = strstr(task_name, replica);
  if (!found) return sli_strdup(task_name);
  return sli_format("%.*s%s", (int)(found - task_name), task_name, found + strlen(replica));
}

static const sli_cluster_entry_t *find(const sli_cluster_entry_t *entries, size_t count, const char *job, int index) {
  for (size_t i = 0; i < count; i++)
    if (entries[i].index == index && !strcmp(entries[i].job, job)) return &entries[i];
  return NULL;
}

const sli_cluster_entry_t *sli_cluster_find_entry(const sli_cluster_entry_t *entries, size_t count,
                                                  const char *task_name) {
  for (size_t i = 0; i < count; i++) {
    char *name = sli_format("/job:%s/replica:0/task:%d", entries[i].job, entries[i].index);
    bool is_it = !strcmp(name, task_name);
    free(name);
    if (is_it) return &entries[i];
  }
  return NULL;
}

static bool is_same_address(const char *a, const char *b, bool compares_hosts) {
  const char *x = strrchr(a, ':'), *y = strrchr(b, ':');
  if (!x || !y) return !strcmp(a, b);
  if (!strcmp(x, ":0") || !strcmp(y, ":0")) return true;  // the system chooses the port
  return !strcmp(compares_hosts ? a : x, compares_hosts ? b : y);
}

void sli_cluster_append_differences(const sli_cluster_t *cluster, const char *other, const sli_cluster_entry_t *entries,
                                    size_t count, bool compares_hosts, sli_string_t *out) {
  char *self = sli_cluster_short_name(sli_cluster_self(cluster)->task_name), *name = sli_cluster_short_name(other);
  size_t found = 0;
  for (size_t i = 0; i < cluster->tasks.count; i++) {
    const sli_cluster_task_t *task = &cluster->tasks.items[i];
    const sli_cluster_entry_t *entry = find(entries, count, task->job, task->index);
    if (entry && is_same_address(task->address, entry->address, compares_hosts)) continue;
    if (found++ >= MAX_DIFFERENCES) continue;
    sli_string_append_format(out, "%s%s %d is %s for %s, %s%s for %s", found > 1 ? "; " : "", task->job, task->index,
                             task->address, self, entry ? entry->address : "", entry ? "" : "not listed", name);
  }
  for (size_t i = 0; i < count; i++) {
    bool is_listed = false;
    for (size_t k = 0; k < cluster->tasks.count && !is_listed; k++)
      is_listed =
          cluster->tasks.items[k].index == entries[i].index && !strcmp(cluster->tasks.items[k].job, entries[i].job);
    if (is_listed || found++ >= MAX_DIFFERENCES) continue;
    sli_string_append_format(out, "%s%s %d is not listed for %s, %s for %s", found > 1 ? "; " : "", entries[i].job,
                             entries[i].index, self, entries[i].address, name);
  }
  if (found > MAX_DIFFERENCES) sli_string_append_format(out, "; and %zu more", found - MAX_DIFFERENCES);
  free(self);
  free(name);
}
