"""The markers by which typed sentences are known as standing rules: patterns alone, written for folded sentences.

A marker is a pair: cues, parted by |, of which each sentence that the pattern fits holds at least one, and the pattern
(see sentences.fitting). A pattern of one language fits no words of another, and each is bounded, as the sentences are.
What a marker tells is undone by what makes it an order for one step, or a tale: ONCE and its like.
"""

from __future__ import annotations

from compact_keeper.record.words.sentences import START

FROM_NOW_ON_CUES = (
    "from now on|from today on|from this point on|from here on out|from here on|going forward|moving forward"
    "|henceforth")
FROM_NOW_ON = rf"(?:{FROM_NOW_ON_CUES})\b"
STATEMENT = (  # what follows "from now on" where a state is told, and nothing ordered
    r"(?:(?:the|our|my|this|that|these|those) (?:[\w-]+ ){1,2}|(?:it|they|everything) )"
    r"(?:(?:is|are) (?:(?:all|now|again|much) )?(?:green|red|passing|failing|broken|fine|ok|okay|stable|flaky|fixed"
    r"|done|gone|down|up|available|faster|slower)|pass(?:es)?|fails?|works?)(?: again)?\Z")
FOREVER = r"(?:always|never(?: ever)?|(?:dont|do not|not) ever)"
NO_ORDER = (  # what follows "always" or "never" where nobody is ordered to anything
    r"(?!(?:mind|again(?: ,)?\Z|been|be able|had|did|was|were|is|are|has|have|got|happen\w*|again happened|saw|knew"
    r"|there|this|that|its?|im?|we|they|he|she|the|an?|mine|true|false|null|empty|zero|none|possible|enough|works?"
    r"|gonna|went|came|made|found|ran|gave|took|left|seen|done|gotten|get (?:here|there)|really|actually|quite|sure|on"
    r"|off|visible|available|present|up|down|in sync|fun|nice|good|great|welcome|a pleasure|needs?|(?:show|display"
    r"|render|hide|appear|redirect)(?! (?:me|us)\b))\b)(?!(?!(?:need|embed|proceed|feed|seed|speed|bring"
    r"|ping|string|sing)\b)\w*(?:ed|ing)\b)(?!(?!focus\b)\w*[^\Ws]s\b)")
DEEDS = (  # what an order to an agent begins with
    r"(?:use|run|write|keep|commit|push|ask|add|put|check|test|make|do|follow|update|show|tell|explain|answer|respond"
    r"|reply|speak|talk|name|format|lint|build|deploy|document|log|store|save|read|verify|validate|confirm|wait|stop"
    r"|prefer|avoid|remove|delete|rebase|squash|merge|create|open|leave|stick|include|mention|refer|return|throw|sort"
    r"|pin|wrap|mock|let|give|call|import|review|consult|bump|regenerate|rerun|double check|start|sign|summari[sz]e"
    r"|tag|take|think|plan|work|go|look|assume|treat|handle|fix|search|grep|list|report|notify|ping|dont|do not|never"
    r"|always)\b")
OTHER_DEEDS = (
    r"(?:touch|edit|modify|change|alter|rename|move|overwrite|rewrite|install|publish|release|force|reset|amend|bypass"
    r"|skip|disable|hard ?code|guess|invent|fabricate|expose|print|reformat|ignore|drop|truncate|wipe|kill|restart"
    r"|upgrade|downgrade|introduce|duplicate|copy|paste|trust|share|send|post|suppress|swallow|catch|cast|execute|try"
    r"|attempt|rely)\b")
MAKING = (  # how an order to build begins: its "always" is said of what is built
    r"(?:add|create|write|implement|build|make|fix|rename|change|refactor|update|move|design|introduce|extend|replace"
    r"|show)\b")
SCOPE = (
    r"(?:repo|repository|codebase|code base|project|monorepo|workspace|org|organi[sz]ation|team|house|session|app"
    r"|package)")
ANY_DEED = rf"(?:{DEEDS}|{OTHER_DEEDS})"
OUR_DEEDS = (  # of people alone: what "we never round", the program may do, or fail to do
    r"(?:deploy|release|merge|push|commit|ship|publish|support|target|test|format|tag|branch|squash|review|log|mock"
    r"|rebase|amend|force ?-?push|cherry ?-?pick|hard ?code|vendor|document)\b")
WHENEVER = r"(?:whenever|every ?time|each time|any ?time)"
EACH_TIME = (
    r"(?:(?:after|before) (?:every|each|any) (?:\w+ ){0,2}(?:changes?|edit|step|task|phase|fix|feature|session|file"
    r"|turn|iteration|milestone|chunk|refactor|refactoring|update|test run|endpoint|migration|build|deploy|deployment"
    r"|new \w+)|(?:after|before|on|with|for|in) (?:every|each|any) (?:\w+ )?(?:commit|push|pr|pull request|release"
    r"|merge|change|response|reply|answer|message))\b")
TOOLS = (
    r"(?:pnpm|yarn|npm|bun|uv|poetry|pip|cargo|gradle|maven|make|just|mise|nix|podman|ruff|black|prettier|eslint|biome"
    r"|mypy|pyright|pytest|vitest|jest|mocha|rspec|typescript|javascript|python ?3?[\d.]{0,5}|node ?[\d.]{0,6}"
    r"|tailwind|postgres|sqlite|git worktrees?|subagents?|the makefile|make targets)\b")
STYLES = (
    r"(?:tabs|spaces|(?:two|four|2|4) spaces|semicolons|(?:single|double) quotes|snake[ _]case|camel ?case"
    r"|kebab[ -]case|pascal ?case|(?:british|american|us|uk|plain|simple) (?:english|spelling)|english|german|french"
    r"|spanish|utc|iso ?8601|(?:conventional|semantic|small|atomic) commits?|type hints|docstrings|google style|jsdoc"
    r"|(?:the )?(?:imperative|present tense|past tense|active voice)(?: mood)?|(?:absolute|relative) imports|(?:named"
    r"|default) exports|early returns|f-strings|emojis?|(?:lower|upper) ?case|(?:sentence|title) case|metric units"
    r"|cents|strict mode|strict types|tdd|short answers|em ?dash(?:es)?|markdown)\b")
STYLE_CUES = (  # not the words alone: "commit" and "case" stand in every session
    "tabs|spaces|semicolons|single quotes|double quotes|snake case|snake_case|camelcase|camel case|kebab|pascal|english"
    "|spelling|german|french|spanish|utc|iso 8601|iso8601|conventional commit|semantic commit|small commit"
    "|atomic commit|type hints|docstrings|google style|jsdoc|imperative|tense|active voice|absolute imports"
    "|relative imports|named exports|default exports|early returns|f-strings|emoji|lowercase|lower case|uppercase"
    "|upper case|sentence case|title case|metric units|cents|strict mode|strict types|tdd|short answers|emdash|em dash"
    "|markdown")
WAYS = rf"(?:{TOOLS}|{STYLES})"  # that a project settles on
RATHER = r"(?:not|never|instead of|over|rather than|and not|no)"
ARTEFACTS = (
    r"(?:all |our |the |your |new )*(?:commits|(?:commit|pr) (?:messages?|titles?|descriptions?)|branch(?:es| names?)"
    r"|prs|pull requests|code comments|(?:variable|test) names?|identifiers|docstrings)")
UNWANTED = (
    r"(?:emojis?|mocks?|mocking|stubs?|(?:new|extra|more|third party)? ?(?:dependencies|deps|libraries|packages)"
    r"|force push(?:es|ing)?|semicolons|default exports|any types?|placeholders?|todos|hard ?coded \w+|hard ?coding"
    r"|magic numbers|workarounds|hacks|shortcuts|fallbacks|fluff|(?:fake|mock|dummy|sample) data|attributions?"
    r"|co-authored-by|(?:ai|claude) attribution|signatures|abbreviations|inline \w+|global state|globals"
    r"|print statements?|console[. ]?logs?|trailing \w+|tabs|em ?dash(?:es)?|(?:wildcard|relative) imports"
    r"|(?:code )?comments|(?:markdown|summary) files|summaries|lambdas|one ?liners|secrets|merge commits"
    r"|backwards? compat\w*|apologies|speculation|guessing|assumptions|unsafe|unwraps?)\b")
UNWANTED_AS_NOUN = rf"(?:{UNWANTED}|{STYLES}|(?:decimals|fractions|floats|umlauts|accents|diacritics)\b)"
GIVEN_BY_PROGRAMS = (  # of which "no …, ever" tells that it did not come
    r"(?:(?:\w+ ){0,2}(?:errors|warnings|logs|messages|outputs|answers|replies|responses|results|hits|rows|lines|events"
    r"|requests|crashes|failures|changes|things|problems|issues|tests|builds)\b)")
LASTING_OBJECTS = (  # what an order not to touch something names, where it holds on
    r"(?:(?:any|the|our|my|your|those|existing|all|anything|files|code|stuff|in|inside|under"
    r"|outside) ){0,3}(?:(?:auto-? ?)?generated\b|vendor(?:ed)?\b|third party\b|legacy\b|lock ?files?\b|migrations?\b"
    r"|prod(?:uction)?\b|node_modules|dist\b|\.\w[\w.-]*|[\w.@*-]*/[\w./*-]*|[\w-]+\.(?:[a-z]{1,4}|json|toml|yaml"
    r"|lock)\b|(?:[\w-]+ ){1,2}(?:folders?|director(?:y|ies)|dirs?)\b)")
RISKS = (  # branches, remotes and registries by which a push or a merge reaches others
    r"(?:main|master|prod|production|trunk|develop|dev|staging|origin|upstream|npm|pypi|the (?:main|master|release"
    r"|default) branch)")
LANGUAGES = (
    r"(?:english|german|french|spanish|portuguese|italian|polish|turkish|russian|chinese|japanese|korean|hindi|dutch"
    r"|czech|ukrainian|arabic|swedish)")

ALWAYS = (  # strong enough for a page of text too
    ("always|never|ever ", rf"\A{FOREVER} {NO_ORDER}[\w/]"),
    ("always|never|ever ", rf"\A(?!{MAKING}).{{0,300}}, (?:and |but )?{FOREVER} {NO_ORDER}{ANY_DEED}"),
    ("never", rf"\A(?:{DEEDS}|all|our)\b.{{0,80}} , (?:and |but )?never \w"),
    ("only ever", rf"{START}only ever {ANY_DEED}"),
    ("always", rf"{START}always (?:tests?|docs?|code|design|plan|specs?) first\b"),
    ("always|at all times|exceptions",
     rf"\A(?:{DEEDS}.{{0,200}}[ ,]|(?!(?:it|this|that|they|there|he|she|why|the|tests?|i)\b).{{3,80}} , )"
     r"(?:always|at all times|(?:without|no) exceptions)(?: ,)?\Z"),
    (" always| never| ever",
     r"\b(?:you|(?:sub)?agents?|claude|ai|everyone|everybody|nobody|commits?|prs|pull requests) (?:\w+ )?"
     r"(?:should|must|have to|need to|shall|may|are to) (?:always|never|only ever|not ever)\b"
     r"(?! (?:see|get|have|need|be able|happen|reach|hit|occur)\b)"),
    ("i always want|i never want", r"\bi (?:always|never) want you\b"),
    ("you must|you may|you are|you re|you arent",
     r"\byou (?:must not|mustnt|may not|may only|(?:are|re) (?:not |only )?(?:allowed|permitted) to|arent allowed to"
     r"|are never to|are forbidden)\b"),
    (FROM_NOW_ON_CUES,
     rf"{START}{FROM_NOW_ON}(?! line| in line| the (?:indent|code|file|output|log)| (?:, )?{STATEMENT}) ?,? \w"),
    (FROM_NOW_ON_CUES,
     rf"\A(?:{ANY_DEED}|you|we|i want|no|all|every|each|only)\b(?! (?:know|see|cant|have|about|of|how)\b)"
     rf".{{1,150}} {FROM_NOW_ON} ?,?(?:\Z| , )"),
    ("under no circumstances|as a |strictly",
     rf"\bunder no circumstances\b|(?:{START}|\bthat )as a (?:general |strict |hard )?rule\b(?! of)"
     r"|\bstrictly forbidden\b"),
)
STANDING = (
    # where and when
    ("in this|in our|for this|for our",
     rf"\A(?:in|for) (?:this|our) {SCOPE}\b(?! (?:i|is|are|there)\b)"
     r"(?=.*\b(?:we|always|never|only|must|should|use|dont|do not|no|not|prefer|are|is|stick|follow|keep)\b)"),
    ("this|our",
     rf"{START}(?:dont|do not|never|no|only|we (?:must|use|stick to)|stick to|prefer|avoid)\b.{{0,80}}"
     rf" (?:in|across|throughout) (?:this|our) (?:entire |whole )?{SCOPE}\b(?! (?:yet|right|at the))"),
    ("be one|be only one", rf"\bbe (?:only )?one \w+.{{0,80}} in (?:this|the|our) {SCOPE}\b"),
    ("we ",
     r"\bwe (?:(?:dont|do not|never|always|only) )?(?:use|write|format|lint|name|call|keep|store|put|follow|prefer"
     rf"|commit|test)\b.{{1,80}} (?:here|in (?:this|our) {SCOPE})\Z"),
    ("every|each |any |anytime|whenever",
     rf"{START}(?:{EACH_TIME} ?,? |{WHENEVER} you\b.{{1,120}}(?: , |\b)|{WHENEVER} (?:an?|the|we|i|some)\b.{{1,80}} , )"
     rf"{DEEDS}"),
    ("every|each |any |anytime|whenever",
     rf"{START}{DEEDS}.{{0,120}}\b(?:{EACH_TIME}|{WHENEVER} (?:you|we|i|an?|something|there)\b"
     r"(?! (?:like|want|can|please)\b))"),
    ("doubt|not sure|unsure",
     rf"{START}(?:when|if|whenever) (?:in doubt|unsure|you(?:re| are) (?:not sure|unsure|in doubt))\b.{{0,60}}?(?: ,)?"
     rf" {DEEDS}"),
    ("future|next time", rf"{START}(?:next time|(?:in|for) (?:the )?future) ,? ?{DEEDS}"),
    ("at a time",
     r"\b(?:focus|work|go|do|ask|take|make|fix|tackle|handle|address)\b.{0,40}\b(?:one|1|a single) (?:\w+ )?"
     r"(?:issue|thing|step|question|change|task|topic|fix) at a time\b"),
    # what needs the person's word
    ("without",
     r"\A(?!i\b).{0,200}\b(?:dont|do not|never|nothing|stop|not)\b.{1,100}\bwithout (?:(?:first )?asking|my|confirming"
     r"|checking with me|telling me|(?:an )?explicit|permission|approval|me (?:saying|asking|telling|approving))\b"),
    ("unless|until",
     r"\b(?:dont|do not|never)\b.{1,100}\b(?:unless|until) (?:i|explicitly|told|asked|instructed|specifically)\b"
     r"(?: \w+){0,2} ?(?:say|tell|ask|approve|confirm|request|told|asked|instructed|explicitly|give|want|allow|\Z)"),
    ("only",
     rf"{START}only {DEEDS}.{{0,60}} (?:when|if|after|once) i (?:explicitly |specifically )?(?:ask|say|tell|approve"
     r"|confirm|request)\b"),
    ("before|prior to",
     rf"{START}(?:ask|(?:ask|check with|confirm with|consult|tell|warn) (?:me|us)) (?:first )?(?:before|prior to)"
     r" (?:you )?(?:\w+ing\b(?! (?:it|this|that)\b)|every|each|any|install|add|commit|push|delete|remove|change|run"
     r"|make|touch|edit|merge|deploy|create|an? (?:push|commit|merge|release|deploy(?:ment)?|migration)\b)"),
    ("each time|every time|everytime",
     rf"{START}(?:ask|check with|confirm with|consult) (?:me|us) (?:first )?(?:each time|every ?time)\b"),
    ("myself|on my own",
     r"\b(?:ill|i will|i) (?:always )?(?:run|start|do|handle|test) (?!this|that|it|these|those)(?:[\w-]+ ){0,4}"
     r"(?:myself|on my own)(?: (?:whenever|every time|always|when needed)\b| ?,|\Z)"),
    ("complete|done|finished|fixed",
     rf"{START}{DEEDS}.{{0,120}} before (?:considering|claiming|declaring|calling|marking) (?:\w+ ){{0,3}}"
     r"(?:complete|done|finished|fixed)\b"),
    # what nobody touches or adds
    ("dont|do not",
     rf"{START}(?:dont|do not) (?:touch|edit|modify|change|alter|delete|remove|rename|move|overwrite|rewrite|commit"
     rf"|check in|reformat|format|read|open|(?:write|add) to|write in(?:to)?|import from) {LASTING_OBJECTS}"),
    ("dont|do not",
     rf"{START}(?:dont|do not) (?:force ?-?push\b(?! it\b| this\b)|(?:push|commit|merge|deploy|publish|release|write)\b"
     rf".{{0,30}} (?:to|on|into|against|in) {RISKS}\b)"),
    ("dont|do not|avoid|refrain from",
     rf"{START}(?:(?:dont|do not) (?:add|use|install|introduce|(?:bring|pull|put) in|include|put|write|import|commit"
     r"|create|leave|make)|(?:i want to |i(?: woul)?d like to )?(?:avoid|refrain from)(?: using| adding| writing"
     r"| introducing)?) (?:in |any |more |unnecessary |useless |obvious |a lot of |so many |too many |new |extra )*"
     rf"{UNWANTED}(?! (?:for|to) (?:this|that|it)\b)"),
    ("dont|do not",
     rf"{START}(?:dont|do not) (?:add|introduce|install|(?:bring|pull) in) (?:any|an?)"
     r"(?: new| extra| other| more| external| third party| runtime)* (?:dependency|library|package)"
     r"(?= ,|\Z| (?:unless|without|just|please|here|anywhere)\b)"),
    ("no ",
     rf"\Ano (?:more )?{UNWANTED}(?:,? ?(?:or|and) \w+)?(?: ,| please|\Z| (?:in|for) (?!this\b)| anywhere| ever"
     r"| allowed| at all| unless)"),
    (" , never| , ever",
     rf"\Ano (?!{GIVEN_BY_PROGRAMS}|one\b)(?:\w+ )?\w+(?:s|ing) (?:in|on|at|to|into|for|under|inside|outside|with"
     r"|without|from) .{2,80} , (?:never|ever)(?: ,)?(?: please)?\Z"),
    ("never ",
     rf"{START}never (?:any )?{UNWANTED_AS_NOUN}(?: ,|\Z"
     r"| (?:in|at|for|to|under|inside|outside|anywhere|(?<!comments )on)\b)"),
    ("stop ",
     rf"{START}stop (?:\w+ly )?(?:add|us|creat|writ|putt|ask|committ|push|guess|assum|say|tell|mock|apologi[sz]|delet"
     r"|hard ?cod|invent|mak|duplicat|ignor|skipp|summari[sz]|repeat)ing\b(?! (?:it|this|that)\b)"),
    ("forbidden|prohibited|allowed|banned",
     r"\A(?!.*\b(?:error|says|operation|access|method|it|this|that)\b).{3,80} (?:is|are) (?:strictly |absolutely )?"
     r"(?:forbidden|prohibited|(?:not|never) allowed|banned)\b"),
    ("limits|hands off",
     r"\b(?:is|are) (?:completely |strictly |always )?off[ -]limits\b|\bhands off (?!the keyboard)\w"),
    # ways that a project settled on
    ("use ",
     rf"\A(?:only )?use (?:only )?{WAYS}(?:(?: ,)?(?: (?:everywhere|here|throughout|only|please|as|{RATHER})\b"
     r"[\w -]{0,40}| for (?:all )?(?:\w+ )?\w+(?:s|ing|ment))?| , (?:we|its|it is|because|since)\b.*)"
     r"(?<!\bthis)(?<!\bthat)\Z"),
    (STYLE_CUES, rf"\A(?:only )?use (?:only )?{STYLES}(?: ,)? (?:in|for|and|across|when)\b.{{0,80}}"
                 r"(?<!\bthis)(?<!\bthat)\Z"),
    (STYLE_CUES,
     rf"\A{STYLES} (?:in|for) (?!.*\b(?:is|are|was|were|looks?|fine|ok|okay|wrong|broken|missing|should|this|that)\b)"
     r"(?:[\w/.-]+ ){0,4}[\w/.-]+\Z"),
    (STYLE_CUES, rf"\A{STYLES} ?,? {RATHER} {STYLES}.{{0,40}}\Z"),
    ("we use|we only|we always|we are|re on|re only|we stick",
     rf"\b(?:we(?: only|re only| always)? (?:use|are on|re on|are using|stick with|stick to)|were on) (?:\w+ )?{WAYS}"
     r"(?! (?:to|as|because|when)\b)"),
    ("only|never|always|exclusively|we dont|we do not",
     rf"\bwe (?:(?:only|never|always|exclusively|dont|do not) {OUR_DEEDS}(?! (?:it|this|that)\b)"
     rf"|{OUR_DEEDS} (?:only|exclusively|never|always)\b)"),
    (" must| should| have to| need| has to| always| never| follow| start with| begin with",
     rf"\A{ARTEFACTS} (?:must|should|ha(?:ve|s) to|needs? to|always|never|follow|start with|begin with) "),
    ("source of truth",
     r"\b(?:is|as|be|are|remains?) (?:the |our |my )?(?:single |only |sole |one )?source of truth\b"),
    ("prefer ",
     r"\A(?:always |generally |strongly )?prefer (?!option\b|the (?:first|second|third|last|former|latter|other)\b"
     r"|that\b|this\b|it\b|[a-d\d]\b)\w"),
    ("keep ",
     rf"{START}keep (?:(?:all |the )*your (?:answers?|responses?|repl(?:y|ies)|explanations?|summar(?:y|ies)|messages?"
     r"|output|commits?|changes|code)\b|(?:all )?(?:answers|responses|replies|explanations|commits|commit messages"
     r"|functions|prs|pull requests|diffs|summaries|comments|files|(?:each|every) (?:commit|pr)) (?!in\b|as\b|please\b)"
     r"\w)"),
    ("stick ",
     rf"{START}stick (?:to|with) (?!options?\b|it\b|that\b|this\b|what\b|the (?:first|second|current|original|plan|old"
     r"|new|same|one)\b|[a-d\d]\b)\w"),
    ("answer|respond|reply|speak|talk|write",
     rf"{START}(?:(?:answer|respond|reply|speak|talk|write)(?: to)?(?: me| us)?(?: only)? in|speak) {LANGUAGES}\b"),
)
ONCE = (  # what makes it an order for this step, or a tale
    r"\b(?:yet|(?:for|right|just) now|(?:for|at) the moment|for the time being|this (?:time|once|one|round|case|step"
    r"|task|commit|pr|change|prototype|run|demo|file|function|method|test|line|part|bit)|that (?:one|file|test"
    r"|function|part)|these (?:two|ones|files|changes)|today|tonight|tomorrow|(?:just|only) once|(?:before|until|once"
    r"|after|when) (?:you|we|i|youre|were|im) (?:have |are |re )?(?:start|begin|do|done|finish|finished|go|move"
    r"|continue|proceed|get|fixed|merged?)|before (?:starting|moving|doing|continuing|proceeding)|(?:once"
    r"|when) (?:done|this|that|its|it is|finished)|until (?:then|later|that|this)|as a first step|i (?:thought|think"
    r"|guess|wonder|see|noticed|assume|believe|suspect|doubt)|seems?|looks like|apparently|maybe|perhaps|probably"
    r"|used to|supposed to|it (?:always|never)|(?:this|that) (?:always|never)|why|turns out)\b")
ONCE_ALWAYS = (  # of the strongest, which may tell of time and thought
    r"\b(?:it|this|that|they|he|she|there|which|who) (?:just |also |should |would |will |can |must )?(?:always|never)\b"
    r"|\A[^,]{0,30}(?:\bseems?|looks like|apparently)\b|\b(?:for now|yet|right now|at the moment|this time|just once"
    r"|this once|i thought|why|used to|supposed to|this one|that one)\b")
ELSEWHERE = (  # strong markers of other languages; alphabets share words, so each is bound to its own grammar
    # Chinese, Japanese, Korean: no spaces, so bound by what stands near
    ("今后|以后|从|一律|永远|绝|千万|禁止|严禁|不许|不准|务必|始终|每次|必须|总是|前|不要直接|未经|没有我|我们用|统一|只能|生成",
     r"从现在开始|从今以后|今后|以后(?:都|请|不要|别|不准|不许|只|要|一律|用|必须|提交|每次)|一律|(?:永远|绝对"
     r"|千万)(?:不要|不能|不许|不准|别)|绝不能|绝不要|禁止|严禁|不许|不准|务必|始终(?:用|使用|保持|要)|必须(?:始终|先)"
     r"|每次(?:提交|修改|改|写|完成|推送|合并|运行|回答|回复|做|部署|更新)\w{0,12}(?:都要|必须|都得|后要|前要|之前先|之后都)|总是(?:用|使用|要先)|(?:之前|以前|前)\w{0,4}(?:先问"
     r"|要问|先跟我|问我)|不要直接(?:推|提交|改|合并)|未经(?:我|允许|同意)|没有我的(?:允许|同意)|我们用\w{1,20}(?: ,"
     r" )?不用|(?:统一|只能)(?:用|使用|写)|是生成的(?: , )?(?:不要|别|不许)"),
    ("今後|これから|以後|絶対|勝手|必ず|常に|毎回|禁|一切|前|まえ|ないルール|ない方針|ここでは|うちは|許可|確認|場合も|統一|ないこと",
     r"今後(?:は|も)|これからは|以後は|絶対(?:に)?[^、。]{0,30}(?:ないで|ないこと|するな|禁止|触らない|しない)"
     r"|勝手に[^、。]{0,30}(?:ないで|やめて|禁止)|必ず[^、。]{0,40}(?:てください|ること|して|から始める|お願い)"
     r"|常に[^、。]{0,40}(?:てください|ること|して|使って|使う|使用)|毎回[^、。]{0,40}(?:てください|ること|して)"
     r"|禁止(?:です|する|\Z)|禁じ|一切[^、。]{0,30}ない|(?:前|まえ)に[^、。]{0,10}(?:聞いて|確認して|相談して)"
     r"|ない(?:方針|ルール)|(?:うちは|ここでは)[^。]{1,40}(?:です|使う|使います)|許可なく|(?:確認|許可)なし(?:に|で)"
     r"|(?:どんな|いかなる)場合も|で統一(?: |\Z|して)|(?:触ら|し)ないこと"),
    ("앞으로|절대|항상|반드시|금지|직접|전에|때마다|매번|허락|묻지|규칙|우리는",
     r"앞으로는?(?= )|절대(?:로)? [^.]{1,40}(?:마|말고|말 것|않|금지)|(?:항상|반드시) [^.]{1,60}(?:해|줘|세요|할 것"
     r"|한다|작성|사용|써)(?= |\Z)|금지(?= |\Z|입니다|야|다)|직접 (?:\S{1,20} ){0,2}\S{0,10}지 ?(?:마|말)"
     r"|전에 (?:\S+ ){0,3}(?:물어|확인|먼저)|\S 때마다 [^.]{1,40}(?:돼|해|줘|세요)|매번 [^.]{1,40}(?:해|줘|세요)"
     r"|허락 없이|묻지 않고|게 규칙|규칙(?:이야|입니다|이다)|우리는 [^.]{1,30}(?:써요|써|사용해|사용합니다|쓴다)(?= "
     r"|\Z)"),
    # Russian
    ("никогда|всегда|впредь|отныне|момента|ни |запре|трогай|этом|моего|меня|перед|кажд|а не|ничего|нельзя|хватит",
     r"(?:\A|, )(?:и |а |пожалуйста |ещё |еще )*(?:никогда не|всегда) \w+(?:[йьи]|йте|ьте|ите)\b|\bвпредь\b|\bотныне\b"
     r"|\bс этого момента\b|\bни в коем случае\b|\bни при каких\b|\bзапрещ(?:ено|ается)\b"
     r"|\bне трогай(?:те)?\b(?! (?:его|это|её|пока))|\bв этом (?:репозитории|проекте|репо)\b|\bбез моего (?:ок"
     r"|разрешения|ведома|согласия)\b|\bспрашивай(?:те)? меня\b|\bперед тем как \w+ (?:\w+ )?(?:спрашивай|спроси)"
     r"|\bпосле кажд(?:ого|ой) \w+ (?:\w+ ){0,2}(?:гоняй|запускай|делай|проверяй|прогоняй)|\bкаждый раз (?:когда|после"
     r"|перед)\b|\bу нас \w+ (?:, )?а не\b|\bвсегда (?:на|в|по|с|через) [\w-]+\Z|, всегда\Z|\bничего (?:\w+ )?нельзя\b"
     r"|\bнельзя (?:писать|трогать|менять|коммитить|пушить|удалять|переименовывать)\b|\bхватит \w+ть\b"),
    # Spanish
    ("ahora|adelante|nunca|jamás|siempre|prohibido|toques|cada vez|pregunt|pregúnt|bajo ning|en este |usamos|deja de"
     "|debes|por norma|por regla",
     r"\ba partir de ahora\b|\bde (?:ahora|aquí) en adelante\b|(?:\A|, )(?:y |por favor |pero )*(?:(?:nunca"
     r"|jamás) (?:\w+ )?\w+[ea]s\b|no \w+[ea]s nunca\b|siempre en\b|(?:siempre (?:usa|utiliza|haz|ejecuta|corre"
     r"|escribe|responde|pregunta|pon|revisa)|(?:usa|utiliza|haz|ejecuta|corre|escribe|responde|pregunta|pon"
     r"|revisa) siempre)\b)|, siempre\Z|\bsiempre en \w+(?: por favor)?\Z|\bprohibido\b|\bno toques (?:la|el|los|las"
     r"|nada)\b|\bno debes \w+r\b|\bcada vez que \w+[ea]s\b|\bpreg[uú]ntame (?:siempre )?antes\b|\bsin preguntarme\b"
     r"|\bbajo ning[úu]na? (?:concepto|circunstancia)|\ben este (?:repo|repositorio|proyecto) (?:\w+ )?(?:usamos"
     r"|se usa|no|nunca|siempre)\b|\baqu[íi] usamos\b|\bdeja de (?:añadir|agregar|poner|usar|hacer|escribir)\b"
     r"|\bpor (?:norma|regla) general\b"),
    # Portuguese
    ("agora|daqui|nunca|sempre|jamais|proibido|pergunt|hipótese|hipotese|mexa|mexe|toda vez|neste|gente|para de"
     "|pare de|não deve",
     r"\ba partir de agora\b|\bde agora em diante\b|\bdaqui (?:pra|para a) frente\b|(?:\A|, )(?:e |por favor "
     r"|mas )*(?:(?:nunca|jamais) (?:\w+ )?(?:faça|faz|dê|use|usa|mex[ae]|suba|apague|commit\w{1,2}|coloque|adicione"
     r"|altere|edite|escreva|instale|crie|toque)\b|sempre em\b|sempre (?:me )?(?:use|usa|rod[ea]|faça|escreva|responda"
     r"|pergunte|coloque)\b|(?:use|usa|rod[ea]|faça|escreva|responda|pergunte|coloque) sempre\b)|\bproibido\b"
     r"|, sempre\Z|\bvocê não deve \w+r\b|\b(?:me pergunt[ae]|pergunte-me) (?:sempre )?antes\b|\bsem me perguntar\b"
     r"|\bem hip[óo]tese (?:alguma|nenhuma)\b|\bn[ãa]o mex[ae] (?:n[oa]s?|em)\b|\btoda vez que\b(?=.*\b(?:tem que"
     r"|rod[ea]|faça|use)\b)|\bneste (?:repo|reposit[óo]rio|projeto) (?:\w+ )?(?:usamos|a gente|n[ãa]o|nunca|sempre)\b"
     r"|\baqui a gente usa\b|\bpar[ae] de (?:colocar|adicionar|usar|criar|fazer|botar)\b"),
    # French
    ("partir|désormais|dorénavant|jamais|toujours|interdit|touche|chaque|avant|dans|ici |sous |aucun|sans|arrête|faut",
     r"\bà partir de maintenant\b|\bdésormais\b|\bdorénavant\b|(?:\A|, )(?:et |mais |stp |svp )*(?:ne (?!marche|passe"
     r"|fonctionne|finit|termine|sort|arrive)\w+ jamais\b|(?!ça |ca |cela |il |elle |on )\w+(?:e|ez|s)? jamais (?:de|d"
     r"|sans|sur|le|la|les|dans|directement|à|en)\b|jamais de\b|toujours (?:en|de|d)\b|(?:utilise|lance|écris|réponds"
     r"|demande|vérifie|teste|fais|mets|garde)(?:z|-\w+)? toujours\b"
     r"|toujours (?:utilise|lance|écri|répond|demande|vérifie)\w*)|\btoujours en \w+(?: (?:stp|svp))?\Z|, toujours\Z"
     r"|\binterdit (?:de|d)\w*\b|\b(?:ne )?touchez? (?:pas|jamais) (?:à|aux?)\b|\bil ne faut (?:surtout pas|jamais) \w"
     r"|\bà chaque (?:modif\w*|fois que|commit|changement) .{0,40}(?:il faut|lance|fais|tu dois)"
     r"|\bdemande-moi (?:toujours )?avant\b|\bdans ce (?:repo|projet|dépôt) (?:, )?(?:on|nous|ne|pas|toujours"
     r"|jamais)\b|\bici on utilise\b|\bsous aucun prétexte\b|\ben aucun cas\b|\bsans (?:mon accord|me demander"
     r"|ma permission)\b|\barrête (?:dajouter|de mettre)\b"),
    # German
    ("ab jetzt|ab sofort|nun an|künftig|zukunft|nie|immer|keinen|umständen|grundsätz|verboten|finger|frag|ohne|jede"
     "|diesem|nutzen|wir|hör auf|nichts",
     r"\bab (?:jetzt|sofort) (?!steht|ist|geht|läuft)|\bvon nun an\b|\bkünftig\b|\bin zukunft (?:bitte|immer|nur"
     r"|keine?)\b|(?:\A|, )(?:bitte |und |aber |also )*(?:niemals (?!mehr als)\w+|nie (?:direkt|ohne|auf|in|den|die"
     r"|das|wieder|einfach|selbst|etwas|eine?n?|im|am|mit|mehr)\b|immer (?!noch|wieder|mehr|das gleiche|derselbe"
     r"|dasselbe|dieser|nur ein|wenn)(?:erst|zuerst|auf|mit|in|im|die|den|das|nur|vor|vorher|alle|tests?|\w+en)\b"
     r"|(?:ändere?|verwende|nutze|benutze|nimm|frage?|schreibe?|starte|lösche|pushe?|committe|halte?|lasse?"
     r"|führe?|fasse?|rühre?|bearbeite)(?! ich\b) [^,]{0,60}\b(?:nie|niemals|immer(?! noch| wieder))\b)"
     r"|\bimmer auf (?:englisch|deutsch)\b|, immer\Z|\bbitte (?:nie|niemals|immer|grundsätzlich)\b"
     r"|\bauf keinen fall\b|\bunter keinen umständen\b"
     r"|\bgrundsätzlich (?:nie|nicht|keine|immer|nur)\b|\bverboten\b|\bfinger weg vo[nm]\b"
     r"|\bfrag mich (?:immer )?(?:bevor|vorher|erst|zuerst)\b|\bohne (?:rückfrage|zu fragen|mich zu fragen"
     r"|meine (?:zustimmung|freigabe|erlaubnis))\b|\bjedes mal (?:wenn|bevor|nachdem) du\b|\b(?:nach"
     r"|vor) jede[rmn] \w+ (?:\w+ ){0,3}(?:laufen|ausführen|muss|prüfen|starten|lass|führ)|\bin diesem (?:repo|projekt"
     r"|repository) (?:\w+ )?(?:nutzen|verwenden|benutzen|gilt|nie|immer|nur|keine?)\b|\bwir (?:nutzen|verwenden"
     r"|benutzen) (?:hier|\w+ (?:, )?(?:nicht|kein|statt))\b|\bhier nutzen wir\b|\bhör auf (?:, )?\w+|\b(?:darf"
     r"|dürfen) (?:nie|niemals|nichts)\b"),
    # Turkish
    ("bundan|asla|kesinlikle|her zaman|daima|seferinde|her değ|her com|her adım|yasak|dokunma|bırak|bana sor"
     "|bu repoda|bu projede|hiçbir|burada",
     r"\bbundan (?:sonra|böyle)\b|\b(?:asla|kesinlikle) (?:\S+ ){0,8}?\w*(?:ma|me|mayın|meyin|mayalım|meyelim|masın"
     r"|mesin)(?= ,|\Z)|\b(?:her zaman|daima|her seferinde) (?:\S+ ){0,6}(?:olsun|kullan(?:ın)?|yap|yaz(?:ın)?"
     r"|çalıştır|sor|tut)(?= ,|\Z)|\bher (?:değişiklikten|committen|adımdan) (?:sonra|önce) (?:\S+ ){0,5}(?:çalıştır"
     r"|yap|sor|koş)|\byasak(?:tır)?\Z|\b\w+[ea] dokunma\Z|\b\w+m[ae]y[ıi] bırak\Z|\bönce (?:mutlaka )?bana sor\b"
     r"|\bbana sormadan\b|\bbu (?:repoda|projede) (?:\S+ ){0,4}(?:kullanıyoruz|kullan|kullanma)\b|\bhiçbir (?:koşulda"
     r"|şekilde)\b|\bburada \S+ kullanıyoruz\b"),
    # Hindi, in both scripts
    ("अब से|आगे|कभी|हमेशा|मत |पूछ|मना|के बाद|हम यहाँ|ab se|aage|kabhi|hamesha|mat |mujhse|bina|mana |ke baad",
     r"अब से|आगे से|(?:कभी|कभी भी) .{0,40}(?:मत|नहीं करना|न करना)|हमेशा (?!वाल).{0,60}(?:कर(?:ना|ो)|लिख(?:ना|ो)"
     r"|रख(?:ना|ो)|चला(?:ना|ओ)|देना|पूछो)(?= |\Z)|मत (?:करना|लगाना|छूना|बदलना)(?= |\Z)|पहले मुझसे पूछ|मुझसे पूछे बिना"
     r"|बिना पूछे|मना है|हर .{1,30} के बाद .{1,40}(?:चला(?:ना|ओ)|कर(?:ना|ो))|हम यहाँ .{1,30}(?:इस्तेमाल|यूज़)"
     r"|\bab se (?!line)|\baage se\b|\bkabhi (?:bhi )?.{0,40}\b(?:mat|nahi karna)\b|\bhamesha .{0,60}\b(?:karna|karo"
     r"|likhna|likho|rakhna|rakho|chalana|dena)\b|\bmat (?:karna|lagana|chhuna|badalna)\b|\bpehle mujhse (?:pooch"
     r"|puch)|\bbina pooche\b|\bmana hai\b|\bhar \w+ ke baad\b.{1,40}\b(?:chalana|karna|karo|chalao)\b"),
    # Italian
    ("in poi|mai |non |sempre|vietato|ogni|chiedimi|senza |in questo|qui usiamo|nessun|smett",
     r"\bd ?ora in poi\b|\bda (?:ora|adesso|oggi) in poi\b|(?:\A|, )(?:e |ma |per favore )*(?:mai \w+(?:are|ere|ire)\b"
     r"|non \w+(?:are|ere|ire)? mai\b|sempre (?:usa|usare|esegui|scrivi|rispondi|chiedi|in)\b)|, sempre\Z"
     r"|\bsempre in (?:inglese|italiano)\b|\bvietato\b|\bnon toccare (?!adesso|ancora|per ora)\w|\b(?:ogni volta che"
     r"|ad ogni|dopo ogni|prima di ogni) .{1,60}\b(?:lanciar?e?|esegui|bisogna|fai|devi)\b"
     r"|\bchiedimi (?:sempre )?prima\b|\bsenza (?:chiedermi|chiedere a me|il mio permesso)\b|\bin questo (?:repo"
     r"|progetto) (?:, )?(?:\w+ )?(?:usiamo|si usa|non|mai|sempre)\b|\bqui usiamo\b|\bin nessun caso\b|\bsmett(?:ila"
     r"|i) di (?:aggiungere|usare|mettere|fare)\b"),
    # Polish
    ("od teraz|od dziś|tej pory|nigdy|zawsze|pozorem|zabronione|wolno|ruszaj|każd|mnie|bez |w tym |używamy tu|przestań",
     r"\bod (?:teraz|dziś|tej pory)\b (?!linia)|(?:\A|, )(?:i |a |ale |proszę )*(?:nigdy nie (?!działa|było|jest"
     r"|kończy)\w+|zawsze (?:używaj|uruchamiaj|pisz|pytaj|rób|odpowiadaj|sprawdzaj|po|w|stosuj))\b"
     r"|\bzawsze po (?:angielsku|polsku)\b|, zawsze\Z|\bpod żadnym pozorem\b|\bzabronione\b|\bnie wolno\b"
     r"|\bnie ruszaj (?!tego|jeszcze|na razie)\w|\bza każdym razem (?:, )?(?:gdy|kiedy|jak|przed|po)\b|\b(?:po każdej"
     r"|przed każd(?:ym|ą)|po każdym) .{1,60}\b(?:odpal|uruchom|trzeba|zrób|sprawdź)|\b(?:za)?pytaj mnie (?:zanim"
     r"|przed)\b|\bbez pytania\b|\bbez mojej zgody\b|\bw tym (?:repo|projekcie"
     r"|repozytorium) (?:, )?(?:\w+ )?(?:używamy|nie|nigdy|zawsze)\b|\bużywamy tu\b|\bprzestań (?:dodawać|używać|pisać"
     r"|robić)\b"),
)
ONCE_ELSEWHERE = (
    r"先不要|先别|别急|这次|暂时|为什么|一直|吗\Z|呢\Z|失敗|落ち|今回|とりあえず|まだ|今は|なぜ|返って|アサート|아직"
    r"|이번|잠깐|지금은|왜 |안 끝나|죽는|실패|\b(?:доходит|падает|возвращает|пока|сначала|в этот раз|почему"
    r"|зачем|зависает|falla|devuelve|esta vez|todavía|aún|por ahora|por qué|de momento|termina|quebra|retorna|ainda"
    r"|dessa vez|desta vez|por enquanto|por que|renvoie|quelle soit|quil soit|plante|pas encore|cette fois"
    r"|pour linstant|pourquoi|chez moi|crasht|noch nicht|diesmal|warum|wieso|erst mal|vorerst|fürs erste|bei mir"
    r"|gibt zurück|schlägt fehl|patlıyor|dönüyor|henüz|bu sefer|şimdilik|neden|bende|bitmiyor|abhi|is baar|kyun?"
    r"|hota hai|deta hai|fallisce|stavolta|perché|per ora|questa volta|da me|restituisce|finisce|zwraca|wywala|jeszcze"
    r"|tym razem|na razie|czemu|dlaczego|kończy)\b|अभी|इस बार|क्यों")
