import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLanguage, useWords } from '../messages/messages.tsx'

/** A name that somebody chose: never translated, and its direction stays its own. */
export const Name = ({ children }: { children: string }) => <bdi translate="no">{children}</bdi>

/** A thing of a list: the link to it by its name, and its code below. */
export function Coded({ code, children }: { code: string; children: ReactNode }) {
  return (
    <>
      {children}
      <br />
      <code className="soft" translate="no">
        {code}
      </code>
    </>
  )
}

/** An exact time, in the reader's zone. */
export function Time({ at }: { at: string }) {
  const written = useTimeWriter()
  return (
    <time dateTime={at} title={at}>
      {written(at)}
    </time>
  )
}

/** A day, which is the same in every zone. */
export function Day({ on }: { on: string }) {
  const format = new Intl.DateTimeFormat(useLanguage(), { dateStyle: 'medium', timeZone: 'UTC' })
  return <time dateTime={on}>{format.format(new Date(on))}</time>
}

/** How long ago a time was; the exact one stays beside it. */
export function Ago({ at }: { at: string }) {
  const language = useLanguage()
  const exact = useTimeWriter()
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const minutes = Math.max(0, Math.trunc((Date.now() - Date.parse(at)) / 60_000))
  const [unit, size] = spans.find(([, size]) => minutes >= size) ?? (['minute', 1] as const)
  return (
    <time dateTime={at} title={exact(at)}>
      {format.format(-Math.trunc(minutes / size), unit)}
    </time>
  )
}

/** Spans in minutes. */
const spans = [
  ['year', 525_600],
  ['month', 43_200],
  ['day', 1440],
  ['hour', 60],
] as const

export function useTimeWriter(): (at: string) => string {
  const language = useLanguage()
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  return (at) => format.format(new Date(at))
}

/** A value that is needed elsewhere, with a button that copies it. */
export function CopyRow({ label, value }: { label: string; value: string }) {
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd className="copy-row">
        <code translate="no">{value}</code>
        <Copy label={label} value={value} />
      </dd>
    </div>
  )
}

export function Copy({ label, value }: { label: string; value: string }) {
  const words = useWords()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    const timer = copied ? setTimeout(() => setCopied(false), 2000) : undefined
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <button
      type="button"
      className="quiet"
      aria-label={`${words.copy}: ${label}`}
      onClick={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}
    >
      <span aria-live="polite">{copied ? words.copied : words.copy}</span>
    </button>
  )
}

export function Badge({ tone, children }: { tone: 'good' | 'bad' | 'warn' | 'plain'; children: string }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

/** The heading of a view takes the focus, so that a screen reader tells where one is. */
export function Heading({ children, ...more }: { children: string; title?: string }) {
  const element = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${more.title ?? children} – Tessera`
    element.current?.focus({ preventScroll: true })
  }, [children, more.title])
  return (
    <h1 ref={element} tabIndex={-1}>
      <Name>{children}</Name>
    </h1>
  )
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
