"""Decorators that turn one definition of an operation into a method of both clients.

`@operation` decorates a function that builds an Operation[T]. The method returns T on the blocking client and an
awaitable of T on the asynchronous client, and type checkers see the difference.
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


# Result types that `help` shows, by type of driver.
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
    """Return the method's signature for each type of driver, without `self` and with that driver's result type."""
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
    """A group of related operations, bound to the driver that runs them."""

    def __init__(self, driver: D) -> None:
        self._driver: D = driver


class operation(Generic[P, T]):
    """Turns a function that builds an operation into a method that runs it."""

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
    """Turns a function that builds a walk into a method that iterates over its records."""

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
