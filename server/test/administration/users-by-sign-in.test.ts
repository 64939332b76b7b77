import { beforeAll, expect, it } from 'vitest'
import { authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { acme, Administrator, administeredOn, globex, heads, intake, users } from './support.ts'

const day = 86_400_000
const password = 'a password of nine lives'

onEachDatabase('people by their last sign-in', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let head: Administrator
  const days: string[] = []
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    for (const name of ['ann', 'ben', 'cem', 'dan', 'eve']) {
      const profiles = [
        { role_code: 'reader', organisation_uuid: acme },
        ...(name === 'eve' ? [{ role_code: 'bookkeeper', organisation_uuid: globex }] : []),
      ]
      const made = await admin.post('/users', { email: `${name}@acme.example`, name, password, profiles })
      expect(made.status).toBe(201)
    }
    // Three days: nobody yet, two of them, another.
    for (const names of [['dan', 'ben'], ['ann']]) {
      tessera.clock.advance(day)
      days.push(new Date(tessera.clock.now()).toISOString().slice(0, 10))
      for (const name of names)
        await signIn(new TestBrowser(tessera.url), authorizeRequest().path, {
          email: `${name}@acme.example`,
          password,
        })
    }
    admin = await Administrator.machine(tessera.url)
    head = await Administrator.person(tessera.url, heads.head)
  })

  const ours = (rows: Record<string, unknown>[]) =>
    rows.map(({ name }) => String(name)).filter((name) => /^[a-e]/.test(name))
  const listed = async (who: Administrator, query: string, limit = 1) =>
    ours(await who.all(`/users?${query}`, limit))

  it('has who never did first, page by page, with those of one day by address', async () => {
    expect(await listed(admin, 'sort=last_sign_in_on')).toEqual(['cem', 'eve', 'ben', 'dan', 'ann'])
    expect(await listed(admin, 'sort=-last_sign_in_on')).toEqual(['ann', 'dan', 'ben', 'eve', 'cem'])
    expect(await listed(admin, 'sort=last_sign_in_on', 2)).toEqual(['cem', 'eve', 'ben', 'dan', 'ann'])
    const all = await admin.all('/users?sort=last_sign_in_on', 1)
    expect(new Set(all.map(({ uuid }) => uuid)).size).toBe((await admin.all('/users')).length)
    expect(all.at(-1)).toMatchObject({ last_sign_in_on: days[1] })
  })

  it.each([
    ['a place', `organisation_uuid=${acme}`, ['cem', 'eve', 'ben', 'dan', 'ann']],
    ['another place', `organisation_uuid=${globex}`, ['eve']],
    ['a role', 'role_code=bookkeeper', ['eve']],
    ['a role at a place', `role_code=reader&organisation_uuid=${acme}`, ['cem', 'eve', 'ben', 'dan', 'ann']],
    ['active ones', 'active=true', ['cem', 'eve', 'ben', 'dan', 'ann']],
    ['no file', 'managed_by=acme.yaml', []],
    ['a unit', `organisation_unit_uuid=${intake}`, []],
  ])('is narrowed to %s', async (_, filter, expected) => {
    expect(await listed(admin, `sort=last_sign_in_on&${filter}`)).toEqual(expected)
    expect(await listed(admin, `sort=-last_sign_in_on&${filter}`)).toEqual([...expected].reverse())
  })

  it('finds who has not signed in on a day or since, everywhere and at a place', async () => {
    for (const place of ['', `&organisation_uuid=${acme}`]) {
      expect(await listed(admin, `signed_in_before=${days[0]}${place}`)).toEqual(['cem', 'eve'])
      expect(await listed(admin, `signed_in_before=${days[1]}${place}`)).toEqual(['cem', 'eve', 'ben', 'dan'])
      expect(await listed(admin, `signed_in_before=${days[1]}&sort=-last_sign_in_on${place}`)).toEqual([
        ...['dan', 'ben', 'eve', 'cem'],
      ])
      expect(await listed(admin, `signed_in_before=${days[1]}&active=false${place}`)).toEqual([])
    }
  })

  it('goes on where somebody is disabled, and moves with a sign-in', async () => {
    const [eve] = await admin.all('/users?q=eve@acme.example')
    await admin.patch(`/users/${String(eve?.uuid)}`, { active: false })
    expect(await listed(admin, `sort=last_sign_in_on&active=false&organisation_uuid=${acme}`)).toEqual([
      'eve',
    ])
    expect(await listed(admin, `sort=-last_sign_in_on&active=true`)).toEqual(['ann', 'dan', 'ben', 'cem'])
    await admin.patch(`/users/${String(eve?.uuid)}`, { active: true })
  })

  it('shows administrators of an organisation the order of their own', async () => {
    const own = await head.all('/users?sort=last_sign_in_on', 1)
    expect(new Set(own.map(({ uuid }) => uuid))).toEqual(
      new Set((await head.all('/users')).map(({ uuid }) => uuid)),
    )
    expect(ours(own)).toEqual(['cem', 'eve', 'ben', 'dan', 'ann'])
    expect(await listed(head, `sort=last_sign_in_on&organisation_uuid=${globex}`)).toEqual([])
    expect(await listed(head, `signed_in_before=2999-01-01&organisation_uuid=${globex}`)).toEqual([])
  })

  it.each([
    ['sort=name', 'sort'],
    ['sort=last_sign_in_on&q=a', 'sort'],
    ['signed_in_before=2031-01-01&q=a', 'signed_in_before'],
    ['signed_in_before=yesterday', 'signed_in_before'],
    ['signed_in_before=2031-02-30', 'signed_in_before'],
    ['signed_in_before=2031-01-01T00:00:00Z', 'signed_in_before'],
    ['include=secrets', 'include'],
  ])('refuses %s', async (query, field) => {
    const { status, text } = await admin.get(`/users?${query}`)
    expect([status, text]).toEqual([400, expect.stringContaining(`"${field}"`)])
  })

  it('refuses a cursor of another order', async () => {
    const { json } = await admin.get('/users?limit=1')
    const { status } = await admin.get(
      `/users?limit=1&sort=last_sign_in_on&cursor=${String(json.next_cursor)}`,
    )
    expect(status).toBe(400)
  })

  const holdsOf = async (who: Administrator, query: string) => {
    const [one] = (await who.get(`/users?include=profiles,names&${query}`)).json.items as {
      holds: { profiles: { role_code: string; role_name: string }[]; more: number }
    }[]
    return one?.holds
  }

  it('has with each person what they hold, where that is asked for', async () => {
    const holds = await holdsOf(admin, 'q=eve@acme.example')
    expect(holds).toMatchObject({
      profiles: [
        { role_code: 'bookkeeper', organisation_uuid: globex, active: true },
        { role_code: 'reader', role_name: expect.any(String), organisation_uuid: acme, expires_at: null },
      ],
      more: 0,
    })
    const { json } = await admin.get('/users?include=profiles,names&q=eve@acme.example')
    expect(json.names).toMatchObject({ [acme]: { code: 'acme' }, [globex]: { code: 'globex' } })
    expect((await admin.get('/users?limit=1')).text).not.toContain('holds')
    expect(await holdsOf(admin, `q=${people.nobody.email}`)).toEqual({ profiles: [], more: 0 })
  })

  it('tells at most five of them, and how many more there are', async () => {
    for (const role_code of ['importer', 'bookkeeper'])
      for (const organisation_uuid of [acme, globex]) {
        const profile = { user_uuid: users.nobody, role_code, organisation_uuid }
        expect((await admin.post('/profiles', profile)).status).toBe(201)
      }
    for (const organisation_uuid of [acme, globex, undefined])
      await admin.post('/profiles', { user_uuid: users.nobody, role_code: 'reader', organisation_uuid })
    const holds = await holdsOf(admin, `q=${people.nobody.email}`)
    expect([holds?.profiles.length, holds?.more]).toEqual([5, 2])
  })

  it('shows administrators of an organisation nothing of what people hold elsewhere', async () => {
    const holds = await holdsOf(head, 'q=eve@acme.example')
    expect(holds).toMatchObject({ profiles: [{ role_code: 'reader', organisation_uuid: acme }], more: 0 })
    const { text } = await head.get('/users?include=profiles,names&limit=200')
    expect(text).not.toContain(globex)
    expect(await holdsOf(head, `q=${people.nobody.email}`)).toMatchObject({ more: 0 })
    const unit = await Administrator.person(tessera.url, heads.unitHead)
    for (const { holds: held } of (await unit.get('/users?include=profiles')).json.items as {
      holds: { profiles: { organisation_unit_uuid: string }[] }
    }[])
      for (const one of held.profiles) expect(one.organisation_unit_uuid).not.toBeNull()
  })

  it('is refused to whoever may not read profiles', async () => {
    const client_id = 'people-reader'
    const made = await admin.post('/clients', {
      ...{ client_id, client_name: 'Reader', type: 'machine', services: ['iam'] },
      permissions: ['iam.users.read'],
    })
    const secret = String(made.json.client_secret)
    const token = await tokenFor(client_id, secret)
    const reader = new Administrator(tessera.url, token)
    expect((await reader.get('/users?sort=last_sign_in_on')).status).toBe(200)
    const { status, text } = await reader.get('/users?include=profiles')
    expect([status, text]).toEqual([403, expect.stringContaining('iam.profiles.read')])
    expect(text).not.toContain('role_code')
  })

  const tokenFor = async (client_id: string, client_secret: string) => {
    const response = await fetch(`${tessera.url}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
    })
    return String(((await response.json()) as Record<string, unknown>).access_token)
  }
})
