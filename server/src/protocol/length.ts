/** Characters are code points, as JSON Schema and NIST SP 800-63B §3.1.1.2 count them: an emoji is one, and not two. */
export const lengthOf = (text: string): number => [...text].length

export const tooLong = (text: string, most: number): string | undefined =>
  text.length > most && lengthOf(text) > most ? `is longer than ${most} characters` : undefined

/** The beginning of a text, without half a character at its end. */
export const beginningOf = (text: string, most: number): string => [...text].slice(0, most).join('')
