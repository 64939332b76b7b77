import { expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { describePlan } from '../../dist/declared/describe.js'
import { exportDeclared } from '../../dist/declared/export.js'
import { emptyPlan, planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { installationPolicy } from '../../dist/store/policies.js'
import { acme, forEachDatabase, parse, refusal } from './support.ts'
import { quickPasswords } from './tree.ts'

const settings = { now: 2_000, ...quickPasswords }
const apply = (store: Store, text: string) => applyDeclared(store, parse(text), settings)
const plan = (store: Store, text: string, prune = false) =>
  planDeclared(store, parse(text), { ...settings, prune })
const required = 'policy: { second_factor: required, grace_days: 7 }\n'

/** The policy of the installation stands at the top of a declared file. */
forEachDatabase((openEmptyStore) => {
  it('sets the policy of the installation, and tells of it', async () => {
    const store = await openEmptyStore()
    await apply(store, acme)
    expect(await installationPolicy(store)).toEqual({})
    const planned = await plan(store, required + acme)
    expect(planned).toMatchObject({
      changes: [
        {
          kind: 'policy',
          action: 'change',
          id: 'installation',
          fields: [
            { field: 'second_factor', before: null, after: 'required' },
            { field: 'grace_days', before: null, after: 7 },
          ],
        },
      ],
    })
    // Nothing was there, so nothing is adopted.
    expect(planned).not.toHaveProperty('adopts')
    expect(describePlan(planned)).toContain(
      'Installation\n  ~ installation\n      second_factor: (none) -> "required"\n      grace_days: (none) -> 7\n',
    )
    expect(await apply(store, required + acme)).toEqual(planned)
    expect(await installationPolicy(store)).toEqual({ second_factor: 'required', grace_days: 7 })
    expect(await plan(store, required + acme)).toEqual(emptyPlan())
    const text = await exportDeclared(store, 3_000)
    expect(text).toContain('\npolicy:\n  second_factor: required\n  grace_days: 7\nservices:\n')
    expect(await plan(store, text)).toMatchObject({ changes: [] })
  })

  it('sets the branding of the installation beside it, and exports it', async () => {
    const store = await openEmptyStore()
    const text = `branding: { name: Harbour, logo: https://harbour.example/logo.png }\n${acme}`
    expect(describePlan(await apply(store, text))).toContain('name: (none) -> "Harbour"')
    expect(await plan(store, text)).toEqual(emptyPlan())
    expect(await exportDeclared(store, 3_000)).toContain(
      '\nbranding:\n  name: Harbour\n  logo: https://harbour.example/logo.png\nservices:\n',
    )
    expect(await plan(store, acme)).toMatchObject({ unnamed: [{ kind: 'branding', id: 'installation' }] })
    await applyDeclared(store, parse(acme), { ...settings, prune: true })
    expect(await exportDeclared(store, 3_000)).not.toContain('branding')
    for (const wrong of ['{ name: "" }', '{ accent_color: "#7fcdc1" }', '{ logo: "javascript:alert(1)" }'])
      expect(await refusal(() => parse(`branding: ${wrong}\n${acme}`))).toHaveLength(1)
  })

  it('leaves it where the file is silent, and takes it away with --prune alone', async () => {
    const store = await openEmptyStore()
    await apply(store, required + acme)
    const silent = await plan(store, acme)
    expect(silent).toEqual({ ...emptyPlan(), unnamed: [{ kind: 'policy', id: 'installation' }] })
    await apply(store, acme)
    expect(await installationPolicy(store)).toEqual({ second_factor: 'required', grace_days: 7 })
    // Another file takes it over, and says so.
    const other = { ...parse('policy: { password_length: 12 }\n'), file: 'other.yaml' }
    const adopting = await planDeclared(store, other, settings)
    expect(adopting.adopts).toMatchObject([{ kind: 'policy', managed_by: 'acme.yaml' }])
    expect(await plan(store, acme, true)).toMatchObject({
      changes: [{ kind: 'policy', action: 'change', pruned: true }],
    })
    await applyDeclared(store, parse(acme), { ...settings, prune: true })
    expect(await installationPolicy(store)).toEqual({})
    expect(await plan(store, acme)).toEqual(emptyPlan())
  })

  it('demands the length of plain passwords of its own file', async () => {
    const long = 'policy: { password_length: 64 }\n'
    const all = await refusal(() => parse(long + acme))
    expect(all.length).toBeGreaterThan(1)
    expect(all[0]).toMatch(/^\d+: password is shorter than 64 characters, which a policy demands$/)
    const role = acme.replace(
      '  - code: importer\n',
      '  - code: importer\n    policy: { password_length: 64 }\n',
    )
    expect(await refusal(() => parse(role))).toHaveLength(1)
  })

  it.each([
    ['policy: required\n', /^1: policy/],
    ['policy: { second_factor: always }\n', /^1: policy\.second_factor/],
    ['policy: { grace_days: 31 }\n', /^1: policy\.grace_days/],
    ['policy: { more: 1 }\n', /^1: policy/],
    ['policy:\n', /^1: policy/],
  ])('refuses %j', async (line, reason) => {
    expect(await refusal(() => parse(line + acme))).toEqual([expect.stringMatching(reason)])
  })
})
