import { beforeAll, expect, it } from 'vitest'
import { createGuard, type Guard } from '../src/index.ts'
import { createTestIssuer, type TestIssuer } from '../src/testing.ts'
import { audience, create, read } from './issuer.ts'

let issuer: TestIssuer
let guard: Guard

beforeAll(async () => {
  issuer = await createTestIssuer({ audience })
  guard = createGuard(issuer.guardOptions)
})

const check = async (claims: Record<string, unknown>) =>
  await guard.check(`Bearer ${await issuer.token({ permissions: [create], ...claims })}`, create)

it('tells who acts for a person, and decides by the permission alone', async () => {
  const act = { sub: 'archive-service', act: { sub: 'ledger-mcp' } }
  const decision = await check({ act })
  expect(decision.allowed && decision.claims.act).toEqual(act)
  expect(decision.allowed && Object.isFrozen(decision.claims.act?.act)).toBe(true)
  expect(await check({ act, permissions: [read] })).toMatchObject({ status: 403 })
  expect(await check({ act: { sub: 'admin' }, permissions: [] })).toMatchObject({ status: 403 })
})

it.each<[string, unknown]>([
  ['a text', 'ledger-mcp'],
  ['nothing', null],
  ['a list', [{ sub: 'ledger-mcp' }]],
  ['without a subject', {}],
  ['with an empty subject', { sub: '' }],
  ['with another that is none', { sub: 'ledger-mcp', act: 'x' }],
])('refuses an act that is %s', async (_, act) => {
  expect(await check({ act })).toMatchObject({ status: 401 })
})
