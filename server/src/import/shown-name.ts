/**
 * Words of letters, with their case as names have it, and a short number at the end. Hashes and secrets have digits
 * within, a case that changes at random, or no end.
 */
const word =
  /(?:\p{Lu}?\p{Ll}{2,20}(?!\p{Ll})|(?<!\p{L})\p{Ll}(?!\p{L})|(?<!\p{Lu})\p{Lu}{1,12}(?!\p{L})|[\p{Lo}\p{M}]{1,20}(?![\p{Lo}\p{M}]))/u
const name = new RegExp(`^(?:[ _.:-]*${word.source})*[ _.:-]*\\d{0,2}$`, 'u')

/** The name of a column or key as messages may repeat it; undefined: it may be a hash, because no names stand there. */
export const shownName = (text: string): string | undefined =>
  text.length <= 60 && name.test(text) ? JSON.stringify(text) : undefined

/** The name of a field with those of the fields that it is in. */
export const shownField = (path: string): string =>
  path
    .split('.')
    .map((one) => (/^\d{1,4}$/.test(one) || shownName(one) !== undefined ? one : '(no name of a field)'))
    .join('.')
