"""The standing rules among a person's typed words, and which of them a later message revokes.

A rule holds on after the step at hand is done. A strong marker tells it ("always", "from now on", "we only …", "don't
touch vendor/"), said to the agent and not of a program ("it always returns 0"), of no single step ("for now", "yet",
"before you start"), and no question. Where that is not certain the sentence is no rule: it stands in its message.

A sentence is looked at as folded words: lower case, apostrophes gone, a comma between spaces for each mark that parts
clauses, what stands in quotes left out. Accents stay, so that a word of one language is none of another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_keeper.record.pasted import own_lines
from compact_keeper.types import Record

SENTENCE_MIN_CHARACTERS, SENTENCE_MAX_CHARACTERS = 6, 600  # a longer one is a pasted page, or dictated without marks
SENTENCES_MAX = 200  # of a message
RULES_OF_A_MESSAGE_MAX = 12  # of more the rest stands in the message
PAGE_MIN_CHARACTERS = 6_000  # own words of a message that is a page: a plan, a specification
WRAPPED_LINE_MIN_CHARACTERS = 60  # of a line that goes on in the next
NAMED_SHARE_MIN = 0.5  # of what a rule is about, for a permission that ends it
NAME_STEM_LETTERS = 5  # by which two forms of a word are one
KNOWN_RULES_MAX = 200  # newest, that a message may revoke

LEAD = (  # what may stand before a clause's verb
    r"(?:(?:please|pls|plz|and|but|also|so|then|ok|okay|yes|yeah|yep|no|nope|oh|hey|just|again|btw|fyi|important|note|reminder"
    r"|remember|remember to|dont forget to|never forget to|be sure to|make sure to|make sure you|make sure that you|make sure|try to|well|actually|seriously"
    r"|generally|in general|claude|hint|rule|ps|nb|n|like i said|as i said|i said|i repeat|that said|lets|let us|because|since"
    r"|can you|could you|would you|will you|i want you to|i need you to|i would like you to|id like you to|you need to"
    r"|you have to|you should|you must|it is important to|its important to|its important that you"
    r"|whatever you do|for everything|for all of these|in all cases|for the record|one more thing|one thing) (?:, )?){0,4}")
START = rf"(?:\A|, ){LEAD}"
NO_ORDER = (  # what follows "always" or "never" where nobody is ordered to anything
    r"(?!(?:mind|again(?: ,)?\Z|been|be able|had|did|was|were|is|are|has|have had|got|happened|again happened|saw|knew|there|this|that|it|its"
    r"|i|im|we|they|he|she|the|a|an|mine|true|false|null|empty|zero|none|possible|enough|works?|worked|gonna|happens?|wanted"
    r"|went|came|made|found|ran|gave|took|left|seen|done|gotten|get here|get there|really|actually|quite|showing|sure"
    r"|on|off|visible|available|present|up|down|in sync|fun|nice|good|great|appreciated|welcome|a pleasure|needs?)\b)"
    r"(?!(?!(?:need|embed|proceed|feed|seed|speed|bring|ping|string|sing)\b)\w*(?:ed|ing)\b)"
    r"(?!(?!(?:focus|discuss|pass|process|address|access|express|less)\b)\w+s\b)")
DEEDS = (  # what an order to an agent begins with
    r"(?:use|run|write|keep|commit|push|ask|add|put|check|test|make|do|follow|update|show|tell|explain|answer|respond|reply|speak"
    r"|talk|name|format|lint|build|deploy|document|log|store|save|read|verify|validate|confirm|wait|stop|prefer|avoid|remove"
    r"|delete|rebase|squash|merge|create|open|leave|stick|include|mention|refer|return|throw|sort|pin|wrap|mock|let|give|give"
    r"|call|import|review|consult|bump|regenerate|rerun|double check|start|sign|summari[sz]e|think|plan|work|go|look|assume"
    r"|treat|handle|fix|search|grep|list|report|notify|ping|dont|do not|never|always)")
OTHER_DEEDS = (
    r"(?:touch|edit|modify|change|alter|rename|move|overwrite|rewrite|install|publish|release|force|reset|amend|bypass|skip|disable"
    r"|hard ?code|mock|assume|guess|invent|fabricate|expose|print|reformat|ignore|drop|truncate|wipe|kill|restart|upgrade|downgrade|build"
    r"|add|introduce|duplicate|copy|paste|trust|share|send|post|reply|suppress|swallow|catch|cast|execute|try|have|be)")
PLACE_CUES = r"(?:repo|repository|codebase|code base|project|monorepo|workspace|org|organi[sz]ation|team|house|session|app|package)"
EACH_TIME = (
    r"(?:after|before|on|with|for|in) (?:every|each|any) (?:\w+ ){0,2}(?:change|changes|edit|commit|push|step|task|phase|fix|feature"
    r"|release|merge|session|pr|pull request|file|response|reply|answer|message|iteration|milestone|chunk|deploy|deployment"
    r"|refactor|refactoring|update|turn|test run|endpoint|migration|build|new \w+)\b")
TOOL_CUES = (
    r"(?:pnpm|yarn|npm|bun|uv|poetry|pip|pipenv|conda|cargo|gradle|maven|make|just|mise|nix|podman|ruff|black|prettier|eslint|biome"
    r"|gofmt|rustfmt|isort|mypy|pyright|pytest|vitest|jest|unittest|mocha|rspec|typescript|javascript|python ?3?[\d.]{0,5}"
    r"|node ?[\d.]{0,6}|tailwind|postgres|sqlite|git worktrees?|subagents?|the makefile|make targets)")
STYLES = (
    r"(?:tabs|spaces|(?:two|four|2|4) spaces|semicolons|(?:single|double) quotes|snake_case|camelcase|kebab-case|pascalcase"
    r"|snake case|camel case|kebab case|pascal case|(?:british|american|us|uk|plain|simple) (?:english|spelling)|english|german"
    r"|french|spanish|utc|iso ?8601|conventional commits?|semantic commits?|type hints|docstrings|google style|jsdoc"
    r"|(?:the )?(?:imperative|present tense|past tense|active voice)(?: mood)?|(?:absolute|relative) imports|named exports"
    r"|default exports|early returns|f-strings|emojis?|lower ?case|upper ?case|sentence case|title case|metric units|cents"
    r"|strict mode|strict types|tdd|trunk based development|small commits|atomic commits|short answers|oxford commas?"
    r"|em ?dash(?:es)?|markdown)")
ARTEFACTS = (
    r"(?:all |our |the |your |new )*(?:commits|commit messages?|commit titles?|branch names?|branches|pr titles?|pr descriptions?|prs|pull requests"
    r"|code comments|variable names?|test names?|identifiers|docstrings|feature branches)")
UNWANTED = (
    r"(?:emojis?|mocks?|mocking|force push(?:es|ing)?|new dependencies|dependencies|new deps|extra dependencies|third party \w+"
    r"|semicolons|default exports|any types?|placeholders?|todos|hard ?coded \w+|hard ?coding|magic numbers|workarounds|hacks"
    r"|shortcuts|fallbacks|stubs|fluff|fake data|mock data|dummy data|sample data|attributions?|co-authored-by|ai attribution"
    r"|claude attribution|signatures|abbreviations|inline styles|inline imports|global state|globals|print statements?"
    r"|console ?logs?|console\.logs?|trailing \w+|tabs|em ?dash(?:es)?|wildcard imports|relative imports|comments|code comments"
    r"|markdown files|summary files|summaries|lambdas|one ?liners|yapping|secrets|direct \w+|merge commits|backwards? compat\w*"
    r"|sycophancy|apologies|speculation|guessing|assumptions|unsafe|unwraps?|external \w+)")
LASTING_CUES = (  # what an order not to touch something names, where it holds on
    r"(?:(?:any|the|our|my|your|those|existing|all|anything in|anything under|anything inside|anything outside|files in|files under"
    r"|code in|stuff in|files inside|files outside|code outside|outside|in|inside|under) ){0,3}(?:(?:auto ?)?generated\b|auto-generated\b"
    r"|vendored\b|vendor\b|third party\b|legacy\b|lock ?files?\b|migrations?\b|production\b|prod\b|node_modules|dist\b"
    r"|\.\w[\w.-]*|[\w.@*-]*/[\w./*-]*|[\w-]+\.(?:[a-z]{1,4}|json|toml|yaml|lock)\b|(?:[\w-]+ ){1,2}(?:folders?|director(?:y|ies)|dirs?)\b)")
RISKS = r"(?:main|master|prod|production|trunk|develop|dev|staging|origin|upstream|npm|pypi|the (?:main|master|release|default) branch)"

FROM_NOW_ON = (
    r"(?:from now on|going forward|moving forward|from here on|from here on out|from this point on|henceforth|from today on)\b")
ALWAYS = (  # strong enough for a page of text too
    rf"\A{LEAD}(?:always|never|never ever|dont ever|do not ever|not ever) {NO_ORDER}[\w/]",
    rf"{START}(?:always|never|never ever|dont ever|do not ever|not ever) (?:{DEEDS}|{OTHER_DEEDS})\b",
    rf"\A{LEAD}{DEEDS}\b.{{0,80}} , (?:and |but )?never [\w/]",
    rf"{START}(?:always|never) (?:tests?|docs?|code|design|plan|specs?|commits?) (?:first|in|on|before|with)\b",
    rf"\A{START}{DEEDS}\b.{{0,200}}[ ,](?:always|at all times|without exceptions?|no exceptions|every single time)(?: ,)?\Z",
    r"\A(?!(?:it|this|that|they|there|he|she|why|the|tests?|i)\b).{3,80} , (?:always|at all times|no exceptions)(?: ,)?\Z",
    r"\b(?:you|agents?|subagents?|claude|everyone|everybody|nobody|commits?|commit messages|prs|pull requests) (?:\w+ )?(?:should|must"
    r"|have to|need to|shall|may|are to) (?:always|never|only ever|not ever)\b(?! (?:see|get|have|need|be able|happen|reach|hit|occur)\b)",
    r"\byou (?:must not|mustnt|may not|may only|are not allowed to|arent allowed to|re not allowed to|are only allowed to"
    r"|are never to|are forbidden|are not permitted to)\b",
    r"\bi (?:always|never) want you\b|\bi want you to (?:always|never)\b",
    rf"{START}{FROM_NOW_ON}(?! line| in line| the (?:indent|code|file|output|log)) ?,? \w",
    rf"\A{LEAD}(?:{DEEDS}|{OTHER_DEEDS}|you|we|i want|no|all|every|each|only|apply)\b(?! (?:know|see|cant|have|about|of|how)\b).{{1,150}} {FROM_NOW_ON} ?,?(?:\Z| , )",
    r"\b(?:dont|do not) want (?:to |you to |any )?.{1,60} ever\b(?! (?:since|before))",
    r"\bunder no circumstances\b|\bat all times\b|\bas a (?:general |strict |hard )?rule\b(?! of)|\bstrictly forbidden\b",
)
STANDING = (
    rf"\A(?:{LEAD})(?:in|for) (?:this|our) {PLACE_CUES}\b(?! (?:i|is|are|there)\b)(?=.*\b(?:we|always|never|only|must|should|use|dont|do not|no|not"
    r"|prefer|are|is|stick|follow|keep)\b)",
    rf"\b(?:should|must|may|can)(?: only)? be (?:only )?one \w+.{{0,80}} in (?:this|the|our) {PLACE_CUES}\b",
    rf"\b(?:dont|do not|never|no|only|must|we use|we stick to|stick to|prefer|avoid)\b.{{0,80}} (?:in|across|throughout) (?:this|our) "
    rf"(?:entire |whole )?{PLACE_CUES}\b(?! (?:yet|right|at the))",
    rf"{START}(?:whenever|every ?time|each time|any ?time) you\b.{{1,120}}(?: , |\b)(?:{LEAD}){DEEDS}\b",
    rf"{START}(?:whenever|every ?time|each time) (?:a|an|the|we|i|some)\b.{{1,80}} , (?:{LEAD}){DEEDS}\b",
    rf"{START}{DEEDS}\b.{{1,120}}\b(?:whenever|every ?time|each time|any ?time) (?:you|we|i|a|something|there)\b",
    rf"{START}{DEEDS}\b.{{0,120}}\b{EACH_TIME}|{START}{EACH_TIME} ?,? (?:{LEAD}){DEEDS}\b",
    rf"{START}(?:when|if|whenever) (?:in doubt|unsure|youre unsure|you are unsure|youre not sure|you are not sure|youre in doubt) ?,?"
    rf" (?:{LEAD}){DEEDS}\b",
    rf"{START}{DEEDS}\b.{{0,60}}\b(?:when|if|whenever) (?:in doubt|unsure|youre unsure|you are unsure)\b",
    r"\b(?:dont|do not|never|nothing|stop|not)\b.{1,100}\bwithout (?:asking|my|first asking|checking with me|confirming|telling me|explicit"
    r"|an explicit|permission|approval|me (?:saying|asking|telling|approving)|consulting)\b",
    r"\b(?:dont|do not|never)\b.{1,100}\b(?:unless|until) (?:i|explicitly|told|asked|instructed|specifically)\b(?: \w+){0,2}"
    r" ?(?:say|tell|ask|approve|confirm|request|told|asked|instructed|explicitly|give|want|allow|permit|\Z)",
    rf"{START}(?:ask|check with|confirm with|consult|tell|warn) (?:me|us) (?:first )?(?:before|prior to) (?:you )?(?:\w+ing\b|every|each|any|"
    r"install|add|commit|push|delete|remove|chang|run|mak|touch|edit|merg|deploy|creat)",
    rf"{START}ask (?:first )?before \w+ing\b",
    rf"{START}(?:dont|do not) (?:ever )?(?:touch|edit|modify|change|alter|delete|remove|rename|move|overwrite|rewrite|commit|check in"
    rf"|reformat|format|read|open|write to|write in|write into|add to|import from) {LASTING_CUES}",
    rf"{START}(?:dont|do not) (?:ever )?(?:push|commit|merge|deploy|publish|release|write|force push)\b.{{0,30}} (?:to|on|into|against|in) {RISKS}\b",
    rf"{START}(?:dont|do not) (?:ever )?force ?-?push\b(?! it\b| this\b)",
    rf"{START}(?:dont|do not) (?:ever )?(?:add|use|install|introduce|bring in|pull in|include|put|write|import|commit|create|leave|make)"
    rf" (?:in )?(?:any |more |unnecessary |useless |obvious |a lot of |so many |too many |new |extra )*{UNWANTED}\b(?! (?:for|to) (?:this|that|it)\b)",
    rf"{START}(?:dont|do not) (?:ever )?(?:co-?author|sign commits|add yourself|mention (?:claude|ai|yourself)|attribute)\b",
    rf"\A{LEAD}no (?:more )?{UNWANTED}\b(?:,? ?(?:or|and) \w+)?(?: ,| please|\Z| in (?!this\b)| for (?!this\b)| anywhere| ever| allowed| at all"
    r"| unless| whatsoever)",
    rf"{START}stop (?:\w+ly )?(?:adding|using|creating|writing|putting|asking|committing|pushing|guessing|assuming|saying|telling|mocking"
    r"|apologi[sz]ing|deleting|hard ?coding|inventing|making up|duplicating|ignoring|skipping|summari[sz]ing|repeating)\b"
    r"(?! (?:it|this|that)\b)",
    rf"{START}(?:avoid|refrain from) (?:using |adding |writing |introducing |any |unnecessary )*{UNWANTED}\b",
    rf"\A{LEAD}(?:only )?use (?:only )?{TOOL_CUES}(?: (?:everywhere|here|for everything|only|throughout|as (?:the )?package manager|for \w+s))?"
    r"(?: ,)?(?: ?(?:not|never|instead of|over|rather than|and not|no) [\w -]{1,40})?(?: please)?(?: ,)?\Z",
    rf"\A{LEAD}(?:only )?use (?:only )?{STYLES}(?: ,?|(?: ,)? (?:in|for|everywhere|not|instead of|and|throughout|only|never|rather than|over|please"
    r"|here|across|when)\b(?!.*\b(?:this|that|these|those)\b).{0,80})\Z",
    rf"\A{LEAD}{STYLES} (?:in|for) (?:the |all |our |your |my )?[\w ]{{2,40}}\Z",
    rf"\A{LEAD}(?:{STYLES}|{TOOL_CUES}) ?,? (?:not|instead of|over|never|no|rather than) (?:{STYLES}|{TOOL_CUES})\b.{{0,40}}\Z",
    rf"\bwe(?: only|re only| always)? (?:use|are on|re on|were on|are using|stick with|stick to|standardi[sz]ed on) (?:\w+ )?(?:{TOOL_CUES}|{STYLES})\b"
    r"(?! (?:to|as|because|when)\b)",
    rf"\bwere on {TOOL_CUES}\b",
    rf"\A{LEAD}(?:only )?use {TOOL_CUES}(?: for (?:formatting|linting|tests?|testing|scripts|packages|dependencies|deps|types|type checking))? , (?:we|its|it is|not|never|because|since)\b",
    rf"\A{LEAD}(?:{ARTEFACTS}) (?:must|should|have to|need to|has to|needs to|always|never|follow|start with|begin with|go) ",
    rf"\A{LEAD}(?:{ARTEFACTS}) (?:always |only )?(?:in|as) (?:{STYLES})\b",
    r"\A(?:every|each|any) new \w+ (?:\w+ ){0,3}(?:must|has to|needs to|needs|should|goes|gets)\b",
    r"\A(?:nobody|no one) (?:edits|touches|commits|pushes|merges|changes|deploys|writes)\b",
    r"\Awe (?:squash|squash ?-?merge|squash and merge|rebase and merge|rebase , |rebase instead)\b(?! (?:it|this|that|these|the)\b)",
    rf"\A{LEAD}(?:no more than|at most|max|maximum) \w+ (?:\w+ ){{0,3}}(?:per|in a|in one) (?:function|file|line|method|class|commit|pr|module)\b",
    rf"{START}stick (?:to|with) (?!options?\b|it\b|that\b|this\b|what\b|the (?:first|second|current|original|plan|old|new|same|one)\b|w\b|[a-d\d]\b)\w",
    rf"{START}(?:if|when|whenever) (?:youre|you are) (?:not sure|unsure|uncertain|in doubt)\b.{{0,60}} , (?:{LEAD})(?:ask|dont|do not|stop|check|say)\b",
    rf"\bwe (?:use|write|format|lint|name|call|keep|store|put|do|dont|do not|never|always|only|follow|prefer|commit|test)\b.{{1,80}} (?:here|around here"
    rf"|in (?:this|our) {PLACE_CUES})\Z",
    r"\bwe (?:deploy|release|merge|push|commit|ship|publish|support|target|test|format|tag|branch|squash|review|log) (?:only|exclusively|solely"
    r"|never|always)\b",
    r"\bwe (?:only|never|always|exclusively|dont|do not) (?:deploy|release|merge|push|commit|ship|publish|support|target|format|tag|squash)\b"
    r"(?! (?:it|this|that)\b)",
    r"\A(?!.*\b(?:error|says|operation|access|method|it|this|that)\b).{3,80} (?:is|are) (?:strictly |absolutely )?(?:forbidden|prohibited|not allowed|never allowed|verboten|banned)\b",
    rf"{START}only {DEEDS}\b.{{0,60}} (?:when|if|after|once) i (?:explicitly |specifically )?(?:ask|say|tell|approve|confirm|request)\b",
    r"\b(?:wait for|get|need) my (?:explicit )?(?:approval|confirmation|ok|permission|go|go ahead|go-ahead|sign ?-?off) before (?:any|every|each|\w+ing)\b",
    rf"{START}(?:dont|do not|no|without) .{{0,60}}\bco-?author",
    r"\b(?:is|are) (?:completely |strictly |always )?off[ -]?limits\b|\bhands off (?!the keyboard)\w",
    r"\b(?:is|as|be|are|remains?) (?:the |our |my )?(?:single |only |sole |one )?source of truth\b",
    r"\b(?:the|our|my|one) (?:\w+ )?(?:rule|directive|convention|policy|principle|guideline)(?: here| in this \w+)? is (?:to|that|we|never|always"
    r"|not|no|you|:)\b",
    rf"\A{LEAD}(?:always |generally |strongly )?prefer (?!option\b|the (?:first|second|third|last|former|latter|other)\b|that\b|this\b|it\b|[a-d\d]\b)"
    r"[\w`]",
    r"\Ai (?:generally |usually |always |really |much |strongly )?prefer (?!the\b|that\b|this\b|it\b|your\b)(?:[\w-]+ ){0,2}[\w-]+s\b",
    rf"{START}keep (?:(?:all|the|all the|all of) )?your (?:answers?|responses?|repl(?:y|ies)|explanations?|summar(?:y|ies)|messages?|output"
    r"|commits?|changes|code)\b",
    rf"{START}keep (?:all |the )?(?:answers|responses|replies|explanations|commits|commit messages|functions|prs|pull requests|diffs|summaries"
    r"|comments|files|each commit|every commit|each pr|every pr)\b",
    rf"{START}(?:(?:answer|respond|reply|speak|talk|write)(?: to)?(?: me| us)?(?: only)? in|speak) (?:english|german|french|spanish|portuguese|italian|polish"
    r"|turkish|russian|chinese|japanese|korean|hindi|dutch|czech|ukrainian|arabic|swedish)\b",
    rf"{START}(?:next time|in (?:the )?future|for (?:the )?future) ,? ?(?:{LEAD})(?:{DEEDS})\b",
    rf"{START}(?:remember|keep in mind)(?: that)? we (?:only|never|always|dont|do not|use)\b",
    r"\b(?:ill|i will) (?:\w+ ){1,5}myself (?:whenever|every time|always|when needed)\b",
    r"\b(?:ill|i will|i) (?:always )?(?:do|handle) (?:all )?(?:the |my )?(?:commits|commit|committing|pushes|pushing|pushing and committing"
    r"|merges|merging|deploys|deploying|git \w+) (?:myself|on my own)\b",
)
ONCE = (  # what makes it an order for this step, or a tale
    r"\b(?:yet|for now|right now|for the moment|at the moment|for the time being|just now|this (?:time|once|one|round|case|step|task|commit|pr"
    r"|change|prototype|run|demo|file|function|method|test|line|part|bit)|that (?:one|file|test|function|part)|these (?:two|ones|files|changes)"
    r"|today|tonight|tomorrow|just once|only once|(?:before|until|once|after|when) (?:you|we|i|youre|were|im) (?:have |are |re )?(?:start|begin"
    r"|do|done|finish|finished|go|move|continue|proceed|get|fixed|merged?)|before (?:starting|moving|doing|continuing|proceeding)"
    r"|(?:once|when) (?:done|this|that|its|it is|finished)|until (?:then|later|that|this)|as a first step|i (?:thought|think|guess|wonder"
    r"|see|noticed|assume|believe|suspect|doubt|wonder)|seems?|looks like|apparently|maybe|perhaps|probably|used to|supposed to|it (?:always|never)"
    r"|(?:this|that) (?:always|never)|why|turns out)\b")
ONCE_ALWAYS = (  # of the strongest, which may tell of time and thought
    r"\b(?:it|this|that|they|he|she|there|which|who|and) (?:just |also |should |would |will |can |must )?(?:always|never)\b"
    r"|\b(?:for now|yet|right now|at the moment|this time|just once|this once|i thought|seems?|looks like|apparently|why|used to|supposed to"
    r"|this one|that one)\b")
QUESTION = (
    r"\A(?:(?:and|but|so|ok|okay|also|hmm|wait|well|hey|q|question|uh|no|yes) (?:, )?){0,3}(?:do (?:you|we|i|they|these|those|the|any|all|u)|does|did|is|are|was (?:it|that|this|there|the)|were (?:you|they|there|the|these)|has|have|why|what"
    r"|whats|how|hows|where|wheres|when did|when do|when does|when is|who|whos|which|should|shall|would it|would that|would you say|could it|isnt"
    r"|arent|doesnt|didnt|wouldnt|shouldnt|cant we|can we|can i|could we|may i|will it|will this|what if|how about|any)\b(?! not\b)(?! ever\b)")

ELSEWHERE = (  # strong markers of other languages; alphabets share words, so each is bound to its own grammar
    # Chinese, Japanese, Korean: no spaces, so bound by what stands near
    r"从现在开始|从今以后|今后|以后(?:都|请|不要|别|不准|不许|只|要|一律|用|必须|提交|每次)|一律|(?:永远|绝对|千万)(?:不要|不能|不许|不准|别)|绝不能|绝不要"
    r"|禁止|严禁|不许|不准|务必|始终(?:用|使用|保持|要)|每次(?:\w{0,12})(?:都要|必须|都得|后要|前要|之前先|之后都)|必须始终|总是(?:用|使用|要先)"
    r"|(?:之前|以前|前)(?:\w{0,4})(?:先问|要问|先跟我|问我)|不要直接(?:推|提交|改|合并)|未经(?:我|允许|同意)|没有我的(?:允许|同意)|我们用\w{1,20}(?: , )?不用"
    r"|(?:统一|只能)(?:用|使用|写)|是生成的(?: , )?(?:不要|别|不许)",
    r"今後(?:は|も)|これからは|以後は|絶対(?:に)?[^、。]{0,30}(?:ないで|ないこと|するな|禁止|触らない|しない)|勝手に[^、。]{0,30}(?:ないで|やめて|禁止)|必ず[^、。]{0,40}"
    r"(?:てください|ること|すること|して|から始める|お願い)|常に[^、。]{0,40}(?:てください|ること|して|使って|使う|使用)|毎回[^、。]{0,40}(?:てください|ること|して)"
    r"|禁止(?:です|する|\Z)|禁じ|一切[^、。]{0,30}ない|(?:前|まえ)に[^、。]{0,10}(?:聞いて|確認して|相談して)|ない方針|ないルール|(?:うちは|ここでは)[^。]{1,40}(?:です|使う|使います)"
    r"|許可なく|どんな場合も|いかなる場合も|で統一(?: |\Z|して)|触らないこと|しないこと",
    r"앞으로는?(?= )|절대(?:로)? [^.]{1,40}(?:마|말고|말 것|않|금지|지마|마세요)|항상 [^.]{1,60}(?:해|해줘|세요|줘|주세요|할 것|작성|사용|써)(?= |\Z)|반드시 [^.]{1,60}(?:해|해줘|세요|줘|주세요|할 것|한다)"
    r"(?= |\Z)|금지(?= |\Z|입니다|야|다)|직접 (?:\S{1,20} ){0,2}\S{0,10}지 ?(?:마|말)|(?:전에|기 전에) (?:\S+ ){0,3}(?:물어|확인|먼저)|(?:ㄹ|할|칠|될|\S) 때마다 [^.]{1,40}(?:돼|해|줘|세요)|매번 [^.]{1,40}(?:해|줘|세요)"
    r"|허락 없이|묻지 않고|게 규칙|규칙(?:이야|입니다|이다)|우리는 [^.]{1,30}(?:써요|써|사용해|사용합니다|쓴다)(?= |\Z)",
    # Russian
    r"(?:\A|, )(?:и |а |пожалуйста |ещё |еще )*(?:никогда не \w+(?:й|йте|ь|ьте|и|ите)\b|всегда \w+(?:й|йте|ь|ьте|и|ите)\b)|\bвпредь\b|\bотныне\b|\bс этого момента\b|\bни в коем случае\b"
    r"|\bни при каких\b|\bзапрещено\b|\bзапрещается\b|\bне трогай(?:те)?\b(?! (?:его|это|её|пока))|\bв этом (?:репозитории|проекте|репо)\b|\bбез моего (?:ок|разрешения|ведома|согласия)\b"
    r"|\bспрашивай(?:те)? меня\b|\bперед тем как \w+ (?:\w+ )?(?:спрашивай|спроси)|\bпосле кажд(?:ого|ой) \w+ (?:\w+ ){0,2}(?:гоняй|запускай|делай|проверяй|прогоняй)|\bкаждый раз (?:когда|после|перед)\b"
    r"|\bу нас \w+ (?:, )?а не\b|\bвсегда (?:на|в|по|с|через) [\w-]+\Z|, всегда\Z|\bничего (?:\w+ )?нельзя\b|\bнельзя (?:писать|трогать|менять|коммитить|пушить|удалять)\b|\bхватит \w+(?:ть)\b",
    # Spanish
    r"\ba partir de ahora\b|\bde ahora en adelante\b|\bde aquí en adelante\b|(?:\A|, )(?:y |por favor |pero )*(?:nunca (?:\w+ )?(?:hagas|uses|toques|subas|borres|commitees|pongas|añadas|agregues|modifiques"
    r"|cambies|edites|escribas|instales|crees|empujes|\w+es|\w+as)\b|jamás \w+(?:es|as)\b|siempre (?:usa|utiliza|haz|ejecuta|corre|escribe|responde|pregunta|pon|revisa|en)\b)"
    r"|, siempre\Z|\bsiempre en \w+(?: por favor)?\Z|\bprohibido\b|\bno toques (?:la|el|los|las|nada)\b|\bcada vez que \w+(?:es|as)\b|\bpreg[uú]ntame (?:siempre )?antes\b|\bsin preguntarme\b"
    r"|\bbajo ning(?:ú|u)n(?:a)? (?:concepto|circunstancia)|\ben este (?:repo|repositorio|proyecto) (?:\w+ )?(?:usamos|se usa|no|nunca|siempre)\b|\baqu[íi] usamos\b|\bdeja de (?:añadir|agregar|poner|usar|hacer|escribir)\b"
    r"|\bpor (?:norma|regla) general\b",
    # Portuguese
    r"\ba partir de agora\b|\bde agora em diante\b|\bdaqui (?:pra|para a) frente\b|(?:\A|, )(?:e |por favor |mas )*(?:nunca (?:\w+ )?(?:faça|faz|dê|use|usa|mexa|mexe|suba|apague|commite|commita|commitar|coloque"
    r"|adicione|altere|edite|escreva|instale|crie|toque)\b|sempre (?:use|usa|rode|roda|faça|escreva|responda|pergunte|coloque|em)\b|jamais (?:faça|use|mexa|suba|dê)\b)|\bproibido\b"
    r"|, sempre\Z|\b(?:me pergunt[ae]|pergunte-me) (?:sempre )?antes\b|\bsem me perguntar\b|\bem hip[óo]tese (?:alguma|nenhuma)\b|\bn[ãa]o mex[ae] (?:no|na|nos|nas|em)\b|\btoda vez que\b(?=.*\b(?:tem que|rode|roda|faça|use)\b)"
    r"|\bneste (?:repo|reposit[óo]rio|projeto) (?:\w+ )?(?:usamos|a gente|n[ãa]o|nunca|sempre)\b|\baqui a gente usa\b|\bpar[ae] de (?:colocar|adicionar|usar|criar|fazer|botar)\b",
    # French
    r"\bà partir de maintenant\b|\bdésormais\b|\bdorénavant\b|(?:\A|, )(?:et |mais |stp |svp )*(?:ne |n)?(?!ça |ca |cela |il |elle |on )\w+(?:e|ez|s)? jamais (?:de|d|sans|sur|le|la|les|dans|directement|à|en)\b"
    r"|(?:\A|, )(?:et |mais )*(?:toujours (?:utilise|utiliser|lance|lancer|écris|écrire|réponds|répondre|demande|en)|jamais de)\b|\btoujours en (?:anglais|français|\w+)(?: (?:stp|svp))?\Z|, toujours\Z"
    r"|\binterdit (?:de|d)\w*\b|\b(?:ne )?touche(?:z)? (?:pas|jamais) (?:à|au|aux)\b|\bà chaque (?:modif\w*|fois que|commit|changement) .{0,40}(?:il faut|lance|fais|tu dois)|\bdemande-moi (?:toujours )?avant\b"
    r"|\bdans ce (?:repo|projet|dépôt) (?:, )?(?:on|nous|ne|pas|toujours|jamais)\b|\bici on utilise\b|\bsous aucun prétexte\b|\ben aucun cas\b|\bsans (?:mon accord|me demander|ma permission)\b|\barrête dajouter\b|\barrête de mettre\b",
    # German
    r"\bab (?:jetzt|sofort) (?!steht|ist|geht|läuft)|\bvon nun an\b|\bkünftig\b|\bin zukunft (?:bitte|immer|nur|keine?)\b|(?:\A|, )(?:bitte |und |aber |also )*(?:niemals (?!mehr als)\w+|nie (?:direkt|ohne|auf|in|den|die|das"
    r"|wieder|einfach|selbst|etwas|einen|eine|ein|im|am|mit|mehr)\b|immer (?!noch|wieder|mehr|das gleiche|derselbe|dasselbe|dieser|nur ein|wenn)(?:erst|zuerst|auf|mit|in|im|die|den|das|nur|vor|vorher|alle|pnpm|tests?|\w+en)\b)"
    r"|\bimmer auf (?:englisch|deutsch)\b|, immer\Z|\bbitte (?:nie|niemals|immer|grundsätzlich)\b|\bauf keinen fall\b|\bunter keinen umständen\b|\bgrundsätzlich (?:nie|nicht|keine|immer|nur)\b|\bverboten\b|\bfinger weg (?:von|vom)\b"
    r"|\bfrag mich (?:immer )?(?:bevor|vorher|erst|zuerst)\b|\bohne (?:rückfrage|zu fragen|mich zu fragen|meine (?:zustimmung|freigabe|erlaubnis))\b|\bjedes mal (?:wenn|bevor|nachdem) du\b|\b(?:nach|vor) jede[rmn] \w+ (?:\w+ ){0,3}"
    r"(?:laufen|ausführen|muss|prüfen|starten|lass|führ)|\bin diesem (?:repo|projekt|repository) (?:\w+ )?(?:nutzen|verwenden|benutzen|gilt|nie|immer|nur|keine?)\b|\bwir (?:nutzen|verwenden|benutzen) (?:hier|\w+ (?:, )?(?:nicht|kein|statt))\b"
    r"|\bhier nutzen wir\b|\bhör auf (?:, )?\w+|\bdarf (?:nie|niemals|nichts)\b|\bdürfen (?:nie|niemals)\b",
    # Turkish
    r"\bbundan (?:sonra|böyle)\b|\basla (?:\S+ ){1,8}?\w*(?:ma|me|mayın|meyin|mayalım|meyelim|masın|mesin)(?= ,|\Z)|\b(?:her zaman|daima|her seferinde) (?:\S+ ){0,6}(?:olsun|kullan|yap|yaz|çalıştır|sor|kullanın|yazın|tut)(?= ,|\Z)"
    r"|\bher (?:değişiklikten|committen|commit'ten|adımdan) (?:sonra|önce) (?:\S+ ){0,5}(?:çalıştır|yap|sor|koş)|\byasak(?:tır)?\Z|\b(?:klasörüne|dosyasına|dosyalarına|modüle|\w+[ea]) dokunma\Z|\b\w+m[ae]y[ıi] bırak\Z|\bönce (?:mutlaka )?bana sor\b|\bbana sormadan\b"
    r"|\bbu (?:repoda|projede) (?:\S+ ){0,4}(?:kullanıyoruz|kullan|kullanma)\b|\bhiçbir (?:koşulda|şekilde)\b|\bburada \S+ kullanıyoruz\b",
    # Hindi, in both scripts
    r"अब से|आगे से|(?:कभी|कभी भी) .{0,40}(?:मत|नहीं करना|न करना)|हमेशा (?!वाल).{0,60}(?:करना|करो|लिखना|लिखो|रखना|रखो|चलाना|देना)(?= |\Z)|मत (?:करना|लगाना|छूना|बदलना)(?= |\Z)|(?:पहले|से पहले) मुझसे पूछ|मुझसे पूछे बिना|बिना पूछे"
    r"|मना है|हर .{1,30} के बाद .{1,40}(?:चलाना|करना|करो|चलाओ)|हम यहाँ .{1,30}(?:इस्तेमाल|यूज़)|\bab se (?!line)|\baage se\b|\bkabhi (?:bhi )?.{0,40}\b(?:mat|nahi karna)\b|\bhamesha .{0,60}\b(?:karna|karo|likhna|likho|rakhna|rakho|chalana|dena|use karo)\b"
    r"|\bmat (?:karna|lagana|chhuna|badalna)\b|\b(?:pehle|se pehle) mujhse (?:pooch|puch)|\bbina pooche\b|\bmana hai\b|\bhar \w+ ke baad\b.{1,40}\b(?:chalana|karna|karo|chalao)\b",
    # Italian
    r"\bd ?ora in poi\b|\bda (?:ora|adesso|oggi) in poi\b|(?:\A|, )(?:e |ma |per favore )*(?:mai (?:\w+(?:are|ere|ire)|fare)\b|non \w+(?:are|ere|ire)? mai\b|sempre (?:usa|usare|esegui|scrivi|rispondi|chiedi|in)\b)|, sempre\Z|\bsempre in (?:inglese|italiano)\b"
    r"|\bvietato\b|\bnon toccare (?!adesso|ancora|per ora)\w|\b(?:ogni volta che|ad ogni|dopo ogni|prima di ogni) .{1,60}\b(?:lancia|lanciare|esegui|bisogna|fai|devi)\b|\bchiedimi (?:sempre )?prima\b|\bsenza (?:chiedermi|chiedere a me|il mio permesso)\b"
    r"|\bin questo (?:repo|progetto) (?:, )?(?:\w+ )?(?:usiamo|si usa|non|mai|sempre)\b|\bqui usiamo\b|\bin nessun caso\b|\bsmettila di\b|\bsmetti di (?:aggiungere|usare|mettere|fare)\b",
    # Polish
    r"\bod (?:teraz|dziś|tej pory)\b (?!linia)|(?:\A|, )(?:i |a |ale |proszę )*(?:nigdy nie (?!działa|było|jest|kończy)\w+|zawsze (?:używaj|uruchamiaj|pisz|pytaj|rób|odpowiadaj|sprawdzaj|po|w|stosuj))\b|\bzawsze po (?:angielsku|polsku)\b|, zawsze\Z"
    r"|\bpod żadnym pozorem\b|\bzabronione\b|\bnie wolno\b|\bnie ruszaj (?!tego|jeszcze|na razie)\w|\bza każdym razem (?:, )?(?:gdy|kiedy|jak|przed|po)\b|\b(?:po każdej|przed każd(?:ym|ą)|po każdym) .{1,60}\b(?:odpal|uruchom|trzeba|zrób|sprawdź|odpalić)"
    r"|\b(?:za)?pytaj mnie (?:zanim|przed)\b|\bbez pytania\b|\bbez mojej zgody\b|\bw tym (?:repo|projekcie|repozytorium) (?:, )?(?:\w+ )?(?:używamy|nie|nigdy|zawsze)\b|\bużywamy tu\b|\bprzestań (?:dodawać|używać|pisać|robić)\b",
)
ONCE_ELSEWHERE = (
    r"先不要|先别|别急|这次|暂时|为什么|一直|吗\Z|呢\Z|失敗|落ち|今回|とりあえず|まだ|今は|なぜ|返って|アサート|아직|이번|잠깐|지금은|왜 |안 끝나|죽는|실패|\b(?:доходит|падает|возвращает|пока|сначала|в этот раз|почему|зачем|зависает)\b"
    r"|\b(?:falla|devuelve|esta vez|todavía|aún|por ahora|por qué|de momento|termina)\b|\b(?:quebra|retorna|ainda|dessa vez|desta vez|por enquanto|por que)\b|\b(?:renvoie|plante|pas encore|cette fois|pour linstant|pourquoi|chez moi)\b"
    r"|\b(?:crasht|noch nicht|diesmal|warum|wieso|erst mal|vorerst|fürs erste|bei mir|gibt zurück|schlägt fehl)\b|\b(?:patlıyor|dönüyor|henüz|bu sefer|şimdilik|neden|bende|bitmiyor)\b|अभी|इस बार|क्यों|\b(?:abhi|is baar|kyu|kyun|hota hai|deta hai)\b"
    r"|\b(?:fallisce|stavolta|perché|per ora|questa volta|da me|restituisce|finisce)\b|\b(?:zwraca|wywala|jeszcze|tym razem|na razie|czemu|dlaczego|kończy)\b")
SENTENCE_ENDS = (  # not behind "e.g.", nor behind three dots
    r"(?<=[.!?…])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<!\.\.\.) +|(?<=[.!?][\")”*]) +(?=[A-Z])|(?<=[。！？।])")
FORGETTING = (  # a rule by its name
    rf"{START}(?:you can |you may )?(?:forget|ignore|drop|scrap|cancel|lift|disregard|revoke) (?:about )?(?:the |my |that |our |all )*.{{0,60}}"
    r"\b(?:rules?|ban|restriction|requirement|policy|convention|constraint|freeze)\b",
    rf"{START}(?:forget|ignore|disregard|scrap) (?:everything |all )?(?:what )?i said (?:earlier |before )?(?:about|on)\b",
    r"\b(?:rule|ban|restriction|requirement|policy|convention|constraint|freeze)\b.{0,60}\b(?:no longer (?:applies|holds|counts)|doesnt (?:apply|hold|count)"
    r" any ?(?:more|longer)|does not (?:apply|hold|count) any ?(?:more|longer)|is (?:lifted|off|void|over|dropped|cancelled|obsolete|history))\b",
    r"\bvergiss (?:die regel|die sache|das mit|was ich)\b|\bgilt nicht mehr\b|\boublie (?:ce que jai dit|la règle)\b|\bne (?:vaut|tient|sapplique) plus\b"
    r"|\bolvida (?:lo de|la regla|lo que dije)\b|\bya no (?:aplica|vale)\b|\besque[cç]e? (?:a regra|o que eu disse)\b|\bnão vale mais\b|\blascia perdere la regola\b"
    r"|\bdimentica la regola\b|\bnon vale più\b|\bзабудь про\b|\bбольше не действует\b|\bzapomnij o\b|\bjuż nie obowiązuje\b|\bkuralını unut\b|\bartık geçerli değil\b"
    r"|规则(?:作废|取消|不再)|ルールは(?:もう)?(?:なし|忘れて)|の件は忘れて|규칙은 (?:잊어|이제 없)|\bwali baat bhool\b|वाली बात भूल",
)
PERMITTING = (  # what a rule forbade
    rf"\b(?:you|we) (?:may|can|are allowed to|re allowed to|are free to)\b.{{1,80}}\b(?:again|any ?time|{FROM_NOW_ON})",
    rf"{START}{FROM_NOW_ON} ,? ?(?:you|we) (?:may|can|are allowed to|re allowed to)\b",
    rf"\b(?:is|are) (?:allowed|ok|okay|fine|permitted) (?:again|{FROM_NOW_ON})",
    r"\bdarfst .{0,40}\bwieder\b|\btu peux (?:de|à) nouveau\b|\bya puedes\b.{1,60}\b(?:otra vez|de nuevo)\b|\bjá pode\b.{1,60}\bde novo\b|\bpuoi di nuovo\b|\bможно снова\b|\bснова можно\b"
    r"|\bmożesz (?:już )?(?:znowu|znów)\b|\bartık\b.{1,60}abilirsin\b|以后可以|又可以|また.{1,30}(?:してもいい|して大丈夫)|이제 .{1,40}해도 돼|다시 .{1,40}해도 돼|अब .{1,60}सकते हो|\bab .{1,60}\bsakte ho\b",
)
RELIEVING = (  # of what a rule wants done
    r"\b(?:you|we) (?:dont|do not|no longer) (?:have|need) to\b.{1,80}\b(?:any ?more|any longer)\b|\b(?:you|we) no longer (?:have|need) to\b"
    r"|\bno (?:longer any )?need to\b.{1,80}\b(?:any ?more|any longer)\b",
)
EXCEPTING = (  # an exception, which ends nothing
    r"\b(?:for now|this time|just once|only once|only this|today|tonight|for (?:this|these|that|the)|in this|right now|until|except|if|when|only)\b")
FORBIDDING = r"\b(?:never|dont|do not|no|not|avoid|stop|off|forbidden|without|only|hands|mustnt|niemals|nie|nicht|keine?|finger|nunca|jamás|jamais|prohibido|não|mai|non|nigdy|asla|mat|mana)\b"
UNNAMING = frozenset((  # words that name no rule: grammar, and the forms' own
    "a an the and or of to in on at is are be it its this that with for from by as we you i me my our your they do does did dont not no never "
    "always only just also any more again now actually about what said rule rules thing ok okay all every each make sure forget ignore "
    "longer need have has so but if when there here may can allowed are free time anytime fine permitted drop scrap cancel lift disregard "
    "revoke ban restriction requirement policy convention constraint freeze lifted off over void dropped cancelled obsolete applies apply "
    "holds hold counts count doesnt whatever please earlier before re going forward moving henceforth today point yes well ever use used "
    "using anymore under straight directly must should "
    "vergiss die der das den dem sache regel mit was ich gesagt habe gilt nicht mehr darfst du jetzt wieder ab auf immer nie niemals keine kein und im "
    "oublie ce que jai dit sur la le les règle ne vaut tient sapplique plus tu peux de nouveau à jamais des du maintenant "
    "olvida lo los las el regla dije ya aplica vale puedes hacer otra vez nuevo nunca hagas una un esquece esqueça o os disse não mais mas já pode "
    "dar dê na no agora lascia perdere regola dei del dimentica non più puoi di fare adesso su mai cosa забудь про больше не действует можно снова "
    "теперь в на никогда zapomnij tej zasadzie z o już nie obowiązuje możesz znowu znów nigdy artık yapabilirsin yapma asla kuralını unut geçerli değil "
    "ab sakte ho wali baat bhool jao kar karna mat kabhi par अब पर सकते हो कर करना मत कभी वाली बात भूल जाओ").split())
UNNAMING_LETTERS = (  # of languages without spaces
    r"规则|作废|取消|不再|之前说的|以后|可以|又可以|现在|了|的|ルール|は|もう|なし|忘れて|ください|の件|また|しても|いい|よ|大丈夫|に|て|규칙은?|잊어\S*|이제|다시|해도|돼")
ASKING_MARKS = ("?", "？", "؟")

def standing_sentences(text: str, said: Sequence[str] = ()) -> list[str]:
    """The sentences of a typed message that are standing rules by a strong marker, whole, as typed, spaces folded.

    said: the agent's words so far; what is given back to the agent of them is no rule of the person.
    """
    lines = own_lines(text, said)
    is_page = sum(map(len, lines)) > PAGE_MIN_CHARACTERS
    found = [sentence for sentence in sentences(lines) if is_standing(sentence, is_page)]
    return list(dict.fromkeys(found))[:RULES_OF_A_MESSAGE_MAX]


def is_standing(sentence: str, is_page: bool = False) -> bool:
    """Whether a sentence is a standing rule by a strong marker; on a page only the strongest count."""
    plain = folded(sentence)
    if is_question(sentence, plain):
        return False
    if any(re.search(pattern, plain) for pattern in ELSEWHERE):
        return not re.search(ONCE_ELSEWHERE, plain)
    if any(re.search(pattern, plain) for pattern in ALWAYS):
        return not re.search(ONCE_ALWAYS, plain)
    return not is_page and any(re.search(pattern, plain) for pattern in STANDING) and not re.search(ONCE, plain)


def rules_after(
        known: Sequence[Record], text: str, said: Sequence[str] = ()) -> tuple[list[str], list[Record]]:
    """What a typed message changes: its standing sentences, and those of the known rules that it revokes by name.

    known: items with a `text`, oldest first. An exception or an addition ends nothing; a sentence that revokes is no
    rule itself. Where a name fits several rules and not one of them whole, none ends.
    """
    lines, live = own_lines(text, said), list(known[-KNOWN_RULES_MAX:])
    revoked: list[Record] = []
    revoking: set[str] = set()
    for sentence in sentences(lines):
        ended = revoked_by(sentence, live)
        live = [rule for rule in live if rule not in ended]
        revoked += ended
        revoking.update([sentence] if ended else [])
    return [sentence for sentence in standing_sentences(text, said) if sentence not in revoking], revoked


def revoked_by(sentence: str, known: Sequence[Record]) -> list[Record]:
    """The known rules that the sentence revokes: by a form that does, and by naming them."""
    plain = folded(sentence)
    forgets, permits, relieves = (any(re.search(pattern, plain) for pattern in patterns)
                                  for patterns in (FORGETTING, PERMITTING, RELIEVING))
    forms = (*FORGETTING, *PERMITTING, *RELIEVING)
    clause = next((part for part in plain.split(" , ") if any(re.search(pattern, part) for pattern in forms)), plain)
    names = named_in_rule(clause)
    is_none = is_question(sentence, plain) or re.search(EXCEPTING, plain) or not (forgets or permits or relieves)
    if is_none or not names:
        return []
    shares: list[tuple[float, Record]] = []
    for rule in known:
        wanted = folded(rule["text"])
        about = named_in_rule(wanted)
        forbids = not wanted.isascii() or bool(re.search(FORBIDDING, wanted))
        is_fit = forgets or (permits and forbids) or (relieves and not re.match(rf"{LEAD}{FORBIDDING}", wanted))
        if is_fit and about and all(is_named(name, wanted, about) for name in names):
            shares.append((min(len(names) / len(about), 1.0), rule))
    best = max((share for share, _ in shares), default=0.0)
    fitting = [rule for share, rule in shares if share == best and (forgets or share >= NAMED_SHARE_MIN)]
    return fitting if best == 1 or len(fitting) == 1 else []


def named_in_rule(plain: str) -> list[str]:
    """The words of a folded sentence that name what it is about, each once."""
    spaced = re.sub(UNNAMING_LETTERS, " ", plain) if not plain.isascii() else plain
    found = (word.strip(".-_/") for word in spaced.split())
    return list(dict.fromkeys(word for word in found if word and word != "," and word not in UNNAMING))


def is_named(name: str, rule: str, about: Sequence[str]) -> bool:
    """Whether a name stands in a folded rule: one of its words begins alike; of languages without spaces, as it is."""
    if name[0] > "\u2e80":
        return name in rule
    stem = name[:NAME_STEM_LETTERS].rstrip("s") or name
    return any(word.startswith(stem) and name.startswith(word[:NAME_STEM_LETTERS].rstrip("s")) for word in about)


def is_question(sentence: str, plain: str) -> bool:
    """Whether the sentence asks: by its mark, or by how it begins."""
    return sentence.rstrip(" \"'”*)").endswith(ASKING_MARKS) or bool(re.match(QUESTION, plain))


def sentences(lines: Sequence[str]) -> list[str]:
    """The sentences of lines, those of a list one by one, wrapped lines joined, spaces folded."""
    parts: list[str] = []
    for line in lines:
        entry = re.sub(r"\A\s*(?:[-*•–+]|\(?\d{1,2}[.)]|[a-zA-Z][.)])\s+", "", line)
        goes_on = (parts and entry == line and len(parts[-1]) >= WRAPPED_LINE_MIN_CHARACTERS
                   and line.strip()[:1].islower() and parts[-1][-1] not in ".!?:;。！？")
        folded_line = " ".join(entry.split())
        if goes_on:
            parts[-1] = f"{parts[-1]} {folded_line}"
        else:
            parts.append(folded_line)
    whole = [sentence for part in parts for sentence in split_sentences(part)]
    return [part for part in whole if SENTENCE_MIN_CHARACTERS <= len(part) <= SENTENCE_MAX_CHARACTERS][:SENTENCES_MAX]


def split_sentences(line: str) -> list[str]:
    """A line's sentences; one with a full stop within quotes goes on behind them."""
    parts: list[str] = []
    is_open = False
    for part in re.split(SENTENCE_ENDS, line):
        if is_open:
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
        is_open = parts[-1].count('"') % 2 == 1 and len(parts[-1]) < SENTENCE_MAX_CHARACTERS
    return [part.strip() for part in parts]


def folded(sentence: str) -> str:
    """The sentence as patterns see it: lower case, without apostrophes and quotes' content, a comma for each clause mark."""
    text = re.sub(r"\"[^\"]{0,300}\"|“[^”]{0,300}”|«[^»]{0,300}»|「[^」]{0,300}」|(?<!\w)['‘][^'’]{1,200}['’](?!\w)", " quote ",
                  sentence[:SENTENCE_MAX_CHARACTERS])
    text = re.sub(r"[‘’'`*]|(?<!\w)_+|_+(?!\w)", "", text.lower())
    text = re.sub(r"[,;:()\[\]—–、，：；（）…]|\s-+\s|-{2,}|->|=>|→|\.\.+", " , ", text)
    text = re.sub(r"[.!?]+(?=\s|\Z)|[!?\"“”«»„。！？।「」¡¿~|<>{}]|[^\w\s,./@*+#\u0900-\u097f\-]", " ", text)
    return re.sub(r"(?:, )+", ", ", " ".join(text.split())).strip(" ,")
