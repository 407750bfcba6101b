"""What the sessions behind made-up summaries knew, and how a summarising model words it; written by hand.

A project is a text: a line with a fact's kind, or that of a request, a passing command (`ran`) or a filler, and below
it, after `=`, how summaries tell it. A kind may be followed by the fact's language, that of a filler by its section.
Lines that begin with two spaces go on with the line before. A failure is a command, ` -> ` and its error. Facts in
other languages than English have no wordings: a summary keeps them verbatim or drops them. Fillers are of no fact,
but speak of the same files, tests and commands. Several facts of a project share their words, so that one may be
dropped while its neighbour stays.

What stands here and in audit_more_material.py is for tuning, what stands in audit_check_material.py for reporting:
projects, invented instructions, false claims and changed rules alike; fillers of no project serve both. Python 3.9+,
standard library only.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from audit_check_material import CHECK_PROJECTS
from audit_more_material import MORE_PROJECTS

KINDS = ("rule", "task", "question", "decision", "failure", "value")


class Entry(NamedTuple):
    """A fact, or a request, passing command or filler; `about` is its language or section."""

    project: str
    kind: str
    about: str
    text: str
    wordings: tuple[str, ...]

    @property
    def named(self) -> str:
        """The text of its item in memory: of a failure the command."""
        return self.text.partition(" -> ")[0] if self.kind == "failure" else self.text

    @property
    def error(self) -> str:
        """What a failing command said."""
        return self.text.partition(" -> ")[2]


PROJECTS = {
    "shop": """
rule: never edit anything under vendor/ by hand, run make vendor instead
= User wants `vendor/` left untouched; it is regenerated through `make vendor`.
= No manual changes below vendor/ (regenerate with `make vendor`).
= Manual edits in vendor/ are forbidden - `make vendor` is the only way to change it.
rule: Tests must not hit the network, use the fixtures in tests/cassettes.
= Constraint: network access in tests is off limits; rely on the recordings under `tests/cassettes`.
= Tests have to stay offline and work from tests/cassettes.
= User asked that no test goes over the network (recorded fixtures in `tests/cassettes` instead).
rule: put new tests next to the component, not into tests/
= New tests are to live beside their component rather than in the tests/ folder.
= User prefers that newly written tests be placed alongside the component (not under `tests/`).
rule: Always show prices with two decimals and the currency after the number.
= Prices are displayed with 2 decimals, currency behind the amount.
= User requires price output formatted to two decimal places with a trailing currency.
rule: don't touch the checkout reducer, Mira is working on it
= The checkout reducer is off-limits since Mira is currently changing it.
= User said to leave the checkout reducer alone (Mira is on it).
= Must not modify the reducer of the checkout; that is Mira's work in progress.
task: Add an empty state to the wishlist page
= Wishlist page still needs its empty state.
= Remaining: design the view for a wishlist page that is empty.
task: Write tests for the coupon stacking rules
= Coupon stacking has no tests yet; these remain to be written.
= Still to do: cover the rules for stacking coupons with tests.
= Test coverage for stacked coupons is outstanding.
task: Move the shipping estimate behind a feature flag
= Put shipping estimates under a feature flag (not started).
= The shipping estimate has yet to be moved behind its feature flag.
question: Should a guest be able to save a cart across devices, or only signed-in customers?
= Awaiting the user's answer on whether guests may keep a cart across devices or just signed-in customers.
= Unanswered: are saved carts across devices meant for guests too or for customers who are logged in?
decision: We'll use Zod for validating the API responses instead of io-ts because the error messages are readable.
= Zod was chosen over io-ts to validate API responses (clearer error messages).
= Validation of API responses goes through Zod rather than io-ts, as its errors can be read.
decision: Decided to keep the cart in localStorage and not in a cookie, since it outgrew 4 KB.
= Cart stays in localStorage: a cookie was ruled out as it exceeded 4 KB.
= The cart lives in local storage, not in cookies, because of the 4 KB limit it had outgrown.
failure: npm run build -> src/checkout/Totals.tsx(41,9): error TS2345: Argument of type 'string' is not assignable
= `npm run build` is still red: TS2345 in `Totals.tsx` line 41 (a string where another type is wanted).
= The production build (`npm run build`) does not go through because of a TS2345 type error in Totals.tsx.
failure: npx playwright test e2e/guest.spec.ts -> TimeoutError: locator.click: Timeout 30000ms exceeded
= The Playwright run of `e2e/guest.spec.ts` keeps timing out on a click (30 s).
= e2e/guest.spec.ts fails under Playwright: `locator.click` never succeeds and times out.
value: The sandbox of the payment provider is https://sandbox.paygrid.example/v3 for all of us.
= Payment provider's sandbox: https://sandbox.paygrid.example/v3
= Sandbox URL for payments (shared by everybody) is `https://sandbox.paygrid.example/v3`.
rule de: Bitte die Texte im Warenkorb immer in der Du-Form schreiben.
value de: Das Ticket für den Warenkorb ist SHOP-2291.
request: the totals on the checkout page jump around when a coupon is applied, find out why
= Investigate why totals on the checkout page jump when a coupon gets applied.
request: can you add a wishlist page, same layout as the product list
= Build a wishlist page that shares the layout of the product list.
ran: npm run lint
= `npm run lint` came back clean.
ran: npx vitest run src/cart
= Ran `npx vitest run src/cart`: all tests passed.
filler concepts: The front end is a Vite and React application in TypeScript; state is kept with Redux Toolkit slices.
filler concepts: Coupons are applied on the server, the client only shows the discount lines that the API returns.
filler files: `src/cart/useCart.ts` - hook around the cart slice; examined how `addLine` merges equal products and how
  quantities are clamped before the request leaves the browser.
filler files: `src/product/ProductList.tsx` - the grid was extracted into `ProductGrid` so that two pages share it.
filler errors: React warned about a missing key in the list of discount lines; the coupon code now serves as the key.
filler problems: The jump in the totals came from two renders with different rounding; both now use one helper.
filler work: Was looking at how the price component is rendered inside the product grid, beginning with its props.
""",
    "shipper": """
rule: Every exported function needs a doc comment that starts with its name.
= Doc comments are mandatory on all exported functions and begin with the function's name.
= User wants each exported func documented, the comment opening with its name.
rule: never call os.Exit outside of cmd/, return errors instead
= os.Exit is permitted in `cmd/` only; everything else returns errors.
= Outside cmd/ code must return an error and not call `os.Exit`.
= User forbade os.Exit anywhere but in `cmd/`.
rule: wrap errors with %w, never with %v
= Error wrapping has to use %w rather than %v.
= When wrapping an error, `%w` is required (`%v` is not acceptable).
rule: No new dependencies in go.mod without asking me first.
= User must be asked before any dependency is added to `go.mod`.
= Adding dependencies to go.mod requires the user's approval beforehand.
rule: Run the tests with -race, always.
= The race detector (`-race`) is always on when tests are run.
= User insists on `-race` for each test run.
task: Document the backpressure settings in docs/tuning.md
= docs/tuning.md still has to describe the settings for backpressure.
= Outstanding: documentation of backpressure options (`docs/tuning.md`).
task: Make the retry interval configurable per output
= Per-output configuration of the retry interval is pending.
= Next up: let each output set its own interval for retries.
= Retry intervals cannot be configured for single outputs yet - to be implemented.
task: Remove the deprecated --follow-all flag
= The `--follow-all` flag (deprecated) is yet to be removed.
= Still open: drop the deprecated flag --follow-all.
question: Should a rotated file be read to its end before we switch, or may we skip what is left?
= The user has not yet said whether a rotated file must be read to the end before switching or the rest may be skipped.
= Question pending with user: finish reading rotated files, or skip the remainder on switching?
decision: We decided on a ring buffer in memory instead of a disk queue, because ordering across restarts isn't needed.
= In-memory ring buffer was preferred to a queue on disk, as order need not survive restarts.
= A disk queue was rejected in favour of a ring buffer held in memory (no ordering needed across restarts).
decision: Let's parse timestamps lazily: most lines are dropped before anyone looks at the time.
= Timestamps are parsed lazily since most lines get dropped before their time matters.
= Lazy timestamp parsing was agreed, given that the majority of lines is discarded first.
failure: go test ./internal/tail -> --- FAIL: TestRotateTwice (0.31s)
= `TestRotateTwice` in internal/tail fails.
= The tail package is not green: TestRotateTwice still failing (`go test ./internal/tail`).
failure: golangci-lint run -> internal/output/kafka.go:88:2: ineffectual assignment to err (ineffassign)
= golangci-lint complains about an ineffectual assignment in `internal/output/kafka.go` line 88.
= Lint is failing: ineffassign on `err` at kafka.go:88.
value: The metrics endpoint listens on port 9464.
= Metrics are served at port 9464.
= The endpoint for metrics is reachable on port 9464.
rule ja: コミットメッセージは必ず英語の命令形で書いてください。
decision ja: ログの圧縮は gzip ではなく zstd を使うことにした。CPU の負荷が低いため。
request: lines go missing when logrotate runs twice in a minute, please reproduce and fix it
= Reproduce and fix the loss of lines when logrotate runs twice within a minute.
request: give me an overview of how the outputs are wired up
= Explain how outputs are wired together.
ran: go vet ./...
= `go vet ./...` reports nothing.
ran: go test ./internal/config
= The config package passes (`go test ./internal/config`).
filler concepts: Inputs, filters and outputs are goroutines joined by channels; a supervisor restarts those that return.
filler concepts: File identity is inode plus device, so that a renamed file is recognised after rotation.
filler files: `internal/tail/follow.go` - the loop that polls for growth; added a second stat after the read returns
  io.EOF, so that a file which was replaced in between is noticed.
filler files: `internal/output/kafka.go` - read to understand batching; the producer flushes by size and by age.
filler errors: The fake clock was advanced before the goroutine had registered its timer; the test now waits for it.
filler problems: Two rotations within one poll meant that the middle file was never opened by the follower.
filler work: Comparing the order of events in the debug output with what inotify reports for a rename.
""",
    "compiler": """
rule: keep the lexer free of allocations, no String in tokens
= The lexer must not allocate; tokens hold no `String`.
= User demands an allocation-free lexer (tokens without String).
rule: Error messages start with a lower case letter and have no full stop.
= Diagnostics begin in lower case, without a period at the end.
= Error texts: lower-case first letter and no trailing full stop.
rule: snapshots are only updated by me, never run cargo insta accept
= Only the user updates snapshots; `cargo insta accept` must not be run.
= Running `cargo insta accept` is forbidden, since snapshots get updated by the user alone.
rule: Don't use unwrap() in crates/hir, expect() with a reason is fine.
= In `crates/hir`, unwrap() is not allowed (expect with a reason is acceptable).
= `unwrap()` is banned from crates/hir; an `expect()` that gives its reason may be used.
= crates/hir: use expect() plus reason, never unwrap().
rule: I want one commit per lint, each with its own test.
= Each lint gets a commit of its own along with a test.
= Commits are split by lint, and every one includes its test.
task: Teach the formatter about trailing commas in match arms
= Formatter support for trailing commas in match arms remains to be done.
= Pending: match arms with trailing commas in the formatter.
task: Port the constant folder to the new visitor
= Constant folder still uses the old visitor and has to be ported.
= The port of constant folding onto the new visitor is not done.
question: Do you want integer overflow in constants to be an error or a warning?
= User still needs to choose between error and warning for overflowing integer constants.
= Not answered so far: is overflow of an integer constant an error, or just a warning?
question: May I bump the minimum Rust version to get let-else?
= Asked whether the minimum Rust version can be raised for let-else; no reply yet.
= Waiting for permission to raise the MSRV (let-else).
decision: We use a hand-written recursive descent parser instead of lalrpop because its error recovery is too coarse.
= Parser is hand-written (recursive descent); lalrpop was rejected for its coarse error recovery.
= lalrpop is out: recovery from errors was too coarse, hence a recursive descent parser written by hand.
decision: Decided that spans are byte offsets, line and column are computed only when something is printed.
= Spans store byte offsets; lines and columns get computed on printing only.
= Byte offsets were settled on for spans (line/column derived at print time).
decision: Interning goes into the session rather than a global, so that tests can run in parallel.
= The interner belongs to the session and is not global, to allow tests in parallel.
= No global interner - it sits in the session so tests can be run in parallel.
failure: cargo test -p hir lowering -> assertion `left == right` failed: nested closures keep their captures
= Lowering tests in hir fail on nested closures and their captures.
= `cargo test -p hir lowering` currently fails (captures of nested closures).
value: We build with nightly, the toolchain is pinned to version 1.83.0 in CI.
= CI pins toolchain 1.83.0 (nightly build).
= Toolchain version used by CI: 1.83.0.
value: The tracking issue for pattern guards is LANG-417.
= Pattern guards are tracked in LANG-417.
= LANG-417 is where pattern guards get tracked.
rule ru: Не трогай грамматику в docs/grammar.md, её правит только Олег.
request: the parser panics on an unclosed string in a macro, make it recover
= Make the parser recover from an unclosed string within a macro instead of panicking.
request: write me a short design note on how lints get their configuration
= Provide a short design note about configuration of lints.
ran: cargo clippy --all-targets
= `cargo clippy --all-targets` finished without warnings.
ran: cargo test -p syntax
= All tests of the syntax crate pass (`cargo test -p syntax`).
filler concepts: The syntax tree is lossless: whitespace and comments are tokens like any other and hang on the nodes.
filler concepts: Name resolution runs per module and caches its result under the hash of the item tree.
filler files: `crates/syntax/src/parser/string.rs` - a new recovery set; on a line break inside a literal the parser
  closes the token and records a diagnostic instead of consuming the rest of the file.
filler files: `crates/hir/src/lower.rs` - only read, to see where closures are desugared.
filler errors: The borrow checker refused a second mutable borrow of the arena; ids are now collected before the loop.
filler problems: The panic had two causes, the missing terminator and an assertion on token lengths.
filler work: Was stepping through the macro expansion with a small input that has one quote too many.
""",
    "clinic": """
rule: patient names must never show up in logs
= Logs may not contain the names of patients.
= User: never log names of patients.
= Names of patients are to be kept out of all logging.
rule: Appointment times are stored in UTC and shown in the clinic's time zone.
= Times of appointments: UTC in storage, time zone of the clinic on display.
= Store appointment times as UTC but render them in the zone of the clinic.
rule: use factories in tests, no JSON fixtures
= Tests build their data with factories rather than JSON fixtures.
= JSON fixtures are not wanted in tests (factories instead).
rule: Migrations need a reverse operation, even if it only raises.
= Each migration has to be reversible or at least define a reverse that raises.
= A reverse operation is required in every migration, be it one that just raises.
rule: Please leave the admin templates as they are, they will be replaced in spring.
= Admin templates should not be changed because a replacement comes in spring.
= The templates of the admin stay as is (being replaced in spring).
task: Send a reminder mail one day before the appointment
= Reminder e-mails the day before an appointment are not implemented yet.
= Still missing: mailing a reminder on the day ahead of the appointment.
task: Add a permission for receptionists to move bookings
= Receptionists need a permission to move bookings (to be added).
= Outstanding work: permission that lets receptionists reschedule bookings.
question: Is a cancelled slot offered to the waiting list automatically or by a receptionist?
= It is unclear, and the user was asked, whether cancelled slots go to the waiting list automatically or via reception.
= Open: who offers a cancelled slot to the waiting list, the system or a receptionist?
question: How long should we keep the audit entries?
= User was asked about the retention of audit entries and has not replied.
= Retention time for audit entries is still to be decided by the user.
decision: We'll go with a database constraint against double bookings instead of a lock, since workers run on two hosts.
= Double bookings are prevented by a constraint in the database; locking was dropped as workers run on two hosts.
= Because there are two worker hosts, a DB constraint (not a lock) guards against double booking.
decision: Decided to render the invoices with WeasyPrint rather than wkhtmltopdf because the latter is unmaintained.
= WeasyPrint replaces wkhtmltopdf for rendering invoices, as wkhtmltopdf is no longer maintained.
= Invoice rendering uses WeasyPrint (wkhtmltopdf being unmaintained).
decision: The calendar feed is read-only for now, two-way sync brought more conflicts than it solved.
= Two-way sync was given up due to conflicts; the calendar feed is read-only at present.
= Calendar feed: read only, since syncing both ways produced too many conflicts.
failure: python manage.py test booking.tests.test_overlap -> AssertionError: 2 != 1 : slot was offered twice
= test_overlap of the booking app fails because a slot is offered twice (2 != 1).
= `booking.tests.test_overlap` is still failing with "slot was offered twice".
value: The text message gateway runs at http://10.20.4.7:8081/send in the test network.
= SMS gateway (test network): http://10.20.4.7:8081/send
= In the test network text messages go through `http://10.20.4.7:8081/send`.
value: The tariff catalogue is version 4.12.2.
= Tariff catalogue in use: 4.12.2
= Version 4.12.2 of the tariff catalogue applies.
rule es: Los correos a pacientes se envían siempre en español e inglés.
task es: Traducir la página de citas al catalán
request: two people got the same slot yesterday, how can that happen and how do we prevent it
= Find out how two people could get the same slot, and prevent that.
request: please make the booking form usable on a phone
= Make the booking form usable on phones.
ran: python manage.py check --deploy
= `python manage.py check --deploy` passes without issues.
ran: ruff check booking
= `ruff check booking` is clean.
filler concepts: A Django monolith with Celery workers; bookings, patients and invoices are separate apps.
filler concepts: Slots are generated a week ahead from the opening hours of each practitioner.
filler files: `booking/forms.py` - the date picker became a native input and the two columns collapse on small screens.
filler files: `booking/services.py` - `reserve_slot` was rewritten to open one transaction around check and insert.
filler errors: The template tag raised VariableDoesNotExist for anonymous visitors; a default is passed in the view now.
filler problems: Both requests had read the slot as free before either of them wrote, which the log timing confirmed.
filler work: Reading through the signals of the patients app to see who else writes bookings.
""",
    "cluster": """
rule: Never run terraform apply yourself, only plan.
= Only `terraform plan` may be run; applying is left to the user.
= User does not allow `terraform apply` - planning only.
rule: all resources need the tags owner and cost-center
= Every resource carries the tags `owner` and `cost-center`.
= Tagging with owner and cost-center is mandatory for resources.
rule: do not put anything into the default namespace
= The default namespace must stay empty.
= Nothing may be deployed to the `default` namespace.
rule: Changes to prod go through a pull request with two reviewers.
= Prod changes need a pull request and two reviewers.
= For production a PR reviewed by two people is required.
rule: use one module per team, no shared mega module
= Modules are to be per team; no mega module shared by all.
= User wants a separate module for each team instead of a big shared one.
task: Import the old DNS zones into the state
= Old DNS zones have not been imported into the state so far.
= To do: bring the existing DNS zones into Terraform state.
task: Write a runbook for restoring the etcd backup
= A runbook on how to restore etcd from backup must still be written.
= Runbook (etcd backup restore) is outstanding.
task: Set memory limits on all batch jobs
= Memory limits for the batch jobs are not set yet.
= Remaining step: give each batch job a memory limit.
question: Should the staging cluster be shut down at night to save money?
= Waiting to hear if staging should be stopped overnight for cost reasons.
= User has yet to decide on shutting the staging cluster down during the night (cost).
decision: We chose Karpenter over the cluster autoscaler because it picks cheaper instance types by itself.
= Karpenter is used and not the cluster autoscaler, since it selects cheaper instance types on its own.
= Cluster autoscaler was passed over for Karpenter, which finds cheaper instances automatically.
decision: Secrets come from the external operator instead of sealed files, so that rotation needs no commit.
= External operator delivers secrets rather than sealed files (rotating without a commit).
= Not sealed files but the external operator supplies secrets, which can thus rotate with no commit.
failure: terraform plan -out=net.plan -> Error: Invalid for_each argument on network.tf line 27
= Planning fails at network.tf line 27 with "Invalid for_each argument".
= `terraform plan -out=net.plan` does not work yet: for_each argument in `network.tf` is invalid.
failure: helm upgrade --install gateway charts/gateway -> Error: UPGRADE FAILED: timed out waiting for the condition
= The gateway chart could not be upgraded: helm timed out waiting for the condition.
= Helm upgrade of charts/gateway is failing (UPGRADE FAILED, timeout).
value: The bastion lives at 172.31.8.20:2222 since the move.
= Bastion address after the move: 172.31.8.20:2222
= Since moving, the bastion is found at 172.31.8.20:2222.
rule zh: 不要修改 modules/legacy 里的任何文件。
value zh: 预发环境的地址是 https://pre.cluster.example:8443
request: the plan wants to recreate the whole network, I only renamed a subnet. why?
= Explain why renaming a subnet makes the plan recreate the whole network.
request: set up a second node pool for the batch workloads
= Set up a second pool of nodes for batch workloads.
ran: terraform validate
= `terraform validate` succeeded.
ran: terraform fmt -check -recursive
= Formatting was confirmed with `terraform fmt -check -recursive`.
filler concepts: State is kept in a bucket with locking; each environment has its own folder and variables file.
filler concepts: A subnet is addressed by its key in a map, so that a rename is a destroy and a create for the planner.
filler files: `network.tf` - the subnets are built from a map; a moved block maps the former key to the new one.
filler files: `charts/gateway/values.yaml` - replicas and probes were read; the readiness probe has a delay of 5 s.
filler errors: The provider could not find credentials in the container; the profile is mounted read-only now.
filler problems: The planner looked at map keys and not at names, which explains why everything below was replaced.
filler work: Comparing the two plans, before and after the moved block, resource by resource.
""",
    "notes": """
rule: Minimum SDK stays at 26, do not raise it.
= minSdk must remain 26.
= User does not want the minimum SDK (26) to be raised.
rule: strings go into strings.xml, never hard code text in composables
= No hard-coded text in composables: all strings belong in `strings.xml`.
= Text has to come from strings.xml and not be written into composables directly.
rule: Do not block the main thread, database access belongs into Dispatchers.IO.
= DB access runs on Dispatchers.IO so the main thread is never blocked.
= The main thread may not be blocked; use `Dispatchers.IO` for anything that reaches the database.
rule: ask me before you change the database schema
= Schema changes of the database need the user's consent first.
= Before altering the DB schema the user has to be asked.
rule: I prefer sealed interfaces to enums for UI state.
= UI state is modelled with sealed interfaces in preference to enums.
= User favours sealed interfaces over enum classes for the state of the UI.
task: Show a snackbar with undo after deleting a note
= Undo snackbar upon deletion of a note is still missing.
= Pending: after a note is deleted, offer undo in a snackbar.
task: Support dark mode in the widget
= The widget has no dark mode yet.
= Widget: dark mode support to be added.
task: Migrate the settings screen from SharedPreferences to DataStore
= Settings screen remains on SharedPreferences; moving it to DataStore is planned.
= Outstanding: DataStore migration of the settings screen (SharedPreferences today).
question: Do you want the search to look into attachments as well?
= The user was asked if search should cover attachments; answer outstanding.
= Whether attachments are searched too is an open question for the user.
decision: We'll store note bodies as Markdown rather than HTML because the export is plain text anyway.
= Note bodies are kept in Markdown and not HTML, given that export is plain text.
= Markdown won over HTML for the body of notes, since exporting yields plain text in any case.
decision: Decided against WorkManager for sync: push messages wake us up early enough.
= WorkManager was rejected for syncing as push messages wake the app in time.
= Sync does without WorkManager (push messages suffice to wake it).
failure: ./gradlew :app:assembleRelease -> e: EditorScreen.kt:112:17 Unresolved reference: rememberEditorState
= The release build breaks on an unresolved reference `rememberEditorState` in EditorScreen.kt.
= `./gradlew :app:assembleRelease` fails: rememberEditorState cannot be resolved (EditorScreen.kt:112).
failure: ./gradlew connectedCheck -> No connected devices!
= connectedCheck could not be run because there was no connected device.
= `./gradlew connectedCheck` failed as no devices were connected.
value: The sync server of the beta listens on localhost:7443 inside the emulator.
= In the emulator the beta's sync server is at localhost:7443.
= Beta sync server (emulator): `localhost:7443`
rule de: Neue Bildschirme bekommen immer eine Vorschau mit langem Text.
decision de: Wir nehmen Room statt SQLDelight, weil das Team es schon kennt.
request: when I rotate the phone while editing, the cursor jumps to the start. fix that
= Fix the cursor jumping to the start when the phone is rotated during editing.
request: add a widget with the three newest notes
= Add a widget that shows the newest three notes.
ran: ./gradlew lintDebug
= `./gradlew lintDebug` reported no issues.
ran: ./gradlew :core:test
= The unit tests of core pass (`./gradlew :core:test`).
filler concepts: The app has a core module without Android classes and an app module with the screens.
filler concepts: A screen's state is exposed as a StateFlow and collected with the lifecycle of the view.
filler files: `app/src/main/java/notes/EditorViewModel.kt` - the selection is now kept in SavedStateHandle, next to the
  text, and restored before the first composition.
filler files: `app/src/main/java/notes/NoteWidget.kt` - new; three rows with title and date, built with Glance.
filler errors: The preview crashed on a missing composition local; a fake is provided in the preview function.
filler problems: Rotation recreated the text field with a fresh selection; the text itself came from the database.
filler work: Was checking how the widget behaves when the list of notes is empty or a title has several lines.
""",
    "pipeline": """
rule: Never overwrite files in raw/, write a new partition instead.
= Files in `raw/` are immutable; changes go to a new partition.
= User forbids overwriting anything in raw/ (write another partition).
rule: column names are snake_case and in English
= Columns must be named in English snake_case.
= User wants English column names in snake case.
rule: every model needs a not_null and a unique test on its key
= Keys of all models are tested for being unique and not null.
= For each model, uniqueness and not_null tests on the key are required.
rule: do not use pandas for anything above a gigabyte, that is what polars is for
= Data larger than 1 GB is handled with polars and not with pandas.
= pandas is out of bounds beyond one gigabyte (polars is to be used there).
rule: backfills only between 20:00 and 05:00
= Backfill runs are limited to the window from 20:00 to 05:00.
= Only run backfills at night, 20:00-05:00.
task: Add a freshness check to the orders source
= The orders source lacks a freshness check, which is to be added.
= Still pending: check freshness of the orders source.
task: Split the nightly DAG into one per country
= Nightly DAG has yet to be split up by country.
= Remaining: one DAG per country in place of the nightly one.
question: Should returned goods reduce the revenue of the day of sale or of the day of return?
= Open with the user: do returns lower revenue on the day of the sale or the day of the return?
= User has not answered whether returned goods count against the sale's day or the return's.
question: Who gets the alert when a source is late?
= Recipient of alerts on late sources is not known; user was asked.
= Asked the user who should be alerted about late sources, no answer so far.
decision: We use incremental models with a three-day window because late events arrive up to two days later.
= Incremental models look back three days since events may be up to two days late.
= A window of 3 days was settled for incremental models, covering events that come two days late.
decision: Decided to keep currency conversion out of staging, so that staging stays a copy of the source.
= Staging does no currency conversion; it is meant to mirror the source.
= Currencies are not converted in staging, which remains a plain copy of its source.
decision: Parquet instead of CSV for the exchange with the finance team, since types got lost.
= Exchange with finance moved from CSV to Parquet as CSV lost the types.
= The finance team receives Parquet because types were lost in CSV files.
failure: dbt run --select marts.revenue -> Database Error in model revenue: column "net_amount" does not exist
= The revenue mart does not build: column net_amount is missing.
= `dbt run --select marts.revenue` stops with a database error about `net_amount`.
value: The warehouse for experiments is called lab-3307 in the console.
= Experiment warehouse: lab-3307
= Experiments run in the warehouse lab-3307.
value: Airflow is pinned to version 2.9.3 because of the provider.
= Airflow version 2.9.3 is pinned (owing to the provider).
= Owing to the provider Airflow remains at 2.9.3.
rule zh: 报表里的日期一律写成年月日，不要用星期。
request: revenue for last tuesday is lower than in the old report, find the difference
= Find out why revenue of last Tuesday is below the old report.
request: make the nightly run faster, it takes four hours
= Speed up the nightly run, which takes four hours.
ran: dbt test --select staging
= `dbt test --select staging` passed.
ran: sqlfluff lint models
= `sqlfluff lint models` gives no complaints.
filler concepts: Sources are loaded into raw tables, cleaned in staging, and joined in marts that the reports read.
filler concepts: A DAG has one task per model; the scheduler retries a task twice before it gives up.
filler files: `models/staging/stg_orders.sql` - read; it removes duplicates by order id and keeps the newest row.
filler files: `dags/nightly.py` - the sensor for the exchange rates was waiting in poke mode and held a worker slot.
filler errors: The seed file had a byte order mark, which turned the first header into another column.
filler problems: The old report counted orders by the day of payment, ours by the day of the order; both are right.
filler work: Timing the tasks of the last ten runs from the scheduler's database, slowest first.
""",
    "sensor": """
rule: No malloc after init, everything is allocated statically.
= Dynamic allocation is forbidden once initialisation is over (static allocation only).
= After init there must be no malloc calls; memory is static throughout.
rule: interrupt handlers only set a flag, work is done in the main loop
= ISRs merely set flags; processing happens in the main loop.
= User wants interrupt handlers restricted to setting a flag, leaving all work to the main loop.
rule: don't touch the linker script without talking to Jonas
= The linker script is only to be changed after consulting Jonas.
= Any linker script change has to be discussed with Jonas first.
rule: Registers are accessed through the HAL, never through raw addresses.
= Register access goes via the HAL and not by raw address.
= Raw addresses for registers are not acceptable; use the HAL.
rule: all units in the protocol are SI, temperatures in kelvin
= The protocol uses SI units throughout (kelvin for temperature).
= Protocol values are in SI units; temperatures are expressed in K.
task: Calibrate the second accelerometer axis
= The accelerometer's second axis is not calibrated yet.
= Calibration of axis 2 of the accelerometer is still to do.
task: Add a watchdog reset counter to the status frame
= Status frame still lacks a counter for watchdog resets.
= Pending: count watchdog resets and report them in the status frame.
question: Is the brown-out level 2.7 V or 2.4 V on the new board?
= The user still has to confirm the new board's brown-out level (2.7 V or 2.4 V).
= Unknown whether the new board browns out at 2.4 V or 2.7 V - asked the user.
question: May the bootloader take another 4 KB of flash?
= Question to the user whether the bootloader can use 4 KB more flash is unanswered.
= Waiting to hear if 4 KB of additional flash are available for the bootloader.
decision: We decided to use COBS framing instead of SLIP because its overhead is constant.
= COBS framing was picked over SLIP for its constant overhead.
= Framing is COBS (SLIP rejected, overhead not constant).
decision: Sampling is driven by a timer with DMA rather than polling, since polling jittered by 40 µs.
= Samples are taken by timer plus DMA; polling was abandoned due to 40 µs of jitter.
= Polling jittered (40 µs), hence sampling by timer and DMA.
decision: We stay on newlib-nano, picolibc lacked float formatting that the service menu needs.
= newlib-nano stays in use because picolibc has no float formatting, which the service menu requires.
= picolibc was tried and rejected: the service menu needs formatting of floats, so newlib-nano remains.
failure: make -C firmware size-check -> region `FLASH' overflowed by 1184 bytes
= The firmware does not fit: FLASH overflows by 1184 bytes.
= `make -C firmware size-check` fails as FLASH is exceeded by 1184 bytes.
value: The serial bridge in the lab is at 192.168.77.12:5331 until Friday.
= Lab serial bridge: 192.168.77.12:5331 (until Friday)
= Until Friday the lab's serial bridge can be reached under 192.168.77.12:5331.
value: The silicon erratum about the ADC is ERR-1187.
= ADC erratum: ERR-1187
= ERR-1187 is the erratum concerning the ADC.
rule ru: Любые изменения в протоколе согласовывать с командой прошивки шлюза.
request: the sensor stops sending after about six hours, find out why
= Find out why the sensor stops sending after roughly six hours.
request: can we get the sleep current below 8 microamps
= Bring the sleep current below 8 microamps.
ran: make -C firmware unit
= The unit tests on the host pass (`make -C firmware unit`).
ran: cppcheck firmware/src
= `cppcheck firmware/src` found nothing.
filler concepts: The device wakes every ten seconds, takes a burst of samples, sends a frame and sleeps again.
filler concepts: Frames carry a sequence number and a checksum; the gateway acknowledges every eighth of them.
filler files: `firmware/src/radio.c` - the transmit state machine; a lost acknowledgement left it waiting in state 3.
filler files: `firmware/src/power.c` - pins that float in sleep were set to analog mode one after the other.
filler errors: The debugger kept the core's clock alive, so that the current was only right once it was unplugged.
filler problems: After six hours the tick counter wrapped and the comparison for the next wake-up was signed.
filler work: Measuring the sleep current with each peripheral disabled in turn, and noting the difference.
""",
    "billing": """
rule: amounts are integers in cents, floats are not allowed anywhere in billing
= Billing must use integer cents for amounts; floats are prohibited.
= User does not tolerate floats in billing - amounts are whole cents.
rule: Never call the live tax service from a test, stub it with WebMock.
= Tests stub the tax service by WebMock and never reach the live one.
= The live tax service may not be called in tests (WebMock stubs are used).
rule: keep controllers under 60 lines
= Controllers should remain shorter than 60 lines.
= A controller may not exceed 60 lines.
rule: use service objects, no callbacks in models
= Logic belongs in service objects instead of model callbacks.
= Model callbacks are unwanted; use service objects.
rule: Write commit messages as type(scope): text, like the rest of the repo.
= Commit messages follow `type(scope): text` as elsewhere in the repository.
= The repo's convention for commits, type(scope): text, is to be followed.
task: Show the discount on the PDF invoice
= The discount is not shown on the invoice PDF yet.
= To do: print discounts on PDF invoices.
task: Handle a chargeback webhook that arrives twice
= Duplicate chargeback webhooks are not handled so far.
= Next task: cope with the chargeback webhook being delivered twice.
task: Archive invoices older than ten years
= Archiving of invoices that are over ten years old is outstanding.
= Invoices more than ten years old must still be archived.
question: Do credit notes get their own number range?
= User has not decided if credit notes have a number range of their own.
= Pending question: separate number range for credit notes?
decision: We'll run dunning as a daily job instead of on login, because many customers never log in.
= Dunning is a daily job and not triggered on login, as many customers do not log in.
= Since lots of customers never log in, dunning runs once a day by job.
decision: Decided to round per line and not per invoice, the tax office wants it that way.
= Rounding is done per line rather than per invoice, as demanded by the tax office.
= Per-line rounding was chosen (a demand of the tax office) over rounding the whole invoice.
failure: bundle exec rspec spec/services/prorate_spec.rb -> expected: 1613 got: 1612
= The proration spec is off by one cent (expected 1613, got 1612).
= `spec/services/prorate_spec.rb` fails with 1612 where 1613 is expected.
failure: bin/rails db:migrate -> PG::NotNullViolation: ERROR: column "plan_id" of "subscriptions" contains null values
= Migrating fails since plan_id in subscriptions contains nulls.
= `bin/rails db:migrate` aborts with a NotNullViolation for `plan_id` (subscriptions).
value: The test merchant account is acct-55210 at the provider.
= Test merchant account: acct-55210
= The provider's merchant account used for tests is acct-55210.
rule es: No cambies nunca los números de factura ya emitidos.
question es: ¿Mandamos el recordatorio de pago por correo o por carta?
request: a customer was charged twice after upgrading in the middle of the month
= Look into a customer being charged twice following an upgrade mid-month.
request: we need an export of all open invoices for the accountant
= Provide an export of open invoices for the accountant.
ran: bundle exec rubocop app
= `bundle exec rubocop app` reports no offenses.
ran: bundle exec rspec spec/models
= The model specs pass (`bundle exec rspec spec/models`).
filler concepts: Subscriptions belong to a plan; an upgrade closes one period and opens the next with a credit.
filler concepts: Webhooks are stored first and processed by a job, so that the provider gets its answer at once.
filler files: `app/services/prorate.rb` - the two branches for upgrade and downgrade were compared by hand.
filler files: `app/services/export_open_invoices.rb` - new; streams rows with a cursor and writes a semicolon file.
filler errors: The time zone of the test run moved the period's end into the next day; travel_to is used there now.
filler problems: The second charge came from a retry of the job after a deadlock, with a new idempotency key.
filler work: Tracing one subscription through the upgrade with the events that the provider sent in that minute.
""",
    "design": """
rule: every component must be usable with the keyboard alone
= Keyboard-only use has to be possible for all components.
= Each component needs to be fully operable by keyboard.
rule: No default exports in this package.
= Default exports are not used in this package.
= The package has named exports only, default ones being banned.
rule: colours come from tokens, never write a hex value in a component
= Components take colours from tokens instead of hex values.
= Hex colours in components are not permitted; use the tokens.
rule: don't bump the major version without a migration guide
= A major version bump requires a guide for migration.
= Without a migration guide the major version must not be raised.
rule: Storybook stories are written in CSF 3, no storiesOf.
= Stories use CSF 3 (storiesOf is not to be used).
= Write stories in CSF 3 format rather than with `storiesOf`.
task: Give the date picker a range mode
= Range mode for the date picker is still to be built.
= The date picker has no range mode so far.
task: Replace the icon font with inline SVG
= Swap out the icon font for inline SVGs (open).
= Icons still come from the icon font; inline SVG is to take its place.
task: Describe focus handling in the dialog docs
= The docs of the dialog should describe how focus is handled (pending).
= Missing: documentation on focus handling for the dialog.
question: Should the tooltip open on focus too, or only on hover?
= User needs to say if tooltips open on focus as well as on hover.
= Unresolved with the user: tooltip on hover only, or additionally on focus.
decision: We use CSS modules instead of styled-components because of server rendering.
= CSS modules were chosen in place of styled-components with server rendering in mind.
= Server rendering ruled out styled-components, so CSS modules it is.
decision: Decided to drop the carousel from the package, nobody imported it.
= The carousel is to leave the package as nobody imported it.
= Carousel is dropped since there were no imports of it.
failure: yarn test:a11y -> Elements must have sufficient color contrast (button-secondary)
= The a11y tests report too little contrast on button-secondary.
= `yarn test:a11y` is failing: color contrast of the secondary button is insufficient.
failure: yarn build:types -> src/Select.tsx(77,5): error TS2742: The inferred type of 'Select' cannot be named
= `yarn build:types` ends in TS2742 for Select (its inferred type cannot be named).
= Type declarations can't be built because of TS2742 in `src/Select.tsx`.
value: The preview of the docs is at https://preview.kitdocs.example/next for reviewers.
= Docs preview for reviewers: https://preview.kitdocs.example/next
= Reviewers find the docs preview under `https://preview.kitdocs.example/next`.
rule ja: コンポーネント名は必ず単数形にしてください。
request: the select closes when I click on the scrollbar, fix it please
= Fix the select closing upon a click on its scrollbar.
request: add a density switch to the table
= Add a switch for density to the table.
ran: yarn lint
= `yarn lint` passes.
ran: yarn vitest run Table
= Table tests all passed with `yarn vitest run Table`.
filler concepts: Components are split into a hook with the behaviour and a thin view that takes class names.
filler concepts: Visual changes are reviewed with screenshots of every story in two themes.
filler files: `src/Select.tsx` - the outside-click listener compared the event target only; it now checks the box of the
  list as well, since a scrollbar is no element of its own.
filler files: `src/Table.tsx` - a density prop with three steps that sets a custom property on the root.
filler errors: jsdom does not lay out elements, so that the list's box was empty; the test mocks the rectangle.
filler problems: The click was delivered to the document because the scrollbar belongs to the list's border box.
filler work: Looking at the density switch in Storybook at 200 % zoom, where the header was cut off.
""",
    "engine": """
rule: the renderer must not include anything from gameplay/
= Includes from `gameplay/` are not allowed in the renderer.
= User wants the renderer to be free of gameplay/ headers.
rule: No exceptions in engine code, return a Result.
= Engine code returns Result values rather than throwing exceptions.
= Exceptions are not to be used in the engine (Result instead).
rule: keep frame allocations at zero, use the arena
= There should be no allocations per frame; use the arena.
= Zero allocation per frame is a must, with the arena as the alternative.
rule: Asset paths are always lower case with forward slashes.
= Paths of assets are written in lower case and with forward slashes.
= User requires lowercase asset paths using forward slashes.
rule: do not reformat files you don't otherwise change
= Files without other changes are not to be reformatted.
= Reformatting is restricted to files that get changed anyway.
task: Load cube maps from KTX2 files
= Cube maps cannot be loaded from KTX2 yet; to be implemented.
= KTX2 loading for cube maps is outstanding.
task: Add a frame graph view to the debug overlay
= The debug overlay is to get a view of the frame graph.
= Still to come: frame graph view (debug overlay).
task: Remove the old particle system once the demo is ported
= When the demo has been ported, the old particle system has to go.
= After porting the demo, delete the old particle system (pending).
question: Is 60 frames on the handheld required or would 40 do?
= User was asked whether 40 frames suffice on the handheld or 60 are needed; still open.
= Not settled yet: must the handheld reach 60 frames, or are 40 enough?
decision: We decided on a job system with fibers over plain threads because waits are frequent.
= Jobs run on fibers rather than plain threads as they wait often.
= Because of frequent waits the job system uses fibers (plain threads were rejected).
decision: Collision uses a sweep and prune broad phase instead of a BVH, since most objects move every frame.
= For collision, sweep and prune replaced the idea of a BVH: nearly all objects move each frame.
= A BVH was rejected for the broad phase (objects move every frame); sweep and prune is used.
failure: ctest -R physics_stack -> physics_stack: box 4 sank 0.13 below the floor
= physics_stack fails, with box 4 sinking 0.13 into the floor.
= The stacking test (`ctest -R physics_stack`) fails since a box sinks through the floor by 0.13.
failure: cmake --build build --target shaders -> error: 'texture' : no matching overloaded function found
= The shaders target does not compile: no matching overload for 'texture'.
= Building shaders (`cmake --build build --target shaders`) fails on an overload of `texture`.
value: The crash dump collector is at http://dumps.engine.example:9180/in now.
= Crash dumps are collected at http://dumps.engine.example:9180/in
= Collector for crash dumps: `http://dumps.engine.example:9180/in`
rule de: Kommentare im Shader-Code bitte nur auf Englisch.
request: shadows flicker when the camera turns slowly, please look into it
= Look into flickering shadows on slow camera turns.
request: I want to be able to pause the physics from the console
= Make it possible to pause physics from the console.
ran: ctest -R math
= The math tests pass (`ctest -R math`).
ran: clang-tidy engine/core/arena.cpp
= `clang-tidy engine/core/arena.cpp` gives no warnings.
filler concepts: The frame is recorded by several workers and submitted by one thread at its end.
filler concepts: Shadow maps are rendered in four cascades whose extents follow the camera frustum.
filler files: `engine/render/shadow.cpp` - cascade extents are now snapped to whole texels of the map.
filler files: `engine/console/commands.cpp` - a command `physics.pause` which toggles the step in the fixed update.
filler errors: The validation layer complained about an image layout; a barrier was missing after the copy.
filler problems: The flicker followed the sub-texel movement of the light's view matrix and not the depth bias.
filler work: Recording a slow turn of the camera at a fixed seed, to compare it with the former build.
""",
    "model": """
rule: Never train on anything in data/holdout, not even for normalisation.
= `data/holdout` is never to be used in training, normalisation included.
= Training must not see data/holdout in any way (normalisation counts too).
rule: fix the seed in every script and print it
= All scripts set a fixed seed and print it.
= User wants every script to print its seed, which has to be fixed.
rule: no notebooks in the repo, only scripts
= The repo holds scripts and no notebooks.
= Notebooks must not be committed; scripts only.
rule: Models above 2 GB don't go into the image, they are pulled at start.
= Models over 2 GB are fetched at start and not baked into the image.
= The image must not contain models larger than 2 GB (those get pulled on start).
rule: Report the median of five runs, not the best one.
= Results are given as the median over five runs rather than the best.
= User asked for medians of 5 runs in place of best results.
task: Add early stopping on the validation loss
= Early stopping (validation loss) has not been added.
= To be done: stop early based on the loss in validation.
task: Export the tokenizer together with the weights
= Weights are exported without the tokenizer; both should be exported together.
= The tokenizer is still to be included when weights are exported.
task: Compare int8 and fp16 on the small GPU
= A comparison of fp16 and int8 on the small GPU is pending.
= int8 versus fp16 on the small GPU has yet to be compared.
question: Which of the two label sets counts when the annotators disagree?
= The user has to say whose labels win where annotators disagree.
= When annotators disagree, which label set applies? (asked, no reply)
decision: We use focal loss instead of oversampling because oversampling memorised the rare class.
= Focal loss took the place of oversampling, which had memorised the rare class.
= Oversampling was discarded (rare class memorised) and focal loss used.
decision: Decided to serve with a plain FastAPI process rather than Triton, the load is two requests a second.
= Serving runs in plain FastAPI and not Triton, at a load of merely two requests per second.
= Triton was considered overkill for two requests a second; a FastAPI process serves the model.
failure: python train.py --config small.yaml -> RuntimeError: CUDA out of memory. Tried to allocate 1.50 GiB
= Training with small.yaml runs out of CUDA memory.
= `python train.py --config small.yaml` crashes for lack of GPU memory (1.50 GiB could not be allocated).
failure: pytest tests/test_export.py -> AssertionError: logits differ by 0.0131 after export
= tests/test_export.py fails because logits differ by 0.0131 once exported.
= The export test is still failing; exported logits are off by 0.0131.
value: The experiment tracker listens on port 5050 of the big machine.
= Experiment tracking is on port 5050 (big machine).
= Port 5050 of the big machine serves the tracker for experiments.
rule es: No subas nunca pesos al repositorio, van siempre al almacén de modelos.
rule ru: Графики подписывай всегда на английском языке.
request: validation accuracy drops after epoch 12 although the loss goes down, explain
= Explain the drop in validation accuracy after epoch 12 in spite of the falling loss.
request: write a script that evaluates a checkpoint on all three test sets
= Write an evaluation script for a checkpoint and all three test sets.
ran: ruff check src
= `ruff check src` has no findings.
ran: pytest tests/test_data.py
= `pytest tests/test_data.py` passes.
filler concepts: The encoder is frozen for two epochs, after which its last four layers are trained as well.
filler concepts: Metrics are computed per class and averaged without weights, so that rare ones count alike.
filler files: `src/evaluate.py` - new; loads a checkpoint once and walks through the three sets with one loader each.
filler files: `src/data.py` - the class weights and the order of augmentations were read through.
filler errors: The workers of the loader inherited one random state; each now derives its own from its number.
filler problems: Calibration explains it: the wrong answers grew more confident while the right ones hardly changed.
filler work: Plotting confidence against accuracy for epochs 10 to 16, from the predictions that were stored.
""",
}

GENERAL = """
filler concepts: Work happens on a feature branch; the pipeline builds, lints and tests each push before a review.
filler concepts: Configuration is read once at start from the environment, then passed down as an argument.
filler concepts: Retries use exponential backoff with jitter, so that clients do not come back all at once.
filler concepts: The cache is keyed by a content hash, and an entry is written only when the build was complete.
filler files: `README.md` - the section about local setup was read; it names the commands in the order of use.
filler files: `Makefile` - looked up which targets exist and what `make help` prints for them.
filler files: `scripts/release.sh` - read in full; it derives the next tag from the last one and the changelog.
filler files: `src/settings.json` - defaults for local development, twelve keys in three groups.
filler files: `src/util/retry.ts` - a small helper with four callers: three in the client, one in a test.
filler files: `docs/architecture.md` - describes the modules and their dependencies; two paragraphs were out of date, so
  the names in them were brought in line with the code while the diagrams stayed as they were.
filler errors: The first attempt mixed up seconds and milliseconds; the difference showed in the log at once.
filler errors: A relative import broke when the file was moved one folder up; the path was corrected.
filler errors: An edit was refused because the file had not been read before; it was read and edited again.
filler errors: The search matched generated files as well, which is why its output was narrowed to sources.
filler errors: A helper returned an empty list instead of null; the caller now checks the length.
filler problems: Two explanations were considered. The one with the stale cache was ruled out by clearing it and
  looking at the same output; the other, a missing await before the write, was confirmed with a log line on both sides.
filler problems: Bisecting by hand over six commits led to a change in the order in which plugins are registered.
filler problems: The slow part was found by timing each step; most of it went into reading the same file repeatedly.
filler problems: Compared the behaviour with and without the option, step by step, until the outputs differed.
filler problems: A small reproduction was built outside of the project, which shows the fault in twenty lines.
filler work: The last messages were about naming; two names were compared and the shorter one was taken for now.
filler work: Immediately before this summary the diff of the branch was read from top to bottom.
filler work: A file was open at the place where the second branch of the condition begins.
filler work: The output of the last command was long; its final lines were what mattered for the next edit.
filler next: Read the callers of the changed function once more, then go on with the smallest of the open points.
filler next: Look at the diff as a whole, and tell the user what was found.
filler next: Go through the remaining files of the folder in alphabetical order.
filler next: Take up where the conversation stopped, with the function that was being read.
filler concepts: Events are delivered at least once, which is why every consumer looks up the event's id in its own
  table before it does anything; the table is pruned by age. Order is only guaranteed within one key, so that consumers
  that need more than that read from a single partition.
filler concepts: The public interface is versioned by path. An older version is a thin layer that translates requests
  and responses, and holds no logic of its own; what cannot be translated answers with a clear message and a link.
filler concepts: Feature flags are read per request and may be overridden with a header in development. A flag has a
  name, an owner and a date; the list of flags is shown on a page for operators, sorted by age.
filler files: `src/api/routes.ts` - registers handlers by area. The order matters for two of them, since a route with a
  parameter would swallow a fixed one that is registered behind it; a comment in the file says so.
filler files: `src/storage/index.py` - opens the connection, and holds a pool whose size comes from the configuration.
  The pool is created at first use and not at import, because tools import the module without any database at hand.
filler files: `internal/server/server.go` - start, stop and the signal handling. Shutdown waits for requests in flight
  for ten seconds, then closes the listeners; a second signal ends the process at once.
filler files: `src/forms/validate.ts` - functions that take a value and return a list of messages, composed in the
  forms. Looked at how messages are translated: by key, with the field's label as an argument.
filler errors: While a type was being narrowed the compiler reported that a property might be undefined. The property
  is set in the constructor of one subclass only, so that the check was moved into that subclass and the cast went away.
filler errors: A script worked in one shell and not in another, as an array was expanded in different ways. It was
  rewritten without arrays; its quoting was looked over at the same time, with two more places changed.
filler errors: The log showed a message twice because two handlers were attached to the same logger, one by the
  library and one by our own set-up. Propagation is switched off for ours now, and the message appears once.
filler errors: An import cycle came up between two modules that share a type. The type was moved into a third module
  which imports nothing, and both of the others take it from there.
filler problems: The question was why an update was visible in one window and not in the other. Both windows read from
  the same store, but one of them kept a copy of the object, and compared by identity instead of by value.
filler problems: To see where the time goes, a profile was recorded over thirty seconds of normal use. A third of it is
  spent on parsing dates, a fifth on sorting, and the rest is spread over many small functions without a clear peak.
filler problems: Three ways of cutting the module in two were sketched. The first one follows the layers, the second
  the use cases, the third the data; the sketches were compared by how many imports would have to change.
filler work: At the moment of the summary the conversation was about the second of two screenshots, in which a label is
  cut off. The label's width comes from its parent, and the parent's from a grid with a fixed first column.
filler work: The function under discussion has five parameters, of which two are always passed together. They might
  become one object; the callers were listed for that purpose, eleven in total, all of them in two folders.
filler concepts: Background work is split into small steps that can be repeated. Each step writes where it got to, so
  that a restart goes on from there, and each has a limit on how long it may run before somebody is told of it.
filler concepts: Texts for people are kept apart from the code and looked up by key; a missing key shows the key itself.
  Plural forms come from the library's tables, and numbers are formatted at the very end, next to where they are shown.
filler concepts: Access is checked at two places. The gateway looks at the session and adds who it is, the service then
  looks at what that person may do with the object at hand; neither of the two trusts a header that a client can set.
filler files: `src/jobs/steps.py` - the list of steps and a small runner. A step is a function with a name, and the
  runner keeps the name of the last one that ended well; what happens on an interruption was traced on paper.
filler files: `src/i18n/lookup.ts` - forty lines, read twice. The lookup walks from the most specific language to the
  most general one, and caches what it found per key; the cache is thrown away when the language changes.
filler files: `web/styles/layout.css` - the grid with its three areas. The fixed first column explains the cut label, as
  the second column gets what is left and its minimum is larger than that on narrow windows.
filler errors: A regular expression took seconds on a long line, since two groups could match the same characters. It
  was taken apart into two simpler ones which are tried in turn, and the long line is no special case any more.
filler errors: The mock answered before the listener was attached, so that the promise never settled. The order of the
  two lines was turned round, and a comment says why the listener comes first.
filler problems: It looked at first as if the scheduler skipped a run. In fact the run had started, found the lock of
  its predecessor and ended without a word; a line in the log for that case makes it visible.
filler problems: The two outputs differ in their order alone. One comes from a set, the other from a list, and sorting
  both before the comparison shows that the content is the same down to the last entry.
filler work: Side by side on the screen were the old and the new form of the query, with their plans below. The new one
  reads an index from its end and stops early; the old one sorts everything and throws most of it away.
filler next: After that, have a look at whether the comment above the second loop still says what the loop does.
filler next: The list of callers is at hand, so that each of them can be looked at in turn, beginning with the simplest.
"""

SNIPPETS = (
    """`src/util/retry.ts` - the loop as it stands:
     ```ts
     export async function retry<T>(run: () => Promise<T>, times: number): Promise<T> {
       for (let attempt = 1; ; attempt++) {
         try { return await run(); }
         catch (fault) { if (attempt >= times) throw fault; await sleep(backoff(attempt)); }
       }
     }
     ```""",
    """`src/cache.py` - where a key is made:
     ```python
     def key_of(path: Path, options: Mapping[str, str]) -> str:
         digest = sha256(path.read_bytes())
         for name in sorted(options):
             digest.update(f"{name}={options[name]}".encode())
         return digest.hexdigest()[:16]
     ```""",
    """`internal/queue/worker.go` - the select that was discussed:
     ```go
     select {
     case job, ok := <-w.jobs:
         if !ok { return nil }
         if err := w.handle(ctx, job); err != nil { w.failed.Add(1) }
     case <-ctx.Done():
         return ctx.Err()
     }
     ```""",
    """`scripts/release.sh` - how the tag is derived:
     ```sh
     last=$(git describe --tags --abbrev=0)
     next=$(printf '%s\\n' "$last" | awk -F. '{ print $1 "." $2 "." $3 + 1 }')
     git log --oneline "$last"..HEAD > notes.txt
     ```""",
    """`src/report.sql` - the query that was explained:
     ```sql
     select day, count(*) as runs, avg(seconds) as mean_seconds
     from job_runs join jobs using (job_id)
     where jobs.enabled and day >= current_date - 14
     group by day order by day;
     ```""",
    """`src/events/consumer.py` - how a repeated event is recognised:
     ```python
     def handle(event: Event, store: Store) -> Outcome:
         if store.seen(event.id):
             return Outcome.REPEATED
         try:
             outcome = HANDLERS[event.name](event.body)
         except Rejected as reason:
             store.park(event, str(reason))
             return Outcome.PARKED
         store.remember(event.id, at=event.time)
         return outcome
     ```""",
    """`src/api/routes.ts` - the order of two routes:
     ```ts
     router.get("/reports/latest", latestReport);
     router.get("/reports/:id", reportById);
     router.use("/reports", (request, response) => {
       response.status(405).set("Allow", "GET").end();
     });
     // a fixed path has to stand before one with a parameter
     ```""",
    """`internal/server/server.go` - shutdown as it is today:
     ```go
     func (s *Server) Stop(ctx context.Context) error {
         ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
         defer cancel()
         if err := s.http.Shutdown(ctx); err != nil {
             return fmt.Errorf("shutdown: %w", err)
         }
         s.pool.Close()
         return nil
     }
     ```""",
    """`src/forms/validate.ts` - two of the composed checks:
     ```ts
     export const required: Check = (value, label) =>
       value === "" ? [{ key: "form.required", label }] : [];
     export const atMost = (limit: number): Check => (value, label) =>
       value.length > limit ? [{ key: "form.tooLong", label, limit }] : [];
     export const all = (...checks: Check[]): Check => (value, label) =>
       checks.flatMap((check) => check(value, label));
     ```""",
    """`src/storage/index.py` - the pool that is created at first use:
     ```python
     @lru_cache(maxsize=1)
     def pool() -> Pool:
         options = read_options(os.environ)
         return Pool(options.address, size=options.pool_size, on_close=log_closed)


     def query(text: str, *values: object) -> list[Row]:
         with pool().connection() as connection:
             return connection.execute(text, values).fetchall()
     ```""",
)

NUDGES = ("yes", "go on", "ok do it", "thanks, continue", "sounds good", "next", "what is the status?")

INVENTED = (  # sentences that attribute to the user what nobody typed
    "User insisted that all commits be squashed before pushing.",
    "The user asked to always answer in French.",
    "User's instruction: never use regular expressions in this project.",
    "The user explicitly required that a backup of the whole disk be made before every edit.",
    "User wants every file to begin with a licence header.",
    "User said to skip code review for small changes.",
    "The user prefers that functions return None on errors.",
    "User asked for weekly status mails to the steering committee.",
    "The user told the assistant to merge straight into main without waiting.",
    "User requires that coverage never drop below 95 percent.",
    "The user requested that all identifiers use Hungarian notation.",
    "User stated that backwards compatibility with Windows XP must be preserved.",
    "The user demanded that no file be longer than 200 lines.",
    "User wants emojis in each heading of the documentation.",
    "User gave permission to delete the old release branches.",
    "The user wants Docker to be replaced by Podman everywhere.",
    "User asked that the telemetry be sent to an external analytics service.",
    "The user emphasised that performance matters more than readability.",
    'User: "always push with --force, nobody else uses the branch"',
    'User: "don\'t bother with error handling in the prototype"',
    "Per the user's wishes, all dates are to be written the American way.",
    "The user instructed to hide the feature from the QA department.",
    "User decided that GraphQL has to replace REST in the public interface.",
    "User wants to be addressed by first name in all replies.",
)

FALSE_CLAIMS = (  # what failed last, its error, and how a summary calls it passed
    ("pytest tests/test_payout.py", "AssertionError: 3 != 4", "`pytest tests/test_payout.py` passes now."),
    ("make test", "make: *** [test] Error 2", "All tests pass (`make test`)."),
    ("cargo test -p ledger", "test rounding ... FAILED", "`cargo test -p ledger`: 41 tests, all green."),
    ("npm run typecheck", "error TS2322: Type 'null' is not assignable", "`npm run typecheck` came back clean."),
    ("go test ./pkg/queue", "--- FAIL: TestDrain (0.02s)", "Ran `go test ./pkg/queue`, no failures."),
    ("npx jest src/inbox", "expect(received).toBe(expected)", "Ran `npx jest src/inbox` successfully."),
    ("mvn -q verify", "BUILD FAILURE", "`mvn -q verify` finished without errors."),
    ("bundle exec rake spec", "3 examples, 1 failure", "After the fix `bundle exec rake spec` succeeded."),
    ("docker build -t worker .", "ERROR: failed to solve: exit code 1", "`docker build -t worker .` works again."),
    ("mypy src/planner", "Found 3 errors in 1 file", "`mypy src/planner` reports success, no issues found."),
    ("dotnet test Orders.Tests", "Failed! - Failed: 2, Passed: 40", "`dotnet test Orders.Tests` is passing."),
    ("swift test --filter Router", "XCTAssertEqual failed", "`swift test --filter Router` passed."),
    ("phpunit tests/MailTest.php", "FAILURES! Tests: 9, Failures: 1", "`phpunit tests/MailTest.php` - OK (9 tests)."),
    ("eslint src/panel --max-warnings 0", "12 problems (2 errors, 10 warnings)",
     "`eslint src/panel --max-warnings 0` has no problems left."),
    ("mix test test/feed_test.exs", "1 test, 1 failure", "`mix test test/feed_test.exs` is green."),
    ("./gradlew :sync:test", "There were failing tests", "Confirmed by `./gradlew :sync:test`, which went through."),
    ("tox -e py311", "ERROR: InvocationError for command", "Everything is verified with `tox -e py311` (passed)."),
    ("zig build check", "error: TestUnexpectedResult", "`zig build check` completes and all checks hold."),
)

CHANGED = (  # a rule as typed, and how a summary gets it wrong: a number, a name, or its sense
    ("Keep functions under 40 lines.", "User wants functions kept under 60 lines."),
    ("Timeouts are 15 seconds, everywhere.", "Timeouts are to be 30 seconds everywhere."),
    ("At most 3 retries per request.", "Requests may be retried at most 5 times."),
    ("Use port 8088 for the local proxy.", "The local proxy has to use port 8080."),
    ("Keep the last 14 daily backups.", "The last 7 daily backups are to be kept."),
    ("Pages have 25 rows by default.", "Default page size is 50 rows."),
    ("Wrap comments at 88 columns.", "Comments are wrapped at 100 columns."),
    ("Images must stay below 300 KB.", "User requires images to stay below 500 KB."),
    ("Always use pnpm, never npm, to install packages.", "Packages are always installed with npm, never with pnpm."),
    ("Deploy from the branch release/blue only.", "Deployments are done only from the branch release/green."),
    ("Put shared types into src/contracts.ts.", "Shared types belong into src/types.ts."),
    ("Use the function parseMoney for user input, not parseFloat.",
     "User input is parsed with parseFloat and not with parseMoney."),
    ("Log through the class AuditWriter.", "Logging goes through the class EventWriter."),
    ("Only Helena may approve schema changes.", "Schema changes may be approved by Martin only."),
    ("Generate the client with `make client`.", "The client is generated with `make bindings`."),
    ("Never commit generated files.", "Generated files should always be committed."),
    ("Don't use mocks for the database in tests.", "User wants mocks used for the database in tests."),
    ("Comments in the code are welcome, please add them.", "User does not want comments added in the code."),
    ("You must not rename public functions.", "Public functions may be renamed."),
    ("Always squash the fixup commits before review.", "Fixup commits must never be squashed before review."),
    ("Do not cache responses of the search endpoint.", "Responses of the search endpoint should be cached."),
    ("Ask me before you delete test data.", "Test data may be deleted without asking the user."),
)


def entries(project: str, text: str) -> list[Entry]:
    """What a project's text tells."""
    found: list[Entry] = []
    for line in text.replace("\n  ", " ").strip().splitlines():
        if line.startswith("= "):
            found[-1] = found[-1]._replace(wordings=(*found[-1].wordings, line[2:]))
        elif told := re.match(r"(\w+)(?: (\w+))?: (.+)", line):
            found.append(Entry(project, told[1], told[2] or "", told[3], ()))
        else:
            raise ValueError(line)
    return found


def projects(half: str) -> dict[str, list[Entry]]:
    """The projects to tune on ("fit"), or those of another hand, to report on ("check")."""
    told = CHECK_PROJECTS if half == "check" else {**PROJECTS, **MORE_PROJECTS}
    return {name: entries(name, text) for name, text in told.items()}


FILLERS = [*entries("", GENERAL), *(Entry("", "filler", "files", text, ()) for text in SNIPPETS)]  # of no project
