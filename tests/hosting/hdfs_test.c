// Files in a real HDFS on this machine: a name node and a data node of Hadoop, each a process. All operations, training
// that is killed and restored, nodes that die, stop and refuse. `make hosting` installs Hadoop's files;
// SLUICE_TEST_HADOOP is their folder, else build/hosting/hadoop.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/atomic_file.h"
#include "io/file/file.h"
#include "tests/hosting/store.h"
#include "tests/support/tool.h"

enum { SKIPPED = 77, PATIENCE_MILLIS = 120000 };
#define NAME_NODE "org.apache.hadoop.hdfs.server.namenode.NameNode"
#define DATA_NODE "org.apache.hadoop.hdfs.server.datanode.DataNode"

// --- The cluster ---

static struct {
  char *jars, *directory, *root;
  int rpc_port, http_port, data_ports[3];
  pid_t name_node, data_node;
} cluster;

static void write_config(void) {
  static const char format[] =
      "<configuration>\n"
      "<property><name>%s</name><value>hdfs://127.0.0.1:%d</value></property>\n"
      "<property><name>dfs.namenode.http-address</name><value>127.0.0.1:%d</value></property>\n"
      "<property><name>dfs.namenode.name.dir</name><value>file://%s/name</value></property>\n"
      "<property><name>dfs.datanode.data.dir</name><value>file://%s/data</value></property>\n"
      "<property><name>dfs.datanode.address</name><value>127.0.0.1:%d</value></property>\n"
      "<property><name>dfs.datanode.http.address</name><value>127.0.0.1:%d</value></property>\n"
      "<property><name>dfs.datanode.ipc.address</name><value>127.0.0.1:%d</value></property>\n"
      "<property><name>dfs.datanode.hostname</name><value>127.0.0.1</value></property>\n"
      "<property><name>dfs.replication</name><value>1</value></property>\n"
      "<property><name>dfs.namenode.safemode.extension</name><value>0</value></property>\n"
      "</configuration>\n";
  char *names[] = {"core-site.xml", "hdfs-site.xml"};
  for (int i = 0; i < 2; i++) {
    char *text =
        sli_format(format, i ? "fs.unused" : "fs.defaultFS", cluster.rpc_port, cluster.http_port, cluster.directory,
                   cluster.directory, cluster.data_ports[0], cluster.data_ports[1], cluster.data_ports[2]);
    tool_write_file(tool_path_in(cluster.directory, names[i]), text, strlen(text));
    free(text);
  }
}

static void start_node(const char *class, const char *argument, pid_t *out_pid) {
  char *shell = sli_format(
      "unset HADOOP_USER_NAME; exec java -Xmx256m --add-opens java.base/java.lang=ALL-UNNAMED "
      "-Dlog4j.configuration=file:%s/log4j.properties "
      "-cp '%s:%s/*' %s %s >> '%s/%s.log' 2>&1",
      cluster.directory, cluster.directory, cluster.jars, class, argument, cluster.directory, strrchr(class, '.') + 1);
  char *argv[] = {"sh", "-c", shell, NULL};
  *out_pid = 0;
  SLI_REQUIRE_OK(sli_process_start(
      &(sli_process_options_t){.argv = argv, .output = -1, .error = -1, .parent_death_signal = SIGKILL}, out_pid));
  free(shell);
}

static void end_node(pid_t *pid) {
  SLI_REQUIRE(*pid > 1);  // -1 would mean every process of the machine
  kill(*pid, SIGKILL);
  waitpid(*pid, NULL, 0);
  *pid = 0;
}

// A file can be written: both nodes are there and have found each other.
static void wait_until_ready(void) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  sli_status_t *status = sli_atomic_file_write("hdfs:///ready", sli_view("ready"));
  while (status && sli_clock_now_nanos() < deadline) {
    sli_status_release(status);
    status = sli_atomic_file_write("hdfs:///ready", sli_view("ready"));
  }
  if (status) fprintf(stderr, "%s\n", sli_status_message(status));
  SLI_REQUIRE(!status);
}

static void start_cluster(void) {
  if (!cluster.name_node) start_node(NAME_NODE, "", &cluster.name_node);
  if (!cluster.data_node) start_node(DATA_NODE, "", &cluster.data_node);
  wait_until_ready();
}

static void kill_cluster(void) {
  end_node(&cluster.name_node);
  end_node(&cluster.data_node);
}

static void signal_cluster(int number) {
  SLI_REQUIRE(cluster.name_node > 1 && cluster.data_node > 1);
  kill(cluster.name_node, number);
  kill(cluster.data_node, number);
}
static void stop_cluster(void) { signal_cluster(SIGSTOP); }
static void continue_cluster(void) { signal_cluster(SIGCONT); }

// As an administrator.
static void set_permission(const char *path, const char *permission) {
  char *command = sli_format(
      "curl -sSf -o /dev/null -X PUT \"http://127.0.0.1:%d/webhdfs/v1%s?op=SETPERMISSION&permission=%s&user.name=$(id "
      "-un)\"",
      cluster.http_port, path, permission);
  SLI_EXPECT_INT(system(command), 0);
  free(command);
}
static void refuse_all(void) { set_permission("/training", "000"); }
static void admit_again(void) { set_permission("/training", "777"); }

static const store_control_t control = {.kill = kill_cluster,
                                        .start = start_cluster,
                                        .stop = stop_cluster,
                                        .go_on = continue_cluster,
                                        .refuse = refuse_all,
                                        .admit = admit_again};

// Before the first use of a store in this process, which reads the environment.
__attribute__((constructor)) static void prepare(void) {
  const char *given = getenv("SLUICE_TEST_HADOOP");
  cluster.jars = sli_strdup(given ? given : SLI_BUILD_DIR "/hosting/hadoop");
  if (access(cluster.jars, X_OK) != 0) {
    printf("SKIPPED: there is no %s; 'make hosting' installs it\n", cluster.jars);
    exit(SKIPPED);
  }
  cluster.directory = sli_format("%s/hdfs", sli_test_temporary_dir());
  cluster.rpc_port = sli_test_free_port();
  cluster.http_port = sli_test_free_port();
  for (int i = 0; i < 3; i++) cluster.data_ports[i] = sli_test_free_port();
  mkdir(cluster.directory, 0700);
  setenv("HADOOP_CONF_DIR", cluster.directory, 1);
  setenv("HADOOP_USER_NAME", "trainer", 1);
  setenv("SLUICE_FILE_TIMEOUT", "60", 1);  // a data node may take half of it to start
}

// Formats the name node and makes a directory for the user, as an administrator does.
static void format_cluster(void) {
  static const char log[] =
      "log4j.rootLogger=WARN, out\nlog4j.appender.out=org.apache.log4j.ConsoleAppender\n"
      "log4j.appender.out.layout=org.apache.log4j.PatternLayout\n"
      "log4j.appender.out.layout.ConversionPattern=%d %p %c{1}: %m%n\n";
  write_config();
  tool_write_file(tool_path_in(cluster.directory, "log4j.properties"), log, strlen(log));
  pid_t format;
  start_node(NAME_NODE, "-format -nonInteractive", &format);
  int code = -1;
  waitpid(format, &code, 0);
  SLI_REQUIRE(WIFEXITED(code) && WEXITSTATUS(code) == 0);
}

static void make_user_directory(void) {
  char *script = sli_format(
      "u=http://127.0.0.1:%d/webhdfs/v1; for i in $(seq 600); do curl -sf -o /dev/null \"$u/?op=LISTSTATUS\" && break; "
      "sleep 0.2; done",
      cluster.http_port);
  SLI_REQUIRE(system(script) == 0);
  free(script);
  set_permission("/", "777");
}

// --- Tests ---

SLI_TEST(test_all_operations) {
  format_cluster();
  start_node(NAME_NODE, "", &cluster.name_node);
  make_user_directory();
  start_cluster();
  SLI_REQUIRE_OK(sli_file_make_directories("hdfs:///all"));
  store_test_operations("hdfs:///all", false);
  // The same files by the other schemes.
  sli_file_info_t info;
  char *path = sli_format("webhdfs://127.0.0.1:%d/all/a/two&<", cluster.http_port);
  SLI_EXPECT_OK(sli_file_info(path, &info));
  SLI_EXPECT_INT(info.size, 1);
  free(path);
  path = sli_format("hdfs://127.0.0.1:%d/all/a/two&<", cluster.rpc_port);
  SLI_EXPECT_OK(sli_file_info(path, &info));
  free(path);
}

SLI_TEST(test_a_large_file_is_sent_in_parts_and_goes_on_after_a_flush) {
  start_cluster();
  SLI_REQUIRE_OK(sli_file_make_directories("hdfs:///large"));
  store_test_large_file("hdfs:///large");
  sli_path_list_t names;
  SLI_REQUIRE_OK(sli_file_list("hdfs:///large", &names));
  SLI_EXPECT_INT(names.count, 1);  // no parts are left
  sli_path_list_deinitialize(&names);
}

// Parts that a task left when it was killed are removed by the next one that sends parts, once they are a day old.
SLI_TEST(test_abandoned_parts_are_removed) {
  start_cluster();
  static const char *const paths[] = {"hdfs:///left/a.part1-0123456789abcdef", "hdfs:///left/b.part2-0123456789abcdef",
                                      "hdfs:///left/c.part"};
  SLI_REQUIRE_OK(sli_file_make_directories("hdfs:///left"));
  for (int i = 0; i < 3; i++) SLI_REQUIRE_OK(sli_atomic_file_write(paths[i], sli_view("x")));
  for (int i = 0; i < 3; i += 2) {
    char *script = sli_format(
        "curl -sSf -o /dev/null -X PUT "
        "\"http://127.0.0.1:%d/webhdfs/v1%s?op=SETTIMES&modificationtime=$((($(date +%%s) - 90000) * "
        "1000))&user.name=trainer\"",
        cluster.http_port, paths[i] + strlen("hdfs://"));
    SLI_REQUIRE(system(script) == 0);
    free(script);
  }
  store_test_large_file("hdfs:///left");
  SLI_EXPECT(!sli_file_exists(paths[0]));
  SLI_EXPECT(sli_file_exists(paths[1]));  // it is new: perhaps its writer lives
  SLI_EXPECT(sli_file_exists(paths[2]));  // it is no part
}

static void expect_failure(sli_status_t *status, sli_code_t code, const char *text) {
  SLI_EXPECT_INT(sli_status_code(status), code);
  SLI_EXPECT_CONTAINS(sli_status_message(status), text);
  sli_status_release(status);
}

SLI_TEST(test_errors_say_path_code_and_what_to_set) {
  start_cluster();
  SLI_REQUIRE_OK(sli_file_make_directories("hdfs:///mine"));
  char *script = sli_format(
      "curl -sSf -o /dev/null -X PUT 'http://127.0.0.1:%d/webhdfs/v1/mine?op=SETOWNER&owner=other&user.name='$(id -un) "
      "&& curl -sSf -o /dev/null -X PUT "
      "'http://127.0.0.1:%d/webhdfs/v1/mine?op=SETPERMISSION&permission=700&user.name=other'",
      cluster.http_port, cluster.http_port);
  SLI_REQUIRE(system(script) == 0);
  free(script);
  sli_file_writer_t *writer;
  expect_failure(sli_file_writer_open("hdfs:///mine/x", SLI_FILE_EXCLUSIVE, &writer), SLI_PERMISSION_DENIED,
                 "hdfs:///mine/x; GETFILESTATUS (GET) as user 'trainer' at http://127.0.0.1:");
  expect_failure(sli_file_writer_open("hdfs:///mine/x", SLI_FILE_EXCLUSIVE, &writer), SLI_PERMISSION_DENIED,
                 "; set HADOOP_USER_NAME to a user with the permission (HTTP 403)");
  sli_file_info_t info;
  expect_failure(sli_file_info("hdfs:///none", &info), SLI_NOT_FOUND,
                 "FileNotFoundException: File does not exist: /none");
  // The port of the Java clients is no WebHDFS.
  char *path = sli_format("webhdfs://127.0.0.1:%d/all", cluster.rpc_port);
  expect_failure(
      sli_file_info(path, &info), SLI_FAILED_PRECONDITION,
      "this is no WebHDFS; SLUICE_WEBHDFS=http://host:port sets the HTTP address of the name node (HTTP 404)");
  free(path);
}

// Of several name nodes one is dead, and the path names none of them.
SLI_TEST(test_the_name_node_that_lives_is_found) {
  start_cluster();
  char *copy = sli_strdup(tool_scratch("ready"));
  char *command = sli_format("unset HADOOP_CONF_DIR; SLUICE_WEBHDFS=127.0.0.1:1,http://127.0.0.1:%d/ " SLI_BUILD_DIR
                             "/copy_file hdfs://service/ready %s",
                             cluster.http_port, copy);
  SLI_EXPECT_INT(system(command), 0);
  char *text = tool_read_text(copy);
  SLI_EXPECT_TEXT(text, "ready");
  free(text);
  free(command);
  free(copy);
}

// The data node is killed while a file is written, and comes back: the file has each byte once.
static void *write_slowly(void *context) {
  sli_status_t **out_status = context;
  sli_file_writer_t *writer = NULL;
  *out_status = sli_file_writer_open("hdfs:///slow", SLI_FILE_TRUNCATE, &writer);
  for (int i = 0; i < 300 && !*out_status; i++) {
    char line[32];
    snprintf(line, sizeof(line), "line %04d\n", i);
    *out_status = sli_file_writer_write(writer, line, strlen(line));
    if (!*out_status) *out_status = sli_file_writer_flush(writer);
  }
  if (!*out_status) *out_status = sli_file_writer_close(writer);
  sli_file_writer_release(writer);
  return NULL;
}

SLI_TEST(test_a_data_node_that_dies_while_a_file_grows_loses_and_doubles_nothing) {
  start_cluster();
  pthread_t thread;
  sli_status_t *status = NULL;
  SLI_REQUIRE(pthread_create(&thread, NULL, write_slowly, &status) == 0);
  sli_file_info_t info = {0};
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  while (info.size < 500 && sli_clock_now_nanos() < deadline) {
    sli_status_release(sli_file_info("hdfs:///slow", &info));
    usleep(10000);
  }
  end_node(&cluster.data_node);
  start_node(DATA_NODE, "", &cluster.data_node);
  pthread_join(thread, NULL);
  if (status) fprintf(stderr, "%s\n", sli_status_message(status));
  SLI_EXPECT_OK(status);
  sli_string_t text;
  SLI_REQUIRE_OK(sli_file_read_whole("hdfs:///slow", SIZE_MAX, &text));
  SLI_EXPECT_INT(text.size, 300 * 10);
  for (int i = 0; i < 300 && (size_t)i * 10 + 10 <= text.size; i++) {
    char line[32];
    snprintf(line, sizeof(line), "line %04d\n", i);
    SLI_EXPECT(!memcmp(text.data + i * 10, line, 10));
  }
  sli_string_deinitialize(&text);
}

// Begins to extend a file with bytes that never end. The data node has some of them, and |open_files| such files, when
// this returns.
static void start_extension(const char *path, int open_files, pid_t *out_pid) {
  char *shell = sli_format(
      "url=$(curl -sSi -X POST 'http://127.0.0.1:%d/webhdfs/v1%s?op=APPEND&user.name=trainer' | tr -d '\\r' | sed -n "
      "'s/^Location: //p'); (head -c 300000 /dev/zero; exec sleep 600) | exec curl -sS -X POST -T - -H 'Expect:' -H "
      "'Content-Type: application/octet-stream' \"$url\" > /dev/null 2>&1",
      cluster.http_port, path);
  char *find = sli_format(
      "for i in $(seq 600); do [ $(find '%s/data' -path '*/rbw/blk_*' ! -name '*.meta' -size +100k | "
      "wc -l) -ge %d ] && exit 0; sleep 0.1; done; exit 1",
      cluster.directory, open_files);
  char *argv[] = {"sh", "-c", shell, NULL};
  *out_pid = 0;
  SLI_REQUIRE_OK(sli_process_start(
      &(sli_process_options_t){
          .argv = argv, .output = -1, .error = -1, .own_group = true, .parent_death_signal = SIGKILL},
      out_pid));
  SLI_REQUIRE(system(find) == 0);
  free(find);
  free(shell);
}

static void *read_open_file(void *context) {
  sli_string_t text = {0};
  sli_status_t *status = sli_file_read_whole("hdfs:///open/read", SIZE_MAX, &text);
  if (status) fprintf(stderr, "%s\n", sli_status_message(status));
  SLI_EXPECT_OK(status);
  SLI_EXPECT(text.size >= 6 && !memcmp(text.data, "first\n", 6));
  if (!status) sli_string_deinitialize(&text);
  return NULL;
}

// A name node and a data node that die together leave a file open whose extension was under way. HDFS closes it for the
// next one that reads or extends it, a minute after it was started again.
SLI_TEST(test_a_file_that_a_dead_writer_left_open_is_read_and_extended) {
  start_cluster();
  SLI_REQUIRE_OK(sli_file_make_directories("hdfs:///open"));
  pid_t writers[2];
  const char *const names[] = {"/open/read", "/open/extend"};
  for (int i = 0; i < 2; i++) {
    char *path = sli_format("hdfs://%s", names[i]);
    SLI_REQUIRE_OK(sli_atomic_file_write(path, sli_view("first\n")));
    start_extension(names[i], i + 1, &writers[i]);
    free(path);
  }
  kill_cluster();
  for (int i = 0; i < 2; i++) {
    SLI_REQUIRE(writers[i] > 1);
    kill(-writers[i], SIGKILL);
    waitpid(writers[i], NULL, 0);
  }
  start_cluster();
  pthread_t thread;
  SLI_REQUIRE(pthread_create(&thread, NULL, read_open_file, NULL) == 0);
  sli_file_writer_t *writer = NULL;
  sli_status_t *status = sli_file_writer_open("hdfs:///open/extend", SLI_FILE_APPEND, &writer);
  if (!status) status = sli_file_writer_write(writer, "second\n", 7);
  if (!status) status = sli_file_writer_close(writer);
  sli_file_writer_release(writer);
  if (status) fprintf(stderr, "%s\n", sli_status_message(status));
  SLI_EXPECT_OK(status);
  pthread_join(thread, NULL);
  sli_string_t text = {0};
  SLI_REQUIRE_OK(sli_file_read_whole("hdfs:///open/extend", SIZE_MAX, &text));
  SLI_EXPECT_TEXT(sli_string_text(&text), "first\nsecond\n");
  sli_string_deinitialize(&text);
}

SLI_TEST(test_training_is_killed_and_restored_and_survives_a_cluster_that_dies) {
  start_cluster();
  SLI_REQUIRE_OK(sli_file_make_directories("hdfs:///training"));
  char *theirs = sli_format("webhdfs://127.0.0.1:%d/training", cluster.http_port);
  store_test_training("hdfs:///training", theirs, &control);
  free(theirs);
  kill_cluster();
}

SLI_TEST_MAIN(test_all_operations, test_a_large_file_is_sent_in_parts_and_goes_on_after_a_flush,
              test_errors_say_path_code_and_what_to_set, test_the_name_node_that_lives_is_found,
              test_a_data_node_that_dies_while_a_file_grows_loses_and_doubles_nothing, test_abandoned_parts_are_removed,
              test_a_file_that_a_dead_writer_left_open_is_read_and_extended,
              test_training_is_killed_and_restored_and_survives_a_cluster_that_dies)
