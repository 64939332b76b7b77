/** What a language has of the original's words; a test holds that nothing is missing. */
export type Translated<T> = T extends string | ((...parameters: never[]) => unknown)
  ? T
  : { readonly [K in keyof T]?: Translated<T[K]> }

/** The words of a language. What it lacks is said in English, so that a page never lacks a word. */
export function complete<T>(english: T, own: Translated<T> | undefined): T {
  if (own === undefined) return english
  if (typeof english !== 'object' || english === null) return own as T
  const parts = Object.entries(english).map(([key, value]: [string, unknown]) => [
    key,
    complete(value, (own as Record<string, Translated<unknown> | undefined>)[key]),
  ])
  return Object.fromEntries(parts) as T
}
