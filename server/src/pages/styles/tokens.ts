/**
 * Colours by role, once for light and once for dark. Text on its ground is 4.5:1 or better, edges of controls
 * 3:1 or better (WCAG 2.2, 1.4.3 and 1.4.11); the tests measure it.
 */
export const tokens = `
:root {
  color-scheme: light dark;
  --ground: #f5f3ee;
  --card: #ffffff;
  --ink: #1d211f;
  --ink-soft: #565d59;
  --line: #e3dfd6;
  --edge: #858b86;
  --accent: #1f5f58;
  --accent-strong: #174a44;
  --accent-ink: #ffffff;
  --accent-soft: #eaf3f1;
  --clay: #d0693f;
  --bad: #a32317;
  --bad-soft: #fdf1ef;
  --bad-line: #eec3bd;
  --code: #f3f1ec;
  --shadow: 0 1px 2px rgb(40 36 28 / .05), 0 12px 32px -12px rgb(40 36 28 / .14);
  --radius: 14px;
  --radius-small: 9px;
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Open Sans", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121514;
    --card: #1a1e1d;
    --ink: #eceeec;
    --ink-soft: #a5ada9;
    --line: #2e3432;
    --edge: #7a837f;
    --accent: #7fcdc1;
    --accent-strong: #a0ddd3;
    --accent-ink: #0d1f1c;
    --accent-soft: #1d302d;
    --clay: #e08a5f;
    --bad: #ff9d90;
    --bad-soft: #2e1c1a;
    --bad-line: #6b332c;
    --code: #232827;
    --shadow: 0 1px 2px rgb(0 0 0 / .3), 0 12px 32px -12px rgb(0 0 0 / .5);
  }
}
`
