/** What an organisation's administrator is told where clients of others name what they remove. */
import { expect, it } from 'vitest'
import { acme, Administrator, administeredOn, recordsWith, users } from '../administration/support.ts'
import { redirectUri } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { must } from './exchange-support.ts'

onOneDatabase('who removes a unit', (dialect) => {
  const tessera = administeredOn(dialect)

  it('is told of no other clients, and of their own', async () => {
    const admin = await Administrator.machine(tessera.url)
    const theirs = await Administrator.machine(tessera.url, 'acme-cli')
    const { json: unit } = must(
      await admin.post('/units', { organisation_uuid: acme, code: 'stage', name: 'Stage' }),
      201,
    )
    const place = { organisation_uuid: acme, organisation_unit_uuid: unit.uuid }
    must(await admin.post('/profiles', { user_uuid: users.nobody, role_code: 'importer', ...place }), 201)
    const hall = {
      client_name: 'Hall',
      type: 'public',
      redirect_uris: [redirectUri],
      scope: 'openid',
      allowed: { organisations: ['acme/stage'] },
    }
    must(await admin.post('/clients', { ...hall, client_id: 'hall-of-all' }), 201)
    must(await admin.post('/clients', { ...hall, client_id: 'hall-of-acme', organisation_uuid: acme }), 201)
    const path = `/units/${String(unit.uuid)}`
    const match = (await theirs.get(path)).etag
    const { json, text } = must(await theirs.delete(`${path}?dry_run=true`, match), 200)
    expect(json.enters, text).toMatchObject([{ client_id: 'hall-of-acme' }])
    must(await admin.delete(path, match), 204)
    const changed = async (id: string) =>
      (await recordsWith(admin, id)).filter((one) => one.kind === 'client.changed').at(-1)
    expect(await changed('hall-of-acme')).toMatchObject({ organisation_uuid: acme })
    expect((await changed('hall-of-all'))?.organisation_uuid ?? null).toBeNull()
  })
})
