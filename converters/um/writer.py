"""Conversion of a model to the text of a whole input.dat: one flat object, version 80, with generalized joints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from mbconcord.converters.format import Writing
from mbconcord.converters.losses import elastic, list_omission_losses
from mbconcord.converters.spelling import ENCODING, UTF8, encoding
from mbconcord.model import Body, Bushing, Constant, ElementaryTransformation, Loss, System
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.elastic.rigid import rigid
from mbconcord.model.expressions import ZERO
from mbconcord.model.omission import find_assumed
from mbconcord.model.transformation import Vector

from . import HOLDS
from .layout import render
from .reader import find_assumable, read
from .reading.reading import NO_VALUE
from .syntax import choose_code_page, parse
from .tree import Attribute, Comment, UmBlock, UmDocument
from .writing.fields import (
    Fields,
    block,
    choose_names,
    find_unconfirmed,
    formula,
    gravity_block,
    order_parameters,
    quote,
)
from .writing.joints import bipolars, close_loops, efforts, joints
from .writing.kept import UmKept, beside_the_text, keep, list_dropped, list_losses
from .writing.template import KEY, UmTemplate

# Simple images, so that a user sees something: a rod along a body to or from a joint, else a ball.
#
# Images have no effect on the motion.


#: Radius of rods and of balls (m).
ROD, BALL = "0.02", "0.05"
_PLACE = [(f"p{k}{axis}", "") for k in (1, 2) for axis in "xyz"]
#: The turn that takes +z, along which UM's cylinders lie, to an axis: number of the axis of rotation, degrees.
_TURNS = {(0, 1): ("2", "90"), (0, -1): ("2", "-90"), (1, 1): ("1", "-90"), (1, -1): ("1", "90"), (2, -1): ("1", "180")}


def image(body: Body, system: System, fields: Fields) -> UmBlock:
    """Write the image of a body: ``go`` with one element."""
    head = [("name", quote(fields.names.body(body.name))), *_PLACE, *_angles()]
    return block("go", None, head, [_rod(body, system, fields) or _ball()])


def _rod(body: Body, system: System, fields: Fields) -> UmBlock | None:
    """Write a cylinder from the body's origin to its joint or its first child's; None if neither is along an axis."""
    back = _sum_leading_shifts(reversed(body.joint))
    carried = system.children(body.name)
    onward = _sum_leading_shifts(carried[0].joint) if carried else None
    for shift, sign in ((back, -1), (onward, 1)):
        if shift is None:
            continue
        axis = [k for k in range(3) if shift[k]]
        if len(axis) != 1:
            continue
        length = fields.expand_functions(shift[axis[0]])
        if length.op == "neg" or (length.op == "num" and length.value < 0):
            length, sign = -length, -sign
        if find_unconfirmed(length) is not None:
            continue
        turn = _TURNS.get((axis[0], sign))
        size = [("h", formula(length, fields.names.parameters)), ("r1", ROD), ("r2", ROD), ("npc", "20"), ("npl", "2")]
        return _element("CYLINDER", turn, size)
    return None


def _sum_leading_shifts(items: Iterable[ElementaryTransformation]) -> Vector | None:
    """Sum the leading constant shifts; None if there are none."""
    total = [ZERO, ZERO, ZERO]
    for et in items:
        if not et.is_translation or not isinstance(et.motion, Constant):
            break
        total = [t + et.amount * part for t, part in zip(total, et.axis, strict=True)]
    return (total[0], total[1], total[2]) if any(total) else None


def _ball() -> UmBlock:
    return _element("ELLIPSOID", None, [("abc", ",".join([BALL] * 3)), ("nm", "40"), ("nl", "25")])


def _element(kind: str, turn: tuple[str, str] | None, size: list[tuple[str, str]]) -> UmBlock:
    """Write a graphical element: its place, its looks, its size."""
    looks = [("width", "1"), ("Density", "7800"), ("SurfaceWidth", "5"), ("WireSection", "5")]
    head = [("type", kind), ("VisibleSide", "vsFront"), ("material", "6520998,6520998,0,0,10,1")]
    return block("ge", None, [*head, *_PLACE, *_angles(turn), *looks, *size])


def _angles(turn: tuple[str, str] | None = None) -> list[tuple[str, str]]:
    axis, angle = turn or ("", "0")
    first = [("axis1", axis)] if turn else []
    return [*first, ("angle1", angle), ("angle2", "0"), ("angle3", "0")]


# Bodies as blocks: mass, inertia tensor about the centre of mass, centre of mass in the body's frame.


#: The oriented point that UM puts into every body.
FRAME_POINT = "{\n      '' '' '' 'LSC'  '0' '0' '0' '0' '0' '0'\n    }"


def body_block(number: int, image: int, body: Body, fields: Fields, points: tuple[Attribute, ...] | None) -> UmBlock:
    """Write the block of a body with its image's number and its former points (None: a new body)."""
    place, inertia = f"bodies/{body.name}", body.inertia
    xx, yy, zz, xy, xz, yz = inertia.tensor
    moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    centre = zip(("rcx", "rcy", "rcz"), inertia.centre, strict=True)
    values = [("m", inertia.mass), *moments.items(), *centre]
    return block(
        "body",
        number,
        [
            ("name", quote(fields.names.body(body.name))),
            ("ppjoint", "0"),
            ("igrobj", str(image)),
            *((key, fields.formula(f"{place}/inertia", value)) for key, value in values),
            *((a.key, a.value) for a in points or (Attribute("opoints", FRAME_POINT),)),
        ],
    )


#: The camera: turned by 30 degrees about the vertical, raised by 30.
VIEW = "{0.866025403784439 0.25 -0.433012701892219 0 0.866025403784439 0.5 0.5 -0.433012701892219 0.75}"
BODIES = "Bodies, inertia parameters, images"
JOINTS = "Joints, degrees of freedom, hinges, initial conditions"
BIPOLARS = "Bipolar force elements"


def generate(system: System, losses: list[Loss], template: UmTemplate | None, fitted: set[str]) -> str:
    """Write the text of an input.dat, and append what it cannot hold to the losses.

    Blocks of the model's source file are kept if the model does not hold them, or if it holds their elements by an
    assumed law; the places of such elements are added to ``fitted``.
    """
    names = choose_names(system, losses)
    losses += list_losses(system)
    if template is None:  # else it stands in the file
        losses += list_omission_losses(system.omissions, HOLDS)
    fields = Fields(system, names, losses)
    kept = keep(template.document, system, fields) if template else UmKept()
    heavy = system.lump_masses()
    system, closed = close_loops(system, fields)
    images = list(kept.images)
    bodies = []
    for number, body in enumerate(heavy.bodies, 1):
        shown = kept.image_of.get(body.name)
        if shown is None:
            images.append(image(body, system, fields))
            shown = len(images)
        bodies.append(body_block(number, shown, body, fields, kept.points.get(body.name)))
    main = _main(system, kept.head)
    blocks = [
        *_identifiers(system, fields, kept.remarks),
        *kept.early,
        gravity_block(system, fields),
        *images,
        *_add_heading(BODIES, bodies),
        *_add_heading(JOINTS, list(joints(system, fields, efforts(system, fields), kept.joints, closed))),
        *_add_heading(BIPOLARS, list(bipolars(system, fields, kept.link_image))),
        *kept.late,
    ]
    text = render(UmDocument((replace(main, blocks=tuple(blocks)),)))
    if template is not None:
        kinds = [kind for kind in find_assumable(parse(text)) if kind in find_assumed(system.omissions)]
        again = read(text, "input.dat", kinds).system
        fitted |= {f"forces/{f.name}" for f in again.forces if isinstance(f, Bushing) and f in system.forces}
        losses[:] = [loss for loss in losses if loss.place not in fitted]
        losses += list_dropped(template.reading.system, again, kept.reasons)
    return text


def _add_heading(heading: str, blocks: list[UmBlock]) -> list[UmBlock]:
    """Put the blocks under a section's heading."""
    if blocks:
        blocks[0] = replace(blocks[0], comments=(Comment(heading),))
    return blocks


def _main(system: System, head: tuple[Attribute, ...]) -> UmBlock:
    """Write the head of the file: that of the model's source file, else a new one."""
    if head:
        return UmBlock("main", attributes=head)
    named = system.name.isascii() and system.name.isidentifier()
    said = "" if named or set('"\r\n\t') & set(system.name) else system.name
    comment = [("comments", quote(said))] if said else []
    return block(
        "main",
        None,
        [
            ("version", "80"), ("type", "mbs"), ("autogravity", "true"), ("symbolic", "false"),
            ("language", "cplusplus"), ("size", "1"), ("scene", "0"), *comment,
            ("objectidentifier", system.name if named else "UMObject"), ("bkgcolor", "16777215"),
            ("gridcolor", "16448"), ("axessaturation", "1.E2"), ("gridstep", "5.E-1"), ("axelengthx", "3."),
            ("axelengthy", "3."), ("axelengthz", "3."), ("rotationstyle", "z"), ("mousepick", "false"),
            ("a", VIEW), ("target", "{0 0 0}"), ("distance", "10"), ("sensitivity_threshold", "0.050"),
        ],
    )  # fmt: skip


def _identifiers(system: System, fields: Fields, remarks: Mapping[str, str]) -> Iterator[UmBlock]:
    """Yield the parameters as identifiers with comments, each formula after those that it uses."""
    order = order_parameters(system.parameters)
    if [p.name for p in order] != [p.name for p in system.parameters]:
        reason = "a formula uses identifiers that stand before it"
        fields.lose("parameters", "the order of the parameters", reason, acts=False)
    rows = []
    for p in order:
        name = fields.names.parameter(p.name)
        if p.value is None:
            rows.append(("cnst", f'({name}# 0# "{NO_VALUE}")'))
        else:
            said = f'# "{remarks[p.name]}"' if p.name in remarks else ""
            rows.append(("cnst", f"({name}# {fields.formula(f'parameters/{p.name}', p.value) or '0'}{said})"))
    if rows:
        yield block("const", None, rows)


def write(system: System) -> Writing:
    """Write the input.dat of a model; content without a place in it, or unconfirmed by UM files, becomes losses.

    A model that was read from an input.dat is written from it: unchanged if nothing changed, with new numbers in their
    places if only values of parameters or initial positions did. Any other model is written as one flat object, with
    those blocks of its file that the model does not hold.

    Identities: ``read(write(m)) == m`` up to metadata and losses; ``write(read(write(m))) = write(m)``.

    Raises
    ------
    WriteError
        The model has no body.
    """
    if not system.bodies:
        raise WriteError(error("bodies", "a model without bodies; an input.dat has at least one", "add a body"))
    losses: list[Loss] = [*elastic(system, HOLDS)]
    system = rigid(system)
    template = UmTemplate.from_system(system)
    if template is None and KEY in system.metadata:
        losses.append(Loss(f"metadata/{KEY}", "the file that is kept there", "it cannot be read", acts=False))
    text = template.patch(system, losses) if template else None
    renamed: dict[str, str] = {}
    fitted: set[str] = set()
    if text is not None:
        losses += beside_the_text(system)
        fitted = {f"forces/{f.name}" for f in system.forces if isinstance(f, Bushing)}
    else:
        text, renamed = generate(system, losses, template, fitted), choose_names(system, []).coordinates
    page = _code_page(text, system, template is not None, losses)
    if page == encoding(system):
        fitted.add(f"file/{ENCODING}")
    return Writing(text, tuple(losses), renamed, page, fitted=frozenset(fitted))


def _code_page(text: str, system: System, own: bool, losses: list[Loss]) -> str:
    """Choose the code page of the file: that of the model's source file if it was UM's, or the usual one."""
    named = encoding(system)
    if own or named in HOLDS.encodings:
        try:
            text.encode(named)
        except UnicodeEncodeError:
            losses.append(
                Loss(f"omissions/file/{ENCODING}", f"the code page {named}", "it lacks letters of names", acts=False)
            )
        else:
            return named
    chosen = choose_code_page(text)
    if chosen == UTF8 and not text.isascii():
        reason = "no code page has them all: written in UTF-8, in which no UM file was seen"
        losses.append(Loss("names", "certainty about letters outside ASCII", reason, acts=False))
    return chosen
