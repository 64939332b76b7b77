import { de } from './de.ts'
import { en, type Messages } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'

/** The name of each language in itself, in the order of the switch. */
export const languageNames = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  nl: 'Nederlands',
  pl: 'Polski',
} as const
export type Locale = keyof typeof languageNames
export const locales = Object.keys(languageNames) as readonly Locale[]

const byLocale: Readonly<Record<Locale, Messages>> = { en, de, fr, es, it, nl, pl }

export function messagesFor(locale: Locale): Messages {
  return byLocale[locale]
}

/** What stands under a name that others chose; undefined where there is nothing. */
export const entryOf = <T>(entries: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(entries, name) ? entries[name] : undefined
