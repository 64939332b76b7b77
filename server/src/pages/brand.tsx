import type { Branding } from '../protocol/branding.ts'
import { withoutDeceiving } from '../protocol/characters.ts'
import type { Locale } from './locale.ts'
import { messagesFor } from './messages/index.ts'
import { webAddress } from './web-address.ts'

/** Four tiles of a mosaic, one of them just being set. Colours come from classes: the CSP allows no styles. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true" focusable="false">
      <rect class="tile" x="1" y="1" width="10" height="10" rx="2" />
      <rect class="tile" x="1" y="13" width="10" height="10" rx="2" />
      <rect class="tile" x="13" y="13" width="10" height="10" rx="2" />
      <rect
        class="tile-set"
        x="14.2"
        y="1.2"
        width="8.4"
        height="8.4"
        rx="1.8"
        transform="rotate(14 18.4 5.4)"
      />
    </svg>
  )
}

function Wordmark() {
  return (
    <p class="wordmark">
      <Mark />
      <span translate="no">Tessera</span>
    </p>
  )
}

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">' +
  '<g fill="#1f5f58"><rect x="1" y="1" width="10" height="10" rx="2"/><rect x="1" y="13" width="10" height="10" rx="2"/>' +
  '<rect x="13" y="13" width="10" height="10" rx="2"/></g>' +
  '<rect x="14.2" y="1.2" width="8.4" height="8.4" rx="1.8" fill="#d0693f" transform="rotate(14 18.4 5.4)"/></svg>'

/** The icon stands in the page itself, so that a browser never asks for /favicon.ico. */
export const faviconHref = `data:image/svg+xml,${encodeURIComponent(icon)}`

/** What stands at the top: the logo, else the name, else ours. */
export function BrandMark({ name, logo, logo_dark: dark }: Branding) {
  const shown = logo ?? dark
  if (shown === undefined && name === undefined) return <Wordmark />
  return (
    <p class="wordmark">
      {shown === undefined ? (
        <bdi translate="no">{withoutDeceiving(name ?? '')}</bdi>
      ) : (
        <picture>
          {dark && <source srcset={dark} media="(prefers-color-scheme: dark)" />}
          <img class="logo" src={shown} alt={withoutDeceiving(name ?? 'Tessera')} />
        </picture>
      )}
    </p>
  )
}

/** The logo of an application, or the picture of a person, beside their name; nothing where there is none. */
export const Picture = ({ of, round }: { of: string | undefined; round?: boolean }) =>
  of === undefined ? null : <img class={round ? 'picture picture-round' : 'picture'} src={of} alt="" />

/** Its links, on every page of it. */
export function BrandLinks({ locale, brand }: { locale: Locale; brand: Branding }) {
  const { help, privacy, terms } = messagesFor(locale).common
  const links = [
    [help, webAddress(brand.help_uri)],
    [privacy, webAddress(brand.policy_uri)],
    [terms, webAddress(brand.tos_uri)],
  ] as const
  if (links.every(([, address]) => address === undefined)) return null
  return (
    <p class="links">
      {links.map(
        ([text, address]) =>
          address && (
            <a href={address.href} rel="noreferrer">
              {text}
            </a>
          ),
      )}
    </p>
  )
}
