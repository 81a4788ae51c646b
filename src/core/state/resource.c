// Containers are maps by name. In a container a resource's key is its type's name, a
// NUL and its own name. Objects are removed from the maps under the lock but released
// without it, because a destructor may take other locks.
#include "core/state/resource.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"

struct sli_resource_manager {
  sli_mutex_t mutex;
  sli_map_t containers;  // under |mutex|: name → sli_map_t * of sli_object_t *
  char *default_container;
};

typedef SLI_ARRAY(sli_object_t *) objects_t;

static void release_objects(objects_t *objects) {
  for (size_t i = 0; i < objects->count; i++) sli_object_release(objects->items[i]);
  sli_array_deinitialize(objects);
}

static void take_objects(sli_map_t *container, objects_t *objects) {
  SLI_MAP_FOR_EACH (container, entry) sli_array_push(objects, entry->value);
  sli_map_deinitialize(container);
  free(container);
}

sli_resource_manager_t *sli_resource_manager_create(const char *default_container) {
  sli_resource_manager_t *manager = sli_calloc(1, sizeof(*manager));
  sli_mutex_initialize(&manager->mutex);
  manager->default_container = sli_strdup(default_container);
  return manager;
}

void sli_resource_manager_destroy(sli_resource_manager_t *manager) {
  if (!manager) return;
  objects_t objects = {0};
  SLI_MAP_FOR_EACH (&manager->containers, entry) take_objects(entry->value, &objects);
  sli_map_deinitialize(&manager->containers);
  release_objects(&objects);
  sli_mutex_deinitialize(&manager->mutex);
  free(manager->default_container);
  free(manager);
}

static sli_view_t container_name(const sli_resource_manager_t *manager, sli_view_t container) {
  return container.size || !manager ? container : sli_view(manager->default_container);
}

static void append_key(sli_string_t *key, const sli_object_type_t *type, sli_view_t name) {
  sli_string_append(key, type->name, strlen(type->name) + 1);
  sli_string_append(key, name.data, name.size);
}

static sli_view_t key_view(const sli_string_t *key) { return sli_view_of(key->data, key->size); }

static sli_status_t *complain(sli_code_t code, sli_view_t container, sli_view_t name, const sli_object_type_t *type,
                              const char *what) {
  return sli_status_make(code, "Resource %.*s/%.*s/%s %s.", SLI_VIEW_ARG(container), SLI_VIEW_ARG(name), type->name,
                         what);
}

static sli_object_t *find_locked(sli_resource_manager_t *manager, sli_view_t container, const sli_string_t *key) {
  sli_map_t *map = sli_map_get(&manager->containers, container);
  return map ? sli_map_get(map, key_view(key)) : NULL;
}

static void insert_locked(sli_resource_manager_t *manager, sli_view_t container, const sli_string_t *key,
                          sli_object_t *object) {
  sli_map_t *map = sli_map_get(&manager->containers, container);
  if (!map) {
    map = sli_calloc(1, sizeof(*map));
    sli_map_set(&manager->containers, container, map);
  }
  sli_map_set(map, key_view(key), object);
}

sli_status_t *sli_resource_find(sli_resource_manager_t *manager, sli_view_t container, const sli_object_type_t *type,
                                sli_view_t name, void **out_object) {
  *out_object = NULL;
  container = container_name(manager, container);
  if (!manager) return complain(SLI_NOT_FOUND, container, name, type, "does not exist");
  sli_string_t key = {0};
  append_key(&key, type, name);
  sli_mutex_lock(&manager->mutex);
  *out_object = sli_object_retain(find_locked(manager, container, &key));
  sli_mutex_unlock(&manager->mutex);
  sli_string_deinitialize(&key);
  return *out_object ? NULL : complain(SLI_NOT_FOUND, container, name, type, "does not exist");
}

sli_status_t *sli_resource_find_or_create(sli_resource_manager_t *manager, sli_view_t container,
                                          const sli_object_type_t *type, sli_view_t name,
                                          sli_status_t *(*create)(void *context, void **out_object), void *context,
                                          void **out_object) {
  *out_object = NULL;
  container = container_name(manager, container);
  sli_string_t key = {0};
  append_key(&key, type, name);
  sli_status_t *status = NULL;
  sli_mutex_lock(&manager->mutex);
  void *object = find_locked(manager, container, &key);
  if (!object) {
    status = create(context, &object);
    if (!status) insert_locked(manager, container, &key, object);
  }
  if (!status) *out_object = sli_object_retain(object);
  sli_mutex_unlock(&manager->mutex);
  sli_string_deinitialize(&key);
  return status;
}

sli_status_t *sli_resource_insert(sli_resource_manager_t *manager, sli_view_t container, sli_view_t name,
                                  void *object) {
  const sli_object_type_t *type = ((sli_object_t *)object)->type;
  container = container_name(manager, container);
  sli_string_t key = {0};
  append_key(&key, type, name);
  sli_mutex_lock(&manager->mutex);
  bool is_taken = find_locked(manager, container, &key) != NULL;
  if (!is_taken) insert_locked(manager, container, &key, sli_object_retain(object));
  sli_mutex_unlock(&manager->mutex);
  sli_string_deinitialize(&key);
  return is_taken ? complain(SLI_ALREADY_EXISTS, container, name, type, "already exists") : NULL;
}

sli_status_t *sli_resource_remove(sli_resource_manager_t *manager, sli_view_t container, const sli_object_type_t *type,
                                  sli_view_t name) {
  container = container_name(manager, container);
  if (!manager) return complain(SLI_NOT_FOUND, container, name, type, "does not exist");
  sli_string_t key = {0};
  append_key(&key, type, name);
  sli_mutex_lock(&manager->mutex);
  sli_map_t *map = sli_map_get(&manager->containers, container);
  sli_object_t *object = map ? sli_map_remove(map, key_view(&key)) : NULL;
  sli_mutex_unlock(&manager->mutex);
  sli_string_deinitialize(&key);
  if (!object) return complain(SLI_NOT_FOUND, container, name, type, "does not exist");
  sli_object_release(object);
  return NULL;
}

void sli_resource_clear(sli_resource_manager_t *manager, sli_view_t container) {
  objects_t objects = {0};
  sli_mutex_lock(&manager->mutex);
  sli_map_t *map = sli_map_remove(&manager->containers, container_name(manager, container));
  sli_mutex_unlock(&manager->mutex);
  if (map) take_objects(map, &objects);
  release_objects(&objects);
  sli_allocator_cpu_trim();  // memory freed by a reset is not needed again soon
}

void sli_resource_clear_all(sli_resource_manager_t *manager) {
  objects_t objects = {0};
  sli_mutex_lock(&manager->mutex);
  SLI_MAP_FOR_EACH (&manager->containers, entry) take_objects(entry->value, &objects);
  sli_map_deinitialize(&manager->containers);
  manager->containers = (sli_map_t){0};
  sli_mutex_unlock(&manager->mutex);
  release_objects(&objects);
}

typedef struct {
  char *container, *name;
  size_t container_size, name_size;
  sli_object_t *object;
} visited_t;

void sli_resource_for_each(sli_resource_manager_t *manager,
                           void (*visit)(void *context, sli_view_t container, sli_view_t name, sli_object_t *object),
                           void *context) {
  SLI_ARRAY(visited_t) all = {0};
  sli_mutex_lock(&manager->mutex);
  SLI_MAP_FOR_EACH (&manager->containers, container) {
    sli_map_t *map = container->value;
    SLI_MAP_FOR_EACH (map, entry) {
      size_t prefix = strlen(entry->key) + 1;
      sli_array_push(&all, (visited_t){.container = sli_memdup(container->key, container->key_size),
                                       .container_size = container->key_size,
                                       .name = sli_memdup(entry->key + prefix, entry->key_size - prefix),
                                       .name_size = entry->key_size - prefix,
                                       .object = sli_object_retain(entry->value)});
    }
  }
  sli_mutex_unlock(&manager->mutex);
  for (size_t i = 0; i < all.count; i++) {
    visited_t *item = &all.items[i];
    visit(context, sli_view_of(item->container, item->container_size), sli_view_of(item->name, item->name_size),
          item->object);
    sli_object_release(item->object);
    free(item->container);
    free(item->name);
  }
  sli_array_deinitialize(&all);
}
