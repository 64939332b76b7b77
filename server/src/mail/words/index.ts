import type { Locale } from '../../pages/locale.ts'
import type { MailWords } from '../kinds.ts'
import { de } from './de.ts'
import { en } from './en.ts'

const byLocale: Readonly<Partial<Record<Locale, MailWords>>> = { en, de }

/** The words of mails in a language of the pages, or in English. */
export function mailWordsIn(locale: Locale): { locale: Locale; words: MailWords } {
  const words = byLocale[locale]
  return words === undefined ? { locale: 'en', words: en } : { locale, words }
}
