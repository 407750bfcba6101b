"""Standing rules among typed sentences, and what a later message revokes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from compact_keeper.record.words.rules import RULES_OF_A_MESSAGE_MAX, rules_after

RULES = """
en  Never push to main.
en  NEVER push to main!!
en  never delete rows
en  don't touch vendor/
en  dont touch vendor/ pls
en  Do NOT edit generated files
en  always run the tests
en  and always run the tests before you commit
en  then prepare the release, but never tag before Lena has looked
en  no, I never asked for local times: always take UTC
en  always tests first
en  integers in cents, always
en  use tabs in Makefiles
en  we deploy only on Tuesdays
en  Use British English in the docs
en  British English in the docs
en  use pnpm
en  We use pnpm here
en  we're on pnpm in this repo, not npm
en  tabs, not spaces
en  no emojis in commit messages
en  please no new dependencies
en  pls reply in german
en  make sure to always rebase
en  can you always run the linter after edits
en  from now on commit after each step
en  from today on the tests are green before you commit
en  from now on the tests must be green
en  from now on, make sure the tests are green
en  from now on the docs are in German
en  from now on all commits are signed
en  from here on out use pnpm
en  run the linter after every change
en  every time you change the schema, regenerate the types
en  in this repo we never squash
en  ask me before installing anything
en  ask me before a push
en  I said no to pushing the branch itself, ask me each time before a push
en  please ask me every time
en  Don't add any dependency.
en  Do not introduce a new dependency, please
en  we never rebase
en  don't commit anything without asking me
en  don't push until I say so
en  only commit when I tell you to
en  you must never write to the prod database
en  under no circumstances restart the broker
en  everything under legacy/ is off limits
en  prefer small commits
en  stop adding comments that repeat the code
en  keep your answers short
en  the schema file is the single source of truth
en  as a rule, one class per file
en  from now on, never ask "shall I go on?" when it is plain
en  dont forget to always bump the version
en  AI should NEVER open the secrets file!!
en  I'll run the dev server myself.
en  ask me one question at a time
en  I'd like to avoid mocks as much as possible
en  keep each commit small
en  Run the linter and the tests before calling it done.
en  from now on never ask me whether to go on if it seems plain
en  no, never decimals in the table, the probes are only good to 5 mm.
en  never tabs in Python files
en  never emojis
en  No accents in branch names, never.
en  No spaces in the names of columns, ever.
en  No writing to the old bucket, ever please
en  Only ever deploy from the release branch, nowhere else
en  please only ever run it with the dry flag
zh  以后都用中文回答我
zh  提交之前必须先跑测试
zh  绝对不要直接改数据库
ja  今後は日本語で答えて
ja  migrationsフォルダには絶対触らないこと
ko  앞으로는 한국어로 답해줘
ko  .env 파일은 절대 열지 마
ru  никогда не пушь в main
ru  папку legacy не трогай
es  nunca hagas push directo a main
es  a partir de ahora responde en español
pt  a partir de agora responde em português
pt  nunca use any nos tipos
fr  ne committe jamais sans mon accord
fr  désormais réponds-moi en français
de  niemals direkt auf main pushen
de  nie ohne Rückfrage löschen
de  ab jetzt bitte auf deutsch antworten
tr  asla doğrudan main'e push yapma
tr  bundan sonra bana türkçe cevap ver
hi  अब से मुझे हिंदी में जवाब देना
hi  ab se mujhe hindi mein jawab dena
it  d'ora in poi rispondimi in italiano
it  mai fare push su main
de  Ändere die Tabelle nie von Hand
de  Fasse vendor/ nie an.
de  kannst du ab jetzt auf deutsch antworten
en  You may only edit vendor/ from now on.
en  From now on, when you can, use subagents.
en  From now on you may edit docs/, but never push it.
de  Du darfst vendor/ ab jetzt nur lesen.
fr  Tu ne peux plus modifier vendor/ à partir de maintenant.
es  A partir de ahora no puedes tocar docs/.
fr  Lance toujours les tests avant de pousser
fr  Ne modifie jamais la table à la main
es  Ejecuta siempre los tests antes de subir
es  no edites nunca la tabla a mano
pt  rode sempre os testes antes
ja  確認なしに依存を追加しないで
tr  bu adı kesinlikle değiştirme
hi  commit से पहले हमेशा टेस्ट चलाओ
pl  nigdy nie rób force pusha
pl  od teraz odpowiadaj mi po polsku
"""
NO_RULES = """
en  don't commit yet
en  do not touch main.py for now
en  Do not rename the columns yet, I am still counting.
en  don't fix anything, just tell me what is wrong
en  make sure the tests pass
en  make sure the build passes before you finish this one
en  push to main now
en  Actually, push the docs branch now.
en  delete the test rows
en  fix the typo in vendor/README.md
en  run the linter too
en  strings in the CSV export
en  this one is not generated any more
en  for this prototype skip them
en  it always returns 0
en  the test never finishes
en  always fails with exit code 137
en  always returns 0 here
en  Never seen this before
en  you always get this wrong
en  you never ran the tests
en  we never had that
en  we never round the fares
en  we always quote the path
en  ask me before the push
en  don't add a package.json
en  don't add a library for that
en  don't install a package yet
en  I was asked each time
en  never mind
en  never again
en  should we always run the tests?
en  do we always squash
en  why do we never get here
en  it should always show the header
en  we should always sort the rows by their name
en  the button must always be visible
en  the docs say "never push to main"
en  write a test that makes sure we never return null
en  rename the flag to alwaysRetry
en  from now on line 40 the indentation is off
en  From today on the tests are green.
en  From now on, our nightly build works again.
en  Henceforth it is much faster.
en  clean up my branches so that going forward we don't have them
en  think about how you make sure to do this going forward
en  use option 2
en  always have to type it twice
en  the form forgets my name, always have to type it twice
en  the copies must stay in sync at all times
en  add a retry to the client, and always log the error
en  use a map instead of a list
en  no idea
en  no changes
en  no, that is fine
en  i prefer the second option
en  you can only select it in the dialog
en  in this repo there are two packages
en  it must be a caching issue
en  don't add comments to this function
en  stop the dev server
en  yes, always show the depot name
en  I don't want to hit that state ever again
en  we do not care about rounding in here
en  explain it, but wait for my ok before applying it
en  just in the sidebar
en  (Use `node --watch` to see it again)
en  call it whenever you like
en  let's drop the dash before each row
en  I'll do this myself
en  keep the comments
en  Write this down as a rule.
en  make a side by side view with each step in it
en  in the future, I'd like to add a login
en  the bot is silent, never comments on pull requests
en  never mocks the client in that file
en  no, never works in Safari
en  No errors in the console, ever.
en  No new log lines in the file, ever
en  No way, never.
en  No idea what happens in there, ever
en  No one cares in this room, ever
en  I only ever use the first tab
en  it is only ever run on the server
en  It should never be slower than 2 s.
en  Only change the title, nothing else.
en  Do not push, Anna reviews first.
en  You may read vendor/ from now on.
en  from now on you can assume that vendor/ is generated
de  Du darfst vendor/ ab jetzt anfassen.
de  Ab sofort darfst du in docs/ schreiben
fr  Tu peux modifier vendor/ à partir de maintenant si les tests passent.
fr  Désormais, tu peux pousser sur main.
es  Puedes modificar docs/ a partir de ahora.
pt  A partir de agora você pode mexer em docs/.
it  D'ora in poi puoi modificare docs/.
ru  Отныне можно менять docs/.
pl  Od teraz możesz zmieniać docs/.
tr  Bundan sonra docs/ dosyalarını değiştirebilirsin.
hi  अब से तुम docs/ बदल सकते हो।
hi  ab se tum docs/ badal sakte ho
zh  从现在开始可以改 docs/ 了。
ja  今後は docs/ を変更してもいいです。
ko  앞으로 docs/ 수정해도 돼.
de  frage ich mich auch immer
fr  erreur toujours présente
fr  il faut qu'elle soit désormais un composant
zh  每次刷新后都要显示标题
fr  ne marche jamais du premier coup
es  la app usa siempre el mismo puerto
pt  o app usa sempre a mesma porta
de  warum crasht das immer an der Stelle
de  die Seite lädt bei mir immer doppelt
de  nimm die zweite Variante
es  el test nunca termina en mi máquina
pt  só isso
pt  o teste nunca termina na minha máquina
fr  la branche est mergé
fr  cette page est toujours blanche chez moi
it  maiuscole nel titolo
pl  test nie działa
pl  nie wiem
ru  тест никогда не доходит до конца
tr  bu test bende asla bitmiyor
hi  ye hamesha yahi pe fail hota hai
zh  这个接口一直返回空
ja  このテスト、必ず3回目で失敗する
ko  이 테스트는 절대 안 끝나네
en  the mat was so nice in mai
"""
BESIDE = [  # a rule, then an exception or an addition that ends nothing
    ("Never push to main.", "Actually, push the docs branch now."),
    ("never delete rows", "delete the test rows"),
    ("don't touch vendor/", "fix the typo in vendor/README.md"),
    ("always run the tests", "run the linter too"),
    ("integers in cents, always", "strings in the CSV export"),
    ("do not edit generated files", "this one is not generated any more"),
    ("always tests first", "for this prototype skip them"),
    ("use tabs in Makefiles", "spaces in the YAML file are fine"),
    ("we deploy only on Tuesdays", "deploy this hotfix today"),
    ("British English in the docs", "the error texts stay American"),
    ("use pnpm", "use npm for the old demo"),
    ("Never push to main.", "you can push the docs branch again"),
    ("Never push to main.", "you may push to main again for this hotfix"),
    ("Never push to main.", "may I push to main again?"),
    ("Never push to main.", "push to main"),
    ("Never push to main.", "forget it"),
    ("Never push to main.", "forget the main menu"),
    ("Never push to main.", "ignore the lint rule"),
    ("always run the tests", "you can run the tests again"),
    ("use tabs in Makefiles", "why are there spaces? forget the tabs rule?"),
    ("use tabs in Makefiles", "should I forget the tabs rule"),
    ("use tabs in Makefiles", "should we drop the tabs rule, or keep it"),
    ("use tabs in Makefiles", "don't forget the tabs rule"),
    ("use tabs in Makefiles", "you can't just ignore the tabs rule"),
    ("use tabs in Makefiles", "please don't drop the tabs rule"),
    ("use tabs in Makefiles", "I don't take back what I said about tabs"),
    ("use tabs in Makefiles", "I never said forget the tabs rule"),
    ("use tabs in Makefiles", "he wrote \"forget the tabs rule\""),
    ("use tabs in Makefiles", "\"forget the tabs rule\""),
    ("use tabs in Makefiles", "the README says to forget the tabs rule"),
    ("use tabs in Makefiles", "if the formatter complains, ignore the tabs rule"),
    ("use tabs in Makefiles", "ignore the tabs rule unless I say otherwise"),
    ("use tabs in Makefiles", "ignore the tabs rule for now"),
    ("use tabs in Makefiles", "ignore the tabs rule for this one"),
    ("use tabs in Makefiles", "ignore the tabs rule in tests/"),
    ("use tabs in Makefiles", "forget the tabs rule until the release"),
    ("use tabs in Makefiles", "forget the tabs"),
    ("use tabs in Makefiles", "forget what I said about the tabs of the sidebar"),
    ("use tabs in Makefiles", "drop the tabs column"),
    ("use tabs in Makefiles", "never mind"),
    ("use tabs in Makefiles", "the tabs rule is not obsolete"),
    ("don't touch vendor/", "the vendor freeze is not over yet"),
    ("don't touch vendor/", "once the vendor freeze is over you may edit it again"),
    ("don't touch vendor/", "the freeze of vendor/patches is over"),
    ("don't touch vendor/", "is the vendor freeze over"),
    ("Never push to main.", "ok fixed, you can push again"),
    ("Never push to main.", "forget what I said about maintenance"),
    ("Never push to main.", "I take back what I said about the push button"),
    ("Never push to main.", "do not push any more"),
    ("Never push to main.", "you can push now"),
    ("Never touch vendor/.", "You may touch docs/ now, forget that rule."),
    ("Never touch vendor/.", "You may touch vendor/ only for this, forget that rule."),
    ("Never touch vendor/.", "you may read vendor/ from now on"),
    ("Never touch vendor/.", "you may edit again from now on"),
    ("Never touch vendor/.", "you may edit vendor/README.md from now on"),
    ("Never edit vendor/ or dist/.", "you may edit vendor/ from now on"),
    ("Never read .env", "you may change .env from now on"),
    ("Fasse vendor/ nie an.", "Du darfst docs/ ab jetzt anfassen."),
    ("Fasse vendor/ nie an.", "Du darfst vendor/README.md ab jetzt anfassen."),
    ("Fasse vendor/ nie an.", "Du darfst vendor/ ab jetzt lesen."),
    ("Fasse vendor/ nie an.", "Darfst du vendor/ ab jetzt anfassen?"),
    ("Fasse vendor/ nie an.", "Du darfst vendor/ jetzt anfassen."),
    ("Fasse vendor/ nie an.", "Du darfst vendor/ ab jetzt anfassen, falls die Tests laufen."),
    ("Ne modifie jamais vendor/.", "Tu peux modifier docs/ à partir de maintenant."),
    ("Ne modifie jamais vendor/.", "Tu peux modifier vendor/ à partir de maintenant si les tests passent."),
    ("Ne modifie jamais vendor/.", "Tu peux modifier vendor/."),
    ("Nunca toques vendor/.", "A partir de ahora puedes leer vendor/."),
    ("永远不要碰 vendor/。", "以后可以改 docs/。"),
    ("永远不要碰 vendor/。", "以后不可以改 vendor/。"),
    ("vendor/ には絶対に触らないで。", "今後は docs/ を変更してもいいです。"),
    ("never commit without asking me", "forget the commit message rule"),
    ("never edit src/api/depot.py", "the freeze of src/api/parcel.py is over"),
    ("avoid mocks", "the mocks are fine now"),
    ("never touch the tests", "tests are fine now"),
    ("always run the tests", "no need to run the tests"),
    ("always run the tests", "you don't have to run the tests this time"),
    ("always run the tests", "you no longer need to run the dev server"),
    ("always run the tests", "the tests no longer run"),
    ("never delete rows", "scrap the delete button"),
    ("integers in cents, always", "drop the cents column"),
    ("Immer tabs verwenden", "vergiss die tabs-regel nicht"),
    ("Immer tabs verwenden", "soll ich die tabs-regel vergessen"),
    ("Immer tabs verwenden", "wenn es nicht geht, vergiss die tabs-regel"),
    ("Toujours des tabs", "n'oublie pas la règle des tabs"),
    ("Toujours des tabs", "si ça bloque, oublie la règle des tabs"),
    ("siempre usa tabs", "no olvides la regla de los tabs"),
    ("sempre use tabs", "não esqueça a regra dos tabs"),
    ("sempre usare tabs", "non dimenticare la regola dei tabs"),
    ("всегда используй tabs", "не забудь про правило tabs"),
    ("zawsze używaj tabs", "nie zapomnij o zasadzie tabs"),
    ("her zaman tabs kullan", "tabs kuralını unutma"),
    ("हमेशा tabs का उपयोग करो", "tabs वाली बात मत भूल जाना"),
    ("一律用 tabs", "别忘了关于 tabs 的规则"),
    ("必ず tabs を使ってください", "tabs のルールは忘れてはいけない"),
    ("항상 tabs 를 써", "tabs 에 대해 말한 건 잊지 마"),
]
ENDED = [  # a rule, then words that revoke and name it
    ("use tabs in Makefiles", "forget the tabs rule"),
    ("tabs, not spaces", "ignore the tabs rule, the formatter decides"),
    ("Never push to main.", "you may push to main again from now on"),
    ("Never push to main.", "you may push again from now on"),
    ("Never push to main.", "from now on you can push to main"),
    ("avoid mocks", "mocks are ok again, the service is gone"),
    ("don't touch vendor/", "the vendor freeze is lifted"),
    ("never delete rows", "Forget what I said about deleting rows."),
    ("always run the tests", "you don't have to run the tests any more"),
    ("tabs statt leerzeichen", "vergiss die sache mit den tabs"),
    ("use tabs in Makefiles", "ok, scrap my tabs rule please"),
    ("use tabs in Makefiles", "you can ignore what I told you about tabs in the Makefiles"),
    ("use tabs in Makefiles", "forget the \"tabs\" rule"),
    ("use tabs in Makefiles", "Ignore my earlier instruction about tabs, it was a mistake."),
    ("use tabs in Makefiles", "I take back the rule about tabs"),
    ("use tabs in Makefiles", "the tabs rule no longer applies"),
    ("use tabs in Makefiles", "I changed my mind about the tabs"),
    ("Never push to main.", "pushing to main is fine now"),
    ("Never push to main.", "you are allowed to push to main again"),
    ("Never push to main.", "I take back what I said about pushing, do it whenever you like."),
    ("avoid mocks", "mocks are fine now"),
    ("no emojis in commit messages", "it's ok to use emojis in commit messages now"),
    ("Do not edit anything in src/api/depot.py.", "The freeze of src/api/depot.py is over, you may edit it again."),
    ("Do not edit anything in src/api/depot.py.", "depot.py: the freeze of depot.py is over"),
    ("we deploy only on Tuesdays", "you can deploy any time from now on"),
    ("always run the linter", "the linter is no longer necessary"),
    ("Ask me before you run make check.", "You no longer need to ask me before you run make check."),
    ("round_parcel must always stay pure", "round_parcel need not stay pure any more."),
    ("always commit after each step", "there's no need to commit after each step anymore"),
    ("frag mich immer vor einem Deploy", "Vergiss, was ich zum Deploy gesagt habe."),
    ("niemals direkt auf main pushen", "du darfst ab jetzt wieder direkt auf main pushen"),
    ("Never touch vendor/.", "You may touch vendor/ now, forget that rule."),
    ("Never touch vendor/.", "ok, you can touch vendor/ again, ignore this rule"),
    ("Du sollst vendor/ nie anfassen.", "du darfst vendor/ jetzt anfassen, vergiss diese Regel"),
    ("Ne touche jamais à vendor/.", "En fait, tu peux toucher à vendor/ maintenant, oublie cette règle."),
    ("do not edit generated files", "editing generated files is fine now"),
    ("Never touch vendor/.", "Going forward you can edit vendor/"),
    ("Never touch vendor/.", "From now on, you may modify vendor/."),
    ("Never edit vendor/ or dist/.", "you may touch vendor/ and dist/ from now on"),
    ("Do not edit src/api/depot.py.", "you're allowed to change depot.py from now on"),
    ("never commit without asking me", "From now on you may commit without asking me."),
    ("Fasse vendor/ nie an.", "Du darfst vendor/ ab jetzt anfassen."),
    ("Fasse vendor/ nie an.", "Ab jetzt darfst du vendor/ ändern."),
    ("Fasse vendor/ nie an.", "Ab sofort kannst du vendor/ bearbeiten."),
    ("Fasse vendor/ nie an.", "Ja, vendor/ darfst du von nun an anfassen."),
    ("niemals direkt auf main pushen", "du darfst ab jetzt direkt auf main pushen"),
    ("Ne modifie jamais vendor/.", "Tu peux modifier vendor/ à partir de maintenant."),
    ("Ne modifie jamais vendor/.", "À partir de maintenant, tu peux toucher à vendor/."),
    ("Ne touche jamais à vendor/.", "Vous pouvez désormais modifier vendor/."),
    ("Nunca toques vendor/.", "Puedes modificar vendor/ a partir de ahora."),
    ("Nunca toques vendor/.", "Desde ahora puedes editar vendor/."),
    ("Nunca toques vendor/.", "ya puedes tocar vendor/ otra vez"),
    ("Nunca mexa em vendor/.", "A partir de agora você pode alterar vendor/."),
    ("Non toccare mai vendor/.", "D'ora in poi puoi modificare vendor/."),
    ("Никогда не трогай vendor/.", "С этого момента ты можешь менять vendor/."),
    ("Никогда не трогай vendor/.", "снова можно трогать vendor/"),
    ("Nigdy nie ruszaj vendor/.", "Od teraz możesz zmieniać vendor/."),
    ("vendor/ dosyalarına asla dokunma.", "Bundan sonra vendor/ dosyalarını değiştirebilirsin."),
    ("vendor/ को कभी मत छूना।", "अब से तुम vendor/ बदल सकते हो।"),
    ("vendor/ ko kabhi mat chhuna", "ab se tum vendor/ badal sakte ho"),
    ("永远不要碰 vendor/。", "从现在开始可以改 vendor/ 了。"),
    ("绝对不要直接改数据库", "以后可以直接改数据库了"),
    ("vendor/ には絶対に触らないで。", "今後は vendor/ を変更してもいいです。"),
    ("vendor/ 는 절대 건드리지 마.", "앞으로 vendor/ 수정해도 돼."),
    ("niemals vendor anfassen", "die Sperre für vendor gilt nicht mehr"),
    ("immer die tests laufen lassen", "du musst die tests nicht mehr laufen lassen"),
    ("Demande-moi toujours avant de lancer make check.", "Oublie ce que j'ai dit sur make check."),
    ("Ne touche jamais à vendor", "L'interdiction sur vendor ne tient plus."),
    ("toujours lancer les tests", "plus besoin de lancer les tests"),
    ("Pregúntame siempre antes de ejecutar make check.", "Olvida lo que dije sobre make check."),
    ("No toques la carpeta vendor", "La prohibición sobre vendor ya no vale."),
    ("siempre ejecuta los tests", "ya no hace falta ejecutar los tests"),
    ("Sempre me pergunte antes de rodar make check.", "Esqueça o que eu disse sobre make check."),
    ("Nunca mexa em vendor.", "A proibição sobre vendor não vale mais."),
    ("sempre rode os tests", "não precisa mais rodar os tests"),
    ("mai fare push su main", "puoi di nuovo fare push su main"),
    ("sempre usa tabs", "lascia perdere la regola dei tabs"),
    ("Всегда спрашивай меня перед запуском make check.", "Забудь, что я говорил про make check."),
    ("Никогда не трогай vendor.", "Запрет на vendor больше не действует."),
    ("nigdy nie ruszaj vendor", "zakaz vendor już nie obowiązuje"),
    ("zawsze używaj tabs", "zapomnij o zasadzie tabs"),
    ("make check çalıştırmadan önce her zaman bana sor.", "make check hakkında söylediğimi unut."),
    ("vendor dosyasına asla dokunma.", "vendor için yasak artık geçerli değil."),
    ("make check चलाने से पहले हमेशा मुझसे पूछो।", "make check के बारे में जो मैंने कहा था उसे भूल जाओ।"),
    ("vendor को कभी मत छूना।", "vendor पर रोक अब लागू नहीं है।"),
    ("hamesha tabs use karo", "tabs wali baat bhool jao"),
    ("运行 make check 之前必须先问我。", "忘掉我之前关于 make check 的要求。"),
    ("永远不要碰 vendor。", "vendor 的限制取消了。"),
    ("绝对不要直接改数据库", "直接改数据库的规则作废"),
    ("make check を実行する前に必ず聞いてください。", "make check について言ったことは忘れてください。"),
    ("vendor には絶対に触らないで。", "vendor の禁止はもう解除します。"),
    ("make check 실행하기 전에 항상 나한테 물어봐.", "make check 에 대해 말한 건 잊어버려."),
    ("vendor 는 절대 건드리지 마.", "vendor 금지는 이제 해제야."),
]


def rows(table: str) -> list[str]:
    """The sentences of a table, the language before them left out."""
    return [line[4:] for line in table.strip().splitlines()]


def standing_sentences(text: str, said: Sequence[str] = ()) -> list[str]:
    """The rules that a message gives where none is known."""
    return rules_after([], text, said)[0]


def rule(text: str) -> Any:
    """A known rule."""
    return {"kind": "rule", "text": text}


@pytest.mark.parametrize("sentence", rows(RULES))
def test_a_strong_marker_makes_a_rule(sentence: str) -> None:
    assert standing_sentences(sentence) == [sentence]


def test_a_rule_that_goes_on_behind_its_mark_is_whole() -> None:
    text = "每次任务前请务必认真阅读计划文件！以及所有文档！！谢谢。"
    assert standing_sentences(text) == ["每次任务前请务必认真阅读计划文件！以及所有文档！！"]


@pytest.mark.parametrize("sentence", rows(NO_RULES))
def test_orders_tales_and_questions_are_none(sentence: str) -> None:
    assert standing_sentences(sentence) == []


@pytest.mark.parametrize(("earlier", "later"), BESIDE)
def test_an_exception_or_addition_ends_nothing(earlier: str, later: str) -> None:
    known = [rule(earlier)]
    assert rules_after(known, later, ()) == ([], [])
    assert known == [rule(earlier)]


@pytest.mark.parametrize(("earlier", "later"), ENDED)
def test_a_rule_ends_when_it_is_revoked_by_name(earlier: str, later: str) -> None:
    other = rule("keep your answers short")
    assert rules_after([rule(earlier), other], later, ()) == ([], [rule(earlier)])


def test_a_rule_beside_a_permission_stands() -> None:
    words = "Ab jetzt darfst du vendor/ anfassen, aber nie ohne Tests."
    assert rules_after([rule("Fasse vendor/ nie an.")], words, ()) == ([words], [rule("Fasse vendor/ nie an.")])


def test_an_addition_that_stands_is_a_rule_beside() -> None:
    assert rules_after([rule("use pnpm")], "and never use npx", ()) == (["and never use npx"], [])


def test_a_name_of_two_rules_ends_neither() -> None:
    known = [rule("never push to main on Fridays"), rule("never push tags to main")]
    assert rules_after(known, "you may push again from now on", ())[1] == []


@pytest.mark.parametrize("text", [
    "the log:\n\nNever push to main.", "```\nNever push to main.\n```", "> Never push to main.",
    "❯ Never push to main.",
    "it says: Never push to main."])
def test_pasted_lines_give_and_end_no_rule(text: str) -> None:
    assert standing_sentences(text) == []
    revoking = text.replace("Never push to main.", "forget the tabs rule")
    assert rules_after([rule("use tabs in Makefiles")], revoking, ()) == ([], [])


def test_the_agent_s_words_given_back_give_no_rule() -> None:
    said = ["Done. You should never rename the generated columns."]
    assert standing_sentences("You should never rename the generated columns.", said) == []
    assert standing_sentences("You should never rename the generated columns.") != []


def test_a_rule_is_whole_and_as_typed() -> None:
    sentence = '**Always** use `make check` (e.g. on CI), not "make. Test" alone.'
    assert standing_sentences(f"Fix the parser.  Then we go.\n- {sentence} Then go on.") == [sentence]
    wrapped = "Please leave the changelog to me when you release, and never let a job\nrewrite an earlier entry."
    assert standing_sentences(wrapped) == [wrapped.replace("\n", " ")]


def test_the_same_rule_counts_once_and_a_page_of_them_is_cut() -> None:
    assert standing_sentences("never push\nnever push") == ["never push"]
    many = standing_sentences("\n".join(f"- never push branch {number}" for number in range(50)))
    assert many == [f"never push branch {number}" for number in range(RULES_OF_A_MESSAGE_MAX)]


def test_on_a_page_only_the_strongest_markers_count() -> None:
    page = "The parser reads a line and gives a row of the table.\n" * 150
    assert standing_sentences(f"{page}no emojis in commit messages\nnever push to main") == ["never push to main"]


def test_a_book_of_rules_in_a_message_gives_none() -> None:
    page = "The parser reads a line and gives a row of the table.\n" * 150
    rules = [f"never push branch {number}" for number in range(RULES_OF_A_MESSAGE_MAX + 1)]
    assert standing_sentences("\n".join([page, *rules[1:]])) == rules[1:]
    assert standing_sentences("\n".join([page, *rules])) == []
    assert standing_sentences(f"{page}{page}never push to main") == []


@pytest.mark.parametrize("text", [
    "never " * 8_000, "whenever you " * 3_000, "'" * 40_000, '"' * 40_000, "use tabs in " * 3_000, "\ud800never push",
    "never\x00push", "a , " * 9_000, "you may " * 9_000 + "from now on", "from now on , you may edit " * 900, ""])
def test_hostile_text(text: str) -> None:
    assert isinstance(rules_after([rule(text), rule("")], text, [text]), tuple)


def rows_of_page() -> list[list[str]]:
    """The rows of the table in docs/what-comes-back.md, each as the quoted words in its three cells."""
    page = (Path(__file__).parents[4] / "docs" / "what-comes-back.md").read_text(encoding="utf-8")
    section = page.partition("## Which words make a standing rule")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return rows[2:]


@pytest.mark.parametrize("row", rows_of_page(), ids=lambda row: row[0][:30])
def test_what_the_page_gives_as_rules_and_as_none_is_so(row: list[str]) -> None:
    _, rules, none = ([*re.findall(r'"([^"]+)"', cell)] for cell in row)
    assert rules
    assert none
    for sentence in rules:
        assert rules_after([], sentence, ())[0] == [sentence]
    assert [sentence for sentence in none if rules_after([], sentence, ())[0]] == []


@pytest.mark.parametrize("sentence", ["Don't touch main.py", "Always run the tests."])
def test_words_for_one_step_and_questions_make_none(sentence: str) -> None:
    assert rules_after([], sentence, ())[0]
    for once in (f"{sentence.rstrip('.')} for now.", f"{sentence.rstrip('.')} this time.", f"Should we {sentence}?"):
        assert rules_after([], once, ())[0] == []


@pytest.mark.parametrize(("message", "expected"), [
    ("Put this into the system prompt of the bot:\nNever answer with a list.", []),
    ("Never push to main.\nThen options.systemMessage becomes:\nAlways answer in prose.", ["Never push to main."]),
    ("Never edit the system prompt without asking me.", ["Never edit the system prompt without asking me."]),
    ("The system message of the log is noisy.\nNever log a key.", ["Never log a key."]),
])
def test_what_a_bot_s_prompt_says_is_no_rule(message: str, expected: list[str]) -> None:
    assert rules_after([], message, [])[0] == expected
