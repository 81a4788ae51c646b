// Requests to HDFS by its REST interface, WebHDFS. For file_hdfs.c.
//
// A path names its name nodes in one of these ways:
//   webhdfs://host:port/…, swebhdfs://…   the HTTP or HTTPS address itself; ports 9870 and 9871 by default
//   hdfs://host:port/…                    the address of the Java clients. The HTTP address is SLUICE_WEBHDFS, a list
//   of
//                                         http://host:port; else what hdfs-site.xml in HADOOP_CONF_DIR (or
//                                         HADOOP_HOME/etc/hadoop) says; else http://host:9870
//   hdfs:///…, hdfs://default/…           fs.defaultFS of core-site.xml
// The user is HADOOP_USER_NAME, else that of this process. There is no Kerberos.
//
// Requests go on, with growing pauses, while name nodes are in standby or safe mode and nodes cannot be reached, until
// SLUICE_FILE_TIMEOUT has passed. Thread-safe; blocks.
#ifndef SLI_IO_FILE_HDFS_REQUEST_H_
#define SLI_IO_FILE_HDFS_REQUEST_H_

#include <jansson.h>

#include "io/file/http.h"

// A file or directory. The views point into the path that it was made of.
typedef struct {
  sli_view_t scheme, authority;
  const char *path;   // "/dir/file"
  const char *shown;  // for messages
} sli_hdfs_name_t;

// |path| is without the scheme, which |shown| begins with.
sli_hdfs_name_t sli_hdfs_name(const char *path, const char *shown);

// An operation of the name node: "op=MKDIRS&…" by GET, PUT, POST or DELETE. The caller owns |*out_reply|, which may be
// NULL. |*out_repeated|, if not NULL: an earlier attempt may have been carried out although its reply was lost.
sli_status_t *sli_hdfs_call(const sli_hdfs_name_t *name, const char *method, const char *query, json_t **out_reply,
                            bool *out_repeated);
// Reads up to |size| bytes; fewer only at the end of the file.
sli_status_t *sli_hdfs_read(const sli_hdfs_name_t *name, uint64_t offset, void *data, size_t size, size_t *out_size);
// Sends |data| to a data node by "op=CREATE&…" (PUT) or "op=APPEND" (POST), once. |*out_is_temporary|: another attempt
// may succeed.
sli_status_t *sli_hdfs_send(const sli_hdfs_name_t *name, const char *method, const char *query, const void *data,
                            size_t size, bool *out_is_temporary);

#endif  // SLI_IO_FILE_HDFS_REQUEST_H_
