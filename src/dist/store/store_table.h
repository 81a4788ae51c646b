// A table of the store: values by key, all of one type, and the updater that pushes apply to them.
//
// A small value is in the table itself, with its slots. A large one is a variable (core/state/variable.h), so that a
// pull sends or lends its bytes without a copy. A key that is bound is another name of a variable of the task.
//
// Thread-safe. A push or pull of one key is atomic; one of several keys is not. Blocks only while others update the
// same keys.
#ifndef SLI_DIST_STORE_STORE_TABLE_H_
#define SLI_DIST_STORE_STORE_TABLE_H_

#include "base/slices.h"
#include "base/thread_pool.h"
#include "core/state/resource.h"
#include "dist/store/store_message.h"
#include "ops/embedding/embedding_table.h"

typedef struct sli_store_table sli_store_table_t;

// |resources| and |pool| (may be NULL) must outlive the table. The updater is "assign".
sli_store_table_t *sli_store_table_create(sli_view_t name, sli_dtype_t dtype, sli_resource_manager_t *resources,
                                          sli_thread_pool_t *pool);
// Makes it a table of rows (store_rows.h). Before its first use.
sli_status_t *sli_store_table_set_rows(sli_store_table_t *table, int64_t length, sli_view_t initializer,
                                       uint64_t max_bytes);
// INVALID_ARGUMENT unless it is a table of such rows; 0 and "" agree with all tables.
sli_status_t *sli_store_table_check_rows(const sli_store_table_t *table, int64_t length, sli_view_t initializer);
void sli_store_table_destroy(sli_store_table_t *table);
sli_dtype_t sli_store_table_dtype(const sli_store_table_t *table);

// Sets what pushes do from now on. Slots of another rule are dropped when a key is pushed next.
sli_status_t *sli_store_table_set_updater(sli_store_table_t *table, sli_view_t text);
// The text of the updater; the caller frees it.
char *sli_store_table_updater(sli_store_table_t *table);

// Binds |key| to a variable that exists. |*out_length|: its elements, -1 if it has no value and its shape is not known.
// NOT_FOUND without such a variable; INVALID_ARGUMENT for one of another type; ALREADY_EXISTS if the key has a value.
sli_status_t *sli_store_table_bind(sli_store_table_t *table, uint64_t key, sli_view_t container, sli_view_t name,
                                   int64_t *out_length);

// Pushes the values of |exchange|, whose |values| are aligned for their type. A key without a value is created: with
// the values pushed by assign and sum, with zeros that are then updated by a rule. INVALID_ARGUMENT names the first key
// whose length is another; then nothing is changed. The value of a single key that is assigned stays in the |memory| of
// the exchange.
sli_status_t *sli_store_table_push(sli_store_table_t *table, const sli_store_exchange_t *exchange);
// Whether a push of |exchange| assigns values.
bool sli_store_table_assigns(sli_store_table_t *table, const sli_store_exchange_t *exchange);
// Appends the values of the keys of |exchange| to |out|. NOT_FOUND names the first key that has no value.
sli_status_t *sli_store_table_pull(sli_store_table_t *table, const sli_store_exchange_t *exchange, sli_slices_t *out);
// The value of a key as it is saved.
typedef struct {
  uint64_t key, steps;
  uint32_t length;     // elements
  const void *values;  // aligned
  const void *slots;   // of the updater of the table; NULL: none
} sli_store_table_value_t;

// Calls |visit| for each key with a value, but not for bound ones. |visit| must not use the table. |updater| is that of
// the table: slots of another rule are left out.
void sli_store_table_for_each(sli_store_table_t *table, const sli_updater_t *updater,
                              void (*visit)(void *context, const sli_store_table_value_t *value), void *context);
// Gives a key a value, and slots of |updater|, which is that of the table.
sli_status_t *sli_store_table_put(sli_store_table_t *table, const sli_store_table_value_t *value,
                                  const sli_updater_t *updater);
// The updater, of which the caller gets a reference; and the rows, NULL if there are none.
sli_updater_shared_t *sli_store_table_get_updater(sli_store_table_t *table);
sli_embedding_table_t *sli_store_table_rows(sli_store_table_t *table);

// The number of keys or rows.
size_t sli_store_table_count(sli_store_table_t *table);

#endif  // SLI_DIST_STORE_STORE_TABLE_H_
