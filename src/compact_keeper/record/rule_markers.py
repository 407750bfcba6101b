"""The markers by which typed sentences are known as standing rules, and those that revoke a rule: patterns alone.

They are written for folded sentences (see rules.folded). A pattern of one language fits no words of another, and each
is bounded, as the sentences are. A marker is a pair: cues, parted by |, of which each sentence that the pattern fits
holds at least one, and the pattern. The cues are plain words, not patterns: a test takes the patterns apart and sees
that none fits without its cues.
"""

from __future__ import annotations

LEAD = (  # what may stand before a clause's verb
    r"(?:(?:please|pls|plz|and|but|also|so|then|ok|okay|yes|yeah|yep|no(?= ,)|nope|oh|hey|just|again|btw|fyi"
    r"|important"
    r"|note|reminder"
    r"|remember|remember to|dont forget to|never forget to|be sure to|make sure to|make sure you|make sure that you"
    r"|make sure|try to|well|actually|seriously"
    r"|generally|in general|claude|hint|rule|ps|nb|n|like i said|as i said|i said|i repeat|that said|lets|let us"
    r"|because|since"
    r"|can you|could you|would you|will you|i want you to|i need you to|i would like you to|id like you to"
    r"|you need to"
    r"|you have to|you should|you must|it is important to|its important to|its important that you"
    r"|whatever you do|for everything|for all of these|in all cases|for the record|one more thing"
    r"|one thing) (?:, )?){0,4}")
START = r"(?:\A|, )"
NO_ORDER = (  # what follows "always" or "never" where nobody is ordered to anything
    r"(?!(?:mind|again(?: ,)?\Z|been|be able|had|did|was|were|is|are|has|have|got|happened|again happened|saw"
    r"|knew|there|this|that|it|its"
    r"|i|im|we|they|he|she|the|a|an|mine|true|false|null|empty|zero|none|possible|enough|works?|worked|gonna"
    r"|happens?|wanted"
    r"|went|came|made|found|ran|gave|took|left|seen|done|gotten|get here|get there|really|actually|quite|showing|sure"
    r"|on|off|visible|available|present|up|down|in sync|fun|nice|good|great|appreciated|welcome|a pleasure|needs?)\b)"
    r"(?!(?!(?:need|embed|proceed|feed|seed|speed|bring|ping|string|sing)\b)\w*(?:ed|ing)\b)"
    r"(?!(?!(?:focus|discuss|pass|process|address|access|express|less)\b)\w+s\b)")
DEEDS = (  # what an order to an agent begins with
    r"(?:use|run|write|keep|commit|push|ask|add|put|check|test|make|do|follow|update|show|tell|explain|answer"
    r"|respond|reply|speak"
    r"|talk|name|format|lint|build|deploy|document|log|store|save|read|verify|validate|confirm|wait|stop|prefer"
    r"|avoid|remove"
    r"|delete|rebase|squash|merge|create|open|leave|stick|include|mention|refer|return|throw|sort|pin|wrap|mock|let"
    r"|give|give"
    r"|call|import|review|consult|bump|regenerate|rerun|double check|start|sign|summari[sz]e|think|plan|work|go"
    r"|look|assume"
    r"|treat|handle|fix|search|grep|list|report|notify|ping|dont|do not|never|always)")
OTHER_DEEDS = (
    r"(?:touch|edit|modify|change|alter|rename|move|overwrite|rewrite|install|publish|release|force|reset|amend"
    r"|bypass|skip|disable"
    r"|hard ?code|mock|assume|guess|invent|fabricate|expose|print|reformat|ignore|drop|truncate|wipe|kill|restart"
    r"|upgrade|downgrade|build"
    r"|add|introduce|duplicate|copy|paste|trust|share|send|post|reply|suppress|swallow|catch|cast|execute|try|attempt)")
MAKING = (  # how an order to build begins: its "always" is said of what is built
    r"(?:add|create|write|implement|build|make|fix|rename|change|refactor|update|move|design|introduce|extend"
    r"|replace|show)")
PLACE = (
    r"(?:repo|repository|codebase|code base|project|monorepo|workspace|org|organi[sz]ation|team|house|session|app"
    r"|package)")
EACH_TIME = (
    r"(?:after|before|on|with|for|in) (?:every|each|any) (?:\w+ ){0,2}(?:change|changes|edit|commit|push|step|task"
    r"|phase|fix|feature"
    r"|release|merge|session|pr|pull request|file|response|reply|answer|message|iteration|milestone|chunk|deploy"
    r"|deployment"
    r"|refactor|refactoring|update|turn|test run|endpoint|migration|build|new \w+)\b")
TOOLS = (
    r"(?:pnpm|yarn|npm|bun|uv|poetry|pip|pipenv|conda|cargo|gradle|maven|make|just|mise|nix|podman|ruff|black"
    r"|prettier|eslint|biome"
    r"|gofmt|rustfmt|isort|mypy|pyright|pytest|vitest|jest|unittest|mocha|rspec|typescript|javascript"
    r"|python ?3?[\d.]{0,5}"
    r"|node ?[\d.]{0,6}|tailwind|postgres|sqlite|git worktrees?|subagents?|the makefile|make targets)")
STYLES = (
    r"(?:tabs|spaces|(?:two|four|2|4) spaces|semicolons|(?:single|double) quotes|snake_case|camelcase|kebab-case"
    r"|pascalcase"
    r"|snake case|camel case|kebab case|pascal case|(?:british|american|us|uk|plain|simple) (?:english|spelling)"
    r"|english|german"
    r"|french|spanish|utc|iso ?8601|conventional commits?|semantic commits?|type hints|docstrings|google style|jsdoc"
    r"|(?:the )?(?:imperative|present tense|past tense|active voice)(?: mood)?|(?:absolute|relative) imports"
    r"|named exports"
    r"|default exports|early returns|f-strings|emojis?|lower ?case|upper ?case|sentence case|title case"
    r"|metric units|cents"
    r"|strict mode|strict types|tdd|trunk based development|small commits|atomic commits|short answers|oxford commas?"
    r"|em ?dash(?:es)?|markdown)")
ARTEFACTS = (
    r"(?:all |our |the |your |new )*(?:commits|commit messages?|commit titles?|branch names?|branches|pr titles?"
    r"|pr descriptions?|prs|pull requests"
    r"|code comments|variable names?|test names?|identifiers|docstrings|feature branches)")
UNWANTED = (
    r"(?:emojis?|mocks?|mocking|force push(?:es|ing)?|new dependencies|dependencies|new deps|extra dependencies"
    r"|third party \w+"
    r"|semicolons|default exports|any types?|placeholders?|todos|hard ?coded \w+|hard ?coding|magic numbers"
    r"|workarounds|hacks"
    r"|shortcuts|fallbacks|stubs|fluff|fake data|mock data|dummy data|sample data|attributions?|co-authored-by"
    r"|ai attribution"
    r"|claude attribution|signatures|abbreviations|inline styles|inline imports|global state|globals"
    r"|print statements?"
    r"|console ?logs?|console\.logs?|trailing \w+|tabs|em ?dash(?:es)?|wildcard imports|relative imports|comments"
    r"|code comments"
    r"|markdown files|summary files|summaries|lambdas|one ?liners|yapping|secrets|direct \w+|merge commits"
    r"|backwards? compat\w*"
    r"|sycophancy|apologies|speculation|guessing|assumptions|unsafe|unwraps?|external \w+)")
LASTING_OBJECTS = (  # what an order not to touch something names, where it holds on
    r"(?:(?:any|the|our|my|your|those|existing|all|anything in|anything under|anything inside|anything outside"
    r"|files in|files under"
    r"|code in|stuff in|files inside|files outside|code outside|outside|in|inside"
    r"|under) ){0,3}(?:(?:auto ?)?generated\b|auto-generated\b"
    r"|vendored\b|vendor\b|third party\b|legacy\b|lock ?files?\b|migrations?\b|production\b|prod\b|node_modules"
    r"|dist\b"
    r"|\.\w[\w.-]*|[\w.@*-]*/[\w./*-]*|[\w-]+\.(?:[a-z]{1,4}|json|toml|yaml|lock)\b|(?:[\w-]+ ){1,2}(?:folders?"
    r"|director(?:y|ies)|dirs?)\b)")
RISKS = (  # places that a push or a merge reaches others by
    r"(?:main|master|prod|production|trunk|develop|dev|staging|origin|upstream|npm|pypi"
    r"|the (?:main|master|release|default) branch)")

FROM_NOW_ON = (
    r"(?:from now on|going forward|moving forward|from here on|from here on out|from this point on|henceforth"
    r"|from today on)\b")
ALWAYS = (  # strong enough for a page of text too
    ("always |dont ever |never |not ever ",
     rf"\A(?:always|never|never ever|dont ever|do not ever|not ever) {NO_ORDER}[\w/]"),
    (" always | dont ever | never | not ever ",
     rf"\A(?!{MAKING}\b).{{0,300}}, (?:always|never|never ever|dont ever|do not ever|not ever) (?:{DEEDS}"
     rf"|{OTHER_DEEDS})\b"),
    (" never",
     rf"\A{DEEDS}\b.{{0,80}} , (?:and |but )?never [\w/]"),
    ("always code|always commit|always design|always doc|always plan|always spec|always test"
     "|never code|never commit|never design|never doc|never plan|never spec|never test",
     rf"{START}(?:always|never) (?:tests?|docs?|code|design|plan|specs?|commits?) (?:first|in|on|before|with)\b"),
    (" exceptions|always|at all |single time|without exception",
     rf"\A{DEEDS}\b.{{0,200}}[ ,](?:always|at all times|without exceptions?|no exceptions"
     rf"|every single time)(?: ,)?\Z"),
    (" always| at all times| no exceptions",
     r"\A(?!(?:it|this|that|they|there|he|she|why|the|tests?|i)\b).{3,80} , (?:always|at all times"
     r"|no exceptions)(?: ,)?\Z"),
    (" always| never| not ever| only ever",
     r"\b(?:you|agents?|subagents?|claude|everyone|everybody|nobody|commits?|commit messages|prs"
     r"|pull requests) (?:\w+ )?(?:should|must"
     r"|have to|need to|shall|may|are to) (?:always|never|only ever|not ever)\b(?! (?:see|get|have|need|be able"
     r"|happen|reach|hit|occur)\b)"),
    ("allowed |forbidden|may not|may only|must not|mustnt|never to|permitted",
     r"\byou (?:must not|mustnt|may not|may only|are not allowed to|arent allowed to|re not allowed to"
     r"|are only allowed to"
     r"|are never to|are forbidden|are not permitted to)\b"),
    ("want you|you to",
     r"\bi (?:always|never) want you\b|\bi want you to (?:always|never)\b"),
    (" point on|from now|going forward|henceforth|here on|moving forward|today on",
     rf"{START}{FROM_NOW_ON}(?! line| in line| the (?:indent|code|file|output|log)) ?,? \w"),
    (" point on|from now|going forward|henceforth|here on|moving forward|today on",
     rf"\A(?:{DEEDS}|{OTHER_DEEDS}|you|we|i want|no|all|every|each|only|apply)\b(?! (?:know|see|cant|have"
     rf"|about|of|how)\b).{{1,150}} {FROM_NOW_ON} ?,?(?:\Z| , )"),
    ("do not want|dont want",
     r"\b(?:dont|do not) want (?:to |you to |any )?.{1,60} ever\b(?! (?:since|before))"),
    ("rule|strictly|under no",
     r"\bunder no circumstances\b|\bas a (?:general |strict |hard )?rule\b(?! of)"
     r"|\bstrictly forbidden\b"),
)
STANDING = (
    (" our app| our code base| our codebase| our house| our monorepo| our org| our package"
     "| our project| our repo| our session| our team| our workspace| this app| this code base"
     "| this codebase| this house| this monorepo| this org| this package| this project| this repo"
     "| this session| this team| this workspace",
     rf"\A(?:in|for) (?:this|our) {PLACE}\b(?! (?:i|is|are|there)\b)(?=.*\b(?:we|always|never|only|must"
     rf"|should|use|dont|do not|no|not"
     r"|prefer|are|is|stick|follow|keep)\b)"),
    ("be one|be only one",
     rf"\b(?:should|must|may|can)(?: only)? be (?:only )?one \w+.{{0,80}} in (?:this|the|our) {PLACE}\b"),
    (" across our| across this| in our| in this| throughout our| throughout this",
     rf"{START}(?:dont|do not|never|no|only|we must|we use|we stick to|stick to|prefer|avoid)\b.{{0,80}} (?:in|across"
     rf"|throughout) (?:this|our) "
     rf"(?:entire |whole )?{PLACE}\b(?! (?:yet|right|at the))"),
    ("any time you|anytime you|each time you|every time you|everytime you|whenever you",
     rf"{START}(?:whenever|every ?time|each time|any ?time) you\b.{{1,120}}(?: , |\b){DEEDS}\b"),
    ("each time |every time |everytime |whenever ",
     rf"{START}(?:whenever|every ?time|each time) (?:a|an|the|we|i|some)\b.{{1,80}} , {DEEDS}\b"),
    ("any time |anytime |each time |every time |everytime |whenever ",
     rf"{START}{DEEDS}\b.{{1,120}}\b(?:whenever|every ?time|each time|any ?time) (?:you|we|i|a|something|there)\b"),
    ("after any|after each|after every|before any|before each|before every|for any|for each|for every"
     "|in any|in each|in every|on any|on each|on every|with any|with each|with every",
     rf"{START}{DEEDS}\b.{{0,120}}\b{EACH_TIME}|{START}{EACH_TIME} ?,? {DEEDS}\b"),
    ("in doubt|unsure|you are not sure|youre not sure",
     rf"{START}(?:when|if|whenever) (?:in doubt|unsure|youre unsure|you are unsure|youre not sure|you are not sure"
     rf"|youre in doubt) ?,?"
     rf" {DEEDS}\b"),
    ("in doubt|unsure",
     rf"{START}{DEEDS}\b.{{0,60}}\b(?:when|if|whenever) (?:in doubt|unsure|youre unsure|you are unsure)\b"),
    ("without",
     r"\A(?!i\b).{0,200}\b(?:dont|do not|never|nothing|stop|not)\b.{1,100}\bwithout "
     r"(?:asking|my|first asking|checking with me"
     r"|confirming|telling me|explicit"
     r"|an explicit|permission|approval|me (?:saying|asking|telling|approving)|consulting)\b"),
    ("unless asked|unless explicitly|unless i|unless specifically|unless told|until asked"
     "|until explicitly|until i|until specifically|until told",
     r"\b(?:dont|do not|never)\b.{1,100}\b(?:unless|until) (?:i|explicitly|told|asked|instructed"
     r"|specifically)\b(?: \w+){0,2}"
     r" ?(?:say|tell|ask|approve|confirm|request|told|asked|instructed|explicitly|give|want|allow|permit|\Z)"),
    ("me before|me first before|me first prior to|me prior to|us before|us first before"
     "|us first prior to|us prior to",
     rf"{START}(?:ask|check with|confirm with|consult|tell|warn) (?:me|us) (?:first )?(?:before"
     rf"|prior to) (?:you )?(?:\w+ing\b|every|each|any|"
     r"install|add|commit|push|delete|remove|chang|run|mak|touch|edit|merg|deploy|creat)"),
    ("ask before|ask first before",
     rf"{START}ask (?:first )?before \w+ing\b"),
    ("do not|dont",
     rf"{START}(?:dont|do not) (?:ever )?(?:touch|edit|modify|change|alter|delete|remove|rename|move|overwrite"
     rf"|rewrite|commit|check in"
     rf"|reformat|format|read|open|write to|write in|write into|add to|import from) {LASTING_OBJECTS}"),
    ("do not commit|do not deploy|do not ever commit|do not ever deploy|do not ever force push"
     "|do not ever merge|do not ever publish|do not ever push|do not ever release|do not ever write"
     "|do not force push|do not merge|do not publish|do not push|do not release|do not write"
     "|dont commit|dont deploy|dont ever commit|dont ever deploy|dont ever force push|dont ever merge"
     "|dont ever publish|dont ever push|dont ever release|dont ever write|dont force push|dont merge"
     "|dont publish|dont push|dont release|dont write",
     rf"{START}(?:dont|do not) (?:ever )?(?:push|commit|merge|deploy|publish|release|write"
     rf"|force push)\b.{{0,30}} (?:to|on|into|against|in) {RISKS}\b"),
    ("force -push|force push|force-push|forcepush",
     rf"{START}(?:dont|do not) (?:ever )?force ?-?push\b(?! it\b| this\b)"),
    ("do not|dont",
     rf"{START}(?:dont|do not) (?:ever )?(?:add|use|install|introduce|bring in|pull in|include|put|write|import"
     rf"|commit|create|leave|make)"
     rf" (?:in )?(?:any |more |unnecessary |useless |obvious |a lot of |so many |too many |new "
     rf"|extra )*{UNWANTED}\b(?! (?:for|to) (?:this|that|it)\b)"),
    ("add yourself|attribute|co-author|coauthor|mention |sign commits",
     rf"{START}(?:dont|do not) (?:ever )?(?:co-?author|sign commits|add yourself|mention (?:claude|ai|yourself)"
     rf"|attribute)\b"),
    ("no ",
     rf"\Ano (?:more )?{UNWANTED}\b(?:,? ?(?:or|and) \w+)?(?: ,| please|\Z| in (?!this\b)| for (?!this\b)"
     rf"| anywhere| ever| allowed| at all"
     r"| unless| whatsoever)"),
    ("stop ",
     rf"{START}stop (?:\w+ly )?(?:adding|using|creating|writing|putting|asking|committing|pushing|guessing|assuming"
     rf"|saying|telling|mocking"
     r"|apologi[sz]ing|deleting|hard ?coding|inventing|making up|duplicating|ignoring|skipping|summari[sz]ing"
     r"|repeating)\b"
     r"(?! (?:it|this|that)\b)"),
    ("avoid |refrain from ",
     rf"{START}(?:avoid|refrain from) (?:using |adding |writing |introducing |any |unnecessary )*{UNWANTED}\b"),
    ("use ",
     rf"\A(?:only )?use (?:only )?{TOOLS}(?: (?:everywhere|here|for everything|only|throughout"
     rf"|as (?:the )?package manager|for \w+s))?"
     r"(?: ,)?(?: ?(?:not|never|instead of|over|rather than|and not|no) [\w -]{1,40})?(?: please)?(?: ,)?\Z"),
    ("absolute imports|active voice|answers|atomic|camel|cents|conventional commit|default exports"
     "|docstrings|early returns|em dash|emdash|emoji|english|f-strings|french|german|google|hints"
     "|imperative|iso 8601|iso8601|jsdoc|kebab|lower case|lowercase|markdown|named exports|oxford"
     "|pascal|quotes|relative imports|semantic|semicolons|sentence|small commits|snake|spaces|spanish"
     "|spelling|strict|tabs|tdd|tense|title case|trunk|units|upper case|uppercase|utc",
     rf"\A(?:only )?use (?:only )?{STYLES}(?: ,?|(?: ,)? (?:in|for|everywhere|not|instead of|and|throughout"
     rf"|only|never|rather than|over|please"
     r"|here|across|when)\b(?!.*\b(?:this|that|these|those)\b).{0,80})\Z"),
    ("absolute imports|active voice|answers|atomic|camel|cents|conventional commit|default exports"
     "|docstrings|early returns|em dash|emdash|emoji|english|f-strings|french|german|google|hints"
     "|imperative|iso 8601|iso8601|jsdoc|kebab|lower case|lowercase|markdown|named exports|oxford"
     "|pascal|quotes|relative imports|semantic|semicolons|sentence|small commits|snake|spaces|spanish"
     "|spelling|strict|tabs|tdd|tense|title case|trunk|units|upper case|uppercase|utc",
     rf"\A{STYLES} (?:in|for) (?!.*\b(?:is|are|was|were|looks?|fine|ok|okay|wrong|broken|missing|should|this|that)\b)"
     r"(?:[\w/.-]+ ){0,4}[\w/.-]+\Z"),
    (" instead of | never | no | not | over | rather than ",
     rf"\A(?:{STYLES}|{TOOLS}) ?,? (?:not|instead of|over|never|no|rather than) (?:{STYLES}"
     rf"|{TOOLS})\b.{{0,40}}\Z"),
    ("we always are on|we always are using|we always re on|we always standardised on"
     "|we always standardized on|we always stick to|we always stick with|we always use"
     "|we always were on|we are on|we are using|we only are on|we only are using|we only re on"
     "|we only standardised on|we only standardized on|we only stick to|we only stick with|we only use"
     "|we only were on|we re on|we standardised on|we standardized on|we stick to|we stick with|we use"
     "|we were on|were only are on|were only are using|were only re on|were only standardised on"
     "|were only standardized on|were only stick to|were only stick with|were only use"
     "|were only were on",
     rf"\bwe(?: only|re only| always)? (?:use|are on|re on|were on|are using|stick with|stick to"
     rf"|standardi[sz]ed on) (?:\w+ )?(?:{TOOLS}|{STYLES})\b"
     r"(?! (?:to|as|because|when)\b)"),
    ("were on",
     rf"\bwere on {TOOLS}\b"),
    ("use ",
     rf"\A(?:only )?use {TOOLS}(?: for (?:formatting|linting|tests?|testing|scripts|packages|dependencies|deps"
     rf"|types|type checking))? , (?:we|its|it is|not|never|because|since)\b"),
    ("branch name |branch names |branches |code comments |commit message |commit messages "
     "|commit title |commit titles |commits |docstrings |identifiers |pr description |pr descriptions "
     "|pr title |pr titles |prs |pull requests |test name |test names |variable name |variable names ",
     rf"\A(?:{ARTEFACTS}) (?:must|should|have to|need to|has to|needs to|always|never|follow|start with"
     rf"|begin with|go) "),
    ("absolute imports|active voice|answers|atomic|camel|cents|conventional commit|default exports"
     "|docstrings|early returns|em dash|emdash|emoji|english|f-strings|french|german|google|hints"
     "|imperative|iso 8601|iso8601|jsdoc|kebab|lower case|lowercase|markdown|named exports|oxford"
     "|pascal|quotes|relative imports|semantic|semicolons|sentence|small commits|snake|spaces|spanish"
     "|spelling|strict|tabs|tdd|tense|title case|trunk|units|upper case|uppercase|utc",
     rf"\A(?:{ARTEFACTS}) (?:always |only )?(?:in|as) (?:{STYLES})\b"),
    ("any new|each new|every new",
     r"\A(?:every|each|any) new \w+ (?:\w+ ){0,3}(?:must|has to|needs to|needs|should|goes|gets)\b"),
    ("no one|nobody",
     r"\A(?:nobody|no one) (?:edits|touches|commits|pushes|merges|changes|deploys|writes)\b"),
    ("and merge|rebase|squash",
     r"\Awe (?:squash|squash ?-?merge|squash and merge|rebase and merge|rebase , |rebase instead)\b(?! (?:it|this"
     r"|that|these|the)\b)"),
    ("at most |max |maximum |no more than ",
     r"\A(?:no more than|at most|max|maximum) \w+ (?:\w+ ){0,3}(?:per|in a|in one) (?:function|file|line"
     r"|method|class|commit|pr|module)\b"),
    ("stick",
     rf"{START}stick (?:to|with) (?!options?\b|it\b|that\b|this\b|what\b|the (?:first|second|current|original|plan"
     rf"|old|new|same|one)\b|w\b|[a-d\d]\b)\w"),
    ("in doubt|not sure|uncertain|unsure",
     rf"{START}(?:if|when|whenever) (?:youre|you are) (?:not sure|unsure|uncertain"
     rf"|in doubt)\b.{{0,60}} , (?:ask|dont|do not|stop|check|say)\b"),
    (" here| in our app| in our code base| in our codebase| in our house| in our monorepo| in our org"
     "| in our package| in our project| in our repo| in our session| in our team| in our workspace"
     "| in this app| in this code base| in this codebase| in this house| in this monorepo| in this org"
     "| in this package| in this project| in this repo| in this session| in this team"
     "| in this workspace",
     rf"\bwe (?:use|write|format|lint|name|call|keep|store|put|do|dont|do not|never|always|only|follow|prefer|commit"
     rf"|test)\b.{{1,80}} (?:here|around here"
     rf"|in (?:this|our) {PLACE})\Z"),
    ("we branch|we commit|we deploy|we format|we log|we merge|we publish|we push|we release|we review"
     "|we ship|we squash|we support|we tag|we target|we test",
     r"\bwe (?:deploy|release|merge|push|commit|ship|publish|support|target|test|format|tag|branch|squash|review"
     r"|log) (?:only|exclusively|solely"
     r"|never|always)\b"),
    ("we always|we do not|we dont|we exclusively|we never|we only",
     r"\bwe (?:only|never|always|exclusively|dont|do not) (?:deploy|release|merge|push|commit|ship|publish|support"
     r"|target|format|tag|squash)\b"
     r"(?! (?:it|this|that)\b)"),
    ("banned|forbidden|never allowed|not allowed|prohibited|verboten",
     r"\A(?!.*\b(?:error|says|operation|access|method|it|this|that)\b).{3,80} (?:is|are) (?:strictly "
     r"|absolutely )?(?:forbidden|prohibited|not allowed|never allowed|verboten|banned)\b"),
    (" after i | if i | once i | when i ",
     rf"{START}only {DEEDS}\b.{{0,60}} (?:when|if|after|once) i (?:explicitly |specifically )?(?:ask|say|tell"
     rf"|approve|confirm|request)\b"),
    ("get my|need my|wait for my",
     r"\b(?:wait for|get|need) my (?:explicit )?(?:approval|confirmation|ok|permission|go|go ahead|go-ahead"
     r"|sign ?-?off) before (?:any|every|each|\w+ing)\b"),
    ("co-author|coauthor",
     rf"{START}(?:dont|do not|no|without) .{{0,60}}\bco-?author"),
    ("hands|off limits|off-limits|offlimits",
     r"\b(?:is|are) (?:completely |strictly |always )?off[ -]?limits\b|\bhands off (?!the keyboard)\w"),
    ("truth",
     r"\b(?:is|as|be|are|remains?) (?:the |our |my )?(?:single |only |sole |one )?source of truth\b"),
    ("convention|directive|guideline|policy|principle|rule",
     r"\b(?:the|our|my|one) (?:\w+ )?(?:rule|directive|convention|policy|principle|guideline)(?: here"
     r"| in this \w+)? is (?:to|that|we|never|always"
     r"|not|no|you|:)\b"),
    ("prefer ",
     r"\A(?:always |generally |strongly )?prefer (?!option\b|the (?:first|second|third|last|former|latter"
     r"|other)\b|that\b|this\b|it\b|[a-d\d]\b)"
     r"[\w`]"),
    (" prefer ",
     r"\Ai (?:generally |usually |always |really |much |strongly )?prefer (?!the\b|that\b|this\b|it\b"
     r"|your\b)(?:[\w-]+ ){0,2}[\w-]+s\b"),
    ("keep all of your|keep all the your|keep all your|keep the your|keep your",
     rf"{START}keep (?:(?:all|the|all the|all of) )?your (?:answers?|responses?|repl(?:y|ies)|explanations?"
     rf"|summar(?:y|ies)|messages?|output"
     r"|commits?|changes|code)\b"),
    ("keep ",
     rf"{START}keep (?:all |the )?(?:answers|responses|replies|explanations|commits|commit messages|functions|prs"
     rf"|pull requests|diffs|summaries"
     r"|comments|files|each commit|every commit|each pr|every pr)\b"),
    ("arabic|chinese|czech|dutch|english|french|german|hindi|italian|japanese|korean|polish|portuguese"
     "|russian|spanish|swedish|turkish|ukrainian",
     rf"{START}(?:(?:answer|respond|reply|speak|talk|write)(?: to)?(?: me| us)?(?: only)? in|speak) (?:english"
     rf"|german|french|spanish|portuguese|italian|polish"
     r"|turkish|russian|chinese|japanese|korean|hindi|dutch|czech|ukrainian|arabic|swedish)\b"),
    ("for future |for the future |in future |in the future |next time ",
     rf"{START}(?:next time|in (?:the )?future|for (?:the )?future) ,? ?(?:{DEEDS})\b"),
    ("keep in|remember",
     rf"{START}(?:remember|keep in mind)(?: that)? we (?:only|never|always|dont|do not|use)\b"),
    ("myself",
     r"\b(?:ill|i will) (?:\w+ ){1,5}myself (?:whenever|every time|always|when needed)\b"),
    ("myself|on my",
     r"\b(?:ill|i will|i) (?:always )?(?:do|handle) (?:all )?(?:the |my )?(?:commits|commit|committing|pushes"
     r"|pushing|pushing and committing"
     r"|merges|merging|deploys|deploying|git \w+) (?:myself|on my own)\b"),
)
ONCE = (  # what makes it an order for this step, or a tale
    r"\b(?:yet|for now|right now|for the moment|at the moment|for the time being|just now|this (?:time|once|one"
    r"|round|case|step|task|commit|pr"
    r"|change|prototype|run|demo|file|function|method|test|line|part|bit)|that (?:one|file|test|function|part)"
    r"|these (?:two|ones|files|changes)"
    r"|today|tonight|tomorrow|just once|only once|(?:before|until|once|after|when) (?:you|we|i|youre|were"
    r"|im) (?:have |are |re )?(?:start|begin"
    r"|do|done|finish|finished|go|move|continue|proceed|get|fixed|merged?)|before (?:starting|moving|doing"
    r"|continuing|proceeding)"
    r"|(?:once|when) (?:done|this|that|its|it is|finished)|until (?:then|later|that|this)|as a first step"
    r"|i (?:thought|think|guess|wonder"
    r"|see|noticed|assume|believe|suspect|doubt|wonder)|seems?|looks like|apparently|maybe|perhaps|probably|used to"
    r"|supposed to|it (?:always|never)"
    r"|(?:this|that) (?:always|never)|why|turns out)\b")
ONCE_ALWAYS = (  # of the strongest, which may tell of time and thought
    r"\b(?:it|this|that|they|he|she|there|which|who) (?:just |also |should |would |will |can |must )?(?:always"
    r"|never)\b"
    r"|\b(?:for now|yet|right now|at the moment|this time|just once|this once|i thought|seems?|looks like"
    r"|apparently|why|used to|supposed to"
    r"|this one|that one)\b")
QUESTION = (
    r"\A(?:(?:and|but|so|ok|okay|also|hmm|wait|well|hey|q|question|uh|no|yes) (?:, )?){0,3}(?:do (?:you|we|i|they"
    r"|these|those|the|any|all|u)|does|did|is|are|was (?:it|that|this|there|the)|were (?:you|they|there|the|these)"
    r"|has|have|why|what"
    r"|whats|how|hows|where|wheres|when did|when do|when does|when is|who|whos|which|should|shall|would it"
    r"|would that|would you say|could it|isnt"
    r"|arent|doesnt|didnt|wouldnt|shouldnt|cant we|can we|can i|could we|may i|will it|will this|what if|how about"
    r"|any)\b(?! not\b)(?! ever\b)")

ELSEWHERE = (  # strong markers of other languages; alphabets share words, so each is bound to its own grammar
    # Chinese, Japanese, Korean: no spaces, so bound by what stands near
    ("一律|不准|不许|严禁|今后|从今以后|从现在开始|保持|允许|写|别|前|务必|千万|只|合并|同意|必须|我|推|提交|改|每次|永远|用|禁止|绝不能|绝对|要|请|都",
     r"从现在开始|从今以后|今后|以后(?:都|请|不要|别|不准|不许|只|要|一律|用|必须|提交|每次)|一律|(?:永远|绝对"
     r"|千万)(?:不要|不能|不许|不准|别)|绝不能|绝不要"
     r"|禁止|严禁|不许|不准|务必|始终(?:用|使用|保持|要)|每次(?:\w{0,12})(?:都要|必须|都得|后要|前要|之前先|之后都)"
     r"|必须始终|总是(?:用|使用|要先)"
     r"|(?:之前|以前|前)(?:\w{0,4})(?:先问|要问|先跟我|问我)|不要直接(?:推|提交|改|合并)|未经(?:我|允许|同意)"
     r"|没有我的(?:允许|同意)|我们用\w{1,20}(?: , )?不用"
     r"|(?:统一|只能)(?:用|使用|写)|是生成的(?: , )?(?:不要|别|不许)"),
    ("いかなる場合も|うちは|ここでは|これからは|しないこと|で統一|どんな場合も|ないルール|ない方針|まえ|一切|今後は|今後も|以後は|前|勝手に|常に|必ず|毎回|禁じ|禁止|絶対"
     "|触らないこと|許可なく",
     r"今後(?:は|も)|これからは|以後は|絶対(?:に)?[^、。]{0,30}(?:ないで|ないこと|するな|禁止|触らない|しない)"
     r"|勝手に[^、。]{0,30}(?:ないで|やめて|禁止)|必ず[^、。]{0,40}"
     r"(?:てください|ること|すること|して|から始める|お願い)|常に[^、。]{0,40}(?:てください|ること|して|使って|使う"
     r"|使用)|毎回[^、。]{0,40}(?:てください|ること|して)"
     r"|禁止(?:です|する|\Z)|禁じ|一切[^、。]{0,30}ない|(?:前|まえ)に[^、。]{0,10}(?:聞いて|確認して|相談して)"
     r"|ない方針|ないルール|(?:うちは|ここでは)[^。]{1,40}(?:です|使う|使います)"
     r"|許可なく|どんな場合も|いかなる場合も|で統一(?: |\Z|して)|触らないこと|しないこと"),
    ("게|금지|때마다|매번|묻지|반드시|앞으로|우리는|이다|이야|입니다|전에|절대|직접|항상|허락",
     r"앞으로는?(?= )|절대(?:로)? [^.]{1,40}(?:마|말고|말 것|않|금지|지마|마세요)|항상 [^.]{1,60}(?:해|해줘|세요|줘"
     r"|주세요|할 것|작성|사용|써)(?= |\Z)|반드시 [^.]{1,60}(?:해|해줘|세요|줘|주세요|할 것|한다)"
     r"(?= |\Z)|금지(?= |\Z|입니다|야|다)|직접 (?:\S{1,20} ){0,2}\S{0,10}지 ?(?:마|말)|(?:전에"
     r"|기 전에) (?:\S+ ){0,3}(?:물어|확인|먼저)|(?:ㄹ|할|칠|될|\S) 때마다 [^.]{1,40}(?:돼|해|줘|세요)"
     r"|매번 [^.]{1,40}(?:해|줘|세요)"
     r"|허락 없이|묻지 않고|게 규칙|규칙(?:이야|입니다|이다)|우리는 [^.]{1,30}(?:써요|써|사용해|사용합니다|쓴다)(?= "
     r"|\Z)"),
    # Russian
    ("без|в|запрещено|меня|не|ни|раз|с|тем|ть|у",
     r"(?:\A|, )(?:и |а |пожалуйста |ещё |еще )*(?:никогда не \w+(?:й|йте|ь|ьте|и|ите)\b|всегда \w+(?:й|йте|ь|ьте|и"
     r"|ите)\b)|\bвпредь\b|\bотныне\b|\bс этого момента\b|\bни в коем случае\b"
     r"|\bни при каких\b|\bзапрещено\b|\bзапрещается\b|\bне трогай(?:те)?\b(?! (?:его|это|её|пока))"
     r"|\bв этом (?:репозитории|проекте|репо)\b|\bбез моего (?:ок|разрешения|ведома|согласия)\b"
     r"|\bспрашивай(?:те)? меня\b|\bперед тем как \w+ (?:\w+ )?(?:спрашивай|спроси)|\bпосле кажд(?:ого"
     r"|ой) \w+ (?:\w+ ){0,2}(?:гоняй|запускай|делай|проверяй|прогоняй)|\bкаждый раз (?:когда|после|перед)\b"
     r"|\bу нас \w+ (?:, )?а не\b|\bвсегда (?:на|в|по|с|через) [\w-]+\Z|, всегда\Z|\bничего (?:\w+ )?нельзя\b"
     r"|\bнельзя (?:писать|трогать|менять|коммитить|пушить|удалять)\b|\bхватит \w+(?:ть)\b"),
    # Spanish
    (" de | en | este|antes|aquí|bajo|deja|jamás|nunca|por |prohibido|siempre|sin |toques|usamos|vez",
     r"\ba partir de ahora\b|\bde ahora en adelante\b|\bde aquí en adelante\b|(?:\A|, )(?:y |por favor "
     r"|pero )*(?:nunca (?:\w+ )?(?:hagas|uses|toques|subas|borres|commitees|pongas|añadas|agregues|modifiques"
     r"|cambies|edites|escribas|instales|crees|empujes|\w+es|\w+as)\b|jamás \w+(?:es|as)\b|siempre (?:usa|utiliza"
     r"|haz|ejecuta|corre|escribe|responde|pregunta|pon|revisa|en)\b)"
     r"|, siempre\Z|\bsiempre en \w+(?: por favor)?\Z|\bprohibido\b|\bno toques (?:la|el|los|las|nada)\b"
     r"|\bcada vez que \w+(?:es|as)\b|\bpreg[uú]ntame (?:siempre )?antes\b|\bsin preguntarme\b"
     r"|\bbajo ning(?:ú|u)n(?:a)? (?:concepto|circunstancia)|\ben este (?:repo|repositorio"
     r"|proyecto) (?:\w+ )?(?:usamos|se usa|no|nunca|siempre)\b|\baqu[íi] usamos\b|\bdeja de (?:añadir|agregar|poner"
     r"|usar|hacer|escribir)\b"
     r"|\bpor (?:norma|regla) general\b"),
    # Portuguese
    (" de | em |alguma|antes|aqui|jamais|nao|nenhuma|neste|nunca|não|proibido|sem |sempre|vez",
     r"\ba partir de agora\b|\bde agora em diante\b|\bdaqui (?:pra|para a) frente\b|(?:\A|, )(?:e |por favor "
     r"|mas )*(?:nunca (?:\w+ )?(?:faça|faz|dê|use|usa|mexa|mexe|suba|apague|commite|commita|commitar|coloque"
     r"|adicione|altere|edite|escreva|instale|crie|toque)\b|sempre (?:use|usa|rode|roda|faça|escreva|responda"
     r"|pergunte|coloque|em)\b|jamais (?:faça|use|mexa|suba|dê)\b)|\bproibido\b"
     r"|, sempre\Z|\b(?:me pergunt[ae]|pergunte-me) (?:sempre )?antes\b|\bsem me perguntar\b"
     r"|\bem hip[óo]tese (?:alguma|nenhuma)\b|\bn[ãa]o mex[ae] (?:no|na|nos|nas|em)\b"
     r"|\btoda vez que\b(?=.*\b(?:tem que|rode|roda|faça|use)\b)"
     r"|\bneste (?:repo|reposit[óo]rio|projeto) (?:\w+ )?(?:usamos|a gente|n[ãa]o|nunca|sempre)\b"
     r"|\baqui a gente usa\b|\bpar[ae] de (?:colocar|adicionar|usar|criar|fazer|botar)\b"),
    # French
    (" de | en |arrête|aucun|avant|dans|désormais|ici |interdit|jamais|pas |sans|sous|toujours|à",
     r"\bà partir de maintenant\b|\bdésormais\b|\bdorénavant\b|(?:\A|, )(?:et |mais |stp |svp )*(?:ne |n)?(?!ça |ca "
     r"|cela |il |elle |on )\w+(?:e|ez|s)? jamais (?:de|d|sans|sur|le|la|les|dans|directement|à|en)\b"
     r"|(?:\A|, )(?:et |mais )*(?:toujours (?:utilise|utiliser|lance|lancer|écris|écrire|réponds|répondre|demande"
     r"|en)|jamais de)\b|\btoujours en (?:anglais|français|\w+)(?: (?:stp|svp))?\Z|, toujours\Z"
     r"|\binterdit (?:de|d)\w*\b|\b(?:ne )?touche(?:z)? (?:pas|jamais) (?:à|au|aux)\b|\bà chaque (?:modif\w*"
     r"|fois que|commit|changement) .{0,40}(?:il faut|lance|fais|tu dois)|\bdemande-moi (?:toujours )?avant\b"
     r"|\bdans ce (?:repo|projet|dépôt) (?:, )?(?:on|nous|ne|pas|toujours|jamais)\b|\bici on utilise\b"
     r"|\bsous aucun prétexte\b|\ben aucun cas\b|\bsans (?:mon accord|me demander|ma permission)\b"
     r"|\barrête dajouter\b|\barrête de mettre\b"),
    # German
    (" mal| nie|ab |auf|bitte|darf|diesem|frag|grundsätzlich|hier|hör|immer|künftig|nach|nie |niemals"
     "|ohne|unter |verboten|von|vor|weg|wir |zukunft",
     r"\bab (?:jetzt|sofort) (?!steht|ist|geht|läuft)|\bvon nun an\b|\bkünftig\b|\bin zukunft (?:bitte|immer|nur"
     r"|keine?)\b|(?:\A|, )(?:bitte |und |aber |also )*(?:niemals (?!mehr als)\w+|nie (?:direkt|ohne|auf|in|den|die"
     r"|das"
     r"|wieder|einfach|selbst|etwas|einen|eine|ein|im|am|mit|mehr)\b|immer (?!noch|wieder|mehr|das gleiche|derselbe"
     r"|dasselbe|dieser|nur ein|wenn)(?:erst|zuerst|auf|mit|in|im|die|den|das|nur|vor|vorher|alle|pnpm|tests?"
     r"|\w+en)\b)"
     r"|\bimmer auf (?:englisch|deutsch)\b|, immer\Z|\bbitte (?:nie|niemals|immer|grundsätzlich)\b"
     r"|\bauf keinen fall\b|\bunter keinen umständen\b|\bgrundsätzlich (?:nie|nicht|keine|immer|nur)\b|\bverboten\b"
     r"|\bfinger weg (?:von|vom)\b"
     r"|\bfrag mich (?:immer )?(?:bevor|vorher|erst|zuerst)\b|\bohne (?:rückfrage|zu fragen|mich zu fragen"
     r"|meine (?:zustimmung|freigabe|erlaubnis))\b|\bjedes mal (?:wenn|bevor|nachdem) du\b|\b(?:nach"
     r"|vor) jede[rmn] \w+ (?:\w+ ){0,3}"
     r"(?:laufen|ausführen|muss|prüfen|starten|lass|führ)|\bin diesem (?:repo|projekt|repository) (?:\w+ )?(?:nutzen"
     r"|verwenden|benutzen|gilt|nie|immer|nur|keine?)\b|\bwir (?:nutzen|verwenden|benutzen) (?:hier"
     r"|\w+ (?:, )?(?:nicht|kein|statt))\b"
     r"|\bhier nutzen wir\b|\bhör auf (?:, )?\w+|\bdarf (?:nie|niemals|nichts)\b|\bdürfen (?:nie|niemals)\b"),
    # Turkish
    ("asla|bana|bu |bundan|burada|bırak|daima|dokunma|hiçbir|seferinde|sonra|yasak|zaman|önce",
     r"\bbundan (?:sonra|böyle)\b|\basla (?:\S+ ){1,8}?\w*(?:ma|me|mayın|meyin|mayalım|meyelim|masın|mesin)(?= ,|\Z)"
     r"|\b(?:her zaman|daima|her seferinde) (?:\S+ ){0,6}(?:olsun|kullan|yap|yaz|çalıştır|sor|kullanın|yazın"
     r"|tut)(?= ,|\Z)"
     r"|\bher (?:değişiklikten|committen|commit'ten|adımdan) (?:sonra|önce) (?:\S+ ){0,5}(?:çalıştır|yap|sor|koş)"
     r"|\byasak(?:tır)?\Z|\b(?:klasörüne|dosyasına|dosyalarına|modüle|\w+[ea]) dokunma\Z|\b\w+m[ae]y[ıi] bırak\Z"
     r"|\bönce (?:mutlaka )?bana sor\b|\bbana sormadan\b"
     r"|\bbu (?:repoda|projede) (?:\S+ ){0,4}(?:kullanıyoruz|kullan|kullanma)\b|\bhiçbir (?:koşulda|şekilde)\b"
     r"|\bburada \S+ kullanıyoruz\b"),
    # Hindi, in both scripts
    (" ke |aage|ab |badalna|bina |chhuna|hamesha|kabhi|karna|lagana|mana |pehle|अब|कभी|पूछ|बिना|मत|से"
     "|हम|हर|है",
     r"अब से|आगे से|(?:कभी|कभी भी) .{0,40}(?:मत|नहीं करना|न करना)|हमेशा (?!वाल).{0,60}(?:करना|करो|लिखना|लिखो|रखना"
     r"|रखो|चलाना|देना)(?= |\Z)|मत (?:करना|लगाना|छूना|बदलना)(?= |\Z)|(?:पहले|से पहले) मुझसे पूछ|मुझसे पूछे बिना"
     r"|बिना पूछे"
     r"|मना है|हर .{1,30} के बाद .{1,40}(?:चलाना|करना|करो|चलाओ)|हम यहाँ .{1,30}(?:इस्तेमाल|यूज़)|\bab se (?!line)"
     r"|\baage se\b|\bkabhi (?:bhi )?.{0,40}\b(?:mat|nahi karna)\b|\bhamesha .{0,60}\b(?:karna|karo|likhna|likho"
     r"|rakhna|rakho|chalana|dena|use karo)\b"
     r"|\bmat (?:karna|lagana|chhuna|badalna)\b|\b(?:pehle|se pehle) mujhse (?:pooch|puch)|\bbina pooche\b"
     r"|\bmana hai\b|\bhar \w+ ke baad\b.{1,40}\b(?:chalana|karna|karo|chalao)\b"),
    # Italian
    ("caso|di |dopo|in poi|mai |non |ogni|prima|questo|qui |sempre|senza|smettila|toccare|vietato",
     r"\bd ?ora in poi\b|\bda (?:ora|adesso|oggi) in poi\b|(?:\A|, )(?:e |ma |per favore )*(?:mai (?:\w+(?:are|ere"
     r"|ire)|fare)\b|non \w+(?:are|ere|ire)? mai\b|sempre (?:usa|usare|esegui|scrivi|rispondi|chiedi|in)\b)"
     r"|, sempre\Z|\bsempre in (?:inglese|italiano)\b"
     r"|\bvietato\b|\bnon toccare (?!adesso|ancora|per ora)\w|\b(?:ogni volta che|ad ogni|dopo ogni"
     r"|prima di ogni) .{1,60}\b(?:lancia|lanciare|esegui|bisogna|fai|devi)\b|\bchiedimi (?:sempre )?prima\b"
     r"|\bsenza (?:chiedermi|chiedere a me|il mio permesso)\b"
     r"|\bin questo (?:repo|progetto) (?:, )?(?:\w+ )?(?:usiamo|si usa|non|mai|sempre)\b|\bqui usiamo\b"
     r"|\bin nessun caso\b|\bsmettila di\b|\bsmetti di (?:aggiungere|usare|mettere|fare)\b"),
    # Polish
    (" nie| po |bez|dziś|każdej|każdym|mnie|nie |pod|przestań|rzed|tej|teraz|tym|używamy|za "
     "|zabronione|zawsze",
     r"\bod (?:teraz|dziś|tej pory)\b (?!linia)|(?:\A|, )(?:i |a |ale |proszę )*(?:nigdy nie (?!działa|było|jest"
     r"|kończy)\w+|zawsze (?:używaj|uruchamiaj|pisz|pytaj|rób|odpowiadaj|sprawdzaj|po|w|stosuj))\b"
     r"|\bzawsze po (?:angielsku|polsku)\b|, zawsze\Z"
     r"|\bpod żadnym pozorem\b|\bzabronione\b|\bnie wolno\b|\bnie ruszaj (?!tego|jeszcze|na razie)\w"
     r"|\bza każdym razem (?:, )?(?:gdy|kiedy|jak|przed|po)\b|\b(?:po każdej|przed każd(?:ym|ą)"
     r"|po każdym) .{1,60}\b(?:odpal|uruchom|trzeba|zrób|sprawdź|odpalić)"
     r"|\b(?:za)?pytaj mnie (?:zanim|przed)\b|\bbez pytania\b|\bbez mojej zgody\b|\bw tym (?:repo|projekcie"
     r"|repozytorium) (?:, )?(?:\w+ )?(?:używamy|nie|nigdy|zawsze)\b|\bużywamy tu\b|\bprzestań (?:dodawać|używać"
     r"|pisać|robić)\b"),
)
ONCE_ELSEWHERE = (
    r"先不要|先别|别急|这次|暂时|为什么|一直|吗\Z|呢\Z|失敗|落ち|今回|とりあえず|まだ|今は|なぜ|返って|アサート"
    r"|아직|이번|잠깐|지금은|왜 |안 끝나|죽는|실패|\b(?:доходит|падает|возвращает|пока|сначала|в этот раз|почему"
    r"|зачем|зависает)\b"
    r"|\b(?:falla|devuelve|esta vez|todavía|aún|por ahora|por qué|de momento|termina)\b|\b(?:quebra|retorna|ainda"
    r"|dessa vez|desta vez|por enquanto|por que)\b|\b(?:renvoie|plante|pas encore|cette fois|pour linstant|pourquoi"
    r"|chez moi)\b"
    r"|\b(?:crasht|noch nicht|diesmal|warum|wieso|erst mal|vorerst|fürs erste|bei mir|gibt zurück|schlägt fehl)\b"
    r"|\b(?:patlıyor|dönüyor|henüz|bu sefer|şimdilik|neden|bende|bitmiyor)\b|अभी|इस बार|क्यों|\b(?:abhi|is baar|kyu"
    r"|kyun|hota hai|deta hai)\b"
    r"|\b(?:fallisce|stavolta|perché|per ora|questa volta|da me|restituisce|finisce)\b|\b(?:zwraca|wywala|jeszcze"
    r"|tym razem|na razie|czemu|dlaczego|kończy)\b")
SENTENCE_ENDS = (  # not behind "e.g.", nor behind three dots
    r"(?<=[.!?…])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<!\.\.\.) +|(?<=[.!?][\")”*]) +(?=[A-Z])|(?<=[。！？।])")
FORGETTING = (  # a rule by its name
    ("cancel |disregard |drop |forget |ignore |lift |revoke |scrap ",
     rf"{START}(?:you can |you may )?(?:forget|ignore|drop|scrap|cancel|lift|disregard|revoke) (?:about )?(?:the "
     rf"|my |that |our |all )*.{{0,60}}"
     r"\b(?:rules?|ban|restriction|requirement|policy|convention|constraint|freeze)\b"),
    ("i said",
     rf"{START}(?:forget|ignore|disregard|scrap) (?:everything |all )?(?:what )?i said (?:earlier |before )?(?:about"
     rf"|on)\b"),
    ("does not |doesnt apply|doesnt count|doesnt hold|is cancelled|is dropped|is history|is lifted"
     "|is obsolete|is off|is over|is void|longer applies|longer counts|longer holds",
     r"\b(?:rule|ban|restriction|requirement|policy|convention|constraint|freeze)\b.{0,60}\b(?:no longer (?:applies"
     r"|holds|counts)|doesnt (?:apply|hold|count)"
     r" any ?(?:more|longer)|does not (?:apply|hold|count) any ?(?:more|longer)|is (?:lifted|off|void|over|dropped"
     r"|cancelled|obsolete|history))\b"),
    (" eu|artık|gilt|już|la |não|olvida|oublie|più|regra|sapplique|tient|unut|vaut|vergiss|wali|ya "
     "|zapomnij|не|про|बात|なし|不再|作废|取消|忘れて|규칙은",
     r"\bvergiss (?:die regel|die sache|das mit|was ich)\b|\bgilt nicht mehr\b|\boublie (?:ce que jai dit"
     r"|la règle)\b|\bne (?:vaut|tient|sapplique) plus\b"
     r"|\bolvida (?:lo de|la regla|lo que dije)\b|\bya no (?:aplica|vale)\b|\besque[cç]e? (?:a regra"
     r"|o que eu disse)\b|\bnão vale mais\b|\blascia perdere la regola\b"
     r"|\bdimentica la regola\b|\bnon vale più\b|\bзабудь про\b|\bбольше не действует\b|\bzapomnij o\b"
     r"|\bjuż nie obowiązuje\b|\bkuralını unut\b|\bartık geçerli değil\b"
     r"|规则(?:作废|取消|不再)|ルールは(?:もう)?(?:なし|忘れて)|の件は忘れて|규칙은 (?:잊어|이제 없)"
     r"|\bwali baat bhool\b|वाली बात भूल"),
)
PERMITTING = (  # what a rule forbade
    (" point on|again|any time|anytime|from now|going forward|henceforth|here on|moving forward"
     "|today on",
     rf"\b(?:you|we) (?:may|can|are allowed to|re allowed to|are free to)\b.{{1,80}}\b(?:again|any ?time"
     rf"|{FROM_NOW_ON})"),
    (" point on|from now|going forward|henceforth|here on|moving forward|today on",
     rf"{START}{FROM_NOW_ON} ,? ?(?:you|we) (?:may|can|are allowed to|re allowed to)\b"),
    (" allowed | fine | ok | okay | permitted ",
     rf"\b(?:is|are) (?:allowed|ok|okay|fine|permitted) (?:again|{FROM_NOW_ON})"),
    ("ab |artık|darfst|di |já|możesz|tu |ya |можно|снова|अब|また|以后可以|又可以|돼",
     r"\bdarfst .{0,40}\bwieder\b|\btu peux (?:de|à) nouveau\b|\bya puedes\b.{1,60}\b(?:otra vez|de nuevo)\b"
     r"|\bjá pode\b.{1,60}\bde novo\b|\bpuoi di nuovo\b|\bможно снова\b|\bснова можно\b"
     r"|\bmożesz (?:już )?(?:znowu|znów)\b|\bartık\b.{1,60}abilirsin\b|以后可以|又可以|また.{1,30}(?:してもいい"
     r"|して大丈夫)|이제 .{1,40}해도 돼|다시 .{1,40}해도 돼|अब .{1,60}सकते हो|\bab .{1,60}\bsakte ho\b"),
)
RELIEVING = (  # of what a rule wants done
    ("any longer|any more|anymore|no longer any need|no need|we no |you no ",
     r"\b(?:you|we) (?:dont|do not|no longer) (?:have|need) to\b.{1,80}\b(?:any ?more|any longer)\b|\b(?:you"
     r"|we) no longer (?:have|need) to\b"
     r"|\bno (?:longer any )?need to\b.{1,80}\b(?:any ?more|any longer)\b"),
)
EXCEPTING = (  # an exception, which ends nothing
    r"\b(?:for now|this time|just once|only once|only this|today|tonight|for (?:this|these|that|the)|in this"
    r"|right now|until|except|if|when|only)\b")
FORBIDDING = (
    r"\b(?:never|dont|do not|no|not|avoid|stop|off|forbidden|without|only|hands|mustnt|niemals|nie|nicht|keine?"
    r"|finger|nunca"
    r"|jamás|jamais|prohibido|não|mai|non|nigdy|asla|mat|mana)\b")
UNNAMING = frozenset((  # words that name no rule: grammar, and the forms' own
    "a an the and or of to in on at is are be it its this that with for from by as we you i me my our your they do "
    "does did dont not no never "
    "always only just also any more again now actually about what said rule rules thing ok okay all every each make "
    "sure forget ignore "
    "longer need have has so but if when there here may can allowed are free time anytime fine permitted drop scrap "
    "cancel lift disregard "
    "revoke ban restriction requirement policy convention constraint freeze lifted off over void dropped cancelled "
    "obsolete applies apply "
    "holds hold counts count doesnt whatever please earlier before re going forward moving henceforth today point "
    "yes well ever use used "
    "using anymore under straight directly must should "
    "vergiss die der das den dem sache regel mit was ich gesagt habe gilt nicht mehr darfst du jetzt wieder ab auf "
    "immer nie niemals keine kein und im "
    "oublie ce que jai dit sur la le les règle ne vaut tient sapplique plus tu peux de nouveau à jamais des du "
    "maintenant "
    "olvida lo los las el regla dije ya aplica vale puedes hacer otra vez nuevo nunca hagas una un esquece esqueça "
    "o os disse não mais mas já pode "
    "dar dê na no agora lascia perdere regola dei del dimentica non più puoi di fare adesso su mai cosa забудь про "
    "больше не действует можно снова "
    "теперь в на никогда zapomnij tej zasadzie z o już nie obowiązuje możesz znowu znów nigdy artık yapabilirsin "
    "yapma asla kuralını unut geçerli değil "
    "ab sakte ho wali baat bhool jao kar karna mat kabhi par अब पर सकते हो कर करना मत कभी वाली बात भूल जाओ").split())
UNNAMING_LETTERS = (  # of languages without spaces
    r"规则|作废|取消|不再|之前说的|以后|可以|又可以|现在|了|的|ルール|は|もう|なし|忘れて|ください|の件|また|しても"
    r"|いい|よ|大丈夫|に|て|규칙은?|잊어\S*|이제|다시|해도|돼")
