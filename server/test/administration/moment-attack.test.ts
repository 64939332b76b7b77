/** Moments of the past tell an administrator of an organisation nothing of others, by no refusal either. */
import { expect, it } from 'vitest'
import { randomUUID } from 'node:crypto'
import { acme, Administrator, administeredOn, globex, users } from './support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { switchAlone } from '../harness/states.ts'

onOneDatabase('a moment of somebody elsewhere', (dialect) => {
  const tessera = administeredOn(dialect)

  it('is refused as that of nobody, also where the audit contradicts what is there', async () => {
    const admin = await Administrator.machine(tessera.url)
    const { json } = await admin.get('/clients/acme-cli')
    const permissions = [...new Set([...(json.permissions as string[]), 'iam.audit.read'])]
    expect((await admin.patch('/clients/acme-cli', { permissions })).status).toBe(200)
    const own = await Administrator.machine(tessera.url, 'acme-cli')
    const at = new Date(tessera.clock.now()).toISOString()
    tessera.clock.advance(1000)
    const only = { user_uuid: users.both, role_code: 'importer' }
    const { json: elsewhere } = await admin.post('/profiles', { ...only, organisation_uuid: globex })
    const disable = async (path: string) => {
      const { status, text } = await admin.ask('PATCH', path, { body: { active: false }, match: '*' })
      expect(status, text).toBe(200)
    }
    await disable(`/users/${users.nobody}`)
    await disable(`/profiles/${String(elsewhere.uuid)}`)
    await switchAlone(tessera, ['user', people.nobody.email], 1)
    await switchAlone(tessera, ['profile', String(elsewhere.uuid)], 1)
    const asked = async (who: Administrator, uuid: string) => await who.get(`/users/${uuid}/access?at=${at}`)
    for (const uuid of [users.nobody, users.both]) expect((await asked(admin, uuid)).status).toBe(409)
    const [stranger, unknown] = [await asked(own, users.nobody), await asked(own, randomUUID())]
    expect([stranger.status, stranger.json]).toEqual([unknown.status, unknown.json])
    expect(stranger.status).toBe(404)
    // A contradiction elsewhere is nothing of theirs, of somebody who is theirs too.
    const { status, json: told } = await asked(own, users.both)
    expect(status).toBe(200)
    for (const one of told.profiles as { organisation_uuid: string }[])
      expect(one.organisation_uuid).toBe(acme)
  })
})
