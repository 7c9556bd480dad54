"""Archives: a game as one file, whose Python nobody runs."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from playproof.archives.contents import build_game_archive
from playproof.language import archive as archives
from playproof.language.archive import (
    build_reproducible_archive_bytes,
    extract_archive_to_cache_folder,
    unpack_archive_into_new_game_folder,
)
from playproof.language.description import DescriptionError, digest
from playproof.language.registry import build
from playproof.referee.match import Match
from playproof.referee.transcript import save
from playproof.referee.variant import Variant
from playproof.verifier.kernel.card_tally import digest_game_cards_cached_or_empty
from playproof.verifier.questions.context import Context

Call = Callable[..., Any]
TRAP = "from pathlib import Path\nPath({!r}).touch()\n"


@pytest.fixture
def game(playproof: Call, tmp_path: Path) -> Path:
    """A game with cards, layouts, claims and rules."""
    assert playproof("new", "lamp_walk", "--in", tmp_path).status == 0
    return tmp_path / "lamp_walk"


@pytest.fixture
def archive(playproof: Call, game: Path, tmp_path: Path) -> Path:
    path = tmp_path / "there" / "lamp_walk.zip"
    path.parent.mkdir()
    made = playproof("export", "archive", game, "--out", path)
    assert made.status == 0, made.err
    return path


def files_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


def test_a_finding_names_the_archive_and_not_the_cache(
    playproof: Call, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = files_of(archive)
    files["claims.yaml"] += b"  wrong:\n    says: It is wrong.\n    ask: nothing\n"
    broken = tmp_path / "there" / "broken.zip"
    broken.write_bytes(build_reproducible_archive_bytes("lamp_walk", files))
    monkeypatch.chdir(tmp_path)
    made = playproof("prove", "there/broken.zip")
    assert made.status == 2
    assert str(Path("there", "broken.zip", "claims.yaml")) + ":" in made.err, made.err
    assert "cache" not in made.err


def test_what_is_good_names_the_archive_too(
    playproof: Call, game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    playproof("prove", game, "--claim", "price", "--out", tmp_path / "out")
    [evidence] = (tmp_path / "out").rglob("*.json")
    assert playproof("export", "archive", game, "--evidence", evidence.parent).status == 0
    assert playproof("lint", "lamp_walk.zip").out == "no errors in lamp_walk.zip\n"
    calls = playproof("play", "lamp_walk.zip", "--keep", "kept.txt", stdin="save game.txt\nquit\n").out
    assert "`playproof log judge --game lamp_walk.zip`" in " ".join(calls.split())
    held = Path("lamp_walk.zip", "evidence", "price.json")
    assert playproof("check", "lamp_walk.zip").out.splitlines()[-1] == f"         from: {held}"


def test_two_archives_of_a_game_are_equal(playproof: Call, game: Path, archive: Path, tmp_path: Path) -> None:
    made = json.loads(playproof("export", "archive", game, "--out", tmp_path / "again.zip", "--json").out)
    data = (tmp_path / "again.zip").read_bytes()
    assert data == archive.read_bytes()
    assert made["digest"] == sha256(data).hexdigest()
    files = files_of(archive)
    assert {"game.yaml", "claims.yaml", "rules.py", "layouts/path.yaml", "descriptions/settings.json"} <= set(files)
    assert made["settings"][0] == {"options": {}, "rulings": {}, "description": digest(build(str(game)))}
    for setting in made["settings"]:
        data = files[f"descriptions/{setting['description']}.json"]
        assert sha256(data).hexdigest() == setting["description"]
    cards = digest_game_cards_cached_or_empty(build(str(game)), Context())  # by which tallies know them
    assert sha256(files[f"descriptions/{cards}.json"]).hexdigest() == cards


CHECKED = """
import sys
from playproof.language import registry
from playproof.language.trace import Tracer

def refuse(*_, **__):
    raise SystemExit("a rule was loaded or traced")

registry.load_rules_module = Tracer.trace_body_to_statements = refuse
from playproof.cli.main import main
main(sys.argv[1:])
"""


def test_evidence_is_checked_without_tracing_a_rule(playproof: Call, game: Path, archive: Path, tmp_path: Path) -> None:
    """The archive's description is all that `check` reads: neither the rules nor the tracer may run."""
    playproof("prove", game, "--claim", "price", "--out", tmp_path / "out")
    [evidence] = (tmp_path / "out").rglob("*.json")

    def checked(of: Path) -> str:
        command = [sys.executable, "-c", CHECKED, "check", str(evidence), "--game", str(of)]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    said = checked(archive)
    assert "PROVEN   price" in said, said
    assert "PROVEN" not in checked(game), "a folder is traced, which is seen"


def test_a_setting_that_an_archive_lacks_is_said_and_traced_only_with_trust(
    playproof: Call, archive: Path, tmp_path: Path
) -> None:
    ran, files = tmp_path / "it ran", files_of(archive)
    files["rules.py"] = TRAP.format(str(ran)).encode() + files["rules.py"]
    manifest = json.loads(files["descriptions/settings.json"])
    manifest["settings"] = [row for row in manifest["settings"] if not row["rulings"]]
    files["descriptions/settings.json"] = json.dumps(manifest).encode()
    archive.write_bytes(build_reproducible_archive_bytes("lamp_walk", files))
    assert playproof("simulate", archive, "--games", "20", "--option", "lamps=2").status == 2
    refused = playproof("simulate", archive, "--games", "20", "--ruling", "A1=glow")
    assert (refused.status, "PP803" in refused.err, "no description for A1=glow" in refused.err) == (2, True, True)
    assert "--trust" in refused.err
    assert not ran.exists()
    trusted = playproof("simulate", archive, "--games", "20", "--ruling", "A1=glow", "--trust")
    assert (trusted.status, ran.exists()) == (0, True), trusted.err


def test_what_an_archive_describes_can_be_chosen_and_asked(
    playproof: Call, game: Path, archive: Path, tmp_path: Path
) -> None:
    """`depends` on an archive named no choice at all, and ended well."""
    said, others = (
        playproof("prove", "depends", ref, "--claim", "chance", "--out", tmp_path / out)
        for ref, out in ((archive, "one"), (game, "other"))
    )
    assert said.out == others.out
    assert said.out.startswith("A1=glow"), said
    assert playproof("compare", archive, "--sweep", "A1", "--games", 20).status == 0


def test_an_archive_brings_each_ruling_each_recorded_setting_and_fresh_evidence(
    playproof: Call, game: Path, tmp_path: Path
) -> None:
    (game / "games").mkdir()
    save(Match(Variant(str(game), {}, {"A1": "glow"}), 4), game / "games" / "glowing.txt")
    assert playproof("prove", game, "--claim", "price", "--out", tmp_path / "out").status == 0
    proofs = tmp_path / "out" / "lamp_walk" / "evidence"
    (proofs / "old.json").write_text((proofs / "price.json").read_text().replace('"digest": "', '"digest": "0'))
    (proofs / "no.json").write_text("{}")
    answer = playproof(
        "export", "archive", game, "--evidence", proofs, "--sheets", "--paper", "A4", "--out", tmp_path / "a.zip"
    )
    assert answer.status == 0, answer.err
    assert [line.split(":")[0].rpartition("/")[2] for line in answer.err.splitlines()] == ["no.json", "old.json"]
    files = files_of(tmp_path / "a.zip")
    rows = json.loads(files["descriptions/settings.json"])["settings"]
    assert {"A1": "glow"} in [row["rulings"] for row in rows]
    assert [path for path in files if path.startswith("evidence/")] == ["evidence/price.json"]
    assert "print/A4/path-en.pdf" in files
    checked = playproof("check", tmp_path / "a.zip")
    assert (checked.status, checked.out.startswith("PROVEN   price")) == (0, True), checked
    (tmp_path / "bare.zip").write_bytes(
        build_reproducible_archive_bytes("lamp_walk", {k: v for k, v in files.items() if "evidence" not in k})
    )
    assert "PP811 this archive holds no evidence" in playproof("check", tmp_path / "bare.zip").err
    assert {"print/fonts/Alegreya-Regular.ttf", "print/fonts/OFL-alegreya.txt"} <= set(files)
    judged = playproof("log", "judge", game / "games" / "glowing.txt", "--game", tmp_path / "a.zip")
    assert (judged.status, "PP608" in judged.out) == (0, False)


def test_a_recorded_game_with_other_rules_is_found_out(
    playproof: Call, game: Path, archive: Path, tmp_path: Path
) -> None:
    rules = (game / "rules.py").read_text("utf-8")
    (game / "rules.py").write_text(rules.replace("walk on", "walk along"), "utf-8")
    recorded = tmp_path / "recorded.txt"
    save(Match(Variant(str(game)), 4), recorded)
    judged = playproof("log", "judge", recorded, "--game", archive)
    assert "PP608" in judged.out


def test_other_cards_than_the_descriptions_are_refused(playproof: Call, archive: Path) -> None:
    files = files_of(archive)
    files["game.yaml"] += b"# another letter\n"
    archive.write_bytes(build_reproducible_archive_bytes("lamp_walk", files))
    answer = playproof("simulate", archive, "--games", "5")
    assert (answer.status, "PP371 the cards are others" in answer.err) == (2, True), answer.err


# -- attacks --------------------------------------------------------------------------------------------------------


def zipped(*entries: tuple[str, bytes], change: Callable[[zipfile.ZipInfo], None] = lambda info: None) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = (stat.S_IFREG | 0o644) << 16, zipfile.ZIP_DEFLATED
            change(info)
            archive.writestr(info, data)
    return made.getvalue()


MANIFEST = ("pig/descriptions/settings.json", b"{}")
PATHS = ["../evil", "pig/../../evil", "/etc/evil", "pig//evil", "pig/./evil", "C:/evil", "pig\\..\\evil", "pig/.hidden"]
PATHS += ["pig/rules.py.", "pig/rules.py ", "pig/ru\u200bles.py", "pig/\u202eyp.selur", "pig/a\u2028b"]
PATHS += ["pig/a\x00bc", "pig/a\nb", "pig/" + "d/" * 20 + "e", "pig/" + "x" * 200, "", "pig", "pig/", "pig/con:x"]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_leaves_the_folder_is_refused(path: str, tmp_path: Path) -> None:
    archive = tmp_path / "in" / "pig.zip"
    archive.parent.mkdir()
    data = zipped(MANIFEST, ("pig/QQQQ", b"1")).replace(b"pig/QQQQ", path.encode()) if len(path) == 8 else None
    archive.write_bytes(data or zipped(MANIFEST, (path, b"1")))
    for take in (
        lambda: extract_archive_to_cache_folder(str(archive)),
        lambda: unpack_archive_into_new_game_folder(str(archive), tmp_path / "out"),
    ):
        with pytest.raises(DescriptionError, match="PP371"):
            take()
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


UP = b"../../../../evil"


@pytest.mark.parametrize("file", ["layouts/build.yaml", "vocabulary.yaml", "errata/1.1.yaml"])
def test_no_name_of_a_file_leads_out_of_the_folder(playproof: Call, archive: Path, file: str) -> None:
    """A product or a kind was printed four folders above the output, and so was what an erratum sends out."""
    files = files_of(archive)
    files[file] = {
        "layouts/build.yaml": b"products:\n  %s: {title: Cards, kinds: [path]}\n" % UP,
        "vocabulary.yaml": files["vocabulary.yaml"].replace(b"  path:\n", b"  %s:\n" % UP),
        "errata/1.1.yaml": b"{version: %s, date: 2026-11-20, note: n, undoes: '1.0'}" % UP,
    }[file]
    for path in ("paths.yaml", "game.yaml", "layouts/path.yaml") if file == "vocabulary.yaml" else ():
        files[path] = files[path].replace(b"kind: path", b"kind: %s" % UP)
    archive.write_bytes(build_reproducible_archive_bytes("lamp_walk", files))
    out = archive.parent / "a" / "b" / "c"
    built = playproof("build", archive, "--paper", "A4", "--out", out)
    assert (built.status, "PP206" in built.err) == (2, True), built
    assert [path.name for path in archive.parent.iterdir()] == [archive.name]


def as_link(info: zipfile.ZipInfo) -> None:
    info.external_attr = (stat.S_IFLNK | 0o777) << 16


def encrypted(data: bytes) -> bytes:
    """The same archive, whose directory says that each file is locked."""
    at = data.index(b"PK\x01\x02")
    return data[: at + 8] + b"\x01\x00" + data[at + 10 :]


def resized(data: bytes, size: int, said: int) -> bytes:
    """The same archive, whose directory says another size of a file."""
    return data.replace(size.to_bytes(4, "little"), said.to_bytes(4, "little"))


def of_many_bytes(size: int) -> bytes:
    """An archive whose directory says the size of a file in a field of 64 bits."""
    data = zipped(MANIFEST, ("pig/a", b"7" * 999))
    at = data.rindex(b"PK\x01\x02")
    field = b"\x01\x00\x08\x00" + size.to_bytes(8, "little")
    entry = data[at : data.index(b"PK\x05\x06")]
    entry = entry[:24] + b"\xff" * 4 + entry[28:30] + len(field).to_bytes(2, "little") + entry[32:] + field
    end = bytearray(data[data.index(b"PK\x05\x06") :])
    length = int.from_bytes(end[12:16], "little") + len(field)
    end[12:16] = length.to_bytes(4, "little")
    return data[:at] + entry + bytes(end)


BOMB = b"\0" * 3_000_000
ARCHIVES: dict[str, tuple[Callable[[], bytes], str]] = {
    "no zip file": (lambda: b"PK\x03\x04 and no more", "expected a zip file"),
    "nothing": (lambda: b"", "expected a zip file"),
    "no game": (zipped, "found 0"),
    "a link": (lambda: zipped(MANIFEST, ("pig/link", b"/etc/passwd"), change=as_link), "no plain file"),
    "a locked file": (lambda: encrypted(zipped(MANIFEST)), "no plain file"),
    "a name twice in other letters": (
        lambda: zipped(MANIFEST, ("pig/\u00e9.txt", b"1"), ("pig/E\u0301.txt", b"2")),
        "stands twice",
    ),
    "a name that is no UTF-8": (
        lambda: zipped(MANIFEST, ("pig/\u00e9.txt", b"1")).replace("\u00e9".encode(), b"\xff\xfe"),
        "expected a zip file",
    ),
    "an archive cut short": (lambda: zipped(MANIFEST, ("pig/a", b"1" * 500))[:-30], "expected a zip file"),
    "an archive without its beginning": (lambda: zipped(MANIFEST, ("pig/a", b"1" * 500))[60:], ""),
    "an archive in an archive": (lambda: zipped(("pig/pig.zip", zipped(MANIFEST))), "descriptions/settings.json"),
    "a file larger than it says": (lambda: resized(zipped(MANIFEST, ("pig/a", b"7" * 999)), 999, 5), "broken"),
    "a file smaller than it says": (lambda: resized(zipped(MANIFEST, ("pig/a", b"7" * 999)), 999, 1999), ""),
    "a file of 2 ** 63 bytes": (lambda: of_many_bytes(2**63 - 1), "more than 1,000,000 bytes"),
    "a name twice": (lambda: zipped(MANIFEST, ("pig/a", b"1"), ("pig/A", b"2")), "stands twice"),
    "two games": (lambda: zipped(MANIFEST, ("nim/game.yaml", b"1")), "one game, found 2"),
    "no descriptions": (lambda: zipped(("pig/rules.py", b"1")), "descriptions/settings.json"),
    "a bomb": (lambda: zipped(MANIFEST, ("pig/a", BOMB)), "more than 1,000,000 bytes"),
    "a broken file": (lambda: zipped(MANIFEST, ("pig/a", b"x" * 99)).replace(b"x" * 9, b"y" * 9), ""),
    "a file in a file": (lambda: zipped(MANIFEST, ("pig/a", b"1"), ("pig/a/b", b"2")), "cannot be written"),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_that_is_not_one_is_refused(
    name: str, tmp_path: Path, playproof: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "_MOST_UNPACKED", 1_000_000)
    make, words = ARCHIVES[name]
    data = make()
    if name == "a broken file":  # one letter of its packed bytes
        at = data.index(b"pig/a") + 6
        data = data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :]
    (tmp_path / "pig.zip").write_bytes(data)
    answer = playproof("simulate", tmp_path / "pig.zip", "--games", "5")
    assert (answer.status, "PP371" in answer.err, words in answer.err) == (2, True, True), answer.err
    assert playproof("export", "unpack", tmp_path / "pig.zip", "--in", tmp_path / "out").status == 2
    assert not list(tmp_path.glob("out/*"))


@cache
def packed_pig() -> dict[str, bytes]:
    return build_game_archive("pig").files


def pig(tmp_path: Path) -> dict[str, bytes]:
    files = dict(packed_pig())
    (tmp_path / "pig.zip").write_bytes(build_reproducible_archive_bytes("pig", files))
    return files


def described(files: dict[str, bytes]) -> str:
    """The path of the description of the default setting."""
    rows = json.loads(files["descriptions/settings.json"])["settings"]
    [digest] = [row["description"] for row in rows if not row["options"] and not row["rulings"]]
    return f"descriptions/{digest}.json"


def other_description(files: dict[str, bytes]) -> None:
    """A description under the digest of another."""
    files[described(files)] = files[described(files)].replace(b'"the die is rolled"', b'"it rolls"')


def description_of_another_game(files: dict[str, bytes]) -> None:
    data = files.pop(path := described(files)).replace(b'"name":"pig"', b'"name":"nim"')
    name = sha256(data).hexdigest()
    files[f"descriptions/{name}.json"] = data
    settings = files["descriptions/settings.json"]
    files["descriptions/settings.json"] = settings.replace(path[13:77].encode(), name.encode())


def no_file(files: dict[str, bytes]) -> None:
    del files[described(files)]


def path_for_digest(files: dict[str, bytes]) -> None:
    name = described(files)[13:77].encode()
    files["descriptions/settings.json"] = files["descriptions/settings.json"].replace(name, b"../" * 21 + b"a")


def another_key(files: dict[str, bytes]) -> None:
    settings = json.loads(files["descriptions/settings.json"])
    files["descriptions/settings.json"] = json.dumps({**settings, "version": 1}).encode()


def settings_of(files: dict[str, bytes]) -> Any:
    return json.loads(files["descriptions/settings.json"])


def setting_under_another_name(files: dict[str, bytes]) -> None:
    manifest = settings_of(files)
    first, second = manifest["settings"][:2]
    first["description"], second["description"] = second["description"], first["description"]
    files["descriptions/settings.json"] = json.dumps(manifest).encode()


def setting_twice(files: dict[str, bytes]) -> None:
    manifest = settings_of(files)
    manifest["settings"].append(manifest["settings"][0])
    files["descriptions/settings.json"] = json.dumps(manifest).encode()


def no_number(files: dict[str, bytes]) -> None:
    files["descriptions/settings.json"] = files["descriptions/settings.json"].replace(b": 1,", b": NaN,")


def huge_number(files: dict[str, bytes]) -> None:
    files["descriptions/settings.json"] = files["descriptions/settings.json"].replace(
        b": 1,", b": 1" + b"0" * 5000 + b","
    )


def huge_number_in_a_description(files: dict[str, bytes]) -> None:
    data = files.pop(path := described(files)).replace(b"\n100,\n", b"\n1" + b"0" * 5000 + b",\n")
    name = sha256(data).hexdigest()
    files[f"descriptions/{name}.json"] = data
    settings = files["descriptions/settings.json"]
    files["descriptions/settings.json"] = settings.replace(path[13:77].encode(), name.encode())


@pytest.mark.parametrize(
    "change",
    [
        setting_under_another_name,
        setting_twice,
        no_number,
        huge_number,
        huge_number_in_a_description,
        other_description,
        description_of_another_game,
        no_file,
        path_for_digest,
        another_key,
    ],
)
def test_descriptions_that_do_not_fit_are_refused(
    change: Callable[[dict[str, bytes]], None], playproof: Call, tmp_path: Path
) -> None:
    files = pig(tmp_path)
    assert playproof("simulate", tmp_path / "pig.zip", "--games", "5").status == 0
    change(files)
    (tmp_path / "pig.zip").write_bytes(build_reproducible_archive_bytes("pig", files))
    answer = playproof("simulate", tmp_path / "pig.zip", "--games", "5")
    assert (answer.status, "PP37" in answer.err) == (2, True), answer.err


def test_an_archive_and_an_installed_game_of_one_name_stay_apart(playproof: Call, tmp_path: Path) -> None:
    """`pig.zip` means the archive, `pig` the installed game, whichever was opened before."""
    files = pig(tmp_path)
    data = files.pop(path := described(files)).replace(b'"the die shows {face}"', b'"it shows {face}"')
    name = sha256(data).hexdigest()
    files[f"descriptions/{name}.json"] = data
    files["descriptions/settings.json"] = files["descriptions/settings.json"].replace(
        path[13:77].encode(), name.encode()
    )
    (tmp_path / "other.zip").write_bytes(build_reproducible_archive_bytes("pig", files))
    there = Variant(extract_archive_to_cache_folder(str(tmp_path / "other.zip")))
    assert (there.digest, Variant("pig").digest == path[13:77]) == (name, True)
    save(Match(there, 4), tmp_path / "recorded.txt")
    assert "PP608" in playproof("log", "judge", tmp_path / "recorded.txt").out
    assert "PP608" not in playproof("log", "judge", tmp_path / "recorded.txt", "--game", tmp_path / "other.zip").out


# -- recorded games ---------------------------------------------------------------------------------------------------


def with_other_words(files: dict[str, bytes], words: bytes) -> bytes:
    """An archive of pig in which the die says this, in each setting."""
    other = dict(files)
    for path in [path for path in files if path.startswith("descriptions/") and "settings" not in path]:
        data = other.pop(path).replace(b'"the die shows {face}"', b'"' + words + b'"')
        name = sha256(data).hexdigest()
        other[f"descriptions/{name}.json"] = data
        settings = other["descriptions/settings.json"]
        other["descriptions/settings.json"] = settings.replace(path[13:77].encode(), name.encode())
    return build_reproducible_archive_bytes("pig", other)


def test_a_recorded_game_finds_its_archive_by_name_and_digest(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = pig(tmp_path)
    (tmp_path / "pig.zip").unlink()
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    monkeypatch.chdir(tmp_path)
    for words in (b"it shows {face}", b"it lands on {face}"):
        (shelf / f"{words[3:5].decode()}.zip").write_bytes(with_other_words(files, words))
    (shelf / "broken.zip").write_bytes(b"PK\x03\x04")
    save(Match(Variant(extract_archive_to_cache_folder(str(shelf / "la.zip"))), 4), tmp_path / "recorded.txt")

    def judged(*words: str | Path) -> tuple[int, str]:
        answer = playproof("log", "judge", "recorded.txt", *words)
        return answer.status, answer.out + answer.err

    status, said = judged("--game", shelf)
    assert (status, "PP608" in said) == (0, False), said
    assert "PP608" in judged()[1], "the installed game is the only one of this name here"
    assert "PP608" in judged("--game", shelf / "sh.zip")[1], "who names an archive gets that one"
    (shelf / "la.zip").rename(tmp_path / "la.zip")
    assert judged() == (0, said), "archives in the working directory are looked at"
    (tmp_path / "la.zip").unlink()
    status, said = judged("--game", shelf)
    assert (status, "several games are called `pig`" in said, "the installed game, " in said) == (1, True, True)
    assert "--game" in said


def test_a_recorded_game_without_an_installed_one_takes_the_archive_of_its_name(
    playproof: Call, game: Path, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(Match(Variant(str(game)), 4), tmp_path / "recorded.txt")
    assert "no archive here is of it" in playproof("log", "judge", tmp_path / "recorded.txt").out
    monkeypatch.chdir(archive.parent)
    judged = playproof("log", "judge", tmp_path / "recorded.txt")
    assert (judged.status, "PP608" in judged.out) == (0, False), judged


def test_an_archive_that_is_rewritten_while_it_is_read_is_one_or_the_other(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read once, so its files, its digest and its folder are of the same bytes."""
    files = pig(tmp_path)
    first, second = (with_other_words(files, words) for words in (b"it shows {face}", b"it lands on {face}"))
    file = tmp_path / "pig.zip"
    file.write_bytes(first)
    listed = archives._iter_plain_archive_files_or_raise

    def rewritten(archive: str, data: bytes) -> Any:
        file.write_bytes(second)
        return listed(archive, data)

    monkeypatch.setattr(archives, "_iter_plain_archive_files_or_raise", rewritten)
    assert "it shows" in Variant(extract_archive_to_cache_folder(str(file))).game.show(2)
    assert "it lands on" in Variant(extract_archive_to_cache_folder(str(file))).game.show(2)


def test_two_processes_may_open_an_archive_at_the_same_time(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pig(tmp_path)
    made = archives._extract_files_atomically

    def second(archive: str, data: bytes, files: dict[str, zipfile.ZipInfo], folder: Path) -> None:
        made(archive, data, files, folder)  # the other one
        made(archive, data, files, folder)

    monkeypatch.setattr(archives, "_extract_files_atomically", second)
    folder = Path(extract_archive_to_cache_folder(str(tmp_path / "pig.zip")))
    assert (folder / "descriptions" / "settings.json").is_file()
    assert not list(folder.parent.parent.glob(".part-*"))


def test_an_archive_in_the_cache_is_read_as_it_was_packed(
    playproof: Call, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claims that were changed in the cache were proved under the game's name, and Python put there was run."""
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "cache"))
    first = Path(extract_archive_to_cache_folder(str(archive)))
    claims = (first / "claims.yaml").read_bytes()
    (first / "claims.yaml").write_text("claims: {}\n")
    (first / "rules.py").write_text("raise SystemExit('run')\n")
    again = Path(extract_archive_to_cache_folder(str(archive)))
    assert again == first
    assert (again / "claims.yaml").read_bytes() == claims
    assert not (again / "rules.py").exists()
