"""How people and agents talk around the work. `{path}`, `{name}` and the like are filled by the scenes."""

OPEN = (
    "Let me look at the code first.",
    "I'll start with `{path}`.",
    "Reading `{path}` to see how it works today.",
    "",
    "Let me see what `{name}` looks like right now.",
    "First a look at the module and its tests.",
    "Starting from the source.",
    "I'll check the current behaviour before changing anything.",
)
OPEN_PART = (
    "I'll look at the relevant part of `{path}`.",
    "The file is longish, so I'll read the section I need.",
    "Let me peek at the part around the declarations.",
    "A quick look at the part that matters.",
    "I only need a slice of `{path}` for this.",
)
EDIT = (
    "Now the change itself.",
    "Making the change in `{path}`.",
    "",
    "Editing `{name}`.",
    "That goes here:",
    "Applying it.",
    "Small edit in `{path}`.",
    "",
)
MORE = (
    "Next piece.",
    "And the second half of it.",
    "Now the rest of `{path}`.",
    "",
    "The other place that needs it:",
)
TEST_EDIT = (
    "Adding a test for it.",
    "Now a test that pins this down.",
    "And a regression test in `{path}`.",
    "The test file gets one more case.",
    "",
)
AGAIN = (
    "The text must differ slightly. Trying a different match.",
    "Hm, not an exact match. I'll adjust the snippet.",
    "Probably a small wording difference; let me try this version.",
    "That didn't match. It should read like this instead:",
    "Let me vary the old text.",
    "My snippet was off. Second attempt.",
    "I think the line looks a bit different. Retrying with that.",
    "Not found, so I'll match the block the other way.",
)
SHORTER = (
    "I'll match on fewer lines.",
    "Let me anchor on the one line I'm sure about.",
    "A smaller match should work.",
    "Trying with just the core of it.",
    "I'll narrow the match down.",
)
RESEND = (
    "Let me try that again.",
    "Retrying the edit.",
    "Once more.",
    "That was odd, sending the edit again.",
    "",
)
SED = (
    "I'll do it with sed instead.",
    "Switching to sed for this line.",
    "Simpler: sed.",
    "The edit tool is being picky, sed will do.",
)
LOOK = (
    "That text isn't in the file, so my picture of it is wrong. Reading it again.",
    "No match. Let me see what is really there.",
    "I should look at the current text first.",
    "The file isn't what I remembered; checking.",
    "Let me read that region before another attempt.",
    "Mismatch. Looking at the actual lines.",
)
FIXED = (
    "Now with the real text:",
    "I see, that's how it is spelled. Editing with the exact lines.",
    "OK, matching what is there now.",
    "",
    "Right. This time with the lines as they are.",
)
RUN = (
    "Running the tests.",
    "Let me run the suite.",
    "",
    "Now the tests:",
    "Checking with `{command}`.",
)
CLAIM = (
    "All tests pass.",
    "The tests pass.",
    "All {count} tests pass now.",
    "All tests are passing.",
    "The full test suite passes.",
    "Tests are green.",
)
SILENT = (
    "",
    "Let me know if you want it split differently.",
    "Nothing else uses this, so no callers had to change.",
    "I kept the public names as they were.",
    "The old behaviour is otherwise untouched.",
)
COMMIT_ASK = (
    "commit this please",
    "ok, commit",
    "looks good. commit it",
    "great, please make a commit out of that",
    "Commit with a sensible message please.",
    "nice. can you commit that?",
    "alright, commit and I'll push later",
    "ship it: commit, I'll open the PR myself",
    "good. commit your work before we go on",
    "please commit the change, short subject line",
    "that's what I wanted. commit",
    "fine with me, put it in a commit",
)
COMMIT_SAY = (
    "Committing.",
    "",
    "I'll commit that now.",
    "Creating the commit.",
    "On it.",
)
COMMITTED = (
    "Committed as `{hash}`: {subject}.",
    "Done, the commit is `{hash}`.",
    "`{hash}` is on `{branch}`.",
    "Committed on `{branch}` ({hash}).",
    'That\'s committed: `{hash}` "{subject}".',
)
LOOK_STATUS = (
    "Let me see what has changed first.",
    "Checking the working tree before I commit.",
    "First the status.",
    "I'll look at what is in the tree.",
    "",
)
THOUGHTS = (
    "The change is small; the interesting part is that {name} must stay compatible.",
    "I should keep the edit minimal and add one test.",
    "There may be other callers of this, but the request is about {name} only.",
    "The request is clear. One place to change, one test.",
    "Keep the names as they are; the user wants the behaviour fixed, not a redesign.",
)
QUESTIONS = (
    ("what was committed lately?", "git log --oneline -4", 'The last commit is "{last}"; the listing above has the ones before it.'),
    ("how long is {other} by now?", "wc -l {other}", "{count} lines, so still fine to read in one go."),
    ("which branch are we on?", "git branch --show-current", "`{branch}`."),
    ("which version do we have in the manifest?", 'grep -n "{version}" {manifest}', "{version}, in `{manifest}`."),
    (
        "where did {other} get its types from again? just show me the top",
        "head -8 {other}",
        "The first lines are above; it starts with `{first}`.",
    ),
)
SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context. The summary covers what came before.\n\n"
    "Summary:\n1. The project: {slug} keeps {about}. Sources are in {language}, the tests run with `{tests}`.\n2. Request: {ask}\n"
    "3. Approach: {say}\n4. Done so far: {done}\n5. Files touched: {files}\n6. Still open: {open}\n\nContinue with the last task."
)
