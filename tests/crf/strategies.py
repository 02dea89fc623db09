"""Random emissions: plain, with many ties, and large."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

whole_numbers = st.integers(-3, 3).map(float)
large = st.integers(-10_000, 10_000).map(float)
reals = st.floats(-20, 20, width=32, allow_nan=False)
ties = st.sampled_from([0.0, 1.0])


def emissions(max_length=6, min_length=1, elements=None):
    """``[token, 5]`` arrays; the values are exact in float32, so ties are ties."""
    kinds = (
        elements if elements is not None else st.sampled_from([whole_numbers, large, reals, ties])
    )
    shape = st.integers(min_length, max_length).map(lambda n: (n, 5))
    if elements is not None:
        return hnp.arrays(np.float64, shape, elements=elements)
    return kinds.flatmap(lambda e: hnp.arrays(np.float64, shape, elements=e))


def batches(max_length=6, elements=None):
    """``[batch, type, token, 5]`` arrays and lengths."""
    return st.tuples(
        st.integers(1, 4), st.lists(st.integers(1, max_length), min_size=1, max_size=3)
    ).flatmap(
        lambda shape: st.tuples(
            st.sampled_from(
                [elements] if elements is not None else [whole_numbers, large, reals, ties]
            ).flatmap(
                lambda e: hnp.arrays(
                    np.float64, (len(shape[1]), shape[0], max(shape[1]), 5), elements=e
                )
            ),
            st.just(np.array(shape[1])),
        )
    )
