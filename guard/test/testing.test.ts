import { describe, expect, it } from 'vitest'
import { createGuard, type Guard, isMachine } from '../src/index.ts'
import { createTestIssuer, listenTestIssuer } from '../src/testing.ts'
import { audience, create } from './issuer.ts'

describe("the issuer for a service's own tests", () => {
  it('mints tokens that are let in, and every kind that is not', async () => {
    const issuer = await createTestIssuer({ audience })
    const guard = createGuard(issuer.guardOptions)
    const permissions = [create]
    const ask = async (token: string) => {
      const decision = await guard.check(`Bearer ${token}`, create)
      return decision.allowed ? decision.claims : `${decision.status} ${decision.body.error_description}`
    }
    expect(await ask(await issuer.token({ permissions, organisation_uuid: 'o' }))).toMatchObject({
      organisation_uuid: 'o',
    })
    const machine = await ask(
      await issuer.machineToken({ permissions, client_id: 'nightly-import', sub: 'nightly-import' }),
    )
    expect(machine).not.toHaveProperty('profile_uuid')
    expect(typeof machine === 'object' && isMachine(machine)).toBe(true)
    expect(await ask(await issuer.token())).toMatch(/^403 .*lacks the permission/)
    expect(await ask(await issuer.expiredToken({ permissions }))).toMatch(/^401 .*expired/)
    expect(await ask(await issuer.otherAudienceToken({ permissions }))).toMatch(/^401 .*another audience/)
    expect(await ask(await issuer.otherIssuerToken({ permissions }))).toMatch(
      /^401 .*not signed by a key of the issuer/,
    )
    expect(await ask(await issuer.forgedToken({ permissions }))).toMatch(/^401 .*not signed/)
    expect(await ask(await issuer.idToken({ permissions }))).toMatch(/^401 .*not an access token/)
  })

  it('signs as for a service that asked for ES256', async () => {
    const issuer = await createTestIssuer({ audience, alg: 'ES256' })
    const permissions = [create]
    const allowedBy = async (guard: Guard, token: string) =>
      (await guard.check(`Bearer ${token}`, create)).allowed
    const guard = createGuard(issuer.guardOptions)
    const token = await issuer.token({ permissions })
    expect(await allowedBy(guard, token)).toBe(true)
    expect(await allowedBy(createGuard({ ...issuer.guardOptions, algorithms: ['RS256'] }), token)).toBe(false)
    await issuer.rotate()
    for (const refused of [issuer.forgedToken({ permissions }), issuer.expiredToken({ permissions })])
      expect(await allowedBy(createGuard(issuer.guardOptions), await refused)).toBe(false)
    expect(await allowedBy(createGuard(issuer.guardOptions), await issuer.token({ permissions }))).toBe(true)
  })

  it('serves the same over HTTP', async () => {
    const issuer = await listenTestIssuer({ audience })
    const guard = createGuard({ issuer: issuer.issuer, audience })
    expect(
      await guard.check(`Bearer ${await issuer.token({ permissions: [create] })}`, create),
    ).toMatchObject({ allowed: true })
    expect((await fetch(`${issuer.issuer}/other`)).status).toBe(404)
    await issuer.close()
    expect(
      await guard.check(`Bearer ${await issuer.token({ permissions: [create] })}`, create),
    ).toMatchObject({ allowed: true })
  })
})
