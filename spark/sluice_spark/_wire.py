"""Connections between the driver, the tasks of a cluster and those that feed them: pickled messages, authenticated by a key
that only the job knows."""
import multiprocessing
import multiprocessing.connection as connection
import random
import socket
import time

CONNECT_SECONDS = 60


def listen(host):
    """A listener on a port that the system chooses."""
    return connection.Listener((host, 0), backlog=128)


def authenticate(peer, key):
    """Lets only those in who have the key. In a thread of its own: strangers may stay silent."""
    try:
        connection.deliver_challenge(peer, key)
        connection.answer_challenge(peer, key)
        return True
    except (OSError, EOFError, multiprocessing.AuthenticationError):
        peer.close()
        return False


def connect(address, key, what, seconds=CONNECT_SECONDS):
    """Connects to |what|, trying again for some time."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return connection.Client(tuple(address), authkey=key)
        except (OSError, EOFError) as error:  # also while it starts
            if time.monotonic() > deadline:
                raise ConnectionError("%s at %s:%d cannot be reached: %s" % ((what,) + tuple(address) + (error,)))
            time.sleep(0.2)


def free_port():
    """A port that is free now, outside of the range of which the system takes ports for connections."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        low, high = (int(word) for word in file.read().split())
    ports = range(10240, low) if low > 12000 else range(high + 1, 65536)
    for _ in range(1000):
        port = random.choice(ports)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("", port))
                return port
            except OSError:
                continue
    raise OSError("no port of %d to %d is free" % (ports[0], ports[-1]))
