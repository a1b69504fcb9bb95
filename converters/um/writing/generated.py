"""A whole input.dat from a model: one flat object, version 80, with generalized joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mbconcord.converters.losses import omitted
from mbconcord.model import Loss, System

from ..document import Attribute, Block, Comment, Document, render
from ..reader import read
from ..reading.identifiers import NO_VALUE
from .bodies import body_block
from .fields import Fields, block, ordered, quoted
from .forces import bipolars, efforts
from .gravity import gravity_block
from .images import image
from .joints import joints
from .kept import Kept, dropped, keep
from .lost import HOLDS, lost
from .names import choose_names
from .template import Template

#: The camera: turned by 30 degrees about the vertical, raised by 30.
VIEW = "{0.866025403784439 0.25 -0.433012701892219 0 0.866025403784439 0.5 0.5 -0.433012701892219 0.75}"
BODIES = "Bodies, inertia parameters, images"
JOINTS = "Joints, degrees of freedom, hinges, initial conditions"
BIPOLARS = "Bipolar force elements"


def generate(system: System, losses: list[Loss], template: Template | None = None) -> str:
    """The text of an input.dat; what it does not hold is appended to the losses.

    Of the file that the model was read from, blocks that the model does not hold are kept.
    """
    names = choose_names(system, losses)
    losses += lost(system)
    if template is None:  # else it stands in the file
        losses += omitted(system.omissions, HOLDS)
    fields = Fields(system, names, losses)
    kept = keep(template.document, system, fields) if template else Kept()
    heavy = system.lumped()
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
        *_headed(BODIES, bodies),
        *_headed(JOINTS, list(joints(system, fields, efforts(system, fields), kept.joints))),
        *_headed(BIPOLARS, list(bipolars(system, fields, kept.link_image))),
        *kept.late,
    ]
    text = render(Document((replace(main, blocks=tuple(blocks)),)))
    if template is not None:
        losses += dropped(template.reading.system, read(text, "input.dat").system, kept.reasons)
    return text


def _headed(heading: str, blocks: list[Block]) -> list[Block]:
    """The blocks, the first of them under a section's heading."""
    if blocks:
        blocks[0] = replace(blocks[0], comments=(Comment(heading),))
    return blocks


def _main(system: System, head: tuple[Attribute, ...]) -> Block:
    """The head of the file: that of the file the model was read from, else a new one."""
    if head:
        return Block("main", attributes=head)
    named = system.name.isascii() and system.name.isidentifier()
    said = "" if named or set('"\r\n\t') & set(system.name) else system.name
    comment = [("comments", quoted(said))] if said else []
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


def _identifiers(system: System, fields: Fields, remarks: Mapping[str, str]) -> Iterator[Block]:
    """The parameters as identifiers with their comments, each formula behind those that it uses."""
    order = ordered(system.parameters)
    if [p.name for p in order] != [p.name for p in system.parameters]:
        reason = "a formula uses identifiers that stand before it"
        fields.lose("parameters", "the order of the parameters", reason)
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
