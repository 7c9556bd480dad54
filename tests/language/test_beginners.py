"""Beginners' mistakes in rules.py, planted one at a time: each is named once, at the designer's own line, with
the nearest fix. None is silent."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from playproof.rules.doubtful_rules import doubtful
from playproof.rules.language import RulesError
from playproof.rules.language.python_reading import lost
from playproof.rules.registry import HOUSE, build, example_names
from playproof.rules.rulebook_check import check_alone

MARKET = (Path(__file__).parent / "market_rules.txt").read_text(encoding="utf-8")


class Planted(NamedTuple):
    """A mistake: what stands in the market's rules, what a beginner writes, and the answer: its code, how the
    line begins at its column, and how the fix begins or what it has."""

    name: str
    old: str
    new: str
    code: str
    at: str
    fix: str


MISTAKES = [
    Planted("len of an array", "s.days == 6", "len(s.hand) == 6", "PP301", "len(s.hand) == 6) |",
            "write s.hand[i, j]; it has always 2 rows"),
    Planted("len of a bag", "store.size() == 0", "len(store) == 0", "PP301", "len(store) == 0)):",
            "`store.size()` is how many cards it holds,"),
    Planted("len of a pile", "require(stall.size > 0,", "require(len(stall) > 0,", "PP301",
            'len(stall) > 0, "M1",', "`stall.size` is how many cards it holds,"),
    Planted("len of a value", "s.days == 6", "len(s.days) == 6", "PP301", "len(s.days) == 6) |",
            "write the value itself; of a list that"),
    Planted("bag size without call", "store.size() == 0", "store.size == 0", "PP301", "store.size == 0)):",
            "call it: `size(...)`"),
    Planted("pile size called", "require(stall.size > 0,", "require(stall.size() > 0,", "PP808",
            'stall.size() > 0, "M1",', "a value is no function: write it without"),
    Planted("function without call", "g.returns(goods(0) - goods(1)", "g.returns(goods == 1", "PP301",
            "goods == 1, goods(1) -", "call it: `goods(...)`"),
    Planted("array as condition", "s.open & (s.weather == 1)", "s.purse", "PP301", "with when(s.purse):",
            "it has always 2 places: write s.purse[i]"),
    Planted("array compared", "s.days == 6", "s.purse == 6", "PP301", "s.purse == 6) |",
            "it has always 2 places: write s.purse[i]"),
    Planted("in array", "s.days == 6", "6 in s.purse", "PP301", "6 in s.purse) |",
            "it has always 2 places: write s.purse[i]"),
    Planted("in list", "s.days == 6", "s.days in [5, 6]", "PP302", "s.days in [5, 6]) |",
            "write `with when(...):` for a choice,"),
    Planted("in set", "s.days == 6", "s.days in {5, 6}", "PP303", "s.days in {5, 6}) |",
            "write `g.table(name, values)[index]`, or"),
    Planted("iterating an array", "        s.days += 1\n",
            "        s.days += 1\n        for p in s.purse:\n            s.turn = 0\n", "PP301",
            "for p in s.purse:", "it has always 2 places: write s.purse[i]"),
    Planted("bag as condition", "store.size() == 0", "~store", "PP301", "~store)):",
            "`store.size()` is how many cards it holds,"),
    Planted("sum of an array", "s.days == 6", "sum(s.purse) == 6", "PP301", "sum(s.purse) == 6) |",
            "it has always 2 places: write s.purse[i]"),
    Planted("sum_of an array", "s.days == 6", "sum_of(s.purse) == 6", "PP301", "sum_of(s.purse) == 6)",
            "it has always 2 places: write s.purse[i]"),
    Planted("max of an array", "s.days == 6", "max(s.purse) == 6", "PP301", "max(s.purse) == 6) |",
            "it has always 2 places: write s.purse[i]"),
    Planted("sorted", "s.days == 6", "sorted([s.days, s.turn])[0] == 6", "PP302", "sorted([s.days,",
            "write `with when(...):` for a choice,"),
    Planted("min", "s.days += 1", "s.days = min(s.days + 1, 6)", "PP302", "min(s.days + 1, 6)",
            "write `with when(...):` for a choice,"),
    Planted("abs is allowed but round is not", "s.days += 1", "s.days = round(s.days)", "PP808",
            "round(s.days)", "values of the state have + - * // % == != <"),
    Planted("int", "s.days += 1", "s.days = int(s.days) + 1", "PP303", "int(s.days) + 1",
            "use `for i in each(n)`, `g.table(...)[i]`"),
    Planted("bool", "s.open = False", "s.open = bool(s.open)", "PP302", "bool(s.open)",
            "write `with when(...):` for a choice,"),
    Planted("float", "s.days == 6", "float(s.days) == 6", "PP303", "float(s.days) == 6) |",
            "use `for i in each(n)`, `g.table(...)[i]`"),
    Planted("range", "        s.days += 1\n", "        for i in range(s.days):\n            s.days += 1\n",
            "PP303", "range(s.days):", "use `for i in each(n)`, `g.table(...)[i]`"),
    Planted("for over a number", "        s.days += 1\n", "        for i in 3:\n            s.days += 1\n",
            "PP808", "for i in 3:", "a loop goes over `range(n)` (written out)"),
    Planted("while", "        s.days += 1\n", "        while s.days < 6:\n            s.days += 1\n",
            "PP302", "s.days < 6:", "write `with when(...):` for a choice,"),
    Planted("assert", "        s.days += 1\n", "        assert s.days < 6\n        s.days += 1\n", "PP302",
            "s.days < 6", "write `with when(...):` for a choice,"),
    Planted("if", "with when(s.open & (s.weather == 1)):", "if s.open:", "PP302", "if s.open:",
            "write `with when(...):` for a choice,"),
    Planted("not", "s.open & (s.weather == 1)", "not s.open", "PP302", "not s.open):",
            "write `with when(...):` for a choice,"),
    Planted("or", "s.open & (s.weather == 1)", "s.open or s.weather == 1", "PP302",
            "s.open or s.weather ==", "write `with when(...):` for a choice,"),
    Planted("elif chain", "        with otherwise():\n            goto(fill)",
            "        elif s.open:\n            goto(fill)", "PP808", "elif s.open:",
            "write `with otherwise(condition):`"),
    Planted("else", "        with otherwise():\n            goto(fill)",
            "        else:\n            goto(fill)", "PP808", "else:", "write `with otherwise():`"),
    Planted("precedence of &", "s.open & (s.weather == 1)", "s.weather == 1 & s.open", "PP302",
            "1 & s.open):", "write each comparison in parentheses: `(a"),
    Planted("precedence of |", "(s.days == 6) | (store.size() == 0)", "s.days == 6 | store.size()", "PP302",
            "6 | store.size()):", "write each comparison in parentheses: `(a"),
    Planted("bits", "s.open & (s.weather == 1)", "s.days & 3", "PP302", "s.days & 3):",
            "write each comparison in parentheses: `(a"),
    Planted("float compare", "s.days == 6", "s.days > 5.5", "PP304", "s.days > 5.5) |",
            "the state holds whole numbers: compare with"),
    Planted("half", "s.days += 1", "s.days = s.days * 0.5", "PP304", "s.days * 0.5",
            "the state holds whole numbers: compare with"),
    Planted("fraction", "s.days += 1", "s.days = s.days / 2", "PP307", "s.days / 2", "write `//` or `%`"),
    Planted("power", "s.days += 1", "s.days = s.days ** 2", "PP808", "s.days ** 2",
            "values of the state have + - * // % == != <"),
    Planted("divmod", "s.days += 1", "s.days = divmod(s.days, 2)[0]", "PP808", "divmod(s.days, 2)[0]",
            "values of the state have + - * // % == != <"),
    Planted("modulo by the state", "s.days += 1", "s.days = 10 % s.days", "PP808", "10 % s.days",
            "values of the state have + - * // % == != <"),
    Planted("divide by the state", "s.days += 1", "s.days = 10 // s.days", "PP808", "10 // s.days",
            "values of the state have + - * // % == != <"),
    Planted("f-string in require", '"it costs {}, you have {}", price[good], s.purse[s.turn])',
            'f"it costs {price[good]}")', "PP361", 'f"it costs',
            "write {} in the sentence of `require` and"),
    Planted("concatenation in require", '"it costs {}, you have {}", price[good], s.purse[s.turn])',
            '"it costs " + str(price[good]))', "PP361", "str(price[good]))",
            "write {} in the sentence of `require` and"),
    Planted("concatenation without str", '"it costs {}, you have {}", price[good], s.purse[s.turn])',
            '"it costs " + price[good])', "PP361", '"it costs " +',
            "write {} in the sentence of `require` and"),
    Planted("percent", '"it costs {}, you have {}", price[good], s.purse[s.turn])',
            '"it costs %s" % price[good])', "PP361", '"it costs %s" %',
            "write {} in the sentence of `require` and"),
    Planted("percent d", '"it costs {}, you have {}", price[good], s.purse[s.turn])',
            '"it costs %d" % price[good])', "PP303", '"it costs %d" %',
            "use `for i in each(n)`, `g.table(...)[i]`"),
    Planted("format", '"it costs {}, you have {}", price[good], s.purse[s.turn])',
            '"it costs {}".format(price[good]))', "PP361", '"it costs',
            "write {} in the sentence of `require` and"),
    Planted("f-string in an ending", 'score("the market closes")',
            'score(f"the market closes on day {s.days}")', "PP361", 'f"the market closes on',
            "write {} in the sentence of `require` and"),
    Planted("braces in an ending", 'score("the market closes")', 'score("the market closes on day {days}")',
            "PP339", 'score("the market', "write a plain sentence; only an action's"),
    Planted("f-string in an action's words", '"buy the {good}"', 'lambda good: f"buy for {s.purse[0]}"',
            "PP361", 'f"buy for', "write {} in the sentence of `require` and"),
    Planted("f-string of a phase", 'score("the market closes")', 'score(f"the market closes in {s.phase}")',
            "PP361", 'f"the market closes in', "write {} in the sentence of `require` and"),
    Planted("braces in a phase", 'text="buy or pass"', 'text="buy or pass on day {days}"', "PP339",
            'g.phase("trade",', "write a plain sentence; only an action's"),
    Planted("print", "        s.days += 1\n", "        print(s.days)\n        s.days += 1\n", "PP361",
            "print(s.days)", "write {} in the sentence of `require` and"),
    Planted("f-string of an array", 'score("the market closes")', 'score(f"the market closes: {s.purse}")',
            "PP361", 'f"the market closes:', "write {} in the sentence of `require` and"),
    Planted("f-string of a zone", 'score("the market closes")', 'score(f"the market closes: {store}")',
            "PP361", 'f"the market closes:', "write {} in the sentence of `require` and"),
    Planted("assigning a name", "        s.days += 1\n", "        days = 6\n        s.days += 1\n", "PP363",
            "days = 6", "write `s.days = ...`"),
    Planted("augmenting a name", "        s.days += 1\n", "        turn += 1\n        s.days += 1\n",
            "PP808", "turn += 1", "`turn = ...` makes a new name of Python"),
    Planted("augmenting an outer name", "        s.days += 1\n", "        gold += 1\n        s.days += 1\n",
            "PP808", "gold += 1", "`gold = ...` makes a new name of Python"),
    Planted("assigning to the game", "        s.days += 1\n", "        g.days = 6\n", "PP320", "g.days = 6",
            "write `s.days = value` in a rule, where `s"),
    Planted("reading from the game", "s.days == 6", "g.days == 6", "PP808", "g.days == 6) |",
            "a field is read from the state: write"),
    Planted("set of a value", "        s.days += 1\n", "        s.days.set(6)\n", "PP808", "s.days.set(6)",
            "a value of the state is a number, without"),
    Planted("value of a value", "s.days == 6", "s.days.value == 6", "PP808", "s.days.value == 6) |",
            "a value of the state is a number, without"),
    Planted("assigning a zone's part", "        stall.take()\n", "        stall.size = 0\n", "PP321",
            "stall.size = 0", "`stall.size` is how many cards it holds,"),
    Planted("assigning a zone", "            stall.put(good)\n", "            stall = good\n", "PP808",
            "stall.size < 4):", "`stall = ...` makes a new name of Python"),
    Planted("assigning an array", "        s.days += 1\n", "        s.purse = [0, 0]\n", "PP321",
            "s.purse = [0, 0]", "write s.purse[index] = value"),
    Planted("two brackets", "s.hand[s.turn, good] += 1", "s.hand[s.turn][good] += 1", "PP305",
            "s.hand[s.turn][good] +=", "write its indices in one pair of brackets,"),
    Planted("index outside", "s.purse[seat] -= price", "s.purse[2] -= price", "PP306", "s.purse[2] -=",
            "places are counted from 0; the last one is 1"),
    Planted("negative index", "s.purse[seat] -= price", "s.purse[-1] -= price", "PP306", "s.purse[-1] -=",
            "places are counted from 0; the last one is 1"),
    Planted("slice", "s.days == 6", "s.purse[0:1] == 6", "PP304", "s.purse[0:1] == 6) |",
            "write one index; `for i in each(n)` goes"),
    Planted("append", "        s.days += 1\n", "        s.purse.append(1)\n", "PP808", "s.purse.append(1)",
            "an array has a fixed number of places:"),
    Planted("list index by state", "price[good], s.purse", "PRICES[good], s.purse", "PP303",
            "PRICES[good],", "use `for i in each(n)`, `g.table(...)[i]`"),
    Planted("dict by state", "s.days == 6", "{0: 6, 1: 5}[s.turn] == 6", "PP303", "{0: 6, 1: 5}[s.turn] ==",
            "write `g.table(name, values)[index]`, or"),
    Planted("dict get by state", "s.days == 6", "{0: 6, 1: 5}.get(s.turn, 0) == 6", "PP303", "{0: 6, 1:",
            "write `g.table(name, values)[index]`, or"),
    Planted("dict keyed by the state", "        s.days += 1\n",
            "        seen = {s.turn: 1}\n        s.days += len(seen)\n", "PP303", "{s.turn: 1}",
            "write `g.table(name, values)[index]`, or"),
    Planted("is", "s.days == 6", "s.days is 6", "PP302", "s.days is 6) |", "write `==` or `!=`"),
    Planted("is not None", "s.open & (s.weather == 1)", "s.open is not None", "PP302",
            "s.open is not None):", "write `==` or `!=`"),
    Planted("is of a parameter", "require(stall.top() == good", "require(stall.top() is good", "PP302",
            "stall.top() is good,", "write `==` or `!=`"),
    Planted("walrus", "with when(s.open & (s.weather == 1)):", "if (wet := s.weather) == 1:", "PP302",
            "(wet := s.weather) == 1:", "write `with when(...):` for a choice,"),
    Planted("lambda", "with when(s.open & (s.weather == 1)):", "with when(lambda: s.open):", "PP304",
            "with when(lambda:", "give the condition or value itself: without"),
    Planted("comprehension filter", "s.days == 6",
            "sum_of(s.purse[i] for i in range(2) if s.purse[i] > 2) == 6", "PP302",
            "s.purse[i] > 2) == 6) |", "write `with when(...):` for a choice,"),
    Planted("conditional expression", "s.days += 1", "s.days = 6 if s.open else 0", "PP302",
            "6 if s.open else 0", "write `with when(...):` for a choice,"),
    Planted("any_of two values", "(s.days == 6) | (store.size() == 0)",
            "sum_of(s.days == 6, store.size() == 0)", "PP355", "sum_of(s.days == 6,",
            "write sum_of([a, b]) for some values, or"),
    Planted("list in max", "s.days += 1", "s.days = pick([s.open], 1, 2)", "PP304", "pick([s.open], 1, 2)",
            "give one value; of many take any_of,"),
    Planted("function returns nothing", "        return sum_of(3, lambda k: s.hand[seat, k])",
            "        sum_of(3, lambda k: s.hand[seat, k])", "PP304", "@g.function(seat=2)",
            "write `return` before its value"),
    Planted("function returns nothing at all", "        return sum_of(3, lambda k: s.hand[seat, k])",
            "        s.days", "PP304", "@g.function(seat=2)", "write `return` before its value"),
    Planted("game not returned", "    return g\n", "", "PP346", "def build(options:",
            "end it with `return g`"),
    Planted("body returns", "        stall.take()\n", "        stall.take()\n        return s.days == 6\n",
            "PP369", 'g.action(trade, "buy', "to refuse an action write"),
    Planted("body yields", "            stall.put(good)\n", "            yield stall.put(good)\n", "PP369",
            'g.action(fill, "{good}', "write its effects without `yield`, `async`"),
    Planted("async body", "    def sleep()", "    async def sleep()", "PP369", "g.on(night)",
            "write its effects without `yield`, `async`"),
    Planted("wrong arity of a procedure", "pay(s.turn)", "pay()", "PP309", "pay()", "write pay(seat)"),
    Planted("wrong arity of a function", "goods(0) - goods(1),", "goods(0, 1) - goods(1),", "PP309",
            "goods(0, 1) - goods(1),", "write goods(seat)"),
    Planted("wrong arity of a method", "stall.put(good)", "stall.put()", "PP808", "stall.put()",
            "it is put(card)"),
    Planted("wrong arity of require", 'require(stall.size > 0, "M1", "the stall is empty")',
            "require(stall.size > 0)", "PP808", "require(stall.size > 0)",
            "it is require(condition, rule, text, *args)"),
    Planted("require in another order", 'require(stall.size > 0, "M1", "the stall is empty")',
            'require("M1", stall.size > 0, "the stall is empty")', "PP304", 'require("M1",',
            'write require(condition, "R1", "the'),
    Planted("sentence and rule swapped", '"M1", "the stall is empty"', '"the stall is empty", "M1"',
            "PP339", "require(stall.size > 0,", 'write require(condition, "R1", "the'),
    Planted("misspelt field", "s.days += 1", "s.day += 1", "PP320", "s.day += 1", 'did you mean "days"?'),
    Planted("misspelt phase", 'goto(night)\n\n    @g.action(trade, "pass"',
            'goto(nigth)\n\n    @g.action(trade, "pass"', "PP808", "nigth)", 'did you mean "night"?'),
    Planted("phase called", "            goto(fill)", "            goto(fill())", "PP808", "fill())",
            "a phase is no function: write `goto(phase)`"),
    Planted("phase as text", "            goto(fill)", '            goto("fill")', "PP304", 'goto("fill")',
            "give what `g.phase(...)` or"),
    Planted("misspelt zone", "store.take(good)", "stor.take(good)", "PP808", "stor.take(good)",
            'did you mean "store"?'),
    Planted("misspelt method", "store.take(good)", "store.tak(good)", "PP808", "store.tak(good)",
            'did you mean "take"?'),
    Planted("misspelt method of the game", 'g.integer("turn"', 'g.integr("turn"', "PP808",
            'g.integr("turn", 0, 1)', 'did you mean "integer"?'),
    Planted("misspelt keyword", "sees=Sees.OWNER", "see=Sees.OWNER", "PP808", 'g.array("hand", (2, 3),',
            'did you mean "sees"? It is array(name,'),
    Planted("keyword of another language", 'g.integer("days", 0, 6)', 'g.integer("days", min=0, max=6)',
            "PP808", 'g.integer("days",', "it is integer(name, lo, hi, start=None, *,"),
    Planted("misspelt keyword of a bag", "most=2, start=2", "mosst=2, start=2", "PP808",
            'Bag(g, "store", 3,', 'did you mean "most"? It is Bag(g, name,'),
    Planted("a bag without most", "most=2, start=2", "start=2", "PP323", 'Bag(g, "store", 3,',
            "write most=2: how many of each card it may"),
    Planted("a pile too full", 'Pile(g, "stall", 3, 4)', 'Pile(g, "stall", 3, 1, [0, 1])', "PP323",
            'Pile(g, "stall", 3, 1,', "write capacity=2: how many cards it may hold"),
    Planted("a pile without capacity", 'Pile(g, "stall", 3, 4)', 'Pile(g, "stall", 3)', "PP808",
            'Pile(g, "stall", 3)', "it is Pile(g, name, kinds, capacity,"),
    Planted("misspelt keyword of an action", 'public="good", rule="M1"', 'public="good", ruel="M1"',
            "PP308", 'g.action(trade, "buy', 'did you mean "rule"?'),
    Planted("misspelt keyword of a win", 'score("the market closes")', 'win("the market closes", winer=0)',
            "PP808", 'win("the market', 'did you mean "winner"? It is win(reason,'),
    Planted("misspelt keyword of a phase", "actor=s.turn", "player=s.turn", "PP808", 'g.phase("trade",',
            "it is phase(name, actor=0, *, text='',"),
    Planted("misspelt keyword of Game", "players=2", "player=2", "PP808", 'Game("market", player=2)',
            'did you mean "players"? It is Game(name, *,'),
    Planted("unknown member", "Sees.OWNER", "Sees.OTHERS", "PP808", "Sees.OTHERS)",
            "one of: ALL, OWNER, NOBODY"),
    Planted("unknown word", "    Pile,", "    Pyle,", "PP808", "Pyle,", 'did you mean "Pile"?'),
    Planted("module attribute", "Pile(g,", "__import__('playproof').Pyle(g,", "PP808",
            "__import__('playproof').", 'did you mean "Pile"?'),
    Planted("missing argument", 'g.integer("turn", 0, 1)', 'g.integer("turn", 0)', "PP808",
            'g.integer("turn", 0)', "it is integer(name, lo, hi, start=None, *,"),
    Planted("too many arguments", 'g.flag("open", True)', 'g.flag("open", True, False)', "PP808",
            'g.flag("open", True,', "it is flag(name, start=False, *,"),
    Planted("decorator without parentheses", '@g.action(trade, "pass", rule="M3")', "@g.action", "PP309",
            "@g.action", "write `@g.action(phase)`"),
    Planted("on without parentheses", "@g.on(night)", "@g.on", "PP309", "@g.on", "write `@g.on(phase)`"),
    Planted("function without parentheses", "@g.function(seat=2)", "@g.function", "PP309", "@g.function",
            "write `@g.function()`"),
    Planted("procedure without parentheses", "@g.procedure(seat=2)", "@g.procedure", "PP309",
            "@g.procedure", "write `@g.procedure()`"),
    Planted("action without phase", '@g.action(trade, "pass", rule="M3")', '@g.action("pass")', "PP304",
            'g.action("pass")', "give what `g.phase(...)` or"),
    Planted("action of a phase's name", '@g.action(trade, "pass", rule="M3")', '@g.action("trade", "pass")',
            "PP304", 'g.action("trade",', "give what `g.phase(...)` or"),
    Planted("on for an action", '@g.action(trade, "pass", rule="M3")', "@g.on(trade)", "PP325",
            "g.on(trade)", "give it an action with `@g.action(phase,"),
    Planted("action for an automatic phase", "@g.on(night)", "@g.action(night)", "PP326", "g.action(night)",
            "give it effects with `@g.on(phase)`"),
    Planted("function for effects", "@g.procedure(seat=2)", "@g.function(seat=2)", "PP312",
            "s.purse[seat] -=", "put it under @g.action, @g.on or"),
    Planted("no decorator", '    @g.action(trade, "pass", rule="M3")\n', "", "PP365",
            "def pass_() -> None:", "write `@g.action(phase, text)` or"),
    Planted("nonlocal", "        s.days += 1\n",
            "        nonlocal gold\n        gold = gold + 1\n        s.days += 1\n", "PP364",
            "nonlocal gold", "declare a field (`g.integer`, `g.array`)"),
    Planted("module list", "        s.days += 1\n", "        PRICES[0] += 1\n        s.days += 1\n",
            "PP364", "PRICES[0] += 1", "declare a field (`g.integer`, `g.array`)"),
    Planted("appended list", "        s.days += 1\n", "        PRICES.append(1)\n        s.days += 1\n",
            "PP364", "PRICES.append(1)", "declare a field (`g.integer`, `g.array`)"),
    Planted("random", "            stall.put(good)\n",
            "            import random\n            stall.put(random.randint(0, 2))\n", "PP364",
            "random.randint(0, 2))", "chance acts in `g.phase(name, CHANCE)`: one"),
    Planted("random imported", "from playproof import (",
            "from random import choice\n\nGOLD = choice([1, 2])\n\nfrom playproof import (", "PP364",
            "choice([1, 2])", "chance acts in `g.phase(name, CHANCE)`: one"),
    Planted("try", "        s.days += 1\n",
            "        try:\n            s.days = 99\n        except Exception:\n            pass\n", "PP364",
            "try:", "write `require(...)` for what must hold,"),
    Planted("== for =", "        s.days += 1\n", "        s.days == s.days + 1\n", "PP363",
            "s.days == s.days + 1", "write one `=` to assign; put a condition"),
    Planted("when without with", "        with when(stall.size < 4):\n            stall.put(good)\n",
            "        when(stall.size < 4)\n        stall.put(good)\n", "PP363", "when(stall.size < 4)",
            "write `with when(...):`"),
    Planted("with a comparison", "with when(stall.size < 4):", "with stall.size < 4:", "PP808",
            "with stall.size < 4:", "write `with when(condition):` or `with"),
    Planted("with otherwise without call", "with otherwise():", "with otherwise:", "PP808",
            "with otherwise:", "write `with when(condition):` or `with"),
    Planted("method not called", "        stall.take()\n", "        stall.take\n", "PP363", "stall.take",
            "write `take(...)` to call it, or remove it"),
    Planted("sum without effect", "        s.days += 1\n", "        s.days + 1\n", "PP363", "s.days + 1",
            "assign it with `=`, or remove it"),
    Planted("= in a condition", "s.days == 6", "s.days = 6", "PP808", "s.days = 6) |",
            "write `==` to compare; one `=` assigns, and"),
    Planted("missing colon", "with otherwise():", "with otherwise()", "PP808", "",
            "a line that begins a block ends with `:`"),
    Planted("missing bracket", "goto(trade)\n", "goto(trade\n", "PP808", "(trade",
            "write the bracket that closes it"),
    Planted("missing quote", 'score("the market closes")', 'score("the market closes)', "PP808",
            '"the market closes)', "write the quotation mark that ends the"),
    Planted("&&", "s.open & (s.weather == 1)", "s.open && s.weather", "PP808", "& s.weather):",
            "write `&`, with each comparison in"),
    Planted("!", "s.open & (s.weather == 1)", "!s.open", "PP808", "!s.open):", "write `~` for not"),
    Planted("++", "s.days += 1", "s.days++", "PP808", "", "write `s.field += 1`"),
    Planted("when as a statement", "with when(stall.size < 4):", "when stall.size < 4:", "PP808",
            "stall.size < 4:", "write `with when(condition):`"),
    Planted("when without with as block", "with when(stall.size < 4):", "when(stall.size < 4):", "PP808",
            ":", "write `with` before it"),
    Planted("curly quotes", '"the market closes"', "“the market closes”", "PP808", "“the market closes”)",
            "write straight quotation marks and plain"),
    Planted("indent", "        s.days += 1\n", "          s.days += 1\n", "PP808", " s.days += 1",
            "begin the line where the line above it"),
    Planted("dedent", "        s.days += 1\n", "      s.days += 1\n", "PP808", "",
            "begin the line where a line of an outer"),
    Planted("tabs", "        s.days += 1\n", "\ts.days += 1\n", "PP808", "\ts.days += 1",
            "indent with spaces only"),
    Planted("empty block", "            goto(fill)\n", "", "PP808", " @g.action(fill,",
            "write the block's lines further to the"),
    Planted("assign to a sum", "s.days += 1", "s.days + 1 = s.days", "PP808", "s.days + 1 = s.days",
            "write `==` to compare; one `=` assigns, and"),
    Planted("return outside", "GOODS = [", "return 1\nGOODS = [", "PP808", "return 1",
            "indent the line, so that it belongs to a"),
    Planted("keyword as name", 'rule="M3")\n    def pass_()', 'rule="M3")\n    def pass()', "PP808",
            "pass() -> None:", "look at this line and at the one above it:"),
    Planted("missing comma", "PRICES = [1, 3, 2]", "PRICES = [1 3, 2]", "PP808", "1 3, 2]",
            "write a comma between the values"),
    Planted("text as parameter", "good=GOODS, public", 'good="salt", public', "PP308",
            'g.action(trade, "buy', "write how many values there may be, and ask"),
    Planted("state as parameter", "good=GOODS, public", "good=s.days, public", "PP308",
            'g.action(trade, "buy', "write how many values there may be, and ask"),
    Planted("a text with an attribute", '"buy the {good}"', '"buy the {good.name}"', "PP339",
            'g.action(trade, "buy', 'did you mean "good"?'),
    Planted("a text with a format", '"buy the {good}"', '"buy the {good:02d}"', "PP339",
            'g.action(trade, "buy', "a parameter is filled in as `{name}`,"),
    Planted("a text left open", '"buy the {good}"', '"buy the {good"', "PP339", 'g.action(trade, "buy',
            "write `{name}` for a parameter, and {{ for"),
    Planted("text function of another arity", '"buy the {good}"', 'lambda: "buy"', "PP339",
            "g.action(trade, lambda:", "a parameter is filled in as `{name}`,"),
    Planted("text function of nothing", '"buy the {good}"', "lambda good: None", "PP339",
            "g.action(trade, lambda", "give the words that players read"),
    Planted("words of another parameter", "require(store.count[good]", "require(store.count[god]", "PP808",
            'god] > 0, "M4", "none', 'did you mean "good"?'),
    Planted("negative weight", "weight(store.count[good])", "weight(-1)", "PP315", "weight(-1)",
            "1 is the weight of a result that is as"),
    Planted("zero weight", "weight(store.count[good])", "weight(0)", "PP315", "weight(0)",
            "1 is the weight of a result that is as"),
    Planted("float weight", "weight(store.count[good])", "weight(0.5)", "PP304", "weight(0.5)",
            "the state holds whole numbers: compare with"),
    Planted("weight of a player", "        pay(s.turn)\n", "        weight(2)\n        pay(s.turn)\n",
            "PP337", 'g.action(trade, "buy', "remove the weight, or give the action to a"),
    Planted("chance as text", 'g.phase("fill", CHANCE', 'g.phase("fill", "chance"', "PP304",
            'g.phase("fill",', "give a seat (0, 1 ...), a value of the"),
    Planted("two actions of one name", "def pass_", "def buy", "PP322", 'g.action(trade, "pass",',
            "give the second another name"),
    Planted("two fields of one name", 'g.integer("days"', 'g.integer("turn"', "PP322",
            'g.integer("turn", 0, 6)', "give the second another name"),
    Planted("two quantities of one name", 'g.quantity("goods", goods(0))',
            'g.quantity("goods", goods(0))\n    g.quantity("goods", goods(1))', "PP322",
            'g.quantity("goods",', "give the second another name"),
    Planted("shadowed score", "    def sleep()", "    def score()", "PP808", 'score("the market',
            "`score` is a name of your own, made further"),
    Planted("shadowed sum", "PRICES = [1, 3, 2]", "PRICES = [1, 3, 2]\nrange = 3", "PP808",
            "range(3, 8), 5)", "`range` is a name of your own here, which"),
    Planted("recursion", "        pay(s.turn)\n", "        buy(good)\n", "PP808", "buy(good)",
            "`buy` is a name of your own, made further"),
    Planted("exit", "        s.days += 1\n", "        exit()\n", "PP808", "exit()",
            "win, lose, tie or score ends a game"),
    Planted("field declared twice by data", "s.hand[s.turn, good] += 1", "s.hand[s.turn] += 1", "PP305",
            "s.hand[s.turn] += 1", "write its indices in one pair of brackets,"),
    Planted("a fact of no field", "ends_within=6", 'round="days"', "PP338", 'g.fact(round="days")',
            "one of: goods"),
    Planted("missing import", "    weight,\n", "", "PP808", "weight(store.count[good]",
            "write `from playproof import weight`"),
    Planted("misspelt module", "from playproof import (", "from playprof import (", "PP808",
            "from playprof import (", 'did you mean "playproof"?'),
    Planted("early return in a loop", "        s.days += 1\n",
            "        for i in each(2):\n            s.purse[i] = 0\n            return\n", "PP317",
            "g.on(night)", "guard the effects with `when`"),
    Planted("requirement after effect", '        goto(night)\n\n    @g.action(trade, "pass"',
            '        require(s.open, "M1", "closed")\n        goto(night)\n\n    @g.action(trade, "pass"',
            "PP318", 'require(s.open, "M1",', "state all requirements first"),
    Planted("requirement in an automatic phase", "        s.days += 1\n",
            '        require(s.days < 6, "M1", "over")\n        s.days += 1\n', "PP334",
            "require(s.days < 6,", "write it in the action; for a choice of"),
    Planted("effect outside", "    g.quantity(", "    s.days = 2\n    g.quantity(", "PP312", "s.days = 2",
            "put it under @g.action, @g.on or"),
    Planted("goto outside", "    g.quantity(", "    goto(fill)\n    g.quantity(", "PP312", "goto(fill)",
            "put it under @g.action, @g.on or"),
    Planted("old value", "        s.purse[seat] -= price[stall.top()]\n",
            "        had = s.purse[seat]\n        s.purse[seat] -= 1\n        s.purse[seat] = had\n",
            "PP313", "s.purse[seat] = had", "name it before with `old = keep(...)`, or"),
    Planted("value too large", "s.days += 1", "s.days = 7", "PP315", "s.days = 7",
            "widen the declared bounds, or move the"),
    Planted("mixed: unary plus", "s.days += 1", "s.days = +s.days", "PP808", "+s.days",
            "values of the state have + - * // % == != <"),
    Planted("math", "        s.days += 1\n",
            "        import math\n        s.days = math.floor(s.days / 2)\n", "PP307", "s.days / 2)",
            "write `//` or `%`"),
    Planted("options attribute", 'options.number("gold", range(3, 8), 5)', 'options.get("gold")', "PP808",
            'options.get("gold")', "one of: asked, choice, choices, number,"),
    Planted("options missing argument", 'options.number("gold", range(3, 8), 5)', 'options.number("gold")',
            "PP808", 'options.number("gold")', "it is number(name, choices, default)"),
    Planted("state missing", "    s = g.state\n", "", "PP808", 's.turn, text="buy or',
            "write `s = g.state` before it"),
    Planted("enumerate", "s.days == 6", "[n for i, n in enumerate(s.purse)][0] == 6", "PP301",
            "enumerate(s.purse)][0]", "it has always 2 places: write s.purse[i]"),
    Planted("zip", "s.days == 6", "[a for a, b in zip(s.purse, PRICES)][0] == 6", "PP301", "zip(s.purse,",
            "it has always 2 places: write s.purse[i]"),
    Planted("list()", "s.days == 6", "list(s.purse)[0] == 6", "PP301", "list(s.purse)[0] == 6)",
            "it has always 2 places: write s.purse[i]"),
    Planted("unpack", "s.days == 6", "max(*s.purse) == 6", "PP301", "max(*s.purse) == 6) |",
            "it has always 2 places: write s.purse[i]"),
    Planted("match", "        with when(stall.size < 4):\n            stall.put(good)\n",
            "        match stall.size:\n            case 0:\n                stall.put(good)\n", "PP302",
            "0:", "write `with when(...):` for a choice,"),
]
DOUBTFUL = [
    Planted("words without a parameter", '"sell the {good}"', '"sell a good"', "PP366", "g.action(trade,",
            "write {good} into its text"),
    Planted("labels that are equal", '"sell the {good}", good=GOODS', '"sell the {good}", good=["tea", "tea", "salt"]',
            "PP366", "g.action(trade,", "give each value its own name"),
    Planted("a words function that drops a parameter", '"sell the {good}"', 'lambda good: "sell a good"', "PP366",
            "g.action(trade,", "write {good} into its text"),
    Planted("words by default", '"sell the {good}", good=GOODS', "good=GOODS", "PP366", "g.action(trade,",
            "write {good} into its text"),
    Planted("a requirement that never holds", "require(stall.size > 0,", "require(stall.size > 4,", "PP367",
            "require(", "mend the number"),
    Planted("a condition that always holds", "with when(stall.size < 4):", "with when(stall.size <= 4):",
            "PP367", "with when(", "mend the number"),
    Planted("a seat that never acts", "actor=s.turn, ", "", "PP368", "g.phase(", "actor=s.turn"),
]
BEYOND = [
    Planted("a cell too many", "cell=9", "cell=10", "PP306", "s.board[cell] == 0", "let it go over 9"),
    Planted("a loop too far", "count_of(9,", "count_of(10,", "PP306", "s.board[i] != 0", "let it go over 9"),
    Planted("cells counted from 1", "cell=9", "cell=range(1, 10)", "PP306", "s.board[cell] == 0",
            "let it go over 9"),
]
EXAMPLES = [  # the example, then as above
    ("tic_tac_toe", Planted("no otherwise", "        with otherwise():", "        else:", "PP808", "else:",
                            "with otherwise():")),
    ("nim", Planted("max of an array", "all_of(len(heaps), lambda i: s.heap[i] == 0)", "max(s.heap) == 0", "PP301",
                    "max(s.heap)", "it has always 3 places")),
    ("nim", Planted("an f-string", '"the heap holds {} matches", s.heap[heap])',
                    'f"the heap holds {s.heap[heap]} matches")', "PP361", 'f"the heap', "write {} in the sentence")),
    ("pig", Planted("a Python if", "with when(face == 1):", "if face == 1:", "PP302", "face == 1",
                    "write `with when(...):`")),
    ("pig", Planted("an effect not called", "        goto(roll)", "        goto", "PP363", "goto", "write `goto(...)`")),
    ("kuhn_poker", Planted("a misspelt member", "Sees.NOBODY", "Sees.NONE", "PP808", "Sees.NONE", "NOBODY")),
    ("kuhn_poker", Planted("a name for a field", "            s.passes = 1", "            passes = 1", "PP363",
                           "passes = 1", "write `s.passes = ...`")),
]


def rules_in(folder: Path, text: str) -> Path:
    """A folder with these rules."""
    (folder / "rules.py").write_text(text, encoding="utf-8")
    return folder


def planted(text: str, mistake: Planted) -> str:
    """The rules with the mistake in them."""
    assert mistake.old in text
    return text.replace(mistake.old, mistake.new, 1)


def refused(folder: Path, mistake: Planted) -> None:
    """Check the answer to the rules in this folder."""
    with pytest.raises(RulesError) as caught:
        build(str(folder))
    error = caught.value
    assert [(each.code, each.place.file) for each in error.all] == [(mistake.code, str(folder / "rules.py"))]
    line = (folder / "rules.py").read_text(encoding="utf-8").splitlines()[error.place.line - 1]
    assert error.place.column > 0
    assert line[error.place.column - 1:].startswith(mistake.at)
    assert mistake.fix in error.hint
    assert "object at 0x" not in str(error), "a name of Python's is no answer"


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_is_named_once_at_its_line(mistake: Planted, tmp_path: Path) -> None:
    refused(rules_in(tmp_path, planted(MARKET, mistake)), mistake)


@pytest.mark.parametrize(("example", "mistake"), EXAMPLES, ids=lambda value: getattr(value, "name", value))
def test_a_mistake_in_an_example_is_named_once(example: str, mistake: Planted, tmp_path: Path) -> None:
    text = (HOUSE / "examples" / f"{example}.py").read_text(encoding="utf-8")
    refused(rules_in(tmp_path, planted(text, mistake)), mistake)


@pytest.mark.parametrize("mistake", DOUBTFUL, ids=lambda mistake: mistake.name)
def test_lint_names_doubtful_rules_once(mistake: Planted, tmp_path: Path) -> None:
    doubted(rules_in(tmp_path, planted(MARKET, mistake)), mistake)


@pytest.mark.parametrize("mistake", BEYOND, ids=lambda mistake: mistake.name)
def test_lint_names_an_index_beyond_the_end_once(mistake: Planted, tmp_path: Path) -> None:
    text = (HOUSE / "examples" / "tic_tac_toe.py").read_text(encoding="utf-8")
    doubted(rules_in(tmp_path, planted(text, mistake)), mistake)


def doubted(folder: Path, mistake: Planted) -> None:
    """Check what lint says of the rules in this folder."""
    (finding,) = check_alone(str(folder))
    line = (folder / "rules.py").read_text(encoding="utf-8").splitlines()[finding.where.line - 1]
    assert finding.code == mistake.code
    assert line[finding.where.column - 1:].startswith(mistake.at)
    assert mistake.fix in finding.hint


def test_a_name_that_hides_a_word_is_named_at_each_use(tmp_path: Path) -> None:
    text = MARKET.replace('    g.flag("open", True)', '    when = g.flag("open", True)')
    with pytest.raises(RulesError) as caught:
        build(str(rules_in(tmp_path, text)))
    assert [each.place.line for each in caught.value.all] == [
        number for number, line in enumerate(text.splitlines(), 1) if "with when(" in line]
    assert all("hides the language's word" in each.hint for each in caught.value.all)


def test_what_the_trace_refuses_and_what_it_cannot_see_come_together(tmp_path: Path) -> None:
    text = MARKET.replace("s.days += 1", "s.dayz += 1").replace("        stall.take()\n", "        stall.take\n")
    with pytest.raises(RulesError) as caught:
        build(str(rules_in(tmp_path, text)))
    assert [each.code for each in caught.value.all] == ["PP363", "PP320"]


def test_rules_without_a_mistake_are_clean(tmp_path: Path) -> None:
    assert check_alone(str(rules_in(tmp_path, MARKET))) == []
    assert {name: check_alone(name) for name in example_names()} == {name: [] for name in example_names()}
    files = [*HOUSE.glob("examples/*.py"), *(HOUSE / "rules").glob("*/**/*.py")]
    assert len(files) > 60
    assert lost(file for file in files if "language" not in file.parts) == []


@pytest.mark.parametrize("game", ["eila", "eurydice", "olith", "opale"])
def test_the_bundled_games_have_no_doubtful_rules(game: str) -> None:
    assert [*doubtful(build(game))] == []


def test_a_handle_shows_itself_to_a_debugger(tmp_path: Path) -> None:
    game = build("tic_tac_toe")
    assert "Array object" in repr(game.handles["board"])
    with pytest.raises(RulesError, match="PP361"):
        str(game.state.turn)
