"""Who does what a sentence tells of. A benchmark grades an agent, so that what a user, a reviewer or CI does is no behaviour for one.

A clause whose subject is somebody else is set apart. What such a one asks, says or answers is the setting of what an agent does and stays.
"""

import re

from tracedance.query import numerals

_DET = r"(?:(?:the|a|an|our|my|their|its|some|any|all|many|most|der|die|das|ein|eine|unser|unsere|el|la|los|las|un|una|le|les|une)\s+|l')*"
_KIND = (
    r"(?:(?:human|code|other|second|junior|senior|angry|impatient|real|end|release|project|product"
    r"|support|system|security|external)\s+)?"
)
_WHO = (
    r"(?:users?|customers?|clients?|persons?|people|humans?|developers?|programmers?|engineers?|colleagues?|coworkers?|co-workers?"
    r"|teammates?|team members?|teams?|reviewers?|maintainers?|managers?|boss(?:es)?|admins?|administrators?|operators?|owners?|authors?"
    r"|contributors?|attackers?|hackers?|students?|interns?|patients?|travellers?|guests?|employees?|testers?|somebody(?: else)?"
    r"|someone(?: else)?|others|nutzer(?:in)?|benutzer(?:in)?|anwender|kunden?|kundin|entwickler(?:in)?|kollegen?|kollegin|menschen?"
    r"|pruefer|prufer"
    r"|usuarios?|clientes?|desarrollador(?:es)?|revisor(?:es)?|companeros?|utilisateurs?|developpeurs?|relecteurs?|collegues?)"
)
_THING = (
    r"(?:(?:the|a|our|some)\s+)?(?:ci|ci jobs?|ci pipelines?|pipelines?|github actions|dependabot|renovate|cron ?jobs?"
    r"|scripts?|linters?|formatters?)"
)
_ACT = (
    r"(?:edit|chang|modif|overw|delet|commit|push|force|sent|send|creat|writ|wrot|made|done|run|paid|pay|book|cancel|claim|leak|retr|weaken"
    r"|skip|disabl|bypass|invent|install|merg|ignor|repeat)\w*"
)
_HELPING = (
    r"(?:who|that|which|does|do|did|has|have|had|is|are|was|were|be|been|will|would|can|could|may|might|should|must|not|never|just"
    r"|often|always|then|also|still|already|only|first|later|repeatedly|simply|accidentally|\w+ly|ne|se|no|nicht|nie|hat|haben|et|or|and"
    rf"|und|oder|y|o|ou|{_WHO})"
)
_SAYS = (
    r"(?:ask|say|said|tell|told|want|wish|need|request|order(?:ed)?\b|instruct|demand|expect|give|gave|given|hand|forb|den[iy]|refus|reject"
    r"|approv|confirm|allow|permit|agree|authori[sz]|complain|object|mention|name|point|warn|insist|answer|repl|respond|report|explain"
    r"|specif|know|knew|see|saw|notice|wait|like|think|believe|block|fail|pass|red\b|green\b|broken|down\b|unhappy|absent|away|okay|there"
    r"|in\b|on\b|at\b|of\b|to\b|for\b|with|without|by\b|will\b|must\b|verlang|bitt|bat\b|frag|sag|wollt|will|verbiet|verbot|erlaub|bestatig"
    r"|pid|dij|dice|quer|quier|pregunt|confirm|demand|dit\b|veut|voul|interdi|s'attend|approuv)"
)
_CLAUSE = re.compile(
    r"[,;:.!?]+\s*|\s+(?:-|–|—)\s+|\b(?:but|while|when|whenever|because|although|though|even though|after|before|once|yet|so|where|in which"
    r"|whereas|until|if|as if|and then|how often|aber|wahrend|wenn|obwohl|nachdem|bevor|bis|pero|mientras|cuando|aunque|mais|quand|lorsque"
    r"|alors que|bien que)\b\s*"
)
_JOINED = re.compile(r"\s+(?:and|or|then|und|oder|y|et|ou)\s+(?=(?:the |an? |der |el |la |l'|le )?\w+)")
_LEADING = re.compile(
    r"^\W*(?:(?:please|find|show me|collect|build|benchmark|a test set|cases|sessions|turns|situations|moments|instances|examples|times|of"
    r"|in|that|which|do|does|did|how often)\s+)*"
)
_OTHER = re.compile(
    rf"^(?:{_THING}\s+(?=(?:just |then |often )?{_ACT})|(?P<who>{_DET}{_KIND}{_WHO})\b"
    rf"(?!['’]s\b|\s+(?:agents?|bots?|assistants?|calls?|data|files?|names?|numbers?|requests?|messages?|logs?"
    rf"|jobs?|runs?|output|policy|input|ids?|stories|story|records?|accounts?)\b|\s*-\w))(?:\s*\b{_HELPING}\b)*(?:\s*\b(?P<verb>[\w'-]+))?"
)
_AGENT = re.compile(
    r"^(?:(?:the|an?|our|my|der|ein|el|un|l'|le)\s*)*(?:(?:\w+)\s+)?(?:agents?|models?|assistants?|bots?|it|ai|llms?|agente|agenten"
    r"|modelo|modell|assistent|assistant|il|elle|er|es|claude|codex|copilot)\b"
)
_BY = re.compile(
    rf"\b{_ACT}\s+"
    rf"(?:by|von|por|par)\s+(?P<who>{_DET}{_KIND}{_WHO}|{_THING}|hand)\b(?!-\w)"
)


def somebody_else(sentence: str) -> tuple[str, str]:
    """Who but the agent acts in `sentence`, in its own words with what they do, "" if nobody; and what it says without that, "" where it
    says of no agent that it does anything."""
    text = numerals.fold(sentence)
    if passive := _BY.search(text):
        return passive[0], ""
    clauses = [_LEADING.sub("", part) for clause in _CLAUSE.split(text) for part in _by_subject(clause) if part.strip()]
    others = [(place, clause) for clause in clauses if (place := _OTHER.match(clause))]
    acting = [(place, clause) for place, clause in others if not re.match(_SAYS, place["verb"] or "")]
    if acting:
        rest = [clause for clause in clauses if all(clause is not one for _, one in acting)]
        return acting[0][0][0].strip(), ", ".join(rest) if any(_AGENT.match(clause) for clause in rest) else ""
    silent = not any(not _OTHER.match(clause) and len(clause.split()) > 1 for clause in clauses)
    alone = bool(others) and silent and not any(_JOINED.search(clause[place.end() :]) for place, clause in others)
    return (others[0][0][0].strip() if alone else ""), ""


def _by_subject(clause: str) -> list[str]:
    """A clause in two where another subject follows within it: "the user edits a file and the agent ..."."""
    for joint in reversed(list(_JOINED.finditer(clause))):
        follows = clause[joint.end() :]
        if _AGENT.match(follows) or ((place := _OTHER.match(follows)) and place["verb"]):
            return [clause[: joint.start()], follows]
    return [clause]
