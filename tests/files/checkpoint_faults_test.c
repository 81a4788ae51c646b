// Saves that are interrupted: the process is killed, or the disk is full, at every operation on files. Afterwards the
// `checkpoint` file must name a complete checkpoint, the old one or the new one.
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/checkpoint/checkpoint_files.h"
#include "io/checkpoint/checkpoint_reader.h"
#include "io/checkpoint/checkpoint_state.h"
#include "io/event/event_proto.h"
#include "io/event/event_writer.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "io/record/record.h"
#include "ops/common/testing.h"
#include "tests/files/faults.h"

// --- Checkpoints whose contents tell their step ---------------------------------------------------

enum { WEIGHTS = 20000, WORDS = 3 };  // more than a writer's buffer

static sli_tensor_t *weights_of(int64_t step) {
  sli_tensor_t *tensor = sli_testing_range(SLI_SHAPE(WEIGHTS));
  for (int i = 0; i < WEIGHTS; i++) SLI_DATA(float, tensor)[i] = (float)(step * WEIGHTS + i);
  return tensor;
}

static sli_tensor_t *strings(const char *const *values, int count) {
  sli_tensor_t *tensor = NULL;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_STRING, (int64_t[]){count}, 1, &tensor));
  for (int i = 0; i < count; i++) sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[i], values[i], strlen(values[i]));
  return tensor;
}

static sli_tensor_t *words_of(int64_t step) {
  char texts[WORDS][32];
  const char *values[WORDS];
  for (int i = 0; i < WORDS; i++) {
    snprintf(texts[i], sizeof(texts[i]), "%lld-%d", (long long)step, i);
    values[i] = texts[i];
  }
  return strings(values, WORDS);
}

static sli_kernel_value_t text(const char *value) { return TENSOR(sli_tensor_scalar_string(sli_view(value))); }

static sli_status_t *run_save_v2(sli_testing_device_t *h, const char *prefix, int64_t step) {
  static const char *const names[] = {"step", "weights", "words"}, *const slices[] = {"", "", ""};
  return sli_testing_device_run(
      h, "SaveV2",
      SLI_TESTING_INPUTS(text(prefix), TENSOR(strings(names, 3)), TENSOR(strings(slices, 3)),
                         TENSOR(sli_tensor_scalar_int64(step)), TENSOR(weights_of(step)), TENSOR(words_of(step))),
      NULL, 0);
}

// Two tasks save, half of the partitioned "weights" each; then one of them merges.
static sli_status_t *run_sharded_save(sli_testing_device_t *h, const char *prefix, int64_t step) {
  static const char *const names[2][2] = {{"weights", "step"}, {"weights", "words"}};
  static const char *const slices[2][2] = {{"20000 0,10000", ""}, {"20000 10000,10000", ""}};
  char *parts[2];
  sli_status_t *status = NULL;
  for (int i = 0; i < 2; i++) parts[i] = sli_format("%s_temp/part-%05d-of-00002", prefix, i);
  for (int i = 0; i < 2 && !status; i++) {
    sli_tensor_t *all = weights_of(step), *half = sli_testing_range(SLI_SHAPE(WEIGHTS / 2));
    memcpy(half->data, SLI_DATA(float, all) + i * (WEIGHTS / 2), sli_tensor_bytes(half));
    sli_tensor_release(all);
    status = sli_testing_device_run(
        h, "SaveV2",
        SLI_TESTING_INPUTS(text(parts[i]), TENSOR(strings(names[i], 2)), TENSOR(strings(slices[i], 2)), TENSOR(half),
                           TENSOR(i == 0 ? sli_tensor_scalar_int64(step) : words_of(step))),
        NULL, 0);
  }
  if (!status)
    status = sli_testing_device_run(h, "MergeV2Checkpoints",
                                    SLI_TESTING_INPUTS(TENSOR(strings((const char *const *)parts, 2)), text(prefix)),
                                    NULL, 0);
  for (int i = 0; i < 2; i++) free(parts[i]);
  return status;
}

static sli_status_t *run_save_v1(sli_testing_device_t *h, const char *path, int64_t step) {
  static const char *const names[] = {"step", "weights"};
  return sli_testing_device_run(h, "Save",
                                SLI_TESTING_INPUTS(text(path), TENSOR(strings(names, 2)),
                                                   TENSOR(sli_tensor_scalar_int64(step)), TENSOR(weights_of(step))),
                                NULL, 0);
}

// --- Scenes: an old checkpoint, and how the new one is saved ----------------------------------------

typedef sli_status_t *(*save_t)(sli_testing_device_t *h, const char *prefix, int64_t step);
typedef struct {
  const char *name;
  save_t save_old, save_new;
  const char *old_prefix, *new_prefix;
} scene_t;

static const scene_t scenes[] = {
    {"a new prefix", run_save_v2, run_save_v2, "model-1", "model-2"},
    {"the same prefix", run_save_v2, run_save_v2, "model", "model"},
    {"shards under a new prefix", run_sharded_save, run_sharded_save, "model-1", "model-2"},
    {"shards under the same prefix", run_sharded_save, run_sharded_save, "model", "model"},
    {"fewer shards under the same prefix", run_sharded_save, run_save_v2, "model", "model"},
    {"the first format", run_save_v1, run_save_v1, "model-1", "model-2"},
    {"the first format under the same name", run_save_v1, run_save_v1, "model", "model"},
};

// Saves, writes the state, deletes the checkpoint before: what a Saver does with max_to_keep=1.
static sli_status_t *run_saver(const char *directory, save_t save, const char *name, int64_t step, const char *before) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  char *prefix = sli_path_join(directory, name), *old = before ? sli_path_join(directory, before) : NULL;
  sli_status_t *status = save(&h, prefix, step);
  sli_checkpoint_state_t state = {.model_checkpoint_path = prefix};
  if (!status) status = sli_checkpoint_state_write(directory, NULL, &state, true);
  if (!status && old && strcmp(old, prefix) != 0) status = sli_checkpoint_delete(old);
  free(prefix);
  free(old);
  sli_testing_device_deinitialize(&h);
  return status;
}

static char *fresh_directory(void) {
  static int counter;
  char *name = sli_format("run%d", counter++), *directory = sli_path_join(sli_test_temporary_dir(), name);
  SLI_EXPECT_OK(sli_file_make_directories(directory));
  free(name);
  return directory;
}

static void remove_tree(const char *directory) {
  sli_path_list_t names;
  sli_status_t *status = sli_file_list(directory, &names);
  for (size_t i = 0; !status && i < names.count; i++) {
    char *path = sli_path_join(directory, names.items[i]);
    sli_file_info_t info = {0};
    sli_status_release(sli_file_info(path, &info));
    if (info.is_directory)
      remove_tree(path);
    else
      sli_status_release(sli_file_delete(path));
    free(path);
  }
  if (!status) sli_path_list_deinitialize(&names);
  sli_status_release(status);
  sli_status_release(sli_file_delete_directory(directory));
}

static void copy_files(const char *from, const char *to) {
  sli_path_list_t names;
  SLI_REQUIRE_OK(sli_file_list(from, &names));
  for (size_t i = 0; i < names.count; i++) {
    char *source = sli_path_join(from, names.items[i]), *target = sli_path_join(to, names.items[i]);
    sli_file_info_t info;
    SLI_EXPECT_OK(sli_file_info(source, &info));
    sli_string_t bytes = {0};
    sli_file_writer_t *writer = NULL;
    if (!info.is_directory) {
      SLI_EXPECT_OK(sli_file_read_whole(source, 1 << 24, &bytes));
      SLI_EXPECT_OK(sli_file_writer_open(target, SLI_FILE_EXCLUSIVE, &writer));
      SLI_EXPECT_OK(sli_file_writer_write(writer, bytes.data, bytes.size));
      SLI_EXPECT_OK(sli_file_writer_close(writer));
      sli_file_writer_release(writer);
      sli_string_deinitialize(&bytes);
    }
    free(source);
    free(target);
  }
  sli_path_list_deinitialize(&names);
}

// --- What must be there afterwards ---------------------------------------------------------------------

static bool read_tensor(sli_checkpoint_reader_t *reader, const char *name, void *data, size_t size) {
  const sli_bundle_entry_t *entry;
  sli_status_t *status = sli_checkpoint_reader_lookup(reader, sli_view(name), &entry);
  if (!status) status = sli_checkpoint_reader_read(reader, entry, NULL, data, size);
  if (status) sli_test_fail(__FILE__, __LINE__, "tensor %s: %s", name, sli_status_message(status));
  sli_status_release(status);
  return !status;
}

static void expect_words(sli_checkpoint_reader_t *reader, int64_t step) {
  const sli_bundle_entry_t *entry;
  sli_bundle_strings_t found = {0};
  SLI_REQUIRE_OK(sli_checkpoint_reader_lookup(reader, sli_view("words"), &entry));
  SLI_REQUIRE_OK(sli_checkpoint_reader_read_strings(reader, entry, NULL, &found));
  sli_tensor_t *wanted = words_of(step);
  SLI_EXPECT_INT(found.count, WORDS);
  for (size_t i = 0; i < found.count && i < WORDS; i++)
    SLI_EXPECT(sli_view_equal(found.items[i], sli_tensor_string_at(wanted, (int64_t)i)));
  sli_tensor_release(wanted);
  sli_bundle_strings_deinitialize(&found);
}

// The step of the newest checkpoint, all of whose tensors are of that step; 0 after a failure.
static int64_t latest_step(const char *directory, const char *where, long at) {
  char *latest = sli_checkpoint_latest(directory, NULL);
  sli_checkpoint_reader_t *reader = NULL;
  sli_status_t *status = latest ? sli_checkpoint_reader_open(latest, &reader)
                                : sli_status_make(SLI_NOT_FOUND, "the state names no checkpoint that is there");
  if (status) sli_test_fail(__FILE__, __LINE__, "%s, operation %ld: %s", where, at, sli_status_message(status));
  sli_status_release(status);
  int64_t step = 0;
  static float weights[WEIGHTS];
  if (reader && read_tensor(reader, "step", &step, sizeof(step)) &&
      read_tensor(reader, "weights", weights, sizeof(weights))) {
    for (int i = 0; i < WEIGHTS && step; i++)
      if (weights[i] != (float)(step * WEIGHTS + i)) {
        sli_test_fail(__FILE__, __LINE__, "%s, operation %ld: weights[%d] is of another step", where, at, i);
        step = 0;
      }
    const sli_bundle_entry_t *words;
    sli_status_t *none = sli_checkpoint_reader_lookup(reader, sli_view("words"), &words);
    if (!none) expect_words(reader, step);
    sli_status_release(none);
  }
  sli_checkpoint_reader_release(reader);
  free(latest);
  return step;
}

static bool has_leftovers(const char *directory) {
  sli_path_list_t names = {0};
  SLI_EXPECT_OK(sli_file_list(directory, &names));
  bool found = false;
  for (size_t i = 0; i < names.count; i++) found |= strstr(names.items[i], "tempstate") != NULL;
  sli_path_list_deinitialize(&names);
  return found;
}

// --- Killed ---------------------------------------------------------------------------------------------

// Runs |work| in a child; true if it came to its end.
static bool survives(void (*work)(void *context), void *context, faults_kind_t kind, long at) {
  fflush(NULL);
  pid_t child = fork();
  SLI_CHECK(child >= 0);
  if (child == 0) {
    faults_set(kind, at);
    work(context);
    _exit(0);
  }
  int result;
  SLI_CHECK(waitpid(child, &result, 0) == child);
  bool killed = WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL;
  if (!killed) SLI_EXPECT(WIFEXITED(result) && WEXITSTATUS(result) == 0);
  return !killed;
}

typedef struct {
  const scene_t *scene;
  const char *directory;
} save_work_t;

static void save_in_child(void *context) {
  const save_work_t *work = context;
  char *directory = faults_path(work->directory);
  const scene_t *scene = work->scene;
  sli_status_t *status = run_saver(directory, scene->save_new, scene->new_prefix, 2, scene->old_prefix);
  if (status) {
    fprintf(stderr, "%s\n", sli_status_message(status));
    _exit(1);
  }
  free(directory);
}

static char *prepare_old(const scene_t *scene) {
  char *directory = fresh_directory();
  SLI_EXPECT_OK(run_saver(directory, scene->save_old, scene->old_prefix, 1, NULL));
  return directory;
}

static void kill_everywhere(const scene_t *scene, faults_kind_t kind) {
  char *old = prepare_old(scene);
  bool seen[3] = {false};
  long at = 1;
  for (bool ended = false; !ended; at++) {
    char *directory = fresh_directory();
    copy_files(old, directory);
    ended = survives(save_in_child, &(save_work_t){scene, directory}, kind, at);
    int64_t step = latest_step(directory, scene->name, at);
    SLI_EXPECT(step == 1 || step == 2);
    if (step == 1 || step == 2) seen[step] = true;
    if (ended) {
      SLI_EXPECT_INT(step, 2);
      SLI_EXPECT(!has_leftovers(directory));
    } else {
      // Files that the killed save left do not disturb the next save.
      SLI_EXPECT_OK(run_saver(directory, scene->save_new, scene->new_prefix, 2, NULL));
      SLI_EXPECT_INT(latest_step(directory, scene->name, at), 2);
    }
    remove_tree(directory);
    free(directory);
    SLI_REQUIRE(at < 1000);
  }
  // Kills before and after the switch, and a save that has some operations to be killed at.
  SLI_EXPECT(seen[1] && seen[2] && at > 10);
  printf("%s: killed at each of %ld operations\n", scene->name, at - 2);
  remove_tree(old);
  free(old);
}

SLI_TEST(test_checkpoint_is_whole_wherever_the_process_is_killed) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(scenes); i++) kill_everywhere(&scenes[i], FAULTS_KILL);
}

SLI_TEST(test_checkpoint_is_whole_wherever_a_write_is_torn) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(scenes); i++) kill_everywhere(&scenes[i], FAULTS_KILL_TORN);
}

// --- Reads that fail or end early -------------------------------------------------------------------------

// Reads the newest checkpoint of |directory|; the values are checked only after every read has succeeded.
static sli_status_t *restore_all(const char *directory, int64_t *out_step, float *out_weights) {
  char *latest = sli_checkpoint_latest(directory, NULL);
  if (!latest) return sli_status_make(SLI_NOT_FOUND, "the state names no checkpoint that is there");
  sli_checkpoint_reader_t *reader = NULL;
  const sli_bundle_entry_t *entry;
  sli_status_t *status = sli_checkpoint_reader_open(latest, &reader);
  if (!status) status = sli_checkpoint_reader_lookup(reader, sli_view("step"), &entry);
  if (!status) status = sli_checkpoint_reader_read(reader, entry, NULL, out_step, sizeof(*out_step));
  if (!status) status = sli_checkpoint_reader_lookup(reader, sli_view("weights"), &entry);
  if (!status) status = sli_checkpoint_reader_read(reader, entry, NULL, out_weights, WEIGHTS * sizeof(float));
  sli_checkpoint_reader_release(reader);
  free(latest);
  return status;
}

static void fail_reads(const scene_t *scene, faults_kind_t kind) {
  char *directory = prepare_old(scene), *faulty = faults_path(directory);
  static float weights[WEIGHTS];
  long at = 1, failures = 0;
  for (bool ended = false; !ended; at++) {
    int64_t step = 0;
    memset(weights, 0, sizeof(weights));
    faults_set(kind, at);
    sli_status_t *status = restore_all(faulty, &step, weights);
    ended = faults_count() < at;
    faults_set(FAULTS_NONE, 0);
    failures += status != NULL;
    if (ended) SLI_EXPECT_OK(status);
    if (status) SLI_EXPECT(*sli_status_message(status));
    // A restore that does not fail has the right values.
    for (int i = 0; i < WEIGHTS && !status; i++) SLI_EXPECT(weights[i] == (float)(WEIGHTS + i));
    if (!status) SLI_EXPECT_INT(step, 1);
    if (!ended) sli_status_release(status);
    SLI_REQUIRE(at < 1000);
  }
  SLI_EXPECT(failures >= 3);
  printf("%s: each of %ld reads failed, %ld restores failed\n", scene->name, at - 2, failures);
  free(faulty);
  remove_tree(directory);
  free(directory);
}

SLI_TEST(test_a_restore_fails_or_is_right_wherever_a_read_fails) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(scenes); i++) {
    fail_reads(&scenes[i], FAULTS_READ);
    fail_reads(&scenes[i], FAULTS_READ_TORN);
  }
}

// --- A full disk ------------------------------------------------------------------------------------------

static void fill_everywhere(const scene_t *scene, faults_kind_t kind) {
  char *old = prepare_old(scene);
  long at = 1, failures = 0;
  for (bool ended = false; !ended; at++) {
    char *directory = fresh_directory();
    copy_files(old, directory);
    char *faulty = faults_path(directory);
    faults_set(kind, at);
    sli_status_t *status = run_saver(faulty, scene->save_new, scene->new_prefix, 2, scene->old_prefix);
    ended = faults_count() < at;
    faults_set(FAULTS_NONE, 0);
    int64_t step = latest_step(directory, scene->name, at);
    SLI_EXPECT(step == 1 || step == 2);
    if (status) {
      failures++;
      SLI_EXPECT_INT(sli_status_code(status), SLI_RESOURCE_EXHAUSTED);
      SLI_EXPECT_CONTAINS(sli_status_message(status), directory);
      SLI_EXPECT_CONTAINS(sli_status_message(status), strerror(ENOSPC));
    } else {
      SLI_EXPECT_INT(step, 2);
    }
    sli_status_release(status);
    SLI_EXPECT(!has_leftovers(directory));
    free(faulty);
    remove_tree(directory);
    free(directory);
    SLI_REQUIRE(at < 1000);
  }
  SLI_EXPECT(failures > 5);
  printf("%s: the disk was full at each of %ld operations, %ld saves failed\n", scene->name, at - 2, failures);
  remove_tree(old);
  free(old);
}

SLI_TEST(test_checkpoint_is_whole_wherever_the_disk_is_full) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(scenes); i++) {
    fill_everywhere(&scenes[i], FAULTS_FULL_ONCE);
    fill_everywhere(&scenes[i], FAULTS_FULL);
  }
}

// The same with a disk of the system's own making: one of |pages| pages.
static bool mount_disk(const char *directory, int pages) {
  char options[64];
  snprintf(options, sizeof(options), "size=%ld", (long)pages * sysconf(_SC_PAGESIZE));
  return mount("sluice", directory, "tmpfs", 0, options) == 0;
}

typedef struct {
  const scene_t *scene;
  const char *directory;
  bool *permitted;  // shared with the child
  int *failures;    // shared too
} disk_work_t;

static void save_to_small_disks(void *context) {
  disk_work_t *work = context;
  // As root a mount namespace will do; else one of users too, if the system lets us.
  *work->permitted = (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
                     mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
  bool succeeded = false;
  for (int pages = 8; *work->permitted && !succeeded && pages < 100; pages++) {
    if (!mount_disk(work->directory, pages)) {
      *work->permitted = false;
      break;
    }
    sli_status_t *status = run_saver(work->directory, work->scene->save_old, work->scene->old_prefix, 1, NULL);
    if (!status) {
      status = run_saver(work->directory, work->scene->save_new, work->scene->new_prefix, 2, NULL);
      if (status) {
        ++*work->failures;
        if (latest_step(work->directory, work->scene->name, pages) != 1) _exit(1);
        if (!strstr(sli_status_message(status), work->directory)) _exit(2);
        if (!strstr(sli_status_message(status), strerror(ENOSPC))) _exit(3);
      } else {
        if (latest_step(work->directory, work->scene->name, pages) != 2) _exit(4);
        succeeded = true;
      }
    }
    sli_status_release(status);
    if (umount(work->directory) != 0) _exit(5);
  }
  if (*work->permitted && !succeeded) _exit(6);
}

SLI_TEST(test_checkpoint_is_whole_on_a_full_tmpfs) {
  struct {
    bool permitted;
    int failures;
  } *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  SLI_REQUIRE(shared != MAP_FAILED);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(scenes); i++) {
    char *directory = fresh_directory();
    disk_work_t work = {&scenes[i], directory, &shared->permitted, &shared->failures};
    shared->failures = 0;
    SLI_EXPECT(survives(save_to_small_disks, &work, FAULTS_NONE, 0));
    free(directory);
    if (!shared->permitted) break;
    SLI_EXPECT(shared->failures > 0);
    printf("%s: %d sizes of a tmpfs too small for the new checkpoint\n", scenes[i].name, shared->failures);
  }
  if (!shared->permitted) printf("no tmpfs: mounting is not permitted here; the limit on file sizes stands in\n");
  munmap(shared, sizeof(*shared));
}

// Everywhere: a limit on the size of files, at which the system itself refuses a write.
static void save_within_limit(void *context) {
  disk_work_t *work = context;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, RLIM_INFINITY});
  sli_status_t *status = run_saver(work->directory, work->scene->save_new, work->scene->new_prefix, 2, NULL);
  if (!status) _exit(1);
  if (!strstr(sli_status_message(status), work->directory)) _exit(2);
  if (!strstr(sli_status_message(status), strerror(EFBIG))) _exit(3);
  sli_status_release(status);
}

SLI_TEST(test_checkpoint_is_whole_where_files_may_not_grow) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(scenes); i++) {
    char *directory = prepare_old(&scenes[i]);
    SLI_EXPECT(survives(save_within_limit, &(disk_work_t){&scenes[i], directory, NULL, NULL}, FAULTS_NONE, 0));
    SLI_EXPECT_INT(latest_step(directory, scenes[i].name, 0), 1);
    SLI_EXPECT(!has_leftovers(directory));
    free(directory);
  }
}

// --- Records ---------------------------------------------------------------------------------------------

enum { RECORDS = 300, FLUSH_EVERY = 60 };

typedef struct {
  char *path;
  sli_compression_t compression;
  int *flushed;  // shared with the child: records handed to the system
} record_work_t;

static void append_record(sli_string_t *out, int i) {
  sli_string_clear(out);
  for (int k = 0; k <= i; k++) sli_string_append_format(out, "%d,", i * k);
}

static void write_records(void *context) {
  record_work_t *work = context;
  char *path = faults_path(work->path);
  sli_record_writer_t *writer = NULL;
  sli_string_t record = {0};
  sli_status_t *status = sli_record_writer_open(path, SLI_FILE_TRUNCATE, work->compression, -1, &writer);
  for (int i = 0; i < RECORDS && !status; i++) {
    append_record(&record, i);
    status = sli_record_writer_write(writer, sli_view_of(record.data, record.size));
    if (status || (i + 1) % FLUSH_EVERY) continue;
    status = sli_record_writer_flush(writer);
    *work->flushed = i + 1;
  }
  if (!status) status = sli_record_writer_close(writer);
  if (status) _exit(1);
  sli_record_writer_release(writer);
  sli_string_deinitialize(&record);
  free(path);
}

static void kill_records(sli_compression_t compression, faults_kind_t kind) {
  int *flushed = mmap(NULL, sizeof(*flushed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  SLI_REQUIRE(flushed != MAP_FAILED);
  record_work_t work = {sli_path_join(sli_test_temporary_dir(), "records"), compression, flushed};
  sli_string_t wanted = {0};
  bool ended = false;
  for (long at = 2; !ended; at++) {  // the first makes the file
    *flushed = 0;
    ended = survives(write_records, &work, kind, at);
    sli_record_reader_t *reader = NULL;
    SLI_REQUIRE_OK(sli_record_reader_open(work.path, compression, 0, &reader));
    sli_status_t *status = NULL;
    int count = 0;
    for (sli_view_t record; !(status = sli_record_reader_read(reader, &record)); count++) {
      append_record(&wanted, count);
      SLI_EXPECT(sli_view_equal(record, sli_view_of(wanted.data, wanted.size)));
    }
    SLI_EXPECT(count >= *flushed && (!ended || count == RECORDS));
    // Short records are written whole or not at all; what is torn or packed ends with a word about it.
    bool may_be_torn = !ended && (kind == FAULTS_KILL_TORN || compression != SLI_COMPRESSION_NONE);
    if (sli_status_code(status) != SLI_OUT_OF_RANGE)
      SLI_EXPECT(may_be_torn && sli_status_code(status) == SLI_DATA_LOSS);
    sli_status_release(status);
    sli_record_reader_release(reader);
    SLI_EXPECT_OK(sli_file_delete(work.path));
    SLI_REQUIRE(at < 1000);
  }
  sli_string_deinitialize(&wanted);
  free(work.path);
  munmap(flushed, sizeof(*flushed));
}

SLI_TEST(test_records_are_whole_wherever_the_process_is_killed) {
  for (int c = SLI_COMPRESSION_NONE; c <= SLI_COMPRESSION_GZIP; c++) {
    kill_records((sli_compression_t)c, FAULTS_KILL);
    kill_records((sli_compression_t)c, FAULTS_KILL_TORN);
  }
}

static void write_events(void *context) {
  char *directory = faults_path(((save_work_t *)context)->directory);
  sli_event_writer_t *writer = NULL;
  sli_status_t *status = sli_event_writer_create(directory, NULL, &writer);
  for (int i = 0; i < 10 && !status; i++) {
    sli_string_t event = {0};
    sli_event_proto_summary(&event, 1, i, sli_view(""));
    status = sli_event_writer_add(writer, sli_view_of(event.data, event.size));
    if (!status) status = sli_event_writer_flush(writer);
    sli_string_deinitialize(&event);
  }
  if (!status) status = sli_event_writer_close(writer);
  if (status) _exit(1);
  sli_event_writer_release(writer);
  free(directory);
}

SLI_TEST(test_events_are_whole_wherever_the_process_is_killed) {
  bool ended = false;
  for (long at = 1; !ended; at++) {
    char *directory = fresh_directory();
    ended = survives(write_events, &(save_work_t){NULL, directory}, FAULTS_KILL, at);
    sli_path_list_t names;
    SLI_REQUIRE_OK(sli_file_list(directory, &names));
    size_t count = 0;
    for (size_t i = 0; i < names.count; i++) {
      char *path = sli_path_join(directory, names.items[i]);
      sli_record_reader_t *reader;
      SLI_REQUIRE_OK(sli_record_reader_open(path, SLI_COMPRESSION_NONE, 0, &reader));
      sli_status_t *status;
      for (sli_view_t record; !(status = sli_record_reader_read(reader, &record));) count++;
      SLI_EXPECT_INT(sli_status_code(status), SLI_OUT_OF_RANGE);
      sli_status_release(status);
      sli_record_reader_release(reader);
      free(path);
    }
    // Opening is an operation, and each event that was flushed is one.
    SLI_EXPECT_INT(count, at < 2 ? 0 : at - 2 < 11 ? at - 2 : 11);
    sli_path_list_deinitialize(&names);
    remove_tree(directory);
    free(directory);
    SLI_REQUIRE(at < 1000);
  }
}

SLI_TEST_MAIN(test_checkpoint_is_whole_wherever_the_process_is_killed,
              test_checkpoint_is_whole_wherever_a_write_is_torn, test_a_restore_fails_or_is_right_wherever_a_read_fails,
              test_checkpoint_is_whole_wherever_the_disk_is_full, test_checkpoint_is_whole_on_a_full_tmpfs,
              test_checkpoint_is_whole_where_files_may_not_grow, test_records_are_whole_wherever_the_process_is_killed,
              test_events_are_whole_wherever_the_process_is_killed)
