"""Which of the known rules a typed sentence revokes.

A rule ends only when the person revokes it and names it: by a form that does ("forget the … rule", "you may … from now
on", "you no longer need to …"), and with no word of what the form names that the rule does not have. So an exception
("ignore the tabs rule in tests/") and an addition end nothing. A form is met in a whole clause; its groups are what it
names. The patterns are written for folded sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.words.sentences import FROM_NOW_ON, START, fitting, folded, is_question, patterns_cued
from compact_keeper.types import Item

NAMED_SHARE_MIN = 0.5  # of what a rule is about, for words that lift it for good; others have to name the whole of it
CLAUSE = r"([^,]{1,80}?)"
TAIL = r"([^,]{0,80})(?=,|\Z)"
RULE = (
    r"(?:rules?|ban|restriction|requirement|policy|convention|constraint|freeze|instructions?|guidelines?|embargo)")
FOR_GOOD = (  # what says in a permission that it is no single time
    rf"\b{FROM_NOW_ON}\b|\bany ?(?:time|more|longer)\b|\bno longer\b|nicht mehr|\bab (?:jetzt|sofort)\b|\bplus\b"
    r"|désormais|\bya no\b|a partir de a|não|\bd ?ora in poi\b|\bpiù\b|больше не|теперь|\bjuż\b|\bartık\b|अब|\bab\b"
    r"|以后|从现在|不再|不用再|もう|これから|이제|앞으로")
REFORM = r"(?:forget|ignore|disregard|drop|scrap|cancel|lift|revoke|withdraw|abandon|take back)"
LET_IT = rf"{START}(?:(?:you|we) (?:can|may|should) (?:now )?|ill |i )?{REFORM} (?:about )?"
MAY = r"(?:you|we|agents) (?:may|can|could|are allowed to|re allowed to|are free to) (?:now )?"
FORGETTING = (  # a rule by its name
    ("forget|ignore|disregard|drop|scrap|cancel|lift|revoke|withdraw|abandon|take back",
     rf"{LET_IT}([^,]{{0,60}}?)\b{RULE}\b{TAIL}|{LET_IT}(?:everything |all )?(?:what|that) i (?:said|told you|wrote"
     rf"|asked)(?: \w+)? (?:about|on|regarding|concerning) {TAIL}"),
    # The rule that the clause before names.
    ("forget|ignore|disregard|drop|scrap|cancel|lift|revoke|withdraw|abandon|take back|vergiss|oublie",
     rf"{START}{MAY}{CLAUSE}(?: now| again)? ?, {REFORM} (?:about )?(?:that|this) {RULE}(?=,|\Z)"
     rf"|{START}du darfst {CLAUSE}(?: jetzt| wieder)?((?: [^,]{{1,40}})?) ?, vergiss (?:die|diese) regel(?=,|\Z)"
     rf"|{START}tu peux {CLAUSE}(?: maintenant)? ?, oublie (?:la|cette) (?:règle|consigne)(?=,|\Z)"),
    ("changed my mind", rf"{START}i(?:ve)? changed my mind (?:about|on) {TAIL}"),
    ("rule|ban|restriction|requirement|polic|convention|constraint|freeze|instruction|guideline|embargo",
     rf"{START}([^,]{{0,60}}?)\b{RULE}\b([^,]{{0,60}}?) (?:(?:no longer|doesnt|does not) (?:appl(?:y|ies)|holds?"
     rf"|counts?)(?: any ?(?:more|longer))?|(?:is|are) (?:now )?(?:lifted|void|over|dropped|cancell?ed|obsolete"
     rf"|history|withdrawn|revoked))\b{TAIL}"),
    ("vergiss|nicht mehr|aufgehoben",
     rf"{START}vergiss (?:bitte )?(?:, )?was ich (?:dir )?(?:zu[mr]?|über|von|wegen) {CLAUSE} gesagt hab\w*"
     rf"|{START}vergiss (?:bitte )?(?!.*\bnicht\b)(?:die (?:regel|sache|vorgabe|anweisung)|das(?: verbot)?) (?:mit"
     rf"|über|zu[mr]?|von|für|auf) {TAIL}|{START}vergiss (?:bitte )?die ([^,]{{1,40}}?)-? ?regel(?=,|\Z)|{START}(?:die"
     rf"|das) (?:regel|sperre|verbot|vorgabe|sache) (?:für|von|mit|zu[mr]?|über|auf) {CLAUSE} (?:gilt"
     r" (?:ab jetzt )?nicht mehr|ist aufgehoben)"),
    ("oublie|ne vaut plus|ne tient plus|ne sapplique plus|est levée",
     rf"{START}oublie (?:ce que jai dit|la (?:règle|consigne)|linterdiction) (?:sur|de|du|des|concernant) {TAIL}"
     rf"|{START}(?:la (?:règle|consigne)|linterdiction) (?:sur|de|des|du|concernant) {CLAUSE} (?:ne (?:vaut|tient"
     r"|sapplique) plus|est levée)"),
    ("olvida|ya no",
     rf"{START}olvida (?:lo que (?:te )?dije|la (?:regla|norma|prohibición)|lo) (?:sobre|del?|con) {TAIL}"
     rf"|{START}la (?:regla|norma|prohibición) (?:sobre|del?|para) {CLAUSE} ya no (?:aplica|vale|rige)"),
    ("esque|não vale mais",
     rf"{START}esque[cç][ae] (?:o que eu (?:te )?disse|a (?:regra|proibição)) (?:sobre|d[aeo]s?) {TAIL}"
     rf"|{START}a (?:regra|proibição) (?:sobre|d[aeo]s?|para) {CLAUSE} não vale mais"),
    ("dimentica|lascia perdere|non vale più",
     rf"{START}(?:dimentica|lascia perdere) (?:quello che ho detto|la regola|il divieto) (?:su\w{{0,3}}"
     rf"|d[aeio]\w{{0,3}}) {TAIL}|{START}(?:la regola|il divieto) (?:su\w{{0,3}}"
     rf"|d[aeio]\w{{0,3}}) {CLAUSE} non vale più"),
    ("забудь|больше не действует",
     rf"{START}забудь(?:те)? (?:, )?(?:что я (?:говорил|сказал)а?|(?:про )?правило) (?:про |об? )?{TAIL}"
     rf"|{START}(?:запрет|правило) (?:на |про |об? )?{CLAUSE} больше не действует"),
    ("zapomnij|nie obowiązuje",
     rf"{START}zapomnij (?:o (?:zasadzie|regule|zakazie)|(?:o tym )?(?:, )?co mówił[ae]m o) {TAIL}|{START}(?:zasada"
     rf"|reguła|zakaz) {CLAUSE} już nie obowiązuje"),
    ("unut|geçerli değil",
     rf"{START}{CLAUSE} (?:hakkında (?:söylediğimi|dediğimi)|kuralını|yasağını) unut\b|{START}{CLAUSE} (?:için yasak"
     rf"|kuralı|yasağı) artık geçerli değil"),
    ("भूल|लागू नहीं|bhool",
     rf"{START}{CLAUSE} (?:के बारे में (?:जो )?मैंने (?:जो )?कहा था|वाली बात|का नियम)(?: उसे| वो)? भूल जाओ"
     rf"|{START}{CLAUSE} (?:पर रोक|का नियम|की पाबंदी) अब लागू नहीं|{START}{CLAUSE} wali baat bhool ja(?:o|na)?\b"),
    ("忘|作废|取消|不再|解除|忽略",
     rf"{START}(?:请)?(?:忘掉|忘了|忽略)我?(?:之前|刚才)?(?:说的)?(?:关于)? ?{CLAUSE} ?的?(?:要求|规则|限制|话)(?=,"
     rf"|\Z)|{START}{CLAUSE} ?的?(?:规则|限制|禁令|要求)(?:已经)?(?:作废|取消|不再|解除)"),
    ("忘れて|解除|なし|不要|無効",
     rf"{START}{CLAUSE} ?(?:について|に関して)(?:言|話)ったことは忘れて(?!は|い)|{START}{CLAUSE} ?の(?:件|ルール|禁止"
     rf"|制限)は(?:もう)?(?:忘れて(?!は|い)|解除|なし|不要|無効)"),
    ("잊어|해제|없어|취소|무효",
     rf"{START}{CLAUSE} ?(?:에 대해|에 관해) ?(?:말한|했던) (?:건|것은|말은) 잊어(?!버리지)|{START}{CLAUSE} ?(?:금지"
     rf"|규칙|제한)[은는]? (?:이제 )?(?:해제|취소|무효|없어|잊어(?!버리지))"),
)
PERMITTING = (  # what a rule forbids
    ("again|any time|anytime|from |forward|henceforth| now",
     rf"\b{MAY}{CLAUSE} (?:again|any ?time|{FROM_NOW_ON})\b{TAIL}|{START}{FROM_NOW_ON} ,? ?{MAY}{TAIL}|{START}(?!the "
     rf"|that |this |it |all |your |everything ){CLAUSE} (?:is|are) (?:allowed|permitted|ok|okay|fine) (?:again|now"
     rf"|{FROM_NOW_ON})\b{TAIL}|{START}(?:its|it is) (?:ok|okay|fine|allowed) to {CLAUSE} (?:again|now"
     rf"|{FROM_NOW_ON})\b{TAIL}"),
    ("darfst", rf"\bdarfst (?:du )?(?:ab (?:jetzt|sofort) )?([^,]{{0,60}}?)\bwieder {TAIL}"),
    ("tu peux", rf"\btu peux (?:désormais )?(?:de|à) nouveau {TAIL}"),
    ("ya puedes", rf"\bya puedes {CLAUSE} (?:otra vez|de nuevo)\b"),
    ("já pode", rf"\bjá pode {CLAUSE} de novo\b"),
    ("puoi di nuovo", rf"\bpuoi di nuovo {TAIL}"),
    ("можно", rf"\b(?:теперь )?(?:(?:снова|опять) можно|можно (?:снова|опять)) {TAIL}"),
    ("możesz", rf"\bmożesz (?:już )?zn[oó]wu? {TAIL}"),
    ("abilirsin|ebilirsin", rf"\bartık {CLAUSE} \w+[ae]bilirsin\b"),
    ("sakte ho|सकते हो", rf"\bab {CLAUSE} sakte ho\b|अब {CLAUSE} सकते हो"),
    ("可以", rf"(?:以后|现在)?又?可以{CLAUSE}了?(?=,|\Z)"),
    ("また", rf"また {CLAUSE} ?しても(?:いい|大丈夫)"),
    ("해도 돼", rf"(?:이제|다시) {CLAUSE} 해도 돼"),
)
RELIEVING = (  # of what a rule wants done
    ("any more|anymore|any longer|anylonger|no longer",
     rf"{START}{CLAUSE} (?:need not|neednt|(?:dont|do not|doesnt|does not) (?:need|have) to) {CLAUSE} any ?(?:more"
     rf"|longer)\b{TAIL}|{START}{CLAUSE} no longer (?:needs?|ha(?:ve|s)) to {TAIL}|{START}{CLAUSE} (?:is"
     rf"|are) no longer (?:needed|necessary|required|mandatory)\b{TAIL}|\b(?:no need to {CLAUSE} any ?(?:more|longer)"
     rf"|no longer any need to {TAIL})"),
    ("nicht mehr", rf"\b(?:musst|brauchst) (?:du )?{CLAUSE} nicht mehr\b{TAIL}"),
    ("plus", rf"\b(?:plus besoin de|tu nas plus (?:besoin de|à)) {TAIL}"),
    ("ya no", rf"\bya no (?:hace falta|tienes que|es necesario) {TAIL}"),
    ("não precisa mais", rf"\bnão precisa mais (?:de )?{TAIL}"),
    ("non ", rf"\bnon (?:serve|devi|occorre) più {TAIL}"),
    ("больше не", rf"\bбольше не (?:нужно|надо) {TAIL}"),
    ("nie musisz już", rf"\bnie musisz już {TAIL}"),
    ("gerek yok", rf"\bartık {CLAUSE} gerek yok\b"),
    ("ज़रूरत नहीं", rf"अब {CLAUSE} की ज़रूरत नहीं"),
    ("不用再|不需要再", rf"不(?:用|需要)再{TAIL}"),
    ("もう", rf"もう {CLAUSE} ?(?:必要はない|なくていい)"),
    ("안 해도", rf"이제 {CLAUSE} 안 해도 돼"),
)
EXCEPTING = (  # an exception or a condition, which ends nothing
    r"\b(?:for now|for the moment|right now|this time|once|only|today|tonight|tomorrow|until|except|unless|if|when"
    r"|while|yet|almost|temporarily|wenn|falls|sobald|diesmal|heute|vorerst|si|quand|cette fois|pour linstant|cuando"
    r"|esta vez|por ahora|quando|desta vez|por enquanto|se|stavolta|per ora|если|когда|пока|jeśli|gdy|tym razem"
    r"|na razie|eğer|şimdilik|अगर|अभी|agar|abhi)\b|如果|这次|暂时|今回|もし|とりあえず|이번|만약|일단")
FORBIDDING = (
    r"\b(?:never|dont|do not|no|not|avoid|stop|off|forbidden|without|only|hands|mustnt|nobody|niemals|nie|nicht|keine?"
    r"|finger|nunca|jamás|jamais|prohibido|não|mai|non|nigdy|asla|mat|mana)\b")
ENDING = r"(?:[sne]?|es|en|e?d|[tnglpm]?ing)"  # of a word, by which two forms differ
ALIKE = rf"(?:(.{{3,}}?){ENDING} \1{ENDING}|(.{{3,}}?)[aei]re? \2[aeo]s?)\Z"  # the second: an infinitive and its order
EVERYWHERE = ("here", "everywhere", "anywhere")  # of a rule: need not be named
UNNAMING = frozenset((  # words that name no rule: grammar, and what makes a sentence a rule
    "a an the and or of to in on at is are be it its that with for from by as we you i me my our your they do does did "
    "dont didnt not no never always only just also any more again now actually about what ever use used using thing "
    "things ok okay all every each make sure ever please earlier before after old must should shall may can could have "
    "has need so but there anything something stay keep must avoid stop directly straight whatever yes well "
    "der die das den dem des ein eine mit zu zum zur was ich du und auf im immer nie niemals keine kein bitte "
    "ce que le la les l de du des un une et à sur jamais toujours ne pas tu "
    "lo los las el en un una y nunca siempre no te que o os na no do da dos das em um uma e sempre a "
    "il gli i di del della dei delle su sul sulla nel mai non un "
    "и в на не про о об никогда всегда w z i o na do nie nigdy zawsze bir bu ve asla her zaman için "
    "का की के को में पर से कभी मत हमेशा ka ki ke ko mein par se kabhi mat hamesha").split())


def revoked_by(sentence: str, known: Sequence[Item]) -> tuple[list[Item], str]:
    """The known rules that a sentence revokes, and what it says besides, folded; a rule of two that fit does not end.

    Where it names several rules, only those end of which it names the whole.
    """
    if not known or sentence[:1] in "\"“«「'‘":
        return [], ""
    plain = folded(re.sub(r"[\"“”«»「」]|(?<!\w)['‘]|['’](?!\w)", "", sentence))  # a name may stand in quotes
    cued = [markers for markers in (FORGETTING, PERMITTING, RELIEVING) if patterns_cued(plain, markers)]
    if not cued or is_question(sentence, plain) or re.search(EXCEPTING, plain):
        return [], ""
    for markers in cued:
        for match in fitting(plain, markers):
            ended = rules_named(names_in(" ".join(filter(None, match.groups()))), markers, plain, known)
            if ended:
                return ended, f"{match.string[:match.start()]} {match.string[match.end():]}".strip(" ,")
    return [], ""


def rules_named(names: Sequence[str], markers: Sequence[tuple[str, str]], plain: str,
                known: Sequence[Item]) -> list[Item]:
    """Those of the rules that have all the names, and of which the form tells."""
    is_forgotten = markers is FORGETTING
    share_min = 0.0 if is_forgotten else NAMED_SHARE_MIN if re.search(FOR_GOOD, plain) else 1.0
    shares: list[tuple[float, Item]] = []
    for rule in known:
        wanted = folded(rule["text"])
        about = names_in(wanted)
        forbids = not wanted.isascii() or bool(re.search(FORBIDDING, wanted))
        is_fit = is_forgotten or (forbids if markers is PERMITTING else not re.match(FORBIDDING, wanted))
        if is_fit and names and about and all(is_named(name, wanted, about) for name in names):
            counted = [word for word in about if word not in EVERYWHERE]
            shares.append((min(len(names) / max(len(counted), 1), 1.0), rule))
    best = max((share for share, _ in shares), default=0.0)
    fit = [rule for share, rule in shares if share == best >= share_min]
    return fit if best == 1 or len(fit) == 1 else []


def names_in(plain: str) -> list[str]:
    """The words of a folded text that name what it is about, each once."""
    words = (word.strip(".-_/") for word in plain.split())
    return list(dict.fromkeys(word for word in words if word and word != "," and word not in UNNAMING))


def is_named(name: str, rule: str, about: Sequence[str]) -> bool:
    """Whether a name stands in a folded rule, in another form perhaps; of languages without spaces, as it is."""
    return name in rule if name[0] > "\u2e80" else any(is_alike(name, word) for word in about)


def is_alike(name: str, word: str) -> bool:
    """Whether two words are one: the same but for their endings; a path also by its last part."""
    if re.search(r"[\W\d_]", name):
        return name in (word, word.rpartition("/")[2])
    if not name.isascii():
        return name[:4] == word[:4] and abs(len(name) - len(word)) <= 3
    return name == word or bool(re.match(ALIKE, f"{name} {word}") or re.match(ALIKE, f"{word} {name}"))
