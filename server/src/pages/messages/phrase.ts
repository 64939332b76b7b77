import type { Child } from 'hono/jsx'

/** A sentence with elements in it, such as a name that is shown in bold and isolated. */
export type Phrase = Child[]

/**
 * Why not a message format: a handful of messages take a parameter, and a typed function already says which,
 * is checked by the compiler in every language, needs no parser at run time, and can place an element (not
 * only text) wherever the grammar of its language wants it. Plurals come from Intl, see duration.ts.
 */
export function phrase(words: TemplateStringsArray, ...slots: Child[]): Phrase {
  return words.flatMap((text, index): Child[] => (index < slots.length ? [text, slots[index]] : [text]))
}
