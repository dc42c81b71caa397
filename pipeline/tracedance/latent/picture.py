"""The trajectory as a curve: an SVG of its own, without scripts, fonts or anything from outside."""

from markupsafe import Markup

from tracedance.report.visible import one_line
from tracedance.schema import RepresentationTrajectory, RepresentedStep

WIDTH, HEIGHT, MARGIN = 640, 480, 56
BLUE, ORANGE = (37, 99, 235), (234, 88, 12)
"""Colours of the least and the greatest entropy."""


def picture(found: RepresentationTrajectory) -> str:
    """Steps as numbered points of the first two principal components, joined in their order, coloured by entropy."""
    points = _placed([step.projection for step in found.steps])
    shares = " and ".join(f"{100 * share:.0f}%" for share in found.explained_variance)
    about = f"{one_line(found.model, 60)}, hidden state {found.layer} of {found.layers}; the axes hold {shares} of the variance"
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" font-family="sans-serif">'
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [
        Markup(head).format(WIDTH, HEIGHT),
        Markup("<title>Representation trajectory</title><desc>{0}</desc>").format(about),
        Markup('<rect width="{0}" height="{1}" fill="#fff"/>').format(WIDTH, HEIGHT),
        Markup('<text x="{0}" y="24" font-size="13" fill="#111">{1}</text>').format(MARGIN, about),
        Markup('<text x="{0}" y="{1}" font-size="12" fill="#555">{2}</text>').format(MARGIN, HEIGHT - 14, _entropies(found)),
        Markup('<polyline fill="none" stroke="#999" stroke-width="1.5" points="{0}"/>').format(line),
    ]
    for step, (x, y), colour in zip(found.steps, points, _colours(found), strict=True):
        parts.append(_point(step, (x, y), colour))
    return str(Markup("\n").join([*parts, Markup("</svg>\n")]))


def _point(step: RepresentedStep, at: tuple[float, float], colour: str) -> Markup:
    speed = "" if step.velocity is None else f", velocity {step.velocity:.4g}"
    return Markup(
        '<g><title>Step {0}: entropy {1} nats{2}</title><circle cx="{3}" cy="{4}" r="7" fill="{5}" stroke="#fff"/>'
        '<text x="{6}" y="{7}" font-size="12" fill="#111">{0}</text></g>'
    ).format(step.index + 1, f"{step.entropy:.3f}", speed, f"{at[0]:.1f}", f"{at[1]:.1f}", colour, f"{at[0] + 10:.1f}", f"{at[1] - 8:.1f}")


def _placed(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """In the picture's pixels, on one scale for both axes so that distances are what they look like."""
    xs, ys = zip(*points, strict=True)
    scale = min((WIDTH - 2 * MARGIN) / ((max(xs) - min(xs)) or 1), (HEIGHT - 2 * MARGIN) / ((max(ys) - min(ys)) or 1))
    middle = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    return [(WIDTH / 2 + scale * (x - middle[0]), HEIGHT / 2 - scale * (y - middle[1])) for x, y in points]


def _colours(found: RepresentationTrajectory) -> list[str]:
    entropies = [step.entropy for step in found.steps]
    low, span = min(entropies), (max(entropies) - min(entropies)) or 1
    shares = [(value - low) / span for value in entropies]
    return ["#" + "".join(f"{round(cold + share * (hot - cold)):02x}" for cold, hot in zip(BLUE, ORANGE, strict=True)) for share in shares]


def _entropies(found: RepresentationTrajectory) -> str:
    entropies = [step.entropy for step in found.steps]
    return f"Blue to orange: entropy of the next token, {min(entropies):.3f} to {max(entropies):.3f} nats. Open weights; advisory."
