"""Which language a program belongs to: the sources that it reads, the language's own tests."""

from __future__ import annotations

SOURCE_LANGUAGES = {  # endings of sources that belong to one of them
    "apple": ".swift .m .mm .storyboard .xib .pbxproj .xcconfig .entitlements",
    "go": ".go", "rust": ".rs", "python": ".py .pyi", "jvm": ".kt .java",
    "dotnet": ".cs .fs .vb", "ruby": ".rb", "php": ".php", "dart": ".dart", "elixir": ".ex .exs",
    "web": ".ts .tsx .mts .cts .js .jsx .mjs .cjs .vue .svelte .html .css .scss"}
SOURCE_ENDINGS = tuple(" ".join(SOURCE_LANGUAGES.values()).split())
SOURCES_OF_PROGRAM = {  # endings of the files that a program reads; another one may read all
    "go": ".go .mod .s .c .h", "gofmt": ".go", "goimports": ".go", "gofumpt": ".go", "golangci-lint": ".go .mod",
    "staticcheck": ".go", "gotestsum": ".go .mod", "cargo": ".rs .toml", "rustfmt": ".rs", "rustc": ".rs",
    "mypy": ".py .pyi .toml .ini .cfg", "pyright": ".py .pyi .toml .json", "ruff": ".py .pyi .ipynb .toml",
    "flake8": ".py .cfg .ini", "pylint": ".py .toml", "black": ".py .pyi .toml", "isort": ".py .toml",
    "tsc": ".ts .tsx .mts .cts .js .jsx .json .vue", "vue-tsc": ".ts .tsx .vue .json", "shellcheck": ".sh .bash",
    "actionlint": ".yml .yaml", "yamllint": ".yml .yaml", "terraform": ".tf .tfvars", "rubocop": ".rb .yml",
    "eslint": ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .json"}
LANGUAGES_OF_PROGRAM = {  # programs that read many kinds of files, but no sources of other languages than these
    "xcodebuild": "apple", "swift": "apple", "dotnet": "dotnet web", "flutter": "dart", "dart": "dart",
    "mix": "elixir web", "rspec": "ruby web",
    **dict.fromkeys(("npm", "bun", "vitest", "jest", "vite", "next", "webpack", "tsup"), "web")}
TESTS_OF_LANGUAGE = {  # endings of sources; the tests that programs of the language's own run
    ".go": ("go test", "gotestsum"), ".rs": ("cargo test", "cargo nextest"),
    ".swift": ("swift test", "xcodebuild test"),
    ".py": ("pytest", "unittest", "nose2", "tox", "nox", "manage.py test", "behave"),
    ".rb": ("rspec", "minitest", "rails test", "cucumber"), ".ex": ("mix test",),
    ".dart": ("flutter test", "dart test")}
NO_NPM_PROGRAMS = ("go ", "cargo", "pytest", "unittest", "swift", "dotnet", "rspec", "mix ", "phpunit", "mvn", "gradle",
                   "ruff", "mypy", "golangci-lint")  # what a package's own scripts are not known to run
