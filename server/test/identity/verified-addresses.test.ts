/** Only proof, or whoever administers the whole installation, makes an address count as verified (decisions 10). */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import {
  acme,
  type AdminAnswer,
  Administrator,
  heads,
  intake,
  problemOf,
  administeredOn,
} from '../administration/support.ts'
import { onEachDatabase, sampleOn } from '../harness/databases.ts'
import { everythingIn } from '../harness/states.ts'

onEachDatabase('email_verified', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let delegated: Record<string, Administrator>
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    delegated = {
      machine: await Administrator.machine(tessera.url, 'acme-cli'),
      head: await Administrator.person(tessera.url, heads.head),
      'unit head': await Administrator.person(tessera.url, heads.unitHead),
    }
  })

  const address = () => `${randomUUID()}@acme.example`
  const profiles = [{ role_code: 'importer', organisation_uuid: acme, organisation_unit_uuid: intake }]
  const add = async (more: object = {}, who = admin) =>
    await who.post('/users', { email: address(), name: 'Somebody', profiles, ...more })
  const pathOf = ({ json }: AdminAnswer) => `/users/${String(json.uuid)}`
  const expectForbidden = (answer: AdminAnswer) => {
    expect(problemOf(answer)).toBe('403 forbidden email_verified')
    expect(answer.json.errors).toEqual([
      { field: 'email_verified', detail: expect.stringContaining('administrator of the whole installation') },
    ])
  }

  it.each(sampleOn(dialect, 1, ['machine', 'head', 'unit head']))(
    'is set by no %s of an organisation',
    async (who) => {
      const one = delegated[who] ?? admin
      const made = await add({}, one)
      expect([made.status, made.json.email_verified]).toEqual([201, false])
      const before = (await everythingIn(tessera)).users
      expectForbidden(await add({ email_verified: true }, one))
      expectForbidden(await add({ email: 'boss@elsewhere.example', email_verified: true }, one))
      expectForbidden(await one.patch(pathOf(made), { email_verified: true }))
      expectForbidden(await one.patch(pathOf(made), { email: address(), email_verified: true }))
      expect((await everythingIn(tessera)).users).toEqual(before)
      expect((await add({ email_verified: false }, one)).status).toBe(201)
    },
  )

  it.each(sampleOn(dialect, 1, ['machine', 'head', 'unit head']))(
    'stays with the address alone, when a %s changes it',
    async (who) => {
      const one = delegated[who] ?? admin
      const email = `Ren\u00E9.${address()}`
      const path = pathOf(await add({ email, email_verified: true }))
      // What is said already, and the same address in other letters, is no verification.
      const same = await one.patch(path, { email, email_verified: true, name: 'Other' })
      expect([same.status, same.json.email_verified]).toEqual([200, true])
      const written = email.toUpperCase().normalize('NFD')
      const cased = await one.patch(path, { email: written })
      expect(cased.json).toMatchObject({ email: written, email_verified: true })
      expectForbidden(await one.patch(path, { email: `x${email}`, email_verified: true }))
      const moved = await one.patch(path, { email: `x${email}` })
      expect(moved.json).toMatchObject({ email: `x${email}`, email_verified: false })
      // Back again is another change, of which nothing is known.
      expect((await one.patch(path, { email })).json.email_verified).toBe(false)
      expect((await admin.patch(path, { email_verified: true })).json.email_verified).toBe(true)
      expect((await one.patch(path, { email_verified: false })).json.email_verified).toBe(false)
    },
  )

  it('does not go over to what is only compared as the same address', async () => {
    const path = pathOf(await add({ email: 'strasse@acme.example', email_verified: true }))
    const other = 'stra\u00DFe@acme.example'
    expectForbidden(await (delegated.head ?? admin).patch(path, { email: other, email_verified: true }))
    expect((await (delegated.head ?? admin).patch(path, { email: other })).json).toMatchObject({
      email: other,
      email_verified: false,
    })
    expect(
      (await admin.patch(path, { email: 'strasse@acme.example', email_verified: true })).json,
    ).toMatchObject({
      email_verified: true,
    })
    expect((await admin.patch(path, { email: other })).json.email_verified).toBe(false)
  })
})
