// Two workers on two ports of this process, called through the clients that a master on another machine would use: all
// calls go through a socket.
#include "tests/dist/worker_fixture.h"

#include "proto/graph.fields.h"
#include "proto/service.fields.h"
// ---- Tests -----------------------------------------------------------------------

SLI_TEST(test_get_status_gives_the_tasks_devices) {
  start_all();
  for (int i = 0; i < TASKS; i++) {
    reply_t reply;
    reply_begin(&reply);
    tasks[i].stub->vtable->get_status(tasks[i].stub, sli_clock_deadline_after_millis(60000), true, NULL, on_status,
                                      &reply);
    reply_wait(&reply);
    SLI_EXPECT_INT(reply.device_count, 1);
    SLI_EXPECT_TEXT(reply.name, device(i)->name);
    SLI_EXPECT(reply.incarnation == device(i)->incarnation);
    SLI_EXPECT_OK(reply_end(&reply));
  }
  SLI_EXPECT_TEXT(device(PS)->name, "/job:ps/replica:0/task:0/device:CPU:0");
  // The bytes are TensorFlow's, except for the incarnation.
  sli_string_t reply = {0};
  SLI_EXPECT_OK(raw_call(PS, "GetStatus", sli_view_of(NULL, 0), &reply));
  SLI_EXPECT_INT(reply.size, 74);
  sli_string_deinitialize(&reply);
  stop_all();
}

SLI_TEST(test_tensors_of_every_kind_cross_two_tasks) {
  start_all();
  for (int i = 0; i < TASKS; i++) SLI_EXPECT_OK(create_session(i, "s", false));
  int64_t many[] = {1000, 5000}, none[] = {3, 0}, few[] = {2, 2};
  sli_tensor_t *cases[7];
  cases[0] = sli_tensor_scalar_float(2.5f);
  cases[1] = sli_tensor_scalar_string(sli_view("one string"));
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_STRING, few, 2, &cases[2]));
  for (int i = 0; i < 4; i++) {
    char text[5000];
    memset(text, 'a' + i, sizeof(text));
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, cases[2])[i], text, (size_t)(i * 1500));
  }
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT32, many, 2, &cases[3]));  // 20 MB
  for (int64_t i = 0; i < cases[3]->count; i++) SLI_DATA(int32_t, cases[3])[i] = (int32_t)(i * 7);
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_DOUBLE, none, 2, &cases[4]));
  cases[5] = sli_tensor_scalar_bool(true);
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_COMPLEX64, few, 2, &cases[6]));
  memset(cases[6]->data, 0x40, 32);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    relay_t relay;
    relay_make(&relay, (sli_dtype_t)cases[i]->dtype);
    const char *handles[] = {register_graph(PS, "s", relay.graphs[PS]),
                             register_graph(WORKER, "s", relay.graphs[WORKER])};
    sli_tensor_t *result = relay_run(&relay, handles, "s", cases[i]);
    if (!equal_tensors(result, cases[i])) sli_test_fail(__FILE__, __LINE__, "case %zu came out differently", i);
    sli_tensor_release(result);
    sli_tensor_release(cases[i]);
    relay_free(&relay);
  }
  for (int i = 0; i < TASKS; i++) SLI_EXPECT(steps_become(i, 0));
  stop_all();
}

SLI_TEST(test_handles_count_per_session_and_unknown_ones_are_aborted) {
  start_all();
  relay_t relay;
  relay_make(&relay, SLI_DTYPE_FLOAT);
  SLI_EXPECT_OK(create_session(PS, "s", false));
  SLI_EXPECT_STATUS(create_session(PS, "", false), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_TEXT(register_graph(PS, "s", relay.graphs[PS]), "0000000000000001");
  SLI_EXPECT_TEXT(register_graph(PS, "s", relay.graphs[PS]), "0000000000000002");
  SLI_EXPECT_TEXT(register_graph(PS, "", relay.graphs[PS]), "0000000000000001");
  reply_t reply;
  run_start(
      PS, &(sli_worker_client_run_graph_t){.session_handle = "gone", .graph_handle = "0000000000000001", .step_id = 1},
      &reply);
  reply_wait(&reply);
  SLI_EXPECT_CONTAINS(sli_status_message(reply.status), "Session handle is not found: gone");
  SLI_EXPECT_CONTAINS(sli_status_message(reply.status), "/job:ps/replica:0/task:0");
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_ABORTED);
  run_start(PS,
            &(sli_worker_client_run_graph_t){.session_handle = "s", .graph_handle = "00000000000000ff", .step_id = 1},
            &reply);
  reply_wait(&reply);
  SLI_EXPECT_CONTAINS(sli_status_message(reply.status), "00000000000000ff");
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_ABORTED);
  reply_begin(&reply);
  tasks[PS].stub->vtable->deregister_graph(tasks[PS].stub, "s", "0000000000000002", on_done, &reply);
  reply_wait(&reply);
  SLI_EXPECT_OK(reply_end(&reply));
  run_start(PS,
            &(sli_worker_client_run_graph_t){.session_handle = "s", .graph_handle = "0000000000000002", .step_id = 1},
            &reply);
  reply_wait(&reply);
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_ABORTED);
  reply_begin(&reply);
  tasks[PS].stub->vtable->delete_session(tasks[PS].stub, "s", SLI_CLOCK_NO_DEADLINE, on_done, &reply);
  reply_wait(&reply);
  SLI_EXPECT_OK(reply_end(&reply));
  run_start(PS,
            &(sli_worker_client_run_graph_t){.session_handle = "s", .graph_handle = "0000000000000001", .step_id = 1},
            &reply);
  reply_wait(&reply);
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_ABORTED);
  SLI_EXPECT(steps_become(PS, 0));
  relay_free(&relay);
  stop_all();
}

SLI_TEST(test_recv_tensor_checks_its_key) {
  start_all();
  const char *own = device(PS)->name, *other = device(WORKER)->name;
  struct {
    char key[400];
    sli_code_t code;
    const char *text;
  } cases[4] = {{"nonsense", SLI_INVALID_ARGUMENT, "nonsense"}};
  snprintf(cases[1].key, 400, "%s;0000000000001234;%s;e;0:0", own, other);
  cases[1].code = SLI_ABORTED;
  cases[1].text = "4660";  // the incarnation that was expected
  snprintf(cases[2].key, 400, "%s;%016llx;%s;e;0:0", other, (unsigned long long)device(WORKER)->incarnation, own);
  cases[2].code = SLI_ABORTED;  // a session may have this name for the task, but the incarnation is wrong
  cases[2].text = "different device incarnation";
  snprintf(cases[3].key, 400, "/job:ps/replica:0/task:0/device:CPU:7;0000000000001234;%s;e;0:0", own);
  cases[3].code = SLI_INVALID_ARGUMENT;
  cases[3].text = "unknown device";
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    reply_t reply;
    recv_start(PS, 5, cases[i].key, NULL, &reply);
    reply_wait(&reply);
    SLI_EXPECT_CONTAINS(sli_status_message(reply.status), cases[i].text);
    SLI_EXPECT_STATUS(reply_end(&reply), cases[i].code);
  }
  SLI_EXPECT(steps_become(PS, 0));
  stop_all();
}

SLI_TEST(test_dead_value_travels_as_such) {
  start_all();
  sli_graph_t *graph = sli_graph_create();
  sli_tensor_t *value = sli_tensor_scalar_string(sli_view("v")), *no = sli_tensor_scalar_bool(false);
  sli_output_t inputs[] = {add_const(graph, PS, "v", value), add_const(graph, PS, "no", no)};
  sli_attr_entry_t type = SLI_ATTR_TYPE_OF("T", SLI_DTYPE_STRING);
  sli_node_t *branch;
  add(graph, PS,
      &(sli_graph_node_t){
          .op = "Switch", .name = "switch", .inputs = inputs, .input_count = 2, .attrs = &type, .attr_count = 1},
      &branch);
  edge_t live = {"live", PS, WORKER, false, SLI_DTYPE_STRING}, dead = {"dead", PS, WORKER, false, SLI_DTYPE_STRING};
  add_edge_end(graph, &live, &(sli_output_t){branch, 0});
  add_edge_end(graph, &dead, &(sli_output_t){branch, 1});
  const char *handle = register_graph(PS, "", graph);
  char *live_key = edge_key(&live), *dead_key = edge_key(&dead);
  reply_t run, first, second;
  recv_start(PS, 9, dead_key, NULL, &first);  // before the step is known
  run_start(PS, &(sli_worker_client_run_graph_t){.graph_handle = handle, .step_id = 9}, &run);
  reply_wait(&run);
  SLI_EXPECT_OK(reply_end(&run));
  recv_start(PS, 9, live_key, NULL, &second);  // after it has ended
  reply_wait(&first);
  reply_wait(&second);
  SLI_EXPECT(first.is_dead && !second.is_dead);
  SLI_EXPECT(second.tensor && sli_view_is(sli_tstring_view(second.tensor->data), "v"));
  SLI_EXPECT_OK(reply_end(&first));
  SLI_EXPECT_OK(reply_end(&second));
  SLI_EXPECT(steps_become(PS, 0));
  sli_graph_release(graph);
  sli_tensor_release(value);
  sli_tensor_release(no);
  free(live_key);
  free(dead_key);
  stop_all();
}

SLI_TEST(test_cancelled_run_ends_everywhere) {
  start_all();
  relay_t relay;
  relay_make(&relay, SLI_DTYPE_FLOAT);
  const char *handle = register_graph(WORKER, "", relay.graphs[WORKER]);
  sli_cancellation_t *cancellation = sli_cancellation_create();
  reply_t reply;
  const char *key = relay.fetch_key;
  run_start(WORKER,
            &(sli_worker_client_run_graph_t){
                .graph_handle = handle, .step_id = 3, .recv_keys = &key, .recv_count = 1, .cancellation = cancellation},
            &reply);
  SLI_EXPECT(steps_become(PS, 1));  // the worker has called RecvTensor on the ps
  SLI_EXPECT(!sli_event_is_set(&reply.event));
  sli_cancellation_cancel(cancellation, NULL);
  reply_wait(&reply);
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_CANCELLED);
  SLI_EXPECT(steps_become(PS, 0));      // and has cancelled that call
  SLI_EXPECT(steps_become(WORKER, 1));  // the failed step is kept until CleanupGraph
  SLI_EXPECT_OK(cleanup(WORKER, 3));
  SLI_EXPECT(steps_become(WORKER, 0));
  sli_cancellation_release(cancellation);
  // A cancellation that came first.
  cancellation = sli_cancellation_create();
  sli_cancellation_cancel(cancellation, NULL);
  run_start(WORKER,
            &(sli_worker_client_run_graph_t){.graph_handle = handle, .step_id = 4, .cancellation = cancellation},
            &reply);
  reply_wait(&reply);
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_CANCELLED);
  // A deadline.
  run_start(WORKER,
            &(sli_worker_client_run_graph_t){
                .graph_handle = handle, .step_id = 5, .deadline = sli_clock_deadline_after_millis(100)},
            &reply);
  reply_wait(&reply);
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_DEADLINE_EXCEEDED);
  sli_cancellation_release(cancellation);
  relay_free(&relay);
  stop_all();
}

SLI_TEST(test_local_client_has_deadlines_and_cancellation_too) {
  start_all();
  relay_t relay;
  relay_make(&relay, SLI_DTYPE_FLOAT);
  const char *handle = register_graph(WORKER, "", relay.graphs[WORKER]);
  sli_worker_client_t *local = sli_worker_local_client(tasks[WORKER].worker);
  reply_t reply;
  reply_begin(&reply);
  local->vtable->run_graph(local,
                           &(sli_worker_client_run_graph_t){
                               .graph_handle = handle, .step_id = 5, .deadline = sli_clock_deadline_after_millis(50)},
                           on_ran, &reply);
  reply_wait(&reply);
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_DEADLINE_EXCEEDED);
  sli_cancellation_t *cancellation = sli_cancellation_create();
  reply_begin(&reply);
  local->vtable->run_graph(
      local, &(sli_worker_client_run_graph_t){.graph_handle = handle, .step_id = 6, .cancellation = cancellation},
      on_ran, &reply);
  sli_cancellation_cancel(cancellation, NULL);
  reply_wait(&reply);
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_CANCELLED);
  sli_cancellation_release(cancellation);
  relay_free(&relay);
  stop_all();
}

SLI_TEST(test_lost_peer_is_named_as_unavailable) {
  start_all();
  relay_t relay;
  relay_make(&relay, SLI_DTYPE_FLOAT);
  const char *handle = register_graph(WORKER, "", relay.graphs[WORKER]);
  const char *key = relay.fetch_key;
  reply_t reply;
  sli_worker_client_run_graph_t run = {.graph_handle = handle, .step_id = 3, .recv_keys = &key, .recv_count = 1};
  run_start(WORKER, &run, &reply);
  SLI_EXPECT(steps_become(PS, 1));
  sli_rpc_server_destroy(tasks[PS].server);
  tasks[PS].server = NULL;
  reply_wait(&reply);
  SLI_EXPECT_CONTAINS(sli_status_message(reply.status), "/job:ps/replica:0/task:0");
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_UNAVAILABLE);
  // The peer is gone before the step starts.
  run.step_id = 4;
  run_start(WORKER, &run, &reply);
  reply_wait(&reply);
  SLI_EXPECT_CONTAINS(sli_status_message(reply.status), "/job:ps/replica:0/task:0");
  SLI_EXPECT_CONTAINS(sli_status_message(reply.status), "127.0.0.1");
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_UNAVAILABLE);
  relay_free(&relay);
  stop_all();
}

SLI_TEST(test_failed_step_fails_its_receivers_as_derived) {
  start_all();
  relay_t relay;
  relay_make(&relay, SLI_DTYPE_FLOAT);
  const char *handle = register_graph(PS, "", relay.graphs[PS]);
  reply_t waiting, run, late;
  recv_start(PS, 3, relay.across_key, NULL, &waiting);
  sli_tensor_t *wrong = sli_tensor_scalar_int32(1);
  sli_message_named_tensor_t send = {relay.feed_key, wrong};
  run_start(PS, &(sli_worker_client_run_graph_t){.graph_handle = handle, .step_id = 3, .sends = &send, .send_count = 1},
            &run);
  reply_wait(&run);
  reply_wait(&waiting);
  SLI_EXPECT(run.status && !sli_status_is_derived(run.status));
  SLI_EXPECT(waiting.status && sli_status_is_derived(waiting.status));
  recv_start(PS, 3, relay.across_key, NULL, &late);
  reply_wait(&late);
  SLI_EXPECT(late.status && sli_status_is_derived(late.status));
  sli_status_release(reply_end(&run));
  sli_status_release(reply_end(&waiting));
  sli_status_release(reply_end(&late));
  sli_tensor_release(wrong);
  relay_free(&relay);
  stop_all();
}

SLI_TEST(test_cleanup_fails_waiting_receivers_and_drops_values) {
  start_all();
  relay_t relay;
  relay_make(&relay, SLI_DTYPE_FLOAT);
  const char *handle = register_graph(PS, "", relay.graphs[PS]);
  reply_t reply;
  recv_start(PS, 3, relay.across_key, NULL, &reply);
  SLI_EXPECT(steps_become(PS, 1));
  SLI_EXPECT_OK(cleanup(PS, 3));
  reply_wait(&reply);
  SLI_EXPECT_STATUS(reply_end(&reply), SLI_ABORTED);
  sli_tensor_t *value = sli_tensor_scalar_float(1);
  sli_message_named_tensor_t send = {relay.feed_key, value};
  run_start(PS, &(sli_worker_client_run_graph_t){.graph_handle = handle, .step_id = 4, .sends = &send, .send_count = 1},
            &reply);
  reply_wait(&reply);
  SLI_EXPECT_OK(reply_end(&reply));
  SLI_EXPECT(steps_become(PS, 1));  // no RecvTensor has taken it yet
  SLI_EXPECT_OK(cleanup(PS, 4));
  SLI_EXPECT(steps_become(PS, 0));
  sli_tensor_release(value);
  relay_free(&relay);
  stop_all();
}

SLI_TEST(test_partial_run_feeds_and_fetches_in_parts) {
  start_all();
  // Two independent paths on one task: a → b and c → d, all of the client's.
  edge_t ends[] = {{"a", PS, PS, true, SLI_DTYPE_FLOAT},
                   {"b", PS, PS, true, SLI_DTYPE_FLOAT},
                   {"c", PS, PS, true, SLI_DTYPE_FLOAT},
                   {"d", PS, PS, true, SLI_DTYPE_FLOAT}};
  sli_graph_t *graph = sli_graph_create();
  char *keys[4];
  for (int i = 0; i < 4; i++) keys[i] = edge_key(&ends[i]);
  for (int i = 0; i < 4; i += 2)
    add_edge_end(graph, &ends[i + 1], &(sli_output_t){add_edge_end(graph, &ends[i], NULL), 0});
  const char *handle = register_graph(PS, "", graph);
  for (int round = 0; round < 2; round++)
    for (int part = 0; part < 2; part++) {
      sli_tensor_t *value = sli_tensor_scalar_float((float)part + 5);
      sli_message_named_tensor_t send = {keys[2 * part], value};
      const char *fetch = keys[2 * part + 1];
      reply_t reply;
      run_start(PS,
                &(sli_worker_client_run_graph_t){.graph_handle = handle,
                                                 .step_id = 20 + round,
                                                 .sends = &send,
                                                 .send_count = 1,
                                                 .recv_keys = &fetch,
                                                 .recv_count = 1,
                                                 .is_partial = true,
                                                 .is_last_partial = part == 1},
                &reply);
      reply_wait(&reply);
      SLI_EXPECT(reply.recvs[0] && *SLI_DATA(float, reply.recvs[0]) == (float)part + 5);
      SLI_EXPECT_OK(reply_end(&reply));
      sli_tensor_release(value);
    }
  for (int round = 0; round < 2; round++) SLI_EXPECT_OK(cleanup(PS, 20 + round));
  SLI_EXPECT(steps_become(PS, 0));
  for (int i = 0; i < 4; i++) free(keys[i]);
  sli_graph_release(graph);
  stop_all();
}

SLI_TEST(test_traced_run_reports_and_logs) {
  start_all();
  relay_t relay;
  relay_make(&relay, SLI_DTYPE_FLOAT);
  const char *handles[] = {register_graph(PS, "", relay.graphs[PS]), register_graph(WORKER, "", relay.graphs[WORKER])};
  static const unsigned char enable[] = {8, 1};
  SLI_EXPECT_OK(raw_call(WORKER, "Logging", sli_view_of((const char *)enable, sizeof(enable)), NULL));
  sli_tensor_t *value = sli_tensor_scalar_float(1);
  sli_message_named_tensor_t send = {relay.feed_key, value};
  reply_t at_worker, at_ps;
  run_start(
      WORKER,
      &(sli_worker_client_run_graph_t){
          .graph_handle = handles[WORKER], .step_id = 77, .record_timeline = true, .record_partition_graphs = true},
      &at_worker);
  run_start(
      PS, &(sli_worker_client_run_graph_t){.graph_handle = handles[PS], .step_id = 77, .sends = &send, .send_count = 1},
      &at_ps);
  reply_wait(&at_worker);
  reply_wait(&at_ps);
  SLI_EXPECT(at_worker.stats_size > 0 && at_worker.graph_size > 0);
  SLI_EXPECT(at_ps.stats_size == 0 && at_ps.graph_size == 0);
  size_t traced_size = at_worker.stats_size;
  SLI_EXPECT_OK(reply_end(&at_worker));
  SLI_EXPECT_OK(reply_end(&at_ps));
  static const unsigned char fetch[] = {0x1a, 1, 77};
  sli_string_t reply = {0};
  SLI_EXPECT_OK(raw_call(WORKER, "Logging", sli_view_of((const char *)fetch, sizeof(fetch)), &reply));
  sli_arena_t arena = {0};
  Tensorflow__LoggingResponse *logs;
  SLI_REQUIRE_OK(
      sli_proto_parse(&tensorflow__logging_response__descriptor, reply.data, reply.size, &arena, (void **)&logs));
  SLI_REQUIRE(logs->n_step == 1 && logs->step[0]->step_stats && logs->step[0]->step_stats->n_dev_stats == 1);
  SLI_EXPECT_INT(logs->step[0]->step_id, 77);
  const Tensorflow__DeviceStepStats *row = logs->step[0]->step_stats->dev_stats[0];
  SLI_REQUIRE(row->n_node_stats == 1);
  SLI_EXPECT_CONTAINS(row->node_stats[0]->timeline_label, "[4B] [");
  SLI_EXPECT_CONTAINS(row->node_stats[0]->timeline_label, "edge_1_x from /job:ps/replica:0/task:0");
  sli_string_clear(&reply);
  SLI_EXPECT_OK(raw_call(WORKER, "Logging", sli_view_of((const char *)fetch, sizeof(fetch)), &reply));
  SLI_EXPECT_INT(reply.size, 0);
  // If the master does not log, the row is in the step's own statistics.
  SLI_EXPECT_OK(raw_call(WORKER, "Logging", sli_view_of(NULL, 0), NULL));
  run_start(WORKER,
            &(sli_worker_client_run_graph_t){.graph_handle = handles[WORKER], .step_id = 78, .record_timeline = true},
            &at_worker);
  run_start(
      PS, &(sli_worker_client_run_graph_t){.graph_handle = handles[PS], .step_id = 78, .sends = &send, .send_count = 1},
      &at_ps);
  reply_wait(&at_worker);
  reply_wait(&at_ps);
  SLI_EXPECT(at_worker.stats_size > traced_size + 100);
  SLI_EXPECT_OK(reply_end(&at_worker));
  SLI_EXPECT_OK(reply_end(&at_ps));
  sli_arena_deinitialize(&arena);
  sli_string_deinitialize(&reply);
  sli_tensor_release(value);
  relay_free(&relay);
  stop_all();
}

SLI_TEST(test_bad_bodies_are_refused_and_the_next_call_works) {
  start_all();
  static const char *const methods[] = {
      "GetStatus", "CreateWorkerSession", "DeleteWorkerSession", "RegisterGraph", "DeregisterGraph",
      "RunGraph",  "CleanupGraph",        "CleanupAll",          "RecvTensor",    "Logging",
      "Tracing",   "MarkRecvFinished"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(methods); i++) {
    SLI_EXPECT_STATUS(raw_call(PS, methods[i], sli_view("\x0a\xff\xff\xff\xff\x0f"), NULL), SLI_INVALID_ARGUMENT);
    SLI_EXPECT_STATUS(raw_call(PS, methods[i], sli_view("\x0b\x0c"), NULL), SLI_INVALID_ARGUMENT);
  }
  SLI_EXPECT_STATUS(raw_call(PS, "Tracing", sli_view_of(NULL, 0), NULL), SLI_UNIMPLEMENTED);
  SLI_EXPECT_STATUS(raw_call(PS, "NoSuchMethod", sli_view_of(NULL, 0), NULL), SLI_UNIMPLEMENTED);
  SLI_EXPECT_OK(raw_call(PS, "MarkRecvFinished", sli_view_of(NULL, 0), NULL));
  SLI_EXPECT_OK(raw_call(PS, "GetStatus", sli_view_of(NULL, 0), NULL));
  // A node without a device, one of another task, an op that is none.
  sli_string_t body = {0};
  static const char *const nodes[][2] = {{"NoOp", ""},
                                         {"NoOp", "/job:worker/replica:0/task:0/device:CPU:0"},
                                         {"NoSuchOp", "/job:ps/replica:0/task:0/device:CPU:0"}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(nodes); i++) {
    sli_string_clear(&body);
    size_t graph = sli_wire_open(&body, SLI_FIELD_REGISTER_GRAPH_REQUEST_GRAPH_DEF),
           node = sli_wire_open(&body, SLI_FIELD_GRAPH_DEF_NODE);
    sli_wire_write_text(&body, SLI_FIELD_NODE_DEF_NAME, "n");
    sli_wire_write_text(&body, SLI_FIELD_NODE_DEF_OP, nodes[i][0]);
    sli_wire_write_text(&body, SLI_FIELD_NODE_DEF_DEVICE, nodes[i][1]);
    sli_wire_close(&body, node);
    sli_wire_close(&body, graph);
    sli_status_t *status = raw_call(PS, "RegisterGraph", sli_view_of(body.data, body.size), NULL);
    SLI_EXPECT(sli_status_code(status) == (i < 2 ? SLI_INVALID_ARGUMENT : SLI_NOT_FOUND) ||
               sli_status_code(status) == SLI_INVALID_ARGUMENT);
    SLI_EXPECT_CONTAINS(sli_status_message(status), i < 2 ? "n" : "NoSuchOp");
    sli_status_release(status);
  }
  sli_string_deinitialize(&body);
  stop_all();
}

static bool read_golden(const char *name, sli_string_t *out) {
  char path[512];
  snprintf(path, sizeof(path), "%s/wire/%s", sli_test_golden_dir(), name);
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char buffer[4096];
  for (size_t size; (size = fread(buffer, 1, sizeof(buffer), file)) > 0;) sli_string_append(out, buffer, size);
  fclose(file);
  return true;
}

SLI_TEST(test_recorded_requests_of_a_tensorflow_master_are_served) {
  start_all();
  static const char *const calls[] = {"GetStatus", "CreateWorkerSession", "RegisterGraph", "CleanupGraph", "CleanupAll",
                                      "Logging",   "DeleteWorkerSession"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(calls); i++) {
    char name[64];
    snprintf(name, sizeof(name), "ps.%s.000.req", calls[i]);
    sli_string_t request = {0}, reply = {0}, golden = {0};
    SLI_REQUIRE(read_golden(name, &request));
    SLI_EXPECT_OK(raw_call(PS, calls[i], sli_view_of(request.data, request.size), &reply));
    snprintf(name, sizeof(name), "ps.%s.000.resp", calls[i]);
    SLI_REQUIRE(read_golden(name, &golden));
    bool same = sli_view_equal(sli_view_of(reply.data, reply.size), sli_view_of(golden.data, golden.size));
    // Except the incarnation, which is random.
    if (i == 0) same = reply.size == golden.size && memcmp(reply.data, golden.data, 55) == 0;
    if (!same) sli_test_fail(__FILE__, __LINE__, "%s is answered differently", calls[i]);
    sli_string_deinitialize(&request);
    sli_string_deinitialize(&reply);
    sli_string_deinitialize(&golden);
  }
  stop_all();
}

// Assigns 4 to a variable, or reads whether it is initialized.
static sli_graph_t *variable_graph(bool assign, edge_t *fetch) {
  sli_graph_t *graph = sli_graph_create();
  sli_attr_entry_t handle_attrs[] = {SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT),
                                     SLI_ATTR_SHAPE_OF("shape", ((sli_shape_t){0})),
                                     SLI_ATTR_STRING_OF("shared_name", "v")};
  sli_node_t *handle, *node;
  add(graph, PS, &(sli_graph_node_t){.op = "VarHandleOp", .name = "v", .attrs = handle_attrs, .attr_count = 3},
      &handle);
  if (assign) {
    sli_tensor_t *four = sli_tensor_scalar_float(4);
    sli_output_t inputs[] = {{handle, 0}, add_const(graph, PS, "four", four)};
    sli_attr_entry_t type = SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT);
    add(graph, PS,
        &(sli_graph_node_t){.op = "AssignVariableOp",
                            .name = "assign",
                            .inputs = inputs,
                            .input_count = 2,
                            .attrs = &type,
                            .attr_count = 1},
        &node);
    sli_tensor_release(four);
  } else {
    add(graph, PS,
        &(sli_graph_node_t){
            .op = "VarIsInitializedOp", .name = "is", .inputs = &(sli_output_t){handle, 0}, .input_count = 1},
        &node);
    add_edge_end(graph, fetch, &(sli_output_t){node, 0});
  }
  return graph;
}

static bool is_assigned(const char *session, edge_t *fetch) {
  sli_graph_t *graph = variable_graph(false, fetch);
  char *key_text = edge_key(fetch);
  const char *key = key_text;
  reply_t reply;
  run_start(PS,
            &(sli_worker_client_run_graph_t){.session_handle = session,
                                             .graph_handle = register_graph(PS, session, graph),
                                             .step_id = new_step(),
                                             .recv_keys = &key,
                                             .recv_count = 1},
            &reply);
  reply_wait(&reply);
  bool assigned = reply.recvs[0] && *SLI_DATA(bool, reply.recvs[0]);
  SLI_EXPECT_OK(reply_end(&reply));
  sli_graph_release(graph);
  free(key_text);
  return assigned;
}

SLI_TEST(test_isolated_sessions_have_variables_of_their_own) {
  start_all();
  edge_t fetch = {"is", PS, PS, true, SLI_DTYPE_BOOL};
  SLI_EXPECT_OK(create_session(PS, "own", true));
  SLI_EXPECT_OK(create_session(PS, "shared", false));
  sli_graph_t *assign = variable_graph(true, NULL);
  static const char *const sessions[] = {"own", "shared"};
  for (int i = 0; i < 2; i++) {
    reply_t reply;
    run_start(PS,
              &(sli_worker_client_run_graph_t){.session_handle = sessions[i],
                                               .graph_handle = register_graph(PS, sessions[i], assign),
                                               .step_id = new_step()},
              &reply);
    reply_wait(&reply);
    SLI_EXPECT_OK(reply_end(&reply));
    SLI_EXPECT(is_assigned(sessions[i], &fetch));
    SLI_EXPECT_INT(is_assigned("", &fetch), i == 1);
  }
  // CleanupAll without containers empties the default one of the task, and no isolated one.
  reply_t reply;
  reply_begin(&reply);
  tasks[PS].stub->vtable->cleanup_all(tasks[PS].stub, NULL, 0, SLI_CLOCK_NO_DEADLINE, on_done, &reply);
  reply_wait(&reply);
  SLI_EXPECT_OK(reply_end(&reply));
  SLI_EXPECT(!is_assigned("", &fetch));
  SLI_EXPECT(is_assigned("own", &fetch));
  sli_graph_release(assign);
  stop_all();
}

SLI_TEST(test_task_goes_down_with_steps_under_way) {
  start_all();
  relay_t relay;
  relay_make(&relay, SLI_DTYPE_FLOAT);
  const char *handle = register_graph(WORKER, "", relay.graphs[WORKER]);
  enum { RUNS = 20 };
  reply_t replies[RUNS];
  for (int i = 0; i < RUNS; i++)
    run_start(WORKER, &(sli_worker_client_run_graph_t){.graph_handle = handle, .step_id = i + 1}, &replies[i]);
  SLI_EXPECT(steps_become(PS, RUNS));
  sli_worker_client_t *stub = tasks[WORKER].stub;
  tasks[WORKER].stub = NULL;
  task_stop(&tasks[WORKER]);
  for (int i = 0; i < RUNS; i++) {
    reply_wait(&replies[i]);
    SLI_EXPECT_STATUS(reply_end(&replies[i]), SLI_UNAVAILABLE);
  }
  stub->vtable->destroy(stub);
  SLI_EXPECT(steps_become(PS, 0));
  relay_free(&relay);
  task_stop(&tasks[PS]);
}

// ---- Many at once ----------------------------------------------------------------

typedef struct {
  relay_t *relay;
  const char *handles[TASKS];
  int seed, failures;
} client_t;

// Steps that come through, with others between them that are cancelled at odd moments.
static void *client_run(void *context) {
  client_t *client = context;
  for (int i = 0; i < 60; i++) {
    int64_t step = new_step();
    sli_cancellation_t *cancellation = sli_cancellation_create();
    sli_tensor_t *value = sli_tensor_scalar_float((float)i);
    sli_message_named_tensor_t send = {client->relay->feed_key, value};
    const char *key = client->relay->fetch_key;
    bool cancel = (i + client->seed) % 3 == 0;
    reply_t at_worker, at_ps;
    run_start(WORKER,
              &(sli_worker_client_run_graph_t){.graph_handle = client->handles[WORKER],
                                               .step_id = step,
                                               .recv_keys = &key,
                                               .recv_count = 1,
                                               .cancellation = cancellation},
              &at_worker);
    if (cancel) sli_cancellation_cancel(cancellation, NULL);
    run_start(PS,
              &(sli_worker_client_run_graph_t){.graph_handle = client->handles[PS],
                                               .step_id = step,
                                               .sends = &send,
                                               .send_count = 1,
                                               .cancellation = cancellation},
              &at_ps);
    reply_wait(&at_worker);
    reply_wait(&at_ps);
    if (!cancel && (!at_worker.recvs[0] || *SLI_DATA(float, at_worker.recvs[0]) != (float)i)) client->failures++;
    sli_status_release(reply_end(&at_worker));
    sli_status_release(reply_end(&at_ps));
    for (int t = 0; t < TASKS; t++) sli_status_release(cleanup(t, step));
    sli_tensor_release(value);
    sli_cancellation_release(cancellation);
  }
  return NULL;
}

SLI_TEST(test_clients_in_parallel_do_not_disturb_each_other) {
  start_all();
  relay_t relay;
  relay_make(&relay, SLI_DTYPE_FLOAT);
  client_t client = {
      &relay, {register_graph(PS, "", relay.graphs[PS]), register_graph(WORKER, "", relay.graphs[WORKER])}, 0, 0};
  client_t clients[3];
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) {
    clients[i] = client;
    clients[i].seed = i;
    pthread_create(&threads[i], NULL, client_run, &clients[i]);
  }
  for (int i = 0; i < 3; i++) {
    pthread_join(threads[i], NULL);
    SLI_EXPECT_INT(clients[i].failures, 0);
  }
  for (int i = 0; i < TASKS; i++) SLI_EXPECT(steps_become(i, 0));
  relay_free(&relay);
  stop_all();
}

SLI_TEST_MAIN(test_get_status_gives_the_tasks_devices, test_tensors_of_every_kind_cross_two_tasks,
              test_handles_count_per_session_and_unknown_ones_are_aborted, test_recv_tensor_checks_its_key,
              test_dead_value_travels_as_such, test_cancelled_run_ends_everywhere,
              test_local_client_has_deadlines_and_cancellation_too, test_lost_peer_is_named_as_unavailable,
              test_failed_step_fails_its_receivers_as_derived, test_cleanup_fails_waiting_receivers_and_drops_values,
              test_partial_run_feeds_and_fetches_in_parts, test_traced_run_reports_and_logs,
              test_bad_bodies_are_refused_and_the_next_call_works,
              test_recorded_requests_of_a_tensorflow_master_are_served,
              test_isolated_sessions_have_variables_of_their_own, test_task_goes_down_with_steps_under_way,
              test_clients_in_parallel_do_not_disturb_each_other)
