"""What the invented projects are about, who works on them and where."""

from dataclasses import dataclass

_DOMAINS = """
harbor-slots berth berths length vessel | which vessel lies where in a small harbour, and for how long
seed-vault packet packets grams species | stock of a regional seed bank
tram-board departure departures delay line | departure boards of a tram network
brew-log batch batches liters style | batches of a cooperative brewery
choir-desk rehearsal rehearsals minutes venue | rehearsal planning for four choirs
loan-shelf loan loans days reader | lending desk of a village library
hive-watch hive hives weight apiary | scales under bee hives
ridge-cams frame frames exposure camera | wildlife cameras on a ridge
parcel-desk parcel parcels grams carrier | parcels at the front desk of a campus
clinic-queue visit visits minutes ward | waiting times of an outpatient clinic
tide-table reading readings height station | tide gauges along one coast
kiln-runs firing firings degrees glaze | firings of a pottery studio
bike-dock dock docks bikes district | docks of a bike sharing scheme
press-room edition editions pages desk | editions of a local paper
tool-crib tool tools uses bench | tools lent out by a makerspace
grain-book delivery deliveries tonnes silo | deliveries to a grain cooperative
relay-score heat heats seconds club | results of school relay races
dough-lab loaf loaves hydration flour | test bakes of a bakery
lift-logs trip trips floors shaft | trips of the lifts in an office tower
reef-census sighting sightings depth reef | fish counts by volunteer divers
archive-box box boxes folders series | boxes of a city archive
solar-tally panel panels watts roof | yield of rooftop panels
stage-cues cue cues bars act | light cues of a theatre
well-meter well wells volume aquifer | groundwater wells of a county
map-tiles tile tiles bytes layer | tile server of a hiking map
pantry-keeper jar jars spoons shelf | stock of a community kitchen
snow-desk survey surveys density slope | snow surveys of an avalanche service
print-farm job jobs layers nozzle | queue of a 3D printing farm
orchard-rows tree trees apples plot | harvest per tree in an orchard
ferry-log crossing crossings minutes ferry | crossings of two river ferries
"""

HOMES = (
    "/Users/ines/code",
    "/home/marek/src",
    "/Users/tomoko/projects",
    "/home/yusuf/projects",
    "/Users/dagny/dev",
    "/home/oluchi/git",
    "/Users/renzo/Developer",
    "/home/priya/ws",
)


@dataclass(frozen=True)
class Domain:
    slug: str
    item: str
    items: str
    qty: str
    tag: str
    about: str

    @property
    def words(self) -> dict[str, str]:
        """Placeholder -> word, with the capitalised forms."""
        plain = {"item": self.item, "items": self.items, "qty": self.qty, "tag": self.tag}
        capitals = {key.capitalize(): value.capitalize() for key, value in plain.items()}
        return plain | capitals | {"slug": self.slug, "pkg": self.slug.replace("-", "_")}


def _read(line: str) -> Domain:
    words, _, about = line.partition(" | ")
    slug, item, items, qty, tag = words.split()
    return Domain(slug, item, items, qty, tag, about)


DOMAINS = tuple(_read(line) for line in _DOMAINS.strip().splitlines())
