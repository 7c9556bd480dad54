"""Whole games by what a screen reader reads: roles and names of the accessibility tree, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.table.conftest import choose_everything

Browser, Running = Any, Any


@dataclass
class Node:
    """A role and a name, and what lies below."""

    ident: int
    role: str
    name: str
    below: list[Node] = field(default_factory=list)

    def all(self) -> Iterator[Node]:
        """This node and all below it."""
        yield self
        for node in self.below:
            yield from node.all()

    def of(self, role: str, name: str = "") -> list[Node]:
        """All of a role, whose name begins so."""
        return [node for node in self.all() if node.role == role and node.name.startswith(name)]

    @property
    def text(self) -> str:
        """What is read out, in order."""
        return " ".join(node.name for node in self.all() if node.role == "StaticText")


@dataclass
class Reader:
    """A screen reader: it reads the tree, and presses what it names."""

    session: Any

    def read(self) -> Node:
        """The tree as it is now."""
        nodes = self.session.send("Accessibility.getFullAXTree")["nodes"]
        by = {
            each["nodeId"]: Node(
                each.get("backendDOMNodeId", 0),
                "" if each["ignored"] else each["role"]["value"],
                each.get("name", {}).get("value", ""),
            )
            for each in nodes
        }
        for each in nodes:
            by[each["nodeId"]].below = [by[child] for child in each.get("childIds", ()) if child in by]
        return by[nodes[0]["nodeId"]]

    def press(self, node: Node) -> None:
        """Do what the node does by default."""
        target = self.session.send("DOM.resolveNode", {"backendNodeId": node.ident})["object"]["objectId"]
        press = {"objectId": target, "functionDeclaration": "function () { this.click(); }"}
        self.session.send("Runtime.callFunctionOn", press)


def whole_game(lobby: str, browser: Browser, game: str, seed: str, choose: Callable[[list[str]], str]) -> Node:
    """Play a game by names alone, and return the tree at its end."""
    context = browser.new_context(viewport={"width": 800, "height": 600}, reduced_motion="reduce")
    context.route("**/face/**", lambda route: route.abort())  # nobody looks at pictures
    choose_everything(context)
    page = context.new_page()
    page.goto(lobby)
    form = page.locator(f'form:has(input[value="{game}"])')
    form.locator("summary", has_text="seed").click()
    form.locator("input[name=seed]").fill(seed)
    if (other := form.locator("select[name=seat-01]")).count():
        other.select_option("random")
    form.locator("button.big").click()
    page.wait_for_selector("html.js #table[data-turn=own]")
    reader = Reader(context.new_cdp_session(page))
    for _ in range(400):
        tree = reader.read()
        (status,) = tree.of("status")[:1]
        if "The game is over" in status.text:
            context.close()
            return tree
        (region,) = tree.of("region", "what you can do")
        offers = [node for node in region.of("button") if node.name != "may I?"]
        names = [node.name for node in offers]
        assert names
        assert all(names), status.text
        assert "Your turn" in status.text
        twice = [name for name, count in Counter(names).items() if count > 1]
        assert not twice, f"nobody can tell these apart: {twice}"
        version = page.locator("#table").get_attribute("data-version")
        reader.press(offers[names.index(choose(names))])
        page.wait_for_selector(
            f'#table[data-turn=own]:not([data-version="{version}"]), #table[data-turn=over]', timeout=60_000
        )
    raise AssertionError("the game has no end")


def test_a_game_of_opale_is_played_by_its_words_alone(standing: Running, browser: Browser) -> None:
    """The end names the winner and both scores; hands of others are cards without names."""
    tree = whole_game(standing.lobby, browser, "opale", "20", lambda names: names[-1])
    (end,) = tree.of("heading", "The game is over")
    assert "blue" in end.name
    assert "red" in end.name
    scores = next(node for node in tree.of("table") if "result" in node.text)
    assert "blue" in scores.text
    assert "red" in scores.text
    assert tree.of("button", "play again")


def test_a_game_of_eila_is_played_by_its_words_alone(standing: Running, browser: Browser) -> None:
    tree = whole_game(standing.lobby, browser, "eila", "1", lambda names: names[-1])
    (end,) = tree.of("heading", "The game is over")
    assert end.name.partition(": ")[2]  # why
    assert tree.of("button", "Begin again") or tree.of("button", "Next chapter")
