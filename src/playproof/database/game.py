"""`load_game` turns a folder of YAML into one Game, or raises one InputError with all findings."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database import rulebook as references
from playproof.database.component_files import (
    SPECIAL,
    ComponentFiles,
    collect_plain_fields_titles_and_kind,
    convert_valid_components_by_id,
    split_components_by_having_copies,
)
from playproof.database.component_models import Converter, Reference, words_by_language_from_node
from playproof.database.components import Component, NameUse, UnreadComponent, Words
from playproof.database.errors import (
    Finding,
    FindingCollector,
    InputError,
    Where,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.database.folder_errata import FolderErrata
from playproof.database.game_files import (
    FORMAT,
    GameFacts,
    find_right_path_of_misplaced_file,
    is_version_text_newer_than_supported,
    make_misplaced_file_finding,
    read_languages_recording_wrong_codes,
)
from playproof.database.installation import CARDS, EXAMPLES
from playproof.database.rulebook import EMPTY, Rule, Rulebook, Ruling, read_rulebook_or_empty
from playproof.database.sheet_cells import yaml_node_from_data_at_one_place
from playproof.database.source import KindAndNode, YamlData, YamlNode, read_file_or_its_override, read_yaml_file
from playproof.database.spreadsheets import is_spreadsheet
from playproof.database.vocabulary import Vocabulary, read_vocabulary_or_record_findings
from playproof.database.yaml_models import validate_node_or_record_findings

if TYPE_CHECKING:  # a game without claims or errata does without what they import
    from playproof.database.claims_yaml import Claim
    from playproof.database.patch import Change, Erratum, UnreadErratum
    from playproof.database.patch_targets import ChapterEdit
    from playproof.database.sheet_inference import InferredFiles

NO_WORDS: dict[str, YamlData] = {"terms": {}, "kinds": {}}
NOTHING = YamlNode(None, Where(""))
_proposed: dict[Path, YamlNode] = {}  # by the folder's real path


class UnreadClaims(Mapping[str, "Claim"]):
    """Claims of which some cannot be read. Whoever needs all gets InputError; printing and playing need none.
    `others` are those that can be read."""

    def __init__(self, findings: tuple[Finding, ...], others: Mapping[str, Claim]) -> None:
        self.findings, self.others = findings, others

    def __getitem__(self, name: str) -> Claim:
        raise InputError(self.findings)

    def __iter__(self) -> Iterator[str]:
        raise InputError(self.findings)

    def __len__(self) -> int:
        raise InputError(self.findings)


@dataclass(frozen=True, eq=False)
class Game:
    """One game's data, checked. `digest` is a hash of every file that the data comes from. `components` are those in
    the box; `removed` those without a copy (`count: 0`), which nothing plays, prints or lays out. `nodes` holds the
    kind of each and the values that it was made of, errata applied. `ruled` are the defaults of rulings that errata put
    in force, by id; `edits` the sentences of chapters that they replace. `unread_errata` are files of errata that
    cannot be used, and that are not in use. `unread_components` are those that `load_game(keep_going=True)` leaves out,
    by id, or by file and row where an id cannot be read."""

    name: str
    title: str
    titles: Words
    folder: Path
    facts: GameFacts
    vocabulary: Vocabulary
    components: Mapping[str, Component]
    rulebook: Rulebook
    claims: Mapping[str, Claim]
    errata: tuple[Erratum, ...]
    applied: tuple[str, ...]
    digest: str
    node: YamlNode = field(compare=False, repr=False)  # game.yaml
    references: tuple[Reference, ...] = field(default=(), compare=False)
    icons: tuple[NameUse, ...] = field(default=(), compare=False)
    removed: Mapping[str, Component] = field(default_factory=dict, compare=False)
    nodes: Mapping[str, KindAndNode] = field(default_factory=dict, compare=False, repr=False)
    ruled: Mapping[str, str] = field(default_factory=dict, compare=False)
    edits: tuple[ChapterEdit, ...] = field(default=(), compare=False)
    unread_errata: tuple[UnreadErratum, ...] = field(default=(), compare=False)
    unread_components: Mapping[str, UnreadComponent] = field(default_factory=dict, compare=False)

    @property
    def rules(self) -> Mapping[str, Rule]:
        """Every atomic rule by id."""
        return self.rulebook.rules

    @property
    def rulings(self) -> Mapping[str, Ruling]:
        """Every ruling by id."""
        return self.rulebook.rulings

    @property
    def unread_claim_findings(self) -> tuple[Finding, ...]:
        """What is wrong in the claims, if they cannot be read. `claims` then raises InputError."""
        return self.claims.findings if isinstance(self.claims, UnreadClaims) else ()

    @property
    def readable_claims(self) -> Mapping[str, Claim]:
        """The claims that can be read, whatever is wrong with others."""
        return self.claims.others if isinstance(self.claims, UnreadClaims) else self.claims

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that texts should exist in, the main one first."""
        return self.vocabulary.languages

    def of_kind(self, *kinds: str) -> tuple[Component, ...]:
        """The components of these kinds, in the order of their files. Raises InputError if the
        vocabulary has no such kind."""
        declared = self.vocabulary.kinds
        unknown = [kind for kind in kinds if kind not in declared]
        if unknown:
            where = Where(str(self.folder / "vocabulary.yaml"))
            raise InputError(
                [
                    Finding(
                        "PP210",
                        where,
                        f'expected a kind of component, found "{kind}"',
                        make_nearest_or_possible_words_hint(kind, declared),
                    )
                    for kind in unknown
                ]
            )
        return tuple(c for c in self.components.values() if c.kind in kinds)

    def constant(self, name: str) -> int:
        """Return a number of the rules by its name in ``game.yaml`` (`numbers`). Raises InputError,
        at the line that asks, if there is none."""
        if name not in self.facts.numbers:
            message = f'expected the number "{name}" under `numbers` in game.yaml, found none'
            asking = sys._getframe(1)
            where = Where(make_path_relative_to_working_folder(Path(asking.f_code.co_filename)), asking.f_lineno)
            raise InputError.from_single_finding(
                "PP210", where, message, make_nearest_or_possible_words_hint(name, self.facts.numbers)
            )
        return self.facts.numbers[name]

    def make_hint_for_unknown_kind(self, kind: str) -> str:
        """Return which kind may be meant by one that the game does not have; of kinds that sheets make, how."""
        hint = make_nearest_or_possible_words_hint(kind, self.vocabulary.kinds)
        declared = self.node.get("sheets")
        if declared is None or str(declared.where.file).endswith(".yaml"):
            return hint
        sheets = [sheet for sheet in self.facts.sheets if sheet.kind in self.vocabulary.kinds]
        made = ", ".join(f'{sheet.file} makes the kind "{sheet.kind}"' for sheet in sheets[:4])
        return f"a sheet's name makes its kind, and {made}: write `kind: {sheets[0].kind}`, or rename the sheet"

    def number(self, part: str | int) -> int | None:
        """Return a number, or the one that `component.field`, `component.count` or, for an amount of
        an effect, `component.field.effect.term` names, or None if there is none."""
        if isinstance(part, int):
            return part
        words = part.split(".")
        keys = {cut: self.components.get(".".join(words[:cut])) for cut in range(1, len(words))}
        cut, component = next(((cut, named) for cut, named in keys.items() if named is not None), (0, None))
        if component is None:
            return None
        name, *inner = words[cut:]
        value = component.count if name == "count" else component.get(name)
        if len(inner) == 2 and isinstance(value, tuple):
            value = next((effect.amounts.get(inner[1]) for effect in value if effect.op == inner[0]), None)
        return value if isinstance(value, int) else None


def list_names_of_game_folders(folder: Path = CARDS) -> tuple[str, ...]:
    """Return the games in a folder: every subfolder with a game.yaml."""
    return tuple(sorted(path.parent.name for path in folder.glob("*/game.yaml")))


def has_game_file_or_printable_sheets(folder: Path) -> bool:
    """Return whether a folder is a game: it has a game.yaml, or spreadsheets and a layout to print them with."""
    if (folder / "game.yaml").is_file():
        return True
    return (folder / "layouts").is_dir() and any(map(is_spreadsheet, folder.iterdir()))


def has_rules_file(folder: Path) -> bool:
    """Return whether a folder has the rules of a game."""
    return (folder / "rules.py").is_file() or (folder / "rules" / "__init__.py").is_file()


def _make_title_from_folder_name(folder: Path) -> str:
    return folder.resolve().name.replace("_", " ").replace("-", " ").title()


def require_game_folder(game_ref: str | Path) -> Path:
    """Return the folder of a game given by its name below cards/ or by its path. Raises InputError
    if there is none."""
    text = str(game_ref)
    plain = re.fullmatch(r"[A-Za-z0-9_-]+", text) is not None
    if plain and (CARDS / text / "game.yaml").is_file():
        return CARDS / text
    folder = Path(game_ref)
    example = plain and (EXAMPLES / f"{text}.py").is_file()  # its name means the example, which has no cards
    claimed = has_rules_file(folder) and any((folder / f"{stem}.yaml").is_file() for stem in SPECIAL[2:])
    if not example and (has_game_file_or_printable_sheets(folder) or claimed):
        return folder
    collector = FindingCollector()
    if example:
        collector.add_finding(
            "PP202", Where(text), f"the example `{text}` has no cards", f"for a folder of this name write ./{text}"
        )
    elif folder.is_dir():
        message = "expected a game.yaml in this folder, found none"
        collector.add_finding(
            "PP202",
            Where(make_path_relative_to_working_folder(folder)),
            message,
            _make_hint_on_what_folder_lacks(folder),
        )
    elif folder.is_symlink():
        collector.add_finding("PP201", Where(text), "this link leads nowhere, or in a circle", "make it again")
    else:
        hint = make_nearest_or_possible_words_hint(text, list_names_of_game_folders())
        collector.add_finding("PP201", Where(text), f'there is no game "{text}", by name or as a folder', hint)
    raise InputError(collector.findings)


def _make_hint_on_what_folder_lacks(folder: Path) -> str:
    """Return what a folder needs to be a game, from what lies in it and around it."""
    from playproof.database.game_files import LAYOUTS, list_spreadsheets_in_subfolders

    name = make_path_relative_to_working_folder(folder)
    inner = [path for path in sorted(folder.iterdir()) if path.is_dir() and has_game_file_or_printable_sheets(path)]
    if inner:
        return f"the game is {make_path_relative_to_working_folder(inner[0])}"
    if has_game_file_or_printable_sheets(folder.absolute().parent):
        return f"the game is the folder above, {make_path_relative_to_working_folder(folder.absolute().parent)}"
    tables = [path for path in sorted(folder.iterdir()) if is_spreadsheet(path)]
    if tables:
        looks = [path for path in sorted(folder.glob("*.yaml")) if "elements:" in path.read_text("utf-8", "replace")]
        if looks:
            return f"move the layout {looks[0].name} to {name / LAYOUTS / looks[0].name}"
        return (
            f"a table needs a layout too; `playproof new NAME --sheet "
            f"{make_path_relative_to_working_folder(tables[0])}` drafts one"
        )
    below = list_spreadsheets_in_subfolders(folder)
    if below:
        return (
            f"a game's tables lie at its top: move {make_path_relative_to_working_folder(below[0])} to "
            f"{name / below[0].name}"
        )
    return "`playproof new NAME` writes one to start from; cards alone may stand in a CSV, TSV, XLSX, ODS or JSON file"


def load_game(ref: str | Path, errata: bool | str = True, *, keep_going: bool = False) -> Game:
    """Load a game by name or folder.

    `errata` selects the dated patches to apply: True for all, False for none, a version such as
    "1.1" for all up to it. Raises InputError with all findings. With `keep_going`, components that
    cannot be read are left out and stand in `unread_components`: such a game is for printing alone.
    """
    loader = _GameLoader(require_game_folder(ref))
    loader.keep_going = keep_going
    return loader.load_checked_game(errata)


def load_unpatched_game_with_replaced_files(folder: Path, replacement_nodes: Mapping[str, YamlNode]) -> Game:
    """Load a game as first published, with other nodes in place of some of its files, by stem. Raises InputError."""
    return _GameLoader(folder, replacement_nodes).load_checked_game(False)


def load_game_with_extra_erratum(game_ref: str | Path, erratum: YamlNode) -> Game:
    """Load a game with one more erratum, which is in no file. Raises InputError with all findings."""
    with add_proposed_erratum_during_block(game_ref, erratum) as version:
        return load_game(game_ref, version)


@contextmanager
def add_proposed_erratum_during_block(game_ref: str | Path, erratum: YamlNode) -> Iterator[str]:
    """Make this process, and those that it forks, find one more erratum in a game's folder inside the `with` block.
    The block gets its version."""
    folder = require_game_folder(game_ref).resolve()
    _proposed[folder] = erratum
    try:
        yield str(erratum.get_node_or_nearest_ancestor(["version"]).value)
    finally:
        del _proposed[folder]


class _GameLoader:
    """One run of loading. It collects findings until something essential is missing."""

    def __init__(self, folder: Path, instead: Mapping[str, YamlNode] | None = None) -> None:
        self.folder, self.instead = folder, dict(instead or {})
        self.collector, self.of_claims = FindingCollector(), FindingCollector()
        self.hash = hashlib.sha256()
        self.keep_going = False
        proposed = _proposed.get(folder.resolve())
        self.errata = FolderErrata(folder, proposed, self.collector, self.of_claims, self.hash)
        self.component_files = ComponentFiles(self.collector)

    def load_checked_game(self, selection: bool | str) -> Game:
        """Load everything in order: facts, words, cards, rules, claims."""
        files = self._read_top_files_inferring_missing()
        if not {"game", "vocabulary"} <= files.keys():
            raise InputError(self.collector.findings)
        self._refuse_newer_format(files["game"].get("format"))
        unread = bool(self.collector.errors)  # what points into a file that cannot be read is no mistake
        patches = self.errata.read_errata_oldest_first_noting_unread()
        chosen = self.errata.choose_errata_or_note_errors(patches, selection)
        files |= self.errata.apply_errata_to_files_noting_edits(files, chosen)
        facts = validate_node_or_record_findings(GameFacts, files["game"], self.collector)
        languages = self._require_valid_languages(files["game"])
        vocabulary = read_vocabulary_or_record_findings(files["vocabulary"], languages, self.collector)
        rulebook = read_rulebook_or_empty(files["rulebook"], self.collector) if "rulebook" in files else EMPTY
        answers = self.errata.find_ruling_answers_of_errata(chosen, rulebook)
        rulebook = rulebook.copy_with_ruling_answers(answers)
        claims = self.errata.read_claims_changed_by_errata(files.get("claims"), chosen, rulebook)
        if vocabulary is None:
            raise InputError(self.collector.findings)
        sheets = self._load_component_nodes_from_sheets(facts, files["game"], vocabulary) if facts is not None else {}
        nodes = self.component_files.collect_kinds_and_nodes_by_id({**files, **sheets}, vocabulary)
        nodes = self.errata.add_components_created_by_errata(nodes, () if unread else chosen, vocabulary)
        suggest = self.errata.make_suggester_for_unknown_target(nodes, vocabulary, rulebook, facts)
        raw = self.errata.apply_errata_to_components(nodes, chosen, unread, suggest)
        written = {key: KindAndNode(nodes[key].kind, node) for key, node in raw.items()}
        targets = {key: collect_plain_fields_titles_and_kind(kind, node) for key, (kind, node) in written.items()}
        vocabulary = replace(vocabulary, targets=targets)
        converter = Converter(vocabulary)
        record = self.component_files.make_recorder_of_component_findings(nodes)
        every = convert_valid_components_by_id(written, vocabulary, converter, self.collector, record)
        components, removed = split_components_by_having_copies(every)
        if "rulebook" in files:
            references.record_unknown_rules_cited_by_components(
                every, raw, vocabulary, rulebook, self.collector, record
            )
        if not unread:
            checked = (converter, vocabulary, self.folder, removed)
            references.record_broken_references_and_images(*checked, self.collector, record)
        if self.keep_going:
            components = self.component_files.drop_unread_components_and_findings(components)
        if self.collector.errors:  # then all is said at once
            self.collector.add_findings(self.of_claims.findings)
        self.errata.add_hints_to_errata_findings()
        self.collector.raise_if_errors()
        assert facts is not None  # otherwise check() has raised
        applied = tuple(e.version for e in chosen)
        self.hash.update(repr(applied).encode())
        titles = words_by_language_from_node(files["game"].get_node_or_nearest_ancestor(["title"]))
        return Game(
            name=self.folder.resolve().name,
            title=str(titles),
            titles=titles,
            folder=self.folder,
            facts=facts,
            vocabulary=vocabulary,
            components=components,
            rulebook=rulebook,
            claims=UnreadClaims(self.of_claims.errors, claims) if self.of_claims.errors else claims,
            errata=patches,
            applied=applied,
            digest=self.hash.hexdigest(),
            node=files["game"],
            references=tuple(converter.references),
            icons=tuple(converter.icons),
            removed=removed,
            nodes=written,
            ruled={ident: answer.option for ident, answer in answers.items()},
            edits=self.errata.edits,
            unread_errata=tuple(self.errata.unread.values()),
            unread_components=self.component_files.unread if self.keep_going else {},
        )

    def _read_yaml_file_or_record_findings(self, path: Path) -> YamlNode | None:
        try:
            node = read_yaml_file(path)
        except InputError as error:
            (self.of_claims if path.name == "claims.yaml" else self.collector).add_findings(error.findings)
            if path.stem not in SPECIAL:
                self.component_files.record_unread_component(path.name, "", error.findings)
            return None
        self.hash.update(path.relative_to(self.folder).as_posix().encode() + b"\0" + read_file_or_its_override(path))
        return node

    def _read_top_files_inferring_missing(self) -> dict[str, YamlNode]:
        """Read every YAML file at the top of the game's folder, by stem."""
        files: dict[str, YamlNode] = {}
        for path in sorted(self.folder.glob("*.yaml")):
            node = self._read_yaml_file_or_record_findings(path)
            right = (
                None
                if node is None or path.stem in SPECIAL
                else find_right_path_of_misplaced_file(self.folder, path, node)
            )
            if right is not None:
                self.collector.add_findings([make_misplaced_file_finding(path, right)])
            elif node is not None:
                files[path.stem] = node
        files |= self.instead
        where = Where(make_path_relative_to_working_folder(self.folder))
        missing = [stem for stem in SPECIAL[:2] if not (self.folder / f"{stem}.yaml").exists()]
        bare = (
            self._infer_game_and_vocabulary_from_sheets(files.get("game", NOTHING)) if "vocabulary" in missing else None
        )
        if bare is not None:
            facts, words = (yaml_node_from_data_at_one_place(made, where) for made in bare)
            own = files["game"].entries if "game" in files else {}
            return files | {"game": facts._replace(value={**facts.entries, **own}), "vocabulary": words}
        if has_rules_file(self.folder) and not files.keys() - set(SPECIAL):
            empty: dict[str, dict[str, YamlData]] = {
                "game": {"title": _make_title_from_folder_name(self.folder), "players": {"min": 1, "max": 20}},
                "vocabulary": NO_WORDS,
            }
            return {stem: yaml_node_from_data_at_one_place(empty[stem], where) for stem in missing} | files
        for stem in missing:
            self.collector.add_finding("PP202", where, f"expected a {stem}.yaml in this folder, found none")
        return files

    def _infer_game_and_vocabulary_from_sheets(self, game: YamlNode) -> InferredFiles | None:
        """Return what spreadsheets say of the game, if there are any."""
        from playproof.database.sheet_inference import infer_game_and_vocabulary_from_sheets

        try:
            return infer_game_and_vocabulary_from_sheets(
                self.folder, game, self.component_files.record_unread_component if self.keep_going else None
            )
        except InputError as error:  # without the sheet, every other file would seem to be missing
            raise InputError([*self.collector.findings, *error.findings]) from None

    def _load_component_nodes_from_sheets(
        self, facts: GameFacts, game: YamlNode, vocabulary: Vocabulary
    ) -> dict[str, YamlNode]:
        """Return the cards that stand in spreadsheets."""
        if not facts.sheets:
            return {}
        from playproof.database.sheet_source import load_component_nodes_from_sheets

        for path in sorted({self.folder / sheet.file for sheet in facts.sheets}):
            if path.is_file():
                self.hash.update(path.name.encode() + b"\0" + read_file_or_its_override(path))
        return load_component_nodes_from_sheets(
            facts.sheets, game, self.folder, vocabulary, self.collector, self.component_files.record_unread_component
        )

    def _refuse_newer_format(self, version: YamlNode | None) -> None:
        """Say that a newer version has to read the game, and nothing else: what it cannot know is no mistake."""
        if version is not None and is_version_text_newer_than_supported(str(version.value)):
            message = f"this game is of format {version.value}, and this version of Playproof reads up to {FORMAT}"
            raise InputError([Finding("PP266", version.where, message, "install a newer Playproof")])

    def _require_valid_languages(self, game: YamlNode) -> tuple[str, ...]:
        """Return the languages of the texts. Stop if one is no code: every text would be wrong."""
        before = len(self.collector.errors)
        languages = read_languages_recording_wrong_codes(game, self.collector)
        if len(self.collector.errors) > before:
            raise InputError(self.collector.findings)
        return languages


def copy_game_with_component_changes(game: Game, changes: Sequence[Change]) -> Game:
    """Return a loaded game with more changes of its components. What other components say of these is not checked
    again. Raises InputError if a change does not fit or a changed component is wrong."""
    from playproof.database.patch_application import apply_changes_to_components

    collector = FindingCollector()
    ids = {change.component for change in changes}
    before = {key: node for key, (_, node) in game.nodes.items() if key in ids}
    after = apply_changes_to_components(before, changes, collector)
    written = {key: KindAndNode(game.nodes[key].kind, node) for key, node in after.items()}
    targets = {
        **game.vocabulary.targets,
        **{key: collect_plain_fields_titles_and_kind(kind, node) for key, (kind, node) in written.items()},
    }
    vocabulary = replace(game.vocabulary, targets=targets)
    changed = convert_valid_components_by_id(written, vocabulary, Converter(vocabulary), collector)
    collector.raise_if_errors()
    every = {key: changed.get(key) or game.components.get(key) or game.removed[key] for key in game.nodes}
    components, removed = split_components_by_having_copies(every)
    return replace(game, vocabulary=vocabulary, components=components, removed=removed, nodes={**game.nodes, **written})


def copy_game_with_file_change(game: Game, change: Change) -> Game:
    """Return a loaded game with another value in game.yaml or vocabulary.yaml. Its components stay as they were read.
    Raises InputError if the change does not fit."""
    from playproof.database.patch_application import apply_change_to_file_node

    collector, of_facts = FindingCollector(), change.file == "game"
    node = apply_change_to_file_node(game.node if of_facts else game.vocabulary.node, change, collector)
    collector.raise_if_errors()
    assert node is not None  # otherwise there is an error
    facts = validate_node_or_record_findings(GameFacts, node, collector) if of_facts else game.facts
    vocabulary = game.vocabulary if of_facts else read_vocabulary_or_record_findings(node, game.languages, collector)
    collector.raise_if_errors()
    assert facts is not None
    assert vocabulary is not None
    return replace(
        game,
        facts=facts,
        node=node if of_facts else game.node,
        vocabulary=replace(vocabulary, targets=game.vocabulary.targets),
    )
