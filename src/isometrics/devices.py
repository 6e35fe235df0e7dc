"""Arrays of torch, CuPy and JAX, which may live on a device that NumPy cannot read."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_array(given: object) -> bool:
    """Tell whether something is an array of torch, CuPy, JAX or the like, but not NumPy's own."""
    if isinstance(given, np.ndarray | np.generic) or not hasattr(given, "__dlpack__"):
        return False
    from array_api_compat import is_array_api_obj

    return bool(is_array_api_obj(given))


def is_remote(given: object) -> bool:
    """Tell whether an array lies in the memory of a device rather than that of the processor."""
    if not is_array(given):
        return False
    from array_api_compat import device

    return "cpu" not in str(device(given)).lower()


def namespace_of(array: Any) -> Any:
    """Return the array API of the library that an array belongs to."""
    from array_api_compat import array_namespace

    return array_namespace(array)


def to_host(array: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Return an array as one of NumPy, without a copy where the memory is shared."""
    if type(array).__module__.startswith("torch"):
        array = array.detach().cpu()
        # NumPy has no bfloat16; float32 holds every value of it.
        return np.asarray(array.float() if "bfloat16" in str(array.dtype) else array)
    if hasattr(array, "get"):  # CuPy refuses to move anything unasked
        return np.asarray(array.get())
    if is_remote(array):
        from array_api_compat import to_device

        array = to_device(array, _host_of(array))
    host = np.asarray(array)
    return host.astype(np.float32) if "bfloat16" in str(host.dtype) else host


def _host_of(array: Any) -> Any:
    """Return the processor as the library of an array names it."""
    devices = namespace_of(array).__array_namespace_info__().devices()
    return next(each for each in devices if "cpu" in str(each).lower())
