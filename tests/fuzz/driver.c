// Runs a fuzz target over a corpus and over seeded mutations of it. In a build
// with coverage (SLUICE_FUZZ, gcc's trace-pc) inputs that reach new code join the
// corpus, so that a long run reaches more and more code; without coverage it is a
// quick check that uses the same inputs every time.
//
//   fuzz_x [--runs=N] [--seconds=N] [--seed=N] [--save=FOLDER] CORPUS_FOLDER|FILE...
//
// A crash, a sanitizer's finding or a hang writes the input to the file "crash-x"
// and ends with a non-zero exit code.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "tests/fuzz/fuzz.h"

#define MAX_INPUT_SIZE (1 << 16)
#define HANG_SECONDS 20
#define MAP_SIZE (1 << 16)

typedef struct {
  uint8_t *data;
  size_t size;
} input_t;

typedef SLI_ARRAY(input_t) corpus_t;

static const char *target_name;
static const uint8_t *current_data;
static size_t current_size;
static char scratch[64];

static void fail(const char *what, const char *path) {
  fprintf(stderr, "%s: %s %s: %s\n", target_name, what, path, strerror(errno));
  exit(2);
}

// Coverage: gcc calls this at every edge when asked to (-fsanitize-coverage=trace-pc).

static uint8_t seen[MAP_SIZE], reached[MAP_SIZE];

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
  uintptr_t at = (uintptr_t)__builtin_return_address(0);
  reached[(at ^ at >> 16) & (MAP_SIZE - 1)] = 1;
}

// Whether the last run reached code that none before it did.
static bool is_new(void) {
  bool fresh = false;
  for (size_t i = 0; i < MAP_SIZE; i++)
    if (reached[i] && !seen[i]) seen[i] = fresh = true;
  memset(reached, 0, sizeof(reached));
  return fresh;
}

// What to do when the target fails.

static void save(const char *path, const uint8_t *data, size_t size) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) return;
  while (size > 0) {
    ssize_t part = write(fd, data, size);
    if (part <= 0) break;
    data += part;
    size -= (size_t)part;
  }
  close(fd);
}

static void keep_input(void) {
  char path[128];
  snprintf(path, sizeof(path), "crash-%s", target_name);
  save(path, current_data, current_size);
  static const char text[] = "fuzz: the input that failed is in the file crash-<target>\n";
  if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) return;
}

static void on_signal(int number) {
  keep_input();
  signal(number, SIG_DFL);
  raise(number);
}

__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));
// The runtime of -fsanitize=undefined has no such callback, and would only exit.
__attribute__((visibility("default"))) const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "abort_on_error=1:print_stacktrace=1"; }

static void catch_failures(void) {
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
  static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM};
  for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
    // Of a sanitizer's build the sanitizer handles all but hangs and broken invariants.
    if (!__sanitizer_set_death_callback || signals[i] == SIGALRM || signals[i] == SIGABRT)
      signal(signals[i], on_signal);
}

static void run(const uint8_t *data, size_t size) {
  // A block of its very size: reading past it is seen.
  uint8_t *copy = sli_malloc(size ? size : 1);
  if (size) memcpy(copy, data, size);
  current_data = copy;
  current_size = size;
  alarm(HANG_SECONDS);
  fuzz_one(copy, size);
  alarm(0);
  free(copy);
}

// For targets.

const char *fuzz_file(const char *name, const uint8_t *data, size_t size) {
  static char paths[4][128];
  static int next;
  if (!scratch[0]) {
    snprintf(scratch, sizeof(scratch), "/tmp/sluice-fuzz-XXXXXX");
    if (!mkdtemp(scratch)) fail("cannot make", scratch);
  }
  char *path = paths[next++ % 4];
  snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
  save(path, data, size);
  return path;
}

sli_view_t fuzz_part(const uint8_t **data, size_t *size) {
  if (*size < 2) return (sli_view_t){0};
  size_t length = (size_t)((*data)[0] | (*data)[1] << 8);
  *data += 2;
  *size -= 2;
  if (length > *size) length = *size;
  sli_view_t part = {(const char *)*data, length};
  *data += length;
  *size -= length;
  return part;
}

static void remove_scratch(void) {
  DIR *folder = scratch[0] ? opendir(scratch) : NULL;
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));) unlinkat(dirfd(folder), entry->d_name, 0);
  closedir(folder);
  rmdir(scratch);
}

// The corpus.

static void add_file(corpus_t *corpus, const char *path) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) fail("cannot open", path);
  uint8_t *data = sli_malloc(MAX_INPUT_SIZE);
  ssize_t size = read(fd, data, MAX_INPUT_SIZE);
  close(fd);
  if (size < 0) fail("cannot read", path);
  sli_array_push(corpus, (input_t){data, (size_t)size});
}

static int compare_names(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_path(corpus_t *corpus, const char *path) {
  struct dirent **entries;
  int count = scandir(path, &entries, NULL, compare_names);
  if (count < 0) {
    add_file(corpus, path);
    return;
  }
  for (int i = 0; i < count; i++) {
    char file[1024];
    snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
    struct stat info;
    if (!stat(file, &info) && S_ISREG(info.st_mode)) add_file(corpus, file);
    free(entries[i]);
  }
  free(entries);
}

// Mutations. Small steps, a few at a time: what is nearly right gets deepest.

static uint64_t random_state;

static uint64_t random_next(void) {  // splitmix64
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static size_t random_below(size_t limit) { return limit ? (size_t)(random_next() % limit) : 0; }

static void insert(input_t *input, size_t at, const uint8_t *bytes, size_t count) {
  if (input->size + count > MAX_INPUT_SIZE) return;
  memmove(input->data + at + count, input->data + at, input->size - at);
  memcpy(input->data + at, bytes, count);
  input->size += count;
}

static void erase(input_t *input, size_t at, size_t count) {
  memmove(input->data + at, input->data + at + count, input->size - at - count);
  input->size -= count;
}

static void overwrite_number(input_t *input, size_t at) {
  static const int64_t numbers[] = {0,      1,      -1,         127,        128,       255,      256,
                                    0x7fff, 0x8000, 0x7fffffff, 0x80000000, INT64_MAX, INT64_MIN};
  static const size_t widths[] = {1, 2, 4, 8};
  int64_t number = numbers[random_below(sizeof(numbers) / sizeof(numbers[0]))];
  size_t width = widths[random_below(4)];
  for (size_t i = 0; i < width && at + i < input->size; i++) input->data[at + i] = (uint8_t)(number >> 8 * i);
}

static void mutate(input_t *input, const corpus_t *corpus) {
  size_t at = random_below(input->size + 1);
  size_t left = input->size - at;
  uint8_t byte = (uint8_t)random_next();
  switch (random_below(8)) {
    case 0:
      if (left) input->data[at] ^= (uint8_t)(1 << random_below(8));
      break;
    case 1:
      if (left) input->data[at] = byte;
      break;
    case 2: insert(input, at, &byte, 1); break;
    case 3: erase(input, at, random_below(left < 16 ? left + 1 : 16)); break;
    case 4: overwrite_number(input, at); break;
    case 5: {  // repeat a piece of the input
      size_t count = random_below(left < 64 ? left + 1 : 64);
      uint8_t piece[64];
      memcpy(piece, input->data + at, count);
      insert(input, random_below(input->size + 1), piece, count);
      break;
    }
    case 6: {  // a piece of another
      const input_t *other = &corpus->items[random_below(corpus->count)];
      size_t from = random_below(other->size + 1);
      size_t rest = other->size - from;
      insert(input, at, other->data + from, random_below(rest < 256 ? rest + 1 : 256));
      break;
    }
    default: input->size = at; break;  // cut short
  }
}

static void add_found(corpus_t *corpus, const input_t *input, const char *folder) {
  uint8_t *data = sli_malloc(input->size ? input->size : 1);
  if (input->size) memcpy(data, input->data, input->size);
  sli_array_push(corpus, (input_t){data, input->size});
  if (!folder) return;
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < input->size; i++) hash = (hash ^ input->data[i]) * 1099511628211u;
  char path[1024];
  snprintf(path, sizeof(path), "%s/%016llx", folder, (unsigned long long)hash);
  save(path, input->data, input->size);
}

typedef struct {
  uint64_t runs, seconds;
  const char *save_folder;
} options_t;

static uint64_t fuzz(corpus_t *corpus, const options_t *options) {
  input_t input = {.data = sli_malloc(MAX_INPUT_SIZE)};
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  time_t end = now.tv_sec + (time_t)options->seconds;
  uint64_t done = 0;
  for (; !options->runs || done < options->runs; done++) {
    if (options->seconds && done % 64 == 0 && (clock_gettime(CLOCK_MONOTONIC, &now), now.tv_sec >= end)) break;
    const input_t *seed = &corpus->items[random_below(corpus->count)];
    memcpy(input.data, seed->data, seed->size);
    input.size = seed->size;
    for (size_t i = 1 + random_below(4); i-- > 0;) mutate(&input, corpus);
    run(input.data, input.size);
    if (is_new()) add_found(corpus, &input, options->save_folder);
  }
  free(input.data);
  return done;
}

int main(int argc, char **argv) {
  const char *slash = strrchr(argv[0], '/');
  target_name = slash ? slash + 1 : argv[0];
  corpus_t corpus = {0};
  options_t options = {0};
  bool mutating = false;
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--runs=", 7))
      options.runs = strtoull(argv[i] + 7, NULL, 10), mutating = true;
    else if (!strncmp(argv[i], "--seconds=", 10))
      options.seconds = strtoull(argv[i] + 10, NULL, 10), mutating = true;
    else if (!strncmp(argv[i], "--seed=", 7))
      random_state = strtoull(argv[i] + 7, NULL, 10);
    else if (!strncmp(argv[i], "--save=", 7))
      options.save_folder = argv[i] + 7;
    else
      add_path(&corpus, argv[i]);
  }
  if (!corpus.count) {
    fprintf(stderr, "usage: %s [--runs=N] [--seconds=N] [--seed=N] [--save=FOLDER] CORPUS...\n", target_name);
    return 2;
  }
  setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0);
  catch_failures();
  for (size_t i = 0; i < corpus.count; i++) run(corpus.items[i].data, corpus.items[i].size);
  is_new();
  size_t given = corpus.count;
  uint64_t done = mutating ? fuzz(&corpus, &options) : 0;
  printf("%s: %zu inputs, %llu mutations, %zu found\n", target_name, given, (unsigned long long)done,
         corpus.count - given);
  remove_scratch();
  for (size_t i = 0; i < corpus.count; i++) free(corpus.items[i].data);
  sli_array_deinitialize(&corpus);
  return 0;
}
