/** Invitations as administrators make them: who may invite whom with what. Accepting them: `invitation/`. */
import { beforeAll, describe, expect, it } from 'vitest'
import { onEachDatabase } from '../harness/databases.ts'
import { auditOf, countOf } from '../harness/states.ts'
import { acme, Administrator, administeredOn, finance, globex, heads, intake, problemOf } from './support.ts'

const day = 24 * 3_600_000
const nowhere = '99999999-9999-4999-8999-999999999999'
const importer = (at: object = { organisation_uuid: acme }) => ({ role_code: 'importer', ...at })

onEachDatabase('invitations', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let head: Administrator
  let unitHead: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    head = await Administrator.person(tessera.url, heads.head)
    unitHead = await Administrator.person(tessera.url, heads.unitHead)
  })
  const invite = async (by: Administrator, body: object) =>
    await by.post('/invitations', { email: 'ines@acme.example', ...body })
  const invited = async (by: Administrator, body: object) => {
    const made = await invite(by, body)
    if (made.status !== 201) throw new Error(made.text)
    return { uuid: String(made.json.uuid) }
  }
  const withdraw = async (uuid: string) =>
    expect((await admin.delete(`/invitations/${uuid}`)).status).toBe(204)

  it('are made, read, listed, sent again and withdrawn, and the audit tells of each', async () => {
    const made = await invite(admin, { name: 'Ines Moreau', locale: 'fr', profiles: [importer()] })
    expect(made.status).toBe(201)
    const { json: rest } = made
    const uuid = String(rest.uuid)
    expect(made.headers.get('location')).toBe(`/admin/v1/invitations/${uuid}`)
    const now = tessera.clock.now()
    expect(Math.abs(Date.parse(String(rest.expires_at)) - now - 7 * day)).toBeLessThan(600_000)
    expect(rest).toMatchObject({
      email: 'ines@acme.example',
      state: 'pending',
      managed_by: null,
      client_id: null,
    })
    const read = await admin.get(`/invitations/${uuid}`)
    expect(read.json).toEqual(rest)
    expect(await admin.all('/invitations?state=pending', 1)).toEqual([rest])
    expect(await admin.all('/invitations?state=expired')).toEqual([])
    const again = await admin.post(`/invitations/${uuid}/resend`, {})
    expect(again.status).toBe(201)
    await withdraw(uuid)
    expect((await admin.get(`/invitations/${uuid}`)).json.state).toBe('withdrawn')
    expect(problemOf(await admin.post(`/invitations/${uuid}/resend`, {}))).toBe('409 conflict')
    expect(problemOf(await admin.delete(`/invitations/${uuid}`))).toBe('409 conflict')
    const records = (await auditOf(tessera, {})).filter((one) => one.target?.id === uuid)
    expect(records.map((one) => one.kind)).toEqual([
      'invitation.created',
      'invitation.resent',
      'invitation.withdrawn',
    ])
    for (const answer of [made, again]) expect(answer.text).not.toContain('link')
  })

  it('make nobody before they are accepted, and answer the same for an address that has an account', async () => {
    const before = await countOf(tessera, 'users')
    const [known, unknown] = await Promise.all(
      ['importer@acme.example', 'nobody-knows@acme.example'].map((email) =>
        invite(head, { email, profiles: [importer()] }),
      ),
    )
    const shape = (answer: typeof known) =>
      Object.entries(answer?.json ?? {}).map(([name, value]) => [name, value === null ? null : typeof value])
    expect(known?.status).toBe(201)
    expect(shape(known)).toEqual(shape(unknown))
    expect(await countOf(tessera, 'users')).toBe(before)
  })

  it('expire after seven days', async () => {
    const { uuid } = await invited(admin, {})
    tessera.clock.advance(7 * day)
    try {
      const later = await Administrator.machine(tessera.url)
      expect((await later.get(`/invitations/${uuid}`)).json.state).toBe('expired')
      expect((await later.all('/invitations?state=expired')).map((one) => one.uuid)).toContain(uuid)
      expect(await later.all('/invitations?state=pending')).toEqual([])
      expect((await later.post(`/invitations/${uuid}/resend`, {})).json.state).toBe('pending')
    } finally {
      tessera.clock.advance(-7 * day)
    }
  })

  it('are made once by a repeated request', async () => {
    const body = { email: 'twice@acme.example' }
    const key = { 'idempotency-key': 'invited-once' }
    const first = await admin.post('/invitations', body, key)
    const second = await admin.post('/invitations', body, key)
    expect([second.status, second.json]).toEqual([201, first.json])
  })

  it.each([
    ['no address', { email: 'ines' }, 'email'],
    ['a look-alike', { email: 'іnes@асme.example' }, 'email'],
    ['an unknown role', { profiles: [{ role_code: 'none-such' }] }, 'profiles.0.role_code'],
    [
      'an unknown place',
      { profiles: [importer({ organisation_uuid: nowhere })] },
      'profiles.0.organisation_uuid',
    ],
    ['the same twice', { profiles: [importer(), importer()] }, 'profiles'],
    ['whose profile', { profiles: [{ ...importer(), user_uuid: nowhere }] }, 'profiles.0.user_uuid'],
    ['an unknown client', { client_id: 'none-such' }, 'client_id'],
    ['a machine', { client_id: 'nightly-import' }, 'client_id'],
    ['a state', { state: 'accepted' }, 'state'],
  ])('refuse %s', async (_, body, field) => {
    expect(problemOf(await invite(admin, body))).toBe(`400 invalid_request ${field}`)
  })

  describe('by somebody who administers an organisation, or a unit', () => {
    it('give what they hold, where they reach', async () => {
      const at = { organisation_uuid: acme, organisation_unit_uuid: intake }
      for (const [by, profile] of [
        [head, importer()],
        [head, importer(at)],
        [unitHead, importer(at)],
      ] as const)
        await withdraw((await invited(by, { profiles: [profile] })).uuid)
    })

    it.each([
      ['no profile', [], '400 invalid_request profiles'],
      [
        'another organisation',
        [importer({ organisation_uuid: globex })],
        '400 invalid_request profiles.0.organisation_uuid',
      ],
      [
        'one of both',
        [importer(), importer({ organisation_uuid: globex })],
        '400 invalid_request profiles.1.organisation_uuid',
      ],
      ['the installation', [importer({})], '403 forbidden profiles.0.organisation_uuid'],
      [
        'more than they hold',
        [{ role_code: 'administrator', organisation_uuid: acme }],
        '403 forbidden profiles.0.role_code',
      ],
    ])('refuse %s', async (_, profiles, refused) => {
      expect(problemOf(await invite(head, { profiles }))).toBe(refused)
    })

    it('refuse a unit beside the own', async () => {
      const at = { organisation_uuid: acme, organisation_unit_uuid: finance }
      const refused = await invite(unitHead, { profiles: [importer(at)] })
      expect(problemOf(refused)).toBe('400 invalid_request profiles.0.organisation_unit_uuid')
    })

    it('know nothing of others', async () => {
      const abroad = await invited(admin, { profiles: [importer({ organisation_uuid: globex })] })
      const mixed = await invited(admin, { profiles: [importer(), importer({ organisation_uuid: globex })] })
      const bare = await invited(admin, {})
      const beside = await invited(head, {
        profiles: [importer({ organisation_uuid: acme, organisation_unit_uuid: finance })],
      })
      const refusals = async (by: Administrator, uuid: string) =>
        await Promise.all([
          by.get(`/invitations/${uuid}`).then((one) => one.text),
          by.post(`/invitations/${uuid}/resend`, {}).then((one) => one.text),
          by.delete(`/invitations/${uuid}`).then((one) => one.text),
        ])
      const none = await refusals(head, nowhere)
      for (const text of none) expect(text).toContain('not_found')
      for (const { uuid } of [abroad, mixed, bare]) expect(await refusals(head, uuid)).toEqual(none)
      for (const { uuid } of [abroad, mixed, bare, beside])
        expect(await refusals(unitHead, uuid)).toEqual(none)
      const listed = async (by: Administrator, query = '') =>
        (await by.all(`/invitations${query}`, 1)).map((one) => one.uuid)
      expect(await listed(head)).toContain(beside.uuid)
      for (const { uuid } of [abroad, mixed, bare]) expect(await listed(head)).not.toContain(uuid)
      expect(await listed(unitHead)).not.toContain(beside.uuid)
      expect(await listed(head, `?organisation_uuid=${globex}`)).toEqual([])
      expect(await listed(admin, `?organisation_uuid=${globex}`)).toEqual([abroad.uuid])
    })

    it('refuse to send or withdraw what gives more than they hold', async () => {
      const more = { role_code: 'administrator', organisation_uuid: acme }
      const { uuid } = await invited(admin, { profiles: [more] })
      const sent = await head.post(`/invitations/${uuid}/resend`, {})
      expect(problemOf(sent)).toBe('403 forbidden profiles.0.role_code')
      expect(problemOf(await head.delete(`/invitations/${uuid}`))).toBe('403 forbidden')
    })

    it('refuse a client of another organisation, as one that is not there', async () => {
      const made = await admin.post('/clients', {
        client_id: 'globex-web',
        client_name: 'Globex',
        type: 'public',
        redirect_uris: ['https://globex.example/callback'],
        scope: 'openid',
        organisation_uuid: globex,
      })
      expect(made.status).toBe(201)
      const asked = async (client_id: string) => await invite(head, { profiles: [importer()], client_id })
      expect(
        (await asked('globex-web')).text.replaceAll('globex-web', 'none-such').replace(/"instance.*/, ''),
      ).toBe((await asked('none-such')).text)
      expect((await asked('submissions-web')).status).toBe(201)
    })
  })

  it('need both permissions where they give a profile', async () => {
    const role = { code: 'inviter', name: 'Inviter', permissions: ['iam.invitations.create'] }
    expect((await admin.post('/roles', role)).status).toBe(201)
    const inviter = { email: 'inviter@acme.example', password: 'correct horse battery seven' }
    const made = await admin.post('/users', {
      ...inviter,
      name: 'Inviter',
      profiles: [{ role_code: 'inviter' }],
    })
    expect(made.status).toBe(201)
    const by = await Administrator.person(tessera.url, inviter)
    expect(problemOf(await invite(by, { profiles: [{ role_code: 'inviter' }] }))).toBe(
      '403 insufficient_scope',
    )
    expect((await invite(by, {})).status).toBe(201)
  })
})
