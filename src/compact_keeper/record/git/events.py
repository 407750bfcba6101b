"""What a command line was seen to do with git or a forge: each commit, push, branch, merge, pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from compact_keeper.record.commands.shell import folder_from, pieces_of
from compact_keeper.record.endings import endings_of, has_ended_well, where_pushed
from compact_keeper.record.git.parsed_calls import git_calls, without_options
from compact_keeper.text.holding import holds_any
from compact_keeper.text.paths import whole_path, with_home
from compact_keeper.types import Ending, GitCall, GitEvent, Item, Push

HISTORY = ("merge", "rebase", "cherry-pick", "revert", "reset", "pull", "am")  # they change what HEAD names
MOVING = ("checkout", "switch", "worktree")  # after these the next commit may be another branch's
GIT_OR_FORGE = r"\b(?:git|gh|glab)\b"
PULL_REQUEST = r"https://[\w.-]{1,100}/[\w./-]{1,200}/(?:pull|pulls|-/merge_requests|pull-requests)/\d{1,9}"
COMMITTING = ("commit", "merge", "revert", "cherry-pick", "rebase", "am", "pull")
WARNING = r"(?:^|⏎ )[Ww]arning: ([^⏎]{3,120})"
OUTSIDE = ("/tmp", "/private/tmp", "/var/folders/")  # noqa: S108 - paths of others: there lies nobody's work
OTHER_MACHINE = r"https?://|ssh://|git@|[\w.-]+@[\w.-]+:"  # as the address of a push begins
BRANCHING_OPTIONS = {"checkout": ("-b", "-B"), "switch": ("-c", "-C", "--create"), "worktree": ("-b", "-B")}
PUSHING_NOTHING = frozenset(("-n", "--dry-run", "-d", "--delete"))
TAGGING_NOTHING = frozenset(
    ("-l", "--list", "-d", "--delete", "-v", "--verify", "--contains", "--points-at", "--merged"))
OPENING_REQUEST = r"\b(?:gh pr|glab mr) create\b"
FORGES_ABOUT_REQUESTS = ("gh pr", "glab mr")
ENDING_REQUEST = (r"(?:gh pr|glab mr) (?P<verb>merge|close|reopen) (?:-\S+ )*"
                  r"(?P<request>\d{1,9}|[\"']?https://\S{1,300})(?=\s|$)")
ENDS_OF_REQUEST = {"merge": "merged", "close": "closed", "reopen": ""}
OF_ANOTHER_MOMENT_OR_REPOSITORY = r"\s(?:--auto|--disable-auto|--when-pipeline-succeeds|--auto-merge|--repo|-R)\b"
ASKING_FOR_REQUEST = r"\b(?:gh pr|glab mr) (?:view|list|status|checks)\b"
REQUESTS_SEEN_MAX = 2
OPTIONS_OF_INIT = r"(?<!\S)(?:-q|--quiet|(?:-b|--initial-branch)[ =][\w./-]{1,100})(?!\S)"
OTHER_COMMIT = r"HEAD[~^@]|[0-9a-f]{7,40}$|\w+/"  # as a reset names it


def git_events(actions: Sequence[Item], root: str = "") -> list[GitEvent]:
    """All that was seen, the oldest first, nothing marked yet; `root`: the session's, where it is known."""
    endings = [ending for ending in endings_of(actions) if re.search(GIT_OR_FORGE, ending["text"])]
    published = published_outside(endings)
    return [event for ending in endings for event in git_events_of(ending, published, root)]


def published_outside(endings: Iterable[Ending]) -> Set[str]:
    """The folders outside of people's own whose commits went to another machine: work, and nothing made to try."""
    return {call["folder"] for ending in endings
            if "pushed" in ending and re.match(OTHER_MACHINE, ending["pushed"]["to"])
            for call in git_calls(ending["text"]) if call["folder"].startswith(OUTSIDE)}


def git_events_of(ending: Ending, published: Set[str], root: str) -> list[GitEvent]:
    """What a command line did, in the order of its parts; `published` are the folders outside that count."""
    ran_in = ending.get("folder", "")
    calls = git_calls(ending["text"], ran_in)
    gone_to = {call["folder"] for call in git_calls(ending["text"])} - published
    is_trial = not root.startswith(OUTSIDE) and any(folder.startswith(OUTSIDE) for folder in gone_to)
    if is_trial or any(makes_repository_elsewhere(call, ran_in, root) for call in calls):
        return []  # another repository, made to try something
    events: list[GitEvent] = []
    commits = commits_of(ending)
    for call in calls:
        at: GitEvent = {"text": " ".join(["git", call["verb"], *call["arguments"]]), "last": ending["last"],
                        "position": ending["position"], "verb": call["verb"], "folder": call["folder"]}
        if call["verb"] in COMMITTING:  # all that the line made: which of its calls made which is not told
            amends = "--amend" in call["arguments"]
            events += [{**at, **commit, "what": "commit", "pushed": "", "replaced": False, "amends": amends}
                       for commit in commits]
            commits = []
        event = event_of_call(call, at, ending)
        if event:
            events.append(event)
    request = pull_request_made(ending)
    return [*events, request] if request else events


def event_of_call(call: GitCall, at: GitEvent, ending: Ending) -> GitEvent | None:
    """What the call did besides committing; None: nothing that is told."""
    if call["verb"] == "push":
        return push_event(call, at, ending)
    if call["verb"] in (*HISTORY, "stash"):
        return history_event(call, at, ending)
    if call["verb"] == "tag" and has_ended_well(ending) and makes_tag(call):
        return {**at, "what": "tag"}
    if call["verb"] in MOVING and has_ended_well(ending):
        branch = branch_made(call)
        if branch or moves_head(call):
            return {**at, "what": "branch" if branch else "moved", "branch": branch}
    return None


def push_event(call: GitCall, at: GitEvent, ending: Ending) -> GitEvent | None:
    """The push that a call was; None where nothing went out."""
    if ending["verdict"] == "not run" or PUSHING_NOTHING & {*call["arguments"]}:
        return None
    nothing: Push = {"to": "", "refs": [], "commits": ""}
    pushed = ending.get("pushed", nothing)
    is_seen = bool(pushed["to"]) or "push" in ending.get("nothing_to", ())
    if not is_seen and ending["verdict"] == "failed":
        return None
    return {**at, "what": "push", "to": where_pushed(pushed), "refs": pushed["refs"],
            "certain": is_seen or has_ended_well(ending), "remark": ending.get("remark", "")}


def history_event(call: GitCall, at: GitEvent, ending: Ending) -> GitEvent | None:
    """The merge, rebase, reset, stash or the like that a call was; None where it changed nothing."""
    waits = bool(ending.get("begun"))
    is_done = has_ended_well(ending) or waits
    if not is_done or not changes_history(call) or "pull" in ending.get("nothing_to", ()):
        return None
    what = "stash" if call["verb"] == "stash" else "history"
    return {**at, "what": what, "waits": waits, "files": ending.get("conflicts", [])}


def pull_request_made(ending: Ending) -> GitEvent | None:
    """The pull request that the line opened; None: none."""
    if not has_ended_well(ending) or not re.search(OPENING_REQUEST, ending["text"]):
        return None
    result = str(ending.get("result") or "")
    address = re.search(PULL_REQUEST, result)
    if not address:
        return None
    warned = re.search(WARNING, result)
    return {"what": "pull request", "text": address[0], "last": ending["last"], "position": ending["position"],
            "remark": warned[1].strip() if warned else ""}


def request_ended(ending: Ending) -> tuple[str, str]:
    """The pull request, by number or address, that the line merged, closed or opened again, and what it did to it.

    Empty where none is certain: with `;` or a pipe behind it the line may have ended well though this did not.
    """
    if not has_ended_well(ending) or not holds_any(ending["text"], FORGES_ABOUT_REQUESTS):
        return "", ""
    pieces = pieces_of(ending["text"])
    for index, (piece, before) in enumerate(zip(pieces, [("", ""), *pieces])):
        match = re.match(ENDING_REQUEST, piece[0])
        is_certain = before[1] != "||" and all(sign in ("&&", "") for _, sign in pieces[index:])
        if match and is_certain and not re.search(OF_ANOTHER_MOMENT_OR_REPOSITORY, piece[0]):
            return match["request"].strip("\"'"), ENDS_OF_REQUEST[match["verb"]]
    return "", ""


def pull_requests_seen(looks: Sequence[Item], events: Sequence[GitEvent]) -> dict[str, Item]:
    """The addresses of pull requests that a command asked for and showed alone, the newest first, each with its look.

    None that the session opened. An agent that goes on has the branch from git, its request's number from nowhere.
    """
    opened = {event["text"] for event in events if event["what"] == "pull request"}
    seen: dict[str, Item] = {}
    for look in reversed(looks):
        may_ask = holds_any(look["text"], FORGES_ABOUT_REQUESTS)
        asks = may_ask and re.search(ASKING_FOR_REQUEST, look["text"])
        addresses = {*re.findall(PULL_REQUEST, look["result"])} if asks else set[str]()
        if len(addresses) == 1 and not addresses & opened:
            seen.setdefault(addresses.pop(), look)
    return dict([*seen.items()][:REQUESTS_SEEN_MAX])


def commits_of(ending: Ending) -> list[GitEvent]:
    """Branch, hash, subject and files of the commits that the command made, the oldest first."""
    commits = [*ending.get("commits_before", ())]
    if ending.get("commit"):
        commits.append({"branch": ending.get("branch", ""), "hash": ending["commit"],
                        "subject": ending.get("subject", ""), "took_in": ending.get("took_in", "")})
    return [{"branch": commit["branch"], "hash": commit["hash"], "text": commit["subject"],
             "took_in": commit.get("took_in", "")} for commit in commits]


def changes_history(call: GitCall) -> bool:
    """Whether the call changes what HEAD names; a reset of files does not."""
    if call["verb"] != "reset" or "--hard" in call["arguments"]:
        return True
    return any("." not in word and re.match(OTHER_COMMIT, word) for word in call["arguments"])


def branch_made(call: GitCall) -> str:
    """The branch that a checkout, switch or new worktree makes; empty: none."""
    options = BRANCHING_OPTIONS[call["verb"]]
    for word, following in zip(call["arguments"], call["arguments"][1:]):
        if word in options:
            return following
    return ""


def makes_repository_elsewhere(call: GitCall, ran_in: str, root: str) -> bool:
    """Whether the call makes a repository in another folder than the one where the line ran, and than the root.

    The first commit of a project had stood beside "no commit in this session's commands".
    """
    if call["verb"] != "init":
        return False
    names = re.sub(OPTIONS_OF_INIT, "", " ".join(call["arguments"])).split()
    goal, *own = [whole_path(with_home(folder, root), root) for folder in (
        folder_from(call["folder"], "".join(names).strip("\"'")), ran_in, root)]
    return len(names) > 1 or goal not in own


def makes_tag(call: GitCall) -> bool:
    """Whether the call makes a tag; without a name, or with an option that lists or deletes, it does not."""
    return bool(without_options(call["arguments"])) and not TAGGING_NOTHING & {*call["arguments"]}


def moves_head(call: GitCall) -> bool:
    """Whether the call may go to another commit; a checkout of files, and a new worktree, does not."""
    return call["verb"] in ("checkout", "switch") and "--" not in call["arguments"]
