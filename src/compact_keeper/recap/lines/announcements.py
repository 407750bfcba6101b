"""Sentences in which the agent only says what it does next, that it sees something and not what, or that it is sorry.

All are overtaken as soon as they are said.

English by its forms; of eleven other languages the words that such a sentence begins or ends with. One that gives its
reason, or that says how it is done from now on, is none. While English alone was known 288 of them had stood in 72 real
texts, 183 in other languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.recap.lines.said_sentences import LIST_MEMBER, mark_of, words_of_sentence
from compact_keeper.text.holding import holds_any

# Of each of the patterns below what all that they fit has: most sentences have none of it, and no pattern is tried.
ANNOUNCING = ("let me", "let's", "i'll", "ill", "i will", "i need to", "i want to", "i'm going to", "im going to")
SEEING = ("see ", "understand ", "have ", "found ")
BEING_SORRY = ("i should", "sorry", "apolog", "my mistake", "my bad")
COMES_NEXT = (
    r"(?i)(?:(?:now|next|first|then|so|ok(?:ay)?|good|great|perfect|excellent|alright|sure|right|well|yes|also|finally"
    r"|for now|next up)\b\W{1,3})*(?:before i\b[^.;,]{0,80}, )?"
    rf"(?:{'|'.join(ANNOUNCING)})\b")
GIVES_REASON = (r"(?i)\b(?:because|since|so that|due to|needs|must|instead|otherwise|but|without|from now on"
                r"|going forward|in (?:the )?future)\b")
WHAT_IS_LOOKED_FOR = (  # behind the verb it is no reason
    r"(?i)(\b(?:check|see|find|look|understand|verify|read|search|investigate)\b[^,;:]{0,60}?)"
    r"\b(?:if|whether|what|which|how|where|why)\b[^.,;:]{0,60}?\b(?:needs|must)\b")
HAS_ALL = r"(?i)\W*(?:now |good,? )?i (?:now )?have (?:a|all|everything|enough|the)\b.{0,50}$"
SEES_IT = (  # "Now I see the real issue." and not what it is
    r"(?i)\W*(?:(?:now|ok(?:ay)?|good|great)\b\W{1,3})?(?:i (?:can |now )*(?:see|understand|have|found)|found)"
    r"(?: (?:the|a|an|all|both|another|full|whole|real|actual|root|other)\b)+"
    r" (?:issues?|problems?|bugs?|errors?|causes?|pictures?|context|patterns?|structures?|flows?)"
    r"(?: clearly| now)?\W*$")
TAKES_UP = r"(?:now|next),? (\w+)"  # one of DEEDS
LEFT_OPEN, LEFT_OPEN_MAX_CHARACTERS = ("...", "…"), 163  # "Starting the server..."
MENDS_IT = (
    r"(?i)(?:so |now )?(?:let me|let's|i'?ll|i will|i'?m going to) .{0,40}?"
    r"\b(?:fix|mend|correct|repair|update|remove|add|save|write|create|replace)")
IS_SORRY = (
    r"(?i)(?:you(?:'re| are) (?:absolutely |completely |totally )?(?:right|correct)\W{1,3})?"
    r"(?:i should(?:n't)? (?:not )?have\b|(?:i(?:'m| am) )?(?:so |very )?sorry\b|(?:my |i )?apolog"
    r"|my (?:mistake|bad)\b)[^;:]{0,120}$")
BOLD_BEGIN = r"\*\*[^*\n]{2,60}(?<![.!?])\*\*:?\s{0,3}(?:[-–—:]\s{1,3})?"  # "**Phase 5** - Writing the guide"
# Sets of words, as a pattern of so many would take a millisecond to be compiled at each compaction.
OBJECT_WORDS = frozenset("the a an all both each it them this that these those my our your up out on now".split())
FINITE_VERBS = frozenset(
    "is are was were has have had does did do fail fails failed work works worked need needs take takes show shows "
    "gives means".split())
DEEDS = frozenset(
    "add build check commit create deploy do extend fix implement install integrate modify move push refactor remove "
    "replace restart rewrite run set simplify start switch test try update use verify wire write".split())
GOES_ON_WITH = frozenset("beginning continuing moving proceeding resuming starting".split())
DOES_NOW = frozenset(  # how an announcement without an article begins: "Writing updated notes"
    "adding building checking committing copying creating deploying editing fetching fixing generating implementing "
    "installing integrating launching modifying moving pushing reading rebuilding refactoring removing replacing "
    "restarting reviewing rewriting searching simplifying updating verifying writing".split())
DOES_NOW_MAX_WORDS = 8
NOW_WORDS = frozenset(("now", "next"))
NO_DEED_WORDS = (  # behind "now" they begin a clause, or name who or what is spoken of
    OBJECT_WORDS | FINITE_VERBS | frozenset(
        "i you we they he she when where if as since because with for in at from only just also not no there here "
        "what which who every most some".split()))
FILLING_WORDS = frozenset(  # stand before what comes next
    "also alors agora ahora bien bon bene certo claro d'abord dann danach daraufhin ensuite entonces então enfin erst "
    "eerst goed gut hallo jetzt klar luego maintenant maar nun nu nog ok okay ora ótimo parfait perfecto perfeito "
    "perfekt perfetto poi primeiro primero prima puis sehr super ten terwijl verstanden zuerst zunächst als nächstes "
    "baik kemudian lalu oke pertama sekarang selanjutnya sip "
    "теперь сейчас сначала хорошо отлично итак затем понял".split())
FILLING_WORDS_MAX = 3
LATIN_BEGINS = frozenset((  # the first word, or the first two
    "ich werde", "werde ich", "ich schaue", "schaue ich", "ich prüfe", "prüfe ich", "ich erstelle", "erstelle ich",
    "ich lese", "lese ich", "ich starte", "starte ich", "ich mache", "mache ich", "ich füge", "füge ich", "lass mich",
    "lassen sie", "lass uns", "schauen wir", "je vais", "laisse-moi", "laissez-moi", "voyons", "vérifions",
    "regardons", "commençons", "testons", "corrigeons", "mettons", "ajoutons", "lançons", "continuons",
    "voy a", "vamos", "déjame", "déjeme", "permíteme", "vou", "deixe-me", "deixa-me",
    "deixa eu", "deixe eu", "ora procedo", "procedo", "vediamo", "fammi", "lasciami", "verifichiamo", "ik ga",
    "laat me", "laten we", "saya akan", "biar saya", "izinkan saya", "mari", "perlu lihat", "perlu baca", "perlu cek",
    "baca", "buat", "cek", "coba", "eksplorasi", "ganti", "hapus", "jalankan", "lihat", "mulai dari", "perbaiki",
    "perbarui", "periksa", "tambah", "tambahkan", "verifikasi",
    "давай", "давайте", "проверим", "посмотрим", "я проверю", "я посмотрю", "я создам",
    "я сделаю", "я исправлю", "я добавлю"))
FIRST_LETTERS_MAX = 6
CHINESE_FILLING = (
    "好的", "好问题", "好問題", "好", "明白了", "明白", "很好", "完美", "太好了", "收到", "是的", "嗯", "对", "對",
    "了解")
CHINESE_NEXT = ("现在", "現在", "接下来", "接下來", "然后", "然後", "首先", "下一步", "先")
CHINESE_BEGINS = ("让我", "讓我", "我来", "我來", "我先", "我将", "我將", "我会", "我會", "我要", "我去", "我再",
                  "我需要", "我现在", "我現在", "我继续", "我繼續")
CHINESE_DEEDS = (  # behind a word of CHINESE_NEXT
    "开始", "開始", "继续", "繼續", "重新", "运行", "運行", "检查", "檢查", "更新", "创建", "創建", "修改", "修复",
    "修復", "重写", "重寫", "添加", "新增", "删除", "刪除", "测试", "測試", "验证", "驗證", "提交", "执行", "執行",
    "编译", "編譯", "构建", "構建", "查看", "读取", "讀取", "阅读", "閱讀", "启动", "啟動", "处理", "處理", "来", "來",
    "去", "写", "寫", "改", "看", "跑", "做")
JAPANESE_BEGINS = ("まず", "次に", "それでは", "では", "続いて")
WIDE_ENDS = ("겠습니다", "겠어요", "게요", "ましょう")  # Korean and Japanese end with what is willed
JAPANESE_END = "ます"
# What the agent says of itself, who is not named, is its next deed; where somebody or something is named, or when it
# happens, the same words describe what a program does.
JAPANESE_DEEDS = tuple(f"{deed}ます" for deed in (
    *(f"{deed}{does}" for does in ("し", "を行い", "を開始し", "させ") for deed in (
        "確認", "調査", "検証", "作成", "修正", "追加", "削除", "除去", "復元", "実装", "更新", "実行", "対応", "処理",
        "変更", "統一", "整理", "開始", "着手", "準備")),
    "置き換え", "読み込み", "進め", "取り組み", "始め", "調べ", "ていき"))
JAPANESE_OF_OTHERS = ("は", "が", "と、", "場合", "たら", "れば", "時に", "毎", "自動")
CHECKS_WHETHER, CHECKED = ("か確認します", "かを確認します"), "が"
KOREAN_DEEDS = (*(f"{deed}합니다" for deed in (
    "확인", "조사", "검증", "작성", "수정", "추가", "삭제", "구현", "업데이트", "실행", "처리", "변경", "정리", "시작",
    "진행", "조회", "파악", "분석", "테스트", "검토", "검색", "요청")), "봅니다", "읽습니다")
KOREAN_OF_OTHERS = r"\w[`*)\"]{0,3}(?:은|는|이|가) |[면때] |경우|자동|매"
WIDE_ASSENTS = frozenset(
    "了解しました 了解いたしました 承知しました 承知いたしました ありがとうございます 알겠습니다 감사합니다".split())
BETWEEN_SENTENCES = ("。", "다. ", "요. ")  # before a word in small letters: what stands there is no announcement
WIDE_MARKS = " ,，、。.!！~：:"
REASONS_ELSEWHERE = frozenset(
    "weil damit aber sonst denn statt künftig parce car mais sinon désormais porque pero mas pois senão perché però "
    "omdat want maar karena tapi tetapi agar supaya harus чтобы потому но".split())
WIDE_REASONS = ("因为", "因為", "由于", "由於", "否则", "否則", "但", "所以", "避免", "必须", "必須", "以后", "以後",
                "ので", "ため", "から、", "때문", "위해", "지만", "앞으로")
MENDING_ELSEWHERE = ("修复", "修復", "修正", "beheb", "reparier", "korrigier", "corrig", "arregl", "sistem",
                     "исправ", "수정", "고치")


def is_announcement(sentence: str) -> bool:
    """Whether a sentence only says what is done next, that all for it is there or seen, or that the agent is sorry."""
    bare = re.sub(BOLD_BEGIN, "", sentence, count=1) if sentence.startswith("**") else sentence
    lowered = bare.lower()
    if says_ready(bare, lowered) or (holds_any(lowered, BEING_SORRY) and re.match(IS_SORRY, bare)):
        return True
    if holds_any(lowered, ANNOUNCING) and re.match(COMES_NEXT, bare):
        return not re.search(GIVES_REASON, re.sub(WHAT_IS_LOOKED_FOR, r"\1", bare))
    words = words_of_sentence(bare)
    return is_deed_in_progress(bare, words) or is_next_deed(bare, words) or is_announced_elsewhere(bare, words)


def says_ready(sentence: str, lowered: str) -> bool:
    """Whether it says that all is there for what comes next, that something is seen and not what, or that it begins.

    `lowered`: the sentence in lower case.
    """
    if sentence.endswith(LEFT_OPEN) and len(sentence) <= LEFT_OPEN_MAX_CHARACTERS:
        return True
    if holds_any(lowered, SEEING) and (re.match(HAS_ALL, sentence) or re.match(SEES_IT, sentence)):
        return True
    deed = re.match(TAKES_UP, lowered) if lowered.startswith(("now", "next")) else None
    return deed is not None and deed[1] in DEEDS


def is_deed_in_progress(sentence: str, words: Sequence[str]) -> bool:
    """Whether it is like "Writing the final plan.", and not "Training continues" or "Running the tests fails"."""
    if len(words) < 2 or not words[0].endswith("ing") or not sentence[:1].isupper() or FINITE_VERBS & {*words}:
        return False
    if words[0] in GOES_ON_WITH and words[1] in ("with", "to"):
        return True
    is_deed = words[0] in DOES_NOW and words[1] not in NO_DEED_WORDS  # "Updating every 330 ms" is none
    return words[1] in OBJECT_WORDS or (is_deed and len(words) <= DOES_NOW_MAX_WORDS)


def is_next_deed(sentence: str, words: Sequence[str]) -> bool:
    """Whether it is like "Now patch the parser."; not "Now all tests pass", nor one that gives a reason."""
    if len(words) < 3 or words[0] not in NOW_WORDS or words[1] in NO_DEED_WORDS or words[2] not in OBJECT_WORDS:
        return False
    return not FINITE_VERBS & {*words} and not re.search(GIVES_REASON, sentence)


def is_announced_elsewhere(sentence: str, words: Sequence[str]) -> bool:
    """Whether it says in another language than English what is done next, without a reason."""
    may_be_wide = not (sentence[:FIRST_LETTERS_MAX].isascii() and sentence[-FIRST_LETTERS_MAX:].isascii())
    return (may_be_wide and is_announced_in_wide_script(sentence)) or is_announced_in_latin(sentence, words)


def is_announced_in_latin(sentence: str, words: Sequence[str]) -> bool:
    """Whether it says, in a language that writes with spaces, what is done next, without a reason."""
    begin = 0
    while begin < len(words) and words[begin] in FILLING_WORDS:
        begin += 1
    first_two = " ".join(words[begin:begin + 2])
    first = first_two.partition(" ")[0]
    if begin > FILLING_WORDS_MAX or (first not in LATIN_BEGINS and first_two not in LATIN_BEGINS):
        return False
    return REASONS_ELSEWHERE.isdisjoint(words) and not re.search(GIVES_REASON, sentence)


def is_announced_in_wide_script(sentence: str) -> bool:
    """Whether it says in Chinese, Japanese or Korean what is done next, without a reason."""
    text = sentence.strip(WIDE_MARKS)
    if holds_any(sentence, WIDE_REASONS) or holds_any(text, BETWEEN_SENTENCES):
        return False
    if text.endswith(WIDE_ENDS) or (text.startswith(JAPANESE_BEGINS) and text.endswith(JAPANESE_END)):
        return True
    if text in WIDE_ASSENTS or is_own_deed(text):
        return True
    text = without_begin(text, CHINESE_FILLING)
    behind_next = without_begin(text, CHINESE_NEXT)
    is_next = behind_next != text and behind_next.startswith(CHINESE_DEEDS)
    return is_next or behind_next.startswith(CHINESE_BEGINS)


def is_own_deed(text: str) -> bool:
    """Whether it is a Japanese or Korean sentence, no member of a list, that tells a deed of nobody who is named."""
    if text.endswith(KOREAN_DEEDS):
        return not mark_of(text, LIST_MEMBER) and not re.search(KOREAN_OF_OTHERS, text)
    if not text.endswith(JAPANESE_DEEDS) or mark_of(text, LIST_MEMBER):
        return False
    return not holds_any(text.replace(CHECKED, "") if text.endswith(CHECKS_WHETHER) else text, JAPANESE_OF_OTHERS)


def without_begin(text: str, begins: tuple[str, ...]) -> str:
    """The text without the first of these words that it begins with, and without the marks behind that."""
    begin = next((begin for begin in begins if text.startswith(begin)), "")
    return text[len(begin):].lstrip(WIDE_MARKS)


def says_that_it_is_mended(sentence: str) -> bool:
    """Whether it announces that what the sentence before says is mended now: without it that would stand as a fault."""
    lowered = sentence.lower()
    if holds_any(lowered, ANNOUNCING) and re.match(MENDS_IT, sentence):
        return True
    is_of_mending = holds_any(lowered, MENDING_ELSEWHERE)
    return is_of_mending and is_announced_elsewhere(sentence, words_of_sentence(sentence))
