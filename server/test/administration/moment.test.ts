/** What somebody could do at a moment of the past: as it was told then, or refused, and never anything else. */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  administeredOn,
  finance,
  globex,
  heads,
  intake,
  problemOf,
  users,
} from './support.ts'
import { people } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import '../harness/random.ts'

interface Told {
  status: number
  active?: unknown
  profiles?: { permissions: string[] }[]
}

onEachDatabase('a moment of the past', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  let person: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
    person = await Administrator.person(tessera.url, people.admin)
    const { json } = await admin.get('/clients/acme-cli')
    const permissions = [...new Set([...(json.permissions as string[]), 'iam.audit.read'])]
    expect((await admin.patch('/clients/acme-cli', { permissions })).status).toBe(200)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })

  const told = async (who: Administrator, uuid: string, at?: string): Promise<Told> => {
    const { status, json, text } = await who.get(
      `/users/${uuid}/access${at === undefined ? '' : `?at=${at}`}`,
    )
    // A machine of Acme says nothing while that is disabled.
    expect(who === own ? [200, 404, 401] : [200, 404], text).toContain(status)
    if (status !== 200) return { status }
    const held = json.profiles as { permissions: string[] }[]
    return {
      status,
      active: json.active,
      profiles: held.map((one) => ({ ...one, permissions: one.permissions.toSorted() })),
    }
  }
  const time = () => new Date(tessera.clock.now()).toISOString()
  const instantly = { match: '*' }
  const change = async (method: string, path: string, body?: object) =>
    await admin.ask(method, path, { ...(body && { body }), ...instantly })

  /** A declared file that says a person, a role and a unit, applied. */
  async function declare(text: string): Promise<void> {
    const sent = { text, file: 'moment.yaml', prune: true }
    const { json, text: said } = await person.post('/declared/plan', sent)
    expect(json.digest, said).toBeTypeOf('string')
    await person.post('/declared/apply', { ...sent, digest: json.digest })
  }
  const declared = (n: number) => `roles:
  - code: declared
    name: Declared ${n % 3}
    permissions: [${n % 2 === 0 ? 'iam.users.read' : ''}]
organisations:
  - code: momento
    name: Momento
    active: ${n % 11 !== 0}
    units: [${n % 7 === 0 ? '' : `{ code: desk, name: Desk ${n % 3} }`}]
users:
  - email: declared@acme.example
    name: Declared
    active: ${n % 5 !== 0}
    profiles: [${[
      ...(n % 3 === 0 ? [] : ['{ role: declared }']),
      ...(n % 4 === 0 ? [] : ['{ role: declared, organisation: momento }']),
      ...(n % 7 === 0 ? [] : ['{ role: declared, organisation: momento, unit: desk }']),
    ].join(', ')}]
`

  // Each step is remembered of everybody, and asked for again.
  const steps = dialect === 'sqlite' ? 40 : 20
  const isLast = (step: number, tenths: number) => step >= (steps * tenths) / 10

  oneDatabase(dialect).it(
    'is refused to those who may not read the audit, and where it is none of the past',
    async () => {
      const path = `/users/${users.admin}/access?at=`
      expect(
        problemOf(await admin.get(`${path}${new Date(tessera.clock.now() + 60_000).toISOString()}`)),
      ).toBe('400 invalid_request at')
      for (const at of ['', 'yesterday', '2026-13-01T00:00:00Z', '1'])
        expect(problemOf(await admin.get(`${path}${at}`)), at).toBe('400 invalid_request at')
      expect(problemOf(await admin.get(`${path}${time()}&at=${time()}`))).toBe('400 invalid_request at')
      expect((await admin.get(`${path}2001-01-01T00:00:00Z`)).status).toBe(404)
      const unitHead = await Administrator.person(tessera.url, heads.unitHead)
      expect((await unitHead.get(`/users/${users.importer}/access?at=${time()}`)).status).toBe(403)
      expect((await own.get(`/users/${users.admin}/access?at=${time()}`)).status).toBe(404)
    },
  )

  it('is told as it was then, whatever has changed since', async () => {
    // A profile may not expire between the time that is remembered and the answer of that time.
    tessera.clock.stop()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(10_000), { minLength: steps, maxLength: steps }), async (numbers) => {
        const everybody: string[] = [users.importer, users.both, users.nobody]
        const roles = ['importer', 'reader', 'momentary']
        const units = [intake, finance]
        const remembered: { at: string; uuid: string; whole: Told; part: Told }[] = []
        const of = <T>(list: readonly T[], n: number) => list[n % list.length] as T
        const profilesOf = async (uuid: string) =>
          ((await admin.get(`/profiles?user_uuid=${uuid}`)).json.items ?? []) as { uuid: string }[]
        await change('POST', '/roles', { code: 'momentary', name: 'Momentary', permissions: [] })
        for (const [step, n] of numbers.entries()) {
          const [who, role, unit] = [of(everybody, n), of(roles, n >> 2), of(units, n >> 3)]
          const place = of(
            [
              {},
              { organisation_uuid: acme },
              { organisation_uuid: acme, organisation_unit_uuid: unit },
              { organisation_uuid: globex },
            ],
            n >> 4,
          )
          const held = of(await profilesOf(who), n >> 1)?.uuid
          const expires_at = n % 4 === 0 ? new Date(tessera.clock.now() + 6000).toISOString() : null
          const actions = [
            () => change('POST', '/profiles', { user_uuid: who, role_code: role, ...place, expires_at }),
            () => change('POST', '/profiles', { user_uuid: who, role_code: role, ...place, expires_at }),
            () => held && change('PATCH', `/profiles/${held}`, { active: n % 2 === 0 }),
            () => held && change('PATCH', `/profiles/${held}`, { role_code: role, expires_at }),
            () => held && change('PATCH', `/profiles/${held}`, { organisation_unit_uuid: unit }),
            () => held && change('DELETE', `/profiles/${held}`),
            () => change('PATCH', `/roles/${role}`, { active: n % 3 !== 0, name: `Role ${n}` }),
            () =>
              change('PATCH', '/roles/momentary', {
                permissions: n % 2 ? ['ledger.entry.read', 'iam.users.read'] : [],
              }),
            () => change('DELETE', '/roles/momentary'),
            () => change('POST', '/roles', { code: 'momentary', name: 'Again', permissions: ['iam.*'] }),
            () => change('PATCH', `/organisations/${of([acme, globex], n)}`, { active: n % 5 !== 0 }),
            () => change('PATCH', `/units/${unit}`, { active: n % 3 !== 0, name: `Unit ${n}` }),
            () => change('PATCH', `/users/${who}`, { active: n % 4 !== 0, name: `Person ${n}` }),
            () => (isLast(step, 7) ? change('DELETE', `/users/${who}`) : undefined),
            () => (isLast(step, 8) ? change('DELETE', `/units/${finance}`) : undefined),
            () => (isLast(step, 9) ? change('DELETE', '/permissions/ledger.entry.read') : undefined),
            async () => {
              const body = { email: `made-${n}@acme.example`, name: 'Made', profiles: [] }
              const { json } = await change('POST', '/users', body)
              if (typeof json.uuid === 'string') everybody.push(json.uuid)
            },
            async () => {
              await declare(declared(n))
              const [one] = (await admin.get('/users?q=declared@acme.example')).json.items as {
                uuid: string
              }[]
              if (one !== undefined && !everybody.includes(one.uuid)) everybody.push(one.uuid)
            },
          ]
          await of(actions, n)()
          const at = time()
          for (const uuid of everybody)
            remembered.push({ at, uuid, whole: await told(admin, uuid), part: await told(own, uuid) })
          tessera.clock.advance(1000)
        }
        await change('PATCH', `/organisations/${acme}`, { active: true })
        own = await Administrator.machine(tessera.url, 'acme-cli')
        for (const { at, uuid, whole, part } of remembered) {
          expect(await told(admin, uuid, at), `${uuid} at ${at}`).toEqual(whole)
          if (part.status !== 401)
            expect(await told(own, uuid, at), `${uuid} at ${at}, for acme`).toEqual(part)
        }
      }),
      // One round takes as long as it takes.
      { numRuns: 1, interruptAfterTimeLimit: 240_000 },
    )
  })
})
