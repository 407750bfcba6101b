"""How the report looks and what moves in it: its style sheet and its script.

The page reads without the script, which adds the cursor on the chart, and opens all compactions at once.
Colours of kinds are those of Okabe and Ito, which people with any colour vision tell apart, darkened or lightened until
they stand out from the page.
"""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark;
  --page: #faf9f7; --card: #ffffff; --ink: #1c2430; --soft: #566070; --rule: #e3e0da; --deep: #f1efeb;
  --accent: #0a58a6; --fill: #0a58a61f; --good: #00694a; --bad: #a8320b; --focus: #0a58a6;
  --k-pin: #1c2430;
  --k-rule: #0072b2; --k-ask: #b35c00; --k-task: #007a5a; --k-fail: #c43d00; --k-file: #2b8fc7; --k-run: #a8508a;
  --k-said: #7d6b00; --k-else: #6b7280; }
@media (prefers-color-scheme: dark) { :root {
  --page: #13161b; --card: #1a1e25; --ink: #e7e9ee; --soft: #a3abb9; --rule: #2d333e; --deep: #232831;
  --accent: #7fb8f2; --fill: #7fb8f226; --good: #5fd0a5; --bad: #ff9b70; --focus: #9ccbff;
  --k-pin: #ffffff;
  --k-rule: #56a8e0; --k-ask: #e69f00; --k-task: #2bb78d; --k-fail: #f0703c; --k-file: #7cc7f0; --k-run: #d795bd;
  --k-said: #d9c84a; --k-else: #98a1b0; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0; background: var(--page); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
header, main, footer { max-width: 60rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem); }
header { padding-top: clamp(1.75rem, 6vw, 3.5rem); }
footer { padding-top: 2.5rem; padding-bottom: 3rem; color: var(--soft); font-size: .875rem; }
h1, h2, h3, h4, h5, p, ul, dl, figure { margin: 0; }
h1 { font-size: clamp(1.6rem, 5vw, 2.2rem); line-height: 1.2; letter-spacing: -.015em; font-weight: 650; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 3.25rem 0 .25rem; font-weight: 650; }
h3 { font-size: 1rem; font-weight: 600; display: inline; }
h4 { font-size: 1rem; margin: 1.75rem 0 .5rem; font-weight: 650; }
h5 { font-size: .875rem; color: var(--soft); font-weight: 600; margin: 1.1rem 0 .2rem; }
h2 + .scroll, h2 + figure, h2 + p:not(.note) { margin-top: .75rem; }
.brand, .lead, .note, small, dt, caption, figcaption { color: var(--soft); font-size: .875rem; }
.brand { letter-spacing: .02em; margin-bottom: .35rem; }
.lead { font-size: 1rem; margin-top: .5rem; }
.note { max-width: 44rem; margin-bottom: 1rem; } .after { margin-top: .75rem; }
code, .id { font: .875em/1.4 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
bdi { unicode-bidi: isolate; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: .3rem; }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--card); padding: .5rem 1rem; z-index: 9; }
.skip:focus { top: .5rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin-top: 2rem; }
.tiles div { background: var(--card); border: 1px solid var(--rule); border-radius: .75rem; padding: .9rem 1rem; }
.tiles dd { margin: 0; font-size: 1.75rem; line-height: 1.25; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles .none { font-size: 1.1rem; font-weight: 500; color: var(--soft); }
.tiles small { display: block; line-height: 1.4; margin-top: .15rem; font-weight: 400; letter-spacing: 0; }
.chart { background: var(--card); border: 1px solid var(--rule); border-radius: .75rem; padding: 1rem; }
.plot { position: relative; height: 14rem; margin: var(--marks, 1.6rem) 0 0 3.25rem;
  border-bottom: 1px solid var(--soft); }
.plot svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.plot .area { fill: var(--fill); stroke: none; }
.plot .line { fill: none; stroke: var(--accent); stroke-width: 1.75; vector-effect: non-scaling-stroke;
  stroke-linejoin: round; }
.plot .grid { stroke: var(--rule); vector-effect: non-scaling-stroke; }
.plot .cut { stroke: var(--k-fail); stroke-dasharray: 3 3; vector-effect: non-scaling-stroke; }
.plot .y { position: absolute; left: -3.25rem; width: 2.8rem; text-align: right; transform: translateY(-50%);
  font-size: .75rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.mark { position: absolute; width: 1.4rem; height: 1.4rem; margin-left: -.7rem; border-radius: 1rem; text-align: center;
  font: 600 .75rem/1.4rem system-ui, sans-serif; background: var(--bad); color: var(--card); text-decoration: none; }
.step { position: absolute; white-space: nowrap; margin: 0 .4rem; transform: translateY(-100%);
  color: var(--ink); font-size: .75rem;
  text-shadow: 0 0 .2rem var(--card), 0 0 .2rem var(--card); font-variant-numeric: tabular-nums; pointer-events: none; }
.mark:hover { outline: 2px solid var(--focus); }
.cursor { position: absolute; top: 0; bottom: 0; width: 0; border-left: 1px solid var(--ink); pointer-events: none; }
.x { display: flex; justify-content: space-between; gap: .5rem; margin: .35rem 0 0 3.25rem; font-size: .75rem;
  color: var(--soft); }
.moment { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; margin: .6rem 0 0 3.25rem;
  font-size: .875rem; }
.moment input { flex: 1 1 9rem; min-width: 0; margin: 0; accent-color: var(--accent); }
.moment output { font-variant-numeric: tabular-nums; min-width: 15rem; }
details.one { background: var(--card); border: 1px solid var(--rule); border-radius: .75rem; margin-top: .75rem; }
details.one > summary { cursor: pointer; list-style: none; padding: .85rem 1rem; display: flex; flex-wrap: wrap;
  gap: .2rem .9rem; align-items: baseline; border-radius: .75rem; }
details.one > summary::-webkit-details-marker { display: none; }
details.one > summary::before { content: ""; width: .45rem; height: .45rem; border: solid var(--soft);
  border-width: 0 2px 2px 0; transform: rotate(-45deg) translateY(-.1rem); transition: transform .15s; }
details.one[open] > summary::before { transform: rotate(45deg) translateX(-.1rem); }
details.one > summary small { font-variant-numeric: tabular-nums; }
details.one > div { padding: 0 1rem 1.4rem; }
.pill { font-size: .8125rem; font-weight: 600; padding: .05rem .6rem; border-radius: 1rem; border: 1px solid;
  color: var(--soft); margin-left: auto; white-space: nowrap; }
.verified, .repaired { color: var(--good); } .missed { color: var(--bad); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem 1.5rem;
  border-top: 1px solid var(--rule); padding-top: 1rem; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; } .facts small { display: block; }
.share { display: flex; height: .7rem; gap: 2px; margin: .25rem 0 .5rem; }
.share i { min-width: 3px; border-radius: 2px; background: var(--k); }
.legend { display: flex; flex-wrap: wrap; gap: .15rem 1rem; padding: 0; list-style: none; font-size: .875rem; }
.legend li::before, .lines li::before { content: ""; display: inline-block; width: .6rem; height: .6rem;
  border-radius: 2px; background: var(--k); margin-right: .45rem; }
.lines { list-style: none; padding: 0; }
.lines li { position: relative; padding: .28rem .5rem .28rem 1.55rem; margin-left: -.5rem; border-radius: .4rem; }
.lines li::before { position: absolute; left: .5rem; top: .73rem; }
.lines small { display: block; }
.lines em { font-style: normal; font-weight: 600; font-size: .8125rem; color: var(--soft); margin-right: .3rem; }
.scroll { overflow-x: auto; border: 1px solid var(--rule); border-radius: .75rem; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .75rem 1rem 0; }
th, td { text-align: right; padding: .5rem .75rem; border-bottom: 1px solid var(--rule); white-space: nowrap;
  vertical-align: baseline; }
tr:last-child > * { border-bottom: 0; }
th { font-weight: 600; font-size: .8125rem; color: var(--soft); }
tbody th { font-size: inherit; color: var(--ink); font-weight: 500; }
th:first-child, td.text, th.text { text-align: left; }
thead th { white-space: normal; overflow-wrap: normal; vertical-align: bottom; }
.bar { width: 30%; min-width: 5rem; }
.bar i { display: block; height: .6rem; border-radius: 2px; background: var(--accent); min-width: 2px; }
.plain { font: inherit; font-size: .875rem; color: var(--accent); background: none; border: 1px solid var(--rule);
  border-radius: .5rem; padding: .35rem .8rem; cursor: pointer; }
[hidden] { display: none !important; }
@media (max-width: 30rem) {
  .plot, .x, .moment { margin-left: 2.5rem; } .plot .y { left: -2.5rem; width: 2.2rem; } .plot { height: 11rem; }
  .moment { margin-left: 0; } .pill { margin-left: 0; } .tiles { grid-template-columns: 1fr 1fr; }
  .tiles dd { font-size: 1.45rem; } th, td { padding: .5rem .6rem; }
  .mark { width: 1.2rem; height: 1.2rem; line-height: 1.2rem; margin-left: -.6rem; font-size: .6875rem; } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; scroll-behavior: auto !important; } }
@media print { .moment, .plain, .skip { display: none !important; } }
"""
SCRIPT = """
'use strict';
const all = (query, where = document) => [...where.querySelectorAll(query)];

// A link to a compaction opens it.
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.matches('details')) {
    target.open = true;
    target.scrollIntoView();
    target.querySelector('summary').focus({preventScroll: true});
  }
}
addEventListener('hashchange', openTarget);
openTarget();
for (const button of all('[data-open]')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const ones = all('details.one'), open = ones.some(one => !one.open);
    ones.forEach(one => { one.open = open; });
    button.textContent = open ? 'Close all' : 'Open all';
  });
}

// The chart: a slider and the pointer move the cursor.
for (const chart of all('.chart[data-points]')) {
  const points = JSON.parse(chart.dataset.points), plot = chart.querySelector('.plot');
  const slider = chart.querySelector('input'), told = chart.querySelector('output');
  const cursor = plot.appendChild(document.createElement('div'));
  cursor.className = 'cursor';
  function show(index) {
    const [x, seconds, tokens] = points[index];
    cursor.style.left = x / 10 + '%';
    slider.value = index;
    const when = new Date(seconds * 1000), month = when.toLocaleString('en-US', {month: 'short'});
    const parts = [when.getHours(), when.getMinutes(), when.getSeconds()].map(part => String(part).padStart(2, '0'));
    const clock = parts.slice(0, 'seconds' in chart.dataset ? 3 : 2).join(':');
    const day = `${when.getDate()} ${month} ${when.getFullYear()}`;
    told.value = `${day}, ${clock} \\u00b7 ${tokens.toLocaleString('en')} tokens`;
    slider.setAttribute('aria-valuetext', told.value);
  }
  slider.max = points.length - 1;
  slider.addEventListener('input', () => show(+slider.value));
  plot.addEventListener('pointermove', event => {
    const box = plot.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * 1000;
    let best = 0;
    points.forEach((point, index) => { if (Math.abs(point[0] - x) < Math.abs(points[best][0] - x)) best = index; });
    show(best);
  });
  chart.querySelector('.moment').hidden = false;
  show(points.length - 1);
}

// A table that is wider than its box says so.
function tellWidth() {
  for (const box of all('.scroll')) box.nextElementSibling.hidden = box.scrollWidth <= box.clientWidth;
}
addEventListener('resize', tellWidth);
addEventListener('toggle', tellWidth, true);

tellWidth();
"""
