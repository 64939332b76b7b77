import { type CSSProperties, useEffect, useRef, useState } from 'react'
import { useLanguage, useWords } from '../messages/messages.tsx'
import { Mark } from '../shared/icons.tsx'
import { Name } from '../shared/text.tsx'
import { useAccent } from './accent.ts'
import { contrastOf } from './contrast.ts'
import type { Editable } from './fields.tsx'

/** The page of a sign-in in small, from the tokens of the pages and the colours that the service makes. */
export function Preview({ of: branding }: { of: Editable }) {
  const { looks } = useWords()
  const colours = useAccent(branding.accent_color)
  return (
    <section className="card looks" aria-label={looks.preview}>
      <h2>{looks.preview}</h2>
      <p className="soft">{looks.previewHow}</p>
      {colours === null && <p className="wrong">{looks.unreadable}</p>}
      <Page of={branding} look="day" colours={colours?.day} />
      <Page of={branding} look="night" colours={colours?.night} />
    </section>
  )
}

function Page({
  of: branding,
  look,
  colours,
}: {
  of: Editable
  look: 'day' | 'night'
  /** None: those of the product. */
  colours: Readonly<Record<string, string>> | undefined
}) {
  const { looks } = useWords()
  const { name, logo, logo_dark: dark, help_uri: help, policy_uri: privacy, tos_uri: terms } = branding
  const title = look === 'day' ? looks.byDay : looks.byNight
  const page = useRef<HTMLDivElement>(null)
  const links = [
    help && looks.labels.help_uri,
    privacy && looks.labels.policy_uri,
    terms && looks.labels.tos_uri,
  ]
  return (
    <figure>
      <div
        ref={page}
        role="img"
        aria-label={looks.page(title)}
        className={`page by-${look}`}
        style={colours as CSSProperties | undefined}
      >
        <p className="page-brand">
          {name ? (
            <Name>{name}</Name>
          ) : (
            <>
              <Mark />
              <span translate="no">Tessera</span>
            </>
          )}
        </p>
        <div className="page-card">
          <strong>{looks.heading}</strong>
          <span className="page-soft">{looks.to}</span>
          <b>{looks.email}</b>
          <i />
          <b>{looks.password}</b>
          <i />
          <span className="page-button">{looks.heading}</span>
        </div>
        <p className="page-links">{links.map((text) => text && <span key={text}>{text}</span>)}</p>
      </div>
      <figcaption className="soft">
        {title}. <Contrast page={page} colours={colours} />
        {(logo ?? (look === 'night' ? dark : null)) && ` ${looks.logoLater}`}
      </figcaption>
    </figure>
  )
}

/** The contrast of what is shown: the least of a link on card and ground, and of the button's text. */
function Contrast({
  page,
  colours,
}: {
  page: { readonly current: HTMLElement | null }
  colours: Readonly<Record<string, string>> | undefined
}) {
  const { looks } = useWords()
  const language = useLanguage()
  const [measured, setMeasured] = useState<readonly [number, number]>()
  useEffect(() => {
    if (page.current === null) return
    const style = getComputedStyle(page.current)
    const colour = (name: string) => style.getPropertyValue(name).trim()
    const accent = colour('--accent')
    const links = ['--card', '--ground'].map((behind) => contrastOf(accent, colour(behind)))
    setMeasured([Math.min(...links), contrastOf(accent, colour('--accent-ink'))])
  }, [page, colours])
  if (measured === undefined) return null
  // Rounded down: what is too little never reads like enough.
  const [links, button] = measured.map((one) => (Math.floor(one * 10) / 10).toLocaleString(language))
  return `${looks.contrast(links ?? '', button ?? '')}.`
}
