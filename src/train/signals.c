#include "train/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_int caught_signal;  // lock-free, so a handler may write it
static struct sigaction former_int, former_term;
static bool watching;

static void on_signal(int number) { caught_signal = number; }

static void watch(int number, struct sigaction *former) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
  sigemptyset(&action.sa_mask);
  sigaction(number, NULL, former);
  if (former->sa_handler == SIG_DFL) sigaction(number, &action, NULL);
}

void sli_signals_watch(void) {
  sli_signals_unwatch();
  caught_signal = 0;
  watch(SIGINT, &former_int);
  watch(SIGTERM, &former_term);
  watching = true;
}

void sli_signals_unwatch(void) {
  if (!watching) return;
  sigaction(SIGINT, &former_int, NULL);
  sigaction(SIGTERM, &former_term, NULL);
  watching = false;
}

int sli_signals_caught(void) { return caught_signal; }
