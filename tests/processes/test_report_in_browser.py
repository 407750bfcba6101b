"""The report in a real browser: headless Chromium, Debian's, at the addresses of the files themselves."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, ViewportSize, sync_playwright

from compact_keeper.figures import report
from sessions import SESSION_ID
from stats_home import INJECTIONS, make_home

pytestmark = pytest.mark.xdist_group("browser")  # one for all

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]
PHONE, DESK = ViewportSize(width=360, height=740), ViewportSize(width=1100, height=900)
CONTRASTS = """() => {
  const parsed = text => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
  const over = (top, below) => [0, 1, 2].map(at => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
  const light = ([r, g, b]) => [r, g, b].map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = node => {
    const layers = [];
    for (let one = node; one; one = one.parentElement) layers.push(parsed(getComputedStyle(one).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim(), parent = walker.currentNode.parentElement;
    if (!text || parent.matches('script, style') || !parent.checkVisibility()) continue;
    const back = behind(parent), ink = over(parsed(getComputedStyle(parent).color), back);
    const [high, low] = [light(back), light(ink)].sort((a, b) => b - a);
    found.push([(high + 0.05) / (low + 0.05), text.slice(0, 40)]);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without a window; nothing is downloaded."""
    path = shutil.which("chromium")
    assert path, "chromium is missing: apt-get install chromium"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of two pages: a session with hostile words, and a long one."""
    pages = {}
    with pytest.MonkeyPatch.context() as patch:
        for name in ("hostile", "long"):
            home = tmp_path_factory.mktemp(name) / "home"
            patch.setenv("COMPACT_KEEPER_HOME", str(home))
            make_home(home, *((3, 600, " ".join(INJECTIONS)) if name == "hostile" else (20, 2_000)))
            pages[name] = report.report_address(report.write_report(SESSION_ID, ""))
    return pages


@pytest.fixture(scope="module")
def faults() -> list[str]:
    """What the pages of a test complained of, asked for or showed that they should not."""
    return []


@pytest.fixture(scope="module")
def pages(browser: Browser, faults: list[str]) -> Callable[..., Page]:
    """The page with these options, one for all tests: each is a process of the browser."""
    def refuse(dialog: Dialog) -> None:
        faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    @cache
    def page_with(**options: Any) -> Page:
        page = browser.new_page(**options)
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("dialog", refuse)
        page.on("request", lambda request: faults.append(f"request: {request.url}"))
        return page
    return page_with


@pytest.fixture
def opened(pages: Callable[..., Page], reports: dict[str, str], faults: list[str]) -> Iterator[Any]:
    """Opens a report anew; a console message, an error, a dialog or a request of its own fails the test."""
    def open_page(name: str, **options: Any) -> Page:
        page = pages(**options)
        page.goto("about:blank")
        page.set_viewport_size(DESK)
        page.emulate_media(color_scheme="light")
        page.goto(reports[name])
        return page
    faults.clear()
    yield open_page
    pages().wait_for_timeout(50)
    asked_for = [f"request: {reports[name]}" for name in reports]
    assert [fault for fault in faults if fault not in asked_for] == []


# --- nothing of what it shows comes alive ---


def test_hostile_words_are_shown_as_they_are(opened: Any) -> None:
    page = opened("hostile")
    page.get_by_role("button", name="Open all").click()
    text = page.locator("#compaction-1 .lines").first.inner_text()
    for words in ("<script>alert(1)</script>", "</style><img src=x onerror=alert(2)>", "--> <!-- ]]>", "{{7*7}}"):
        assert words in text
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, object, link, form, base, [onload], [onerror], [onfocus]").count() == 0
    assert "\u202e" not in page.content()


def test_the_policy_stops_what_would_be_slipped_in(opened: Any, faults: list[str]) -> None:
    page = opened("hostile")
    page.evaluate("""() => {
      const script = document.createElement('script');
      script.textContent = 'window.slipped = true';
      document.body.append(script);
      const picture = document.createElement('img');
      picture.src = 'http://127.0.0.1:9/x.png';
      document.body.append(picture);
    }""")
    page.wait_for_timeout(100)
    assert page.evaluate("window.slipped") is None
    complaints = [fault for fault in faults if fault.startswith("console: ")]
    assert len(complaints) == 2
    assert all("Content Security Policy" in fault for fault in complaints)
    faults.clear()


# --- reading ---


@pytest.mark.parametrize("name", ["hostile", "long"])
def test_all_text_stands_out_and_a_phone_scrolls_down_only(opened: Any, name: str) -> None:
    page = opened(name)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for scheme, ground in (("light", "rgb(250, 249, 247)"), ("dark", "rgb(19, 22, 27)")):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
        contrasts = page.evaluate(CONTRASTS)
        assert len(contrasts) > 100
        assert [(round(ratio, 2), text) for ratio, text in contrasts if ratio < 4.5] == []
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_table_that_is_wider_than_the_window_says_so(opened: Any) -> None:
    page = opened("long")
    hint = page.get_by_text("scroll it sideways").last
    assert not hint.is_visible()
    page.set_viewport_size(PHONE)
    assert hint.is_visible()


def test_headings_and_landmarks_are_in_order(opened: Any) -> None:
    page = opened("hostile")
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(one => +one.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))
    assert [page.locator(landmark).count() for landmark in ("main", "body > header", "body > footer")] == [1, 1, 1]
    names = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(names) == len(set(names))
    assert page.evaluate("[...document.querySelectorAll('[aria-labelledby], [href^=\"#\"]')].every(one => "
                         "document.getElementById(one.getAttribute('aria-labelledby') || one.hash.slice(1)))")


def test_without_javascript_everything_can_be_read(opened: Any) -> None:
    page = opened("hostile", java_script_enabled=False)
    page.locator("#compaction-1 summary").click()
    assert "(typed 3 min before)" in page.locator("#compaction-1 .lines li").nth(2).inner_text()
    assert page.locator(".moment, [data-open]").locator("visible=true").count() == 0


# --- what moves ---


def test_a_mark_on_the_chart_opens_its_compaction(opened: Any) -> None:
    page = opened("long")
    assert page.locator("details[open]").count() == 1
    page.get_by_role("link", name="4", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#compaction-4[open]")
    assert page.evaluate("document.activeElement.parentElement.id") == "compaction-4"
    page.get_by_role("button", name="Open all").click()
    assert page.locator("details[open]").count() == 20
    page.get_by_role("button", name="Close all").click()
    assert page.locator("details[open]").count() == 0


def test_the_chart_tells_its_values_to_keys_and_pointer(opened: Any) -> None:
    page = opened("long")
    slider, moment = page.get_by_role("slider"), page.locator(".moment output")
    before = moment.inner_text()
    assert before.endswith(" tokens")
    slider.focus()
    page.keyboard.press("Home")
    first = moment.inner_text()
    assert first != before
    assert slider.get_attribute("aria-valuetext") == first
    page.locator(".plot").hover(position={"x": 300, "y": 50})
    assert moment.inner_text() not in (before, first)
