/** A client that demands the upstream where nobody has one comes to demand it elsewhere. */
import { expect, it } from 'vitest'
import { problemOf } from '../administration/support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { globex, placeOn } from './sign-in-support.ts'

onOneDatabase('a client that demands the upstream', (dialect) => {
  const place = placeOn(dialect, { upstream: { provision: 'create' } })

  it('is not moved to where nobody gets in without it', async () => {
    await place.signIn(place.somebody())
    const client = {
      client_name: 'Forced',
      type: 'public',
      scope: 'openid',
      redirect_uris: ['https://forced.example/'],
    }
    const policy = { sign_in: 'upstream' }
    const here = { client_id: 'forced', organisation_uuid: globex, policy }
    expect(
      problemOf(await place.admin.post('/clients', { ...client, ...here, organisation_uuid: null })),
    ).toMatch(/^409/)
    const made = await place.admin.post('/clients', { ...client, ...here })
    expect(made.status, made.text).toBe(201)
    expect(problemOf(await place.admin.patch('/clients/forced', { organisation_uuid: null }))).toMatch(/^409/)
  })
})
