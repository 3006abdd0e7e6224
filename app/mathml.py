"""A formula as MathML, in letters or with the numbers put in."""

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from app.model.derivations.expression import parsed
from app.model.units import grouped, significant

EXACT_BELOW = 1e8
"""Whole numbers below this are written out."""
LEAST_PLAIN, MOST_PLAIN = 1e-3, 1e6
"""Numbers between these are written without a power of ten."""
PLAIN_DIGITS, POWER_DIGITS = 4, 5


def decimal(value: float) -> tuple[str, int]:
    """A number as its digits and the power of ten behind them, a multiple of three.

    >>> decimal(8192), decimal(405.85e9), decimal(6.1472), decimal(0)
    (('8192', 0), ('405.85', 9), ('6.147', 0), ('0', 0))
    """
    size = abs(value)
    if not math.isfinite(value):
        return "∞", 0
    if size < EXACT_BELOW and value == int(value):
        return grouped(value), 0
    if LEAST_PLAIN <= size < MOST_PLAIN:
        return _plain(value, PLAIN_DIGITS), 0
    exponent = 3 * math.floor(math.log10(size) / 3)
    return _plain(value / 10.0**exponent, POWER_DIGITS), exponent


def _plain(value: float, digits: int) -> str:
    text = significant(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def number(value: float) -> Markup:
    """A number as MathML."""
    digits, exponent = decimal(value)
    mantissa = Markup("<mn>{}</mn>").format(digits)
    if not exponent:
        return mantissa
    power = str(exponent).replace("-", "−")
    return Markup("{}<mo>×</mo><msup><mn>10</mn><mn>{}</mn></msup>").format(mantissa, power)


def symbol(name: str) -> Markup:
    """A letter, with what follows an underscore below the line.

    >>> str(symbol("x_t"))
    '<msub><mi>x</mi><mi>t</mi></msub>'
    """
    if name.isdigit():
        return Markup("<mn>{}</mn>").format(grouped(int(name)))
    letter, _, index = name.partition("_")
    if not index:
        return Markup("<mi>{}</mi>").format(letter)
    return Markup("<msub><mi>{}</mi><mi>{}</mi></msub>").format(letter, index)


@dataclass(frozen=True)
class Printed:
    """A formula in pieces of MathML between which a line may break; `below` the line of a fraction, if it is one."""

    above: tuple[Markup, ...]
    below: tuple[Markup, ...] = ()


def in_letters(formula: str) -> Printed:
    return _Printer(symbol, "·").printed(parsed(formula))


def in_numbers(formula: str, values: Mapping[str, float]) -> Printed:
    """The same with numbers in place of letters."""
    return _Printer(lambda name: number(values[name]), "×").printed(parsed(formula))


def _row(*parts: Markup) -> Markup:
    return Markup("<mrow>{}</mrow>").format(Markup("").join(parts))


def _operator(sign: str) -> Markup:
    return Markup("<mo>{}</mo>").format(sign)


def _between(sign: str) -> Markup:
    """A sign that begins a piece and still stands between two."""
    return Markup('<mo form="infix">{}</mo>').format(sign)


def _fenced(inner: Markup, left: str = "(", right: str = ")") -> Markup:
    return _row(_operator(left), inner, _operator(right))


@dataclass(frozen=True)
class _Printer:
    """`name` prints a name, `times` stands between factors."""

    name: Callable[[str], Markup]
    times: str

    def printed(self, node: ast.expr) -> Printed:
        if _is_sum(node):
            return Printed(self.terms(node))
        above, below = _factors(node)
        return Printed(self.pieces(above), self.pieces(below))

    def pieces(self, nodes: list[ast.expr]) -> tuple[Markup, ...]:
        """Factors one by one, each with the sign before it; a sum among them term by term, within brackets."""
        found: list[Markup] = []
        for node in nodes:
            own = list(self.terms(node)) if _is_sum(node) else [self.node(node)]
            if len(nodes) > 1 and _is_sum(node):
                own = [_operator("(") + own[0], *own[1:]]
                own[-1] += _operator(")")
            if found:
                own[0] = _between(self.times) + own[0]
            found += own
        return tuple(found)

    def terms(self, node: ast.expr) -> tuple[Markup, ...]:
        """A sum term by term, each with the sign before it."""
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Add, ast.Sub)):
            return (self.node(node),)
        subtracted = isinstance(node.op, ast.Sub)
        right = self.factor(node.right) if subtracted and _is_sum(node.right) else self.node(node.right)
        return (*self.terms(node.left), _between("−" if subtracted else "+") + right)

    def node(self, node: ast.expr) -> Markup:
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.Constant):
            assert isinstance(node.value, (int, float))
            return number(node.value)
        if isinstance(node, ast.UnaryOp):
            return _row(_operator("−"), self.factor(node.operand))
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            return self.call(node.func.id, node.args)
        assert isinstance(node, ast.BinOp)
        if isinstance(node.op, ast.Pow):
            return Markup("<msup>{}{}</msup>").format(self.factor(node.left), _row(self.node(node.right)))
        if _is_sum(node):
            return _row(*self.terms(node))
        return self.product(node)

    def factor(self, node: ast.expr) -> Markup:
        """A node that stands in a product: sums in brackets."""
        loose = _is_sum(node) or isinstance(node, ast.UnaryOp)
        return _fenced(self.node(node)) if loose else self.node(node)

    def product(self, node: ast.expr) -> Markup:
        """All factors over all divisors, as one fraction."""
        above, below = _factors(node)
        if not below:
            return self.chain(above)
        return Markup("<mfrac>{}{}</mfrac>").format(self.chain(above), self.chain(below))

    def on_one_line(self, node: ast.expr) -> Markup:
        """As in an exponent, where a fraction would be too small to read."""
        if isinstance(node, ast.UnaryOp):
            return _row(_operator("−"), self.on_one_line(node.operand))
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
            return self.node(node)
        divisor = self.factor(node.right)
        powered = isinstance(node.right, ast.Name) and "<msup>" in divisor
        return _row(self.factor(node.left), _operator("/"), _fenced(divisor) if powered else divisor)

    def chain(self, nodes: list[ast.expr]) -> Markup:
        if len(nodes) == 1:
            return _row(self.node(nodes[0]))
        return _row(Markup(_operator(self.times)).join(self.factor(n) for n in nodes))

    def call(self, name: str, args: list[ast.expr]) -> Markup:
        if name in ("exp", "expm1"):
            power = Markup("<msup><mi>e</mi>{}</msup>").format(_row(self.on_one_line(args[0])))
            return power if name == "exp" else _fenced(_row(power, _operator("−"), Markup("<mn>1</mn>")))
        inner = [self.node(a) for a in args]
        if name == "sqrt":
            return Markup("<msqrt>{}</msqrt>").format(inner[0])
        if name in ("floor", "ceil"):
            return _fenced(inner[0], *("⌊⌋" if name == "floor" else "⌈⌉"))
        word = (
            Markup("<msub><mtext>log</mtext><mn>2</mn></msub>")
            if name == "log2"
            else Markup("<mtext>{}</mtext>").format(name)
        )
        return _row(word, _fenced(Markup(_operator(",")).join(inner)))


def _is_sum(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))


def _factors(node: ast.expr) -> tuple[list[ast.expr], list[ast.expr]]:
    """What multiplies and what divides, in the order written."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Mult, ast.Div)):
        return [node], []
    above, below = _factors(node.left)
    if isinstance(node.op, ast.Mult):
        more, under = _factors(node.right)
        return above + more, below + under
    return above, [*below, *_divisors(node.right)]


def _divisors(node: ast.expr) -> list[ast.expr]:
    """The factors of a divisor; one that divides in turn stays whole."""
    above, below = _factors(node)
    return [node] if below else above
