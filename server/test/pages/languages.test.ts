/** The words of every language, beside the English ones. */
import { describe, expect, it as holds } from 'vitest'
import { de } from '../../dist/pages/messages/de.js'
import { en } from '../../dist/pages/messages/en.js'
import { es } from '../../dist/pages/messages/es.js'
import { fr } from '../../dist/pages/messages/fr.js'
import { it } from '../../dist/pages/messages/it.js'
import { nl } from '../../dist/pages/messages/nl.js'
import { pl } from '../../dist/pages/messages/pl.js'
import { locales } from '../../dist/pages/messages/index.js'
import { pageOf } from '../../dist/pages/locale.js'

const all = { en, de, fr, es, it, nl, pl }
/** What parameters are given to see where they end up; as seconds it is a wait of minutes. */
const numbers = [431, 173]

/** Every message with the numbers and names that it shows. */
function leaves(value: unknown, path = ''): [string, string[]][] {
  if (typeof value === 'function') {
    const count = value.length
    const shown = [numbers, ['«a»', '«b»']].map((given) => {
      const said: unknown = (value as (...given: unknown[]) => unknown)(...given.slice(0, count))
      return typeof said === 'object' && !Array.isArray(said) ? JSON.stringify(leaves(said)) : shownIn(said)
    })
    return [[`${path}(${count})`, shown]]
  }
  if (typeof value === 'string') return [[path, [String(value.trim() !== '')]]]
  return Object.entries(value as object).flatMap(([key, inner]) => leaves(inner, `${path}.${key}`))
}

const shownIn = (said: unknown) =>
  [
    ...new Set(
      [said]
        .flat(2)
        .join('')
        .match(/\d+|«[ab]»/g),
    ),
  ]
    .sort()
    .join(' ')

describe('the words', () => {
  holds.each(locales)('%s has every one of English, with the same parameters in it', (locale) => {
    expect(Object.fromEntries(leaves(all[locale]))).toEqual(Object.fromEntries(leaves(en)))
  })

  holds.each(locales.filter((locale) => locale !== 'en'))('%s is another language', (locale) => {
    const texts = (words: unknown): string[] =>
      typeof words === 'string' ? [words] : Object.values(words as object).flatMap(texts)
    const english = new Set(texts(en).filter((text) => text.includes(' ')))
    expect(texts(all[locale]).filter((text) => english.has(text))).toEqual([])
  })
})

describe('the language of a page', () => {
  const request = (headers: object) => ({ id: 'r', url: '/sign-in?request=a', headers })
  holds.each([
    [{ cookie: 'a=b; tessera-language=pl; c=d', 'accept-language': 'de' }, 'pl'],
    [{ cookie: 'tessera-language=nl' }, 'nl'],
    [{ cookie: 'tessera-language=sv', 'accept-language': 'de' }, 'fr'],
    [{ cookie: 'x-tessera-language=pl' }, 'fr'],
    [{ cookie: 'tessera-language=plx' }, 'fr'],
    [{ cookie: 'tessera-language=__' }, 'fr'],
    [{}, 'fr'],
  ] as const)('%j → %s', (headers, locale) => {
    expect(pageOf(request(headers), { uiLocales: 'fr', userLocale: 'es' }).locale).toBe(locale)
  })

  holds('is that of its first page for an error at the end of the request', () => {
    const one = request({ 'accept-language': 'de' })
    expect(pageOf(one, { userLocale: 'it' }).locale).toBe('it')
    expect(pageOf(one).locale).toBe('it')
    expect(pageOf(request({ 'accept-language': 'de' })).locale).toBe('de')
  })
})
