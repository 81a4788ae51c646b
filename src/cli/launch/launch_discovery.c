#include "cli/launch/launch_discovery.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/string.h"
#include "base/sync.h"

enum { EVERY_MILLIS = 1000, MOST_PLACES = 100000 };

struct sli_launch_discovery {
  char *script;
  pthread_t thread;
  atomic_int places;
  sli_event_t stopped;
};

// The places of one line; 0 if it is empty, -1 if it is none.
static int places_of(char *line) {
  line[strcspn(line, "\r\n")] = '\0';
  line += strspn(line, " \t");
  if (!*line || *line == '#') return 0;
  char *colon = strrchr(line, ':'), *end = NULL;
  long places = colon ? strtol(colon + 1, &end, 10) : 1;
  if (colon && (end == colon + 1 || *end || places < 0 || places > MOST_PLACES)) return -1;
  return (int)places;
}

// Returns -1 if the script failed or printed something else. The job's main loop may reap the shell, so that its exit
// code is not known; an empty list counts as a failure, too.
static int ask_script(const char *script) {
  FILE *output = popen(script, "re");
  if (!output) return -1;
  char line[512];
  int sum = 0;
  bool is_valid = true;
  while (fgets(line, sizeof(line), output)) {
    int places = places_of(line);
    is_valid = is_valid && places >= 0;
    if (places > 0) sum += places;
  }
  pclose(output);
  return is_valid && sum > 0 ? sum : -1;
}

static void *discover(void *argument) {
  sli_launch_discovery_t *discovery = argument;
  do {
    int places = ask_script(discovery->script);
    if (places >= 0) atomic_store(&discovery->places, places);
  } while (!sli_event_wait(&discovery->stopped, sli_clock_deadline_after_millis(EVERY_MILLIS)));
  return NULL;
}

sli_launch_discovery_t *sli_launch_discovery_start(const char *script) {
  sli_launch_discovery_t *discovery = sli_calloc(1, sizeof(*discovery));
  discovery->script = sli_strdup(script);
  atomic_init(&discovery->places, -1);
  sli_event_initialize(&discovery->stopped);
  if (pthread_create(&discovery->thread, NULL, discover, discovery) == 0) return discovery;
  sli_event_deinitialize(&discovery->stopped);
  free(discovery->script);
  free(discovery);
  return NULL;
}

int sli_launch_discovery_places(const sli_launch_discovery_t *discovery) { return atomic_load(&discovery->places); }

void sli_launch_discovery_stop(sli_launch_discovery_t *discovery) {
  if (!discovery) return;
  sli_event_set(&discovery->stopped);
  pthread_join(discovery->thread, NULL);
  sli_event_deinitialize(&discovery->stopped);
  free(discovery->script);
  free(discovery);
}
