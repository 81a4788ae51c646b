"""Clusters of Sluice in the executors of a Spark job.

    import sluice_spark

    def main(args, context):                    # runs in every task of the cluster
        import tensorflow as tf                 # this is Sluice
        server = context.start_server()
        if context.job_name == "ps":
            server.join()
        feed = context.get_data_feed()
        ...
        while not feed.should_stop():
            rows = feed.next_batch(100)

    cluster = sluice_spark.run(sc, main, args, num_executors=3, num_ps=1, input_mode=sluice_spark.InputMode.SPARK)
    cluster.train(data_frame, epochs=2)
    cluster.shutdown()

docs/hosting.md is the manual.
"""
from sluice_spark._cluster import Cluster, ClusterError, InputMode, run

__all__ = ["Cluster", "ClusterError", "InputMode", "run"]
