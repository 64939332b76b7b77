/** Who asks: each token that counts for the administration learns its own name, place and permissions. */
import { expect, it } from 'vitest'
import {
  acme,
  administeredOn,
  Administrator,
  heads,
  intake,
  problemOf,
  profiles,
  tokenOf,
  users,
} from './support.ts'
import { people, post } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { machineToken } from '../harness/program.ts'
import { changeClient } from '../harness/states.ts'

const place = { organisation_uuid: acme, organisation_name: 'Acme Institute' }
const nowhere = { organisation_uuid: null, organisation_name: null }
const noUnit = { organisation_unit_uuid: null, organisation_unit_name: null }

onEachDatabase('GET /me', (dialect) => {
  const tessera = administeredOn(dialect)
  const me = async (who: Administrator) => (await who.get('/me')).json

  it('tells a machine who it is and what it holds, of iam alone', async () => {
    const own = await me(await Administrator.machine(tessera.url, 'acme-cli'))
    expect(own.actor).toEqual({
      kind: 'client',
      client_id: 'acme-cli',
      client_name: 'Administration of Acme by programs',
    })
    expect(own.reach).toEqual({ kind: 'organisation', ...place, ...noUnit })
    expect(own.permissions).toContain('iam.users.read')
    expect(own.permissions).not.toContain('iam.policy.read')
    expect(own.permissions).not.toContain('submissions-tool.vista-import.read')
    expect(own.permissions).toEqual((own.permissions as string[]).toSorted())
    const onlooker = await me(await Administrator.machine(tessera.url, 'onlooker-cli'))
    expect(onlooker).toMatchObject({ permissions: ['iam.audit.read'], reach: { kind: 'installation' } })
  })

  it('tells a person by their profile, at a unit and everywhere', async () => {
    const unitHead = await me(await Administrator.person(tessera.url, heads.unitHead))
    expect(unitHead.actor).toMatchObject({
      kind: 'user',
      email: heads.unitHead.email,
      name: 'Acme Unit Head',
      role_code: 'acme-administrator',
      role_name: 'Acme administrator',
    })
    expect(unitHead.reach).toMatchObject({ kind: 'unit', ...place, organisation_unit_uuid: intake })
    const admin = await me(await Administrator.person(tessera.url, people.admin))
    expect(admin.actor).toMatchObject({ user_uuid: users.admin, profile_uuid: profiles.admin })
    expect(admin.reach).toEqual({ kind: 'installation', ...nowhere, ...noUnit })
  })

  it('tells a person what else they may act under, through this client alone', async () => {
    const both = async () => {
      const who = await Administrator.person(tessera.url, people.both, profiles.bothReader)
      return (await me(who)).actor as { role_name: string; profiles: Record<string, unknown>[] }
    }
    const { role_name, profiles: all } = await both()
    expect([role_name, all.map((one) => one.role_name)]).toEqual(['Reader', ['Reader', 'Bookkeeper']])
    expect(all[1]).toMatchObject({ profile_uuid: profiles.bothBookkeeper, role_code: 'bookkeeper' })
    const admin = await Administrator.machine(tessera.url)
    await admin.patch(`/profiles/${profiles.bothBookkeeper}`, { active: false })
    expect((await both()).profiles).toHaveLength(1)
    await admin.patch(`/profiles/${profiles.bothBookkeeper}`, { active: true })
    // A client of one organisation learns nothing of another.
    await changeClient(tessera, 'admin-web', { organisation_uuid: acme })
    expect((await both()).profiles).toEqual([all[0]])
    await changeClient(tessera, 'admin-web', { organisation_uuid: null })
  })

  it('needs no permission, but a token for the administration that counts', async () => {
    await changeClient(tessera, 'onlooker-cli', { permissions: '[]' })
    expect((await me(await Administrator.machine(tessera.url, 'onlooker-cli'))).permissions).toEqual([])
    const other = await new Administrator(tessera.url, await machineToken(tessera.url)).get('/me')
    expect([other.status, other.json.error]).toEqual([401, 'invalid_token'])
    const ended = await tokenOf(tessera.url, 'admin-cli')
    const credentials = { client_id: 'admin-cli', client_secret: 'admin-cli-development-secret' }
    await post(`${tessera.url}/oauth2/revoke`, { ...credentials, token: ended })
    expect(problemOf(await new Administrator(tessera.url, ended).get('/me'))).toBe('401 invalid_token')
  })

  it('refuses a parameter that it does not have', async () => {
    const admin = await Administrator.machine(tessera.url)
    expect(problemOf(await admin.get('/me?dry_run=true'))).toBe('400 invalid_request dry_run')
  })
})
