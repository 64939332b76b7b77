import { beforeAll, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  redirectUri,
  signIn,
  TestBrowser,
  tokensFor,
} from '../harness/browser.ts'
import { applyChanged } from '../declared/change.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { refresh, refusalOf, token, tokensOf, Visitor } from '../harness/program.ts'

const submissions = 'https://submissions.acme.example/api'
const ledger = 'https://ledger.acme.example/api'

/** RFC 8707, decisions 2 and 3. */
onOneDatabase('the resource of an authorization request', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  beforeAll(async () => {
    // Of two services, so that there is something to narrow.
    await applyChanged(tessera, [
      'scope: openid email profile service.api\n    services: [submissions-tool]',
      'scope: openid email profile service.api\n    services: [submissions-tool, ledger]',
    ])
    browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
  })

  const audience = async (changes: Record<string, string | undefined>) => {
    const own = new TestBrowser(tessera.url)
    const tokens = await tokensFor(tessera.url, people.importer, { browser: own, changes })
    return claimsOf(tokens.access_token)
  }

  it('narrows the audience to one service, and the permissions with it', async () => {
    expect((await audience({})).aud).toEqual(expect.arrayContaining([submissions, ledger]))
    const narrowed = await audience({ resource: submissions })
    expect(narrowed.aud).toBe(submissions)
    expect(narrowed.permissions).toContain('submissions-tool.vista-import.create')
    const other = await audience({ resource: ledger })
    expect([other.aud, other.permissions]).toEqual([ledger, []])
  })

  it('of an exchange or a refresh narrows that answer alone: the next may be for another granted one', async () => {
    const own = new Visitor(tessera.url)
    const form = await own.code()
    const first = tokensOf(await token(tessera.url, { ...form, resource: submissions }))
    const second = tokensOf(await refresh(tessera.url, first.refresh_token, { resource: ledger }))
    const third = tokensOf(await refresh(tessera.url, second.refresh_token))
    const audienceOf = (tokens: Record<string, string>) => claimsOf(tokens.access_token).aud
    expect([audienceOf(first), audienceOf(second)]).toEqual([submissions, ledger])
    expect(audienceOf(third)).toEqual(expect.arrayContaining([submissions, ledger]))
  })

  it('of the authorization request stays: neither an exchange nor a refresh is for another', async () => {
    const own = new Visitor(tessera.url)
    const form = await own.code({ resource: submissions })
    expect(refusalOf(await token(tessera.url, { ...form, resource: ledger }))).toBe('400 invalid_target')
    const first = tokensOf(await token(tessera.url, form))
    const other = await refresh(tessera.url, first.refresh_token, { resource: ledger })
    expect(refusalOf(other)).toBe('400 invalid_target')
    const second = tokensOf(await refresh(tessera.url, first.refresh_token))
    expect(claimsOf(second.access_token).aud).toBe(submissions)
  })

  it('may be the issuer when no service is called, and nothing else', async () => {
    expect((await audience({ scope: 'openid', resource: tessera.url })).aud).toBe(tessera.url)
    const visit = await browser.open(authorizeRequest({ scope: 'openid', resource: submissions }).path)
    expect(answerOf(visit).error).toBe('invalid_target')
  })

  it.each([
    ['another service', 'https://elsewhere.example/api'],
    ['nearly one', `${submissions}/`],
    ['in other case', submissions.toUpperCase()],
    ['a path below one', `${submissions}/v1`],
    ['the code of one', 'submissions-tool'],
    ['the client', 'submissions-web'],
    ['two in one', `${submissions} ${ledger}`],
    ['with a fragment', `${submissions}#x`],
    ['not an address', 'x'],
  ])('answers invalid_target to %s, by a redirect', async (_what, resource) => {
    const { path, parameters } = authorizeRequest({ resource })
    const visit = await browser.request(path)
    expect([visit.status, visit.location?.startsWith(`${redirectUri}?error=invalid_target&`)]).toEqual([
      303,
      true,
    ])
    expect(answerOf(visit)).toMatchObject({ state: parameters.state, iss: tessera.url })
  })

  it('answers invalid_target when the service was taken from the client since', async () => {
    const own = new TestBrowser(tessera.url)
    const request = authorizeRequest({ resource: ledger })
    const page = await own.open(request.path)
    await applyChanged(tessera)
    const visit = await own.submit(page, people.importer)
    expect(answerOf(visit)).toMatchObject({ error: 'invalid_target', iss: tessera.url })
  })

  it('that a refresh did not ask for, and whose service was taken since, is invalid_grant; nothing is used up', async () => {
    const both = 'services: [submissions-tool, ledger]'
    const assign = (services: string) =>
      applyChanged(tessera, [
        'scope: openid email profile service.api\n    services: [submissions-tool]',
        `scope: openid email profile service.api\n    ${services}`,
      ])
    await assign(both)
    const own = new Visitor(tessera.url)
    const first = tokensOf(await token(tessera.url, await own.code({ resource: ledger })))
    await assign('services: [submissions-tool]')
    expect(refusalOf(await refresh(tessera.url, first.refresh_token))).toBe('400 invalid_grant')
    const asked = await refresh(tessera.url, first.refresh_token, { resource: ledger })
    expect(refusalOf(asked)).toBe('400 invalid_target')
    await assign(both)
    const again = tokensOf(await refresh(tessera.url, first.refresh_token))
    expect(claimsOf(again.access_token).aud).toBe(ledger)
  })
})
