/** Fields, buttons and alerts. Every target is 44 pixels high or more; 16 pixels of text keep iOS from zooming. */
export const controls = `
form { margin: 1.5rem 0 0; }
.field { margin: 0 0 1.25rem; }
.field label { display: block; margin-bottom: .375rem; font-size: .9375rem; font-weight: 600; }
.hint { margin: 0 0 .375rem; color: var(--ink-soft); font-size: .9375rem; }
.field input {
  display: block;
  width: 100%;
  min-height: 3rem;
  padding: .625rem .875rem;
  font: inherit;
  color: var(--ink);
  background: var(--card);
  border: 1px solid var(--edge);
  border-radius: var(--radius-small);
}
.field input:hover { border-color: var(--ink-soft); }
.field input:focus-visible { outline-offset: -1px; border-color: var(--accent); }
.field input[aria-invalid="true"] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.field input:autofill {
  -webkit-text-fill-color: var(--ink);
  box-shadow: inset 0 0 0 99px var(--accent-soft);
}
.alert, .field-error { display: flex; gap: .5rem; color: var(--bad); }
.field-error { margin: 0 0 .5rem; font-size: .9375rem; font-weight: 500; }
.alert {
  margin: 1.25rem 0 0;
  padding: .8125rem .9375rem;
  background: var(--bad-soft);
  border: 1px solid var(--bad-line);
  border-radius: var(--radius-small);
}
.alert p { margin: 0; min-width: 0; color: var(--ink); overflow-wrap: anywhere; }
.alert:focus { outline: 3px solid var(--bad); outline-offset: 2px; }
.error-icon { flex: none; margin-top: .125rem; }
.actions { display: flex; flex-direction: column; gap: .625rem; margin-top: 1.75rem; }
.button {
  display: block;
  width: 100%;
  min-height: 3rem;
  padding: .6875rem 1.25rem;
  font: inherit;
  font-weight: 600;
  text-align: center;
  cursor: pointer;
  border: 1px solid transparent;
  border-radius: var(--radius-small);
}
.button-primary { color: var(--accent-ink); background: var(--accent); }
.button-primary:hover { background: var(--accent-strong); }
.button-primary:active { box-shadow: inset 0 2px 4px rgb(0 0 0 / .2); }
.button-secondary { color: var(--ink); background: var(--card); border-color: var(--edge); }
.button-secondary:hover { background: var(--accent-soft); border-color: var(--accent); }
.button-quiet { color: var(--accent); background: none; }
.button-quiet:hover { background: var(--accent-soft); }
@media (min-width: 30.01rem) {
  .actions-equal { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
@media (forced-colors: active) {
  .button { border-color: ButtonText; }
  .field input[aria-invalid="true"] { border-width: 3px; }
  .alert { border-width: 2px; }
}
`
