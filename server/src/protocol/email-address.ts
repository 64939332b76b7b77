import { domainToASCII, domainToUnicode } from 'node:url'
import { mixesScripts, unseenProblem } from './characters.ts'
import type { ValueProblem } from './values.ts'

/** What an e-mail address is, and which two are the same: one mailbox, one account (decisions 10). */

/**
 * An address in the form that is compared: Unicode-normalised, case-folded, its domain by IDNA. The domain stays in
 * Unicode, so that a search for `bü` finds `bücher.example`, also when it was written `xn--bcher-kva.example`.
 */
export function emailKey(text: string): string {
  const { local, domain } = partsOf(text.trim())
  return domain === undefined ? folded(local) : `${folded(local)}@${domainKey(domain) ?? folded(domain)}`
}

/** Whether two addresses differ in the case of letters alone: then a verified one verifies the other. */
export function isSameEmail(one: string, other: string): boolean {
  return one.normalize('NFC').toLowerCase() === other.normalize('NFC').toLowerCase()
}

/** An address as somebody is shown it who may not be its owner: enough to recognise one's own. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@')
  const [first = ''] = email
  return `${first}•••${email.slice(at)}`
}

/** NFKC, so that `＠` and full-width letters of Japanese keyboards make no other address. */
function partsOf(text: string): { local: string; domain: string | undefined } {
  const normal = text.normalize('NFKC')
  const at = normal.lastIndexOf('@')
  return at === -1
    ? { local: normal, domain: undefined }
    : { local: normal.slice(0, at), domain: normal.slice(at + 1) }
}

/**
 * Case folding by case mapping. Lower case comes first, because ẞ reaches SS only through ß. The last step goes letter
 * by letter, because in a word a final Σ has another lower case.
 */
function folded(text: string): string {
  const upper = text.normalize('NFKC').toLowerCase().toUpperCase()
  return Array.from(upper, (letter) => letter.toLowerCase())
    .join('')
    .normalize('NFKC')
}

const plainDomain = /^[a-z0-9._-]*$/i
const encodedLabel = /(^|\.)xn--/i
/** Letters and digits of any script, and the characters that IDNA allows between them (RFC 5892, appendix A). */
const domainLetters = /^[\p{L}\p{M}\p{N}._\-\u00B7\u0375\u05F3\u05F4\u3002\u30FB]+$/u

/** A normalised domain by IDNA (UTS 46), in Unicode; undefined when it is none. */
function domainKey(domain: string): string | undefined {
  if (plainDomain.test(domain) && !encodedLabel.test(domain)) return domain.toLowerCase()
  if (!domainLetters.test(domain) || unseenProblem(domain) !== undefined) return undefined
  const encoded = domainToASCII(domain)
  return encoded === '' ? undefined : domainToUnicode(encoded)
}

/** The domain of an address, as `domainKey` has it; undefined where it is none. */
export function domainOf(email: string): string | undefined {
  const { domain } = partsOf(email.trim())
  return domain === undefined ? undefined : domainKey(domain)
}

export const domainProblem: ValueProblem = (value) => {
  const key = domainKey(value)
  const isName = key !== undefined && domainPattern.test(`@${key}`) && key.includes('.')
  return isName && key === value.normalize('NFKC').toLowerCase()
    ? undefined
    : 'is no domain such as acme.example'
}

/**
 * Dots may stand anywhere before the @, as browsers take them too (HTML, “valid e-mail address”): there are mailboxes
 * such as `a..b@` and `.a@`.
 */
const emailPattern = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]{1,190}$/u
const domainPattern = /@(?![.-])(?!.*\.\.).*[^.]$/u
const noAddress = 'is no e-mail address'

export const emailProblem: ValueProblem = (value) => {
  if (/\p{Cc}|\p{Cs}/u.test(value)) return noAddress
  const unseen = unseenProblem(value)
  if (unseen !== undefined) return unseen
  // Its compared form is checked too, because normalisation turns ＠ into @.
  const fine = [value, emailKey(value)].every((one) => emailPattern.test(one) && domainPattern.test(one))
  const { local, domain = '' } = partsOf(value)
  const key = domainKey(domain)
  if (!fine || key === undefined || !fitsDns(key)) return noAddress
  if (key.split('.').some(mixesScripts)) return 'has a domain that mixes scripts, as look-alikes do'
  // Word by word: a name and a job may well be in different scripts.
  const words = local.split(/[^\p{L}\p{M}\p{N}]+/u)
  return words.some(mixesScripts) ? 'mixes scripts within a word, as look-alikes do' : undefined
}

/** RFC 1035 §2.3.4 */
const fitsDns = (domain: string): boolean =>
  domainToASCII(domain)
    .split('.')
    .every((label) => label.length <= 63)
