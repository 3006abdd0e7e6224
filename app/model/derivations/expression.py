"""Formulas as one line of text: read once, worked out with numbers, printed by whoever shows them."""

import ast
import math
from collections.abc import Callable, Mapping
from functools import lru_cache

OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}


def _or_infinite(function: Callable[[float], float]) -> Callable[[float], float]:
    def bounded(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return math.inf

    return bounded


FUNCTIONS: dict[str, Callable[..., float]] = {
    "exp": _or_infinite(math.exp),
    "expm1": _or_infinite(math.expm1),
    "sqrt": math.sqrt,
    "log2": math.log2,
    "floor": math.floor,
    "ceil": math.ceil,
    "min": min,
    "max": max,
}


@lru_cache(maxsize=1024)
def parsed(formula: str) -> ast.expr:
    """The tree of a formula: names, numbers, + − × ÷ powers and FUNCTIONS; anything else is refused.

    >>> parsed("__import__('os')")
    Traceback (most recent call last):
    ValueError: a formula has no Call: __import__('os')
    """
    tree = ast.parse(formula, mode="eval").body
    for node in ast.walk(tree):
        if not _allowed(node):
            raise ValueError(f"a formula has no {type(node).__name__}: {formula}")
    return tree


def _allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and not node.keywords
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float))
    return isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, ast.operator, ast.USub))


def evaluate(formula: str, values: Mapping[str, float]) -> float:
    """The value of a formula whose names have these values.

    >>> evaluate("6*N*D", {"N": 1e9, "D": 20e9})
    1.2e+20
    >>> evaluate("τ / (M*expm1(x))", {"τ": 1, "M": 1, "x": 800})
    0.0
    """
    return _value(parsed(formula), values)


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](_value(node.left, values), _value(node.right, values))
    if isinstance(node, ast.UnaryOp):
        return -_value(node.operand, values)
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return FUNCTIONS[node.func.id](*(_value(a, values) for a in node.args))
    if isinstance(node, ast.Constant):
        assert isinstance(node.value, (int, float))
        return node.value
    assert isinstance(node, ast.Name)
    return values[node.id]


def names(formula: str) -> frozenset[str]:
    """The names that a formula needs values for.

    >>> sorted(names("min(1, τ / (2*M))"))
    ['M', 'τ']
    """
    found = {n.id for n in ast.walk(parsed(formula)) if isinstance(n, ast.Name)}
    return frozenset(found - FUNCTIONS.keys())


def constants(formula: str) -> frozenset[float]:
    """The numbers that stand in a formula.

    >>> sorted(constants("min(1, τ / (2*M))"))
    [1, 2]
    """
    return frozenset(n.value for n in ast.walk(parsed(formula)) if isinstance(n, ast.Constant))  # type: ignore[misc]
