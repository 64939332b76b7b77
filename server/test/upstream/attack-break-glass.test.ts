/** An organisation that forces its provider keeps somebody who gets in without it. */
import { expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { setOrganisation, setPolicy } from '../harness/states.ts'
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
})
