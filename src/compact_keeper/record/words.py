"""What a session's words mean: requests, rules and corrections, wishes, answers, decisions, claims, dead ends.

    words typed -> request (or a nudge, a cancellation, a pasted log), rules and corrections, wishes, decisions, values
    words said  -> decisions, claims, dead ends, the question that the turn ended with

Rules come from typed words only. A cue is a phrase in the folded text (lower case, apostrophes dropped, punctuation as
spaces), so that no pattern has to be compiled; a table has a row per language. Where no cue stands, the dialogue's
shape decides: a short answer that begins with "no", words behind a rejected tool or an interrupt. Later words end an
earlier rule when they say so and speak of the same thing ("forget the tabs rule", "actually use yarn").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from compact_keeper.record.items import new_item
from compact_keeper.text.fields import text_of
from compact_keeper.types import Record

# --- cues: phrases in folded text, a row per language: en zh ja ko ru es pt fr de tr hi it pl ---
STANDING = """
    never | from now on | going forward | as a rule | by default | every time | each time | whenever | in general
    this session | off limits | no more than | only ever | must not | not allowed | forbidden | we use | we dont
    we always | were on | we squash | we stick | in this repo | in this codebase | in this project | around here
    prefer | stick to | read only | ask me before | ask before | ask first | remember that | i hate | avoid | dont ever
    always use | always run | you always | should always | must always | are always | is always | go through
    goes through | after every | after each | before every | before each | when you add | when you change | every new
    no force | need a | needs a | count as | instead of guessing | stop adding | under no circumstances
    its important that | have to | has to | are to be | refer to | may import | leave the | no emojis | no print
    please no | must stay | need not | each endpoint | need to be | everywhere else | belong in | keep the
    in the imperative | when in doubt | one per | nothing in | no one | nobody | dont mock | dont log | 不要 | 别
    必须 | 总是 | 永远 | 一定要 | 禁止 | 以后 | 一律 | 从现在开始 | 都要 | 不许 | 不准 | 千万 | 不能 | 我们用 | 每次
    废弃 | 先问 | 统一 | 只能 | 记住 | 务必 | 避免 | 改用 | 只要 | ないで | 必ず | 絶対 | 今後 | これから | 常に | 毎回
    やめて | 統一 | 方針 | 使わない | ルール | 一度聞いて | うちは | 避けて | だけを | 以内 | こと | 지 마 | 지마
    지 말 | 항상 | 반드시 | 절대 | 앞으로 | 꼭 | 규칙 | 금지 | 선호 | 때마다 | 우리는 | 피해 | 안 돼 | 만 사용
    해야 해 | 써 | 쓰지 | никогда | всегда | нельзя | не надо | обязательно | у нас | впредь | каждый раз | каждого
    хватит | запрещено | не трогай | спрашивай | перед тем как | предпочитаю | описываем | следи | избегай | только
    запрет | nunca | siempre | a partir de ahora | de ahora en adelante | no toques | usamos | prefiero | cada vez que
    pregúntame | nada de | prohibido | deja de | van en | evita | solo | no debes | asegúrate | sin preguntarme
    no añadas | sempre | a partir de agora | a gente usa | prefiro | toda vez | me pergunta | nao mexe | proibido
    para de | evite | apenas | garanta | você não deve | sem me perguntar | não adicione | jamais | toujours
    à partir de maintenant | désormais | ici on | on utilise | je préfère | interdit | demande-moi | arrête d*
    à chaque | touche pas | passent par | uniquement | surtout pas | il ne faut | assure toi | sans me demander
    pas de nouvelle | niemals | nie | immer | ab jetzt | wir nutzen | wir verwenden | finger weg | frag mich | hör auf
    nach jeder | jedes mal | verboten | darf nichts | darf nicht | statt | bevorzuge | lieber | stehen in
    auf keinen fall | achte darauf | ohne rückfrage | verwende | ausschließlich | asla | her zaman | bundan sonra
    kullanıyoruz | dokunma | bana sor | yasak | her değişiklikten | her seferinde | mutlaka | tercih ederim
    kesinlikle | yalnızca | sadece | kaçın | bana sormadan | कभी | हमेशा | मत | से पूछो | बंद करो | करते हैं | kabhi
    hamesha | mat | ab se | mujhse | pasand | rehte hain | chahiye | बचो | सिर्फ | पूछे बिना | mai | dora in poi
    da ora in poi | usiamo | preferisco | ogni volta | vietato | non toccare | chiedimi | smettila | niente
    assicurati | senza chiedere | nigdy | zawsze | od teraz | u nas | używamy | wolę | za każdym razem | zabronione
    pytaj | zapytaj mnie | przestań | po każdej | trzymamy | tylko | unikaj | upewnij | bez pytania | i want all
    i want every | i want each
"""  # anywhere in a sentence
OPENING = """
    never | always | dont | do not | must | avoid | stop | only | keep | prefer | no more | remember | ask
    let me know before | you must | you should | you shouldnt | you cant | you may not | make sure | be sure | use only
    leave | nobody | everything under | no | не | только | solo | não | só | ne | pas de | jamais | kein | keine
    bitte nie | non | nie
"""  # at a sentence's beginning, behind words like "and" or "please"
ONCE = """
    yet | this time | always fails | always returns | it always | never returns | never finishes | crashes | for now
    it never | never worked | this one | before you finish | before you start | right now | tomorrow | today
    first step | just tell | lets see | lets try | show me | 先不要 | 先别 | 别急 | 这次 | 暂时 | 失敗する | 落ちる
    今回 | とりあえず | まだ | 今は | なぜ | 調べて | 아직 | 이번 | 잠깐 | 왜 | доходит | падает | возвращает | пока
    сначала | в этот раз | зачем | почему | falla | devuelve | esta vez | todavía | aún | por qué | antes de acabar
    primero | quebra | retorna | ainda | dessa vez | antes de fechar | renvoie | plante | pas encore | cette fois
    dabord | avant de terminer | chez moi | crasht | gibt | lädt | noch nicht | diesmal | warum | erst mal | bei mir
    patlıyor | dönüyor | henüz | bu sefer | neden | bunu bitirmeden | deta | अभी | पहले diff | is baar | khatam
    fallisce | rompe | stavolta | perché | ancora | da me | bug | zwraca | wywala | jeszcze | tym razem | czemu
    zanim to | never mind | nevermind | no problem | no idea | no worries | no rush | no hurry
"""  # what makes it one time only
WISHING = """
    never | always | dont | do not | must | should | shouldnt | only | make sure | instead | avoid | remember | prefer
    use | keep | i said | i want | i need | rather than | without | please | no need | important | ensure | we need
    you need | not to | want you to | 应该 | 希望 | 请 | 用 | 要 | てください | ほしい | べき | お願い | だけ
    해주세요 | 해줘 | 해야 | 으로 | 만 | нужно | надо | должен | должна | хочу | лучше | пожалуйста | debe | debería
    quiero | por favor | mejor | asegúrate | deve | quero | melhor | garante | precisa | il faut | dois | doit | veux
    plutôt | vérifie | soll | muss | bitte | möchte | sollte | lütfen | olsun | gerek | istiyorum | चाहिए | करना
    karna | zaroori | voglio | per favore | meglio | musi | proszę | chcę | lepiej | upewnij
"""  # a wish, or a rule that was said of one thing
AGAINST = """
    no | nope | nah | not | wrong | incorrect | thats not | thats wrong | thats incorrect | uh no | absolutely not
    i said | i told | nobody | we dont | were on | we stay | there already | undo that | put it back | why did you
    you should have | you forgot | hm no | hmm no | 不对 | 不是 | 错 | 说了 | 别 | 反了 | いや | 違います | 違う
    ちがう | ではなく | じゃなく | 아니 | 틀렸 | 말고 | 다니까 | 라니까 | нет | неверно | не тот | не то | не та
    не надо | зря | я же | неправильно | mal | ese no | te dije | dije | eso no | não | errado | esse não | eu falei
    eu disse | non | faux | pas | jai dit | cest pas | nein | falsch | nicht | ich sagte | ich hab | ich habe | hayır
    yanlış | o dosya değil | değil | नहीं | गलत | nahi | galat | maine | sbagliato | ho detto | nie | źle | błąd
    mówiłem | nikt | that is the | that is not | this is not | thats the | too | hm | hmm | wrong* | falsche*
    mauvais* | equivocad* | carpeta equivocada | pasta errada | errad* | 目录错 | 放错 | ошиб* | не туда | yanlış*
    błędn* | sbagliat*
"""  # how a reply begins that sets the assistant right
AGAINST_WITHIN = """
    じゃなく | ではなく | 말고 | 다니까 | 라니까 | demiştim | dedim | bola tha | kaha tha | put it back | i said
    still calls it | が違う | 違います | 틀렸 | 错了
"""
NOT_AGAINST = """
    no way | not bad | no worries | no problem | no thanks | wrong window | fine as | not now | 不错 | 不用 | 没事
    違和感 | 괜찮 | no me lo creo | nao acredito | pas mal | nicht schlecht | kein problem | non ci credo | va bene
    nie wierzę | nieźle | не может быть | böyle iyi | fena değil | nahi yaar | sach | passt so | así está bien
    assim tá bom | cest bien | jest dobrze | ничего | 大丈夫
"""
TAKEN_BACK = """
    forget | ignore | scrap | no longer | doesnt apply | dont have to
    any more | anymore | drop the | ok again | no more | not needed | take back | is fine now
    any longer | need not | is over | wherever you like | is lifted | my rule about | what i said about | 可以 | 不用
    忘了 | 取消 | 不必 | 算了 | 限制 | 解除 | 不再 | 作废 | 忘掉 | 忘れて | してもいい | て大丈夫 | 不要 | なしで
    撤回 | なくていい | 言ったこと | 해도 돼 | 잊어 | 안 물어봐도 | 필요 없 | 괜찮 | 해제 | 더 이상 | 말한 건 | можно
    забудь | больше не | не обязательно | отмен | не действует | говорил про | olvida | puedes | ya no | no hace falta
    olvídate | prohibición | lo que dije | esquece | pode | não precisa | não vale mais | esqueça | proibição
    o que eu disse | tu peux | oublie | plus besoin | plus obligatoire | nest plus | ne tient plus | ne vaut plus
    interdiction | ce que jai dit | vergiss | darfst | du kannst | nicht mehr | kein muss | doch wieder | sperre
    was ich | aufgehoben | unut | artık | kalktı | gerek yok | yapabilirsin | geçerli değil | söylediğimi | yasak
    सकते हो | भूल | ज़रूरत नहीं | zarurat nahi | bhool | ab | लागू नहीं | रोक | puoi | lascia perdere | non serve più
    dimentica | non più | non vale più | divieto | quello che ho detto | możesz | można | zapomnij | nie musisz | już
    nie obowiązuje | co mówiłem | 关于
"""
REPLACING = """
    instead | scratch that | make that | from now on | we moved | we switched | switch to | switched to
    changed my mind | second thought | correction | no wait | moved to | change of plan | lets switch
    after all | scrap | and not | from today | 改 | 换成 | 还是 | 代替 | 不要再 | 不是 | 取り消し | やっぱり | 代わりに
    変更 | ではなく | じゃなく | これからは | やはり | 대신 | 바꾸 | 아니다 | 앞으로 | 말고 | 이제부터 | 아니라 | лучше
    вместо | всё-таки | передумал | а не | corrijo | mejor | en vez de | a partir de ahora | en lugar | na verdade
    corrigindo | em vez de | de agora em diante | não mais | finalement | à la place | désormais | en fait | plutôt
    au lieu de | korrektur | stattdessen | statt | ab jetzt | lieber | aslında | yerine | düzeltiyorum | bundan böyle
    balki | ki jagah | ab se | के बजाय | अब से | की जगह | correggo | anzi | invece di | dora in poi | meglio | non più
    jednak | zamiast | poprawka | od teraz | nie
"""
PERMITTING = """
    you can | you may | we can | you are allowed | no need | you dont need to | actually | rather
"""  # how a sentence begins that takes back or replaces what was said
CHANGING = """
    now | not | any more | теперь | ahora | agora | plus | doch | nicht mehr | gelten | artık | değil | नहीं | ya no
    maintenant | jetzt | ora | teraz | 不是 | 以后 | 今 | 이제 | もう
"""  # may tell that a number is another one
REPLACING_LAST = """
    actually | scratch that | make that | no wait | correction | changed my mind | 还是改 | 取り消し | やっぱり
    아니다 | передумал | corrijo | na verdade | corrigindo | finalement | en fait | korrektur | aslında | düzeltiyorum
    balki | correggo | anzi | poprawka | jednak
"""  # the rule said just before, even where the words share nothing
NUDGES = """
    continue yes yep yeah yup yea y k kk ok okay okey sure go on ahead proceed next thanks thank you thx ty do it that
    this then please cool lets great perfect nice good sounds looks alright keep going carry fine by me awesome right
    correct exactly agreed lgtm sgtm approved resume absolutely definitely excellent for with now start roger so both
    继续 继续吧 可以 可以的 好 好的 好吧 嗯 嗯嗯 行 就这么做 就这样 是 是的 对 吧 谢谢 没问题 同意 没错 开始吧 はい
    お願いします ありがとう うん それで 続けて 続けてください ええ オーケー 了解 了解です いいよ いいです どうぞ
    よろしく 大丈夫です そうして 계속 계속해 계속하세요 네 넵 예 응 좋아 좋아요 그래 오케이 진행해 진행해줘 진행하세요
    고마워 감사합니다 알겠어 продолжай продолжайте да ага ок окей давай дальше поехали спасибо хорошо ладно супер
    отлично так и делай согласен sí dale gracias perfecto adelante sigue vale continúa claro genial de acuerdo hazlo
    bueno va venga sim beleza manda ver valeu obrigado pode isso segue em frente tá bom ótimo fechado faz ja oui vas
    merci parfait stp daccord ouais ça marche super allez allons jo mach weiter bitte danke leg los gut passt genau
    gerne alles klar einverstanden devam et evet olur teşekkürler tamam sağ ol peki aynen güzel hadi sürdür जारी रखो
    रखिए ठीक है हाँ हां जी करो कर दो बिल्कुल धन्यवाद शुक्रिया theek hai aage badho badhao chalo karo kar haan ji han
    shukriya sahi vai avanti grazie perfetto procedi bene certo dai daccordo ottimo kontynuuj tak lecimy dzięki
    dziękuję dalej jasne dobra dobrze rób śmiało pewnie zgoda 次 次へ 次へ進んで go-ahead
"""  # words; alone they ask for nothing new
CANCELLING = """
    never mind | nevermind | nvm | forget it | cancel that | cancel | cancel it | drop it | drop this | leave it
    leave it for now | skip it | park this | actually dont | scrap that | forget that | stop | leave that
    never mind that | lets not | abort | on second thought no | 算了 | 停 | 取消 | 不做了 | 先不做了 | 中止 | 中止して
    やめよう | もういい | やっぱりいい | 됐어 | 그만 | 됐어 그만해 | 취소 | 취소해 | забей | стоп | отмена | не надо
    olvídalo | cancela | cancela eso | déjalo | deixa pra lá | esquece isso | laisse tomber | annule | oublie
    lass mal | abbrechen | vergiss es | boş ver | vazgeçtim | iptal | रहने दो | रद्द करो | rehne do | chhodo
    lascia perdere | annulla | lascia stare | nieważne | daj spokój | anuluj
"""  # a message's first clause
CANCELLING_FROM = """
    dont bother | lets drop this | lets drop that | on second thought skip | nah park | nah skip | nvm | それはもういい
    그건 그냥 놔두
"""
DROPPING = """
    never mind the work | drop the work | stop working on | is cancelled | forget the work | forget about the
    cancel the work | we dont need it | drop that | laisse tomber le | lass die arbeit | deja el trabajo
    pare o trabalho | para o trabalho | оставь работу | bırak | काम छोड़ दो | 的工作不用做 | 作業は中止 | 그만둬
    lascia perdere il | zostaw prace
"""  # in the first clause of a message that goes on
FINISHED = """
    merged | works now | that works | it works | works great | works fine | fixed it | fixed now | all good | done
    did the trick | finished | closing the | deployed | shipped | resolved | solved | that was it | thats it
    working now | thats all | 合并了 | 搞定 | 完成了 | 好了 | 没问题了 | 可以用了 | 解决了 | 動きました | 完了
    できました | マージしました | 直りました | 解決しました | 終わり | 머지했 | 잘 되네 | 잘 돼 | 해결 | 끝났 | 됐다
    완료 | работает | заработало | готово | смержил | закончили | решено | закрываем | lo arregló | hecho | funciona
    resuelto | listo | mergeado | arreglado | terminado | funcionou | resolvido | mergeei | deu certo | pronto
    fechada | ça marche | terminé | mergé | nickel | réglé | résolu | cest fait | erledigt | fertig | läuft | gemerged
    gelöst | klappt | çalışıyor | bitti | tamamdır | hallettik | çözüldü | oldu | चल गया | हो गया | ho gaya | chal gaya
    risolto | fatto | funziona | mergiato | finito | zmergowane | zrobione | działa | gotowe
"""
REMARKING = """
    thanks | thank you | looks good | looks fine | fine with me | that was | i read | one more thing | so far | good
    great | nice | danke | so weit | merci | jusquici | gracias | hasta aqui | obrigado | ate aqui | спасибо | пока все
    tesekkurler | buraya kadar | धन्यवाद | यहाँ तक | 谢谢 | 到这里 | ありがとう | ここまで | 고마워 | 여기까지 | grazie
    fin qui | dzieki
"""
UNDECIDED = """
    could | should we | not sure | maybe | either | might | lean | what if | do you want | which | considering
    thinking about | would you | options | perhaps | let me know | if you | i can | lets see | to decide | would be
    还是 | 还没想好 | 哪种 | 方がいいかな | どちら | 할까 | пока не | два варианта | estoy pensando | dos opciones
    cuál | ich überlege | zwei wege | welcher | acho que | peut-être | mı yoksa | forse | może
"""
DECIDING = """
    decided | decision | lets go with | lets use | lets keep | lets do | went with | going with | well use
    we will use | well go with | well do | well keep | we keep | we will keep | we will stay | stay on | stick with
    sticking with | chose | opted | picked | chosen | do it with | id rather | settled | agreed on | dropping
    rejected | in favor of | in favour of | instead of using | 决定 | 就用 | 采用 | 我们保留 | 选择 | 选了 | 定了
    に決め | 採用 | ことにしました | にします | にしましょう | いきましょう | 결정 | 하기로 | 선택 | решено | решили
    берём | решил | выбрал | остаёмся | оставляем | decidido | decidimos | he optado | optamos | opté | vamos con
    me quedo con | nos quedamos | elegí | decidi | vamos de | optei | décidé | on part sur | jai choisi | on garde
    entschieden | variante | wir bleiben | wir nehmen | es bleibt bei | gewählt | karar verdi* | seçtim | तय किया
    चुना | deciso | scelto | scelgo | zdecydowa* | wybieramy | wybrałem | zostajemy
"""
PREFERRING = """
    rather than | instead of | statt | en lugar de | вместо | ではなく | 而不是
"""  # a decision where a reason stands too
REASONS = """
    because | since | so that | as | faster | simpler | weil | porque | потому | 因为 | ため | ので | too | parce que
"""
CLAIMING = """
    pass | passes | passed | passing | green | fixed | fixes | deployed | committed | pushed | merged | clean
    published | removed | deleted | complete | completed | verified | confirmed | works | resolved | resolves | done
    succeeds | succeeded | successfully | no longer fails | without errors | released | finished | 0 failed | 通过了
    已经 | 已修复 | 修复了 | 成功 | 完成了 | 已完成 | 修正しました | 済みです | 通りました | 完了しました | 통과
    수정했 | 완료 | 커밋했 | проходят | закоммитил | запушил | исправлен* | исправил | прошла | успешно | готово
    pasan | corregido | he hecho | sin errores | he subido | corrigi | passam | sucesso | corrigé | passent
    jai poussé | behoben | gepusht | committet | durch | erfolgreich | erledigt | düzeltildi | geçiyor | tamamlandı
    ठीक कर दिया | risolto | passano | corretto | naprawion* | przechodzą | wypchn*
"""
NOT_YET = """
    let me | lets | once | when | if | will | ill | should | would | could | can | make sure | need | needs | verify
    still | before | whether | next | until | must | returns | checks that | expect | about to | to be | fails
    failing | failed | check | ensure | want | might | may | not | 让我 | 应该 | 还有 | 没有 | 然后 | 后我 | 再 | たら
    はず | まだ | 確認します | проверю | должн* | пока | когда | посмотрю | cuando | debería | voy a | todavía | sobald
    sollte | ob | noch nicht | quando | deve | quand | devrait | ainda | encore | 면 | 아직
"""
DONE_ALL_THE_SAME = """
    0 failed | no longer fails | not a single | nothing failed
"""
FAILING = """
    did not work | didnt work | doesnt work because | does not work because | didnt help | did not help | does not help
    dead end | turned out not | turns out its not | ruled out | approach fails | wont work | will not work
    cannot work | made things | not the cause | isnt the cause | same error without | same result | i attempted
    cant be used | no use | reverted | is not possible | isnt possible | gave up on | still fails with | had no effect
    has no effect | was a red herring | not the problem | its not the | 没用 | 不是原因 | 行不通 | 没有效果 | 不起作用
    使えません | 原因ではありません | 駄目でした | ダメでした | だめでした | 効果がありません | 소용없 | 원인이 아니
    안 됐 | не помогло | дело не в | не сработал* | не подходит | подход не работает | no sirve | no era la causa
    no funcionó | no ayudó | não funcionou | não era a causa | ne marche pas | na pas marché | nétait pas la cause
    geht nicht | nicht die ursache | half nicht | nicht geholfen | hat nichts gebracht | işe yaramadı | काम नहीं किया
    non ha funzionato | nie zadziała* | failed because | failed as | failed since | fails because | fehlgeschlagen weil
"""
TELLING_VALUES = f"{FAILING}|{DECIDING}|{PREFERRING}|{CLAIMING}"  # one look before a text is taken apart
VALUE = (  # addresses, keys of tickets and accounts, versions, ports
    r"https?://[^\s\"'<>)\]]+|\b[A-Z]{2,9}-\d+\b|\b[a-z]{2,9}-\d{3,}\b|\bv?\d+\.\d+\.\d+\b|\bport:? \d{2,5}\b|_port\b"
    r"|\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3}):\d{2,5}\b")
DULL_WORDS = """
    the a an and or of to in on at is are be it its this that with for from by as we you i me my our your they do does
    did done dont not no never always only use used using please should must can may will would have has had just also
    any more again now actually instead rather than then about what said rule rules thing ok okay all every each new
    make sure ignore forget longer need doesnt so but if when there here them those these was were been into out up
    down keep prefer avoid remember scratch put work add before after ask session over back take like wherever ce que
    jai dit sur la au aux avant besoin tu peux lo dije sobre para las los con por era o eu disse das dos antes ich zu
    gesagt habe für vor die mehr gilt что я говорил про перед для но уже hakkında söylediğimi önce her zaman yasak
    artık के बारे में जो मैंने कहा था उसे पर को से पहले der und nicht kein keine immer nie niemals bitte auf im mit den
    dem ein eine el de en un una y nunca siempre le les des du et ne pas jamais toujours os da em um uma não sempre il
    gli di non mai в на и не с по у к а это теперь снова можно bir ve bu için na się w z regel regla regra règle regola
    zasada kural правило
"""  # words that say nothing of what a rule is about
MACHINE_LINE = (
    r"\s*(?:\d{1,4}[-:/.]\d\d|at |File \"|\[|[{}<$>|+│├└●✗✓×]|//|#\d|-{2,}|E  |INFO|WARN|ERROR|DEBUG|FAIL|ok |Traceback"
    r"|\w*(?:Error|Exception)\b|npm |error)|.*(?:::|\t|=>|[{;]\s*\Z)|\s*\Z")
SCRIPTS = (("Japanese", "\u3040", "\u30ff"), ("Korean", "\uac00", "\ud7af"), ("Chinese", "\u4e00", "\u9fff"),
           ("Russian", "\u0400", "\u04ff"), ("Hindi", "\u0900", "\u097f"), ("Arabic", "\u0600", "\u06ff"))
COMMON_WORDS = {name: frozenset(words.split()) for name, words in {  # that stand in most sentences of a language
    "English": "the and is this that it you can to of in", "Spanish": "el los las que por una para está en de",
    "Portuguese": "não uma você isso para com os as de em", "French": "le les des est une pas dans pour de et",
    "German": "der die das und ist nicht bitte ein den", "Turkish": "bir ve bu için değil mı lütfen da",
    "Italian": "il che non una per sono gli di e", "Polish": "nie się jest na do że w z to"}.items()}
LEADS = """
    please pls and but also so then ok okay no yes hey just again note important well oh bitte und por
"""
SPACES = str.maketrans({  # apostrophes go, other marks become spaces
    **dict.fromkeys(".,;:!?¿¡()[]{}\"“”«»„…—–、。！？，；：「」‘*_/\\<>|=+~-।（）", " "), "'": "", "’": "", "`": ""})
CONTRAST = """
    instead of | rather than | statt | 말고 | じゃなくて | zamiast | en vez de | en lugar de | em vez de | à la place
    вместо | yerine | ki jagah | invece di | not | nicht | nada de | niente | pas de | а не | değil | nahi chahiye
"""  # in a short sentence
DOING = """
    write a | write the | add a | add an | add the | create | implement | fix | build | rename | update the | move
    why | ajoute | bau | agrega | añade | adiciona | добавь | напиши | исправь | ekle | fixa | dodaj | aggiungi
"""
STILL = """
    but | when | if | almost | not | pero | mas | mais | ma | ale | aber | ama | लेकिन | けど | 는데 | still | а в
    nicht | conflict | 不 | 还 | fast | until | make
"""
ABOUT_THE_SAME = 0.4  # of the shorter sentence; fitted to the rows of tests/words_table.py
TEXT_LOOKED_AT = 6_000  # characters
MOST_SENTENCES = 60  # of one text: more is a pasted page
SHORT_PROMPT, SHORT_ANSWER = 300, 120  # characters
NAMED_VALUE = (  # what a sentence sets; a later sentence that names the same sets it anew
    r"(?i)(?:the )?([^.:=]{2,50}?)"
    r"(?: is| are| was| has| moved to| changed to| listens| lives| runs| now|:|=| est| ist| es)")
NUMBER = r"(?<![\w./-])\d+(?![\w./-]*\w)"
CODE_WORD = r"[\w./-]*[\w][./_][\w./-]*\w|\b[a-z]+[A-Z]\w+"


def bare(text: str) -> str:
    """The text in lower case, without accents."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text.casefold())))


@lru_cache(maxsize=1_024)  # a sentence is looked at for many things
def folded(text: str) -> str:
    """The text as cues are looked up: bare, apostrophes dropped, punctuation as spaces, a space at both ends."""
    return f" {' '.join(bare(text[:TEXT_LOOKED_AT]).translate(SPACES).split())} "


class Cues:
    """A table's cues: single words; phrases by their first word; what begins a word, and Chinese and its kin."""

    def __init__(self, table: str) -> None:
        """Of a table as it stands above: cues between bars, a row per language."""
        told = bare(table).replace("-", " ").replace("\n", "|").split("|")
        found = [cue for cue in map(str.strip, told) if cue]
        self.words = frozenset(cue for cue in found if cue.isalnum() and cue[0] < "\u2e80")
        self.phrases: dict[str, list[str]] = {}
        for cue in found:
            if " " in cue and cue[0] < "\u2e80":
                self.phrases.setdefault(cue.split()[0], []).append(f" {cue[:-1]}" if cue[-1] == "*" else f" {cue} ")
        self.loose = tuple(cue if cue[0] > "\u2e80" else f" {cue.rstrip('*')}" for cue in found
                           if cue not in self.words and (" " not in cue or cue[0] > "\u2e80"))
        self.ascii = tuple(filter(str.isascii, self.loose))

    def longer(self) -> tuple[str, ...]:
        """All but the single words."""
        return (*(phrase for told in self.phrases.values() for phrase in told), *self.loose)


@cache  # no table is taken apart before it is asked for: all of them cost a save 3 ms
def cues(table: str) -> Cues:
    """The table's cues, taken apart once."""
    return Cues(table)


@cache
def openings(table: str) -> tuple[str, ...]:
    """The table's cues as a text's beginning."""
    found = cues(table)
    return (*(f" {word} " for word in found.words), *found.longer())


@cache
def clauses(table: str) -> tuple[str, ...]:
    """The table's cues as a whole clause, or how one begins."""
    return tuple(map(str.strip, openings(table)))


@cache
def words(table: str) -> frozenset[str]:
    """The table's words, bare."""
    return frozenset(bare(table).split())


def has(text: str, table: str) -> bool:
    """Whether one of the table's cues stands in the folded text."""
    said, wanted = text.split(), cues(table)
    return (not wanted.words.isdisjoint(said)
            or any(phrase in text for word in wanted.phrases.keys() & said for phrase in wanted.phrases[word])
            or any(map(text.__contains__, wanted.ascii if text.isascii() else wanted.loose)))


def begins(text: str, table: str) -> bool:
    """Whether the folded text begins with one of the table's cues, after words like "and" or "please"."""
    wanted = openings(table)
    while (not (found := text.startswith(wanted) or text[1:].startswith(wanted))
           and text.split(" ", 2)[1] in words(LEADS)):
        text = text[1:].partition(" ")[1] + text[1:].partition(" ")[2]
    return found


@lru_cache(maxsize=1_024)
def subject(text: str) -> set[str]:
    """What words are about: names of the code (marked), beginnings of words that are not dull, CJK letters in pairs."""
    names = {f"`{name}" for name in re.findall(CODE_WORD, text[:600])}
    plain = folded(re.sub(CODE_WORD, " ", text[:600]))
    found = {word.rstrip("s")[:4] for word in plain.split() if word not in words(DULL_WORDS) and word[0] < "\u2e80"}
    for run in re.findall("[\u2e80-\ud7ff]+", plain):
        found.update(run[at:at + 2] for at in range(len(run) - 1))
    return found | names


def sentences(text: str) -> list[str]:
    """The text's sentences and list entries, wrapped lines joined; fenced code, quoted lines, long runs left out."""
    prose = re.sub(r"(?s)```.*?(?:```|\Z)|(?<=[\w,]) *\n(?=[a-z])", lambda gap: "\n" if "`" in gap[0] else " ", text)
    found = re.split(r"(?<=[.!?])\s+|(?<=[。！？।])|\n+", prose)
    parts = (re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", part.strip()) for part in found)
    return [part for part in parts if 2 < len(part) <= 600 and part[0] not in ">|❯⏺⎿"][:MOST_SENTENCES]


def asks(sentence: str) -> bool:
    """Whether it is a question."""
    return sentence.rstrip(" \"')*").endswith(("?", "？", "吗", "呢", "ですか", "かな"))


def kind_of_words(sentence: str, corrects: bool) -> str:
    """What a typed sentence is: a rule, a wish, a decision, or nothing of these (an empty text)."""
    plain = folded(sentence)
    if asks(sentence):
        return "wish" if has(plain, WISHING) else ""
    once = has(plain, ONCE) or begins(plain, DOING)
    if not once and (has(plain, STANDING) or begins(plain, OPENING)):
        return "rule"
    if decides(plain):
        return "decision"
    contrasts = not once and len(sentence) < 80 and has(plain, CONTRAST)
    return "rule" if corrects or contrasts else "wish" if has(plain, WISHING) else ""


def decides(plain: str) -> bool:
    """Whether folded words tell a choice that is settled: it was decided, or preferred with a reason."""
    settled = has(plain, DECIDING) or (has(plain, PREFERRING) and has(plain, REASONS))
    return settled and not has(plain, UNDECIDED)


def nudges(text: str) -> bool:
    """Whether the words ask for nothing new: "yes", "go on", "ok do it", a thumb."""
    plain = folded(text).split()
    return len(plain) <= 7 and all(word in words(NUDGES) or not any(map(str.isalnum, word)) for word in plain)


def cancels(text: str) -> bool:
    """Whether the message takes back what was asked before: its first clause says just that."""
    clause = folded(re.split(r"[,.;:!—，。、]| - ", text.strip(), maxsplit=1)[0]).strip()
    begun = len(clause) < 50 and clause.startswith(clauses(CANCELLING_FROM))
    return not asks(text) and (begun or clause in clauses(CANCELLING))


def finishes(text: str) -> bool:
    """Whether the message says that what was asked is done."""
    plain = folded(text)
    return len(text) < 100 and not asks(text) and has(plain, FINISHED) and not has(plain, STILL)


def pasted(text: str) -> bool:
    """Whether a program wrote most of it, a log for example, and no line of it asks for something."""
    lines = text.splitlines()
    return len(lines) > 3 and sum(bool(re.match(MACHINE_LINE, line)) for line in lines) > 0.8 * len(lines)


class Conversation:
    """What later entries may end or refer to: live rules, the request, the words said last."""

    def __init__(self, known: Sequence[Record], state: Record) -> None:
        """Goes on from the items of earlier saves and the reading's state, in which it notes the person's language."""
        self.state = state
        self.rules = [one for one in known if one["kind"] in ("rule", "wish")]
        self.requests = [one for one in known if one["kind"] == "request" and one["status"] == "open"]
        self.decisions = [one for one in known if one["kind"] == "decision"]
        self.asked: Record = next((one for one in known if one["kind"] == "question" and one.get("via") == "said"), {})
        self.typed = text_of(state, "typed")
        self.last_words = text_of(state, "last_words")

    def items_of(self, entry: Record) -> Iterator[Record]:
        """The items that an entry gives."""
        if entry["what"] not in ("typed", "said", "call"):
            return
        asked = self.asked if entry["time"] >= text_of(self.asked, "last") else {}
        if asked:  # not by a call from before it, which comes again while it waits
            self.asked = {}
            yield {**asked, "status": "answered"}
        if entry["what"] == "typed":
            yield from self.typed_items(entry, text_of(asked, "text"))
        elif entry["what"] == "said":
            for one in said_items(entry):
                yield from self.reversed_by(one) if one["kind"] == "decision" else ()
                yield one
            self.last_words = entry["text"]
            if question := last_question(entry["text"]):
                self.asked = new_item("question", entry, question, "assistant", via="said")

    def items_at_rest(self) -> Iterator[Record]:
        """What is true when the last entry was read: the question that the turn ended with; language, last words."""
        words = self.last_words if len(self.last_words) < 600 else f"{self.last_words[:300]} … {self.last_words[-280:]}"
        self.state.update(last_words=words, language=language(self.typed), typed=self.typed)
        yield from [self.asked] if self.asked else []

    def typed_items(self, entry: Record, question: str) -> Iterator[Record]:
        """From typed words: an answer, the request or what became of it, rules and corrections, wishes, values."""
        text = entry["text"]
        self.typed = " ".join(f"{self.typed} {text[:1_000]}".split())[-500:].strip()
        if question and len(text) <= SHORT_ANSWER:
            yield new_item("answer", entry, " ".join(text.split()), "user", key=f"{question} {text}"[:300],
                       question=question[:300])
        if nudges(text):
            return
        ended = "cancelled" if cancels(text) else "finished" if finishes(text) else ""
        if about := self.requests[-1:] if ended else self.dropped_by(text):
            self.requests.remove(about[0])
            yield {**about[0], "uses": 0, "status": ended or "cancelled"}
        goes_on = ended == "finished" and not all(remark(part) or finishes(part) for part in sentences(text))
        status = "pasted" if pasted(text) else "open" if goes_on else ended or "open"
        told: list[Record] = []
        if status != "pasted":
            stopped = entry["via"] in ("rejection", "interrupt") and len(text) <= SHORT_PROMPT
            corrects = stopped or (not question and against(text))
            for sentence in [" ".join(text.split())] if corrects and len(text) <= SHORT_PROMPT else sentences(text):
                told += self.sentence_items(entry, sentence, corrects)
        kept = [one for one in told if one["status"] == "open" and one["kind"] != "request"]
        asks_nothing = bool(kept) and all(one["kind"] in ("rule", "value") for one in kept) and all(
            remark(part) or any(one["text"] in part or part in one["text"] for one in kept) for part in sentences(text))
        if asks_nothing and status == "open":
            yield from told
            return
        wished = len(text) <= SHORT_PROMPT and any(one["kind"] == "wish" for one in told)  # it is shown whole
        more = {"status": status, "via": entry["via"], "wished": wished or None}
        request = new_item("request", entry, text[:1_500], "user", **more)
        told = [request, *(one for one in told if one["kind"] != "wish" or not wished)]
        for one in told:
            self.rules = renewed(self.rules, one) if one["kind"] == "wish" else self.rules
        self.requests = renewed(self.requests, request)[:None if status == "open" else -1]
        yield from told

    def dropped_by(self, text: str) -> list[Record]:
        """The request that a longer message takes back before it asks for something else; empty when there is none."""
        first = re.split(r"[,.;:!?—，。；：、！]", text.strip(), maxsplit=1)[0]
        if not has(folded(first), DROPPING) or len(first) > 150:
            return []
        about = [(overlap(subject(first), subject(one["text"])), number)
                 for number, one in enumerate(self.requests)]
        shared, best = max(about, default=(0.0, 0))
        return [self.requests[best]] if shared >= 0.5 else self.requests[-1:]

    def sentence_items(self, entry: Record, sentence: str, corrects: bool) -> Iterator[Record]:
        """From one typed sentence; a rule may end an earlier one."""
        kind = kind_of_words(sentence, corrects)
        ended = {} if asks(sentence) else self.ended_by(sentence)
        if ended:
            self.rules = [one for one in self.rules if one is not ended]
            yield {**ended, "status": "superseded"}
            yield from self.without(ended["text"])
        if kind or ended:
            one = new_item("rule" if ended else kind, entry, sentence, "user", via=entry["via"],
                       corrects=corrects or None, ends=bool(ended) or None)
            self.rules = renewed(self.rules, one) if one["kind"] == "rule" else self.rules
            yield from self.reversed_by(one) if one["kind"] == "decision" else ()
            yield one
        if value := re.search(VALUE, sentence):
            named = re.match(NAMED_VALUE, sentence)
            what = named and " ".join(word for word in folded(named[1]).split() if word not in words(DULL_WORDS))
            yield new_item("value", entry, sentence[:200], "user", key=what or value[0])

    def reversed_by(self, new: Record) -> Iterator[Record]:
        """The earlier decisions on the same thing that a new one replaces, closed."""
        for old in [*self.decisions] if has(folded(new["text"]), REPLACING) else ():
            if old["text"] != new["text"] and overlap(subject(new["text"]), subject(old["text"])) >= ABOUT_THE_SAME:
                self.decisions.remove(old)
                yield {**old, "status": "replaced"}
        self.decisions = renewed(self.decisions, new)

    def without(self, text: str) -> Iterator[Record]:
        """The prompts that hold the text of an ended rule, again without it: shown whole, they would give it back."""
        for number, one in [*enumerate(self.requests)][::-1]:
            if text in one["text"]:
                yield {**one, "status": "gone"}
                rest = {**one, "text": one["text"].replace(text, "[taken back later]"), "uses": 0}
                kept = [rest] if len(one["text"]) - len(text) > 12 else []
                self.requests[number:number + 1] = kept
                yield from kept

    def ended_by(self, sentence: str) -> Record:
        """The live rule that the sentence takes back or replaces; empty when there is none."""
        plain = rest = folded(sentence)
        back, instead = has(plain, TAKEN_BACK) or begins(plain, PERMITTING), has(plain, REPLACING)
        if not (back or instead or has(plain, CHANGING)):
            return {}
        for cue in cues(TAKEN_BACK).longer() if back else ():
            rest = rest.replace(cue, "  ")
        about = subject(rest) | {name for name in subject(sentence) if name[0] == "`"}
        named, numbers = {name for name in about if name[0] == "`"}, {*re.findall(NUMBER, sentence)}
        found: Record = {}
        best = ABOUT_THE_SAME
        asked = [{**one, "text": part} for one in self.requests[-20:] for part in sentences(one["text"][:1_000])]
        for one in [one for one in (*asked, *self.rules[-100:]) if len(one["text"]) < 200]:
            old, numbers_then = subject(one["text"]), {*re.findall(NUMBER, one["text"])}
            anew = bool(numbers_then and numbers - numbers_then)  # the same thing with another number
            same = overlap(about, old) + (0.3 if back and named & old else 0)
            if one["kind"] == "request" and len(about & old) < 3 and not named & old:
                continue  # two words of a request stand in many others
            if same >= best and (back or instead or anew) and folded(one["text"]) != plain:
                found, best = one, same
        if found:
            return found
        last = [one for one in self.rules[-1:] if begins(plain, REPLACING_LAST) and folded(one["text"]) != plain]
        return last[0] if last else {}


def renewed(known: list[Record], new: Record) -> list[Record]:
    """The items with a new one last, without the same words of earlier, as the merge has them."""
    kind, words = new["kind"], bare(new["text"])
    return [*(one for one in known if one["kind"] != kind or bare(one["text"]) != words), new]


def overlap(new: set[str], old: set[str]) -> float:
    """How much two sentences are about the same, 0 to 1: what they share by the shorter one, names counting double."""
    both, least = ([2 if one[:1] == "`" else 1 for one in words] for words in (new & old, min(new, old, key=len)))
    return sum(both) / max(sum(least), 1)


def remark(sentence: str) -> bool:
    """Whether the sentence only comments: thanks, praise, "one more thing"."""
    return nudges(sentence) or (len(sentence) <= 60 and not asks(sentence) and begins(folded(sentence), REMARKING))


def against(text: str) -> bool:
    """Whether a short message sets the assistant right: it begins with "no", or says "I said …"."""
    plain = folded(text)
    return (len(text) <= 200 and len(plain) > 5 and not asks(text) and not has(plain, NOT_AGAINST)
            and (begins(plain, AGAINST) or has(plain, AGAINST_WITHIN)))


def last_question(said: str) -> str:
    """The question among the last three sentences of what was said; empty when there is none."""
    ending = sentences(said[-2_000:])[-3:] if "?" in said or "？" in said else []
    return next((part for part in reversed(ending) if asks(part)), "")


def language(typed: str) -> str:
    """The language of typed words, when it is not English and enough was typed."""
    words = typed.lower().split()
    for name, first, last in SCRIPTS if not typed.isascii() else ():
        if sum(first <= letter <= last for letter in typed) > len(typed) / 12:
            return name
    counts = {name: sum(map(common.__contains__, words)) for name, common in COMMON_WORDS.items()}
    name = max(counts, key=counts.__getitem__)
    return name if name != "English" and counts[name] > 2 else ""


def said_items(entry: Record) -> Iterator[Record]:
    """From the assistant's words: decisions, claims that something is done, dead ends."""
    text = entry["text"][:6_000]
    for sentence in sentences(text) if has(folded(text), TELLING_VALUES) else ():
        kind = kind_of_statement(sentence)
        if kind:
            yield new_item(kind, entry, sentence[:300], "assistant")


def kind_of_statement(sentence: str) -> str:
    """What the assistant's sentence is: a dead end, a decision, a claim, or nothing of these."""
    if len(sentence) < 8 or asks(sentence):
        return ""
    plain = folded(sentence)
    if has(plain, FAILING) and not has(plain, UNDECIDED):
        return "dead end"
    if decides(plain):
        return "decision"
    return "claim" if has(plain, CLAIMING) and (has(plain, DONE_ALL_THE_SAME) or not has(plain, NOT_YET)) else ""
