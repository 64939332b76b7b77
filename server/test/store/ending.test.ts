import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { authorizeRequest, post, redirectUri, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { introspect, machineToken, refresh, token, tokensOf, userinfo } from '../harness/program.ts'

/**
 * What ends with what, from outside: a person signs in at an organisation through its client, a machine has a token, and
 * then one thing is changed. Each of these was given before, and counts or does not count right after the change.
 */
const given = ['session', 'code', 'refresh', 'userinfo', 'introspection', 'api', 'machine', 'secret'] as const
type Given = (typeof given)[number]
/** What the client has for the person. */
const tokens: Given[] = ['refresh', 'userinfo', 'introspection', 'api']
const grants: Given[] = ['code', ...tokens]
/** With the way to new ones: signing in goes no further, or the session is over. */
const person: Given[] = ['session', ...grants]

interface World {
  email: string
  password: string
  browser: TestBrowser
  ids: Record<
    'user' | 'profile' | 'role' | 'organisation' | 'unit' | 'client' | 'machine' | 'secretId',
    string
  >
  tokens: Record<string, string>
  code: Record<string, string>
  machineToken: string
  secret: Record<string, string>
}

interface Row {
  change(admin: Administrator, world: World, url: string): Promise<unknown>
  ends: Given[]
  /** Enables again what was disabled: only what is listed is given anew. */
  again?: (admin: Administrator, world: World) => Promise<unknown>
  back?: Given[]
}

type Kind = 'users' | 'profiles' | 'roles' | 'organisations' | 'units'
const one: Record<Kind, keyof World['ids']> = {
  users: 'user',
  profiles: 'profile',
  roles: 'role',
  organisations: 'organisation',
  units: 'unit',
}
const pathOf = (kind: Kind, { ids }: World) => `/${kind}/${ids[one[kind]]}`

const setting =
  (kind: Kind, body: object) =>
  async (admin: Administrator, world: World): Promise<unknown> =>
    (await admin.patch(pathOf(kind, world), body)).status
const removing = (kind: Kind) => async (admin: Administrator, world: World) =>
  (await admin.delete(pathOf(kind, world))).status
const disabled = (kind: Kind, ends: Given[], back: Given[]): Row => ({
  change: setting(kind, { active: false }),
  ends,
  again: setting(kind, { active: true }),
  back,
})
const client =
  (which: 'client' | 'machine', body: object) =>
  async (admin: Administrator, { ids }: World): Promise<unknown> =>
    (await admin.patch(`/clients/${ids[which]}`, body)).status
const firstOf = async (admin: Administrator, path: string, key: string) =>
  String((await admin.all(path))[0]?.[key])

const rows: Record<string, Row> = {
  'nothing at all': { change: async () => 200, ends: [] },
  'a user is disabled': disabled('users', person, []),
  'a user is removed': { change: removing('users'), ends: person },
  'a password becomes another': {
    change: setting('users', { password: 'another of my words' }),
    ends: person,
  },
  'a password is taken away': { change: setting('users', { password: null }), ends: person },
  'a profile is disabled': disabled('profiles', person, ['session']),
  'a profile runs out': {
    change: setting('profiles', { expires_at: '2020-01-01T00:00:00Z' }),
    ends: person,
    again: setting('profiles', { expires_at: null }),
    back: ['session'],
  },
  'a profile is removed': { change: removing('profiles'), ends: person },
  'a role is disabled': disabled('roles', person, ['session']),
  'a role is removed': { change: removing('roles'), ends: person },
  'a role gives less': {
    change: setting('roles', { permissions: ['submissions-tool.vista-import.read'] }),
    ends: ['api'],
  },
  'an organisation is disabled': disabled(
    'organisations',
    [...person, 'machine', 'secret'],
    ['session', 'secret'],
  ),
  'an organisation is removed': { change: removing('organisations'), ends: [...person, 'machine', 'secret'] },
  'a unit is disabled': disabled('units', person, ['session']),
  'a unit is removed': { change: removing('units'), ends: person },
  'a client is disabled': {
    change: client('client', { active: false }),
    ends: person,
    again: client('client', { active: true }),
    back: ['session'],
  },
  // What was allowed it was for where it was.
  'a client is moved': { change: client('client', { organisation_uuid: null }), ends: person },
  'a client is removed': {
    change: async (admin, { ids }) => (await admin.delete(`/clients/${ids.client}`)).status,
    ends: person,
  },
  'a machine is disabled': {
    change: client('machine', { active: false }),
    ends: ['machine', 'secret'],
    again: client('machine', { active: true }),
    back: ['secret'],
  },
  'a machine is moved': { change: client('machine', { organisation_uuid: null }), ends: ['machine'] },
  'a machine is removed': {
    change: async (admin, { ids }) => (await admin.delete(`/clients/${ids.machine}`)).status,
    ends: ['machine', 'secret'],
  },
  // What it gave lasts until it expires.
  'a secret is removed': {
    change: async (admin, { ids }) =>
      (await admin.delete(`/clients/${ids.machine}/secrets/${ids.secretId}`)).status,
    ends: ['secret'],
  },
  'a consent is withdrawn': {
    change: async (admin, { ids }) =>
      (await admin.delete(`/users/${ids.user}/consents/${ids.client}`)).status,
    ends: person,
  },
  'a session is ended': {
    change: async (admin, { ids }) =>
      (await admin.delete(`/sessions/${await firstOf(admin, `/sessions?user_uuid=${ids.user}`, 'sid')}`))
        .status,
    ends: person,
  },
  'all sessions of a user are ended': {
    change: async (admin, { ids }) => (await admin.delete(`/users/${ids.user}/sessions`)).status,
    ends: person,
  },
  'the person signs out': {
    change: async (_admin, { browser }) =>
      (await browser.submit(await browser.open('/oauth2/logout'))).status,
    ends: person,
  },
  'a token family is revoked': {
    change: async (admin, { ids }) =>
      (
        await admin.delete(
          `/token-families/${await firstOf(admin, `/token-families?user_uuid=${ids.user}`, 'id')}`,
        )
      ).status,
    ends: tokens,
  },
  'the client revokes its refresh token': {
    change: async (_admin, { ids, tokens }, url) =>
      (await post(`${url}/oauth2/revoke`, { client_id: ids.client, token: tokens.refresh_token ?? '' }))
        .status,
    ends: tokens,
  },
}

/** What ends by the statements of another row, or by none: once is enough. */
const alike = ['nothing at all', 'a role gives less', 'a password is taken away', 'a machine is moved']

onEachDatabase('what was given ends at once when', (dialect) => {
  const all = Object.entries(rows).filter(([name]) => dialect === 'sqlite' || !alike.includes(name))
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  let count = 0
  const made = async (path: string, body: object) => {
    const answer = await admin.post(path, body)
    if (answer.status !== 201) throw new Error(`Not made: ${answer.status} ${answer.text}`)
    return answer.json
  }

  /** A person, a client and a machine of an organisation of their own, with everything that can be given. */
  async function newWorld(): Promise<World> {
    const name = `ending-${++count}`
    const place = { organisation_uuid: String((await made('/organisations', { code: name, name })).uuid) }
    const unit = String((await made('/units', { ...place, code: 'unit', name })).uuid)
    const permissions = ['iam.users.read', 'submissions-tool.vista-import.read']
    await made('/roles', { code: name, name, permissions })
    const [email, password] = [`${name}@new.example`, 'some words of my own']
    const profile = { role_code: name, ...place, organisation_unit_uuid: unit }
    const user = await made('/users', { email, name, password, profiles: [profile] })
    const web = { type: 'public', redirect_uris: [redirectUri], scope: 'openid service.api' }
    const services = ['iam', 'submissions-tool']
    await made('/clients', { client_id: name, client_name: name, ...web, services, ...place })
    const itself = { client_id: `${name}-machine`, client_name: name, type: 'machine', services: ['iam'] }
    const machine = await made('/clients', { ...itself, permissions: ['iam.users.read'], ...place })
    const secret = { client_id: itself.client_id, client_secret: String(machine.client_secret) }
    const [kept] = machine.secrets as { id: string }[]
    const [own] = user.profiles as { uuid: string }[]
    const world: World = {
      ...{ email, password, secret, tokens: {}, code: {} },
      browser: new TestBrowser(tessera.url),
      ids: {
        ...{
          user: String(user.uuid),
          profile: own?.uuid ?? '',
          role: name,
          organisation: place.organisation_uuid,
        },
        ...{ unit, client: name, machine: itself.client_id, secretId: kept?.id ?? '' },
      },
      machineToken: await machineToken(tessera.url, secret),
    }
    const code = await codeOf(world, { email, password })
    world.tokens = tokensOf(await token(tessera.url, code ?? {}))
    world.code = (await codeOf(world)) ?? {}
    return world
  }

  /** What the client exchanges; undefined: the browser gets no code. Only `typed` answers the pages. */
  async function codeOf(
    { browser, ids }: World,
    typed?: object,
  ): Promise<Record<string, string> | undefined> {
    const request = authorizeRequest({ client_id: ids.client, scope: 'openid service.api' })
    let visit = await browser.open(request.path)
    if (typed !== undefined)
      visit = await browser.submit(await browser.submit(visit, { ...typed }), { choice: 'allow' })
    const code = visit.location === undefined ? null : new URL(visit.location).searchParams.get('code')
    if (code === null) return undefined
    const exchange = { grant_type: 'authorization_code', client_id: ids.client, redirect_uri: redirectUri }
    return { ...exchange, code, code_verifier: request.verifier }
  }

  const usesApi = async (bearer: string | undefined) =>
    (await new Administrator(tessera.url, bearer ?? '').get('/users')).status === 200

  const counts: Record<Given, (world: World) => Promise<boolean>> = {
    session: async (world) => (await codeOf(world)) !== undefined,
    userinfo: async ({ tokens }) => (await userinfo(tessera.url, tokens.access_token)).status === 200,
    introspection: async ({ tokens }) => (await introspect(tessera.url, tokens.access_token)).active === true,
    api: async ({ tokens }) => await usesApi(tokens.access_token),
    machine: async (world) => await usesApi(world.machineToken),
    secret: async ({ secret }) =>
      (await token(tessera.url, { grant_type: 'client_credentials', ...secret })).status === 200,
    code: async ({ code }) => (await token(tessera.url, code)).status === 200,
    refresh: async ({ tokens, ids }) =>
      (await refresh(tessera.url, tokens.refresh_token, { client_id: ids.client })).status === 200,
  }

  const over = async (world: World, asked: readonly Given[] = given): Promise<Given[]> => {
    const ended: Given[] = []
    for (const one of asked) if (!(await counts[one](world))) ended.push(one)
    return ended
  }

  it.each(all)('%s', async (_name, { change, ends, again, back = [] }) => {
    const world = await newWorld()
    expect(await change(admin, world, tessera.url)).toBeOneOf([200, 204])
    const ended = await over(world)
    expect(ended).toEqual(given.filter((one) => ends.includes(one)))
    if (again === undefined) return
    expect(await again(admin, world)).toBe(200)
    expect(await over(world, ended)).toEqual(ended.filter((one) => !back.includes(one)))
  })
})
