import { expect, it } from 'vitest'
import { describePlan } from '../../dist/declared/describe.js'
import { planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { acme, apply, edited, forEachDatabase, parse, passwords, refusal } from './support.ts'
import { oneDatabase } from '../harness/databases.ts'

const plan = (store: Store, text: string) => planDeclared(store, parse(text), { now: 2_000, ...passwords })
const portal = 'client_name: Partner portal\n    type: public\n'
const written = (lines: string) => edited(acme, [portal, `${portal}    ${lines}\n`])
const web = (lines: string) =>
  edited(acme, [portal, `client_name: Partner portal\n    type: web\n    ${lines}\n`])

forEachDatabase((openEmptyStore, dialect) => {
  const once = oneDatabase(dialect)
  it('is told by the plan what makes a sign-in weaker, when it does', async () => {
    const store = await openEmptyStore()
    await apply(store, acme)
    const text = written('require_nonce: false')
    const planned = await plan(store, text)
    expect(planned.weakens).toEqual([
      { client_id: 'partner-portal', field: 'require_nonce', detail: expect.stringMatching(/^Without/) },
    ])
    expect(describePlan(planned)).toContain(
      'Sign-ins become weaker\n  client partner-portal, require_nonce: Without a nonce ',
    )
    await apply(store, text)
    const renamed = text.replace('Partner portal', 'Portal of partners')
    expect(await plan(store, renamed)).not.toHaveProperty('weakens')
    expect(await plan(store, acme)).not.toHaveProperty('weakens')
    const fresh = await plan(await openEmptyStore(), text)
    expect(fresh.weakens?.map((one) => one.field)).toEqual(['require_nonce'])
  })

  once.it('is told by the plan what proves less than before, and nothing that proves more', async () => {
    const store = await openEmptyStore()
    const strict = (lines: string) =>
      edited(acme, [
        portal,
        `client_name: Partner portal\n    type: web\n    jwks_uri: https://app.acme.example/jwks\n${lines}`,
      ])
    const [pushes, bound, signs, audience] = [
      '    require_pushed_authorization_requests: true\n',
      '    dpop_bound_access_tokens: true\n',
      '    token_endpoint_auth_signing_alg: ES256\n',
      '    assertion_audience: token_endpoint\n',
    ]
    const weaker = async (text: string) =>
      (await plan(store, text)).weakens?.map(({ client_id, field }) => `${client_id} ${field}`)
    expect(await weaker(strict(pushes + signs))).toBeUndefined()
    expect(await weaker(strict(audience))).toEqual(['partner-portal assertion_audience'])
    await apply(store, strict(pushes + bound + signs))
    expect(await weaker(strict(pushes + signs))).toEqual(['partner-portal dpop_bound_access_tokens'])
    await apply(store, strict(pushes + signs))
    expect(await weaker(strict(pushes))).toEqual(['partner-portal token_endpoint_auth_signing_alg'])
    expect(await weaker(strict(signs.replace('ES256', 'PS256') + audience))).toEqual([
      'partner-portal require_pushed_authorization_requests',
      'partner-portal assertion_audience',
    ])
    await apply(store, strict(audience))
    expect(await weaker(strict(''))).toBeUndefined()
    expect(await weaker(strict(pushes + bound + signs))).toBeUndefined()
  })

  once.it.each([
    [written('require_pkce: false'), 'a public client has nothing but PKCE'],
    [
      web('require_pkce: false\n    require_nonce: false'),
      'require_nonce and require_pkce are not both false',
    ],
    [
      web('require_pkce: false\n    require_state: false'),
      'require_state and require_pkce are not both false',
    ],
    [written('require_nonce: no'), 'require_nonce is true or false'],
    [
      edited(acme, [
        'client_name: Ledger report\n',
        'client_name: Ledger report\n    require_state: false\n',
      ]),
      'a machine client has no require_state',
    ],
  ])('refuses what can not be off (%#)', async (text, reason) => {
    expect(await refusal(() => parse(text))).toEqual([expect.stringContaining(reason)])
  })
})
