/** A directory that waits for a declared file: its maker's token gives nothing that the file adds. */
import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { onEachDatabase } from '../harness/databases.ts'

const owner = { email: 'owner@harbour.example', password: 'correct horse battery nine' }

onEachDatabase('a directory that is made before a file names it', (dialect) => {
  const tessera = administeredOn(dialect)
  let machine: Administrator
  let limited: Administrator
  let organisation_uuid: string

  const made = async (who: Administrator, path: string, body: object) => {
    const answer = await who.post(path, body)
    expect(answer.status, answer.text).toBe(201)
    return answer.json
  }
  beforeAll(async () => {
    machine = await Administrator.machine(tessera.url)
    organisation_uuid = String(
      (await made(machine, '/organisations', { code: 'harbour', name: 'Harbour' })).uuid,
    )
    const permissions = ['create', 'read', 'update'].map((verb) => `iam.directories.${verb}`)
    await made(machine, '/roles', { code: 'harbour-master', name: 'Harbour master', permissions })
    const profiles = [{ role_code: 'harbour-master', organisation_uuid }]
    await made(machine, '/users', { ...owner, name: 'Hanna Owner', email_verified: true, profiles })
    limited = await Administrator.person(tessera.url, owner)
  })

  /** The token of a new directory. */
  async function tokenOf(who: Administrator, code: string): Promise<string> {
    const { uuid } = await made(who, '/directories', { organisation_uuid, code, name: code })
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    return String((await made(who, `/directories/${String(uuid)}/tokens`, { expires_at })).token)
  }
  const asks = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${tessera.url}/scim/v2/Users`, { headers })).status
  }
  const mapping = '[{ group: admins, role: harbour-admin }]'
  const fileOf = (...codes: string[]) => ({
    text: `roles: [{ code: harbour-admin, name: Admin, permissions: ['iam.*'] }]
organisations: [{ code: harbour, name: Harbour, domains: [harbour.example], directories: [
      ${codes.map((code) => `{ code: ${code}, name: ${code}, mapping: ${mapping} }`).join(', ')}] }]`,
    file: 'harbour.yaml',
  })

  it('loses the tokens of somebody limited, as the plan says, and keeps those of who administers everything', async () => {
    const [planted, own] = [await tokenOf(limited, 'hr'), await tokenOf(machine, 'staff')]
    expect([await asks(planted), await asks(own)]).toEqual([200, 200])
    const { json, text, status } = await machine.post('/declared/plan', fileOf('hr', 'staff'))
    expect(status, text).toBe(200)
    const adopts = json.adopts as { kind: string; id: string; loses: string[] }[]
    expect(adopts.filter(({ kind }) => kind === 'directory')).toMatchObject([
      { id: 'harbour/hr', loses: ['tokens'] },
    ])
    expect([await asks(planted), await asks(own)]).toEqual([200, 200])
    const applied = await machine.post('/declared/apply', { ...fileOf('hr', 'staff'), digest: json.digest })
    expect(applied.status, applied.text).toBe(200)
    expect([await asks(planted), await asks(own)]).toEqual([401, 200])
    const [hr] = (await machine.all('/directories')).filter(({ code }) => code === 'hr')
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const again = await limited.post(`/directories/${String(hr?.uuid)}/tokens`, { expires_at })
    expect(again.status).toBe(403)
    const silent = await machine.post('/declared/plan', fileOf('hr', 'staff'))
    expect(silent.json).toMatchObject({ changes: [] })
  })
})
