#include "io/file/background.h"

#include <signal.h>

static void *run(void *context) {
  sli_background_t *background = context;
  background->function(background->context);
  return NULL;
}

bool sli_background_try(sli_background_t *background, void (*function)(void *context), void *context) {
  sigset_t all, old;
  background->function = function;
  background->context = context;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  background->is_running = pthread_create(&background->thread, NULL, run, background) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return background->is_running;
}

void sli_background_start(sli_background_t *background, void (*function)(void *context), void *context) {
  if (!sli_background_try(background, function, context)) function(context);
}

void sli_background_wait(sli_background_t *background) {
  if (background->is_running) pthread_join(background->thread, NULL);
  background->is_running = false;
}
