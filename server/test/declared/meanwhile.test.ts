import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { parseDeclared } from '../../dist/declared/format.js'
import { planDeclared } from '../../dist/declared/plan.js'
import { readDeclaredState } from '../../dist/declared/state.js'
import type { Store } from '../../dist/database/store.js'
import { Administrator, administrators, startAdministered, users } from '../administration/support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { applyChanged, passwords } from './change.ts'
import { acme, edited } from './support.ts'
import type { Tessera } from '../harness/harness.ts'
import { refresh, Visitor } from '../harness/program.ts'
import { openStore, watched } from '../harness/stores.ts'

/** Others go on while a file is compared with what is stored, which takes seconds where it has many people. */

const file = (...edits: [string, string][]) =>
  parseDeclared(edited(acme, ...administrators, ...edits), { file: 'acme.yaml', mode: 'development' })

onEachDatabase('while a declared file is compared', (dialect) => {
  let tessera: Tessera
  let administrator: Administrator
  let store: Store
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
    administrator = await Administrator.machine(tessera.url)
    store = await openStore(tessera.databaseUrl)
  })
  afterAll(async () => {
    await store.close()
    await tessera.close()
  })

  /** The store, where `between` happens each time when what is compared was read. */
  const interrupted = (between: (time: number) => Promise<unknown>): Store => {
    const reads = new WeakSet<object>()
    let times = 0
    return watched(
      store,
      (node, id) => {
        // Its last question.
        const table = node.kind === 'SelectQueryNode' ? JSON.stringify(node.from) : ''
        if (table.includes('"client_secrets"')) reads.add(id)
      },
      async (_, id) => (reads.has(id) ? await between(++times) : undefined),
    )
  }
  const settings = () => ({ now: tessera.clock.now(), ...passwords })
  const rename = async (name: string) => {
    const { status, text } = await administrator.patch(`/users/${users.importer}`, { name })
    if (status !== 200) throw new Error(`Not renamed but ${status}: ${text}`)
  }
  const nameNow = async () => (await administrator.get(`/users/${users.importer}`)).json.name
  /** What the audit has of the last time that the importer was given this name. */
  const namedFrom = async (name: string) => {
    const path = `/audit?kind=user.changed&user_uuid=${users.importer}`
    const items = (await administrator.get(path)).json.items as Record<
      'before' | 'after',
      { name?: string }
    >[]
    return items.find((one) => one.after.name === name)?.before.name
  }

  it.each<[string, (of: Store, name: string) => Promise<unknown>]>([
    ['applied', (of, name) => applyDeclared(of, file(['Acme Importer', name]), settings())],
    ['planned', (of, name) => planDeclared(of, file(['Acme Importer', name]), settings())],
    ['exported', (of) => readDeclaredState(of)],
  ])('refreshes, sign-ins and changes by administrators go through, as it is %s', async (kind, work) => {
    const { refresh_token } = await new Visitor(tessera.url).tokens()
    const seen: number[] = []
    const between = async (time: number) => {
      if (time > 1) return
      seen.push((await refresh(tessera.url, refresh_token)).status)
      await new Visitor(tessera.url).tokens()
      const given = await administrator.patch(`/users/${users.both}`, { given_name: `G ${kind}` })
      seen.push(given.status)
    }
    await work(interrupted(between), `Importer ${kind}`)
    expect(seen).toEqual([200, 200])
    // What is planned or exported changes nothing.
    expect(await nameNow()).toBe('Importer applied')
  })

  describe('and somebody changes what it is about', () => {
    it('it is compared anew', async () => {
      await rename('Before')
      const of = interrupted(async (time) => (time === 1 ? await rename('Meanwhile') : undefined))
      const plan = await applyDeclared(of, file(['Acme Importer', 'Of the file']), settings())
      const told = plan.changes.find((one) => one.id === 'importer@acme.example')
      expect(told?.fields).toEqual([{ field: 'name', before: 'Meanwhile', after: 'Of the file' }])
      expect(await namedFrom('Of the file')).toBe('Meanwhile')
      expect(await nameNow()).toBe('Of the file')
    })

    it('nothing is applied that was not agreed to', async () => {
      await rename('Before')
      const declared = file(['Acme Importer', 'Of the file'])
      const expected = await planDeclared(store, declared, settings())
      const of = interrupted(async (time) => (time === 1 ? await rename('Meanwhile') : undefined))
      const applying = applyDeclared(of, declared, { ...settings(), expected })
      await expect(applying).rejects.toThrow('nothing was applied')
      expect(await nameNow()).toBe('Meanwhile')
    })

    it('again and again, they wait at last, and it comes to its end', async () => {
      await rename('Before')
      let looks = 0
      const of = interrupted(async (time) => {
        looks = time
        // From here on it would wait for itself.
        if (time <= 3) await rename(`Meanwhile ${time}`)
      })
      await applyDeclared(of, file(['Acme Importer', 'Of the last file']), settings())
      expect(looks).toBe(4)
      expect(await namedFrom('Of the last file')).toBe('Meanwhile 3')
    })

    it('another file, each finds what the other left', async () => {
      await rename('Before')
      const of = interrupted(async (time) => {
        if (time === 1) await applyChanged(tessera, ...administrators, ['Acme Importer', 'Other'])
      })
      const plan = await applyDeclared(of, file(['Acme Importer', 'Other']), settings())
      expect(plan.changes).toEqual([])
      expect(await namedFrom('Other')).toBe('Before')
    })
  })

  it('it is not compared anew for what is no change of what is administered', async () => {
    const { refresh_token } = await new Visitor(tessera.url).tokens()
    let looks = 0
    const of = interrupted(async (time) => {
      looks = time
      await new Visitor(tessera.url).tokens()
      await refresh(tessera.url, refresh_token)
    })
    await applyDeclared(of, file(['Acme Importer', 'Once']), settings())
    expect(looks).toBe(1)
  })
})
