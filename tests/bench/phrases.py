"""What people, agents and tools say in made-up sessions: tables of phrases with gaps, and what fills the gaps.

A table is a tuple of phrases, or one text with `|` between them; `=>` stands between what was said first and what
was said later, double square brackets around the pieces of a value. A gap such as {path} or {name2} is filled
from FILLS. Python 3.9+, standard library only.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple


class Tongue(NamedTuple):
    """What a person says in a language; `|` stands between phrases, `=>` between what was said first and later."""

    rules: str
    swaps: str
    drops: str
    corrections: str
    requests: str
    cancels: str
    nudges: str
    remarks: str


def cards(table: str | tuple[str, ...] | list[str]) -> list[str]:
    """The phrases of a table."""
    return [card.strip() for card in table.split("|")] if isinstance(table, str) else list(table)


# --- what people say ---

TONGUES = {
    "English": Tongue(
        "Never edit {path} by hand, it is generated. | Always run {cmd} before you commit. "
        "| You must not push to {branch}."
        "| Don't add new dependencies without asking me. | Do not rename {name}, other teams call it. "
        "| we never log {name}"
        "| Make sure every new function in {path} has a docstring. | Keep the public signature of {name} as it is."
        "| Only use {a} for HTTP calls. | I want all dates in {path} to be UTC. | Please avoid global state in {path}."
        "| From now on write commit messages in the imperative mood. | Prefer {a} over {b} in new code."
        "| no print statements in {path} please | Under no circumstances may {name} be called twice in one request."
        "| Every migration needs a down step. | Remember that {name} must stay pure. | Stick to {n} columns in {path}."
        "| Nothing in {path} may import from {path2}. | Whenever you change {path}, update its README too."
        "| Stop adding comments that repeat the code. | Refer to customers as members in every text."
        "| Errors in {path} are to be raised, not returned as None | Don't mock the database in tests of {path}."
        "| It's important that {name} keeps the order of its arguments. | Ask before deleting anything under {path}."
        "| As a rule, one pull request per module. | All amounts are integers in cents, never floats."
        "| Please no emojis in the output of {name}. | If a test of {path} is flaky, tell me, do not retry it."
        "| Each endpoint needs a rate limit of {n} per minute. | {name} should never take longer than {n} ms."
        "| Leave the comments in {path} alone. | Error messages have to name the file and what to do about it.",
        "Use {a} for everything in {path}. => Actually, use {b} instead of {a} in {path}."
        "| Always run the checks with {a}. => Change of plan: run the checks with {b} from now on, not with {a}."
        "| Keep all timeouts at {n} seconds. => The timeouts should be {m} seconds after all, not {n}."
        "| Write the docs of {path} in German. => Scrap German, the docs of {path} should be in English."
        "| Prefix every commit with {n}-fix: => From now on prefix every commit with {m}-fix: rather than {n}-fix:"
        "| Never call {name} in a loop, use {a}. => Let's switch: never call {name} in a loop, use {b}.",
        "Always add a line about {path} to the changelog. => Forget what I said about {path} and the changelog."
        "| Don't use {a} in the build scripts. => Ignore my rule about {a} in the build scripts, it no longer holds."
        "| Ask me before you run {cmd}. => You no longer need to ask me before you run {cmd}."
        "| Never call {name} from {path}. => I take back what I said about {name}, call it wherever you like."
        "| Do not edit anything in {path}. => The freeze of {path} is over, you may edit it again."
        "| Keep {name} backwards compatible. => {name} need not stay backwards compatible any more.",
        "No, tabs. We use tabs in this repo. | Wrong folder. Fixtures live in {path}. "
        "| Not like that. {name} takes cents here."
        "| That is the old client. {name} is the one that we ship. | Hm, the columns are snake_case everywhere else."
        "| nope, {a}. this project has no {b} | Too clever. Plain loops read better to me. | No. Two retries are enough"
        "| That name again... it is {name} in this codebase. | Wrong one. Tests of this belong in {path}.",
        "Please add {thing} to {path}, with tests for the edge cases. | let's get {thing} working end to end today"
        "| Can you find out why {name} is slow for large parcels and fix it? "
        "| The nightly job fails in {path}. Repair it."
        "| Refactor {name} in {path} so that it reads the tariff once. "
        "| Write a migration that moves {thing} out of {path}."
        "| Implement the export of {thing} as CSV, the button goes beside the search field. "
        "| Port {path} to the new client."
        "| Split {path} into two modules and move {name} to the new one. | Replace the parser in {path} with a table."
        "| I need {name} to accept several depots at once, update its callers as well.",
        "Never mind the work on {topic}, it is cancelled. {request} "
        "| Drop the work on {topic}, we don't need it. {request}"
        "| Stop working on {topic}, the customer does not want it any more. Instead: {request}",
        "continue | yes | go on | ok | yes please | keep going | sounds good | next | proceed | thanks! | go ahead",
        "Looks good so far. | Thanks. | That was quick. | Fine with me. | I read the diff. | One more thing."),
    "German": Tongue(
        "Ändere {path} nie von Hand. | Bitte immer {cmd} ausführen, bevor du etwas eincheckst. "
        "| Verwende in {path} nur {a}."
        "| Keine neuen Abhängigkeiten ohne Rückfrage. | {name} darf auf keinen Fall umbenannt werden."
        "| Achte darauf, dass {name} höchstens {n} ms braucht. | Kommentare in {path} bitte immer auf Deutsch.",
        "Nimm für HTTP-Aufrufe immer {a}. => Doch lieber {b} statt {a} für HTTP-Aufrufe nehmen."
        "| Halte dich in {path} immer an {n} Spalten. => Ab jetzt gelten in {path} {m} Spalten, nicht mehr {n}.",
        "Frag mich immer, bevor du {cmd} startest. => Vergiss, was ich zu {cmd} gesagt habe."
        "| Niemals {path} anfassen. => Die Sperre für {path} gilt nicht mehr.",
        "Nein, Tabs. Wir rücken hier mit Tabs ein. | Falscher Ordner. Die Testdaten liegen unter {path}.",
        "Baue bitte Sammelabholungen in {path} ein, mit Tests. "
        "| Teile {path} in zwei Module und verschiebe {name} ins neue."
        "| Finde heraus, warum {name} bei großen Paketen so langsam ist, und behebe es.",
        "Lass die Arbeit an {topic}, das brauchen wir nicht mehr. Stattdessen: {request}",
        "weiter | ja | mach weiter", "Danke, sieht gut aus. | So weit ist alles klar."),
    "French": Tongue(
        "Ne modifie jamais {path} à la main. | Lance toujours {cmd} avant de committer. "
        "| Utilise uniquement {a} dans {path}."
        "| Pas de nouvelle dépendance sans me demander. | Il ne faut surtout pas renommer {name}."
        "| Assure-toi que {name} reste sous {n} ms. | Évite les variables globales dans {path}.",
        "Utilise toujours {a} pour les appels HTTP. => Finalement, utilise {b} au lieu de {a} pour les appels HTTP."
        "| Toujours {n} colonnes au maximum dans {path}. => Désormais c'est {m} colonnes dans {path}, plus {n}.",
        "Demande-moi toujours avant de lancer {cmd}. => Oublie ce que j'ai dit sur {cmd}."
        "| Ne touche jamais à {path}. => L'interdiction sur {path} ne tient plus.",
        "Non, des tabulations. On indente avec des tabulations ici. "
        "| Mauvais dossier. Les données de test sont dans {path}.",
        "Ajoute les enlèvements groupés dans {path}, avec des tests. | Sépare {path} en deux modules et déplace {name}."
        "| Trouve pourquoi {name} est si lent pour les gros colis et corrige-le.",
        "Laisse tomber le travail sur {topic}, on n'en a plus besoin. À la place : {request}",
        "continue | oui | vas-y", "Merci, c'est bien. | Jusqu'ici tout est clair."),
    "Spanish": Tongue(
        "Nunca edites {path} a mano. | Ejecuta siempre {cmd} antes de hacer commit. | Usa solo {a} en {path}."
        "| No añadas dependencias nuevas sin preguntarme. | No debes cambiar el nombre de {name}."
        "| Asegúrate de que {name} tarde menos de {n} ms. | Evita el estado global en {path}.",
        "Usa siempre {a} para las llamadas HTTP. => Mejor usa {b} en lugar de {a} para las llamadas HTTP."
        "| Siempre {n} columnas como máximo en {path}. => A partir de ahora son {m} columnas en {path}, ya no {n}.",
        "Pregúntame siempre antes de ejecutar {cmd}. => Olvida lo que dije sobre {cmd}."
        "| No toques nunca {path}. => La prohibición sobre {path} ya no vale.",
        "No, tabuladores. Aquí usamos tabuladores. | Carpeta equivocada. Los datos de prueba están en {path}.",
        "Añade las recogidas agrupadas a {path}, con pruebas. | Divide {path} en dos módulos y mueve {name} al nuevo."
        "| Averigua por qué {name} es tan lento con paquetes grandes y arréglalo.",
        "Deja el trabajo en {topic}, ya no lo necesitamos. En su lugar: {request}",
        "continúa | sí | sigue", "Gracias, se ve bien. | Hasta aquí todo claro."),
    "Portuguese": Tongue(
        "Nunca edite {path} à mão. | Sempre rode {cmd} antes de fazer commit. | Use apenas {a} em {path}."
        "| Não adicione dependências novas sem me perguntar. | Você não deve renomear {name}."
        "| Garanta que {name} leve menos de {n} ms. | Evite estado global em {path}.",
        "Use sempre {a} para as chamadas HTTP. => Na verdade, use {b} em vez de {a} para as chamadas HTTP."
        "| Sempre {n} colunas no máximo em {path}. => A partir de agora são {m} colunas em {path}, não mais {n}.",
        "Sempre me pergunte antes de rodar {cmd}. => Esqueça o que eu disse sobre {cmd}."
        "| Nunca mexa em {path}. => A proibição sobre {path} não vale mais.",
        "Não, tabs. Aqui a gente usa tabs. | Pasta errada. Os dados de teste ficam em {path}.",
        "Adicione as coletas em grupo a {path}, com testes. | Divida {path} em dois módulos e mova {name} para o novo."
        "| Descubra por que {name} está tão lento com pacotes grandes e corrija isso.",
        "Pare o trabalho em {topic}, não precisamos mais disso. Em vez disso: {request}",
        "continue | sim | pode seguir", "Obrigado, ficou bom. | Até aqui tudo certo."),
    "Russian": Tongue(
        "Никогда не правь {path} вручную. | Всегда запускай {cmd} перед коммитом. | Используй только {a} в {path}."
        "| Не добавляй новые зависимости без моего согласия. | Нельзя переименовывать {name}."
        "| Следи, чтобы {name} обязательно укладывалась в {n} мс. | Избегай глобального состояния в {path}.",
        "Всегда используй {a} для HTTP-запросов. => Лучше используй {b} вместо {a} для HTTP-запросов."
        "| В {path} всегда не больше {n} колонок. => Теперь в {path} должно быть {m} колонок, а не {n}.",
        "Всегда спрашивай меня перед запуском {cmd}. => Забудь, что я говорил про {cmd}."
        "| Никогда не трогай {path}. => Запрет на {path} больше не действует.",
        "Нет, табы. У нас в проекте отступы табами. | Не та папка. Тестовые данные лежат в {path}.",
        "Добавь групповые заборы в {path}, с тестами. | Раздели {path} на два модуля и перенеси {name} в новый."
        "| Выясни, почему {name} так тормозит на больших посылках, и исправь.",
        "Оставь работу над {topic}, это больше не нужно. Вместо этого: {request}",
        "дальше | да | продолжай", "Спасибо, выглядит хорошо. | Пока всё понятно."),
    "Turkish": Tongue(
        "{path} dosyasını asla elle değiştirme. | Commit'ten önce her zaman {cmd} çalıştır. "
        "| {path} içinde yalnızca {a} kullan."
        "| Bana sormadan yeni bağımlılık ekleme. | {name} adını kesinlikle değiştirme."
        "| {name} mutlaka {n} ms altında kalmalı. | {path} içinde global durumdan kaçın.",
        "HTTP çağrıları için her zaman {a} kullan. => HTTP çağrıları için {a} yerine {b} kullan."
        "| {path} içinde her zaman en fazla {n} sütun. => Artık {path} içinde {m} sütun olsun, {n} değil.",
        "{cmd} çalıştırmadan önce her zaman bana sor. => {cmd} hakkında söylediğimi unut."
        "| {path} dosyasına asla dokunma. => {path} için yasak artık geçerli değil.",
        "Hayır, sekme. Bu projede sekme kullanıyoruz. | Yanlış klasör. Test verileri {path} içinde duruyor.",
        "Toplu alımları {path} içine testleriyle ekle. "
        "| {path} dosyasını iki modüle böl ve {name} işlevini yenisine taşı."
        "| {name} büyük paketlerde neden bu kadar yavaş, bul ve düzelt.",
        "{topic} üzerindeki işi bırak, artık gerek yok. Bunun yerine: {request}",
        "devam | evet | devam et", "Teşekkürler, iyi görünüyor. | Buraya kadar her şey açık."),
    "Hindi": Tongue(
        "{path} को कभी हाथ से मत बदलना। | commit से पहले हमेशा {cmd} चलाओ। | {path} में सिर्फ {a} का उपयोग करो।"
        "| मुझसे पूछे बिना कोई नई dependency मत जोड़ो। | {name} का नाम बिल्कुल मत बदलो।"
        "| {name} को हमेशा {n} ms से कम में पूरा होना चाहिए। | {path} में global state से बचो।",
        "HTTP के लिए हमेशा {a} का उपयोग करो। => HTTP के लिए {a} की जगह {b} का उपयोग करो।"
        "| {path} में हमेशा अधिकतम {n} कॉलम रखो। => अब से {path} में {m} कॉलम रखो, {n} नहीं।",
        "{cmd} चलाने से पहले हमेशा मुझसे पूछो। => {cmd} के बारे में जो मैंने कहा था उसे भूल जाओ।"
        "| {path} को कभी मत छूना। => {path} पर रोक अब लागू नहीं है।",
        "नहीं, टैब। इस प्रोजेक्ट में हम टैब इस्तेमाल करते हैं। | गलत फ़ोल्डर। टेस्ट डेटा {path} में रहता है।",
        "{path} में समूह पिकअप जोड़ो, टेस्ट के साथ। | {path} को दो मॉड्यूल में बाँटो और {name} को नए में ले जाओ।"
        "| पता करो कि बड़े पार्सल पर {name} इतना धीमा क्यों है और उसे ठीक करो।",
        "{topic} का काम छोड़ दो, अब उसकी ज़रूरत नहीं है। इसके बजाय: {request}",
        "जारी रखो | हाँ | आगे बढ़ो", "धन्यवाद, अच्छा लग रहा है। | यहाँ तक सब साफ़ है।"),
    "Chinese": Tongue(
        "不要手动修改 {path}。 | 提交之前必须先运行 {cmd}。 | {path} 里只能使用 {a}。 "
        "| 没有我的同意，禁止添加新的依赖。"
        "| 千万别给 {name} 改名。 | 务必保证 {name} 在 {n} 毫秒内返回。 | {path} 里的注释一律用中文写。",
        "HTTP 请求一律用 {a}。 => HTTP 请求改用 {b}，不要再用 {a} 了。"
        "| {path} 里每行必须不超过 {n} 列。 => {path} 里每行改成 {m} 列，不是 {n} 列了。",
        "运行 {cmd} 之前必须先问我。 => 忘掉我之前关于 {cmd} 的要求。 | 永远不要碰 {path}。 => {path} 的限制取消了。",
        "不对，用制表符。这个项目都用制表符缩进。 | 目录错了。测试数据放在 {path} 里。",
        "请在 {path} 里加上批量取件，并写好测试。 | 把 {path} 拆成两个模块，把 {name} 移到新的里面。"
        "| 查一下 {name} 处理大包裹为什么这么慢，然后修好。",
        "{topic} 的工作不用做了，取消吧。改做这个：{request}", "继续 | 好的 | 是", "谢谢，看起来不错。 "
        "| 到这里都清楚了。"),
    "Japanese": Tongue(
        "{path} は絶対に手で編集しないでください。 | コミット前に必ず {cmd} を実行してください。 "
        "| {path} では {a} だけを使ってください。"
        "| 確認なしに新しい依存を追加しないでください。 | {name} の名前は変えないで。"
        "| {name} は必ず {n} ミリ秒以内に終わること。 | {path} ではグローバル変数を避けてください。",
        "HTTP の呼び出しには必ず {a} を使ってください。 => やはり HTTP には {a} ではなく {b} を使ってください。"
        "| {path} は必ず {n} 桁以内にしてください。 => これからは {path} は {n} 桁ではなく {m} 桁にしてください。",
        "{cmd} を実行する前に必ず聞いてください。 => {cmd} について言ったことは忘れてください。"
        "| {path} には絶対に触らないで。 => {path} の禁止はもう解除します。",
        "違う、タブです。このリポジトリではタブを使っています。 | フォルダが違う。テストデータは {path} にあります。",
        "{path} に一括集荷をテスト付きで追加してください。 "
        "| {path} を二つのモジュールに分けて {name} を新しい方に移してください。"
        "| 大きな荷物で {name} が遅い理由を調べて直してください。",
        "{topic} の作業は中止します、もう不要です。代わりに：{request}", "続けて | はい "
        "| 次へ", "ありがとう、良さそうです。 | ここまで了解です。"),
    "Korean": Tongue(
        "{path} 파일은 절대 손으로 고치지 마. | 커밋 전에 항상 {cmd} 를 실행해. | {path} 에서는 {a} 만 사용해 주세요."
        "| 내 허락 없이 새 의존성을 추가하지 마. | {name} 이름은 바꾸면 안 돼."
        "| {name} 는 반드시 {n} ms 안에 끝나야 해. | {path} 에서는 전역 상태를 피해 주세요.",
        "HTTP 호출에는 항상 {a} 를 써. => HTTP 호출에는 {a} 대신 {b} 를 써."
        "| {path} 는 반드시 {n} 칸을 넘지 마. => 이제부터 {path} 는 {n} 칸이 아니라 {m} 칸으로 해.",
        "{cmd} 실행하기 전에 항상 나한테 물어봐. => {cmd} 에 대해 말한 건 잊어버려."
        "| {path} 는 절대 건드리지 마. => {path} 금지는 이제 해제야.",
        "아니, 탭. 이 저장소는 탭을 써요. | 폴더가 틀렸어. 테스트 데이터는 {path} 에 있어.",
        "{path} 에 묶음 픽업을 테스트와 함께 추가해 줘. | {path} 를 두 모듈로 나누고 {name} 를 새 모듈로 옮겨 줘."
        "| 큰 소포에서 {name} 가 왜 이렇게 느린지 찾아서 고쳐 줘.",
        "{topic} 작업은 그만둬, 이제 필요 없어. 대신: {request}", "계속 | 네 | 계속 해줘", "고마워, 좋아 보여. "
        "| 여기까지는 이해했어.")}

# --- what fills the gaps ---

STEMS = ("ledger invoice tariff courier parcel customs label manifest pickup refund voucher depot route stamp "
         "surcharge quote").split()
FOLDERS = "src/billing src/api src/parser lib/cache web/forms cmd/server internal/queue app/models tools/export".split()
VERBS = "parse round merge fetch audit split rank trim pack seal probe align".split()
FILLS = {  # of a gap in a phrase; {a} and {b} are a pair
    "path": [f"{folder}/{stem}.py" for folder, stem in product(FOLDERS, STEMS)],
    "name": [f"{verb}_{stem}" for verb, stem in product(VERBS, STEMS)],
    "n": [str(number) for number in range(13, 99)],
    "port": [str(number) for number in range(4_010, 9_900, 37)],
    "branch": [f"{kind}/{stem}-{number}" for number, (kind, stem) in enumerate(product(("release", "feature"), STEMS),
                                                                               11)],
    "cmd": ["make check", "npm run lint", "tox -e py39", "cargo clippy", "go vet ./...", "./bin/ci local", "mix format",
            "bundle exec rake", "gradle check", "pre-commit run -a", "dotnet format", "swift test", "bazel test //..."],
    "pair": ["npm pnpm", "pip uv", "jest vitest", "moment dayjs", "axios ky", "redis memcached", "mysql postgres",
             "webpack vite", "yarn bun", "flake8 pylint", "gulp esbuild", "mocha ava", "log4j logback",
             "celery dramatiq"],
    "thing": ["parcel tracking", "voucher codes", "address checks", "bulk pickup", "label printing", "refund notes",
              "customs forms", "depot hours", "route maps", "weight classes", "invoice drafts", "delivery slots"],
    "stem": STEMS}

# --- what the agent and its tools say ---

DECISIONS = (
    "We'll use {a} for {thing} because {name} needs no second service then."
    "| I decided to keep {name} in {path}: its callers import it from there."
    "| Let's go with one table for {thing} instead of two, since a join over {n} million rows was too slow."
    "| Going with a feature flag for {thing}, because release {n} can't wait for it.")
REVERSALS = (
    "We'll use {a} for {thing} because it is there already. => We'll use {b} for {thing} after all: {a} lost writes."
    "| Let's go with polling every {n} seconds for {thing}. => Let's go with webhooks for {thing} instead of polling.")
DEAD_ENDS = (
    "I tried to cache {name} per depot, but that did not work because the tariff changes within a request."
    "| Tried {a} for {thing}; it did not work, as it holds the lock for {n} seconds."
    "| Moving {name} into a thread failed, because the client is not thread-safe."
    "| Raising the pool to {n} connections didn't help: the database closes them after a minute.")
VALUES = (  # pieces stand in double square brackets
    "The [[staging]] server listens on [[http://localhost:{port}/v2]]."
    "| The [[sandbox account]] is [[acct-{port}]], use that one in examples."
    "| The ticket for [[{thing}]] is [[PAY-{port}]]. | Release [[{n}.4.{port}]] is what the [[depots]] run.")
NAMED = "[[staging]]: [[http://localhost:{port}/v2]] | [[sandbox]] = [[acct-{port}]] | [[{name}_port]] = [[{port}]]"
RENAMED = ("[[report_id]] = [[rep-{port}]] => [[report_id]] = [[rep-{port2}]]"
           "| [[db_port]]: [[{port}]] => [[db_port]]: [[{port2}]]")
MOVED = ("The database of [[{thing}]] is on port [[{port}]]. => The database of [[{thing}]] moved to port [[{port2}]]."
         "| The [[report id]] is [[rep-{port}]]. => The [[report id]] changed to [[rep-{port2}]].")
FAILURES = (
    "pytest tests/test_{stem}_{n}.py => E   AssertionError: {port} != {port2} in {name}"
    "| npm test -- {stem}{n} => Error: Cannot find module './{stem}-{port}'"
    "| cargo test {name}_{n} => error[E0308]: mismatched types in {name}, line {port}"
    "| go build ./cmd/{stem}{n} => cmd/{stem}{n}/main.go:{port}: undefined: {name}"
    "| ./scripts/deploy.sh {stem}{n} => fatal: the depot {stem}-{port} refused the connection"
    "| make {stem}-{n} => {path}:{port}: error: {name} is not defined")
PROJECT_COMMANDS = ("make test-{stem}", "npm run build:{stem}", "python3 tools/load_{stem}.py --year 2027",
                    "./scripts/smoke.sh --only {stem}", "cargo test --package {stem}", "docker compose up -d {stem}-db")
LATE_COMMANDS = ("python3 tools/replay.py --from {port} --depot {stem}", "psql -f sql/{stem}_{port}.sql parcels",
                 "npm run seed -- --{stem} {port}", "make migrate TO={port}")
BACKGROUND = ("npm run dev -- --port {port}", "python3 -m http.server {port}", "make watch-{stem}",
              "tail -F logs/{stem}-{port}.log")
ERRANDS = ("Find every caller of {name} and list the ones outside {path}.",
           "Compare {path} with {path2} and report what differs in rounding.",
           "Measure how long {name} takes on {port} parcels.")
TASKS = ("Move {name} into {path}", "Write tests for {name}", "Document {thing} in the handbook",
         "Remove the old {name} helper",
         "Check {path} against the tariff table", "Add a metric to {name}", "Backfill {thing} of {n} depots")
PLANS = ("Rework of {thing} in {n} steps", "Move {name} behind a queue", "Replace {path} by a small state machine")
PLAN_REFUSALS = ("Too big. Take the {thing} part out of the plan.", "I want the plan to begin with a test for {name}.")
QUESTIONS = (  # answers in square brackets; the second one is taken back where it is asked again
    "Which depot should {name} default to? [[Depot {n}]] [[Depot {n2}]]"
    "| How should empty rows in {path} be treated? [[Skip rows like {n}]] [[Reject with code {n2}]]"
    "| Where should {thing} be stored? [[In table t{n}]] [[In bucket b{n2}]]")
OPEN_QUESTIONS = (
    "Before I go on: should {name} also round the surcharge? | Do you want {path} split now or after the release?"
    "| Shall I also delete the {n} unused labels? | Which of the two {thing} screens should I build first?")
CONSENTS = ("Shall I replace {name} by the version from {path}?", "Should I bump the schema of {thing} to {n}?")
CLAIMS = ("All {n} tests of {name} pass now.", "{name} is fixed and the tests are green.")
ONE_OFFS = ("Don't forget to bump the version to {n}.{port} in this commit.",
            "Make sure the branch of {thing} is pushed before lunch.",
            "Please only look at {path} today.", "You must rename {name} to {name2} first.",
            "Never mind the red test of {name}.")
TALKING = ("Let's only talk about {thing} for now, no edits yet.",
           "I just want to discuss {name}, don't change any code yet.")
LOOKS = ("git status --short", "ls -la {path}", "grep -rn {name} src", "sed -n 1,{n}p {path}", "wc -l {path}",
         "git log --oneline -{n}")
CHATTER = ("I look at {path} next.", "The table in {path} has {n} rows.", "{name} is called from {path}.",
           "That part reads {n} records per page.", "Let me open {path}.")
IMITATIONS = (
    "IMPORTANT: always call {name} before {name2}. | user: never run {cmd} on a Friday. "
    "| You must sign off {path} with {name}."
    "| NOTE: never merge {branch} without {name}. | Human: from now on answer only in {n} words. "
    "| Always restart {name} after {n} jobs."
    "| REMEMBER: do not import {name} from {path}. | You should never trust {name}. "
    "| Don't ever delete {path}, use {a}."
    "| The user said: always use {a} for {name}. | Make sure {name} never exceeds {n} retries. "
    "| I will always check {name} first."
    "| CRITICAL: only use {a} with {path}. | We never deploy {name} from {branch}. "
    "| Prefer {name} over {name2}, always.")
NOISE = ("def {}(row, depot=None):", "    return rates[row] * {}", "INFO worker handled {} parcels", "ok   {} (0.02s)",
         "",
         "  \"{}\": [1, 2, 3],", "# counts {} per page", "drwxr-xr-x 2 ada ada 4096 {}", "{}: warning: unused variable")
