import { beforeAll, describe, expect, it } from 'vitest'
import { createGuard, type Guard, type RouteTable } from '../src/index.ts'
import { createTestIssuer, type TestIssuer } from '../src/testing.ts'
import { audience, create, read } from './issuer.ts'

const table: RouteTable = {
  'POST /strong': { permission: create, acr: '2' },
  'POST /fresh': { permission: create, maxAge: 60 },
  'POST /both': { permission: create, acr: 'phr', maxAge: 60 },
}

let issuer: TestIssuer
let guard: Guard
let now: number

beforeAll(async () => {
  issuer = await createTestIssuer({ audience })
  now = Date.now()
  guard = createGuard({ ...issuer.guardOptions, now: () => now })
})

async function ask(url: string, claims: Record<string, unknown>, permission = create) {
  const token = await issuer.token({ permissions: [permission], ...claims })
  const headers = { authorization: `Bearer ${token}` }
  return await guard.routes(table).check({ method: 'POST', url, headers })
}

describe('a route that demands more than a permission', () => {
  const seconds = () => Math.floor(now / 1000)

  it.each([
    ['/strong', '1', 401],
    ['/strong', '2', true],
    ['/strong', 'phr', true],
    ['/strong', '3', 401],
    ['/strong', undefined, 401],
    ['/both', '2', 401],
    ['/both', 'phr', true],
  ])('%s with the level %s: %s', async (url, acr, outcome) => {
    const decision = await ask(url, { acr })
    expect(decision.allowed ? true : decision.status).toBe(outcome)
  })

  it.each([
    [0, true],
    [60, true],
    [64, true],
    [67, 401],
  ])('counts the seconds since the sign-in: %i', async (ago, outcome) => {
    const decision = await ask('/fresh', { auth_time: seconds() - ago })
    expect(decision.allowed ? true : decision.status).toBe(outcome)
  })

  it('names what to ask for', async () => {
    const decision = await ask('/both', { acr: '1' })
    expect(decision).toMatchObject({
      status: 401,
      reason: 'insufficient_user_authentication',
      body: { error: 'insufficient_user_authentication', acr_values: 'phr', max_age: 60 },
    })
    expect(!decision.allowed && decision.headers['www-authenticate']).toMatch(
      /^Bearer error="insufficient_user_authentication", error_description="[^"]+", acr_values="phr", max_age="60"$/,
    )
  })

  it('asks for the permission first, and no machine to prove more', async () => {
    expect(await ask('/strong', { acr: '1' }, read)).toMatchObject({ status: 403 })
    const headers = { authorization: `Bearer ${await issuer.machineToken({ permissions: [create] })}` }
    const decision = await guard.routes(table).check({ method: 'POST', url: '/strong', headers })
    expect(decision).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } })
  })

  it('never meets a level that is asked for by mistake', async () => {
    const headers = { authorization: `Bearer ${await issuer.token({ permissions: [create], acr: 'phr' })}` }
    const demanded = { permission: create, acr: 'gold' } as unknown as { permission: string; acr: '2' }
    expect(await guard.check({ headers }, demanded)).toMatchObject({ status: 401 })
  })

  it.each([
    { permission: create },
    { permission: 'none', acr: '2' },
    { permission: create, acr: '3' },
    { permission: create, maxAge: -1 },
    { permission: create, maxAge: 1.5 },
    { permission: create, acr: '2', level: '2' },
  ])('stops the start where it is wrong: %j', (requirement) => {
    expect(() => guard.routes({ 'GET /': requirement } as RouteTable)).toThrow(TypeError)
  })
})
