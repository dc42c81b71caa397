"""Nothing sensitive is stored or let out: `rules` say what is looked for, `views` where, `redactor` what takes its place."""
