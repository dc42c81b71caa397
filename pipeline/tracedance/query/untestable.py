"""Sentences about no family for which nothing could be built, told by what they say."""

import re

from tracedance.schema.request import Reason

UNTESTABLE: tuple[tuple[Reason, re.Pattern[str]], ...] = (
    (
        "not_observable",
        re.compile(
            r"\b(?:secretly|pretend\w* not to|deliberately|on purpose|intentionally|consciously|intended "
            r"to|intends to|wanted to|really (?:thinks?|thought|believed?|knew)|"
            r"did (?:the )?(?:model|agent|assistant|it) (?:really )?(?:believe|know|think|want|feel|intend|mean)|"
            r"(?:model|agent|it) (?:knew|believed|felt|wanted|thought|realised"
            r"|realized)|hidden (?:motive|agenda|goal)s?|sandbag\w*|absichtlich|"
            r"heimlich|a propósito|exprès|inner (?:state|reasoning|life)|(?:is|was|were|are|feels?|felt|being|seems?"
            r"|gets?|got) (?:\w+ )?(?:unsure|uncertain|"
            r"bored|lazy|afraid|anxious|confident|annoyed|tired|curious|confused|frustrated)|(?:thinks?|thinking"
            r"|believes?|thoughts?|feelings?|motives?|motivations?|"
            r"intentions?|emotions?|consciousness|gelangweilt|denkt|glaubt|piensa|pense)|malicious intent|bad faith|in its (?:head|mind)|"
            r"without (?:really )?understanding|doesn't (?:really )?care|does not (?:really )?care)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "outcome_correctness",
        re.compile(
            r"\b(?:factually|objectively) (?:right|wrong|true|false|correct|incorrect)\b"
            r"|\b(?:final|resulting|finished) (?:\w+ )?(?:is|was|were|are|turned "
            r"out) (?:\w+ )?(?:wrong|right|correct|incorrect|broken|buggy)\b"
            r"|\b(?:answer|solution|patch|result|calculation|diagnosis|advice|"
            r"translation|forecast)s?\b.{0,60}\b(?:is|was|were|are|be|turn(?:s|ed) "
            r"out)(?: \w+)? (?:wrong|right|correct|incorrect|accurate|inaccurate|false|"
            r"true)\b|\b(?:wrong|incorrect|correct) (?:answers?|solutions?|patch(?:es)?"
            r"|final \w+|results?|calculations?)\b|(?:come|comes|came|turn|turns|turned) out "
            r"(?:\w+ )?(?:right|wrong|correct|incorrect|true|false)\b|\bactually (?:works?|solved|"
            r"correct|fixed the bug|fix(?:es)? the (?:bug|issue|problem))\b|\bpass(?:es)? (?:the )?hidden tests\b"
            r"|\b(?:patch|fix|solution|change|code|implementation|answer)(?:es|s)? (?:that )?(?:does|do|did)(?: not|n't) (?:\w+ )?"
            r"(?:fix|solve|work|compile|address|resolve|answer|help)\b|\b(?:gets?|got) (?:the |its )?(?:\w+ )?(?:answer"
            r"|result|numbers?|facts?|maths?)"
            r" (?:right|wrong)\b|\b(?:introduc\w+|caus\w+|contain\w*|has|have) (?:a |new )?(?:bugs?|regressions?|vulnerabilit\w+)\b"
            r"|\bhow (?:good|accurate|correct) (?:is|are|was|were)\b|\b(?:solved?|solves) the (?:task|problem|issue)\b|\bground truth\b"
            r"|\b(?:ist|war|sind|waren) (?:\w+ )?(?:falsch|korrekt|fehlerhaft)\b|\b(?:es|era|est"
            r"|était) (?:\w+ )?(?:incorrect[ao]e?|fausse?|erróne[ao])\b",
            re.IGNORECASE,
        ),
    ),
    (
        "per_session_review",
        re.compile(
            r"\b(?:overall|in general|on the whole|throughout|over the whole (?:session"
            r"|conversation)|gradually|slowly|more and more|insgesamt|en général)\b|"
            r"\b(?:less and less|tone|polite\w*|style|elegan\w+|readab\w+|quality|architecture"
            r"|design|helpful\w*|creativ\w+|user experience|condescend\w+|rude\w*|"
            r"friendl\w+|boring|verbos\w+)\b|"
            r"\b(?:each|every|all)(?: (?:one )?of)?(?: (?:my|our|the|these|those))?(?: \w+)? (?:sessions?"
            r"|conversations?|runs|traces?|transcripts?|chats?)\b|"
            r"\b(?:jede|alle)\w* (?:\w+ )?(?:sitzung|gespräch)\w*|\b(?:cada|todas las) (?:sesi|conversaci)\w+"
            r"|\bchaque (?:session|conversation)\b|"
            r"\bwhat (?:went|goes) wrong\b|\b(?:whole|entire) (?:session|conversation|run|transcript)\b|"
            r"\b(?:best|worst|good|bad|most (?:interesting|productive)) (?:sessions?|conversations?|runs)\b|\broot cause analys\w+",
            re.IGNORECASE,
        ),
    ),
)
