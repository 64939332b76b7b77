/** What the operator of one directory must not reach by what they send. */
import { setOrganisation } from '../harness/states.ts'
import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { accountOf, acme, type Directory, directoryIn, globex, person } from './support.ts'

const mapping = [{ group: 'g-import', role: 'importer', unit: 'intake' }]

onOneDatabase('the operator of a directory', (dialect) => {
  const tessera = administeredOn(dialect)
  let scim: Directory
  let second: Directory
  let admin: Administrator
  let group: string
  const isActive = async (email: string) => (await accountOf(tessera, email))?.active
  const joined = async (sent: ReturnType<typeof person>) => {
    const { id } = await scim.post('/Users', sent)
    await scim.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: id }] })
    const { uuid = '' } = (await accountOf(tessera, sent.userName)) ?? {}
    return { id, uuid }
  }
  const away = (at: Directory, id: string, active: boolean) =>
    at.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: active })

  beforeAll(async () => {
    scim = await directoryIn(tessera, { organisation_uuid: acme, domains: ['new.example'], mapping })
    second = await directoryIn(tessera, { organisation_uuid: acme })
    admin = await Administrator.machine(tessera.url)
    group = (await scim.post('/Groups', { displayName: 'Importers', externalId: 'g-import' })).id
  })

  it('enables no account that another directory still says to be away', async () => {
    const sent = person('two')
    const { id, uuid } = await joined(sent)
    await admin.post('/profiles', { user_uuid: uuid, role_code: 'importer', organisation_uuid: acme })
    const other = await second.post('/Users', person('two'))
    await away(scim, id, false)
    await away(second, other.id, false)
    expect(await isActive(sent.userName)).toBe(false)
    await away(scim, id, true)
    expect(await isActive(sent.userName)).toBe(false)
  })

  it('enables no account that an administrator disabled too', async () => {
    const sent = person('both')
    const { id, uuid } = await joined(sent)
    await away(scim, id, false)
    expect((await admin.patch(`/users/${uuid}`, { active: false })).status).toBe(200)
    await away(scim, id, true)
    expect(await isActive(sent.userName)).toBe(false)
  })

  it('takes no way in from somebody who has left the organisation', async () => {
    const sent = person('left')
    const { id, uuid } = await joined(sent)
    await admin.patch(`/users/${uuid}`, { password: 'a password of theirs' })
    await scim.delete(`/Users/${id}`)
    await admin.post('/profiles', { user_uuid: uuid, role_code: 'bookkeeper', organisation_uuid: globex })
    expect((await accountOf(tessera, sent.userName))?.has_password).toBe(true)
    const back = await scim.post('/Users', sent)
    expect(back.status).toBe(201)
    expect((await accountOf(tessera, sent.userName))?.has_password).toBe(true)
  })

  it('moves no address of who gets in when upstreams fail, by a resource that comes back', async () => {
    const sent = person('glass')
    const { id, uuid } = await joined(sent)
    await scim.delete(`/Users/${id}`)
    await admin.patch(`/users/${uuid}`, { active: true })
    await setOrganisation(tessera, acme, { breakGlass: [uuid] })
    const back = await scim.post('/Users', sent)
    await scim.patch(`/Users/${back.id}`, {
      op: 'replace',
      path: 'emails[type eq "work"].value',
      value: 'mine@new.example',
    })
    expect(await accountOf(tessera, sent.userName)).toMatchObject({ uuid })
  })

  it('holds up nobody by one PATCH of very many operations', async () => {
    const { id } = await scim.post('/Users', person('slow'))
    const many = Array.from({ length: 5000 }, (_, index) => ({ value: `a${index}` }))
    const again = Array.from({ length: 1500 }, () => ({ op: 'add', path: 'emails', value: 'x' }))
    const Operations = [{ op: 'add', path: 'emails', value: many }, ...again]
    const began = performance.now()
    const asked = scim.ask('PATCH', `/Users/${id}`, { Operations })
    await new Promise((resolve) => setTimeout(resolve, 200))
    await fetch(`${tessera.url}/.well-known/openid-configuration`)
    const waited = performance.now() - began
    await asked
    expect(waited).toBeLessThan(2000)
  }, 120_000)

  it('holds up nobody by a list of large resources and very many attributes', async () => {
    const many = Array.from({ length: 2500 }, (_, index) => ({ value: `a${index}` }))
    expect((await scim.ask('POST', '/Users', { userName: 'large', emails: many })).status).toBe(400)
    const emails = many.slice(0, 100)
    for (let count = 0; count < 6; count++) {
      const made = await scim.post('/Users', { userName: `large-${count}`, emails })
      expect(made.status, made.text).toBe(201)
    }
    const attributes = Array.from({ length: 1150 }, (_, index) => `emails.v${index}`).join(',')
    const began = performance.now()
    const asked = scim.get(`/Users?attributes=${attributes}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await fetch(`${tessera.url}/.well-known/openid-configuration`)
    const waited = performance.now() - began
    expect((await asked).status).toBe(400)
    expect(waited).toBeLessThan(1500)
  }, 120_000)
})
