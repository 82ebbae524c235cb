"""Secrets that the service makes for itself."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from core.lib.private_files import read_or_create


def test_makes_a_secret_of_256_bits_and_keeps_it(tmp_path):
    path = tmp_path / "folder" / "secret"
    secret = read_or_create(path)
    assert re.fullmatch("[0-9a-f]{64}", secret)
    assert read_or_create(path) == secret


def test_the_file_is_for_its_owner_alone_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "secret"
    read_or_create(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_reads_what_an_operator_has_put_there(tmp_path):
    path = tmp_path / "secret"
    path.write_text(" given \n")
    assert read_or_create(path) == "given"


def test_of_many_that_start_at_once_all_have_the_same_secret(tmp_path):
    count = 16
    barrier = Barrier(count)

    def start(_):
        barrier.wait()
        return read_or_create(tmp_path / "secret")

    with ThreadPoolExecutor(count) as pool:
        assert len(set(pool.map(start, range(count)))) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        read_or_create(tmp_path / "file" / "secret")
