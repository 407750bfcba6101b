"""Which of the known rules a typed sentence revokes.

A rule ends only when the person revokes it and names it: by a form that does ("forget the … rule", "you may … from now
on", "you no longer need to …"), and with no word of what the form names that the rule does not have. So an exception
("ignore the tabs rule in tests/") and an addition end nothing. A form is met in a whole clause; its groups are what it
names. A permission is known by words of PERMITTING and of NOW_ON_OR_AGAIN in one clause, in whatever order; the others
are what it names. It is no rule itself. The patterns are written for folded sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.words.rule_markers import FROM_NOW_ON, FROM_NOW_ON_CUES
from compact_keeper.record.words.sentences import LEAD, START, fitting, folded, is_question, patterns_cued
from compact_keeper.types import Item

NAMED_SHARE_MIN = 0.5  # of what a rule is about, for words that lift it for good; others have to name the whole of it
CLAUSE = r"([^,]{1,80}?)"
TAIL = r"([^,]{0,80})(?=,|\Z)"
RULE = (
    r"(?:rules?|ban|restriction|requirement|policy|convention|constraint|freeze|instructions?|guidelines?|embargo)")
NOW_ON = (
    rf"\b(?:{FROM_NOW_ON}|any ?time|ab (?:jetzt|sofort)|von nun an|künftig|in zukunft|à partir de maintenant|désormais"
    r"|dorénavant|(?:a partir de|desde) ahora|de (?:ahora|aquí) en adelante|a partir de agora|de agora em diante"
    r"|daqui (?:pra|para a) frente|d ?ora in poi|da (?:ora|adesso|oggi) in poi|отныне|впредь|с этого момента|теперь"
    r"|od (?:teraz|dziś|tej pory)|już|artık|bundan (?:sonra|böyle)|ab se|aage se|ab(?=.* sakt[ei] ))\b"
    r"|अब(?: से)?(?= |\Z)|आगे से|从现在(?:开始|起)?|从今以后|今后|以后|今後は?|これから[はも]?|앞으로는?|이제는?")
FOR_GOOD = (  # what says that it is no single time
    rf"{NOW_ON}|\bany ?(?:more|longer)\b|\bno longer\b|nicht mehr|\bplus\b|\bya no\b|não|\bpiù\b|больше не"
    r"|不再|不用再|もう")
NOW_ON_OR_AGAIN = (  # what says so of a permission, or that it is as before
    rf"{NOW_ON}|\b(?:again|wieder|[aà] nouveau|de nouveau|otra vez|de nuevo|de novo|di nuovo|снова|опять|zn[oó]wu?"
    r"|tekrar|yine|phir se)\b|फिर से|又|了\Z|また|再び|다시")
REFORM = r"(?:forget|ignore|disregard|drop|scrap|cancel|lift|revoke|withdraw|abandon|take back)"
LET_IT = rf"{START}(?:(?:you|we) (?:can|may|should) (?:now )?|ill |i )?{REFORM} (?:about )?"
MAY = r"(?:(?:you|we|agents) (?:may|can|could|are allowed to|are free to)|youre (?:allowed|free) to) (?:now )?"
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
ALLOWING = (  # what a rule forbids
    (f"again| now|{FROM_NOW_ON_CUES}",
     rf"{START}(?!the |that |this |it |all |your |everything ){CLAUSE} (?:is|are) (?:allowed|permitted|ok|okay"
     rf"|fine) (?:again|now|{FROM_NOW_ON})\b{TAIL}|{START}(?:its|it is) (?:ok|okay|fine|allowed) to {CLAUSE} (?:again"
     rf"|now|{FROM_NOW_ON})\b{TAIL}"),
)
PERMITTING = (  # the same: words of permission, in a clause where "…" stands for those of NOW_ON_OR_AGAIN
    ("you|we |agents", rf"\A(?:… )*{MAY}"),
    ("darf|dürf|kannst|könnt",  # "kannst du ab jetzt …" asks for it
     r"\A(?:… )*(?:du (?:darfst|kannst)|ihr (?:dürft|könnt))\b|\b(?:darfst|dürft)\b(?: du| ihr)?"
     r"|(?!\A)\b(?:kannst du|könnt ihr)\b"),
    ("tu peux|vous pouvez", r"\A(?:… )*(?:tu peux|vous pouvez)\b"),
    ("pued", r"\A(?:… )*(?:ya |tú )*puede[sn]?\b"),
    ("pode", r"\A(?:… )*(?:vocês? |já )*pode[sm]?\b"),
    ("puoi|potete", r"\A(?:… )*(?:puoi|potete)\b"),
    ("мож", r"\A(?:… )*(?:ты |вы )?(?:можешь|можете|можно)\b"),
    ("możesz|możecie|wolno", r"\A(?:… )*(?:możesz|możecie|wolno (?:ci|wam))\b"),
    ("bilirsin", r"\B[ae]bilirsin(?:iz)?\Z"),
    ("sakt|सकत", r"\bsakt[ei] (?:ho|hain)\Z|सकत[ेी] (?:हो|हैं)\Z"),
    ("可以", "可以"),
    ("いい|よい|大丈夫", r"(?:ても?|でも)(?:いい|よい|大丈夫)(?:です)?よ?\Z"),
    ("도 ", r"도 (?:돼|됩니다|괜찮|좋)\S*\Z"),
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
    r"|esta vez|por ahora|quando|desta vez|por enquanto|(?<!ab )se|stavolta|per ora|если|когда|пока|jeśli|gdy|tym razem"
    r"|na razie|eğer|şimdilik|अगर|अभी|agar|abhi)\b|如果|这次|暂时|今回|もし|とりあえず|이번|만약|일단")
CHANGING = (  # verbs with one meaning: a permission may have another of them than the rule
    r"(?<!\S)(?:touch(?:e[sz]?|ed|ing|er)?|[eé]dit(?:s|ed|ing|er?|e[sz]|ar?)?|modif\w+|chang(?:e[dsz]?|ing|er)|alter(?:s|ed"
    r"|ing|ar|a|es?)?|toc(?:c?are?|ca|chi|a)|toques?|cambi\w+|mud(?:ar?|e)|mex(?:er?|as?)|(?:an)?fass(?:e|t|en)?"
    r"|(?:ver)?änder\w*|bearbeit\w+|(?:an|be)?rühr\w*|трог\w+|измен\w+|менять|меняй|редактир\w+|rusza\w+|zmieni\w+"
    r"|edyt[uo]\w+|dotyka\w+|dokun\w*|değiştir\w*|düzenle\w*|chh?(?:u|oo)na|chhu|badal\w*)(?!\S)|(?<!\S)(?:छू|छे|बदल)\S*"
    r"|碰|修?改|编辑|(?:触|いじ|変更|編集)[\u3041-\u309f]*|(?:건드|수정|고[치쳐]|바[꾸꿔]|변경)\S*")
ANY_CHANGE = "change"  # in the place of such a verb
BOUNDING = (  # what makes a rule of a permission
    r"\b(?:never|not|cannot|no|only|niemals|nie|nicht|keine?[nmrs]?|nur|erst|ne|pas|jamais|seulement|uniquement|nunca|jamás"
    r"|solo|sólo|solamente|não|só|somente|apenas|mai|non|soltanto|не|никогда|нельзя|только|nigdy|tylko|asla|sadece|yalnızca"
    r"|nahi|sirf)\b|नहीं|सिर्फ|केवल|不|只|ない|だけ|のみ|않|만(?= )")
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
    "का की के को में पर से कभी मत हमेशा तुम आप ka ki ke ko mein par se kabhi mat hamesha tum aap "
    "aux você ты вы sen siz 你 你们 了 を は に も が 를 을 는 은 에").split())


def revoked_by(sentence: str, known: Sequence[Item]) -> tuple[list[Item], str]:
    """The known rules that a sentence revokes, and what it says besides, folded; a rule of two that fit does not end.

    Where it names several rules, only those end of which it names the whole.
    """
    if not known or sentence[:1] in "\"“«「'‘":
        return [], ""
    plain = folded(re.sub(r"[\"“”«»「」]|(?<!\w)['‘]|['’](?!\w)", "", sentence))  # a name may stand in quotes
    cued = [markers for markers in (FORGETTING, ALLOWING, RELIEVING) if patterns_cued(plain, markers)]
    permitted, besides = permission_in(plain)
    if not (cued or permitted) or is_question(sentence, plain) or re.search(EXCEPTING, plain):
        return [], ""
    for markers in cued:
        for match in fitting(plain, markers):
            ended = rules_named(" ".join(filter(None, match.groups())), markers, plain, known)
            if ended:
                return ended, f"{match.string[:match.start()]} {match.string[match.end():]}".strip(" ,")
    return rules_named(permitted, PERMITTING, plain, known), besides


def permission_in(plain: str) -> tuple[str, str]:
    """What a folded sentence permits from now on or again, and what it says besides; nothing, and all of it, for none.

    "from now on you may only …" is another rule.
    """
    patterns = patterns_cued(plain, PERMITTING)
    if not patterns or not re.search(NOW_ON_OR_AGAIN, plain):
        return "", plain
    clauses = [re.sub(NOW_ON_OR_AGAIN, "…", clause) for clause in re.sub(rf"(\A|, ){LEAD}", r"\1", plain).split(" , ")]
    for index, clause in enumerate(clauses):
        words = next(filter(None, (re.search(pattern, clause) for pattern in patterns)), None)
        is_lasting = "…" in clause or clauses[index - 1:index] == ["…"]
        if words and is_lasting and not re.search(BOUNDING, clause):
            besides = [other for other in [*clauses[:index], *clauses[index + 1:]] if other != "…"]
            return f"{clause[:words.start()]} {clause[words.end():]}".replace("…", " "), " , ".join(besides)
    return "", plain


def rules_named(part: str, markers: Sequence[tuple[str, str]], plain: str, known: Sequence[Item]) -> list[Item]:
    """Those of the rules that have all the names in this part of a sentence, and of which the form tells."""
    is_forgotten, is_permitted = markers is FORGETTING, markers in (ALLOWING, PERMITTING)
    names = names_in(with_verbs_alike(part) if is_permitted else part)
    share_min = 0.0 if is_forgotten else NAMED_SHARE_MIN if re.search(FOR_GOOD, plain) else 1.0
    shares: list[tuple[float, Item]] = []
    for rule in known:
        wanted = folded(rule["text"])
        about = names_in(with_verbs_alike(wanted) if is_permitted else wanted)
        forbids = not wanted.isascii() or bool(re.search(FORBIDDING, wanted))
        is_fit = is_forgotten or (forbids if is_permitted else not re.match(FORBIDDING, wanted))
        if ANY_CHANGE in names and is_permitted and not names_what_to_change(names, wanted):
            continue
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


def with_verbs_alike(plain: str) -> str:
    """The folded text with one word for all verbs of touching and changing something."""
    return re.sub(CHANGING, f" {ANY_CHANGE} ", plain)


def names_what_to_change(names: Sequence[str], rule: str) -> bool:
    """Whether the names are more than a verb, and hold all paths of the folded rule: of several one may be meant."""
    paths = names_in(" ".join(re.findall(r"\S*[/.]\S*", rule)))
    return len(names) > 1 and all(any(is_alike(name, path) for name in names) for path in paths)


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
