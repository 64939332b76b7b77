/** What administrators see of what a directory has told of. */
import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn, problemOf } from '../administration/support.ts'
import { runHere, ways } from '../cli/command-support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { accountOf, acme, type Directory, directoryIn, globex, person } from './support.ts'

onEachDatabase('the resources of a directory', (dialect) => {
  const tessera = administeredOn(dialect)
  let scim: Directory
  let admin: Administrator
  beforeAll(async () => {
    scim = await directoryIn(tessera, { organisation_uuid: acme, domains: ['new.example'] })
    admin = await Administrator.machine(tessera.url)
  })
  const path = () => `/directories/${scim.uuid}/resources`

  it('are listed with what the directory said, and not with whether there is an account', async () => {
    await admin.post('/users', { email: 'foreign@new.example', name: 'Foreign', password: 'a long password' })
    const sent = [person('ada'), person('foreign'), person('away', { active: false }), person('gone')]
    const ids = []
    for (const one of sent) ids.push((await scim.post('/Users', one)).id)
    await scim.delete(`/Users/${ids.pop()}`)
    await scim.post('/Groups', { displayName: 'Everybody', externalId: 'g-1' })
    const listed = await admin.all(`${path()}?kind=User`)
    const untold = { kind: 'User', state: 'not_signed_in_yet', user_uuid: null }
    expect(listed).toEqual(
      ids.map((id, index) => ({
        ...{ id, ...untold, name: sent[index]?.userName, external_id: sent[index]?.externalId },
        ...{ active: index !== 2, updated_at: expect.any(String) },
      })),
    )
    expect(await admin.all(`${path()}?kind=Group`)).toMatchObject([
      { kind: 'Group', name: 'Everybody', external_id: 'g-1', state: null, user_uuid: null },
    ])
    const { uuid = '' } = (await accountOf(tessera, 'ada@new.example')) ?? {}
    expect((await admin.patch(`/users/${uuid}`, { password: 'a password of theirs' })).status).toBe(200)
    const [first] = await admin.all(path())
    expect(first).toMatchObject({ state: 'signed_in', user_uuid: uuid })
  })

  it('come in pages, within the reach, and by the command', async () => {
    const { json } = await admin.get(`${path()}?limit=2`)
    expect(json.items).toHaveLength(2)
    expect(await admin.all(path(), 2)).toHaveLength(4)
    const head = await Administrator.machine(tessera.url, 'acme-cli')
    expect((await head.get(path())).status).toBe(200)
    const foreign = await directoryIn(tessera, { organisation_uuid: globex })
    expect(problemOf(await head.get(`/directories/${foreign.uuid}/resources`))).toBe('404 not_found')
    expect(problemOf(await admin.get(`${path()}?kind=Role`))).toBe('400 invalid_request kind')
    const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
    expect((await onlooker.get(path())).status).toBe(403)
    const environment = ways.http(tessera)
    const told = await runHere(['directory', 'resources', scim.uuid, '--kind', 'Group'], { environment })
    expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('Everybody\tg-1') })
  })
})
