import type { Child } from 'hono/jsx'

/** A sentence with elements in it, such as a name that is shown in bold and isolated. */
export type Phrase = Child[]

/**
 * A message with parameters is a typed function instead of a format: the compiler checks it in every language, and it
 * can place elements as well as text. Plurals come from Intl, see duration.ts.
 */
export function phrase(words: TemplateStringsArray, ...slots: Child[]): Phrase {
  return words.flatMap((text, index): Child[] => (index < slots.length ? [text, slots[index]] : [text]))
}
