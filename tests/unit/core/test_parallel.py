import io
import os
import tarfile
import zipfile

import pytest

from modtok.core.errors import DataError
from modtok.core.parallel import codes_in, read_parallel

GREEK, ENGLISH = "πρώτη\nδεύτερη\n".encode(), b"first\nsecond\n"
FLORES = {"set/devtest/ell_Grek.devtest": GREEK, "set/devtest/eng_Latn.devtest": ENGLISH, "set/README": b"?"}
CODES = ["ell_Grek", "eng_Latn", "xxx_Latn"]
LINES = {"ell_Grek": ["πρώτη", "δεύτερη"], "eng_Latn": ["first", "second"]}


def folder(path, files):
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def zip_file(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tar_file(path, files):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


PACKINGS = pytest.mark.parametrize(
    ("pack", "name"),
    [(folder, "set"), (zip_file, "set.zip"), (tar_file, "set.tar.gz"), (zip_file, "no_suffix")],
)
ARCHIVES = pytest.mark.parametrize(("pack", "name"), [(zip_file, "set.zip"), (tar_file, "set.tar.gz")])


@PACKINGS
def test_every_packing_gives_the_lines_of_the_codes_that_the_set_has(tmp_path, pack, name):
    assert read_parallel(pack(tmp_path / name, FLORES), CODES) == LINES


@PACKINGS
def test_the_codes_of_a_set_are_those_of_its_first_split(tmp_path, pack, name):
    other = {"set/dev/fin_Latn.dev": b"x\n", "set/devtest/eng.devtest": b"x\n"}
    assert codes_in(pack(tmp_path / name, FLORES | other)) == {"ell_Grek", "eng_Latn"}
    assert codes_in(pack(tmp_path / f"no_{name}", {"README": b"?"})) == set()


def test_the_codes_of_what_is_no_set_are_an_error(tmp_path):
    with pytest.raises(DataError, match="absent: not a folder, zip or tar file with a parallel set"):
        codes_in(tmp_path / "absent")


@PACKINGS
def test_unequal_numbers_of_lines_are_an_error_with_the_numbers(tmp_path, pack, name):
    path = pack(tmp_path / name, {"ell_Grek.test": GREEK, "eng_Latn.test": b"only one line\n"})
    with pytest.raises(DataError, match=r"ell_Grek\.test 2, eng_Latn\.test 1"):
        read_parallel(path, CODES)


@ARCHIVES
@pytest.mark.parametrize("prefix", ["../../", "/", "/etc/../", "a/../../"])
def test_a_members_folder_leads_nowhere(tmp_path, pack, name, prefix):
    inside = tmp_path / "deep" / "inside"
    inside.mkdir(parents=True)
    path = pack(inside / name, {prefix + "ell_Grek.dev": GREEK, prefix + "escaped": b"!"})
    assert read_parallel(path, ["ell_Grek"]) == {"ell_Grek": LINES["ell_Grek"]}
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [path]


def test_links_in_a_tar_are_left_out(tmp_path):
    with tarfile.open(tmp_path / "set.tar", "w") as archive:
        for code, kind in [
            ("ell_Grek", tarfile.SYMTYPE),
            ("eng_Latn", tarfile.LNKTYPE),
            ("fra_Latn", tarfile.FIFOTYPE),
        ]:
            member = tarfile.TarInfo(f"{code}.dev")
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    assert read_parallel(tmp_path / "set.tar", [*CODES, "fra_Latn"]) == {}


def test_links_in_a_zip_are_left_out(tmp_path):
    member = zipfile.ZipInfo("ell_Grek.dev")
    member.create_system, member.external_attr = 3, 0o120777 << 16
    path = zip_file(tmp_path / "set.zip", {member: b"/etc/passwd", "eng_Latn.dev/": b""})
    assert read_parallel(path, CODES) == {}


@PACKINGS
def test_two_files_of_one_name_are_an_error_that_names_both(tmp_path, pack, name):
    path = pack(tmp_path / name, {**FLORES, "old/eng_Latn.devtest": ENGLISH, "old/README": b"?"})
    assert read_parallel(path, ["ell_Grek"]) == {"ell_Grek": LINES["ell_Grek"]}
    both = r"two files of one name, old/eng_Latn\.devtest and set/devtest/eng_Latn\.devtest; remove one"
    with pytest.raises(DataError, match=both):
        read_parallel(path, CODES)


def test_in_a_folder_a_link_to_a_file_is_read_and_one_to_a_folder_not_entered(tmp_path):
    elsewhere = folder(tmp_path / "elsewhere", {"a/english": ENGLISH, "b/ell_Grek.dev": GREEK})
    (tmp_path / "set").mkdir()
    (tmp_path / "set/eng_Latn.dev").symlink_to(elsewhere / "a/english")
    (tmp_path / "set/more").symlink_to(elsewhere / "b")
    assert read_parallel(tmp_path / "set", CODES) == {"eng_Latn": LINES["eng_Latn"]}


def test_a_pipe_in_a_folder_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "ell_Grek.dev")
    assert read_parallel(tmp_path, CODES) == {}


@pytest.mark.parametrize(
    ("present", "chosen"),
    [(["dev", "test", "devtest"], "devtest"), (["dev", "test"], "test"), (["dev"], "dev")],
)
def test_the_split_is_devtest_then_test_then_dev(tmp_path, present, chosen):
    path = folder(tmp_path / "set", {f"{split}/eng_Latn.{split}": f"{split}\n".encode() for split in present})
    assert read_parallel(path, CODES) == {"eng_Latn": [chosen]}


def test_a_file_that_is_no_language_does_not_choose_the_split(tmp_path):
    path = folder(tmp_path / "set", {"notes.devtest": b"?", "README.test": b"?", "eng_Latn.dev": ENGLISH})
    assert read_parallel(path, CODES) == {"eng_Latn": LINES["eng_Latn"]}


def test_all_codes_are_read_from_one_split(tmp_path):
    mixed = {"eng_Latn.devtest": ENGLISH, "eng_Latn.dev": b"other\nlines\n", "ell_Grek.dev": GREEK}
    path = folder(tmp_path / "set", mixed)
    assert read_parallel(path, CODES) == {"eng_Latn": LINES["eng_Latn"]}
    assert read_parallel(path, ["ell_Grek"]) == {}


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\n\nb", ["a", "", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        ("a\u2028b\x85c\x0bd\x1ce\rf\n".encode(), ["a\u2028b\x85c\x0bd\x1ce\rf"]),
        (b"a\xffb\n", ["a\ufffdb"]),
    ],
)
def test_lines_end_at_lf_alone(tmp_path, content, lines):
    (tmp_path / "eng_Latn.dev").write_bytes(content)
    assert read_parallel(tmp_path, CODES) == {"eng_Latn": lines}


def broken_sets():
    whole_tar, whole_zip = FLORES | {"eng_Latn.devtest": os.urandom(5000)}, dict(FLORES)
    yield "absent", None
    yield "text", lambda path: path.write_text("neither zip nor tar")
    yield "empty", lambda path: path.write_bytes(b"")
    yield "cut tar.gz", lambda path: path.write_bytes(tar_file(path, whole_tar).read_bytes()[:3000])
    yield "corrupt tar.gz", lambda path: corrupt(tar_file(path, whole_tar), 30)
    yield "cut zip", lambda path: path.write_bytes(zip_file(path, whole_zip).read_bytes()[:-30])
    yield "corrupt zip", lambda path: corrupt(zip_file(path, whole_zip), 62)


def corrupt(path, offset):
    data = bytearray(path.read_bytes())
    data[offset : offset + 8] = b"\xff" * 8
    path.write_bytes(data)


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in broken_sets()])
def test_a_broken_set_is_a_data_error(tmp_path, make):
    path = tmp_path / "set"
    if make:
        make(path)
    with pytest.raises(DataError, match=r"(?s)not a folder, zip or tar file .*; mend the path"):
        read_parallel(path, CODES)
