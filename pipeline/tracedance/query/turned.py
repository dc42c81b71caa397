"""Words that turn a behaviour round or cut something out of it: `but not`, `except`, `unless`, `correctly`, `although it had read it`.

Rules cannot build what such words ask for. What they say is quoted in a question back, never passed over.
"""

import re

from tracedance.query import numerals, sizes
from tracedance.query.concepts import concepts, is_known, is_light

_DONE = r"(?:\w+ed|read|run|sent|done|made|shown|seen|told|given|\w+ing|even|once|ever|yet|everything|all|a single|one)\b"
_LATELY = r"(?:after|since|before|until|by|for the|at all|in the end)\b"
_EXCLUDING = re.compile(
    r"\b(?:exclud\w+|except(?:ing|ed)?\b(?! that)|with the exception|exceptions?:|other than|apart from|aside from"
    r"|leav(?:e|es|ing) out (?:those"
    r"|cases|the|any|sessions)|not counting|not including|without counting|save for|unless|anything but|ignoring (?:those|cases|the ones"
    r"|sessions)|disregarding|barring|minus the|discounting|omit(?:ting)? (?:those|cases|sessions|anything)|skip(?:ping)? (?:those|cases"
    r"|anything)|none of (?:them|which|the)|no matter|as long as|provided (?:that|the)|solely|exclusively"
    rf"|(?:but|and|just) not (?:if |when |where |the ones |those |in |on |for |with |by |to |about |of )|but not (?!{_LATELY}|{_DONE})\w"
    rf"|(?<=, )not (?!{_LATELY}|{_DONE})\w|(?:do|does|should|must) not (?:count|include|want|need)|don't (?:count|include|want|need)"
    r"|auss?er\b(?! kraft)|aussgenommen|ausgenommen|abgesehen von|es sei denn|ausser wenn|aber (?:nicht"
    r"|kein\w*) (?![^,.;]*\b(?:lassen|hat|haben|wurde|war|(?:\w*)ge\w+(?:t|en)|\w+iert)\b)|nicht aber|sofern nicht|wenn nicht"
    r"|sauf|hormis|hors (?:de )?(?:celles|ceux)|a l'exception|excepte|mais pas|a moins que|si ce n'est"
    r"|excepto|salvo|menos los|menos las|a excepcion|aparte de|pero no|a menos que|sino que)"
)
_RIGHTLY = re.compile(
    r"\b(?:correctly|properly|rightly|duly|dutifully|honestly|responsibly|carefully|safely|faithfully|truthfully"
    r"|diligently|as (?:it|they) should|well[- ]behaved"
    r"|exemplary|good behaviou?r|the right way|korrekt\w*|richtig|ordentlich\w*|vorbildlich\w*|ehrlich|gewissenhaft|brav"
    r"|correctement|honnetement|comme il faut|correctamente|adecuadamente|honestamente|debidamente)\b"
)
_EXCESS = re.compile(
    r"\b(?:too (?:often|much|many|careful\w*|cautious\w*|eager\w*|long|short|slow\w*|fast|cautious)|far too"
    r"|unnecessar\w+|needless\w*|excessive\w*|over-?cautious|overly|more often than needed"
    r"|more than necessary|pointless\w*|harmless|zu oft|zu haufig|unnotig\w*|ubertrieben\w*|demasiad\w+|innecesari\w+"
    r"|trop (?:souvent|de fois)|inutile\w*)\b"
)
_DID = r"(?:read|run|tested|asked|checked|looked|verified|reviewed|confirmed|inspected|opened|fetched|consulted|executed)"
_HAD_DONE = re.compile(
    rf"\b(?:although|though|even though|despite|while|where|and|but|after|once)\b[^,.;]{{0,25}}\b(?:it |the agent "
    rf"|the model |they )?(?:had|has|have) (?:\w+ly |already |just |first |once )*{_DID}\b"
    rf"|\b(?:despite|after) (?:having )?(?:reading|running|asking|checking|looking|verifying|reviewing|inspecting|testing|fetching)\b"
    r"|\b(?:obwohl|nachdem)\b[^,.;]{0,40}\b(?:gelesen|ausgefuhrt|gefragt|gepruft|getestet|angesehen)\s+hat(?:te)?\b"
    r"|\b(?:alors qu'|bien qu'|apres avoir|aunque|despues de haber)[^,.;]{0,20}\b(?:avait|avoir|habia"
    r"|haya)\b[^,.;]{0,10}\b(?:lu|teste|execute|verifie|leido|ejecutado|comprobado)\b"
)
_TWICE_DENIED = re.compile(
    r"\b(?:never|(?:does|do|did|should|must|will|would) not|n't|nie|niemals|nunca|jamais)\s+(?:\w+\s+){1,5}?(?:without"
    r"|ohne|sin|sans|unless|before (?:it|they))\b(?! (?:any|a single) )"
    r"|\b(?:prevent\w*|avert\w*|thwart\w*|no longer|stops? (?:to )?|stopped|avoids?|refus\w+ to|declin\w+ to"
    r"|hesitat\w+ to|weigert sich|verweigert"
    r"|se niega a|refuse de)\b"
)
_WHO = r"(?:the |a |its |our )?(?:user|customer|person|client|human|owner|people|nutzer|kunde|usuario|cliente|utilisateur|client)"
_AGREED = (
    r"(?:asked|told|ordered|wanted|said (?:yes|so)|approved|confirmed|agreed|requested|allowed|permitted|authori[sz]ed|instructed|dictated)"
)
_MILDER = re.compile(
    r"\b(?:plans?|planned|intends?|offers?|offered|promises?|promised|proposes?|threatens?|considers?|hopes?|plant"
    r"|verspricht) (?:to|deleting|pushing|zu)\b"
    r"|\bclaims? to have\b[^.;]{0,40}\bbut\b"
    r"|\b(?:and|but|then) (?:the agent |the model |it |then |immediately |promptly )*(?:fixes|corrects|repairs|recovers"
    r"|adapts|reverts|undoes|apologi[sz]es|stops)\b"
    r"|\breads? (?:only|just|half|part|parts|the wrong|some)\b|\bonly (?:partly|partially|half|skims?|skimm\w+)\b"
    r"|\b(?:partly|partially|almost|nearly|barely|hardly)\b"
)
"""Less than the behaviour: an intention, a part, or what was put right at once."""
_ALLOWED = re.compile(
    rf"\b(?:because|since|as|after|once|if) {_WHO} (?:had |has |have |explicitly |already )*{_AGREED}\b(?!(?: \w+){{0,4}} not\b)"
    r"|\b(?:being told (?:that )?(?:it|they) (?:may|can|could|should)|as (?:told|asked|ordered|instructed|requested|agreed))\b"
    rf"|\b(?:that|which) (?:were|was|are|is|had been|have been|has been) (?:\w+ly )?{_AGREED}\b"
    r"|(?<!without )(?<!no )\bwith (?:the |explicit )*(?:(?:user|customer)(?:'s)? )?(?:permission|approval|consent|blessing)\b"
    r"|\b(?:after|having) (?:having )?(?:trying|tried|exhausting|exhausted) (?:everything|all|several|many|every)\b"
    r"|^\W*(?:confirmed|approved|authori[sz]ed|requested|permitted|legitimate|allowed)\b"
)
"""Signs that what was done had been allowed, so that it is no offence."""
_OTHERS = re.compile(
    r"^\W*(?:the |a |an |our |some )?(?:users?|customers?|persons?|people|humans?|developers?|colleagues?|tools?"
    r"|reviewers?|attackers?|scripts?|hooks?|nutzer"
    r"|kunden?|usuarios?|clientes?|utilisateurs?) (?!agents?\b|calls?\b|call\b)(?:\w+ly )?\w+(?:s|ed|t|en)?\b"
)
_AGENT = re.compile(r"\b(?:agents?|models?|assistants?|bots?|it|ai|llms?|agente|agenten|modelo|modell|assistent|il|elle|er)\b(?= \w)")
_BY_OTHERS = re.compile(rf"\b(?:by|von|por|par) (?:{_WHO}s?|users|customers|people|hand|somebody else|someone else|others)\b")
_LIMITING = re.compile(
    r"(?<!['’])\b(?:on|by|with|within|during|in|at(?! least| most)|from|for|per|under|inside|using|via|against|among|about"
    r"|that (?:is|was|were|are)|which (?:is|was|were|are)|whose|longer"
    r" than|shorter than|because|weil|porque|followed|mit|bei|auf|an|fur|durch|wegen|innerhalb|im|am|beim|con|en|por"
    r"|para|avec|dans|par|pour|chez)\s+(?P<what>(?:[\w'-]+\s*){1,4})"
)
_ONLY = re.compile(
    r"(?:[\w-]+ ){0,3}\b(?:only|nur|solo|solamente|seulement|uniquement)\b(?! (?:once|after|then|to|because))(?: [\w-]+){0,4}"
)
_NO_LIMIT = re.compile(
    r"\b(?:https?|http|exit(?: code)?|status|code|error|errno|rc)\s*[=:]?\s*\d+|\b[1-5]\d\d\b(?=\s*(?:error|s\b|response|denial|$|[,.;)]))"
)
"""Numbers that name an error, not an amount."""
_QUESTION = re.compile(r"^\W*(?:how|do|does|did|can|could|is|are|will|would|whether|check|test|make sure|verify|i want|it should)\b|\?\s*$")


def round_or_out(sentence: str) -> list[str]:
    """What of `sentence` turns its behaviour round or cuts something out of it, in its own words."""
    text = numerals.fold(sentence)
    asks = _QUESTION.search(text) is not None
    rules = (_EXCLUDING, _EXCESS, _HAD_DONE, _MILDER, _ALLOWED, _BY_OTHERS, *(() if asks else (_TWICE_DENIED,)))
    found = [_with_what_follows(text, place) for rule in rules for place in rule.finditer(text)]
    if not asks:
        found += [place[0] for place in _RIGHTLY.finditer(text) if not _denied(text[: place.start()])]
    if (other := _OTHERS.search(text)) and not _AGENT.search(text):
        found.append(other[0].strip())
    return list(dict.fromkeys(found))


def limits_unread(behaviour: str, vocabulary: frozenset[str]) -> list[str]:
    """Limits in the words of a behaviour (`on Fridays`, `with sed`, `, TypeScript projects`) that say what no word list and no wording
    of the families asked for, whose concepts are `vocabulary`, knows."""
    text = re.sub(r"[,;:.!?()]+", " | ", numerals.fold(behaviour))
    said = concepts(behaviour) - vocabulary
    found = [place[0].strip() for place in _LIMITING.finditer(text) if any(not is_known(name) for name in concepts(place["what"]) & said)]
    clauses = [(clause.strip(), concepts(clause)) for clause in text.split("|") if clause.strip()]
    return found + [
        clause
        for clause, names in clauses
        if len(clauses) > 1 and names & said and all(is_light(name) or not is_known(name) for name in names)
    ]


def kinds_unread(behaviour: str) -> list[str]:
    """What "only" limits a behaviour to."""
    return [" ".join(place[0].split()) for place in _ONLY.finditer(numerals.fold(behaviour))]


def numbers_unread(behaviour: str, said: tuple[str, ...]) -> list[str]:
    """Numbers in the words of a behaviour that neither a size nor a parameter (`said`, its words) has taken up."""
    taken = [number for words in said for number in sizes.numbers_in(words)]
    return [number for number in sizes.numbers_in(_NO_LIMIT.sub(" ", numerals.fold(behaviour))) if number not in taken]


def _with_what_follows(text: str, place: re.Match[str]) -> str:
    """The words found and up to six that follow in their clause."""
    clause = re.split(r"[,.;:!?]", text[place.end() :])[0].split()
    return " ".join([text[place.start() : place.end()].strip(" ,"), *clause[:6]])


def _denied(before: str) -> bool:
    """Whether the clause that ends here denies what comes next: "does not properly check"."""
    return (
        re.search(
            r"(?:\bnot|n't|\bnever|\bwithout|\binstead of|\brather than|\bnicht|\bohne|\bsin|\bno|\bsans|\bpas)(?:\s+\w+){0,4}\s*$", before
        )
        is not None
    )
