"""Names and attributes that text which is written out finds outside."""

from __future__ import annotations

import ast
import builtins

from autopar.records import dataclass
from autopar.runtime.flat.scene import Bound, Code, Crowd, Group, Meaning, Other, Source, Thing
from autopar.runtime.flat.text import FORK, Again, Frame, Key, Member, Part, Text, Value, written_as
from autopar.verdict import DOT


@dataclass(slots=True)
class Outside(Text):
    """What attributes and names mean."""

    def own(self, key: Key, node: ast.expr | None = None) -> str:
        """The variable of an attribute that has one; `node` is what the user calls it by."""
        source: Source = ("attr", *key)
        name = self.named.get(source)
        if name is None:
            name = self.named[source] = self.fresh(written_as(node) if node is not None else key[1])
            self.sources[name] = source
            self.unsteady.add(name)
        return name

    def give(self, owner: Thing, node: ast.Attribute, value: Value) -> None:
        """``owner.name = value``."""
        name = node.attr
        key = owner.number, name
        self.assigns(owner, name)
        if key in self.kept:
            self.let(self.own(key, node), self.plain(value, node))
            self.noted(key)
            return
        if self.forks or any(key in around.reads for around in self.rounds):
            raise Again(key)
        if isinstance(value, Group | Crowd | Member | Code | Bound | Part):
            raise self.refuse(f".{name}, which is assigned")
        ran = self.rounds[-1] if self.rounds else None
        if ran is not None:
            ran.used = True
        value = self.held(value, name)
        self.attributes.pop(key, None)
        self.attributes[key] = value, len(self.rounds), ran.ran if ran else None, False

    def noted(self, key: Key) -> None:
        """Say that an attribute which has a variable is assigned, if its object may not have it.

        What its class has is no attribute of its own as long as nothing is assigned.
        """
        if key not in self.notes:
            self.notes[key] = None if self.scene.owned(*key) else self.fresh("ran")
        note = self.notes[key]
        if note is not None:
            self.let(note, ast.Constant(1))

    def assigns(self, owner: Thing, name: str) -> None:
        """``owner.name = value`` is to be executed here."""
        self.scene.assigned(owner, name)
        around = self.rounds[-1].ran if self.rounds else None
        self.first.setdefault((owner.number, name), FORK if self.forks else around)

    def in_order(self) -> list[Key]:
        """Attributes in the order in which they are assigned, as their object keeps them.

        Where this is not the order of the text, they are there before; raises `Refused`.
        """
        for number in {number for number, _ in self.first}:
            keys = [key for key in self.first if key[0] == number]
            places = {self.first[key] for key in keys}
            if len(keys) > 1 and (len(places) > 1 or FORK in places):
                self.scene.ordered(keys)
        return [*self.first]

    def attribute(self, owner: Thing, node: ast.Attribute) -> Value:
        """``owner.name``."""
        name = node.attr
        key = owner.number, name
        if key in self.kept:
            self.read = True
            return ast.Name(self.own(key, node), ast.Load())
        found = self.attributes.get(key)
        if found is None:
            for around in self.rounds:
                around.reads.add(key)
            return self.handed(self.scene.attribute(owner, name), written_as(node))
        value, depth, _, after = found
        if after:
            raise Again(key)
        for around in self.rounds[depth:]:
            around.reads.add(key)
        return value

    def column(self, owner: Member, node: ast.Attribute) -> ast.expr:
        """The list of what objects like `owner` have as this attribute; `node` is one of those."""
        source = self.scene.each(owner.crowd, node.attr)
        base = f"{self.crowd_names[owner.crowd.number]}{DOT * 2}{node.attr}"
        return ast.Name(self.named_source(base, source), ast.Load())

    def length_of(self, crowd: Crowd) -> ast.expr:
        """How many objects there are in a list."""
        source = self.scene.count(crowd)
        name = self.named_source(self.crowd_names[crowd.number] + DOT * 2, source)
        self.natural.add(name)
        return ast.Name(name, ast.Load())

    def handed(self, meaning: Meaning, base: str) -> Value:
        """What is found outside, as a value of the text."""
        if isinstance(meaning, Crowd):
            self.crowd_names.setdefault(meaning.number, base)
        if not isinstance(meaning, Other):
            return meaning
        source = meaning.source
        name = self.named_source(base, source, meaning.value if meaning.native else None)
        return ast.Name(name, ast.Load())

    def named_source(self, base: str, source: Source, value: object = None) -> str:
        """The name for what is at `source`; one for each function of Python's or module."""
        key: object = source if value is None else id(value)
        name = self.named.get(key)
        if name is None:
            if value is not None and base in self.roots:
                place = self.roots.index(base)
                if self.scene.roots[place] is value:
                    source = "root", place
                    self.scene.meaning(source)
            name = self.roots[source[1]] if source[0] == "root" else self.given(base)
            self.named[key] = name
            self.sources[name] = source
        if value is not None and name != base and value is getattr(builtins, base, None):
            raise self.refuse(base)
        return name

    def native(self, name: str) -> ast.Name:
        """A builtin that the text does not mention."""
        value = self.scene.native(name)
        return ast.Name(self.named_source(name, value.source, value.value), ast.Load())

    def meant(self, name: str, frame: Frame) -> Meaning:
        """A name that the frame does not assign."""
        if frame.function is None:
            if name not in self.roots:
                raise self.refuse(name)
            return self.scene.meaning(("root", self.roots.index(name)))
        if name in self.site_names:  # functions may read these very variables
            raise self.refuse(f"{name}, which a function reads")
        return self.scene.meaning(self.scene.outside(frame.function, name))

    def name(self, node: ast.Name, frame: Frame) -> Value:
        name = node.id
        if name in frame.env:
            value = frame.env[name]
            if value is None:
                raise self.refuse(f"{name}, which may have several values")
            return value
        if name in frame.homes and (frame.function is not None or name not in self.roots):
            return ast.Name(frame.homes[name], ast.Load())
        if name in frame.homes:
            return ast.Name(name, ast.Load())
        if name in frame.own and (frame.function is not None or name not in self.roots):
            raise self.refuse(f"{name}, which has no value yet")
        return self.handed(self.meant(name, frame), name)

    def columns(self, source: ast.expr, width: int | None) -> list[str] | None:
        """Names of lists for the items of uneven tuples, if `source` is a list of such."""
        found = self.outer_path(source)
        if found is None or found[1]:
            return None
        name = found[0]
        meaning = self.scene.known[self.sources[name]]
        rows = meaning.value if isinstance(meaning, Other) else None
        if type(rows) not in (list, tuple) or not rows or type(rows[0]) is not tuple:
            return None
        if width is not None and len(rows[0]) != width:
            return None
        if all(type(item) in (int, float) for item in rows[0]):
            return None
        width = len(rows[0])
        assert isinstance(meaning, Other)
        parts: list[str] = []
        for k in range(width):
            column = self.scene.meaning(("column", meaning.source, k, width))
            if not isinstance(column, Other):
                raise self.refuse(source)
            parts.append(self.named_source(name, column.source))
        self.apart_from.add(name)
        return parts

    def outer_path(self, owner: Value) -> tuple[str, list[str]] | None:
        """The name from outside that `owner` begins with, and the attributes that follow."""
        names: list[str] = []
        while isinstance(owner, ast.Attribute):
            names.insert(0, owner.attr)
            owner = owner.value
        if isinstance(owner, ast.Name) and owner.id in self.sources:
            known = self.scene.known.get(self.sources[owner.id])
            return (owner.id, names) if isinstance(known, Other) else None
        return None
