"""More projects to tune on, in the format of audit_material.py.

Written by another hand than the first ones, in a rougher way of typing: rules go on in asides, reasons and conditions,
and each fact has three wordings. Python 3.9+, standard library only.
"""

from __future__ import annotations

MORE_PROJECTS: dict[str, str] = {
    "backoffice": """
rule: never touch the migrations that already ran on prod, write a new one
= Already-executed production migrations must not be modified; a new migration is created instead.
= User wants schema changes in new migrations only, since those already run in production stay as they are.
= Don't edit any migration prod has run - add another one.
rule: no raw DB queries in controllers, put them in app/Repositories
= Controllers contain no raw database queries; these belong into `app/Repositories`.
= Raw queries live in app/Repositories rather than in controllers.
= User asked that raw SQL be moved out of controllers and into the repositories folder.
rule: prices are integers in cents everywhere, only Blade formats them
= Price values are handled as integer cents throughout, with formatting done in Blade alone.
= All prices stay in cents (int); formatting happens exclusively in the Blade views.
= Money amounts are to be integer cents everywhere and get formatted by Blade only.
rule: ask before you add a composer package
= New Composer dependencies need the user's approval first.
= Don't install additional composer packages without asking.
= User wants to be asked before any package is added through Composer.
rule: dont run artisan migrate:fresh, my local db has customer data i need
= `artisan migrate:fresh` is off limits because the local database holds customer data the user needs.
= Never run migrate:fresh (user's local DB contains needed customer data).
= User forbade `php artisan migrate:fresh`: it would wipe customer data in the local db.
rule: Every new admin route needs a policy check and a feature test that a plain user gets 403.
= New admin routes must have a policy check plus a feature test asserting 403 for ordinary users.
= For each admin route added: authorise by policy, and test that normal users receive a 403.
= User requires policy checks on all new admin routes, together with a feature test for the 403 of a plain user.
rule: refunds above 500 euro only with a second approval, also in the seeder
= Refunds over 500 EUR require a second approval (the seeder included).
= A second approver is mandatory for any refund exceeding €500, seeders too.
= The two-step approval applies to refunds beyond 500 euros, and that goes for seeded data as well.
rule: use the existing Livewire table instead of writing a new one for every list
= Lists should reuse the existing Livewire table component, not get a new one each.
= Reuse the Livewire table that exists for all lists.
= No new table components per list - the present Livewire one is to be used.
rule: german texts go into lang/de, never hardcode them
= German strings must be placed in `lang/de` and not hardcoded.
= No hardcoded German text: translations belong to lang/de.
= User wants all German wording kept in the `lang/de` files.
rule: at most 2 queries on the orders index page, check it with debugbar
= The order index page may issue two queries at most (verify with Debugbar).
= Orders index is limited to 2 DB queries, to be checked in debugbar.
= User set a maximum of 2 queries for the index page of orders, verified through the Debugbar.
task: Export of refunds as CSV for the accountant
= CSV export of refunds for the accountant is still to be built.
= Remaining: accountant needs refunds exported to CSV.
= Not started yet: refund export (CSV) for accounting.
task: Replace the old jQuery date picker on the orders filter
= The orders filter still has the jQuery date picker, which is to be replaced.
= Pending: swap out the old date picker (jQuery) in the order filter.
= Replacing the jQuery datepicker of the filter on orders has not been done.
question: Should a cancelled order keep its invoice number?
= Asked the user whether invoice numbers of cancelled orders are kept; unanswered.
= Open: does an order that gets cancelled retain its invoice number?
= User has yet to say if the invoice number stays with a cancelled order.
question: Do support agents get to see the customer's full address or only the city?
= Waiting for the user's answer on whether support agents see full addresses or just the city.
= Unclear so far: full customer address for support agents, or city only?
= It is still open how much of the address support staff should see (everything vs. only the city).
decision: We chose Livewire over Inertia because nobody on the team wants to maintain Vue.
= Livewire was picked instead of Inertia, since no one in the team wants to maintain Vue.
= Decided against Inertia in favour of Livewire (nobody wants Vue maintenance).
= Frontend approach: Livewire, as Inertia would mean maintaining Vue code.
decision: Stock is reserved at checkout and not in the cart, otherwise bots empty the shelves.
= Stock reservation happens at checkout rather than on adding to the cart, to stop bots from draining it.
= Reserving stock only at checkout was decided, because of bots.
= Carts do not reserve stock; the checkout does (bots would otherwise block everything).
decision: Audit log entries go to their own table orders_audit and are never updated.
= The audit log is append-only in a separate table `orders_audit`.
= Audit entries are written to orders_audit, a table of their own, and stay unchanged afterwards.
= Settled on a dedicated `orders_audit` table whose rows are never updated.
failure: php artisan test --filter=RefundApprovalTest -> Failed asserting that 200 is identical to 403
= `RefundApprovalTest` fails: it gets 200 where 403 is expected.
= Still failing: php artisan test --filter=RefundApprovalTest (200 instead of 403).
= RefundApprovalTest is red because the response is 200 and not 403.
failure: npm run build -> Could not resolve "./datepicker" from resources/js/orders.js
= The Vite build breaks as `./datepicker` cannot be resolved in resources/js/orders.js.
= `npm run build` fails on the unresolved import of ./datepicker.
= Frontend build error: Could not resolve "./datepicker".
failure: vendor/bin/phpstan analyse app/Repositories -> Parameter #1 $cents of method Money::of() expects int, string
  given
= PHPStan complains that `Money::of()` expects an int but is given a string.
= phpstan on app/Repositories reports a string passed to Money::of().
= `vendor/bin/phpstan analyse app/Repositories` has one error (Money::of, string instead of int).
request: the order list is slow as hell with 40k orders, fix it
= Fix the slow order list (about 40k orders).
request: let the warehouse people print several packing slips at once
= Allow warehouse staff to print multiple packing slips together.
ran: php artisan test --filter=OrderIndexTest
= `php artisan test --filter=OrderIndexTest` passed.
ran: vendor/bin/pint --test
= Code style is clean (`vendor/bin/pint --test`).
filler concepts: Policies are resolved by model name; the `AdminPolicy` is registered in `AuthServiceProvider`.
filler concepts: The Livewire table takes a query builder and a list of columns and keeps its sort order in the URL.
filler files: `app/Repositories/OrderRepository.php` - eager loads customer and items; the old loop over orders is gone.
filler files: `resources/views/orders/index.blade.php` - the price column was widened and the total moved to the right.
filler files: `database/seeders/RefundSeeder.php` - read, it creates twenty refunds with random amounts.
filler errors: Debugbar did not show up in the browser until the config cache was cleared with `php artisan
  config:clear`.
filler problems: The list loaded the customer of each order separately; the N+1 was visible in the query log of the
  index page.
filler work: Was looking at the print view of the packing slips and how `lang/de/orders.php` names its headings.
""",
    "fitness": """
rule: health data never leaves the device, no analytics on it either
= Health data must stay on the device and must not be used for analytics.
= User requires that no health data is sent off-device (this covers analytics, too).
= Everything from health stays local: no upload and no analytics events.
rule: min target is iOS 16, dont use anything newer without an availability check
= Deployment target is iOS 16; newer APIs require an availability check.
= APIs beyond iOS 16 may only be used behind `if #available`.
= Support starts at iOS 16, so anything more recent has to be guarded with availability checks.
rule: no force unwraps, except in tests and previews
= Force unwrapping is allowed in tests and previews only.
= Avoid `!` force unwraps outside of tests and SwiftUI previews.
= User doesn't want force unwraps (tests and previews are exempt).
rule: use async/await instead of Combine for new code
= New code is written with async/await rather than Combine.
= Combine should not be used in new code - async/await is preferred.
= For anything new, user prefers async/await over Combine.
rule: Do not edit project.pbxproj by hand, we generate it with XcodeGen from project.yml
= `project.pbxproj` is generated by XcodeGen out of `project.yml` and must not be hand-edited.
= Changes to the Xcode project go through project.yml (XcodeGen), never directly into project.pbxproj.
= No manual edits of the pbxproj; XcodeGen generates it from project.yml.
rule: strings in the UI always via String(localized:), marketing reads the catalog
= UI strings must use `String(localized:)`, as marketing works with the string catalog.
= All user-facing text goes through String(localized:).
= Every string shown in the UI is localized with `String(localized:)` because the catalog is read by marketing.
rule: the watch app may wake at most 4 times an hour
= The watch app is restricted to four wake-ups per hour.
= No more than 4 wakes/hour for the watch app.
= Wake-ups of the watch app: 4 an hour is the maximum.
rule: distances are stored in meters as Double and converted in the view only
= Distances get stored as Double in metres, conversion happens just in the view layer.
= Store metres (Double); units are converted only in views.
= The model keeps distance in meters, and only views convert it.
rule: run the snapshot tests on iPhone 15 simulator before you say youre done
= Before reporting completion, snapshot tests must be run on the iPhone 15 simulator.
= Work counts as done only after the snapshot tests ran on an iPhone 15 simulator.
= User wants snapshot tests executed (simulator: iPhone 15) prior to declaring anything finished.
rule: when i ask for a fix in one screen don't refactor the others
= Fixes should be limited to the screen asked about; no refactoring of other screens.
= User does not want other screens refactored when a fix is requested for one of them.
= Keep a fix to its screen, leaving the remaining screens alone.
task: Move the streak calculation out of HomeViewModel
= Streak calculation is still inside HomeViewModel and needs to be extracted.
= TODO: pull the computing of streaks out of `HomeViewModel`.
= Extraction of the streak logic from HomeViewModel is outstanding.
task: Live Activity for interval workouts
= Interval workouts should get a Live Activity (not implemented yet).
= Still to do: Live Activity support for interval workouts.
= The Live Activity of interval workouts has not been built.
question: Should a workout that crosses midnight count for both days?
= Open question to the user: does a workout running past midnight count on both days?
= User hasn't decided if workouts across midnight count toward both days.
= Asked how workouts spanning midnight are counted - for one day or both; no answer.
question: Is the paywall shown before or after the onboarding?
= Awaiting the user's reply on whether the paywall comes before onboarding or after it.
= Placement of the paywall relative to the onboarding is undecided; asked the user.
= It was asked whether onboarding precedes the paywall or follows it.
decision: SwiftData was rejected because migrations crashed on iOS 17.0, we stay with Core Data.
= Core Data is kept; SwiftData migrations crashed on 17.0.
= We remain on Core Data, having ruled out SwiftData for its migration crashes with iOS 17.0.
= Persistence: Core Data rather than SwiftData (crashing migrations).
decision: Heart rate samples are averaged over 5 seconds before they are drawn, to keep the chart smooth.
= The chart draws heart rate averaged across 5-second windows to look smooth.
= Heart rate gets averaged per five seconds ahead of drawing.
= Decided on 5 s averaging of heart rate samples for a smooth chart.
decision: The phone is the source of truth for plans, the watch only caches them.
= Plans are owned by the phone; the watch holds just a cache.
= For training plans the phone counts as the source of truth and the watch merely caches.
= Watch caches plans only, with the phone being authoritative.
failure: xcodebuild test -scheme Stride -only-testing:StrideTests/StreakTests -> XCTAssertEqual failed: ("6") is not
  equal to ("7")
= StreakTests fail with 6 where 7 is expected.
= `StrideTests/StreakTests` is failing: XCTAssertEqual ("6") is not equal to ("7").
= The streak tests still fail (off by one, 6 vs 7).
failure: swiftlint --strict -> HealthStore.swift:118: error: Force Unwrapping Violation
= `swiftlint --strict` reports a force unwrapping violation in HealthStore.swift line 118.
= SwiftLint is not clean: Force Unwrapping Violation at HealthStore.swift:118.
= Strict linting fails because of line 118 in `HealthStore.swift`.
failure: fastlane beta -> Provisioning profile "Stride Watch Beta" doesn't include the HealthKit entitlement
= The beta lane of fastlane fails, as the profile "Stride Watch Beta" lacks the HealthKit entitlement.
= `fastlane beta` stops because of a provisioning profile without the HealthKit entitlement.
= Upload to beta is blocked: HealthKit entitlement missing in the Stride Watch Beta profile.
request: the pace shown during a run jumps around, make it calmer
= Smooth the pace that is displayed while running.
request: add a share sheet to the workout summary
= Workout summary should get a share sheet.
ran: swift test --package-path Packages/PaceKit
= PaceKit's tests pass (`swift test --package-path Packages/PaceKit`).
ran: xcodegen generate
= `xcodegen generate` completed.
filler concepts: HealthKit queries run on a background actor and publish their samples to the view model.
filler concepts: The watch app talks to the phone over WatchConnectivity; messages are queued while it is out of reach.
filler files: `Stride/Health/HealthStore.swift` - wraps the HealthKit queries; the anchor of the last query is kept
  here.
filler files: `project.yml` - the PaceKit package was added to the targets of app and watch.
filler files: `Stride/Home/HomeViewModel.swift` - 410 lines, read to see where the plans are loaded.
filler errors: The simulator refused to boot until its derived data was removed; the snapshot tests were started again
  after it.
filler problems: Raw GPS speed has outliers below trees, and the pace view drew each of them in meters per second.
filler work: Comparing two filters for the pace on a recorded run, one with a median and one with an exponential
  average.
""",
    "gateway": """
rule: never log a full card number, last 4 digits max
= Card numbers must not be logged in full; at most the last four digits.
= Only the last 4 digits of a card may appear in logs.
= Logging complete PANs is forbidden (last four digits are the maximum).
rule: Every call to an acquirer needs an idempotency key, no exceptions.
= All acquirer calls must carry an idempotency key without exception.
= Calls to acquirers are never made without an idempotency key.
= User insists on idempotency keys for each and every acquirer request.
rule: BigDecimal for amounts not double, scale comes from the currency
= Amounts use BigDecimal with the scale taken from the currency (no double).
= Represent amounts as `BigDecimal`, never as double; the currency determines the scale.
= double is not acceptable for amounts: BigDecimal with currency-derived scale.
rule: dont touch acquirer/legacy unless i tell you to, they certify it separately
= `acquirer/legacy` must stay untouched unless the user says so, since it has a separate certification.
= Leave acquirer/legacy alone without explicit instruction (certified separately).
= Changes in `acquirer/legacy` only on the user's explicit request.
rule: timeouts for acquirers are 8 seconds, retries only on connect errors
= Acquirer timeouts: 8 s; a retry is permitted just for connection errors.
= Calls to acquirers time out after 8 seconds and are retried on connect errors only.
= An 8-second timeout applies for acquirers, retrying nothing but connect failures.
rule: use constructor injection, no @Autowired fields
= Dependencies are injected through constructors and not via `@Autowired` fields.
= No field injection with @Autowired; constructor injection it is.
= User prefers constructor injection to annotated fields.
rule: only Priya merges into release/*, you open the PR and stop
= Merging to `release/*` is done by Priya alone; open the pull request and leave it there.
= PRs against release/* are only opened, never merged by us - that's Priya's job.
= Priya is the sole person to merge into release branches, so stop once the PR is open.
rule: Flyway scripts must be backwards compatible with the version before, because we deploy rolling.
= Flyway migrations have to remain compatible with the previous version due to rolling deployments.
= Because deployments are rolling, each Flyway script must work with the prior version also.
= Backwards compatibility by one version is required of Flyway scripts (rolling deploys).
rule: no Thread.sleep in tests, use Awaitility
= Tests wait with Awaitility instead of `Thread.sleep`.
= Thread.sleep is not to be used in tests; Awaitility replaces it.
= User wants Awaitility for waiting in tests, not sleeps.
rule: when a webhook signature is wrong answer 401 and write nothing to the db
= A webhook with a bad signature gets a 401 and leaves no trace in the database.
= Invalid webhook signatures: respond with 401, without persisting anything.
= On a wrong signature of a webhook nothing may be stored and the reply is 401.
task: Partial capture for Klarna
= Partial captures with Klarna remain to be implemented.
= Klarna: partial capture is missing still.
= Next up is support for capturing partially at Klarna.
task: Replace RestTemplate with RestClient in the acquirer clients
= Acquirer clients still need to be moved from RestTemplate to RestClient.
= Pending migration: RestTemplate -> RestClient within the acquirer clients.
= The clients of the acquirers use RestTemplate and are to be switched over to RestClient.
question: Do we refund to the original card when the card has expired?
= Asked whether refunds go to the original card even if it's expired, with no answer yet.
= Unanswered: refund handling for expired cards (original card or not).
= The user has not said if an expired card still receives the refund.
question: How long do we keep declined authorisations, 90 days or 13 months?
= Retention of declined authorisations is open: 90 days vs. 13 months.
= User must decide whether declined authorisations are kept 90 days or 13 months.
= It's unresolved how long authorisations that were declined are stored (90 days or 13 months).
decision: Outbox table instead of publishing to Kafka from the transaction, because we lost events in March.
= Events go through an outbox table rather than straight to Kafka in the transaction (events were lost in March).
= The outbox pattern was adopted after losing events in March with direct Kafka publishing.
= An outbox table was chosen over publishing from within the transaction.
decision: Tokens are created by the vault service, the gateway stores only the token and the brand.
= The vault service creates tokens; just token and brand are stored in the gateway.
= Gateway persistence is limited to token plus brand, with tokens issued by the vault.
= Tokenisation lives in the vault service, leaving the gateway with token and brand only.
decision: 3DS challenges run in an iframe and not as a redirect, since Safari drops the session.
= An iframe is used for 3DS challenges as redirects lose the session in Safari.
= 3-D Secure challenges: iframe instead of redirect, because of Safari dropping sessions.
= We decided against redirects for 3DS (Safari session loss) and embed an iframe.
failure: ./mvnw test -Dtest=CaptureServiceTest -> expected: <PARTIALLY_CAPTURED> but was: <AUTHORISED>
= CaptureServiceTest fails: status is AUTHORISED instead of PARTIALLY_CAPTURED.
= `./mvnw test -Dtest=CaptureServiceTest` does not pass: AUTHORISED where PARTIALLY_CAPTURED is expected.
= The capture service test is still red (wrong status AUTHORISED).
failure: ./mvnw verify -Pcontract -> Pact verification failed: missing header Idempotency-Key
= Contract tests fail, Pact reports a missing `Idempotency-Key` header.
= Pact verification (`-Pcontract`) fails over the header Idempotency-Key.
= `./mvnw verify -Pcontract` does not pass: the header is missing.
failure: docker compose up vault -> port 8200 is already allocated
= The vault container does not start because port 8200 is taken.
= `docker compose up vault` fails: port 8200 already allocated.
= Vault could not be started locally, with port 8200 in use.
request: some webhooks from adyen are processed twice, find out why
= Find the cause of Adyen webhooks being processed twice.
request: give me an endpoint that lists captures of a day
= Provide an endpoint listing the captures of one day.
ran: ./mvnw test -Dtest=WebhookControllerTest
= WebhookControllerTest passes.
ran: ./mvnw spotless:check
= `./mvnw spotless:check` reported nothing.
filler concepts: An authorisation reserves money, a capture books it, and a void releases what was reserved.
filler concepts: Acquirer clients share an interceptor that measures how long a call took and tags it with the
  acquirer's name.
filler files: `webhook/WebhookController.java` - reads the raw body first, since the signature is computed over bytes.
filler files: `acquirer/klarna/KlarnaClient.java` - read; it maps the currency to minor units in a helper of its own.
filler files: `db/migration/V42__webhook_event_id.sql` - adds a unique index on the event id of webhooks.
filler errors: Awaitility timed out in one test as the scheduler was disabled in its profile; the profile was changed.
filler problems: Adyen repeats a webhook when the answer takes longer than ten seconds, and the second one arrived
  during the first.
filler work: Reading the log of the acquirer calls from last night, card by card, to see which captures were repeated.
""",
    "notebooks": """
rule: notebooks are for looking at things, anything used twice moves to src/churn
= Code used more than once must be moved out of notebooks into `src/churn`.
= Notebooks are exploratory only; reused code lives in src/churn.
= Whatever gets used twice belongs in `src/churn`, as notebooks serve just for exploration.
rule: strip the outputs before committing, there are names of patients in them
= Notebook outputs must be cleared before each commit since they contain patient names.
= Commits may not include notebook outputs (patient names).
= User wants outputs stripped prior to committing because patients' names show up there.
rule: the test split is from 2023-07 on, never look at it while choosing features
= Feature selection must not use the test split (July 2023 onwards).
= Test data starts 2023-07 and stays untouched while features are being chosen.
= Do not peek at the test split, which begins in 2023-07, during feature selection.
rule: set the seed to 1337 in every script that trains
= All training scripts use seed 1337.
= Seed has to be fixed at 1337 wherever something is trained.
= User requires `seed=1337` for each training script.
rule: plots without seaborn please, plain matplotlib and colorblind safe
= Plots are made in plain matplotlib with a colour-blind-safe palette, no seaborn.
= Avoid seaborn; use matplotlib with colours suited to colour-blind readers.
= User asked for matplotlib-only plots that are colorblind safe.
rule: don't drop rows with missing values silently, log how many
= Dropping rows with missing values requires logging their count.
= Whenever rows are removed for missing values, the number must be logged.
= No silent dropping of incomplete rows; report how many were lost.
rule: report AUC and calibration together, never AUC alone
= AUC must always be accompanied by calibration in reports.
= Always give calibration next to AUC.
= User doesn't want AUC reported on its own, but along with calibration.
rule: nothing on the GPU box before 18:00 unless Jonas says ok
= The GPU machine may be used from 18:00 on, or earlier with Jonas's OK.
= Before 18:00, GPU jobs need Jonas's approval.
= GPU box: wait until 18:00 except when Jonas agrees.
rule: use polars lazy frames for the visits table, it has 80 million rows
= The visits table (80M rows) is read with lazy Polars frames.
= For visits, polars' LazyFrame has to be used given its 80 million rows.
= Visits are to be processed lazily in polars.
rule: Write docstrings in numpy style, short, and only for public functions.
= Docstrings: NumPy style, brief, limited to public functions.
= Just public functions get docstrings, which are short and follow the numpy convention.
= User wants short numpy-style docstrings on public functions and none elsewhere.
task: Rerun the ablation without the insurance features
= The ablation has to be repeated with the insurance features left out.
= Pending: ablation run excluding insurance features.
= Still need to rerun the ablation minus insurance.
task: Turn 07_calibration.ipynb into a script
= `07_calibration.ipynb` is yet to be converted into a script.
= Convert the calibration notebook (07) to a script - not done.
= Open to-do: a script made from 07_calibration.ipynb.
question: Is a visit that was cancelled on the same day a no-show?
= Open: do same-day cancellations count as no-shows?
= Asked the user whether cancelling a visit on the day itself makes it a no-show.
= The user hasn't said how a visit cancelled the same day is labelled.
question: May we use the postal code as a feature?
= Waiting to hear if postal codes are allowed as a feature.
= Permission to use the postal code in the model has not been given or refused.
= User was asked about using postal code as feature; no reply so far.
decision: LightGBM instead of the neural net, it was only 0.4 points worse and trains in two minutes.
= LightGBM was chosen over the neural network: 0.4 points less but trained within two minutes.
= The neural net was dropped for LightGBM, which trains in 2 min at a loss of just 0.4 points.
= Model: LightGBM (nearly as good as the neural net and much quicker to train).
decision: We split by patient and not by visit because the same patient was in both halves.
= Splitting is done per patient, as splitting by visit put patients on both sides.
= Patient-level split replaces the visit-level one to stop leakage of patients.
= The split goes by patient since otherwise one patient shows up in both halves.
decision: Artifacts are tracked with DVC on the department's share rather than with MLflow.
= DVC (on the share of the department) tracks artifacts; MLflow isn't used.
= For artifact tracking we settled on DVC with the department's share.
= MLflow was passed over and artifacts are versioned by DVC.
failure: pytest tests/test_features.py -> AssertionError: days_since_last_visit is negative for 212 rows
= test_features.py fails with 212 negative values of days_since_last_visit.
= `pytest tests/test_features.py` is failing (negative days_since_last_visit).
= The feature tests don't pass: `days_since_last_visit` is negative in 212 rows.
failure: dvc repro train -> ERROR: failed to reproduce 'train': missing data 'visits.parquet'
= `dvc repro train` cannot reproduce the stage, visits.parquet is missing.
= DVC fails to reproduce train because of missing data (`visits.parquet`).
= The train stage of DVC is broken for lack of visits.parquet.
failure: jupyter nbconvert --execute 05_leakage.ipynb -> CellTimeoutError: A cell timed out after 600 seconds
= Executing 05_leakage.ipynb fails with a cell timeout after 600 s.
= `05_leakage.ipynb` times out in nbconvert (CellTimeoutError).
= nbconvert run of the leakage notebook stopped: a cell timed out.
request: why is the AUC on the new data so much better, smells like a leak
= Investigate whether a leak explains the better AUC on new data.
request: make a one page summary of the results for the clinic
= Write a single-page results summary for the clinic.
ran: pytest tests/test_split.py
= `pytest tests/test_split.py` is green.
ran: ruff check src
= `ruff check src` shows no findings.
filler concepts: Calibration compares predicted probabilities with observed rates in ten bins of equal size.
filler concepts: A visit has a booking date, a due date and a status; the label comes from the status.
filler files: `src/churn/features.py` - builds the feature table from visits, patients and the calendar.
filler files: `notebooks/05_leakage.ipynb` - a scratch notebook that drops one feature after the other and prints the
  AUC.
filler files: `dvc.yaml` - three stages: prepare, train and report; the plots are outputs of the last one.
filler errors: matplotlib had no display on the GPU box; the backend was set to Agg in the script.
filler problems: The status of a visit was overwritten by the billing export, thus missing values had vanished in the
  new data.
filler work: Counting the rows per month before and after the join of visits with patients in polars.
""",
    "game": """
rule: no allocations in Update, i check it with the profiler
= `Update` must be allocation-free (the user profiles it).
= User verifies with the profiler that Update methods allocate nothing.
= Nothing may be allocated inside Update().
rule: Never move or rename assets outside of Unity, the meta files get lost.
= Assets may only be renamed or moved within Unity so that meta files survive.
= Moving/renaming assets outside Unity is forbidden (loses .meta files).
= User wants asset moves and renames done inside the Unity editor exclusively.
rule: tuning values go in ScriptableObjects, not as constants in code
= Balance and tuning values belong in ScriptableObjects instead of code constants.
= Keep tuning numbers in ScriptableObjects.
= No hardcoded constants for tuning; they're stored as ScriptableObjects.
rule: dont change Assets/Scenes/Hub.unity, Lena is working in it until friday
= `Hub.unity` must not be edited before Friday because Lena is working on it.
= Leave the Hub scene alone till Friday (Lena has it).
= Lena works in Assets/Scenes/Hub.unity until Friday, so it stays unchanged.
rule: draw calls under 150 on the switch build
= The Switch build has to stay below 150 draw calls.
= Fewer than 150 draw calls are allowed on Switch.
= Draw-call budget for Switch: under 150.
rule: use the new input system, not Input.GetKey
= Input is read through the new Input System rather than `Input.GetKey`.
= No Input.GetKey calls; the new input system is to be used.
= User wants the new Input System used everywhere in place of Input.GetKey.
rule: Save files of version 3 and up must still load, older ones can show an error.
= Saves from version 3 onwards have to keep loading (an error is fine for older ones).
= Compatibility with save files goes back to version 3; anything before may be rejected with an error.
= Loading must work for saves of version >= 3, whereas older saves may fail with a message.
rule: singletons only for AudioHub and SaveHub, everything else gets injected
= Only `AudioHub` and `SaveHub` may be singletons; other dependencies are injected.
= Apart from AudioHub and SaveHub, inject dependencies instead of using singletons.
= No further singletons beyond AudioHub/SaveHub - use injection.
rule: no coroutines for gameplay timing, use the tick system
= Gameplay timing relies on the tick system and not on coroutines.
= Coroutines must not be used to time gameplay; ticks are.
= For timing in gameplay, user demands the tick system instead of coroutines.
rule: every enemy needs a play mode test that it dies and drops loot
= Each enemy gets a play-mode test covering death and loot drop.
= Enemies must have a play mode test which checks that they die and drop loot.
= Play mode tests of dying and dropping loot are required per enemy.
task: Boss phase two with the shield
= The boss's second phase (shield) is still to be made.
= Phase two of the boss, with its shield, isn't implemented yet.
= Remaining: second boss phase including the shield.
task: Controller rebinding in the settings menu
= Settings menu needs rebinding of controllers.
= Pending: let players rebind the controller in settings.
= Not done so far is controller rebinding (settings menu).
question: Does the player lose gold on death or only the unbanked loot?
= Asked whether death costs gold or just unbanked loot; the user didn't answer.
= Undecided by the user: gold lost when dying, or merely loot that isn't banked?
= What the player loses on dying (gold vs. unbanked loot) is an open question.
question: Should the demo end after the second biome?
= It is open whether the demo ends with biome two.
= User still has to say if the demo stops after the second biome.
= Awaiting an answer on where the demo ends (after biome 2?).
decision: Rooms are generated from hand-made tiles instead of noise, since noise gave unreachable doors.
= Room generation uses handmade tiles; noise led to doors that couldn't be reached.
= Noise-based rooms were abandoned for hand-made tiles because of unreachable doors.
= Decided to build rooms from tiles made by hand rather than from noise.
decision: The simulation runs at 30 ticks and rendering interpolates, so replays are exact.
= Simulation at a fixed 30 ticks with interpolated rendering, which makes replays exact.
= For exact replays the simulation ticks at 30 and the renderer interpolates.
= A 30-tick simulation was settled on (rendering interpolates between ticks).
decision: We dropped Addressables for the demo, the bundle sizes did not justify it.
= Addressables are not used in the demo, as bundle sizes don't warrant them.
= The demo does without Addressables (not worth it for bundles of this size).
= Addressables were removed from the demo.
failure: unity -runTests -testPlatform PlayMode -> LootTests.SlimeDropsGold: Expected: 1 But was: 0
= LootTests.SlimeDropsGold fails in play mode (expected 1, was 0).
= The play mode run has one failing test, `SlimeDropsGold`.
= PlayMode tests: SlimeDropsGold expects 1 drop and gets 0.
failure: unity -batchmode -executeMethod Build.Switch -> Shader error in 'Water': undeclared identifier
  'unity_FogParams'
= The Switch build fails with a shader error in Water (`unity_FogParams` undeclared).
= `Build.Switch` breaks on the Water shader.
= Building for Switch does not work: undeclared identifier unity_FogParams.
failure: dotnet test Sim.Tests --filter Replay -> Replay diverged at tick 1841
= Replay tests in Sim.Tests diverge at tick 1841.
= `dotnet test Sim.Tests --filter Replay` still fails: diverged at tick 1841.
= The replay test is failing because it diverges (tick 1841).
request: the dash sometimes goes through walls, fix
= Fix dashing through walls.
request: add a screen that shows which loot is new
= Add a screen for newly found loot.
ran: dotnet test Sim.Tests --filter Dash
= `dotnet test Sim.Tests --filter Dash` passed.
ran: unity -runTests -testPlatform EditMode
= All EditMode tests pass.
filler concepts: The tick system calls every registered system in a fixed order; the order is a list in `TickOrder.cs`.
filler concepts: Loot tables are weighted lists, and an enemy refers to one by name.
filler files: `Assets/Scripts/Player/Dash.cs` - now sweeps a capsule along the path instead of testing the end point.
filler files: `Assets/Scripts/Save/SaveHub.cs` - read; it writes the save file to a temporary name and swaps it.
filler files: `Assets/Prefabs/Enemies/Slime.prefab` - the collider was a trigger, which the dash ignored.
filler errors: Unity lost the reference of a ScriptableObject after a script was renamed; it was assigned again in the
  inspector.
filler problems: At low frame rates the dash covered more than a tile per Update, so that the wall was never hit.
filler work: Recording a replay of a dash into the corner of the hub scene, to have a case for the profiler.
""",
    "tui": """
rule: dont add dependencies besides bubbletea and lipgloss
= No dependencies beyond Bubble Tea and Lip Gloss.
= Only bubbletea and lipgloss are allowed as dependencies.
= User wants the dependency list limited to bubbletea plus lipgloss.
rule: it must start in under 100ms, also on a repo with 50k commits
= Startup has to take less than 100 ms even with 50k commits.
= User requires startup below 100ms, including for repositories of 50,000 commits.
= The tool must be up within 100 ms (repo of 50k commits included).
rule: wrap errors with %w and say what was tried, no bare return err
= Errors get wrapped with `%w` plus context on what was attempted; bare `return err` is not accepted.
= Never return a bare err: wrap it using %w and describe the attempt.
= Wrapping by %w with a description of the attempted action is mandatory for errors.
rule: keys have to work without a mouse and without F-keys
= All functions must be reachable without mouse or function keys.
= Keyboard operation may depend neither on F-keys nor on a mouse.
= User insists that the keyboard suffices, with no F keys involved.
rule: never run a git command that writes, unless the user of the tool pressed y
= Git commands that write are executed only after the tool's user confirmed with `y`.
= Writing git commands require a `y` key press for confirmation.
= Without a pressed y the tool may run just read-only git commands.
rule: No goroutine without a context that can stop it.
= Every goroutine needs a cancellable context.
= Goroutines must always be stoppable through a context.
= User does not permit goroutines lacking a context for cancellation.
rule: golden files in testdata only change with -update, dont edit them by hand
= `testdata` golden files are regenerated with `-update` and not edited manually.
= Golden files must be changed through -update only.
= No hand edits of golden files; use the -update flag.
rule: colors from the theme struct only, someone uses it on a white terminal
= Colours must come from the theme struct since there is a user with a white terminal.
= Take all colors out of the theme struct; hardcoded ones are unreadable on white terminals.
= No colours outside the theme struct.
rule: when you are unsure how a git flag behaves try it in /tmp/sandbox-repo, not here
= Experiments with git flags are to be done in `/tmp/sandbox-repo` rather than in this repository.
= Try unclear git flags in /tmp/sandbox-repo first.
= User wants uncertain git behaviour tested in the sandbox repo under /tmp and not in the project.
rule: changelog entry for anything a user can see
= User-visible changes need an entry in the changelog.
= Everything visible to users must be listed in the changelog.
= The changelog has to be updated for each change that users can notice.
task: Fuzzy search in the branch list
= The branch list should get fuzzy search (to do).
= Fuzzy searching of branches is not implemented.
= Next: make the list of branches searchable, fuzzily.
task: Publish to Homebrew through goreleaser
= Homebrew publishing via goreleaser is still pending.
= Remaining: goreleaser setup that publishes to Homebrew.
= A Homebrew release with goreleaser has to be set up.
question: Should q quit from everywhere or only close the top pane?
= Question for the user: does `q` quit everywhere, or just close the pane on top?
= Behaviour of q (quit vs. close top pane) awaits the user's choice.
= User hasn't settled what q does, close the top pane or quit altogether.
question: Do we support Windows at all?
= Whether Windows is supported at all is still open with the user.
= Asked if Windows needs support, and no answer came.
= Windows support: question to the user is unanswered.
decision: We shell out to git instead of go-git because go-git ignores worktrees and is slow on blame.
= The git binary is called instead of using go-git (slow blame, no worktrees).
= go-git was rejected since it's slow on blame and ignores worktrees; we shell out.
= Decision to shell out to `git`, go-git having problems with worktrees and blame.
decision: The log is loaded in pages of 200 commits while scrolling.
= Commits of the log get loaded 200 at a time on scrolling.
= Log pagination: 200 commits per page, loaded as one scrolls.
= The log loads lazily in 200-commit pages.
decision: Config is TOML in XDG_CONFIG_HOME and not YAML, no surprises with booleans.
= TOML was picked for the config (in `XDG_CONFIG_HOME`), to avoid YAML's boolean surprises.
= Configuration lives in XDG_CONFIG_HOME as TOML rather than YAML.
= YAML is out for the config because of its booleans; TOML under XDG_CONFIG_HOME.
failure: go test ./internal/ui -run TestDiffPane -> golden mismatch: testdata/diff_wide.golden line 14
= TestDiffPane fails with a mismatch in diff_wide.golden (line 14).
= `TestDiffPane` does not match its golden file at line 14.
= A golden mismatch remains in `go test ./internal/ui -run TestDiffPane`.
failure: go test -race ./internal/gitcmd -> WARNING: DATA RACE in (*Runner).Cancel
= The race detector reports a data race in `(*Runner).Cancel`.
= `go test -race ./internal/gitcmd` fails (data race in Runner.Cancel).
= Data race in gitcmd's Runner when cancelling, found by -race.
failure: golangci-lint run -> internal/ui/keys.go:61: cyclomatic complexity 19 of func handleKey is high
= golangci-lint objects to the complexity of handleKey (19).
= Lint fails: `handleKey` in keys.go has cyclomatic complexity 19.
= `golangci-lint run` is not clean because of handleKey's complexity.
request: the diff pane flickers when i hold j
= Get rid of the flicker in the diff pane while `j` is held.
request: i want to see who is behind a line without leaving the pane
= Show a line's author within the pane.
ran: go test ./internal/config
= `go test ./internal/config` passed.
ran: go vet ./...
= `go vet ./...` found nothing.
filler concepts: Each pane is a bubbletea model of its own and gets its messages from the root model.
filler concepts: The runner starts git, reads its output line by line and sends it as messages in batches.
filler files: `internal/ui/diff.go` - the rendered lines are now cached per width, so holding a key does not render all
  of them.
filler files: `internal/theme/theme.go` - two new fields for the background of added and removed lines.
filler files: `internal/gitcmd/runner.go` - read to see where the context is handed to the command.
filler errors: The golden test could not find testdata when run from the editor, as it was started in another directory.
filler problems: Every key press asked git for the diff again; pressing j ten times a second started ten processes.
filler work: Measuring in the sandbox how long git blame takes for the longest file.
""",
    "infra": """
rule: never terraform apply, only plan, i apply myself
= `terraform apply` is reserved for the user; only `plan` may be run.
= Only run terraform plan - applying is done by the user.
= User applies Terraform changes personally, so we stop at the plan.
rule: state bucket tf-state-eu must not show up in any plan, if it does stop
= Stop if a plan includes the state bucket `tf-state-eu`.
= A plan that touches tf-state-eu (the state bucket) is a reason to halt.
= The bucket tf-state-eu may not appear in plans; otherwise stop right away.
rule: secrets only via vault, no ansible-vault files in the repo
= Secrets are to come from Vault; ansible-vault files in the repository aren't allowed.
= All secrets go through Vault rather than ansible-vault files in the repo.
= No ansible-vault files may be checked in, as Vault is the only place for secrets.
rule: pin provider versions exactly, no ~>
= Provider versions must be pinned exactly (no `~>` constraints).
= Use exact pins for providers instead of pessimistic constraints.
= Exact version pinning of providers is required, `~>` is not accepted.
rule: every playbook must be idempotent, second run reports changed=0
= Playbooks have to be idempotent: a repeat run shows changed=0.
= A second run of any playbook must report no changes.
= Idempotency is required of all playbooks (`changed=0` on rerun).
rule: db hosts only one at a time, serial: 1, and wait for replication before the next
= Database hosts are handled one by one (`serial: 1`), with replication caught up before continuing.
= With db hosts use serial 1 and proceed only after replication is in sync.
= Never process several database hosts in parallel; wait for replication in between.
rule: Tag everything with owner and cost-center, finance complains otherwise.
= Nothing goes untagged: `owner` and `cost-center` on all of it, as finance complains otherwise.
= Every resource must carry owner and cost-center tags for finance.
= Tagging by owner and cost-center is mandatory on each resource (finance insists).
rule: no 0.0.0.0/0 in security groups except port 443 on the lb
= Security groups may not open 0.0.0.0/0, other than 443 on the load balancer.
= 0.0.0.0/0 is permitted just for the load balancer's port 443.
= The only rule open to the world is LB:443; any other use of 0.0.0.0/0 is forbidden.
rule: use for_each instead of count for anything with a name
= Named resources use `for_each`, not `count`.
= Prefer for_each over count whenever the resources have names.
= `count` should be avoided for named things in favour of for_each.
rule: try it on staging-2 first, staging-1 belongs to the qa people
= Changes are tried on staging-2 first; staging-1 is QA's.
= First test on `staging-2`, keeping off staging-1 (used by QA).
= QA owns staging-1, so staging-2 is where things get tested before anything else.
task: Move the bastion to SSM session manager
= The bastion still has to be replaced by SSM Session Manager.
= Pending: switch from the bastion host to SSM sessions.
= Session Manager (SSM) in place of the bastion is not done yet.
task: Alert when a certificate expires in less than 14 days
= An alert for certificates with under 14 days left needs to be added.
= TODO: certificate expiry alert (14 days ahead).
= Still missing is alerting on certs that expire within 14 days.
question: Which of the two NAT gateways can go?
= Asked the user which NAT gateway may be removed; no answer yet.
= Open: one of two NAT gateways can be dropped, but which?
= User needs to tell which NAT gateway is to be removed.
question: Do the backups have to stay in Frankfurt for legal reasons?
= Unclear whether backups legally must remain in Frankfurt; waiting for the user.
= The user was asked if there's a legal need for backups to stay in Frankfurt.
= Awaiting confirmation about the legal location of backups (Frankfurt).
decision: One state per environment instead of workspaces, after someone planned prod with the dev workspace.
= Each environment has a state of its own; workspaces were dropped after a mix-up of dev and prod.
= Workspaces were replaced by separate states per environment.
= Separate state per environment rather than workspaces, since prod was once planned from the dev workspace.
decision: Ansible configures the hosts and Terraform only creates them, no provisioners.
= Terraform just creates hosts, their configuration is Ansible's job (no provisioners).
= Split of duties: host creation in Terraform, configuration in Ansible, without provisioners.
= No Terraform provisioners are used; hosts get configured by Ansible.
decision: We take Caddy for internal TLS because nginx needed a cron job for renewals.
= Caddy handles internal TLS, as renewals with nginx required a cron job.
= For TLS inside, Caddy was chosen over nginx (renewal without cron).
= nginx was replaced by Caddy for internal TLS.
failure: terraform plan -var-file=staging-2.tfvars -> Error: Cycle: aws_security_group.app, aws_security_group.db
= Planning staging-2 fails on a cycle between the security groups app and db.
= terraform plan with staging-2.tfvars ends in `Error: Cycle` (aws_security_group.app / db).
= The staging-2 plan is blocked by a security group cycle.
failure: molecule test -s postgres -> Idempotence test failed because of the following tasks: [postgres : write pg_hba]
= Molecule's idempotence check for postgres fails at the task "write pg_hba".
= `molecule test -s postgres` fails: write pg_hba is not idempotent.
= The postgres scenario of molecule still fails (pg_hba task).
failure: tflint --recursive -> modules/cache/main.tf:12: variable "node_type" is not used
= tflint complains about the unused variable node_type in modules/cache.
= `tflint --recursive` has a finding: `node_type` is not used.
= Unused variable "node_type" (modules/cache/main.tf) keeps tflint failing.
request: costs went up by 30% in may, find out what it is
= Find the reason for the 30 percent rise of costs in May.
request: i need a second redis for the sessions
= Add a second Redis for sessions.
ran: ansible-lint playbooks
= `ansible-lint playbooks` passed.
ran: terraform validate
= Configuration is valid (`terraform validate`).
filler concepts: Modules take the environment's name as a variable and derive the names of their resources from it.
filler concepts: The load balancer ends TLS and forwards to the app hosts by their health check.
filler files: `modules/cache/main.tf` - the second redis is created from a map of names to sizes.
filler files: `playbooks/postgres.yml` - read; it includes the roles base, postgres and exporter in this order.
filler files: `envs/staging-2.tfvars` - the sizes of the db hosts, and the list of subnets.
filler errors: The provider cache was damaged after an interrupted download; the directory was removed and initialised
  again.
filler problems: Most of the rise came from traffic between zones, as the replication went through the NAT gateway.
filler work: Reading the cost report by owner tag, since half of the resources of May had no owner.
""",
    "chat": """
rule: a room process must never call another room process, send a message via PubSub
= Room processes communicate through PubSub and never call each other directly.
= Direct calls between rooms are forbidden; messages go by PubSub.
= Rooms may reach other rooms only via PubSub messages.
rule: no String.to_atom on user input, ever
= `String.to_atom` must never be applied to user input.
= Input from users is not to be turned into atoms.
= User categorically forbids converting user-supplied strings to atoms.
rule: message bodies dont belong in logs or in Sentry
= Message contents must be kept out of logs and Sentry.
= Never log message bodies or report them to Sentry.
= Neither the logs nor Sentry may contain the text of messages.
rule: keep the presence code in lib/parley/presence, not in the channel
= Presence code belongs into `lib/parley/presence` instead of the channel.
= The channel should be free of presence logic, which lives in lib/parley/presence.
= User wants everything about presence under lib/parley/presence.
rule: with statements instead of nested case
= Prefer `with` over nested `case`.
= Nested cases should be written using `with`.
= User dislikes nested case expressions and wants with statements.
rule: Run mix format and mix credo --strict before each commit.
= Each commit is preceded by `mix format` and `mix credo --strict`.
= Formatting and strict credo must be run ahead of committing.
= Commit only after mix format and credo --strict have been run.
rule: a client may send at most 20 messages in 10 seconds, moderators are exempt
= Rate limit: 20 messages per 10 s per client, not applied to moderators.
= Clients are limited to 20 messages every ten seconds (moderators excepted).
= Except for moderators, no client can send more than 20 messages within 10 seconds.
rule: don't use Mox for the repo, use the sandbox
= The Ecto sandbox is used in tests instead of mocking the repo with Mox.
= Repo access in tests goes through the SQL sandbox, not Mox.
= No Mox mocks of the repo - the sandbox is the way.
rule: deleted messages stay in the table for 30 days, only the body gets nulled
= On deletion just the body is nulled; the row remains for 30 days.
= Deleted messages are retained 30 days with their body set to null.
= Rows of deleted messages must be kept for 30 days (body emptied).
rule: if a test is flaky fix it, dont tag it with skip
= Flaky tests are to be repaired instead of skipped.
= Skipping flaky tests via tag isn't accepted; they must be fixed.
= User wants flakiness fixed, not hidden by a skip tag.
task: Read receipts for group rooms
= Group rooms still lack read receipts.
= To do: read receipts in rooms with groups.
= Read receipts have to be implemented for group rooms.
task: Move the attachment scan into an Oban job
= Scanning of attachments is to be moved to Oban.
= Pending: attachment scanning as an Oban job.
= The attachment scan has not been turned into an Oban job so far.
question: Can a banned user still read the history?
= Asked the user if banned users may go on reading the history.
= Not yet answered: does a ban also block reading history?
= History access of banned users is an open point with the user.
question: Are typing indicators shown in rooms with more than 50 people?
= User hasn't decided about typing indicators in rooms of over 50 people.
= Question pending: typing indicators for rooms beyond 50 people, yes or no?
= Whether large rooms (more than 50) show who is typing awaits an answer.
decision: ULIDs for message ids, so that clients can sort without a clock.
= Message ids are ULIDs, allowing clients to sort with no clock.
= ULID was chosen as the id format of messages for sorting in clients.
= Ids of messages: ULID, which sorts without needing a clock.
decision: Horde was removed in favour of one registry per node and consistent hashing, Horde lost rooms on netsplits.
= A registry per node with consistent hashing replaced Horde, which lost rooms during netsplits.
= Horde is gone (rooms lost in netsplits); consistent hashing and per-node registries took its place.
= Dropped Horde for consistent hashing plus one registry on each node.
decision: Uploads go directly to S3 with a presigned url and not through Phoenix.
= Presigned S3 URLs let clients upload directly, bypassing Phoenix.
= Files are uploaded straight to S3 (presigned) instead of via Phoenix.
= Direct-to-S3 uploads through presigned URLs were agreed.
failure: mix test test/parley/room_test.exs:88 -> ** (exit) exited in: GenServer.call: time out
= room_test.exs:88 fails with a GenServer.call timeout.
= `mix test test/parley/room_test.exs:88` exits with a time out.
= The room test at line 88 still times out in GenServer.call.
failure: mix dialyzer -> lib/parley/rate_limit.ex:31:invalid_contract The @spec for check/2 does not match the typing
= Dialyzer reports that the spec of check/2 in rate_limit.ex does not fit its typing.
= `mix dialyzer` fails on `rate_limit.ex:31` (invalid_contract).
= An invalid_contract warning for check/2 remains from dialyzer.
failure: mix ecto.migrate -> (Postgrex.Error) ERROR 55P03 canceling statement due to lock timeout
= The migration was cancelled by a lock timeout (55P03).
= `mix ecto.migrate` fails: lock timeout.
= Migrating fails because Postgres cancels the statement for its lock timeout.
request: people see each other as offline after a deploy, please fix
= Fix users appearing offline following a deploy.
request: add a command to mute someone for an hour
= Add a command that mutes a person for one hour.
ran: mix test test/parley/presence
= `mix test test/parley/presence` is green.
ran: mix credo --strict
= `mix credo --strict` found no issues.
filler concepts: A room is a GenServer that holds the last hundred messages; older ones are read from Postgres.
filler concepts: Presence tracks a socket by its user id and merges the entries of all nodes.
filler files: `lib/parley/presence/tracker.ex` - on drain the tracker now hands its entries over to the next node.
filler files: `lib/parley/rate_limit.ex` - a token bucket in ETS; read to see how its key is made.
filler files: `test/parley/room_test.exs` - the setup starts a room with two clients and a moderator.
filler errors: The sandbox complained about an owner that had exited; the room process is now allowed explicitly in the
  setup.
filler problems: The new node joined PubSub before its tracker was up, so the first diff of presence was lost for its
  rooms.
filler work: Tailing the logs of two nodes during a deploy and counting the messages between drain and join.
""",
    "robot": """
rule: nothing may block in a callback of the control node, 2 ms budget
= Control node callbacks must not block; their budget is 2 ms.
= Callbacks within the control node have 2 ms and may never block.
= No blocking in control-node callbacks (budget: two milliseconds).
rule: never drive the real arm, only gazebo, unless I'm standing next to it and say so
= The real arm may be moved only when the user is beside it and says so; otherwise Gazebo.
= Work in Gazebo only - driving the physical arm needs the user standing there and agreeing.
= Without the user's presence and explicit word, the real arm is never moved; simulation is used.
rule: units are SI, angles in radians, also in yaml
= SI units and radians are used everywhere, YAML files included.
= All quantities must be SI with angles given in radians (in yaml as well).
= User wants SI units plus radians throughout, YAML too.
rule: Parameters must be declared with a range and a description.
= Each parameter declaration includes its range and a description.
= Declare parameters along with range and description.
= Range and description are mandatory when parameters are declared.
rule: no exceptions across the hardware interface, return a status
= The hardware interface returns status codes; exceptions must not cross it.
= Exceptions may not leave the hardware interface (use return statuses).
= User wants statuses returned by the hardware interface instead of exceptions.
rule: dont use using namespace in headers
= `using namespace` is not allowed in header files.
= Headers must be free of using-namespace directives.
= Keep `using namespace` out of headers.
rule: build with colcon --packages-select, a full build takes 25 min on my laptop
= Build selected packages with `--packages-select` since a full build takes 25 minutes.
= Avoid full colcon builds (25 min); pick packages by --packages-select.
= Builds should be limited to selected packages, because building everything lasts 25 min on the user's laptop.
rule: topics and services get names in lower case with the prefix /arm or /base
= Topic and service names are lower case and begin with `/arm` or `/base`.
= Names for topics/services: lowercase, prefixed by /arm or /base.
= Services and topics must be named in lower case under /arm or /base.
rule: use tf2 for transforms, don't multiply matrices yourself
= Transforms go through tf2 instead of manual matrix multiplication.
= No hand-written matrix products; tf2 handles transforms.
= User wants tf2 used for all transforms.
rule: the e-stop code in safety/ is only changed together with Rashid
= Changes to the e-stop code (`safety/`) are made jointly with Rashid only.
= Do not change safety/ without Rashid, it contains the e-stop.
= Rashid has to be involved in any change of the e-stop code under safety/.
task: Calibrate the wrist camera against the gripper
= Calibration of the wrist camera to the gripper remains.
= The wrist camera has not been calibrated against the gripper.
= Outstanding: wrist-camera/gripper calibration.
task: Write a launch file for two arms
= A launch file for a two-arm setup is yet to be written.
= Pending: launch file that starts two arms.
= Two arms still need their launch file.
question: Is the payload 3 kg with or without the gripper?
= Waiting to learn whether the 3 kg payload includes the gripper.
= Open question: payload of 3 kg - gripper included or not?
= The user was asked if the gripper counts towards the 3 kg of payload.
question: Which of the two lidars stays on the base?
= Not known yet which lidar stays on the base; asked.
= User is to tell which one of both lidars remains mounted on the base.
= Asked about the lidars: which one is kept on the base?
decision: We use MoveIt Servo for teleoperation since our own jogging overshot.
= Teleoperation uses MoveIt Servo; the own jogging code overshot.
= MoveIt Servo replaces our jogging for teleop, because of overshoot.
= For teleoperation MoveIt Servo was preferred to the home-made jogging.
decision: CycloneDDS over FastDDS, discovery took too long in the lab network.
= CycloneDDS was selected as discovery with FastDDS is too slow in the lab's network.
= Middleware: CycloneDDS (FastDDS discovery was slow in the lab).
= FastDDS was given up for CycloneDDS due to slow discovery.
decision: The behaviour tree lives in XML and not in C++, so that students can edit it.
= Behaviour tree is defined in XML for students to edit.
= To let students edit it, the behaviour tree is kept in XML rather than C++.
= We keep the behavior tree out of C++ (XML instead).
failure: colcon test --packages-select arm_control -> test_trajectory: Expected: velocity <= 1.2, actual: 1.37
= test_trajectory in arm_control fails: velocity 1.37 exceeds 1.2.
= colcon test for arm_control is red, as `test_trajectory` sees a velocity of 1.37.
= `test_trajectory` still fails on its velocity check (1.37 vs 1.2).
failure: ros2 launch base_bringup sim.launch.py -> [spawner] Could not contact service
  /controller_manager/list_controllers
= Launching the base simulation fails because the spawner can't reach `/controller_manager/list_controllers`.
= sim.launch.py of base_bringup does not come up (controller_manager service not reachable).
= The spawner in `sim.launch.py` could not contact the controller manager.
failure: clang-tidy -p build src/gripper_driver.cpp -> error: use of undeclared identifier 'kMaxForce'
= clang-tidy stops at gripper_driver.cpp with the undeclared `kMaxForce`.
= gripper_driver.cpp does not get through clang-tidy: kMaxForce is undeclared.
= An undeclared identifier 'kMaxForce' is reported by clang-tidy.
request: the gripper opens too late after placing, look into it
= Look into the gripper opening late after a placement.
request: i want a plot of the joint torques of the last run
= Plot the joint torques of the most recent run.
ran: colcon build --packages-select arm_msgs
= `colcon build --packages-select arm_msgs` succeeded.
ran: ament_cpplint src
= `ament_cpplint src` reports no problems.
filler concepts: The controller manager loads controllers as plugins and switches them between two cycles.
filler concepts: The behaviour tree ticks the node "place", which waits for the gripper's status before it retracts.
filler files: `arm_control/src/trajectory.cpp` - samples the spline at the control rate; read to find where velocity is
  scaled.
filler files: `gripper_driver/config/gripper.yaml` - the parameter for the opening delay was set to 0.4 by an earlier
  branch.
filler files: `base_bringup/launch/sim.launch.py` - starts gazebo, the robot state publisher and the spawner.
filler errors: Gazebo did not find the mesh of the wrist camera until the package's share folder was exported.
filler problems: The gripper's status came on a topic with a queue of ten, so the callback saw an old one first.
filler work: Extracting torques from the recorded bag and matching them with the transforms of the arm by time.
""",
    "gem": """
rule: public API stays as it is until 3.0, deprecate instead of removing
= Public API must not be removed before 3.0; use deprecations.
= Until version 3.0 nothing is removed from the public API, only deprecated.
= Deprecate rather than remove: the public API is frozen till 3.0.
rule: ruby 3.0 has to keep working so no `it` and no data classes
= Ruby 3.0 compatibility is required, which rules out `it` and Data classes.
= Don't use `it` or Data classes, since the gem must run on Ruby 3.0.
= Code has to stay compatible with Ruby 3.0 (no Data, no `it`).
rule: no runtime dependencies. none. activesupport is NOT ok
= The gem must have zero runtime dependencies, ActiveSupport included.
= No runtime dependency may be added, not even activesupport.
= User insists on zero runtime dependencies (ActiveSupport isn't acceptable either).
rule: dont monkey patch core classes, refinements are ok inside lib/ledgerly/internal
= Core classes must not be monkey-patched; refinements are acceptable within `lib/ledgerly/internal`.
= Monkey patches of core classes are forbidden, with refinements permitted in lib/ledgerly/internal only.
= Use refinements (in lib/ledgerly/internal) if need be, never monkey patching of the core.
rule: specs describe behaviour, so no `allow_any_instance_of` and no testing of private methods
= Specs must avoid `allow_any_instance_of` and tests of private methods.
= Test behaviour: private methods aren't tested and allow_any_instance_of is off limits.
= Neither allow_any_instance_of nor private-method tests belong in the specs.
rule: put the PR number behind each line in CHANGELOG.md
= Each CHANGELOG.md line ends with its PR number.
= Changelog entries need the number of the pull request appended.
= User wants PR numbers after all lines of `CHANGELOG.md`.
rule: when you deprecate something print the warning once per process
= Deprecation warnings appear only once per process.
= A warning about a deprecation should be emitted a single time for each process.
= Print deprecation warnings just once in a process, not on each call.
rule: rubocop todo file must only get shorter
= `.rubocop_todo.yml` may shrink but never grow.
= No additions to the RuboCop todo file; it's only allowed to get shorter.
= The rubocop todo list must not grow.
rule: don't bump the version, the release script does that
= Version bumps are left to the release script.
= The version gets raised by the release script and not by hand.
= Do not change the version number: that's what the release script is for.
rule: Examples in the README have to run, bin/readme-check executes them.
= README examples must be runnable (checked by `bin/readme-check`).
= All examples of the README have to work, as bin/readme-check runs them.
= Keep README examples executable; `bin/readme-check` verifies this.
task: Ractor safety of the currency table
= Currency table is not yet Ractor-safe, which is to be done.
= Remaining: make the table of currencies safe for Ractors.
= To do - Ractor safety for the currency table.
task: Write RBS signatures for Ledgerly::Entry
= RBS signatures of `Ledgerly::Entry` are missing and have to be written.
= Pending: RBS for Ledgerly::Entry.
= Ledgerly::Entry still needs its signatures in RBS.
question: Should rounding default to banker's rounding in 3.0?
= Default rounding in 3.0 (banker's or not) is up to the user, who was asked.
= Open: is banker's rounding going to be the default with 3.0?
= No reply yet on making banker's rounding the 3.0 default.
question: Does anyone still use the XML export?
= Asked the user if the XML export is still in use anywhere.
= Unknown whether anybody uses XML export; the question is open.
= Waiting for word on whether the XML export has users left.
decision: Amounts are Rational inside and only become BigDecimal at the border.
= Internally amounts are Rational and get converted to BigDecimal at the border.
= Rational is used for amounts inside, BigDecimal just at the boundary.
= BigDecimal appears at the border only; internal amounts are of type Rational.
decision: Zeitwerk was ruled out as it would be a dependency, we use autoload by hand.
= Manual `autoload` instead of Zeitwerk, which would add a dependency.
= Autoloading is done by hand because Zeitwerk would mean a dependency.
= Zeitwerk rejected; autoload statements are written manually.
decision: Errors inherit from Ledgerly::Error so that people can rescue one class.
= `Ledgerly::Error` is the common base of errors, to be rescued as one class.
= All errors descend from Ledgerly::Error, letting callers rescue a single class.
= A base class Ledgerly::Error was introduced for rescuing.
failure: bundle exec rspec spec/ledgerly/split_spec.rb:40 -> expected: [34, 33, 33] got: [33, 33, 34]
= split_spec.rb:40 fails, got [33, 33, 34] in place of [34, 33, 33].
= The split spec (line 40) still gets the remainder in the wrong position.
= `rspec spec/ledgerly/split_spec.rb:40` is failing: [33, 33, 34].
failure: bundle exec steep check -> lib/ledgerly/parser.rb:77: Type `(String | nil)` does not have method `strip`
= Steep reports a possible nil for `strip` in parser.rb:77.
= `steep check` fails at lib/ledgerly/parser.rb line 77 (strip on String | nil).
= A type error remains in steep: nil has no strip.
failure: gem build ledgerly.gemspec -> ERROR: While executing gem: missing file "sig/ledgerly.rbs"
= `gem build` fails since sig/ledgerly.rbs is missing.
= Building the gem does not work: missing file "sig/ledgerly.rbs".
= The gemspec refers to `sig/ledgerly.rbs`, which is missing, so the gem build fails.
request: splitting 100 in three parts gives the wrong order, see the bug report
= Correct the order when 100 is split into three parts, per the bug report.
request: make parsing of large files faster
= Speed up the parsing of large files.
ran: bundle exec rspec spec/ledgerly/parser_spec.rb
= `rspec spec/ledgerly/parser_spec.rb` passed.
ran: bundle exec rubocop
= No offenses with `bundle exec rubocop`.
filler concepts: An entry has a debit and a credit side; a ledger is a list of entries whose sum is zero.
filler concepts: The currency table is loaded from a CSV the first time that a currency is looked up.
filler files: `lib/ledgerly/split.rb` - the remainder is handed out by largest remainder, and ties go by position.
filler files: `lib/ledgerly/internal/scanner.rb` - reads the file in chunks of 64 kB and keeps the last partial line.
filler files: `spec/ledgerly/parser_spec.rb` - a shared example for files with and without a header.
filler errors: A script could not find the gem as the load path was not set; it is now started through bundler.
filler problems: The parser called a private method by send for each line, which showed as the top entry of the profile.
filler work: Going through the deprecation warnings of the spec run, to see which of them come from the XML export.
""",
    "static": """
rule: the output must be byte identical when nothing changed, we diff it in CI
= Unchanged input has to produce byte-identical output (CI diffs it).
= Builds must be reproducible byte for byte when there are no changes.
= With nothing changed the generated output stays identical to the byte, which CI verifies.
rule: no javascript in the default theme
= The default theme must not contain JavaScript.
= Default theme: JavaScript-free.
= User wants a default theme without any JS.
rule: urls never change, add a redirect in redirects.toml if you move a page
= Moving a page requires a redirect in `redirects.toml`, as URLs must stay stable.
= URLs are permanent; moved pages get an entry in redirects.toml.
= If a page is moved, add a redirect to redirects.toml so that no URL breaks.
rule: unsafe only in src/mmap.rs and with a SAFETY comment
= `unsafe` is confined to src/mmap.rs and needs a SAFETY comment.
= Outside `src/mmap.rs` no unsafe code; within it, explain by a SAFETY comment.
= Only src/mmap.rs may contain unsafe blocks, each with its SAFETY comment.
rule: Warn about broken links, do not fail the build, except with --strict.
= Broken links yield a warning and fail the build with `--strict` only.
= The build may fail on broken links solely under --strict; otherwise it warns.
= For broken links: warnings by default, failure if --strict is given.
rule: templates of users must not be able to read files outside of content/
= User templates can't be allowed to read anything beyond `content/`.
= File access by templates has to be restricted to content/.
= Templates written by users may read files in content/ and nowhere else.
rule: when a front matter field is unknown tell the file and the line
= Unknown front matter fields are reported with file and line.
= Error messages on unknown fields in front matter must name file and line.
= Give file plus line whenever an unknown field occurs in front matter.
rule: a rebuild of one page in under 50 ms, measure before and after with bench/one_page.sh
= Rebuilding a single page must take less than 50 ms; measure both before and after using `bench/one_page.sh`.
= One-page rebuilds: below 50ms, checked with bench/one_page.sh prior to and following a change.
= User expects single-page rebuilds to stay under 50 ms (measured via bench/one_page.sh).
rule: please no clever macros, write it twice if needed
= Avoid clever macros, duplication is preferable.
= User prefers writing code twice to clever macros.
= Macros that are too clever are unwanted; repeat the code instead.
rule: docs/ is written by Amélie, you may fix code samples there but not the prose
= In docs/ only code samples may be fixed; the prose is Amélie's.
= Amélie writes `docs/`, so leave its prose alone (correcting code samples is fine).
= Prose under docs/ must not be changed since Amélie owns it, while fixes of samples are allowed.
task: Image resizing with a cache keyed by content hash
= Resizing of images, cached by content hash, is still open.
= To be done: resize images with a content-hash cache.
= The image resizer and its cache (key: content hash) aren't implemented.
task: Support for two languages per site
= Bilingual sites are not supported yet.
= Pending: allow two languages on one site.
= Sites with two languages remain to be supported.
question: Should drafts be built by serve without a flag?
= Asked whether `serve` builds drafts by default; no answer.
= The user must still say if drafts are included by serve with no flag.
= Open: does serve build drafts even when there's no flag?
question: Which syntax highlighter do we ship, syntect or tree-sitter?
= Choice of highlighter (syntect vs. tree-sitter) is with the user.
= User was asked to choose between tree-sitter and syntect for highlighting; pending.
= It is undecided whether syntect or tree-sitter gets shipped.
decision: Minijinja instead of Tera because error messages point at the right line.
= Templates use MiniJinja rather than Tera thanks to error messages with correct lines.
= Tera was replaced by minijinja (its errors point to the right line).
= Minijinja is the template engine, chosen over Tera for its error messages.
decision: The dependency graph is stored in one SQLite file next to the output.
= A single SQLite file beside the output stores the dependency graph.
= Dependency graph storage: SQLite, one file, alongside the output.
= We keep the graph of dependencies in SQLite next to the output.
decision: Feeds are Atom only, RSS was dropped since nobody had asked for it.
= Only Atom feeds are generated; RSS was dropped for lack of demand.
= RSS is gone as no one asked for it, leaving Atom.
= Feed format: Atom without RSS.
failure: cargo test --test incremental -> assertion failed: rebuilt == ["index.html"], got ["index.html",
  "tags/rust.html"]
= The incremental test rebuilds tags/rust.html in addition to index.html.
= `cargo test --test incremental` fails as too much is rebuilt (`tags/rust.html`).
= Incremental tests are red: tags/rust.html gets rebuilt as well.
failure: cargo test redirects::loop -> thread panicked: stack overflow in resolve_redirect
= `redirects::loop` overflows the stack in resolve_redirect.
= Redirect loop test fails by a stack overflow.
= cargo test redirects::loop still panics in `resolve_redirect`.
failure: cargo clippy -- -D warnings -> error: large size difference between variants src/render.rs:203
= Clippy rejects an enum with variants of very different size at src/render.rs:203.
= `cargo clippy -- -D warnings` is failing over the size of variants in render.rs.
= Large size difference between variants in src/render.rs, says clippy.
request: serve doesnt notice when i change a template partial
= Make serve notice changes of template partials.
request: write a theme for a printed booklet
= Write a theme for printing booklets.
ran: cargo test front_matter
= `cargo test front_matter` passes.
ran: cargo fmt --check
= Formatting is fine (`cargo fmt --check`).
filler concepts: A page depends on its source, its template and the partials that were loaded while it was rendered.
filler concepts: Redirects are written as small HTML pages, or as a rules file if the host is known.
filler files: `src/serve.rs` - the watcher now also gets the directory of partials of the theme.
filler files: `src/front_matter.rs` - read; the parser keeps the span of each field.
filler files: `bench/one_page.sh` - touches a page ten times and prints the median.
filler errors: The CI diff showed a changed time stamp in the feed; it came from the fixture and not from the code.
filler problems: Partials were resolved at load time of the engine, therefore the graph had no edge from page to
  partial.
filler work: Printing the edges of the graph for a site with two pages and a template that includes a partial.
""",
    "kplugin": """
rule: support Kotlin 1.9 and 2.0 at the same time, no separate branches
= Kotlin 1.9 and 2.0 both have to be supported from one branch.
= A single branch must serve Kotlin 1.9 as well as 2.0.
= No branch per Kotlin version: 1.9 and 2.0 are supported together.
rule: dont use internal compiler api without putting it behind CompilerBridge
= Internal compiler APIs may be accessed through `CompilerBridge` only.
= All use of internal compiler API must sit behind CompilerBridge.
= Direct calls to compiler internals are not permitted; wrap them in CompilerBridge.
rule: Diagnostics are errors only if the generated code would not compile, else warnings.
= Only report an error when generated code would fail to compile; everything else is a warning.
= Diagnostics default to warnings, errors being reserved for generated code that doesn't compile.
= Error level is limited to cases of uncompilable generated code (otherwise warning).
rule: generated names start with __poet so nobody calls them by accident
= Names of generated declarations get the prefix `__poet`.
= Prefix generated names with __poet to prevent accidental calls.
= User wants all generated names to begin with __poet.
rule: every bug fix comes with a box test in testData/box
= Bug fixes need an accompanying box test in `testData/box`.
= For each fixed bug a box test is added under testData/box.
= No bug fix without a test in testData/box.
rule: never update the expected IR dumps to make a test green, look first why they differ
= Expected IR dumps must not be updated just to pass a test; the difference has to be understood first.
= Investigate differing IR dumps before updating them.
= Before any change to expected IR dumps, find out why they differ.
rule: gradle plugin must work with configuration cache
= The Gradle plugin has to be compatible with the configuration cache.
= Configuration cache support is a must for the Gradle plugin.
= User requires that the plugin for Gradle works under configuration caching.
rule: compile time overhead max 5% on the sample project, run ./bench.sh 10 times
= Overhead on compile time may be 5% at most on the sample project (ten runs of `./bench.sh`).
= The plugin may slow compilation of the sample by no more than 5 percent, measured with 10 bench.sh runs.
= Max. 5% compile-time overhead, to be verified through ten runs of ./bench.sh.
rule: sealed classes instead of enums with a when over them
= Use sealed classes rather than enums combined with `when`.
= Enums plus when are to be modelled as sealed classes.
= User prefers sealed classes to enums that are switched over by `when`.
rule: only publish snapshots, a real release needs my gpg key
= Publish snapshots only; releases require the user's GPG key.
= Real releases depend on the user's gpg key, so just snapshots get published.
= Nothing but snapshots may be published by us.
task: Handle suspend functions in the proxy generator
= The proxy generator does not handle suspend functions yet.
= Pending: suspend function support in generating proxies.
= Suspend functions remain to be covered by the proxy generator.
task: K2 FIR checker for open classes
= A FIR checker (K2) for open classes is still to be written.
= To do: checker for open classes on K2/FIR.
= Open classes need their FIR checker for K2.
question: Do we drop support for Kotlin/JS in the next version?
= Dropping Kotlin/JS next version: asked, no decision from the user.
= Awaiting the user's answer about ending Kotlin/JS support.
= It's unclear whether the next version still supports Kotlin/JS.
question: Should @Poet on an interface be an error or be ignored?
= User has to decide if `@Poet` on interfaces is ignored or an error.
= Open question: interfaces annotated with @Poet - error or ignore?
= How to treat @Poet on an interface (ignoring it or raising an error) was asked and not answered.
decision: We transform IR and don't generate sources, because KSP runs too early for us.
= IR transformation is used instead of source generation since KSP runs too early.
= KSP/source generation was ruled out (too early); the plugin transforms IR.
= The approach is to transform IR, as KSP would run at too early a stage.
decision: Options are passed as one JSON file rather than as twenty command line flags.
= One JSON file carries the options in place of some twenty CLI flags.
= Plugin options come in a single JSON file and not by command line flags.
= Instead of twenty flags, options are handed over as JSON.
decision: Proxies are cached per module and not per file, so incremental compilation stays correct.
= Caching of proxies happens at module level to keep incremental compilation correct.
= Proxy cache granularity: per module (correctness of incremental compilation).
= To be right under incremental compilation, proxies are cached by module rather than by file.
failure: ./gradlew :compiler-plugin:test --tests *BoxTest.genericProxy -> java.lang.VerifyError: Bad return type
= BoxTest.genericProxy fails with a VerifyError (bad return type).
= The box test `genericProxy` still throws java.lang.VerifyError.
= genericProxy is red: Bad return type.
failure: ./gradlew :gradle-plugin:functionalTest -> Configuration cache problems found: invocation of 'Task.project' at
  execution time
= The functional tests of the Gradle plugin fail because Task.project is invoked at execution time.
= `:gradle-plugin:functionalTest` reports configuration cache problems (Task.project).
= functionalTest fails on an invocation of 'Task.project'.
failure: ./gradlew apiCheck -> API check failed for project poet-runtime: added class PoetScope
= apiCheck fails for poet-runtime since PoetScope was added.
= `./gradlew apiCheck` does not pass (class `PoetScope` added).
= The API check of poet-runtime is failing.
request: proxies of generic classes crash at runtime, fix it
= Fix runtime crashes in proxies for generic classes.
request: explain in the readme how the plugin is debugged
= Describe debugging of the plugin in the readme.
ran: ./gradlew :compiler-plugin:test --tests *IrDumpTest
= IrDumpTest passes.
ran: ./gradlew detekt
= `./gradlew detekt` came back clean.
filler concepts: The IR extension visits each class with the annotation and adds a proxy beside it.
filler concepts: Box tests compile a snippet, run its function `box` and expect "OK".
filler files: `compiler-plugin/src/ProxyGenerator.kt` - the return type is now substituted with the type arguments of
  the call.
filler files: `compiler-plugin/src/CompilerBridge.kt` - read; an interface with an implementation for each version.
filler files: `gradle-plugin/src/PoetPlugin.kt` - registers the option task and adds the runtime to the dependencies.
filler errors: The Kotlin daemon kept an old jar of the plugin; it was stopped between two runs of the test.
filler problems: Erasure turned the return type into Any, and the cast was lost when the proxy's body was copied.
filler work: Comparing the IR dumps of a generic and a plain class, and reading the bytecode of both proxies.
""",
}
