/** The last who gets in without the provider, and doors that take them away a moment later. */
import { beforeAll, expect, it } from 'vitest'
import { ownerOf, problemOf } from '../administration/support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { beyondOf, setOrganisation, setPolicy } from '../harness/states.ts'
import { importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { acme, placeOn } from './sign-in-support.ts'

onOneDatabase('an attack on the last who gets in', (dialect) => {
  const place = placeOn(dialect)
  let uuid = ''
  let profile = ''
  beforeAll(async () => {
    const made = await place.admin.post('/roles', { code: 'glazier', name: 'Glazier', permissions: [] })
    expect(made.status, made.text).toBe(201)
    await importEnrolled(place.tessera, ['glass'], 'glazier')
    const [found] = (await place.admin.all(`/users?q=${personOf('glass').email}`)) as [{ uuid: string }]
    const [own] = (await place.admin.all(`/profiles?user_uuid=${found.uuid}`)) as [{ uuid: string }]
    uuid = found.uuid
    profile = own.uuid
    await setOrganisation(place.tessera, acme, { breakGlass: [uuid] })
  })
  const forced = async (is: boolean) =>
    await setPolicy(place.tessera, { organisation: 'acme' }, is ? { sign_in: 'upstream' } : null)

  it('gives their profile no nearer end', async () => {
    await forced(false)
    const ends = (at: number) => ({ expires_at: new Date(place.tessera.clock.now() + at).toISOString() })
    await place.change(`/profiles/${profile}`, ends(1e10))
    await forced(true)
    expect(problemOf(await place.admin.patch(`/profiles/${profile}`, ends(2000)))).toBe('409 conflict')
    await place.change(`/profiles/${profile}`, ends(2e10))
    await place.change(`/profiles/${profile}`, { expires_at: null })
  })

  it('makes their account unproved by no password of somebody limited, whose profiles would wait', async () => {
    await forced(true)
    const owner = await ownerOf(place.url, place.admin)
    const set = async () =>
      await owner.patch(`/users/${uuid}`, { password: 'another long password of theirs' })
    expect(problemOf(await set())).toBe('409 conflict')
    expect(await beyondOf(place.tessera, uuid)).toEqual([null])
    await forced(false)
    expect((await set()).status).toBe(200)
    await place.change('/roles/glazier', { permissions: ['iam.declared.read'] })
    expect(await beyondOf(place.tessera, uuid)).toEqual(['waits'])
  })
})
