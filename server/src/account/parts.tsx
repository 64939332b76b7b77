import type { Locale } from '../pages/locale.ts'
import { messagesFor } from '../pages/messages/index.ts'

/** The way back to the overview. */
export function BackToAccount({ locale }: { locale: Locale }) {
  return (
    <p class="back">
      <a href="/account">{messagesFor(locale).account.title}</a>
    </p>
  )
}

/** What the form before did. */
export function Done({ done, words }: { done: string | undefined; words: Readonly<Record<string, string>> }) {
  if (done === undefined || !Object.hasOwn(words, done)) return null
  return <p role="status">{words[done]}</p>
}

/** A time as people of a language and a time zone write it. */
export const moment = (locale: Locale, timeZone: string, at: number): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at)
