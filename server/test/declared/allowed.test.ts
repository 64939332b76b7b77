import { expect, it } from 'vitest'
import { describePlan } from '../../dist/declared/describe.js'
import { exportDeclared } from '../../dist/declared/export.js'
import { planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { applyDeclared } from '../../dist/declared/apply.js'
import { acme, edited, forEachDatabase, parse, refusal } from './support.ts'
import { noteRemoved } from '../harness/states.ts'
import { quickPasswords } from './tree.ts'
import { oneDatabase } from '../harness/databases.ts'

const now = 2_000
const settings = { now, ...quickPasswords }
const plan = (store: Store, text: string) => planDeclared(store, parse(text), settings)
const apply = (store: Store, text: string) => applyDeclared(store, parse(text), settings)
const web = '    client_name: Submissions\n'
const allowing = (lists: string) => edited(acme, [web, `${web}    allowed: {${lists}}\n`])

forEachDatabase((openEmptyStore, dialect) => {
  const once = oneDatabase(dialect)
  it('is told by the plan how many it shuts out and lets in', async () => {
    const store = await openEmptyStore()
    await apply(store, acme)
    const narrowed = allowing('roles: [reader, bookkeeper]')
    const first = await plan(store, narrowed)
    expect(first.enters).toEqual([
      {
        client_id: 'submissions-web',
        shut_out: { people: 2, organisations: 1 },
        let_in: { people: 0, organisations: 0 },
      },
    ])
    expect(describePlan(first)).toContain(
      'Who may enter changes\n  2 people in 1 organisation can no longer sign in to submissions-web',
    )
    await apply(store, narrowed)
    // Somebody who has a second profile there stays; the administrator has one everywhere.
    const others = await plan(store, allowing('organisations: [globex, acme/intake]'))
    expect(describePlan(others)).toContain(
      '  1 person in 1 organisation can sign in newly to submissions-web',
    )
    expect(others.enters?.[0]?.shut_out.people).toBe(0)
    const renamed = narrowed.replace('Submissions\n    type', 'Submissions of all\n    type')
    expect(await plan(store, renamed)).not.toHaveProperty('enters')
  })

  it('of an export is the same again; one that names what was removed says so', async () => {
    const store = await openEmptyStore()
    const text = allowing('roles: [reader], organisations: [acme/finance], permissions: [ledger.entry.read]')
    await apply(store, text)
    expect((await plan(store, await exportDeclared(store, now))).changes).toEqual([])
    await noteRemoved(store, 'submissions-web', { roles: ['reader'] })
    const planned = await plan(store, text)
    expect(planned.unmet).toEqual([{ client_id: 'submissions-web', entries: ['roles: reader'] }])
    expect(describePlan(planned)).toContain('  client submissions-web, roles: reader')
  })

  once.it.each([
    [allowing('roles: [ghost]'), 'the file declares no role "ghost"'],
    [allowing('organisations: [acme/ghost]'), 'the file declares no unit "acme/ghost"'],
    [allowing('permissions: [ledger.entry.burn]'), 'the file declares no permission "ledger.entry.burn"'],
    [allowing('roles: []'), 'nobody would get in'],
    [allowing(''), 'names roles, organisations or permissions'],
    [allowing('organisations: [acme/a/b]'), 'is no place'],
  ])('is refused where it names what the file does not (%#)', async (text, reason) => {
    expect(await refusal(() => parse(text))).toEqual([expect.stringContaining(reason)])
  })
})
