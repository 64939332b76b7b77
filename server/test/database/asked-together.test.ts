import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  profilesOfBoth,
  redirectUri,
  signIn,
  TestBrowser,
} from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { withStore } from '../harness/program.ts'

/** A browser that is signed in, and what its tokens say of whose they are. */
interface SignedIn {
  browser: TestBrowser
  profile: string | undefined
  sub: unknown
  profile_uuid: unknown
}

const web = { client_id: 'submissions-web' }

async function signedIn(
  url: string,
  person: { email: string; password: string },
  profile?: string,
): Promise<SignedIn> {
  const browser = new TestBrowser(url)
  const request = authorizeRequest()
  const visit = await signIn(browser, request.path, person, profile)
  const { json } = await exchange(url, answerOf(visit).code, request.verifier)
  const claims = claimsOf(String(json.access_token))
  return { browser, profile, sub: claims.sub, profile_uuid: claims.profile_uuid }
}

const exchange = (url: string, code: string | undefined, verifier: string) =>
  post(`${url}/oauth2/token`, {
    ...web,
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    code: code ?? '',
    code_verifier: verifier,
  })

const refresh = (url: string, token: unknown) =>
  post(`${url}/oauth2/token`, { ...web, grant_type: 'refresh_token', refresh_token: String(token) })

/** Authorization without a page, as a single-page application asks for it. */
const authorizing = async ({ browser, profile }: SignedIn) => {
  const request = authorizeRequest({ prompt: 'none', profile_uuid: profile })
  return { request, answer: answerOf(await browser.request(request.path)) }
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index))

/** Refuses the codes of some nonces. */
const refusal = {
  sqlite: [
    `create trigger refusal before insert on authorization_codes when new.nonce like 'refused%'
      begin select raise(abort, 'refused'); end`,
  ],
  postgres: [
    `create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = 'check_violation'; end $$`,
    `create trigger refusal before insert on authorization_codes for each row
      when (new.nonce like 'refused%') execute function refuse()`,
  ],
}

onEachDatabase('what is asked at the same time', (dialect) => {
  let tessera: Tessera
  let signed: SignedIn[]

  beforeAll(async () => {
    tessera = await startTessera(dialect, { settings: { TESSERA_LIMIT_AUTHORIZE: '0' } })
    signed = await Promise.all([
      signedIn(tessera.url, people.importer),
      signedIn(tessera.url, people.both, profilesOfBoth.reader),
      signedIn(tessera.url, people.both, profilesOfBoth.bookkeeper),
      signedIn(tessera.url, people.admin),
    ])
  })
  afterAll(() => tessera.close())

  it('is answered to each who asked: session, code, tokens and their successors', async () => {
    const all = times(60, (index) => signed[index % signed.length] ?? expect.unreachable())
    const authorized = await Promise.all(all.map(authorizing))
    expect(new Set(authorized.map(({ answer }) => answer.code)).size).toBe(all.length)
    const exchanged = await Promise.all(
      authorized.map(({ answer, request }) => exchange(tessera.url, answer.code, request.verifier)),
    )
    const refreshed = await Promise.all(exchanged.map(({ json }) => refresh(tessera.url, json.refresh_token)))
    for (const [index, { sub, profile_uuid }] of all.entries()) {
      const { request, answer } = authorized[index] ?? expect.unreachable()
      expect(answer.state).toBe(request.parameters.state)
      for (const tokens of [exchanged[index]?.json, refreshed[index]?.json]) {
        const claims = claimsOf(String(tokens?.access_token))
        expect(claims).toMatchObject({ sub, profile_uuid })
      }
      expect(claimsOf(String(exchanged[index]?.json.id_token)).nonce).toBe(request.parameters.nonce)
    }
  })

  it('is refused to each who asked wrongly, and to nobody beside them', async () => {
    const [person = expect.unreachable()] = signed
    const stranger = () => {
      const browser = new TestBrowser(tessera.url)
      for (const [name, value] of person.browser.cookies) browser.cookies.set(name, value.replace(/.$/, '!'))
      return { ...person, browser }
    }
    const authorized = await Promise.all(
      times(24, (index) => authorizing(index % 2 === 0 ? person : stranger())),
    )
    expect(authorized.map(({ answer }) => answer.error)).toEqual(
      times(24, (index) => (index % 2 === 0 ? undefined : 'login_required')),
    )

    const codes = authorized.filter((_, index) => index % 2 === 0)
    const exchanged = await Promise.all(
      codes.map(({ answer, request }, index) => {
        const [id = '', secret = ''] = (answer.code ?? '').split('.')
        const wrong = `${id}.${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`
        return exchange(tessera.url, index % 2 === 0 ? answer.code : wrong, request.verifier)
      }),
    )
    expect(exchanged.map(({ json }) => json.error)).toEqual(
      times(codes.length, (index) => (index % 2 === 0 ? undefined : 'invalid_grant')),
    )

    const tokens = exchanged.flatMap(({ json }) => json.refresh_token ?? [])
    const refreshed = await Promise.all(
      tokens.flatMap((token) => [
        refresh(tessera.url, token),
        refresh(tessera.url, String(token).replace(/..$/, '')),
      ]),
    )
    expect(refreshed.map(({ status }) => status)).toEqual(tokens.flatMap(() => [200, 400]))
  })

  it('is answered beside requests for what no database can hold', async () => {
    const page = async () => {
      const browser = new TestBrowser(tessera.url)
      return { browser, page: await browser.open(authorizeRequest().path) }
    }
    const pages = await Promise.all(times(8, page))
    const answers = await Promise.all(
      pages.flatMap(({ browser, page: { url } }) => [
        browser.request(url),
        browser.request('/sign-in?request=%00'),
        browser.request('/sign-in?request=%ED%A0%80'),
      ]),
    )
    expect(answers.map(({ status }) => status)).toEqual(pages.flatMap(() => [200, 400, 400]))
  })
  it('is done for all but those whose row the database refuses', async () => {
    const [person = expect.unreachable()] = signed
    await withStore(tessera, async ({ db }) => {
      for (const statement of refusal[dialect]) await sql.raw(statement).execute(db)
    })
    const visits = await Promise.all(
      times(24, (index) => {
        const nonce = `${index % 6 === 5 ? 'refused' : 'taken'}-${'n'.repeat(16)}`
        return person.browser.request(authorizeRequest({ prompt: 'none', nonce }).path)
      }),
    )
    const given = visits.map((visit) => visit.location !== undefined && answerOf(visit).code !== undefined)
    expect(given).toEqual(times(24, (index) => index % 6 !== 5))
  })
})

describe('what PostgreSQL is asked in one statement', () => {
  let tessera: Tessera
  let database: pg.Client
  let person: SignedIn
  beforeAll(async () => {
    tessera = await startTessera('postgres', { settings: { TESSERA_LIMIT_AUTHORIZE: '0' } })
    database = new pg.Client({ connectionString: tessera.databaseUrl })
    await database.connect()
    person = await signedIn(tessera.url, people.importer)
  })
  afterAll(async () => {
    await database.end()
    await tessera.close()
  })

  const everything = async () =>
    await Promise.all(
      times(12, async () => {
        const { answer, request } = await authorizing(person)
        const { json } = await exchange(tessera.url, answer.code, request.verifier)
        return (await refresh(tessera.url, json.refresh_token)).status
      }),
    )

  it('is asked anew when another version’s migration added a column while this one serves', async () => {
    expect(await everything()).toEqual(times(12, () => 200))
    for (const table of ['sessions', 'users', 'profiles', 'authorization_codes', 'token_families', 'clients'])
      await database.query(`alter table ${table} add column of_tomorrow text`)
    expect(await everything()).toEqual(times(12, () => 200))
  })

  it('is asked anew when the connection knows nothing of what was prepared, as behind a pooler', async () => {
    await database.query(`
      create function forget() returns trigger language plpgsql as
        $$ begin execute 'deallocate all'; return new; end $$;
      create trigger forgetting before insert on authorization_codes for each row execute function forget();
      create trigger forgetting before insert on token_families for each row execute function forget()`)
    for (let round = 0; round < 3; round++) expect(await everything()).toEqual(times(12, () => 200))
  })
})
