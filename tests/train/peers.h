// Processes of a test with roles of its own: the test starts its own binary once for each
// role, which then runs the main function of the role instead of the tests.
#ifndef SLI_TESTS_TRAIN_PEERS_H_
#define SLI_TESTS_TRAIN_PEERS_H_

#include <stdbool.h>
#include <sys/types.h>

typedef struct {
  pid_t pid;  // 0: not running
  int code;   // exit code, -signal if it was killed
  char *log;  // path of the file with its output
} peer_t;

// A role and its main function.
typedef struct {
  const char *name;
  int (*main)(int argc, char **argv);
} peers_role_t;

// Starts this program again as |role|, with |arguments| (ends with NULL).
void peers_start(peer_t *peer, const char *role, const char *const *arguments);
#define PEERS_START(peer, role, ...) peers_start(peer, role, (const char *const[]){__VA_ARGS__, NULL})
// Waits until it has ended; fails the test and kills it after a long time.
void peers_wait(peer_t *peer);
// Waits until it has printed |text|. Fails the test if it ends before, or after a long time.
bool peers_expect(peer_t *peer, const char *text);
// Its output so far; the caller frees it.
char *peers_output(const peer_t *peer);
// Waits until it has ended, and fails the test, with its output, unless its exit code is |code|.
void peers_expect_code(peer_t *peer, int code);
// Kills it, if it still runs, and releases the memory.
void peers_stop(peer_t *peer);

int peers_main(int argc, char **argv, const peers_role_t *roles);
// Use it instead of SLI_TEST_MAIN. |roles| ends with a role without a name.
#define PEERS_TEST_MAIN(roles, ...)                                                          \
  int main(int argc, char **argv) {                                                          \
    static void (*const tests[])(void) = {__VA_ARGS__};                                      \
    int code = peers_main(argc, argv, roles);                                                \
    if (code >= 0) return code;                                                              \
    return sli_test_main(argc, argv, #__VA_ARGS__, tests, sizeof(tests) / sizeof(tests[0])); \
  }

#endif  // SLI_TESTS_TRAIN_PEERS_H_
