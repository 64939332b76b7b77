import { details } from './en-errors.ts'
import { type Locale, messagesFor } from './index.ts'

/** A name in braces stands for what a sentence names. */
const slot = /\{(\w+)\}/g

const patterns = Object.entries(details).map(([key, sentence]) => {
  const text = sentence.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(slot, '(?<$1>.+)')
  return { key: key as keyof typeof details, pattern: new RegExp(`^${text}$`, 's') }
})

/**
 * What the protocol says of a refusal, in the language of a page. Undefined: there is no translation, and the words of
 * its code stand alone.
 */
export function errorDetail(locale: Locale, description: string): string | undefined {
  if (locale === 'en') return description
  for (const { key, pattern } of patterns) {
    const found = pattern.exec(description)
    if (found === null) continue
    const said = messagesFor(locale).errorPage.details[key]
    return said.replaceAll(slot, (_all, name: string) => found.groups?.[name] ?? '')
  }
  return undefined
}
