/** An organisation that forces its provider keeps somebody who gets in without it. */
import { expect, it } from 'vitest'
import { Administrator } from '../administration/support.ts'
import { authorizeRequest, signIn } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { setOrganisation, setPolicy } from '../harness/states.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { acme, placeOn } from './sign-in-support.ts'

onOneDatabase('who gets in without the provider', (dialect) => {
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const named = async () => (await place.admin.get(`/organisations/${acme}`)).json.break_glass

  it('is not taken away while the provider is forced', async () => {
    const ada = place.somebody()
    const { uuid } = await place.account(ada)
    await setOrganisation(place.tessera, acme, { breakGlass: [uuid] })
    await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in: 'upstream' })
    const answer = await place.admin.patch(`/organisations/${acme}`, { break_glass: [] })
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400)
    expect(await named()).toEqual([uuid])
  })

  it('is not taken away by what the provider asserts', async () => {
    const ada = place.somebody()
    const { uuid } = await place.account(ada)
    await setOrganisation(place.tessera, acme, { breakGlass: [uuid] })
    await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in: 'upstream' })
    await place.signIn({ ...ada, sub: 'operator' })
    expect(await named()).toEqual([uuid])
  })

  it('is nobody whose account somebody limited has set since, until it is proved', async () => {
    await place.tokens({ ...place.somebody(), groups: [] }).catch(() => undefined)
    await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in: 'any' })
    await importEnrolled(place.tessera, ['taken', 'other'], 'importer')
    const uuidOf = async (name: string) =>
      ((await place.admin.all(`/users?q=${personOf(name).email}`)) as [{ uuid: string }])[0].uuid
    const [taken, other] = [await uuidOf('taken'), await uuidOf('other')]
    const name = async (people: string[]) =>
      await place.admin.patch(`/organisations/${acme}`, { break_glass: people })
    expect((await name([taken, other])).status).toBe(200)
    await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in: 'upstream' })
    const leadsTo = async (secret: string) => {
      const browser = place.browser()
      const asked = await signIn(browser, authorizeRequest().path, {
        ...personOf('taken'),
        password: secret,
      })
      place.tessera.clock.advance(30_000)
      return (await browser.submit(asked, { code: codeOf(place.tessera) })).location ?? ''
    }
    expect(await leadsTo(personOf('taken').password)).toContain('code=')
    const limited = await Administrator.machine(place.url, 'acme-cli')
    const set = async (uuid: string) =>
      await limited.patch(`/users/${uuid}`, { password: 'a password that a help desk knows' })
    expect((await set(taken)).status).toBe(200)
    expect(await leadsTo('a password that a help desk knows')).not.toContain('code=')
    const last = await set(other)
    expect([last.status, last.text]).toEqual([409, expect.stringContaining('break_glass')])
    const shown = await limited.post(`/users/${other}/recovery`, { delivery: 'link' })
    expect([shown.status, shown.text]).toEqual([409, expect.stringContaining('break_glass')])
    await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in: 'any' })
    expect((await name([other])).status).toBe(200)
    const again = await name([other, taken])
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('Nobody has proved yet')])
  })
})
