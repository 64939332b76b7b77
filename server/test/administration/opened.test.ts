/** Who else opens an organisation: what it accepts, and who gets in when its own sign-in does not work. */
import { beforeAll, expect, it } from 'vitest'
import { onEachDatabase } from '../harness/databases.ts'
import { linkTo, plantApp, setPolicy } from '../harness/states.ts'
import { runHere } from '../cli/command-support.ts'
import {
  acme,
  Administrator,
  administeredOn,
  globex,
  heads,
  ownerOf,
  problemOf,
  recordsWith,
  users,
} from './support.ts'

const path = `/organisations/${acme}`
const headUser = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0005'

onEachDatabase('what opens an organisation', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let owner: Administrator
  let head: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    owner = await ownerOf(tessera.url, admin)
    head = await Administrator.machine(tessera.url, 'acme-cli')
    await Administrator.person(tessera.url, heads.head)
  })

  it('accepts others where who says so could give what is held here', async () => {
    expect(problemOf(await head.patch(path, { accepts: [globex] }))).toBe('403 forbidden')
    expect(problemOf(await owner.patch(path, { accepts: [acme] }))).toBe('400 invalid_request accepts')
    expect(problemOf(await owner.patch(path, { accepts: [users.admin] }))).toBe('400 invalid_request accepts')
    const theirs = { body: { accepts: [acme] }, match: '*' }
    expect(problemOf(await owner.ask('PATCH', `/organisations/${globex}`, theirs))).toBe('404 not_found')
    expect((await owner.patch(path, { accepts: [globex] })).json).toMatchObject({ accepts: [globex] })
    // Taking it back gives nobody anything.
    expect((await head.patch(path, { accepts: [] })).json).toMatchObject({ accepts: [] })
    const { json: short } = await admin.post('/organisations', { code: 'short', name: 'Short' })
    await owner.patch(path, { accepts: [short.uuid] })
    expect((await admin.delete(`/organisations/${String(short.uuid)}`)).status).toBe(204)
    expect((await owner.get(path)).json).toMatchObject({ accepts: [] })
  })

  it('names people who can get in by themselves, and by nothing of the organisation', async () => {
    const name = async (by: Administrator, ...people: string[]) =>
      await by.patch(path, { break_glass: people })
    expect(problemOf(await name(owner, headUser))).toBe('403 forbidden')
    const wrong = '400 invalid_request break_glass'
    // Nobody of this organisation; without a second factor.
    for (const one of [users.nobody, users.admin, acme, headUser])
      expect(problemOf(await name(admin, one))).toBe(wrong)
    await plantApp(tessera, headUser)
    const upstream = await owner.post('/upstreams', {
      ...{ code: 'u', name: 'U', kind: 'oidc', organisation_uuid: acme, client_id: 'c' },
      issuer: 'https://idp.acme.example',
    })
    const link = { upstream_uuid: String(upstream.json.uuid), user_uuid: headUser, groups: [], at: 1 }
    await linkTo(tessera, link)
    expect(problemOf(await name(admin, headUser))).toBe(wrong)
    expect((await admin.delete(`/users/${headUser}/links/${link.upstream_uuid}`)).status).toBe(204)
    expect((await name(admin, headUser)).json).toMatchObject({ break_glass: [headUser] })
    expect((await name(owner)).json).toMatchObject({ break_glass: [] })
  })

  it('forces its own sign-in only where somebody could still get in, and is let loose by the last resort', async () => {
    const force = async () => await admin.patch(path, { policy: { sign_in: 'upstream' } })
    expect(problemOf(await force())).toBe('409 conflict policy.sign_in')
    expect((await admin.patch(path, { break_glass: [headUser] })).status).toBe(200)
    // Named, and not signed in by a credential of level 2 yet: `upstream/glass-signed-in` does.
    expect(problemOf(await force())).toBe('409 conflict policy.sign_in')
    await setPolicy(tessera, { organisation: 'acme' }, { sign_in: 'upstream' })
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl }
    const ran = await runHere(['upstreams', 'relax', 'acme'], { environment })
    expect([ran.code, ran.stdout]).toEqual([0, 'People of acme may sign in otherwise again.\n'])
    expect((await admin.get(path)).json).toMatchObject({ policy: { sign_in: 'any' } })
    const told = (await recordsWith(admin, acme)).at(-1)
    expect(told).toMatchObject({ kind: 'organisation.changed', actor: { kind: 'command' } })
  })
})
