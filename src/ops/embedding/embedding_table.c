#include "ops/embedding/embedding_table.h"

#include <stdlib.h>

#include "base/alloc.h"

static void table_destroy(sli_object_t *object) {
  sli_embedding_table_t *table = (sli_embedding_table_t *)object;
  sli_embedding_rows_destroy(table->rows);
  sli_updater_cell_deinitialize(&table->updater);
  sli_mutex_deinitialize(&table->save_mutex);
  free(table->saved_path);
  free(table->name);
  free(table);
}

const sli_object_type_t sli_embedding_table_type = {"EmbeddingTable", table_destroy, NULL};

sli_status_t *sli_embedding_table_create(sli_view_t name, const sli_embedding_rows_options_t *options,
                                         sli_embedding_table_t **out_table) {
  *out_table = NULL;
  sli_embedding_rows_t *rows;
  SLI_RETURN_IF_ERROR(sli_status_prefix(sli_embedding_rows_create(options, &rows),
                                        "Table \"%.*s\": ", (int)(name.size < 100 ? name.size : 100), name.data));
  sli_embedding_table_t *table = sli_calloc(1, sizeof(*table));
  sli_object_initialize(&table->base, &sli_embedding_table_type);
  table->name = sli_strndup(name.data, name.size);
  table->rows = rows;
  sli_updater_cell_initialize(&table->updater);
  sli_mutex_initialize(&table->save_mutex);
  *out_table = table;
  return NULL;
}

sli_status_t *sli_embedding_table_match(const sli_embedding_table_t *table,
                                        const sli_embedding_rows_options_t *options) {
  static const char *const stores[] = {"", " stored as bfloat16", " stored as int8"};
  const sli_embedding_rows_options_t *own = sli_embedding_rows_options(table->rows);
  if (own->dtype != options->dtype || own->length != options->length || own->store != options->store)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Table \"%s\" has rows of %lld %s%s, not of %lld %s%s.", table->name,
                           (long long)own->length, sli_dtype_name(own->dtype), stores[own->store],
                           (long long)options->length, sli_dtype_name(options->dtype), stores[options->store]);
  if (!options->initializer.size || sli_view_equal(options->initializer, own->initializer)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Table \"%s\" has the initializer \"%.*s\", not \"%.*s\".", table->name,
                         SLI_VIEW_ARG(own->initializer), SLI_VIEW_ARG(options->initializer));
}
