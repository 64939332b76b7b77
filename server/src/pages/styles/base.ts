/** The page: one column, a card on its ground, on a phone the card is the ground. Sizes in rem, so text can grow. */
export const base = `
*, *::before, *::after { box-sizing: border-box; }
html {
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.55 var(--sans);
  -webkit-text-size-adjust: 100%;
  text-size-adjust: 100%;
}
body { margin: 0; }
.page {
  display: flex;
  flex-direction: column;
  min-height: 100vh;
  min-height: 100svh;
  max-width: 28rem;
  margin: 0 auto;
  padding: clamp(1.5rem, 8vh, 6rem) 1rem 1.5rem;
}
.page-wide { max-width: 46rem; padding-top: clamp(1.5rem, 5vh, 3rem); }
.top { margin-bottom: 1.5rem; padding: 0 .25rem; }
.wordmark {
  display: flex;
  align-items: center;
  gap: .625rem;
  margin: 0;
  font-size: 1.1875rem;
  font-weight: 650;
  letter-spacing: -.01em;
}
.mark { flex: none; overflow: visible; }
.tile { fill: var(--accent); }
.tile-set { fill: var(--clay); }
.card {
  padding: 2rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: var(--radius);
  box-shadow: var(--shadow);
}
.card > :first-child { margin-top: 0; }
.card > :last-child { margin-bottom: 0; }
h1, h2, p, dd, li, legend, label, .button { overflow-wrap: anywhere; }
h1 {
  margin: 0 0 .625rem;
  font-size: 1.625rem;
  font-weight: 650;
  line-height: 1.22;
  letter-spacing: -.018em;
  text-wrap: balance;
}
h2 { margin: 1.75rem 0 .75rem; font-size: 1rem; font-weight: 600; }
p { margin: 0 0 1rem; }
.lead { color: var(--ink-soft); }
.name { font-weight: 600; }
.lead .name, .account .name, .note .name { color: var(--ink); }
.account { color: var(--ink-soft); }
h1 .name, h2 .name, .button .name { font-weight: inherit; }
.note { margin-top: 1.5rem; color: var(--ink-soft); font-size: .9375rem; }
.note p { margin: 0 0 .5rem; }
.note p:last-child { margin-bottom: 0; }
a {
  color: var(--accent);
  text-decoration: underline;
  text-decoration-thickness: 1px;
  text-underline-offset: .2em;
}
a:hover { color: var(--accent-strong); text-decoration-thickness: 2px; }
.note a { display: inline-block; padding: .125rem 0; }
code { font-family: var(--mono); font-size: .875em; overflow-wrap: anywhere; }
.bottom {
  margin-top: auto;
  padding: 1.5rem .25rem 0;
  color: var(--ink-soft);
  font-size: .8125rem;
}
.bottom p { margin: 0; }
.request-id { font-size: .9375em; user-select: all; -webkit-user-select: all; }
:focus { outline: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) {
  html { background: var(--card); }
  .page { padding: 1.25rem 1.25rem 1.25rem; }
  .top { padding: 0; margin-bottom: 2rem; }
  .bottom { padding-left: 0; padding-right: 0; }
  .card { padding: 0; background: none; border: 0; border-radius: 0; box-shadow: none; }
}
@media (prefers-contrast: more) {
  :root { --ink-soft: var(--ink); --line: var(--edge); }
}
@media (forced-colors: active) {
  .tile, .tile-set { fill: CanvasText; }
  :focus-visible { outline-color: Highlight; }
}
@media (prefers-reduced-motion: no-preference) {
  .button, .field input, .choice { transition: background-color .12s, border-color .12s, box-shadow .12s; }
}
@media print {
  html { background: none; }
  .card { border: 0; box-shadow: none; padding: 0; }
  form { display: none; }
}
`
