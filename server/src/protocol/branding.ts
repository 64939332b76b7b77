/** How the installation or an organisation looks to people: what may be set, and which colours can be read. */

/** What is left out is not set. */
export type Branding = {
  name?: string | undefined
  /** `#rrggbb`. */
  /** Addresses of pictures, by day and by night. */
  logo?: string | undefined
  logo_dark?: string | undefined
  accent_color?: string | undefined
  help_uri?: string | undefined
  policy_uri?: string | undefined
  tos_uri?: string | undefined
}

/** The contrast of text to what is behind it (WCAG 2.2, 1.4.3). */
const leastContrast = 4.5

/** The card and the ground of a page, by day and by night; see `tokens.css`. */
const day = { card: '#ffffff', ground: '#f5f3ee', ink: '#ffffff' }
const night = { card: '#1a1e1d', ground: '#121514', ink: '#0d1f1c' }

const colour = /^#[0-9a-f]{6}$/i

/** What is wrong with an accent colour; it is written on the page, and written on. */
export function accentProblem(accent: string): string | undefined {
  if (!colour.test(accent)) return 'is no colour such as #1f5f58'
  const worst = Math.min(...behind(accent, day).map((one) => contrastOf(accent, one)))
  if (worst >= leastContrast) return undefined
  // Rounded down: what is refused never reads like what is enough.
  const shown = (Math.floor(worst * 100) / 100).toFixed(2)
  return `has a contrast of ${shown}:1 to the page, and needs ${leastContrast}:1: take a darker one`
}

/** The colours of a page by role. At night it is made as much lighter as it has to be. */
export function accentColours(accent: string) {
  const light = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    .map((tenth) => mixed(accent, '#ffffff', tenth / 10))
    .find((one) => [...behind(one, night), night.ink].every((back) => contrastOf(one, back) >= leastContrast))
  const atNight = light ?? '#ffffff'
  return {
    day: { accent, strong: mixed(accent, '#000000', 0.2), soft: mixed(accent, day.card, 0.92), ink: day.ink },
    night: {
      accent: atNight,
      strong: mixed(atNight, '#ffffff', 0.3),
      soft: mixed(atNight, night.card, 0.92),
      ink: night.ink,
    },
  }
}

const behind = (accent: string, { card, ground }: typeof day) => [card, ground, mixed(accent, card, 0.92)]

/** The contrast of two colours, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrastOf(one: string, other: string): number {
  const [brighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (brighter + 0.05) / (darker + 0.05)
}

const channels = (of: string) => [1, 3, 5].map((at) => Number.parseInt(of.slice(at, at + 2), 16))

function luminance(of: string): number {
  const [red = 0, green = 0, blue = 0] = channels(of).map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** `share` of the other one, from 0 to 1. */
function mixed(one: string, other: string, share: number): string {
  const others = channels(other)
  const parts = channels(one).map((part, index) =>
    Math.round(part * (1 - share) + (others[index] ?? 0) * share),
  )
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** What an authenticator app calls an account's issuer, where a colon would end it. */
export const labelIssuer = (brand: Branding = {}) => brand.name?.replaceAll(':', ' ') ?? 'Tessera'

/** The column's JSON, where null is as good as nothing. */
export const brandingOf = (text: string | null): Branding | undefined =>
  text === null ? undefined : (JSON.parse(text, (_, value: unknown) => value ?? undefined) as Branding)

/** What a merge patch makes of it (RFC 7396); null where nothing is set. */
export function mergedBranding(before: string | null, patch: string | null): string | null {
  if (patch === null) return null
  const merged = { ...brandingOf(before), ...(JSON.parse(patch) as Branding) }
  const { name, logo, logo_dark, accent_color, help_uri, policy_uri, tos_uri } =
    brandingOf(JSON.stringify(merged)) ?? {}
  const text = JSON.stringify({ name, logo, logo_dark, accent_color, help_uri, policy_uri, tos_uri })
  return text === '{}' ? null : text
}
