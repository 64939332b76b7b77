import { de } from './de.ts'
import { en } from './en.ts'

/** English is the original; the compiler holds every other language to its keys and parameters. */
export type Messages = typeof en

export const locales = ['en', 'de'] as const
export type Locale = (typeof locales)[number]

const byLocale: Readonly<Record<Locale, Messages>> = { en, de }

export function messagesFor(locale: Locale): Messages {
  return byLocale[locale]
}
