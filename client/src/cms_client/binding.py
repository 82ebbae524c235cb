"""How one description of an operation becomes a method of both clients.

`@operation` is put on a function that makes an Operation[T]. On a client that blocks it is a method that returns T, on
the other one that returns an awaitable of T, and type checkers know which.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from functools import wraps
from inspect import Signature, signature
from types import GenericAlias
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, get_args, overload

from cms_client.drivers import AsyncDriver, AsyncTagging, SyncDriver, SyncTagging
from cms_client.operations import Operation
from cms_client.records import Tagged
from cms_client.walking import Walk

P = ParamSpec("P")
T = TypeVar("T")
D = TypeVar("D", bound=SyncDriver | AsyncDriver | SyncTagging | AsyncTagging)


def _awaitable(result: Any) -> Any:
    return GenericAlias(Coroutine, (None, None, result))


def _tagged(result: Any) -> Any:
    return GenericAlias(Tagged, (result,))


# The types of results as `help` shows them, by the driver of the client.
_RESULTS: dict[type, Callable[[Any], Any]] = {
    SyncDriver: lambda result: result,
    AsyncDriver: _awaitable,
    SyncTagging: _tagged,
    AsyncTagging: lambda result: _awaitable(_tagged(result)),
}
_WALKS: dict[type, Callable[[Any], Any]] = {
    SyncDriver: lambda record: GenericAlias(Iterator, (record,)),
    AsyncDriver: lambda record: GenericAlias(AsyncIterator, (record,)),
}


def _signatures(make: Callable[..., Any], results: Mapping[type, Callable[[Any], Any]]) -> dict[type, Signature]:
    """The signature of the method by the type of the driver: without `self`, and with the type of its result."""
    own = signature(make)
    (made,) = get_args(own.return_annotation)
    parameters = [*own.parameters.values()][1:]
    return {
        driver: own.replace(parameters=parameters, return_annotation=result(made)) for driver, result in results.items()
    }


def _with_signature(method: Callable[P, T], shown: Signature | None) -> Callable[P, T]:
    method.__signature__ = shown  # type: ignore[attr-defined]
    return method


class Resource(Generic[D]):
    """Operations that belong together, bound to what carries them out."""

    def __init__(self, driver: D) -> None:
        self._driver: D = driver


class operation(Generic[P, T]):
    """Makes a method of a function that makes an operation."""

    def __init__(self, make: Callable[Concatenate[Any, P], Operation[T]]) -> None:
        self._make = make
        self.__doc__ = make.__doc__
        self._signatures = _signatures(make, _RESULTS)

    @overload
    def __get__(self, resource: None, owner: object = None) -> Self: ...
    @overload
    def __get__(self, resource: Resource[SyncDriver], owner: object = None) -> Callable[P, T]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncDriver], owner: object = None
    ) -> Callable[P, Coroutine[None, None, T]]: ...
    @overload
    def __get__(self, resource: Resource[SyncTagging], owner: object = None) -> Callable[P, Tagged[T]]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncTagging], owner: object = None
    ) -> Callable[P, Coroutine[None, None, Tagged[T]]]: ...
    def __get__(self, resource: Any, owner: object = None) -> Any:
        if resource is None:
            return self

        @wraps(self._make)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return resource._driver.run(self._make(resource, *args, **kwargs))

        return _with_signature(method, self._signatures.get(type(resource._driver)))


class walk(Generic[P, T]):
    """Makes a method that iterates of a function that makes a walk."""

    def __init__(self, make: Callable[Concatenate[Any, P], Walk[T]]) -> None:
        self._make = make
        self.__doc__ = make.__doc__
        self._signatures = _signatures(make, _WALKS)

    @overload
    def __get__(self, resource: None, owner: object = None) -> Self: ...
    @overload
    def __get__(self, resource: Resource[SyncDriver], owner: object = None) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, resource: Resource[AsyncDriver], owner: object = None) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, resource: Any, owner: object = None) -> Any:
        if resource is None:
            return self

        @wraps(self._make)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return resource._driver.walk(self._make(resource, *args, **kwargs))

        return _with_signature(method, self._signatures.get(type(resource._driver)))
