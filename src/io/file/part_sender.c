#include "io/file/part_sender.h"

#include "base/alloc.h"

void sli_part_sender_initialize(sli_part_sender_t *sender, sli_part_sender_fn_t send, void *context, size_t max_kept,
                                size_t max_moving) {
  *sender = (sli_part_sender_t){.send = send, .context = context, .max_kept = max_kept, .max_moving = max_moving};
  SLI_CHECK(max_kept >= 1 && max_kept <= SLI_PART_SENDER_MAX_KEPT && max_moving >= 1);
  sli_mutex_initialize(&sender->mutex);
  sli_cond_initialize(&sender->changed);
}

void sli_part_sender_deinitialize(sli_part_sender_t *sender) {
  sli_status_release(sli_part_sender_wait(sender));
  for (size_t i = 0; i < sender->max_kept; i++) sli_string_deinitialize(&sender->parts[i].data);
  sli_string_deinitialize(&sender->pending);
  sli_cond_deinitialize(&sender->changed);
  sli_mutex_deinitialize(&sender->mutex);
}

size_t sli_part_sender_add(sli_part_sender_t *sender, const void *data, size_t size, size_t limit) {
  size_t room = sender->pending.size < limit ? limit - sender->pending.size : 0, taken = size < room ? size : room;
  sli_string_append(&sender->pending, data, taken);
  return taken;
}

void sli_part_sent(void *context) {
  sli_part_t *part = context;
  sli_part_sender_t *sender = part->sender;
  sli_mutex_lock(&sender->mutex);
  if (part->is_moving) {
    part->is_moving = false;
    sender->moving--;
    sli_cond_signal(&sender->changed);
  }
  sli_mutex_unlock(&sender->mutex);
}

static void run_part(void *context) {
  sli_part_t *part = context;
  part->status = part->sender->send(part->sender->context, part);
  sli_part_sent(part);
}

// Waits until the part has arrived, if there is one. Its memory can be used again.
static sli_status_t *wait_for(sli_part_t *part) {
  if (!part->sender) return NULL;
  sli_background_wait(&part->thread);
  sli_status_t *status = part->status;
  part->data.size = 0;
  part->sender = NULL;
  part->status = NULL;
  return status;
}

sli_status_t *sli_part_sender_send(sli_part_sender_t *sender) {
  sli_part_t *part = &sender->parts[sender->count % sender->max_kept];
  SLI_RETURN_IF_ERROR(wait_for(part));
  sli_mutex_lock(&sender->mutex);
  while (sender->moving >= sender->max_moving) sli_cond_wait(&sender->changed, &sender->mutex);
  sender->moving++;
  part->is_moving = true;
  sli_mutex_unlock(&sender->mutex);
  sli_string_t empty = part->data;
  part->data = sender->pending;
  sender->pending = empty;
  part->number = sender->count++;
  part->sender = sender;
  sli_background_start(&part->thread, run_part, part);
  return NULL;
}

sli_status_t *sli_part_sender_wait(sli_part_sender_t *sender) {
  sli_status_t *first = NULL;
  for (size_t i = 0; i < sender->max_kept; i++) {
    sli_status_t *status = wait_for(&sender->parts[i]);
    if (first)
      sli_status_release(status);
    else
      first = status;
  }
  return first;
}

void sli_part_sender_reset(sli_part_sender_t *sender, size_t count) { sender->count = count; }
