"""A program, subcommand, option, script or target that does not exist, run as if it were known.

Not this: real programs that are only not installed, probes, guesses with a fallback, words that the context had shown, and errors of
programs further down.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from tracedance.kit import guidance, hits, testing, unknown
from tracedance.kit.needs import Row, among
from tracedance.kit.outputs import shown
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import words
from tracedance.schema import Hit, Session, ToolCall

NEEDS = Row("error_class", values=("cmd_missing", "unknown_option"), where=(among("tool_class", "shell"),))

_REAL = words(
    """
    7z ab ack aconvert adb ag airflow ansible apk apt apt-get ar arp asciinema aspell autoconf automake awk aws az base32 base64
    bash bat bats bazel bc binwalk biome black brew buf bun bundle bunx bzip2 cargo cargo-nextest cat cc checksec chromium clang
    clang-format clang-tidy cloc cmake code codex column comm composer conda convert corepack crontab curl dart dash dc deno df diff
    difft dig direnv doas docker docker-compose dot dotnet dpkg du ed elixir emacs entr env eslint exa exiftool expect expr eza fd
    fdfind ffmpeg ffprobe file find fish fmt fold foremost free fswatch fzf g++ gawk gcc gcloud gdate gdb gem gh gh-dash ghc git
    git-lfs gitleaks glab go gofmt gofumpt goimports golangci-lint gopls gox gpg gradle gradlew graphviz grep groovy gsed gtimeout
    gunzip gzip hadolint hashcat helm hexdump hg highlight host htop http hugo iconv identify ifconfig inotifywait ip ipython isort
    jar java javac jest john jp jq julia just kotlin kubectl lazygit less lldb lsb_release lscpu lsof ltrace lua luajit lualatex
    lynx magick make man markdownlint md5 md5sum mdbook meson micro minikube mise mix mocha mongosh mpv mvn mypy mysql nano nasm nc
    ncat netcat netstat nginx ninja nix nl nmap node nodejs npm nproc npx nslookup nvim nvm objdump od openssl osascript outguess
    pandoc parallel patch pbcopy pbpaste pdfinfo pdftotext perl pg_dump pgrep php phpunit pidof ping pip pip3 pipenv pipx pkg-config
    pkill playwright pm2 pnpm podman poetry powershell pr pre-commit prettier protoc ps psql pstree pwsh py pyenv pylint pyright
    pytest python python2 python3 qemu r2 radare2 rake rbenv readelf realpath redis-cli rename rg ripgrep rlwrap rsync ruby ruff
    rustc rustfmt rustup sage sass sbt scala scp screen script sed semgrep seq setfacl sha1sum sha256sum shasum shellcheck shfmt
    shuf slither snap socat sox sqlite3 ss ssh ssh-keygen stat steghide strace strings stylelint sudo svn swift swiftc swiftlint
    systemctl tac tar task tcpdump tee terraform tesseract timeout tmux top tput tree trivy trufflehog tsc tsgo tshark tsx uname
    unrar unzip uv uvx valgrind vim vite vitest volatility watch watchexec webpack wget whois wine wireshark wkhtmltopdf xclip
    xmllint xsel xsltproc xxd xz yamllint yarn yq zig zip zsh zstd zsteg
    yt-dlp youtube-dl lame mediainfo flac opus-tools oggenc gs ghostscript qpdf pdftk pdf2svg pdftoppm pdfunite rsvg-convert inkscape
    imagemagick cwebp dwebp optipng jpegoptim pngquant svgo dvisvgm latexmk pdflatex xelatex tlmgr biber bibtex typst asciidoctor mdbook
    hyperfine tokei delta lsd duf dust procs sd choose glow gum httpie xh curlie aria2c axel rclone restic borg tig lazydocker k9s kubectx
    stern kustomize skaffold tilt kind k3d argocd flux istioctl vault consul nomad packer terragrunt tofu tflint pulumi eksctl doctl flyctl
    heroku vercel netlify wrangler firebase supabase stripe ngrok cloudflared mkcert certbot psql pg_restore pg_ctl mysqldump mariadb
    mongo redis-server etcdctl kafkacat kcat nats protoc-gen-go grpcurl buf ktlint detekt checkstyle spotbugs pmd lein clj sbcl racket guile
    ocaml opam dune ghcup stack cabal hlint gleam rebar3 nim nimble crystal shards v odin raku rakudo perltidy cpanm cpan luarocks stylua
    selene r Rscript quarto gfortran octave gnuplot maxima sagemath nvcc clinfo nvidia-smi rocm-smi bpftrace perf dtrace iostat vmstat sar
    iotop iftop nethogs mtr traceroute tracepath dnsutils host nft iptables ufw firewall-cmd wg ip6tables tshark ngrep hping3 masscan nikto
    sqlmap hydra gobuster ffuf feroxbuster volatility3 yara clamscan lynis trivy grype syft cosign snyk bandit pip-audit safety semgrep
    codespell vale proselint textlint cspell aspell hunspell languagetool doxygen sphinx-build mkdocs hugo zola jekyll gatsby expect tclsh
    wish zenity dialog whiptail notify-send xdg-open pbcopy osascript say defaults launchctl sw_vers scutil diskutil hdiutil brew port
    pacman yay dnf yum zypper rpm snap flatpak emerge xbps-install nix-env nix-shell guix asdf rtx volta fnm n nodenv rvm chruby goenv
    jenv sdk conda mamba micromamba pixi rye pdm hatch tox nox twine flit cog commitizen cz semantic-release changeset lerna nx turbo rush
    parcel rollup esbuild swc babel tsup ts-node nodemon pm2 serve http-server live-server json-server wscat websocat jwt step age sops
    """
)
"""Real programs: absent here, they were not made up."""
_GNU_REFUSES = re.compile(r"unrecogni[sz]ed option ['‘`]--")
_COREUTILS = words(
    """
    awk base64 cat chmod cmp cp cut date df diff du echo egrep env expr find fold grep head id ln ls md5 mkdir mktemp mv nl od paste
    ps readlink realpath rm sed seq sh sort split stat tail tar tee timeout top touch tr uniq wc who xargs
    """
)
"""Programs whose options differ between GNU, BSD and BusyBox."""
_SEARCHES = words("grep egrep fgrep rg ag ack git")
_PROBES = re.compile(r"(?:^|[\s;&|(])(?:which|whereis|type|command -[vV]|hash)\s")
_NAMELESS = re.compile(
    r"(?i)specified command or file was not found|\bunknown (?:arguments|switch|options?)\b|bad options? specified|invalid choice, valid"
)
_SPEAKER = re.compile(r"(?m)^([a-z][\w.+-]{1,30}): [^\n]*")
_SPEAKERS = words("error fatal warning warn hint note help usage unknown invalid unrecognized flag option env make gmake npm err")
_INSTALLS = re.compile(r"\b(?:install|add|get|download|curl|wget|venv|ln -s|chmod \+x)\b")


def hallucinated_command(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """Each turn whose own words a shell or program did not know is an opportunity; it offends when nothing had shown them.

    A word that failed before in the context is not reported again: what follows was told.
    """
    failed: set[tuple[int, str]] = set()
    for turn in session.turns:
        start = session.context_start(turn.index)
        found = [(call, word) for call in turn.calls if _is_unknown(call) for word in _own_words(call)]
        fresh = [(call, word) for call, word in found if (start, word) not in failed]
        failed.update((start, word) for _, word in found)
        if fresh and hits.decides(turn):
            yield _weighed(session, fresh, str(params["scope"]))


def pattern_taken_for_option(session: Session, hit: Hit) -> bool:
    """A search for a text that begins with a dash: the agent's quoting is at fault, no option was made up."""
    word, call = str(hit.facts.get("word")), _call(session, hit)
    quoted = call is not None and re.search(rf"[\"']\s*{re.escape(word)}", call.cmd) is not None
    return quoted and str(hit.facts.get("program")) in _SEARCHES


def rewritten(session: Session, hit: Hit) -> bool:
    """Another program than the agent ran says so: a wrapper that a hook put before the command."""
    call, word = _call(session, hit), str(hit.facts.get("word"))
    if call is None:
        return False
    line = next((found for found in _SPEAKER.finditer(shown(call.result)[:4_000]) if word.lstrip("-") in found[0]), None)
    if line is None or line[1] in _SPEAKERS or line[1].endswith("sh"):
        return False
    return not any(
        line[1] in part or part in line[1] for command in parse(call.cmd) for part in (command.program, *command.words[:3]) if part
    )


def other_platform(session: Session, hit: Hit) -> bool:
    """An option of a basic tool that another platform's version of it may have: no long option that GNU's own, which has most, refuses."""
    call = _call(session, hit)
    if call is not None and str(hit.facts.get("word")).startswith("--") and _GNU_REFUSES.search(shown(call.result)[:4_000]):
        return False
    return str(hit.facts.get("program")) in _COREUTILS and hit.facts.get("kind") == "option"


def installed_here(session: Session, hit: Hit) -> bool:
    """The agent had installed or downloaded the program itself, and only the search path or the environment lacks it."""
    word = str(hit.facts.get("word"))
    earlier = (call for turn in session.turns[: hit.decision] for call in turn.calls if call.tool_class == "shell")
    return hit.facts.get("kind") == "program" and any(word in call.cmd and _INSTALLS.search(call.cmd) for call in earlier)


def worked_before(session: Session, hit: Hit) -> bool:
    """The same program had taken the same word in an earlier call."""
    word, program = str(hit.facts.get("word")), str(hit.facts.get("program"))
    for turn in session.turns[: hit.decision]:
        for call in turn.calls:
            ran = call.tool_class == "shell" and word.lstrip("-") in call.cmd and call.result is not None and call.result.status == "ok"
            if ran and any(command.program == program and _uses(command, word) for command in parse(call.cmd)):
                return True
    return False


def _is_unknown(call: ToolCall) -> bool:
    result = call.result
    return (
        call.tool_class == "shell"
        and result is not None
        and result.status == "error"
        and result.error_class in ("cmd_missing", "unknown_option")
    )


def _own_words(call: ToolCall) -> list[str]:
    """Words that were not known and stand in the call's own commands; those of probes and of guesses with a fallback are left out.

    A program that a wrapper refuses (`rtk bun test`, as hooks rewrite it) is no unknown word of the program's.
    """
    text, ran = shown(call.result), parse(call.cmd)
    programs = [word for word in unknown.programs(text) if any(_uses(command, word) for command in ran)]
    named = [word for word in unknown.words(text) if any(_uses(command, word) and command.program != word for command in ran)]
    if not programs and not named and not testing.shows_run(text) and _NAMELESS.search(text[:2_000]):
        named = [arg for command in ran[-1:] for arg in command.args if re.fullmatch(r"-*[A-Za-z][\w:-]*", arg)][:1]
    return [word for word in dict.fromkeys([*programs, *named]) if not _is_probe(call.cmd, word)]


def _is_probe(text: str, word: str) -> bool:
    guarded = re.search(rf"{re.escape(word)}\b[^\n;]{{0,300}}(?:\|\||2>\s*/dev/null)", text) is not None
    return (
        guarded
        or _PROBES.search(text) is not None
        or any(guidance.asks_for_help(command) for command in parse(text) if _uses(command, word))
    )


def _uses(command: SimpleCommand, word: str) -> bool:
    bare = word.lstrip("-")
    if command.program == word or (command.words and command.words[0] == word):
        return True
    for arg in command.args:
        if arg == word or arg.split("=", 1)[0].lstrip("-") == bare or bare in arg.split(","):
            return True
        if len(bare) == 1 and re.fullmatch(r"-[A-Za-z]+", arg) and bare in arg:
            return True
    return False


def _weighed(session: Session, found: Sequence[tuple[ToolCall, str]], scope: str) -> Hit:
    unseen = [(call, word) for call, word in found if not _was_shown(session, call, word)]
    invented = [(call, word) for call, word in unseen if scope != "nonexistent" or not _is_real(call, word)]
    call, word = (invented or list(found))[0]
    program = _command(call, word).program
    kind = "program" if program == word else "option" if word.startswith("-") or len(word) == 1 else "word"
    return hits.hit(
        decision=call.turn,
        offends=bool(invented),
        why=f"runs {program!r} with {word!r}, which it does not know and which nothing had shown"
        if invented
        else f"{word!r} was not known, but it had been shown or is a real program",
        facts={"call": call.id, "word": word, "program": program, "kind": kind},
    )


def _is_real(call: ToolCall, word: str) -> bool:
    return word in _REAL and word in unknown.programs(shown(call.result))


def _was_shown(session: Session, call: ToolCall, word: str) -> bool:
    """Whether the word stood in what the model was shown before: people's and the harness's texts, results, system prompt, tools."""
    is_shown = _finder(_command(call, word), word)
    texts = [session.system or "", *(tool.description for tool in session.tools or ())]
    if any(is_shown(text) for text in texts):
        return True
    earlier = session.turns[: call.turn]
    return any((turn.role == "user" and is_shown(turn.text)) or any(is_shown(shown(result)) for result in turn.results) for turn in earlier)


def _finder(command: SimpleCommand, word: str) -> Callable[[str], bool]:
    """Whether a text shows the word: an option in a help page's list, or on one line with the subcommand that it was given to."""
    exact = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    if re.fullmatch(r"[a-z]{2,}", word) and word != command.program:
        # A plain word is shown as a subcommand only beside its program, in a list, or quoted: prose holds it anyway.
        program = re.escape(command.program)
        beside = re.compile(rf"(?m)\b{program}\b[^\n]{{0,40}}\s{word}\b|^\s*[\"'`]?{word}[\"'`]?\s*(?::|=|  |$)|[`\"']{word}[`\"']")
        return lambda text: word in text and beside.search(text) is not None
    if not word.startswith("-") and len(word) > 1:
        return lambda text: word in text and exact.search(text) is not None
    option = word if word.startswith("-") else f"-{word}"
    bare = [arg for arg in takewhile(lambda arg: not arg.startswith("-"), command.args) if re.fullmatch(r"[\w:-]+", arg)]
    name = bare[-1] if bare else command.program
    listed = re.compile(rf"(?m)^\s+(?:-\w, )?{re.escape(option)}\b|\b{re.escape(name)}\b[^\n]*\s{re.escape(option)}(?![\w-])")
    return lambda text: option in text and listed.search(text) is not None


def _command(call: ToolCall, word: str) -> SimpleCommand:
    return next((command for command in parse(call.cmd) if _uses(command, word)), SimpleCommand(()))


def _call(session: Session, hit: Hit) -> ToolCall | None:
    return next((call for call in session.turns[hit.decision].calls if call.id == hit.facts.get("call")), None)
