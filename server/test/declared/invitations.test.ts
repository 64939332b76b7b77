import { expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { describePlan } from '../../dist/declared/describe.js'
import { exportDeclared } from '../../dist/declared/export.js'
import { emptyPlan, planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { recordsOf } from '../audit/support.ts'
import { people } from '../harness/browser.ts'
import { answerInvitations, invitationLinkCounts, invitationsIn } from '../harness/states.ts'
import { acme, forEachDatabase, parse, refusal } from './support.ts'
import { quickPasswords } from './tree.ts'
import { oneDatabase } from '../harness/databases.ts'

const day = 24 * 3_600_000
const settings = { now: 2_000, ...quickPasswords }
const apply = (store: Store, text: string, more: object = {}) =>
  applyDeclared(store, parse(text), { ...settings, ...more })
const plan = (store: Store, text: string, more: object = {}) =>
  planDeclared(store, parse(text), { ...settings, ...more })
const inviting = (
  profiles = '[{ role: importer, organisation: acme, unit: intake }]',
  email = 'ines@acme.example',
) => `${acme}\ninvitations:\n  - email: ${email}\n    name: Ines\n    profiles: ${profiles}\n`

/** People whom a declared file invites. */
forEachDatabase((openEmptyStore, dialect) => {
  const once = oneDatabase(dialect)
  it('invites once, and tells of it; what is answered or has expired stays so', async () => {
    const store = await openEmptyStore()
    const planned = await plan(store, inviting())
    expect(describePlan(planned)).toContain(
      'Invitations\n  + ines@acme.example\n      name: "Ines"\n      profiles: importer at acme/intake\n',
    )
    expect((await apply(store, inviting())).changes).toEqual(planned.changes)
    expect(await invitationsIn(store)).toMatchObject([
      { email: 'ines@acme.example', state: 'pending', managed_by: 'acme.yaml', expires_at: 2_000 + 7 * day },
    ])
    expect((await recordsOf(store)).map(({ kind }) => kind)).toContain('invitation.created')
    for (const state of ['pending', 'accepted', 'withdrawn'] as const) {
      await answerInvitations(store, state)
      expect(await plan(store, inviting(), { now: 20 * day })).toEqual(emptyPlan())
      expect(await apply(store, inviting(), { now: 20 * day })).toEqual(emptyPlan())
    }
    expect(await exportDeclared(store, 3_000)).not.toContain('ines@acme.example')
  })

  once.it('leaves alone who has an account', async () => {
    const store = await openEmptyStore()
    await apply(store, acme)
    const { email } = people.both
    const [first, rest] = acme.split(/^users:$/m)
    const without = `${first}invitations:\n  - email: ${email}\n${rest?.slice(rest.indexOf('\nclients:')) ?? ''}`
    expect((await plan(store, without)).changes).toEqual([])
  })

  it('sends one that says something else anew', async () => {
    const store = await openEmptyStore()
    await apply(store, inviting())
    const other = inviting('[{ role: reader, organisation: acme }]')
    const planned = await plan(store, other, { now: 3_000 })
    expect(planned.changes).toMatchObject([
      {
        kind: 'invitation',
        action: 'change',
        fields: [{ before: ['importer at acme/intake'], after: ['reader at acme'] }],
      },
    ])
    await apply(store, other, { now: 3_000 })
    expect(await invitationsIn(store)).toMatchObject([{ expires_at: 3_000 + 7 * day }])
    expect((await recordsOf(store)).map(({ kind }) => kind)).toContain('invitation.resent')
  })

  it('withdraws what the file names no more with --prune alone', async () => {
    const store = await openEmptyStore()
    await apply(store, inviting())
    expect(await plan(store, acme)).toEqual({
      ...emptyPlan(),
      unnamed: [{ kind: 'invitation', id: 'ines@acme.example' }],
    })
    expect(await invitationsIn(store)).toMatchObject([{ state: 'pending' }])
    const pruned = await apply(store, acme, { prune: true })
    expect(pruned.changes).toMatchObject([{ kind: 'invitation', action: 'remove', pruned: true }])
    expect(await invitationsIn(store)).toMatchObject([{ state: 'withdrawn' }])
    expect(await plan(store, acme)).toEqual(emptyPlan())
  })

  it.each([true, false])('leaves no link of one that it withdraws, with a mail server: %s', async (mails) => {
    const store = await openEmptyStore()
    const texts: string[] = []
    const mail = {
      from: { name: undefined },
      post: async (_trx: unknown, posted: { link: { text: string } }) => {
        texts.push(posted.link.text)
        return true
      },
    }
    await apply(store, inviting(), { mail })
    const [text = ''] = texts
    expect(await invitationLinkCounts(store, text, 3_000)).toBe(true)
    // A mail that waits goes out as long as its link is there.
    await apply(store, acme, { prune: true, ...(mails && { mail }) })
    expect(await invitationLinkCounts(store, text, 3_000)).toBe(false)
    expect(texts).toHaveLength(1)
  })

  it('mails what is new or says something else, in the same transaction, and nothing twice', async () => {
    const store = await openEmptyStore()
    const sent: string[] = []
    const mail = {
      from: { name: undefined },
      post: async (_trx: unknown, posted: { to: { address: string }; data: object }) => {
        sent.push(`${posted.to.address} ${JSON.stringify(posted.data)}`)
        return true
      },
    }
    for (const text of [inviting(), inviting(), inviting('[{ role: reader, organisation: acme }]')])
      await apply(store, text, { mail })
    const data = '{"inviter":"Acme Institute","to":"Acme Institute","days":7}'
    expect(sent).toEqual([`ines@acme.example ${data}`, `ines@acme.example ${data}`])
  })

  once.it.each([
    ['[{ role: none-such }]', 'the file declares no role "none-such"'],
    ['[{ role: reader, organisation: none-such }]', 'the file declares no organisation "none-such"'],
    ['[{ role: reader, unit: intake }]', 'needs the organisation'],
    ['[{ role: reader }, { role: reader }]', 'gives the same profile twice'],
    ['[{ role: reader, active: false }]', 'unknown key "active"'],
    ['[{ organisation: acme }]', 'has no "role"'],
  ])('refuses the profiles %s', async (profiles, reason) => {
    const [found] = await refusal(() => parse(inviting(profiles)))
    expect(found).toContain(reason)
  })

  once.it('refuses to invite a user of the file, or somebody twice', async () => {
    const [found] = await refusal(() => parse(inviting('[]', 'importer@acme.example')))
    expect(found).toContain('is there twice')
    const twice = `${inviting()}  - email: INES@acme.example\n`
    expect((await refusal(() => parse(twice)))[0]).toContain('is there twice')
  })
})
