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

/** The way back to the factors, where a form of theirs goes. */
export function BackToFactors({ locale, action }: { locale: Locale; action: string }) {
  return (
    <p class="note">
      <a href={action}>{messagesFor(locale).accountSignIn.back}</a>
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

export interface Option {
  value: string
  text: string
}

interface SelectProps {
  name: string
  label: string
  value: string
  options: readonly Option[]
}

/** One of a list. What is chosen now stays to be chosen, also where the list lacks it. */
export function Select({ name, label, value, options }: SelectProps) {
  const all = options.some((one) => one.value === value) ? options : [{ value, text: value }, ...options]
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {all.map((one) => (
          <option value={one.value} selected={one.value === value}>
            {one.text}
          </option>
        ))}
      </select>
    </div>
  )
}
