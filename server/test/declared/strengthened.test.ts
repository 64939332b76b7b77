import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describePlan } from '../../dist/declared/describe.js'
import { planDeclared } from '../../dist/declared/plan.js'
import { people, profilesOfBoth, tokensFor } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { cleanUp } from '../harness/process.ts'
import { withStore } from '../harness/program.ts'
import { changeUser, setPolicy } from '../harness/states.ts'
import { importEnrolled } from '../sign-in/factor-support.ts'
import { acme, edited, parse } from './support.ts'

afterAll(cleanUp)

const role = (code: string, policy: string) =>
  edited(acme, [`  - code: ${code}\n`, `  - code: ${code}\n    policy: ${policy}\n`])
const client = (policy: string) =>
  edited(acme, [
    '  - client_id: submissions-web\n',
    `  - client_id: submissions-web\n    policy: ${policy}\n`,
  ])

/** A plan says whom a stricter policy stops. Importer and Both are signed in, and Enrolled has an authenticator app. */
onEachDatabase('a plan of stricter policies', (dialect) => {
  const tessera = tesseraOn(dialect)
  beforeAll(async () => {
    await importEnrolled(tessera, ['enrolled'])
    await tokensFor(tessera.url, people.importer)
    await tokensFor(tessera.url, people.both, { profile: profilesOfBoth.bookkeeper })
  })
  beforeEach(() => changeUser(tessera, people.importer.email, { grace_began_at: null }))

  const plan = async (text: string) =>
    withStore(tessera, (store) =>
      planDeclared(store, parse(text), {
        now: tessera.clock.now(),
        verifyPassword: async () => true,
      }),
    )

  it.each([
    // Everybody but who has an app; Admin belongs to no organisation.
    ['policy: { second_factor: required }\n', [3, 2], [1, 2]],
    // An app does not resist phishing.
    ['policy: { second_factor: passkey }\n', [4, 2], [1, 2]],
    ['policy: { second_factor: optional, password_length: 15 }\n', undefined, undefined],
    [role('reader', '{ second_factor: required }'), [1, 1], [0, 0]],
    [role('bookkeeper', '{ second_factor: required, grace_days: 7 }'), [1, 1], [1, 1]],
    // Who will use a client is not known; who has tokens of it is.
    [client('{ second_factor: required }'), [0, 0], [1, 2]],
  ] as const)('counts them (%#)', async (change, enrol, refresh) => {
    const { strengthens } = await plan(change.startsWith('policy') ? change + acme : change)
    if (enrol === undefined) return expect(strengthens).toBeUndefined()
    expect(strengthens).toEqual({
      enrol: { people: enrol[0], organisations: enrol[1] },
      refresh: { clients: refresh[0], people: refresh[1] },
    })
  })

  it('says so in words', async () => {
    const all = await plan(`policy: { second_factor: required }\n${acme}`)
    expect(describePlan(all)).toContain(
      "Sign-ins become stronger\n  3 people in 2 organisations will have to enrol\n  1 client can't refresh the tokens of 2 people until they sign in again with more proof\n",
    )
    const one = await plan(role('reader', '{ second_factor: required }'))
    expect(describePlan(one)).toContain('  1 person in 1 organisation will have to enrol\n')
    expect(describePlan(one)).not.toContain('refresh')
  })

  it('counts nobody whose grace runs, nor twice what was demanded before', async () => {
    const mild = `policy: { second_factor: required, grace_days: 7 }\n${acme}`
    expect((await plan(mild)).strengthens?.refresh).toEqual({ clients: 1, people: 2 })
    await changeUser(tessera, people.importer.email, { grace_began_at: tessera.clock.now() })
    expect((await plan(mild)).strengthens?.refresh).toEqual({ clients: 1, people: 1 })
    await setPolicy(tessera, {}, { second_factor: 'required' })
    const same = await plan(role('importer', '{ second_factor: required }'))
    expect(same.changes).toHaveLength(1)
    expect(same).not.toHaveProperty('strengthens')
    await setPolicy(tessera, {}, null)
  })
})
