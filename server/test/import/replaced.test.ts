/** An unproved account does not stand in the way of its person: a row of an import takes its place. */
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, administeredOn } from '../administration/support.ts'
import { claimsOf, tokensFor, TestBrowser, authorizeRequest, signIn } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { auditOf, leftOf, plantIn, usersOf } from '../harness/states.ts'
import { importText, lines, password, password_hash } from './support.ts'

const profiles = [{ role: 'importer', organisation: 'acme' }]
const known = 'a password that they know'

onEachDatabase('an import beside planted accounts', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' })
  let everything: Administrator
  let planter: Administrator
  beforeAll(async () => {
    everything = await Administrator.machine(tessera.url)
    planter = await Administrator.machine(tessera.url, 'acme-cli')
  })
  const planted = async (name: string, by = planter) => {
    const email = `${name}@replaced.example`
    const given = [{ role_code: 'importer', organisation_uuid: acme }]
    const made = await by.post('/users', { email, name: 'Planted', password: known, profiles: given })
    expect(made.status).toBe(201)
    return { email, uuid: String(made.json.uuid) }
  }
  const row = (email: string, more: object = {}) => ({ email, name: 'Own', password_hash, profiles, ...more })
  const both = async (...rows: object[]) => {
    const before = await usersOf(tessera)
    const dry = await importText(tessera, lines(rows), { dryRun: true })
    expect(await usersOf(tessera)).toEqual(before)
    const done = await importText(tessera, lines(rows))
    expect(done).toEqual(dry)
    return done
  }

  it('takes the place of one, of which nothing is left, and counts it', async () => {
    const { email, uuid } = await planted('one')
    await tokensFor(tessera.url, { email, password: known })
    await plantIn(tessera, uuid, tessera.clock.now())
    expect(await leftOf(tessera, uuid)).not.toEqual({})
    const done = await both(row(email, { former_sub: 'own' }), row('new@replaced.example'))
    expect(done).toMatchObject({ imported: 2, replaced: 1, already: 0, refused: [] })
    expect(await leftOf(tessera, uuid)).toEqual({})
    expect((await everything.get(`/users/${uuid}`)).status).toBe(404)
    const refused = await signIn(new TestBrowser(tessera.url), authorizeRequest().path, {
      email,
      password: known,
    })
    expect(refused.status).toBe(400)
    const { sub } = claimsOf((await tokensFor(tessera.url, { email, password })).id_token)
    expect(sub).not.toBe(uuid)
    const own = (await usersOf(tessera)).find((one) => one.email === email)
    expect(own).toMatchObject({ uuid: sub, unproved_since: null, limited_reach: 0 })
    const records = await auditOf(tessera, { user: uuid })
    expect(records.map((one) => one.kind)).toEqual(
      expect.arrayContaining(['user.removed', 'profile.removed']),
    )
    expect(JSON.stringify(records)).not.toContain('argon2')
    expect((await auditOf(tessera, { user: String(sub), kind: 'user.created' })).length).toBe(1)
    expect(await both(row(email, { former_sub: 'own' }))).toMatchObject({ already: 1, replaced: 0 })
  })

  it('never with its uuid, which a person had here', async () => {
    const { email, uuid } = await planted('uuid')
    const done = await both(row(email, { uuid }))
    expect(done.refused.map((one) => one.at)).toEqual(['1 uuid'])
    expect((await usersOf(tessera)).some((one) => one.uuid === uuid)).toBe(true)
    expect(await both(row(email))).toMatchObject({ imported: 1, replaced: 1 })
    expect((await both(row('later@replaced.example', { uuid }))).refused[0]?.reasons).toContain('was removed')
  })

  it('leaves one where the row is refused, or names what somebody else has', async () => {
    const { email, uuid } = await planted('stays')
    const done = await both(
      row(email, { profiles: [{ role: 'no-such-role' }] }),
      row(`x${email}`, { former_sub: 'taken' }),
    )
    expect(done).toMatchObject({ imported: 1, replaced: 0, refused: [{ at: '1 profiles.0.role' }] })
    expect((await both(row(email, { former_sub: 'taken' }))).refused.map((one) => one.at)).toEqual([
      '1 former_sub',
    ])
    expect((await usersOf(tessera)).find((one) => one.email === email)?.uuid).toBe(uuid)
  })

  it('refuses a proved account as before, and leaves who was imported by this row', async () => {
    const { email } = await planted('proved', everything)
    expect((await both(row(email))).refused.map((one) => one.at)).toEqual(['1 email'])
    const here = row('here@replaced.example', { former_sub: 'here' })
    expect(await both(here)).toMatchObject({ imported: 1 })
    const uuid = (await usersOf(tessera)).find((one) => one.email === here.email)?.uuid ?? ''
    // Somebody limited sets the password since.
    expect((await planter.patch(`/users/${uuid}`, { password: known })).status).toBe(200)
    expect(await both(here)).toMatchObject({ already: 1, replaced: 0, refused: [] })
    // They are a person of their own, with all that they have: another row does not take their place.
    expect((await both({ ...here, name: 'Other' })).refused.map((one) => one.at)).toEqual(['1 email'])
    expect((await usersOf(tessera)).find((one) => one.email === here.email)?.uuid).toBe(uuid)
  })
})
