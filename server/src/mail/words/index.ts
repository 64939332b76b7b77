import type { Locale } from '../../pages/locale.ts'
import type { MailWords } from '../kinds.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'

/** The words of mails in every language of the pages. */
export const mailWords: Readonly<Record<Locale, MailWords>> = { en, de, fr, es, it, nl, pl }
