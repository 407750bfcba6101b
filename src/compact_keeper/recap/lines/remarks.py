"""What the agent remarked between its calls: the sentences of its words that neither the summary nor the text has.

They say why something was tried, what an output meant, what was left alone. A third of what stood behind the answers to
592 questions on 82 compactions was such words, and more than half of these stood nowhere in the text; per character
they held five times as much of the answers as further commands.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from compact_keeper.client.tools import CHANGING_TOOLS
from compact_keeper.recap.lines.edits import PROSE
from compact_keeper.recap.lines.rejections import rejected_in_short
from compact_keeper.recap.lines.said_sentences import sentences_of
from compact_keeper.recap.lines.statements import YOU_ARE_RIGHT
from compact_keeper.recap.lines.turns import Turns
from compact_keeper.recap.lines.typed_words import is_mere_assent
from compact_keeper.recap.wording.phrases import NEXT_SHOWN_UTF16, edited_since, typed_next
from compact_keeper.record.commands.looking import is_looking
from compact_keeper.record.items import (
    COMMAND_SIGN,
    REFUSED_QUESTION,
    is_file_edit,
    is_typed,
    last_edit_positions,
    newest_typed,
)
from compact_keeper.text.fields import text_of
from compact_keeper.text.holding import has_word, holds_any
from compact_keeper.text.length import cut
from compact_keeper.text.listing import file_names
from compact_keeper.text.marks import in_quotes
from compact_keeper.text.paths import is_path_named_in, same_file
from compact_keeper.text.times import moment
from compact_keeper.types import Item, Line, Words

REPLY_MIN_BYTES = 8  # "Not that!", "太简单了"; a name or a number is no more than an order
REPLY_MIN_SECONDS = 2  # between the agent's words and a reply: what comes sooner was typed before they could be read
# Between ticks; the form that code alone has: a plain word stands in the rows of any file.
NAME_IN_WORDS, FORM_OF_CODE, ROWS_GONE = r"`(\w{4,60})(?:\(\))?`", r"[a-z][A-Z]|[^\W_]_[^\W_]", r"(?m)^- .*"
# How the agent begins where it takes back what it had said: not "good catch", which may be of anything.
CONCEDING = (
    *YOU_ARE_RIGHT, "my mistake", "my apologies", "i apologize", "tienes razón", "você tem razão", "du hast recht",
    "sie haben recht", "tu as raison", "vous avez raison", "hai ragione", "ты прав", "вы правы", "你说得", "您说得",
    "你說得", "您說得", "抱歉", "おっしゃる通り", "ご指摘の通り", "申し訳")
CONCESSION_SHOWN_UTF16 = 60
# How a message begins that says that what the agent had just reported does not work: with a program's error, or so.
REPORTED_CHARACTERS, ERROR_REPORTED = 200, (
    r"(?<![`\w])(?:\w*(?:Error|Exception) ?[:(]|Traceback \(|error(?:\[\w+\])?: |fatal: |npm ERR!|Uncaught "
    r"|panicked at )|\"error(?:Message)?\":|\b(?:(?:Runtime|Build) Error|Call Stack) ?\n")
STILL_NOT_RIGHT = (
    r"(?is).{0,30}?\b(?:still (?:not|the same|same|broken|wrong|fail|crash|getting|nothing"
    r"|(?:does|is|can)(?:n['’]t| ?not))|(?:does|did|is)(?:n['’]t| not) work|not working|same (?:error|issue|problem)"
    r"|that(?:['’]?s| is) (?:false|wrong|not (?:true|right|correct))|you(?:['’]re| are) wrong)")
# The same in other languages; of those without spaces the words may stand anywhere in the beginning.
STILL_NOT_RIGHT_ABROAD = (
    r"(?is).{0,30}?(?:\b(?:"
    r"n[ãa]o (?:est[áa] |me |se )?(?:funcion|deu\b|respond|foi\b|aparec|carreg)"
    r"|(?:no|sigue sin|todavía no) funcion|sigue (?:igual|fallando|dando error)"
    r"|(?:marche|fonctionne)(?: toujours)? pas|toujours (?:pas|la même erreur|le même)"
    r"|(?:geht|funktioniert|klappt)(?: immer noch| noch immer| noch)? nicht|immer noch (?:nicht|kein|der|die|das)"
    r"|non (?:funziona|va\b)|ancora (?:non|lo stesso)"
    r"|не работает|(?:всё|все) (?:ещё|еще|равно) не|по-прежнему)"
    r"|还是(?:不|没|一样|报错|空)|還是(?:不|沒|一樣)|不行|没有?(?:反应|用|效果|成功)|沒有?(?:反應|用|效果)|又(?:报错|超时|失败)"
    r"|動か(?:ない|ません)|まだ(?:動|エラー|でき|だめ|ダメ)"
    r"|안 ?(?:돼|되|됩니다|됨|나와)|여전히)")
# The same with "again", in any language; not behind what makes it a condition.
ERROR_AGAIN = (
    r"(?is)(?:(?!\b(?:if|when|wenn|falls|si|quand|quando|cuando|se|если|когда)\b|如果|若|もし|만약).){0,30}?(?:\b(?:"
    r"again (?:an?|the same|this) (?:error|exception)|(?:an?|got|getting) (?:error|exception)s? again"
    r"|wieder (?:ein|der|dieser|derselbe|der gleiche) (?:fehler|error)|(?:encore|à nouveau|de nouveau) (?:une|la même"
    r"|cette) erreur|otra vez (?:un|el|este|el mismo) error|error (?:otra vez|de nuevo)|(?:de novo|outra vez) (?:um|o"
    r"|esse|o mesmo) erro|erro (?:de novo|outra vez)|(?:di nuovo|ancora) (?:un |l['’]|lo stesso )errore"
    r"|(?:снова|опять) (?:та же )?ошибка)\b|又(?:出错|出錯|报错|報錯)|またエラー|また同じエラー|또 (?:에러|오류))")
SAYS_IT_LACKS = (
    r"(?i)\b(?:missing|(?:does|do|did)(?:n['’]t| not) exist|not found|no such|n[ãa]o existe|no existe|n['’]existe pas"
    r"|fehlt|existiert nicht|non esiste|не существует)\b|不存在|没有找到|존재하지 않|存在しない")
# Of older turns the last words alone stand: by the keys' words of 51 compactions the others told nothing that was
# missing, and of their characters strict readers called a third misleading, as what was thought before a look.
TURNS_WITH_ALL_WORDS = 8


def words_of_agent(items: Sequence[Item], mended: Sequence[tuple[int, int]],
                   between: Sequence[tuple[str, int, int]], turns: Turns,
                   taken_away: Collection[str] = ()) -> list[Words]:
    """All that the agent said, the newest first, a line each: as `text` the words, as `tail` what the person did then.

    Paths stay as they were written: "the absolute path is" had stood before a path in short.

    `mended`: from where to where, by positions, tests failed that passed later. `between`: paths of files whose edits
    were taken back, each with the positions of the first edit and of that: what was said of them between the two holds
    no longer. `taken_away`: paths of files that were removed later. What the person's next message reports as not
    working is left out, as are the report on a turn whose files were mostly made anew or removed later, and of older
    turns all but the last words.
    """
    edited, reports = last_edit_positions(items), files_of_reports(items)
    written = last_edit_positions([item for item in items if item.get("tool") == "Write"])
    typed = [-1, *(item["position"] for item in items if item["kind"] == "message")]
    newest, with_all_words = typed[-1], typed[-TURNS_WITH_ALL_WORDS:][0]
    names = {item["position"]: {*re.findall(NAME_IN_WORDS, item["text"])} for item in items if item["kind"] == "said"}
    taken = code_taken_away(items, names.values())
    replies = replies_to_agent(items)
    refuted = refuted_by_reply(items) | {
        at for at, (changed, _) in reports.items()
        if 2 * sum(path in taken_away or written.get(path, -1) > at for path in changed) > len(changed)}
    lines: list[Words] = []
    for item in [item for item in reversed(items) if item["kind"] == "said"]:
        at = item["position"]
        if at in refuted or (at < with_all_words and at not in reports):
            continue
        changed, read = reports.get(at, (set[str](), set[str]()))
        went = {path: [f"`{name}" for name in names[at] if taken.get(name, {}).get(path, -1) > at]
                for path, edit in edited.items() if edit > at}
        lines.append({"items": [item], "label": "- Said: ", "text": item["text"], "turn": turns.head_of(at),
                      **replies.get(at, {}), "may_stand_whole": at in reports or at > newest,
                      "edited_later": went, "reports_on": changed or read,
                      "there_later": files_met_later(item, items) if re.search(SAYS_IT_LACKS, item["text"]) else set(),
                      "tests_passed_since": any(begin <= at < end for begin, end in mended),
                      "gone": {path for path, begin, end in between if begin < at < end}})
    return lines


def files_since(line: Line, words: str) -> str:
    """Which files were edited or removed after the agent's words of this line, of which these stand there.

    Files that these name, or code that went from them; of a report those of its turn, too.
    """
    removed = [path for path in line.get("removed_later", ()) if is_path_named_in(path, words)]
    edited = [path for path, code in line.get("edited_later", {}).items()
              if (path in line["reports_on"] or is_path_named_in(path, words) or holds_any(words, code))
              and not any(same_file(path, other) for other in removed)]
    return edited_since(edited) + (f" (removed since: {file_names(removed)})" if removed else "")


def code_taken_away(items: Sequence[Item], words: Iterable[Collection[str]]) -> dict[str, dict[str, int]]:
    """By name, of those in words, the paths of files that it went from, each with the position of that edit.

    The position is -1 where the name stands in what that edit or a later one put there.
    """
    names = {name for named in words for name in named if re.search(FORM_OF_CODE, name)}
    taken: dict[str, dict[str, int]] = {}
    came: dict[str, str] = {}  # by path, in the edits from the newest on
    edits = [item for item in reversed(items) if is_file_edit(item) and not item["path"].lower().endswith(PROSE)]
    for item in edits if names else ():
        path, change = item["path"], item.get("change", "")
        came[path] = came.get(path, "") + "\n" + re.sub(ROWS_GONE, "", change)
        for name in names.intersection(re.findall(r"\w+", "\n".join(re.findall(ROWS_GONE, change)))):
            files = taken.setdefault(name, {})
            if path not in files:
                files[path] = -1 if has_word(came[path], name) else item["position"]
    return taken


def files_of_reports(items: Sequence[Item]) -> dict[int, tuple[set[str], set[str]]]:
    """By the position of a turn's last words the paths of the files that the turn changed, and that it read."""
    reports: dict[int, tuple[set[str], set[str]]] = {}
    changed, read, last_words = set[str](), set[str](), -1
    for item in items:
        if item["kind"] == "message":
            if last_words >= 0:
                reports[last_words] = (changed, read)
            changed, read, last_words = set[str](), set[str](), -1
        elif item["kind"] == "said":
            last_words = item["position"]
        elif item["kind"] in ("action", "look"):
            last_words = -1
            if is_file_edit(item):
                changed.add(item["path"])
            elif item.get("tool") == "Read" and item.get("path"):
                read.add(item["path"])
    return reports


def files_met_later(said: Item, items: Sequence[Item]) -> set[str]:
    """The paths of files that were read or changed after these words, and that they name."""
    met = [item for item in items if item["position"] > said["position"] and item.get("path")
           and item.get("tool") in (*CHANGING_TOOLS, "Read") and item.get("verdict") != "failed" and not (
               item["kind"] == "look" and item["result"])]  # a read with a result is one that failed
    return {item["path"] for item in met if is_path_named_in(item["path"], said["text"])}


def replies_to_agent(items: Sequence[Item]) -> dict[int, Words]:
    """By the position of words what the person did behind them: the call rejected, the next message.

    "Size optimised" had come back without the "no change to be seen" that was typed next, "I remove the flag" without
    that they refused it. The newest message stands above, with what it answers; an assent or a number tells nothing.
    """
    conceded, newest = concessions(items), newest_typed(items)
    replies: dict[int, Words] = {}
    replied_to = set[int]()
    for before, item in words_and_what_followed(items):
        if id(item) in replied_to:
            continue  # it was the last of these words that it came behind
        replied_to.add(id(item))
        call = item["text"] if item["kind"] == "refusal" else text_of(item, "refused")
        is_question = call.startswith(REFUSED_QUESTION)
        may_change = bool(call) and not is_question and not is_looking(call.removeprefix(COMMAND_SIGN))
        rejected = f" (the user rejected next: {rejected_in_short(call, NEXT_SHOWN_UTF16)})" if may_change else ""
        # What was typed while the agent wrote these words is no reply to them; nor what came as they ended.
        seconds = moment(item.get("typed_at") or item["last"]) - moment(before["last"])
        is_behind = is_typed(item) and seconds >= REPLY_MIN_SECONDS
        says_something = len(item["text"].encode()) >= REPLY_MIN_BYTES and not is_mere_assent(item)
        if is_behind and item is not newest and says_something:
            how = conceded.get(item["position"], "")
            agent = f" (the agent then: {in_quotes(how)})" if how else ""
            replies[before["position"]] = {"tail": f"{rejected}{typed_next(item)}{agent}"}
        elif rejected:
            replies[before["position"]] = {"tail": rejected}
    return replies


def concessions(items: Sequence[Item]) -> dict[int, str]:
    """By the position of a message the sentence with which the agent, right behind it, took back what it had said."""
    conceded: dict[int, str] = {}
    words = ""
    for item in reversed(items):
        if item["kind"] == "said":
            words = item["text"]
        elif item["kind"] == "message":
            begin = words.lstrip("*# ").replace("’", "'").lower()
            if begin.startswith(CONCEDING):
                conceded[item["position"]] = cut(sentences_of(words)[0]["text"].strip("*# "), CONCESSION_SHOWN_UTF16)
            words = ""
    return conceded


def refuted_by_reply(items: Sequence[Item]) -> set[int]:
    """The positions of the last words of turns behind which the person typed that it does not work, or an error.

    And of those in front of a dialog that was answered: its question and answer tell what was offered and taken. The
    way that was not taken had stood there as the recommended one.
    """
    steps = [item for item in items if item["kind"] in ("said", "action", "look", "message", "answer")]
    before_dialogs = {before["position"] for before, item in zip(steps, steps[1:])
                      if before["kind"] == "said" and item["kind"] == "answer"}
    return before_dialogs | {before["position"] for before, item in words_and_what_followed(items)
                             if item.get("via") == "prompt" and reports_failure(item["text"])}


def words_and_what_followed(items: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
    """The agent's words, the newest first, each with the call, the answer or the message that came next.

    Words that the agent said again in between are looked past: a hook or another of the client's rows had it go on. So
    is a look that was refused: "X is the vault" had stood without the "no, it is not" typed behind the refusal.
    """
    follows: Item | None = None
    for item in reversed(items):
        if item["kind"] == "said" and follows:
            yield item, follows
        elif item["kind"] in ("action", "look", "refusal", "answer", "message") and not is_refused_look(item):
            follows = item


def is_refused_look(item: Item) -> bool:
    """Whether the item is a call that would only have looked, and was refused."""
    return item["kind"] == "refusal" and is_looking(item["text"].removeprefix(COMMAND_SIGN))


def reports_failure(message: str) -> bool:
    """Whether a message begins with a program's error, or with that something still does not work."""
    begin = message[:REPORTED_CHARACTERS]
    return re.search(ERROR_REPORTED, begin) is not None or any(
        re.match(form, begin) for form in (STILL_NOT_RIGHT, STILL_NOT_RIGHT_ABROAD, ERROR_AGAIN))
