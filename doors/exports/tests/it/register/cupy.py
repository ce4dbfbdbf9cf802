"""Nothing of it is called."""

ndarray = object
