import { de } from './de.ts'
import { en, type Messages } from './en.ts'

export const locales = ['en', 'de'] as const
export type Locale = (typeof locales)[number]

const byLocale: Readonly<Record<Locale, Messages>> = { en, de }

export function messagesFor(locale: Locale): Messages {
  return byLocale[locale]
}

/** What stands under a name that others chose; undefined where there is nothing. */
export const entryOf = <T>(entries: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(entries, name) ? entries[name] : undefined
