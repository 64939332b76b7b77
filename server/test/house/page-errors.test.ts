/** What an error page says is there in every language. */
import { describe, expect, it } from 'vitest'
import { errorPage } from '../../dist/pages/error-page.js'
import { locales, messagesFor } from '../../dist/pages/messages/index.js'
import { errorCatalogue } from '../../dist/protocol/errors.js'
import { read, sourceFiles } from './support.ts'

const english = messagesFor('en').errorPage
const slots = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([slot]) => slot).sort()

/** Where refusals are made that become pages. */
const files = [
  ...sourceFiles(
    ...['account', 'sign-in', 'setup', 'invitation', 'connect', 'forward'].map(
      (room) => `server/src/${room}`,
    ),
  ),
  'server/src/administration/invitations/accept.ts',
  'server/src/administration/upstream-invitations/entering.ts',
  ...['errors', 'strict', 'language'].map((file) => `server/src/http/${file}.ts`),
  ...['limit', 'passwords'].map((file) => `server/src/identity/${file}.ts`),
  ...['authorize', 'client-document', 'logout'].map((file) => `server/src/oauth2/${file}.ts`),
  ...['parameters', 'refusals'].map((file) => `server/src/protocol/${file}.ts`),
]
/** Sentences that go to a client alone: as JSON, or by a redirect. */
const toClients = [
  'The person has to prove more: send them to the authorization endpoint with acr_values={}.',
  'The organisation of the profile asks its people to sign in through its own provider: send the person to the authorization endpoint.',
  'The parameter {} is missing.',
  'The logout was refused: {}',
]

/** The sentences of the refusals in a file; `{}` stands for what one names. */
const sentencesOf = (source: string) =>
  [
    ...source.matchAll(
      /(?:new ProtocolError\(\s*(?:'\w+'|code),|\b(?:invalidRequest|refusal)\()\s*(?<quote>['`])(?<text>.+?)\k<quote>/g,
    ),
  ].map(({ groups = {} }) => (groups.text ?? '').replaceAll(/\$\{[^}]+\}/g, '{}'))

describe('an error page', () => {
  const known = Object.values(english.details).map((text) => text.replaceAll(/\{\w+\}/g, '{}'))

  it.each(files)('has words for every refusal of %s', (file) => {
    const missing = sentencesOf(read(file)).filter(
      (text) => !known.includes(text) && !toClients.includes(text),
    )
    expect(
      missing.map((text) => `${text} Put it into \`details\` of server/src/pages/messages/*-errors.ts.`),
    ).toEqual([])
  })

  it('has no words for a refusal that nobody makes', () => {
    const made = new Set([
      ...files.flatMap((file) => sentencesOf(read(file))),
      // The end of this one depends on what was sent.
      'The parameter {} is not supported; send the parameters themselves.',
    ])
    expect(known.filter((text) => !made.has(text))).toEqual([])
  })

  it.each(locales)('names in %s what the English sentence names', (locale) => {
    const { details } = messagesFor(locale).errorPage
    expect(Object.entries(details).map(([key, text]) => [key, slots(text)])).toEqual(
      Object.entries(english.details).map(([key, text]) => [key, slots(text)]),
    )
  })

  it.each(locales.filter((one) => one !== 'en'))('says nothing in English to who reads %s', (locale) => {
    const sentences = [english.unknown, ...Object.values(english.codes)].flatMap((words) =>
      Object.values(words),
    )
    const wrong: object[] = []
    for (const error of Object.keys(errorCatalogue)) {
      for (const said of [...Object.values(english.details), 'A sentence without words.']) {
        const description = said.replaceAll(/\{(\w+)\}/g, '«$1»')
        const html = errorPage({ locale, requestId: 'r', error, description })
        const kept = [...sentences, description].filter((sentence) => html.includes(sentence))
        const named = [...description.matchAll(/«\w+»/g)].map(([slot]) => slot)
        const lost = named.filter((slot) => !html.includes(slot))
        // Asked once: an expectation for each sentence of each page costs many times what the pages do.
        if (kept.length > 0 || lost.length > 0 || /lang="en"(?![^<]*English)/.test(html))
          wrong.push({ error, said, kept, lost })
      }
    }
    expect(wrong).toEqual([])
  })
})
