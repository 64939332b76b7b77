/** How much there is, and what needs somebody: for everything, an organisation and a unit. */
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, globex, heads, problemOf, profiles, users } from './support.ts'
import { authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { runHere, ways } from '../cli/command-support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import {
  addDeadMail,
  addDelivery,
  changeClient,
  replaceSigningKeys,
  signingKeysOf,
} from '../harness/states.ts'

const hour = 3_600_000
const day = 24 * hour

interface Item {
  kind: string
  target: { kind: string; id: string; name: string; user_uuid?: string }
  since: string | null
  cure: string
}

onEachDatabase('the overview', (dialect) => {
  const tessera = administeredOn(dialect)
  let all: Administrator
  let own: Administrator
  let unit: Administrator
  beforeAll(async () => {
    all = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
    unit = await Administrator.person(tessera.url, heads.unitHead)
  })

  async function count(who: Administrator, query: string) {
    const { status, json, text } = await who.get(`/statistics?metric=${query}`)
    expect(status, text).toBe(200)
    return json as { total: number; more: boolean; series: { at: string; count: number }[]; from: string }
  }
  const total = async (who: Administrator, query: string) => (await count(who, query)).total
  async function attention(who: Administrator, kind?: string): Promise<Item[]> {
    const { status, json, text } = await who.get('/attention')
    expect(status, text).toBe(200)
    return (json.items as Item[]).filter((one) => kind === undefined || one.kind === kind)
  }
  const ids = async (who: Administrator, kind: string) =>
    (await attention(who, kind)).map(({ target }) => target.id)

  it('counts people and clients, each administrator those within the reach', async () => {
    expect(await count(all, 'people')).toMatchObject({ total: 6, more: false, series: [], from: null })
    expect(await total(own, 'people')).toBe(4)
    expect(await total(all, `people&organisation_uuid=${globex}`)).toBe(1)
    expect(await total(own, `people&organisation_uuid=${globex}`)).toBe(0)
    expect(await total(unit, 'people')).toBe(2)
    expect(await total(unit, `people&organisation_uuid=${globex}`)).toBe(0)
    const listed = async (who: Administrator) => (await who.all('/clients?active=true')).length
    expect(await total(all, 'clients')).toBe(await listed(all))
    expect(await total(own, 'clients')).toBe(await listed(own))
    expect(await total(own, 'clients')).toBeLessThan(await total(all, 'clients'))
  })

  it('counts sign-ins and refused ones by the hour and the day, through clients within the reach', async () => {
    const before = await total(all, 'sign_ins')
    const refused = await total(all, 'refused_sign_ins')
    await changeClient(tessera, 'submissions-web', { organisation_uuid: acme })
    await signIn(new TestBrowser(tessera.url), authorizeRequest().path, people.importer)
    await signIn(new TestBrowser(tessera.url), authorizeRequest().path, {
      ...people.importer,
      password: 'wrong',
    })
    expect(await total(all, 'sign_ins')).toBe(before + 1)
    expect(await total(all, 'sign_ins&client_id=submissions-web')).toBe(1)
    expect(await total(own, 'sign_ins')).toBe(1)
    expect(await total(own, 'sign_ins&client_id=admin-web')).toBe(0)
    expect(await total(own, `sign_ins&organisation_uuid=${globex}`)).toBe(0)
    expect(await total(all, 'refused_sign_ins')).toBe(refused + 1)
    expect(await total(own, 'refused_sign_ins')).toBe(1)
    const hours = await count(all, 'sign_ins')
    expect(hours.series).toHaveLength(25)
    const days = await count(all, 'sign_ins&step=day')
    expect(days.series).toHaveLength(31)
    expect(days.total).toBe(before + 1)
    expect(Date.parse(days.from) % day).toBe(0)
    for (const { series } of [hours, days])
      expect(series.reduce((sum, one) => sum + one.count, 0)).toBe(before + 1)
    const over = new Date(tessera.clock.now() - 3 * day).toISOString()
    expect(await total(all, `sign_ins&to=${over}`)).toBe(0)
  })

  it('does not count what came through a client that had the name before', async () => {
    const created_at = tessera.clock.now() + hour
    await changeClient(tessera, 'submissions-web', { created_at })
    expect(await total(own, 'sign_ins')).toBe(0)
    await changeClient(tessera, 'submissions-web', { created_at: 0, organisation_uuid: null })
  })

  it('refuses what it can not count, and whom it tells nothing', async () => {
    const ask = async (who: Administrator, query: string) => problemOf(await who.get(`/statistics?${query}`))
    expect(await ask(all, 'metric=tokens')).toBe('400 invalid_request metric')
    expect(await ask(all, 'metric=people&step=day')).toBe('400 invalid_request step')
    expect(await ask(all, 'metric=clients&client_id=wiki')).toBe('400 invalid_request client_id')
    expect(await ask(all, 'metric=sign_ins&from=2020-01-01T00:00:00Z')).toBe('400 invalid_request from')
    expect(await ask(all, 'metric=sign_ins&from=2099-01-01T00:00:00Z')).toBe('400 invalid_request from')
    expect(await ask(unit, 'metric=clients')).toBe('403 forbidden')
    expect(await ask(unit, 'metric=sign_ins')).toBe('403 forbidden')
    const roles = await Administrator.machine(tessera.url, 'roles-cli')
    expect((await roles.get('/statistics?metric=people')).json.permission).toBe('iam.statistics.read')
  })

  it('tells of a client whose last secret ends, and not while another one follows', async () => {
    const machine = { client_name: 'Robot', type: 'machine', organisation_uuid: acme }
    await all.post('/clients', { ...machine, client_id: 'ending' })
    await all.post('/clients', { ...machine, client_id: 'elsewhere', organisation_uuid: globex })
    const expires_at = new Date(tessera.clock.now() + 20 * day).toISOString()
    for (const id of ['ending', 'elsewhere']) {
      expect((await all.post(`/clients/${id}/secrets`, { expires_at })).status).toBe(201)
      expect(await ids(all, 'secret_ends')).not.toContain(id)
      const [first] = (await all.get(`/clients/${id}`)).json.secrets as { id: string }[]
      expect((await all.delete(`/clients/${id}/secrets/${first?.id}`)).status).toBe(204)
    }
    expect(await attention(all, 'secret_ends')).toMatchObject(
      [
        { target: { kind: 'client', id: 'elsewhere', name: 'Robot' }, since: expires_at },
        { target: { kind: 'client', id: 'ending' }, cure: expect.stringContaining('another secret') },
      ].toSorted((a, b) => (a.target.id < b.target.id ? -1 : 1)),
    )
    expect(await ids(own, 'secret_ends')).toEqual(['ending'])
    expect(await ids(unit, 'secret_ends')).toEqual([])
  })

  it('tells of a profile that ends soon, and of clients that are weakened', async () => {
    const expires_at = new Date(tessera.clock.now() + 6 * day).toISOString()
    for (const uuid of [profiles.importer, profiles.bothBookkeeper])
      expect((await all.patch(`/profiles/${uuid}`, { expires_at })).status).toBe(200)
    expect((await ids(all, 'profile_ends')).toSorted()).toEqual([profiles.importer, profiles.bothBookkeeper])
    const ending = { kind: 'profile', id: profiles.importer, user_uuid: users.importer }
    expect(await attention(own, 'profile_ends')).toMatchObject([{ target: ending, since: expires_at }])
    expect(await ids(unit, 'profile_ends')).toEqual([profiles.importer])
    await all.patch(`/profiles/${profiles.importer}`, { expires_at: null })
    expect(await ids(unit, 'profile_ends')).toEqual([])

    await changeClient(tessera, 'submissions-web', { require_nonce: 0 })
    expect(await ids(all, 'client_weakened')).toContain('submissions-web')
    expect(await ids(own, 'client_weakened')).toEqual([])
  })

  it('tells of administrators without a second factor, and of nobody else', async () => {
    const names = async (who: Administrator) =>
      (await attention(who, 'administrator_without_factor')).map(({ target }) => target.name).toSorted()
    expect(await names(all)).toEqual(['Acme Admin', 'Acme Head', 'Acme Unit Head'])
    expect(await names(own)).toEqual(['Acme Head', 'Acme Unit Head'])
    expect(await names(unit)).toEqual(['Acme Unit Head'])
  })

  it('tells of webhooks that fail until something arrives, of mails, and of keys that do not rotate', async () => {
    const hook = { url: 'https://hooks.acme.example/tessera', kinds: ['user.removed'], description: 'Ledger' }
    const { json } = await all.post('/webhooks', hook)
    const id = String(json.uuid)
    expect(await ids(all, 'webhook_fails')).toEqual([])
    const at = tessera.clock.now()
    await addDelivery(tessera, id, { sequence: 1, state: 'dead', at })
    const failing = { kind: 'webhook', id, name: 'Ledger' }
    expect(await attention(all, 'webhook_fails')).toMatchObject([{ target: failing }])
    expect(await ids(own, 'webhook_fails')).toEqual([])
    await addDelivery(tessera, id, { sequence: 2, state: 'delivered', at })
    expect(await ids(all, 'webhook_fails')).toEqual([])

    await addDeadMail(tessera, '0'.repeat(32), tessera.clock.now() - 8 * day)
    expect(await ids(all, 'mail_fails')).toEqual([])
    await addDeadMail(tessera, '1'.repeat(32), tessera.clock.now())
    expect(await ids(all, 'mail_fails')).toEqual(['1'.repeat(32)])
    expect(await ids(own, 'mail_fails')).toEqual([])

    expect(await ids(all, 'signing_key_overdue')).toEqual([])
    const keys = await signingKeysOf(tessera)
    await replaceSigningKeys(
      tessera,
      keys.map((key) => ({ ...key, signs_from: key.signs_from - 3 * hour })),
    )
    const environment = { ...ways.database(tessera), TESSERA_KEY_ROTATION: '3600' }
    const { stdout, code } = await runHere(['attention', '--json'], { environment })
    expect(code).toBe(0)
    const overdue = (JSON.parse(stdout) as { items: Item[] }).items.filter((one) => /_key_/.test(one.kind))
    expect(overdue.map(({ target }) => target.id).toSorted()).toEqual(keys.map((key) => key.kid).toSorted())
  })

  it('tells nothing without the permission to read it, and the command prints it', async () => {
    expect(await attention(await Administrator.machine(tessera.url, 'onlooker-cli'))).toEqual([])
    const environment = ways.http(tessera)
    const told = await runHere(['attention'], { environment })
    expect(told.stdout).toContain('client_weakened\tSubmissions\tsubmissions-web')
    expect((await runHere(['statistics', 'people', '--organisation', 'acme'], { environment })).stdout).toBe(
      '4\n',
    )
    const counted = await runHere(['statistics', 'sign_ins', '--step', 'day'], { environment })
    expect(counted).toMatchObject({ code: 0, stdout: expect.stringMatching(/T00:00:00\.000Z\t\d+\n\d+\n$/) })
    const wrong = await runHere(['statistics', 'people', '--step', 'day'], { environment })
    expect(wrong).toMatchObject({ code: 1, stderr: 'tessera: --step: It is of sign-ins alone.\n' })
  })
})
