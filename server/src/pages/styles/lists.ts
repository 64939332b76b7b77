/** Profiles to choose from, scopes to consent to, details of an error. */
export const lists = `
fieldset { min-width: 0; margin: 0; padding: 0; border: 0; }
legend { padding: 0; margin-bottom: .625rem; font-size: .9375rem; font-weight: 600; }
.choice-list { display: grid; gap: .625rem; }
.choice {
  display: flex;
  align-items: center;
  gap: .875rem;
  min-height: 3.75rem;
  min-width: 0;
  padding: .75rem 1rem;
  background: var(--card);
  border: 1px solid var(--edge);
  border-radius: var(--radius-small);
  cursor: pointer;
}
.choice:hover { border-color: var(--accent); background: var(--accent-soft); }
.choice:has(:checked) {
  border-color: var(--accent);
  background: var(--accent-soft);
  box-shadow: inset 0 0 0 1px var(--accent);
}
.choice input {
  flex: none;
  width: 1.5rem;
  height: 1.5rem;
  margin: 0;
  accent-color: var(--accent);
  cursor: pointer;
  /* The button takes the focus, its card has to be seen. */
  scroll-margin: 3.5rem;
}
.choice:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.choice:has(:focus-visible) input { outline: none; }
.choice-text { display: grid; min-width: 0; line-height: 1.4; }
.choice-name { font-weight: 600; }
.choice-place { color: var(--ink-soft); font-size: .9375rem; }
.scopes { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
.scopes li { display: grid; gap: .125rem; padding: .6875rem 0; border-bottom: 1px solid var(--line); }
.scopes strong, .scopes code { font-weight: 600; }
.scopes span { color: var(--ink-soft); font-size: .9375rem; }
.technical { margin-top: 1.75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.technical h2 { margin: 0 0 .75rem; }
.technical dl { display: grid; gap: .75rem; margin: 0; font-size: .9375rem; }
.technical dt { color: var(--ink-soft); }
.technical dd { margin: 0; }
.technical dd code { display: inline-block; padding: .0625rem .375rem; background: var(--code); border-radius: 5px; }
@media (min-width: 40rem) {
  .page-wide .choice-list { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .page-wide .actions { flex-direction: row; flex-wrap: wrap; }
  .page-wide .button { width: auto; }
}
/* A long list keeps its button in sight where there is height enough, and what has the focus above it. */
@media (min-height: 34rem) {
  html:has(.page-wide) { scroll-padding-bottom: 7rem; }
}
@media (min-height: 34rem) and (min-width: 40rem) {
  .page-wide .actions-sticky {
    position: sticky;
    bottom: 0;
    margin-bottom: -1rem;
    padding: 1rem 0;
    background: var(--card);
    border-top: 1px solid var(--line);
  }
}
@media (min-height: 34rem) and (max-width: 39.99rem) {
  .page-wide form { display: flex; flex-direction: column; gap: .625rem; }
  .page-wide .actions-sticky { display: contents; }
  .page-wide .button-primary {
    position: sticky;
    bottom: .75rem;
    margin: .75rem 0 .25rem;
    box-shadow: 0 -.75rem 0 var(--card), 0 .75rem 0 var(--card);
  }
}
@media (forced-colors: active) {
  .choice:has(:checked) { border-width: 3px; }
  .choice:has(:focus-visible) { outline-color: Highlight; }
}
`
