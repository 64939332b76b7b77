/**
 * Characters by which one text looks like another (UTS 39): invisible ones, and those that reorder others. Refused in
 * new text for people, and left out where older text is shown.
 */

/**
 * Bidirectional controls, tags, fillers, separators. Joiners and variation selectors are allowed, because Persian, emoji
 * and Japanese names need them.
 */
const deceiving =
  /(?![\u200C\u200D\p{Variation_Selector}])[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\uFFF9-\uFFFB]/u
const allDeceiving = new RegExp(deceiving, 'gu')

/** Refused in addresses: invisible and unassigned characters. An assignment later could change how they normalise. */
const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u
const allUnseen = new RegExp(unseen, 'gu')

const seen = /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Whether a text has a visible character. */
export const isSeen = (text: string): boolean => seen.test(text)

/** What somebody else wrote, with the characters of an error_description alone (RFC 6749 §5.2: %x20-21 / %x23-5B / %x5D-7E). */
export const describable = (text: string): string => text.replaceAll(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?')

export const deceivingProblem = (text: string): string | undefined => problemOf(text, deceiving)

export const unseenProblem = (text: string): string | undefined => problemOf(text, unseen)

/** Names the character by its number, because it may be invisible. */
function problemOf(text: string, pattern: RegExp): string | undefined {
  const code = pattern.exec(text)?.[0].codePointAt(0)
  if (code === undefined) return undefined
  const number = code.toString(16).toUpperCase().padStart(4, '0')
  return `holds the character U+${number}, which makes it look like another`
}

export const withoutDeceiving = (text: string): string => text.replace(allDeceiving, '')

/** The text for an error message, with deceiving characters as `\u{…}`. */
export const spelledOut = (text: string): string => text.replace(allDeceiving, escaped)

/** The text of a stranger for a terminal or a log, with each character that can't be seen as `\u{…}`. */
export const unseenSpelledOut = (text: string): string => text.replace(allUnseen, escaped)

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** Scripts that are written together (UTS 39 §5.2, Highly Restrictive). */
const together = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
]
/** Scripts in use today (UAX 31, tables 5 and 7). */
const inUse =
  'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan Adlam Balinese Bamum Batak Canadian_Aboriginal Chakma Cham Cherokee Hanifi_Rohingya Javanese Kayah_Li Lepcha Limbu Lisu Mandaic Meetei_Mayek Miao Mongolian New_Tai_Lue Newa Nko Nyiakeng_Puachue_Hmong Ol_Chiki Osage Saurashtra Sundanese Syloti_Nagri Syriac Tai_Le Tai_Tham Tai_Viet Tifinagh Vai Wancho Yi'
let patterns: readonly RegExp[] | undefined

/** Made when first needed: that takes 15 ms of every start, and most processes never do. */
const writtenTogether = () =>
  (patterns ??= [...together, ...inUse.split(' ').map((one) => [one])].map((scripts) => {
    const all = ['Common', 'Inherited', ...scripts].map((one) => `\\p{Script_Extensions=${one}}`)
    return new RegExp(`^[${all.join('')}]*$`, 'u')
  }))

const ascii = /^[\0-\x7F]*$/

/** Whether a word mixes scripts that are not written together, as look-alikes do. */
export function mixesScripts(word: string): boolean {
  return !ascii.test(word) && !writtenTogether().some((one) => one.test(word))
}
