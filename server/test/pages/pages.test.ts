import { controlsScriptPath } from '../../dist/pages/controls.js'
import { formPostScriptPath } from '../../dist/pages/form-post-page.js'
import { passkeysScriptPath } from '../../dist/pages/passkeys.js'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { errorPage } from '../../dist/pages/error-page.js'
import { chooseLocale } from '../../dist/pages/locale.js'
import { locales, messagesFor } from '../../dist/pages/messages/index.js'
import { stylesheet, stylesheetPath } from '../../dist/pages/styles.js'
import { consentPage } from '../../dist/sign-in/consent-page.js'
import { passwordPage } from '../../dist/sign-in/password-page.js'
import { hostileName, samples } from './pages-samples.ts'

const common = { locale: 'en', requestId: 'r-1', csrf: 'c', action: '/sign-in', clientName: 'Acme' } as const
const everyPage = Object.entries(samples).flatMap(([name, render]) =>
  locales.map((locale) => ({ name: `${name} (${locale})`, locale, html: render(locale) })),
)

describe('chooseLocale', () => {
  it.each([
    [{ uiLocales: 'sv-FI de-AT en', userLocale: 'en', acceptLanguage: 'en' }, 'de'],
    [{ uiLocales: 'fr-CA de-AT en' }, 'fr'],
    [{ userLocale: 'pl', acceptLanguage: 'nl' }, 'pl'],
    [{ uiLocales: 'EN-gb', userLocale: 'de' }, 'en'],
    [{ uiLocales: 'sv tlh', userLocale: 'de_CH', acceptLanguage: 'en' }, 'de'],
    [{ acceptLanguage: 'sv, en;q=0.4, de-CH;q=0.5' }, 'de'],
    [{ acceptLanguage: 'de;q=0, en;q=0.1' }, 'en'],
    [{ acceptLanguage: 'de; Q=0.8 , en ; q=0.3' }, 'de'],
    [{ acceptLanguage: 'sv, *;q=0.5, de;q=0.1' }, 'en'],
    [{ acceptLanguage: 'de;q=2, en;q=0.1' }, 'en'],
    [{ uiLocales: 'deu den constructor __proto__' }, 'en'],
    [{ uiLocales: '', userLocale: '', acceptLanguage: '' }, 'en'],
    [{}, 'en'],
  ] as const)('%j → %s', (wishes, locale) => {
    expect(chooseLocale(wishes)).toBe(locale)
  })

  it('stays quiet whatever is sent', () => {
    const hostile = [
      ';'.repeat(5_000_000),
      'de-'.repeat(2_000_000),
      ',q='.repeat(1_000_000),
      '\u0000\ud800,;=',
      '-',
    ]
    for (const input of hostile) {
      expect(locales).toContain(chooseLocale({ uiLocales: input, userLocale: input, acceptLanguage: input }))
    }
  })
})

describe('messages', () => {
  /** Every leaf with its kind and number of parameters: `password.title(1)`. */
  function leaves(value: unknown, path = ''): string[] {
    if (typeof value === 'function') return [`${path}(${value.length})`]
    if (typeof value !== 'object' || value === null) return [`${path}: ${typeof value}`]
    return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path ? `${path}.${key}` : key))
  }

  it.each(locales)('%s has the keys and parameters of English, and nothing is empty', (locale) => {
    expect(leaves(messagesFor(locale)).sort()).toEqual(leaves(messagesFor('en')).sort())
    expect(JSON.stringify(messagesFor(locale))).not.toContain('""')
  })

  it('counts in the language of the page, and never promises too little', () => {
    const { tooManyAttempts } = messagesFor('de').password
    expect(tooManyAttempts(1)).toContain('in 1 Sekunde ')
    expect(tooManyAttempts(121)).toContain('in 3 Minuten ')
    expect(messagesFor('en').password.busy(7201)).toContain('in 3 hours.')
    expect(messagesFor('en').password.busy(Number.NaN)).toContain('in 60 seconds.')
  })
})

/** It changes words alone, and needs no token. */
const languageForm = /<form method="post" action="\/language">.*?<\/form>/

describe('every page', () => {
  it.each(everyPage)(
    '$name is a complete document in its language, without script or style in it',
    ({ name, locale, html }) => {
      expect(html).toMatch(new RegExp(`^<!doctype html><html lang="${locale}"`))
      expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1"/>')
      expect(html).toContain('<meta name="color-scheme" content="light dark"/>')
      expect(html).toContain('<meta name="robots" content="noindex"/>')
      const numbered = /^(error|no-profile|signed-in-already|upstream-failed)/.test(name)
      expect(html.includes('018f3c1e-7f5a-7cc2-9d0b-5c2a4a1f77e0')).toBe(numbered)
      const own = [
        `<script src="${formPostScriptPath}"></script>`,
        `<script src="${passkeysScriptPath}" defer=""></script>`,
        `<script src="${controlsScriptPath}" defer=""></script>`,
      ]
      const [posts, asks] = [name.startsWith('form-post'), /data-(passkeys|signal)=/.test(html)]
      expect(own.map((script) => html.includes(script))).toEqual([
        posts,
        asks,
        html.includes('class="beside"'),
      ])
      expect(own.reduce((text, script) => text.replaceAll(script, ''), html)).not.toMatch(
        /<script|<style|<iframe|<[^>]*\s(?:style|on\w+)=|<[^>]*javascript:/i,
      )
      expect(html).not.toMatch(/undefined|\[object|NaN/)
      expect(html.match(/<h1[ >]/g)).toHaveLength(1)
    },
  )

  it.each(everyPage)(
    '$name has a CSRF token in every form that posts to us, and no other',
    ({ name, html }) => {
      if (name.startsWith('form-post')) return expect(html).not.toContain('csrf')
      const forms = html.replace(languageForm, '').match(/<form .*?<\/form>/g) ?? []
      for (const form of forms) {
        expect(form).toMatch(/^<form method="post" action="\/post\?request=abc"/)
        expect(form).toContain('<input type="hidden" name="csrf" value="a-token"/>')
      }
    },
  )

  it.each(everyPage)('$name says in the title when something is wrong', ({ name, html }) => {
    const wrong =
      /^error|upstream-failed|ended|wrong|missing|refused|suspended|factor-recovery|differs|too-many|busy|profile-hostile/.test(
        name,
      )
    expect(/<title>(?:Error|Fehler|Erreur|Errore|Fout|Błąd) ?: /.test(html)).toBe(wrong)
  })

  it('escapes what others chose', () => {
    const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;O”Brien&#39;'
    for (const { name, html } of everyPage.filter(({ name }) => /hostile|error-unknown/.test(name))) {
      expect(html, name).toContain(escaped)
      expect(html, name).not.toContain(hostileName)
    }
  })
})

describe('links and codes', () => {
  const consent = {
    ...common,
    accountName: 'Ada',
    scopes: [{ text: 'openid', isNew: false }],
    services: [],
    redirectPlace: 'acme.example',
    redirectHosts: [],
    claims: [],
    onward: [],
    more: false,
  }

  it.each([
    'javascript:alert(1)',
    'JavaScript://acme.example/%0Aalert(1)',
    'data:text/html,x',
    ' vbscript:x',
    'acme',
    '',
  ])('never links %j', (clientUri) => {
    const html = consentPage({ ...consent, clientUri })
    expect(html.replace('<a href="/account/applications"', '')).not.toContain('<a ')
  })

  it('links the web address of a client, and shows where it leads', () => {
    const html = consentPage({ ...consent, clientUri: 'https://acme.example/about?a="b' })
    expect(html).toContain(
      '<a href="https://acme.example/about?a=%22b" target="_blank" rel="noopener noreferrer">',
    )
    expect(html).toContain('<bdi>acme.example</bdi>')
  })

  it.each(Object.keys(messagesFor('en').errorPage.codes))('has words for %s', (error) => {
    const html = errorPage({ locale: 'en', requestId: 'r', error, description: 'd' })
    expect(html).toContain(`<code>${error}</code>`)
    expect(html).not.toContain(messagesFor('en').errorPage.unknown.heading + '</h1>')
  })

  it.each(['constructor', '__proto__', 'toString', 'something_new'])(
    'takes %s for a code it does not know',
    (error) => {
      const html = errorPage({ locale: 'en', requestId: 'r', error, description: 'What happened.' })
      expect(html).toContain(`<h1>${messagesFor('en').errorPage.unknown.heading}</h1>`)
      expect(html).toContain('What happened.')
    },
  )

  it('says what happened in the language of the page, and nothing that it has no words for', () => {
    const pageOf = (description: string) =>
      errorPage({ locale: 'de', requestId: 'r', error: 'invalid_request', description })
    expect(pageOf('The parameter <b>$1 {count} is longer than 12 characters.')).toContain(
      'Der Parameter &lt;b&gt;$1 {count} ist länger als 12 Zeichen.',
    )
    expect(pageOf('Something new.')).not.toContain('Something new.')
    expect(pageOf('Something new.')).not.toContain('<dt>Beschreibung')
  })
})

describe('the sign-in form', () => {
  it('is what password managers look for', () => {
    const html = passwordPage(common)
    expect(html).toMatch(/<input id="email"[^>]* type="email" [^>]*autocomplete="username" inputmode="email"/)
    expect(html).toMatch(/<input id="password"[^>]* type="password" [^>]*autocomplete="current-password"/)
    for (const [input] of html.matchAll(/<input id="[^>]*>/g)) {
      expect(input).toContain('autocapitalize="none"')
      expect(input).toContain('spellcheck="false"')
    }
  })

  it('never sends a password back, and says the same for a wrong name and a wrong password', () => {
    const html = passwordPage({ ...common, email: 'ada@example.com', error: 'wrong_credentials' })
    expect(html).not.toMatch(/<input id="password"[^>]* value=/)
    expect(html.match(/aria-invalid="true" aria-describedby="problem"/g)).toHaveLength(2)
  })
})

describe('the stylesheet', () => {
  it('is named after its content and asks for nothing else', () => {
    const hash = createHash('sha256').update(stylesheet).digest('hex').slice(0, 16)
    expect(stylesheetPath).toBe(`/assets/tessera-${hash}.css`)
    expect(stylesheet).not.toMatch(/url\(|@import|</)
  })
})
