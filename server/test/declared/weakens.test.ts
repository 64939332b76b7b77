import { expect, it } from 'vitest'
import { describePlan } from '../../dist/declared/describe.js'
import { planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { acme, apply, edited, forEachDatabase, parse, passwords, refusal } from './support.ts'

const plan = (store: Store, text: string) => planDeclared(store, parse(text), { now: 2_000, ...passwords })
const portal = 'client_name: Partner portal\n    type: public\n'
const written = (lines: string) => edited(acme, [portal, `${portal}    ${lines}\n`])
const web = (lines: string) =>
  edited(acme, [portal, `client_name: Partner portal\n    type: web\n    ${lines}\n`])

forEachDatabase((openEmptyStore) => {
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

  it.each([
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
