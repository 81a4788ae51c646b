#include "tests/hosts/hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/process.h"
#include "base/string.h"

// The namespaces of a host; each has a file in /proc/…/ns.
static const struct {
  const char *name;
  int flag;
} kinds[] = {{"net", CLONE_NEWNET}, {"mnt", CLONE_NEWNS}, {"ipc", CLONE_NEWIPC}, {"uts", CLONE_NEWUTS}};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), ALL = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS };

typedef struct {
  int files[KINDS];  // of its namespaces
} place_t;

static place_t bridge, hosts[HOSTS_MAX];
static int made;

static bool check(bool good, const char *what) {
  if (!good) sli_test_fail(__FILE__, __LINE__, "%s: %s", what, strerror(errno));
  return good;
}

// --- Places ---

static bool remember(place_t *place) {
  for (int i = 0; i < KINDS; i++) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/thread-self/ns/%s", kinds[i].name);
    place->files[i] = open(path, O_RDONLY | O_CLOEXEC);
    if (!check(place->files[i] >= 0, path)) return false;
  }
  return true;
}

static void go_to(const place_t *place) {
  char directory[4096];
  bool known = getcwd(directory, sizeof(directory)) != NULL;
  for (int i = 0; i < KINDS; i++) check(setns(place->files[i], kinds[i].flag) == 0, "setns");
  if (known) check(chdir(directory) == 0, "chdir");  // entering a mount namespace leads to its root
}

void hosts_enter(int host) { go_to(&hosts[host]); }
void hosts_leave(void) { go_to(&bridge); }

const char *hosts_disk(void) { return tool_scratch("disk"); }

// --- Commands ---

int hosts_command(int host, const char *const *argv) {
  if (host >= 0) hosts_enter(host);
  pid_t pid;
  sli_status_t *status = sli_process_start(
      &(sli_process_options_t){.argv = (char *const *)argv, .output = -1, .error = -1, .parent_death_signal = SIGKILL},
      &pid);
  if (host >= 0) hosts_leave();
  if (status) {
    SLI_EXPECT_OK(status);
    return -1;
  }
  int result = 0;
  waitpid(pid, &result, 0);
  return WIFEXITED(result) ? WEXITSTATUS(result) : -WTERMSIG(result);
}

// Runs the command, whose words are separated by spaces, and fails the test unless its exit code is 0.
static bool command(int host, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool command(int host, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  char shown[sizeof(text)], *rest = text;
  memcpy(shown, text, sizeof(shown));
  const char *argv[32];
  size_t count = 0;
  for (char *word; count + 1 < sizeof(argv) / sizeof(argv[0]) && (word = strsep(&rest, " "));) argv[count++] = word;
  argv[count] = NULL;
  int code = hosts_command(host, argv);
  if (code) sli_test_fail(__FILE__, __LINE__, "'%s' ended with %d", shown, code);
  return code == 0;
}

// --- Making hosts ---

void hosts_write_names(int host, const char *text) {
  char *path = sli_format("%s/names-%d", sli_test_temporary_dir(), host);
  tool_write_file(path, text, strlen(text));
  free(path);
}

static void write_usual_names(int host, int count) {
  sli_string_t text = {0};
  sli_string_append_text(&text, "127.0.0.1 localhost\n::1 localhost\n");
  for (int i = 0; i < count; i++)
    sli_string_append_format(&text, "10.77.0.%d host%d\nfd77::%d six%d\n", i + 1, i, i + 1, i);
  hosts_write_names(host, sli_string_text(&text));
  sli_string_deinitialize(&text);
}

// In the new namespaces: what makes it a host apart from the network.
static bool furnish(int host) {
  char name[32], *names = sli_format("%s/names-%d", sli_test_temporary_dir(), host);
  snprintf(name, sizeof(name), "host%d", host);
  bool good = check(sethostname(name, strlen(name)) == 0, "sethostname") &&
              check(mount(names, "/etc/hosts", NULL, MS_BIND, NULL) == 0, "mount /etc/hosts") &&
              check(mount("none", "/dev/shm", "tmpfs", 0, NULL) == 0, "mount /dev/shm") &&
              check(mount("none", hosts_disk(), "tmpfs", 0, NULL) == 0, "mount a disk");
  free(names);
  return good;
}

static bool connect_to_bridge(int host) {
  // The descriptor of the host's network namespace, as seen by `ip`.
  return command(-1, "ip link add port%d type veth peer name eth0 netns /proc/%d/fd/%d", host, (int)getpid(),
                 hosts[host].files[0]) &&
         command(-1, "ip link set port%d master bridge0 up", host) && command(host, "ip link set lo up") &&
         command(host, "ip link set eth0 up") && command(host, "ip address add 10.77.0.%d/24 dev eth0", host + 1) &&
         command(host, "ip address add fd77::%d/64 dev eth0 nodad", host + 1);
}

static bool make_host(int host, int count) {
  write_usual_names(host, count);
  if (!check(unshare(ALL) == 0, "unshare")) return false;
  bool good = remember(&hosts[host]) && furnish(host);
  hosts_leave();
  return good && connect_to_bridge(host);
}

bool hosts_make(int count) {
  if (made == 0 && !command(-1, "ip link add bridge0 type bridge")) return false;
  if (made == 0 && !command(-1, "ip link set bridge0 up")) return false;
  SLI_EXPECT(count <= HOSTS_MAX);
  mkdir(hosts_disk(), 0700);
  for (; made < count && made < HOSTS_MAX; made++)
    if (!make_host(made, HOSTS_MAX)) return false;
  for (int i = 0; i < count; i++) write_usual_names(i, HOSTS_MAX);
  return true;
}

// --- Links ---

void hosts_cut(int host) { command(-1, "ip link set port%d nomaster", host); }
void hosts_mend(int host) { command(-1, "ip link set port%d master bridge0", host); }

bool hosts_limit(int host, const char *rate, const char *burst) {
  char port[16];
  snprintf(port, sizeof(port), "port%d", host);
  return HOSTS_COMMAND(-1, "tc", "qdisc", "replace", "dev", port, "root", "tbf", "rate", rate, "burst", burst,
                       "latency", "50ms") == 0;
}

void hosts_tool(int host, tool_run_t *run, const char *const *arguments) {
  hosts_enter(host);
  tool_run(run, -1, arguments);
  hosts_leave();
}

// --- A job ---

const char *const hosts_names[] = {"host0", "host1", "host2", "host3"};
const char *const hosts_six_names[] = {"six0", "six1", "six2", "six3"};

void hosts_job_initialize(hosts_job_t *job, const char *name, const char *const *names, const char *const *flags) {
  *job = (hosts_job_t){.log_dir = sli_format("--log_dir=%s/%s", hosts_disk(), name)};
  size_t count = 0;
  while (flags[count] && count + 2 < SLI_ARRAY_COUNT_OF(job->flags)) {
    job->flags[count] = flags[count];
    count++;
  }
  job->flags[count] = job->log_dir;
  train_cluster_initialize(&job->cluster, name, HOSTS_PS, HOSTS_WORKERS, job->flags);
  for (int i = 0; i < HOSTS_MAX; i++) {
    job->cluster.ports[i] = 2222;
    job->cluster.hosts[i] = names[i];
  }
}

void hosts_start_task(train_cluster_t *cluster, train_task_t *task) {
  hosts_enter((int)(task - cluster->tasks));
  train_task_start(cluster, task);
  hosts_leave();
}

void hosts_job_start(hosts_job_t *job) {
  for (int i = 0; i < HOSTS_MAX; i++) hosts_start_task(&job->cluster, &job->cluster.tasks[i]);
}

void hosts_job_wait_until_training(hosts_job_t *job) {
  for (int i = 0; i < HOSTS_WORKERS; i++)
    train_task_expect(&job->cluster, train_worker(&job->cluster, i), "first step ");
}

void hosts_job_expect_trained(hosts_job_t *job) {
  train_cluster_expect_success(&job->cluster);
  SLI_EXPECT(train_task_number(&job->cluster, train_worker(&job->cluster, 0), " loss=") < 0.02);
}

bool hosts_job_has_checkpoint(const hosts_job_t *job, int host) {
  char *path = sli_format("%s/checkpoint", job->log_dir + strlen("--log_dir="));
  hosts_enter(host);
  bool exists = access(path, F_OK) == 0;
  hosts_leave();
  free(path);
  return exists;
}

void hosts_job_deinitialize(hosts_job_t *job) {
  train_cluster_deinitialize(&job->cluster);
  free(job->log_dir);
}

// --- The program ---

static bool write_text(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
  if (file >= 0) close(file);
  return good;
}

// Root of a user namespace may make the others.
static bool become_root(void) {
  if (geteuid() == 0) return true;
  char users[64], groups[64];
  snprintf(users, sizeof(users), "0 %d 1", (int)geteuid());
  snprintf(groups, sizeof(groups), "0 %d 1", (int)getegid());
  return unshare(CLONE_NEWUSER) == 0 && write_text("/proc/self/setgroups", "deny") &&
         write_text("/proc/self/uid_map", users) && write_text("/proc/self/gid_map", groups);
}

static int skip(const char *why) {
  printf("SKIPPED: no hosts can be made here: %s: %s\n", why, strerror(errno));
  return HOSTS_SKIPPED;
}

// Whether the kernel has what hosts need; prints nothing.
static bool can_make_links(void) {
  char *const argv[] = {"ip", "link", "add", "probe0", "type", "veth", "peer", "name", "probe1", NULL};
  char *const back[] = {"ip", "link", "delete", "probe0", NULL};
  char *const switch_on[] = {"ip", "link", "add", "probe2", "type", "bridge", NULL};
  char *const switch_off[] = {"ip", "link", "delete", "probe2", NULL};
  char *const *commands[] = {argv, back, switch_on, switch_off};
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  bool good = true;
  for (size_t i = 0; good && i < sizeof(commands) / sizeof(commands[0]); i++) {
    pid_t pid;
    int result = 1;
    sli_status_t *status =
        sli_process_start(&(sli_process_options_t){.argv = commands[i], .output = null, .error = null}, &pid);
    if (!status) waitpid(pid, &result, 0);
    good = !status && result == 0;
    sli_status_release(status);
  }
  close(null);
  errno = good ? 0 : EPERM;
  return good;
}

// The first process of the PID namespace.
static int run_inside(int (*run)(int argc, char **argv), int argc, char **argv) {
  if (unshare(ALL | CLONE_FS) != 0) return skip("unshare");
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return skip("mount /");
  if (mount("none", "/proc", "proc", 0, NULL) != 0) return skip("mount /proc");
  // Files of the test are then in /tmp, which all hosts see; each has a /dev/shm of its own.
  if (mount("none", "/dev/shm", "tmpfs", MS_RDONLY, NULL) != 0) return skip("mount /dev/shm");
  if (!can_make_links()) return skip("ip link add (veth, bridge)");
  if (!remember(&bridge)) return 1;
  if (HOSTS_COMMAND(-1, "ip", "link", "set", "lo", "up") != 0) return 1;
  return run(argc, argv);
}

int hosts_main(int (*run)(int argc, char **argv), int argc, char **argv) {
  if (!become_root()) return skip("unshare(CLONE_NEWUSER)");
  if (unshare(CLONE_NEWPID) != 0) return skip("unshare(CLONE_NEWPID)");
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return skip("fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    exit(run_inside(run, argc, argv));
  }
  int result = 0;
  while (waitpid(child, &result, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}
