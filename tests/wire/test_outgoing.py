"""How a response leaves: the records of this pair of sockets are what single calls have sent."""

import socket

import pytest

from server.serving.outgoing import ByteBudget, Outgoing

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
SIZE = 65_536


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        theirs.setblocking(False)
        yield ours, theirs


@pytest.fixture
def outgoing(pair):
    made = Outgoing(pair[0], ByteBudget(SIZE), 1)
    yield made
    made.close()


@pytest.fixture
def records(pair):
    """Returns what has been sent so far, and not been returned before."""

    def take():
        found = []
        while True:
            try:
                found.append(pair[1].recv(2 * SIZE))
            except BlockingIOError:
                return found

    return take


def test_head_and_body_leave_together(outgoing, records):
    outgoing.sendall(HEAD)
    assert records() == []
    outgoing.sendall(b"first")
    assert records() == [HEAD + b"first"]
    outgoing.sendall(b"second")
    outgoing.flush()
    assert records() == [b"second"]


def test_a_head_without_a_body_leaves_at_the_end_of_the_response(outgoing, records):
    outgoing.sendall(HEAD)
    for _ in range(2):
        outgoing.flush()
    assert records() == [HEAD]


def test_a_large_body_is_not_copied(outgoing, records):
    outgoing.sendall(HEAD)
    outgoing.sendall(b"x" * (SIZE + 1))
    assert [len(record) for record in records()] == [len(HEAD), SIZE + 1]


def test_the_head_of_a_file_leaves_before_it(outgoing, records, tmp_path):
    path = tmp_path / "picture"
    path.write_bytes(b"picture")
    with path.open("rb") as file:
        outgoing.sendall(HEAD)
        outgoing.sendfile(file, 0, 7)
    assert b"".join(records()) == HEAD + b"picture"
