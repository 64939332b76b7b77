/** A dry run says whom a stricter policy stops, as the plan of a declared file does. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { people, profilesOfBoth, tokensFor } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { changeUser, everythingWritten, setPolicy } from '../harness/states.ts'
import { importEnrolled } from '../sign-in/factor-support.ts'
import { acme, Administrator, administeredOn, type AdminAnswer, globex } from './support.ts'

const required = { second_factor: 'required' } as const
const passkey = { second_factor: 'passkey' } as const

/** Importer and Both are signed in, and Enrolled has an authenticator app. */
onEachDatabase('a dry run of a stricter policy', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    await importEnrolled(tessera, ['enrolled'])
    await tokensFor(tessera.url, people.importer)
    await tokensFor(tessera.url, people.both, { profile: profilesOfBoth.bookkeeper })
    admin = await Administrator.machine(tessera.url)
  })
  beforeEach(() => setPolicy(tessera, {}, null))

  const toldBy = ({ status, json, text }: AdminAnswer) => {
    expect(status, text).toBe(200)
    return json.strengthens
  }
  const ofAll = async (policy: object, who = admin) => {
    const { etag } = await who.get('/policy')
    return toldBy(await who.ask('PUT', '/policy?dry_run=true', { body: policy, match: etag }))
  }
  const of = async (path: string, policy: object | null, who = admin) => {
    const { etag } = await who.get(path)
    return toldBy(await who.ask('PATCH', `${path}?dry_run=true`, { body: { policy }, match: etag }))
  }
  const told = (
    enrol: [people: number, organisations: number],
    refresh: [clients: number, people: number],
  ) => ({
    enrol: { people: enrol[0], organisations: enrol[1] },
    refresh: { clients: refresh[0], people: refresh[1] },
  })

  it.each([required, passkey])('counts as the plan does: %j', async (policy) => {
    const before = await everythingWritten(tessera)
    const text = `policy: ${JSON.stringify(policy)}\n`
    const { json } = await admin.post('/declared/plan', { text, file: 'policy.yaml' })
    const { enrol, refresh } = json.strengthens as ReturnType<typeof told>
    expect([enrol.people > 3, enrol.organisations, refresh]).toEqual([true, 2, { clients: 1, people: 2 }])
    expect(await ofAll(policy)).toEqual({ enrol, refresh })
    expect(await everythingWritten(tessera)).toEqual(before)
  })

  it('counts at a role, at an organisation and of an application', async () => {
    expect(await of('/roles/bookkeeper', required)).toEqual(told([1, 1], [1, 1]))
    // Both acts as another, and has no app.
    expect(await of('/roles/reader', required)).toEqual(told([1, 1], [0, 0]))
    expect(await of(`/organisations/${globex}`, required)).toEqual(told([1, 1], [1, 1]))
    // Who will use it is not known; who has tokens of it is.
    expect(await of('/clients/submissions-web', required)).toEqual(told([0, 0], [1, 2]))
  })

  it('tells an administrator of an organisation of it', async () => {
    const head = await Administrator.machine(tessera.url, 'acme-cli')
    const all = await of(`/organisations/${acme}`, required)
    expect(await of(`/organisations/${acme}`, required, head)).toEqual(all)
  })

  it('counts nobody twice, nor whose grace runs, nor where nothing is stricter', async () => {
    expect(await ofAll({ password_length: 20 })).toBeNull()
    expect(await ofAll({ second_factor: 'optional', grace_days: 0 })).toBeNull()
    expect(await of('/roles/bookkeeper', null)).toBeNull()
    await setPolicy(tessera, {}, required)
    expect(await of('/roles/bookkeeper', required)).toBeNull()
    expect(await ofAll({})).toBeNull()
    expect(await ofAll(required)).toBeNull()
    // An app does not resist phishing, so whoever has one is stopped too.
    expect(await of('/roles/bookkeeper', passkey)).toEqual(told([1, 1], [0, 0]))
    await setPolicy(tessera, {}, null)
    const mild = { ...required, grace_days: 7 }
    const { refresh } = (await ofAll(mild)) as ReturnType<typeof told>
    await changeUser(tessera, people.importer.email, { grace_began_at: tessera.clock.now() })
    expect(await ofAll(mild)).toMatchObject({ refresh: { clients: 1, people: refresh.people - 1 } })
    await changeUser(tessera, people.importer.email, { grace_began_at: null })
  })

  it('tells nobody who may not read access', async () => {
    const few = { code: 'policies', name: 'Policies', permissions: ['iam.policy.read', 'iam.policy.update'] }
    expect((await admin.post('/roles', few)).status).toBe(201)
    const body = {
      client_id: 'policies-cli',
      client_name: 'Policies',
      type: 'machine',
      services: ['iam'],
      permissions: few.permissions,
    }
    const { json } = await admin.post('/clients', body)
    const asked = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: body.client_id,
      client_secret: String(json.client_secret),
    })
    const answer = await fetch(`${tessera.url}/oauth2/token`, { method: 'POST', body: asked })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    expect(await ofAll(required, new Administrator(tessera.url, token))).toBeNull()
  })

  it('counts what several changes do together', async () => {
    const changes = [
      { method: 'PATCH', path: '/roles/bookkeeper', body: { policy: required } },
      { method: 'PATCH', path: `/organisations/${globex}`, body: { policy: required } },
    ]
    const { json, text } = await admin.post('/access/what-if', { changes })
    const effect = (json.effect ?? json) as Record<string, unknown>
    expect(effect.strengthens, text).toEqual(told([1, 1], [1, 1]))
  })
})
