import pg from 'pg'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { claimsOf, people, profilesOfBoth } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, sampleOn } from '../harness/databases.ts'
import { applyChanged, disabled } from '../declared/change.ts'
import { startTessera, tesseraOn } from '../harness/harness.ts'
import { refresh, refusalOf, tokensOf, userinfo, Visitor } from '../harness/program.ts'

const { reader, bookkeeper } = profilesOfBoth
const foreign = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101'

onEachDatabase('refresh with profile_uuid', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  beforeAll(async () => {
    visitor = new Visitor(tessera.url, people.both)
  })

  it('switches the family to another profile of the same person, for good', async () => {
    const first = await visitor.tokens({ profile_uuid: reader })
    expect(claimsOf(first.access_token)).toMatchObject({
      profile_uuid: reader,
      permissions: ['submissions-tool.vista-import.read'],
    })
    const switched = tokensOf(await refresh(tessera.url, first.refresh_token, { profile_uuid: bookkeeper }))
    for (const jwt of [switched.access_token, switched.id_token]) {
      expect(claimsOf(jwt)).toMatchObject({ profile_uuid: bookkeeper, role_code: 'bookkeeper' })
      expect(claimsOf(jwt)).not.toHaveProperty('organisation_unit_uuid')
    }
    expect(claimsOf(switched.access_token).permissions).toEqual([])
    expect((await userinfo(tessera.url, switched.access_token)).json.profile_uuid).toBe(bookkeeper)

    const after = tokensOf(await refresh(tessera.url, switched.refresh_token))
    expect(claimsOf(after.access_token).profile_uuid).toBe(bookkeeper)
  })

  it('never changes another family of the same session', async () => {
    const [one, two] = [
      await visitor.tokens({ profile_uuid: reader }),
      await visitor.tokens({ profile_uuid: reader }),
    ]
    await refresh(tessera.url, one.refresh_token, { profile_uuid: bookkeeper })
    const other = tokensOf(await refresh(tessera.url, two.refresh_token))
    expect(claimsOf(other.access_token).profile_uuid).toBe(reader)
    expect((await userinfo(tessera.url, two.access_token)).json.profile_uuid).toBe(reader)
  })

  it.each(
    sampleOn(dialect, 1, [
      ['of somebody else', foreign],
      ['that does not exist', '00000000-0000-4000-8000-000000000000'],
      ['that is no UUID', `' or 1=1`],
      ['with the name of a prototype', '__proto__'],
    ]),
  )('refuses a profile %s, and nothing changes', async (_, profile_uuid) => {
    const { refresh_token } = await visitor.tokens({ profile_uuid: reader })
    const refused = await refresh(tessera.url, refresh_token, { profile_uuid })
    expect(refusalOf(refused)).toBe('400 invalid_request')
    tessera.clock.advance(60_000)
    const after = tokensOf(await refresh(tessera.url, refresh_token))
    expect(claimsOf(after.access_token).profile_uuid).toBe(reader)
  })

  onOne.it('does not refuse a foreign profile with other words than an unknown one', async () => {
    const { refresh_token } = await visitor.tokens({ profile_uuid: reader })
    const [theirs, nobodys] = [foreign, '00000000-0000-4000-8000-000000000000'].map((profile_uuid) =>
      refresh(tessera.url, refresh_token, { profile_uuid }),
    )
    expect((await theirs)?.text).toBe((await nobodys)?.text)
  })

  onOne.it('counts as left out when empty, and is refused when repeated', async () => {
    const { refresh_token } = await visitor.tokens({ profile_uuid: reader })
    const same = tokensOf(await refresh(tessera.url, refresh_token, { profile_uuid: '' }))
    expect(claimsOf(same.access_token).profile_uuid).toBe(reader)
    const twice = new URLSearchParams({
      client_id: 'submissions-web',
      refresh_token: same.refresh_token ?? '',
    })
    twice.append('profile_uuid', reader)
    twice.append('profile_uuid', bookkeeper)
    const answer = await fetch(`${tessera.url}/v1/iam/token/refresh`, { method: 'POST', body: twice })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' })
  })

  onOne.it('takes the UUID in capitals, as the authorization request does', async () => {
    const { refresh_token } = await visitor.tokens({ profile_uuid: reader })
    const changes = { profile_uuid: bookkeeper.toUpperCase() }
    const switched = tokensOf(await refresh(tessera.url, refresh_token, changes))
    expect(claimsOf(switched.access_token).profile_uuid).toBe(bookkeeper)
  })

  it('is not undone by a parallel refresh that asks for no profile', async () => {
    for (let round = 0; round < 5; round++) {
      const { refresh_token } = await visitor.tokens({ profile_uuid: reader })
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          refresh(tessera.url, refresh_token, index % 4 === 1 ? { profile_uuid: bookkeeper } : {}),
        ),
      )
      const successors = new Set(answers.map((one) => tokensOf(one).refresh_token))
      expect(successors.size).toBe(1)
      const [successor] = successors
      const after = tokensOf(await refresh(tessera.url, successor))
      expect(claimsOf(after.access_token).profile_uuid).toBe(bookkeeper)
    }
  })
})

/** SQLite has one writer: there nothing comes between. */
it('refresh with profile_uuid gives nothing back of a profile that was disabled beside it on postgres', async () => {
  const tessera = await startTessera('postgres')
  onTestFinished(() => tessera.close())
  const other = new pg.Client({ connectionString: tessera.databaseUrl })
  await other.connect()
  onTestFinished(() => other.end())
  const waiting = async (count: number) => {
    const asked = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await vi.waitFor(async () => {
      // Within a transaction it would be told the same again.
      await other.query('select pg_stat_clear_snapshot()')
      expect((await other.query(asked)).rowCount).toBe(count)
    }, 60_000)
  }
  const first = await new Visitor(tessera.url, people.both).tokens({ profile_uuid: reader })
  const [family = ''] = String(claimsOf(first.access_token).jti).split('.')
  await other.query('begin')
  await other.query('select from token_families where id = $1 for update', [family])
  const switching = refresh(tessera.url, first.refresh_token, { profile_uuid: bookkeeper })
  await waiting(1)
  // It waits for whoever switches, or would be done before, and find no family of the profile.
  const disabling = applyChanged(tessera, disabled(`      - uuid: ${bookkeeper}`))
  await Promise.race([disabling, waiting(2)])
  await other.query('commit')
  const [switched] = await Promise.all([switching, disabling])
  await applyChanged(tessera)
  expect((await userinfo(tessera.url, tokensOf(switched).access_token)).status).toBe(401)
  const after = await refresh(tessera.url, tokensOf(switched).refresh_token)
  expect(refusalOf(after)).toBe('400 invalid_grant')
})
