// Devices and their names. Names are parsed as TensorFlow parses them: parts in
// any order; of a repeated part the last counts; "*" matches any value.
#include "core/step/device.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/random.h"

// The values that TensorFlow reports for every CPU.
static const int64_t cpu_memory_limit = INT64_C(256) << 20;

void sli_device_initialize(sli_device_t *device, const char *name, sli_resource_manager_t *resources,
                           sli_thread_pool_t *pool) {
  device->name = sli_strdup(name);
  do device->incarnation = sli_random_u64();
  while (device->incarnation == 0);
  device->resources = resources;
  device->compute_pool = pool;
}

sli_device_t *sli_device_create_cpu(const char *name, sli_resource_manager_t *resources, sli_thread_pool_t *pool) {
  sli_device_t *device = sli_calloc(1, sizeof(*device));
  sli_device_initialize(device, name, resources, pool);
  device->type = "CPU";
  device->memory_limit = cpu_memory_limit;
  device->allocator = sli_allocator_cpu();
  return device;
}

sli_device_t *sli_device_clone(const sli_device_t *device, const char *name, sli_resource_manager_t *resources) {
  sli_device_t *clone = device->vtable ? device->vtable->clone(device, name, resources)
                                       : sli_device_create_cpu(name, resources, device->compute_pool);
  clone->incarnation = device->incarnation;
  return clone;
}

void sli_device_destroy(sli_device_t *device) {
  if (!device) return;
  if (device->vtable) device->vtable->destroy(device);
  free(device->description);
  free(device->name);
  free(device);
}

static bool consume(sli_view_t *text, const char *prefix) {
  if (!sli_view_starts_with(*text, prefix)) return false;
  size_t length = strlen(prefix);
  *text = sli_view_of(text->data + length, text->size - length);
  return true;
}

// A letter, then letters, digits and underscores: jobs and device types.
static bool consume_word(sli_view_t *text, sli_view_t *out_word) {
  size_t length = 0;
  while (length < text->size) {
    unsigned char c = (unsigned char)text->data[length];
    if (!isalpha(c) && !(length && (isdigit(c) || c == '_'))) break;
    length++;
  }
  *out_word = sli_view_of(text->data, length);
  *text = sli_view_of(text->data + length, text->size - length);
  return length > 0;
}

static bool consume_number(sli_view_t *text, int *out_number) {
  size_t length = 0;
  int64_t value = 0;
  while (length < text->size && isdigit((unsigned char)text->data[length]) && value <= INT_MAX)
    value = value * 10 + (text->data[length++] - '0');
  *out_number = (int)value;
  *text = sli_view_of(text->data + length, text->size - length);
  return length > 0 && value <= INT_MAX;
}

// The known types are compared in upper case.
static sli_view_t canonical_type(sli_view_t type) {
  static const char *const known[] = {"CPU", "GPU", "TPU"};
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
    if (type.size == strlen(known[i]) && strncasecmp(type.data, known[i], type.size) == 0) return sli_view(known[i]);
  return type;
}

static bool consume_number_or_star(sli_view_t *text, bool *out_has, int *out_number) {
  *out_has = !consume(text, "*");
  return !*out_has || consume_number(text, out_number);
}

static bool consume_part(sli_view_t *text, sli_device_name_t *name) {
  if (consume(text, "/job:")) {
    name->has_job = !consume(text, "*");
    return !name->has_job || consume_word(text, &name->job);
  }
  if (consume(text, "/replica:")) return consume_number_or_star(text, &name->has_replica, &name->replica);
  if (consume(text, "/task:")) return consume_number_or_star(text, &name->has_task, &name->task);
  if (consume(text, "/device:")) {
    name->has_type = !consume(text, "*");
    if (name->has_type && !consume_word(text, &name->type)) return false;
    name->type = canonical_type(name->type);
    name->has_id = false;
    return !consume(text, ":") || consume_number_or_star(text, &name->has_id, &name->id);
  }
  if (consume(text, "/cpu:") || consume(text, "/CPU:")) {
    name->type = sli_view("CPU");
  } else if (consume(text, "/gpu:") || consume(text, "/GPU:")) {
    name->type = sli_view("GPU");
  } else {
    return false;
  }
  name->has_type = true;
  return consume_number_or_star(text, &name->has_id, &name->id);
}

bool sli_device_name_parse(sli_view_t text, sli_device_name_t *out_name) {
  *out_name = (sli_device_name_t){0};
  if (sli_view_is(text, "/")) return true;
  while (text.size)
    if (!consume_part(&text, out_name)) return false;
  return true;
}

void sli_device_name_append(sli_string_t *string, const sli_device_name_t *name) {
  if (name->has_job) sli_string_append_format(string, "/job:%.*s", SLI_VIEW_ARG(name->job));
  if (name->has_replica) sli_string_append_format(string, "/replica:%d", name->replica);
  if (name->has_task) sli_string_append_format(string, "/task:%d", name->task);
  if (!name->has_type && !name->has_id) return;
  sli_string_append_text(string, "/device:");
  if (name->has_type) {
    sli_string_append(string, name->type.data, name->type.size);
  } else {
    sli_string_append_char(string, '*');
  }
  if (name->has_id) {
    sli_string_append_format(string, ":%d", name->id);
  } else {
    sli_string_append_text(string, ":*");
  }
}

bool sli_device_name_matches(const sli_device_name_t *wanted, const sli_device_name_t *full) {
  if (wanted->has_job && !(full->has_job && sli_view_equal(wanted->job, full->job))) return false;
  if (wanted->has_replica && !(full->has_replica && wanted->replica == full->replica)) return false;
  if (wanted->has_task && !(full->has_task && wanted->task == full->task)) return false;
  if (wanted->has_type && !(full->has_type && sli_view_equal(wanted->type, full->type))) return false;
  return !wanted->has_id || (full->has_id && wanted->id == full->id);
}

static sli_status_t *conflict(const char *part, const sli_device_name_t *a, const sli_device_name_t *b) {
  sli_string_t text = {0};
  sli_string_append_format(&text, "Cannot merge devices with incompatible %s: '", part);
  sli_device_name_append(&text, a);
  sli_string_append_text(&text, "' and '");
  sli_device_name_append(&text, b);
  sli_string_append_text(&text, "'");
  sli_status_t *status = sli_status_make_text(SLI_INVALID_ARGUMENT, sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

sli_status_t *sli_device_name_merge(sli_device_name_t *into, const sli_device_name_t *more, bool soft) {
  sli_device_name_t merged = *into;
  if (more->has_job) {
    if (into->has_job && !sli_view_equal(into->job, more->job)) return conflict("jobs", into, more);
    merged.has_job = true;
    merged.job = more->job;
  }
  if (more->has_replica) {
    if (into->has_replica && into->replica != more->replica) return conflict("replicas", into, more);
    merged.has_replica = true;
    merged.replica = more->replica;
  }
  if (more->has_task) {
    if (into->has_task && into->task != more->task) return conflict("tasks", into, more);
    merged.has_task = true;
    merged.task = more->task;
  }
  bool types_differ = into->has_type && more->has_type && !sli_view_equal(into->type, more->type);
  bool ids_differ = into->has_id && more->has_id && into->id != more->id;
  if (types_differ) {
    if (!soft) return conflict("types", into, more);
    merged.has_type = merged.has_id = false;
  } else if (more->has_type) {
    merged.has_type = true;
    merged.type = more->type;
  }
  if (!types_differ && ids_differ) {
    if (!soft) return conflict("ids", into, more);
    merged.has_id = false;
  } else if (!types_differ && more->has_id) {
    merged.has_id = true;
    merged.id = more->id;
  }
  *into = merged;
  return NULL;
}

sli_view_t sli_device_name_task(sli_view_t full) {
  const char *device = full.size ? memmem(full.data, full.size, "/device:", strlen("/device:")) : NULL;
  return device ? sli_view_of(full.data, (size_t)(device - full.data)) : full;
}
