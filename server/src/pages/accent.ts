import { accentColours, accentProblem } from '../protocol/branding.ts'

/** The address of the style sheet of an accent colour; the policy of pages allows no styles in them. */
export const accentPath = (accent: string) => `/assets/accent/${accent.slice(1).toLowerCase()}.css`

/** The style sheet at such an address, which never changes; undefined: there is none of that name. */
export function accentSheet(file: string): string | undefined {
  const accent = `#${file.replace(/\.css$/, '')}`
  if (!file.endsWith('.css') || accentProblem(accent) !== undefined) return undefined
  const { day, night } = accentColours(accent)
  return `:root{${rules(day)}}@media (prefers-color-scheme:dark){:root{${rules(night)}}}`
}

const rules = (colours: ReturnType<typeof accentColours>['day']) =>
  `--accent:${colours.accent};--accent-strong:${colours.strong};--accent-soft:${colours.soft};--accent-ink:${colours.ink}`
