"""Principal axes of inertia as MuJoCo finds them, and tensors within bounds of the compiler: of any size."""

from __future__ import annotations

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.converters.mjcf.reading.meshes import principal
from mbconcord.model.expressions import evaluate_float

#: A tensor whose products are as large as its moments, and one whose products are small.
OBLIQUE = {
    "oblique": [[0.138, -0.034, -0.012], [-0.034, 0.107, 0.013], [-0.012, 0.013, 0.086]],
    "nearly": [[0.3, 1e-8, 2e-9], [1e-8, 0.2, -3e-7], [2e-9, -3e-7, 0.1]],
}


@pytest.mark.parametrize("size", [1.0, 1e-4, 1e-9, 1e6])
@pytest.mark.parametrize("tensor", OBLIQUE.values(), ids=OBLIQUE)
def test_principal_axes_leave_no_products(tensor: list[list[float]], size: float) -> None:
    J = size * np.array(tensor)
    moments, axes = principal(J)
    assert np.abs(axes.T @ axes - np.eye(3)).max() < 1e-15
    assert np.abs(axes.T @ J @ axes - np.diag(moments)).max() < 1e-14 * np.abs(J).max()
    assert moments[0] > moments[1] > moments[2]


@pytest.mark.parametrize("size", [1.0, 1e-9])
def test_a_mass_within_bounds_leaves_the_tensor(size: float) -> None:
    J = size * np.array(OBLIQUE["oblique"])
    full = " ".join(repr(float(J[i, j])) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    body = f'<inertial pos="0 0 0" mass="{size}" fullinertia="{full}"/><joint/>'
    text = f"<mujoco><compiler {{}}/><worldbody><body>{body}</body></worldbody></mujoco>"
    plain, bound = (
        registry.read_text(text.format(word), "-", "mjcf", "ignore").system.bodies[-1].inertia
        for word in ("", f'boundmass="{3 * size}"')
    )
    assert evaluate_float(bound.mass, {}) == 3 * size
    for own, other in zip(plain.tensor, bound.tensor, strict=True):
        assert abs(evaluate_float(own, {}) - evaluate_float(other, {})) < 1e-15 * size
