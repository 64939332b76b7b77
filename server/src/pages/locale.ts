import type { Branding } from '../protocol/branding.ts'
import { type Locale, locales } from './messages/index.ts'
import { webAddress } from './web-address.ts'

export type { Locale }

/** An address of ours, with its query. */
export type Path = `/${string}`

/** What every page is given. */
export interface PageProps {
  locale: Locale
  requestId: string
  /** A path of ours, where the language switch returns to. Undefined: the page is shown once, and has none. */
  here?: Path | undefined
  /** How the pages look; undefined: as the product. */
  brand?: Branding | undefined
  /** The application that somebody comes from. */
  application?: { name: string; address: string | undefined } | undefined
}

/** The cookie of the language switch. It protects nothing, so it has the same name on https. */
export const languageCookie = 'tessera-language'

export interface LocaleWishes {
  /** The authorization request's `ui_locales`: BCP 47 tags, separated by spaces, best first. */
  uiLocales?: string | undefined
  /** What the user has set in their account. */
  userLocale?: string | null | undefined
  /** The Accept-Language header. */
  acceptLanguage?: string | undefined
}

const fallback: Locale = 'en'

// Anyone can send these headers. The rest of a longer one is ignored, so that reading it stays cheap.
const longestInput = 1_000
const mostTags = 32

/** What was chosen by the switch in this browser. */
function switchedTo(cookies: string | undefined): Locale | undefined {
  const chosen = /(?:^|;\s*)tessera-language=([a-z]{2})(?:;|$)/.exec(cookies ?? '')?.[1]
  return locales.find((locale) => locale === chosen)
}

/** The part of a client that its link needs. */
interface Known {
  client_name: string
  client_uri: string | null
}

const placeOf = (client: Known | undefined): PageProps['application'] =>
  client && { name: client.client_name, address: webAddress(client.client_uri)?.href }

/** The part of a request that its page needs. */
interface PageRequest {
  id: string
  url: string
  headers: { cookie?: string | undefined; 'accept-language'?: string | undefined }
}

/** What was chosen for a request holds for all that it shows, an error at its end as well. */
const remembered = new WeakMap<object, Pick<PageProps, 'locale' | 'application'>>()

/** What a page is made for: whose language it has, the application that somebody comes from, and where it is. */
export interface PageWishes extends Omit<LocaleWishes, 'acceptLanguage'>, Pick<PageProps, 'here'> {
  client?: Known | undefined
}

/**
 * What every page is given: in the language of the switch, then as `chooseLocale` says. `here`: where the browser returns
 * to after the switch.
 */
export function pageOf(
  request: PageRequest,
  { here = pathOf(request.url), client, ...wishes }: PageWishes = {},
): PageProps {
  const { cookie, 'accept-language': acceptLanguage } = request.headers
  const before = remembered.get(request)
  const locale = switchedTo(cookie) ?? before?.locale ?? chooseLocale({ ...wishes, acceptLanguage })
  const application = placeOf(client) ?? before?.application
  remembered.set(request, { locale, application })
  return { locale, requestId: request.id, here, application }
}

/** Undefined: a target that names a host, or that a browser would take for one. */
const pathOf = (url: string): Path | undefined =>
  url.startsWith('/') && !url.startsWith('//') ? `/${url.slice(1)}` : undefined

/** What the request asks for, then what the user has set, then what the browser says, then English. */
export function chooseLocale(wishes: LocaleWishes): Locale {
  return (
    firstSupported(words(wishes.uiLocales, ' ')) ??
    firstSupported(words(wishes.userLocale, ' ')) ??
    firstSupported(byQuality(words(wishes.acceptLanguage, ','))) ??
    fallback
  )
}

function words(input: string | null | undefined, separator: string): string[] {
  if (!input) return []
  return input
    .slice(0, longestInput)
    .split(separator, mostTags)
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** `de-AT` and `de_AT` mean German: the first subtag is the language. `*` accepts any. */
function firstSupported(tags: readonly string[]): Locale | undefined {
  for (const tag of tags) {
    if (tag === '*') return fallback
    const language = tag.split(/[-_]/, 1)[0]?.toLowerCase()
    const found = locales.find((locale) => locale === language)
    if (found) return found
  }
  return undefined
}

/** Best first (RFC 9110 §12.4.2): no weight means 1, and zero means "not this one". */
function byQuality(ranges: readonly string[]): string[] {
  return ranges
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';', 4).map((part) => part.trim())
      return { tag, quality: qualityOf(parameters) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}

function qualityOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q=/i.test(parameter))
  if (weight === undefined) return 1
  const value = weight.slice(2)
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? Number(value) : 0
}
