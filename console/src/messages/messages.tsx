/** The words of the console, one file per language, loaded when it is chosen. */
import { createContext, type ReactNode, use, useMemo } from 'react'
import type { Messages } from './en.ts'

export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const key = 'tessera-console-language'
const isLanguage = (text: string | null | undefined): text is Language =>
  text !== null && text !== undefined && Object.hasOwn(languages, text)

export function chosenLanguage(): Language {
  const kept = localStorage.getItem(key)
  if (isLanguage(kept)) return kept
  return navigator.languages.map((one) => one.slice(0, 2)).find(isLanguage) ?? 'en'
}

/** The page starts anew in it: it is chosen once. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(key, language)
  location.reload()
}

export async function loadMessages(language: Language): Promise<Messages> {
  return language === 'de' ? (await import('./de.ts')).de : (await import('./en.ts')).en
}

interface Words {
  language: Language
  words: Messages
}

const Context = createContext<Words | undefined>(undefined)

export function Speaking({ language, words, children }: Words & { children: ReactNode }) {
  const value = useMemo(() => ({ language, words }), [language, words])
  return <Context value={value}>{children}</Context>
}

function useSpeaking(): Words {
  const value = use(Context)
  if (value === undefined) throw new Error('No messages around this.')
  return value
}

export const useWords = (): Messages => useSpeaking().words
export const useLanguage = (): Language => useSpeaking().language
