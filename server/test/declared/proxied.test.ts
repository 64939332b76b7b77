import { expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { describePlan } from '../../dist/declared/describe.js'
import { exportDeclared } from '../../dist/declared/export.js'
import { planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { acme, forEachDatabase, parse, refusal } from './support.ts'
import { proxiedOriginsIn } from '../harness/states.ts'
import { quickPasswords } from './tree.ts'
import { oneDatabase } from '../harness/databases.ts'

const now = 2_000
const settings = { now, ...quickPasswords }
const plan = (store: Store, text: string) => planDeclared(store, parse(text), settings)
const apply = (store: Store, text: string) => applyDeclared(store, parse(text), settings)

const wiki = ({
  id = 'wiki',
  origins = '[https://wiki.example.com]',
  routes = '{"* /*": signed-in, "GET /ledger/*": ledger.entry.read}',
  headers = '[Remote-User, Remote-Email]',
  more = '',
} = {}) => `
  - client_id: ${id}
    client_name: Wiki
    type: proxied
    origins: ${origins}
    routes: ${routes}
    headers: ${headers}${more}
`

forEachDatabase((openEmptyStore, dialect) => {
  const once = oneDatabase(dialect)
  it('has an application behind a proxy, and its export is the same again', async () => {
    const store = await openEmptyStore()
    await apply(store, acme + wiki())
    expect((await plan(store, acme + wiki())).changes).toEqual([])
    const exported = await exportDeclared(store, now)
    expect(exported).toContain('https://wiki.example.com')
    expect(exported).not.toContain('https://wiki.example.com/.tessera/callback')
    expect((await plan(store, exported)).changes).toEqual([])
  })

  once.it('tells which routes demand less, and what is told besides', async () => {
    const store = await openEmptyStore()
    await apply(store, acme + wiki())
    const opened = wiki({
      routes: '{"* /*": signed-in}',
      headers: '[Remote-User, Remote-Email, Remote-Name]',
    })
    const planned = await plan(store, acme + opened)
    expect(planned.weakens).toEqual([
      {
        client_id: 'wiki',
        field: 'routes',
        detail: 'GET /ledger/* demands signed-in; before it was ledger.entry.read.',
      },
      { client_id: 'wiki', field: 'headers', detail: 'Remote-Name is sent from then on.' },
    ])
    expect(describePlan(planned)).toContain('client wiki, routes: GET /ledger/* demands signed-in')
    await apply(store, acme + opened)
    expect(await plan(store, acme + wiki())).not.toHaveProperty('weakens')
  })

  it('hands an origin from one client of the file to another, and takes none from others', async () => {
    const store = await openEmptyStore()
    await apply(store, acme + wiki() + wiki({ id: 'notes', origins: '[https://notes.example.com]' }))
    await apply(store, acme + wiki({ origins: '[https://notes.example.com]' }) + wiki({ id: 'notes' }))
    expect(await proxiedOriginsIn(store)).toMatchObject([
      { origin: 'https://notes.example.com', client_id: 'wiki' },
      { origin: 'https://wiki.example.com', client_id: 'notes' },
    ])
    const taken = wiki({ id: 'third' })
    expect(await refusal(() => plan(store, acme + taken))).toEqual([
      expect.stringContaining('is that of the client "notes", which is not in this file'),
    ])
  })

  once.it.each([
    [wiki({ origins: '[]' }), 'has no "origins"'],
    [wiki({ origins: '[http://wiki.example.com]' }), 'is no https origin'],
    [wiki() + wiki({ id: 'notes' }), 'https://wiki.example.com'],
    [wiki({ routes: '{"GET page": public}' }), 'is no route'],
    [
      wiki({ routes: '{"GET /page": ledger.entry.burn}' }),
      'the file declares no permission "ledger.entry.burn"',
    ],
    [wiki({ headers: '[Remote-Password]' }), 'Remote-Password'],
    [wiki({ more: '\n    client_secret: something-secret-and-long' }), 'has no client_secret'],
    [wiki({ more: '\n    scope: openid' }), 'no scope of its own'],
    [wiki({ more: '\n    redirect_uris: [https://evil.example/]' }), 'no redirect_uris of its own'],
    [wiki({ headers: '[X-Access-Token]' }), 'exactly one service'],
    [wiki({ headers: '[X-Access-Token]', more: '\n    services: [iam]' }), 'exactly one service'],
  ])('is refused (%#)', async (text, reason) => {
    expect(await refusal(() => parse(acme + text))).toEqual([expect.stringContaining(reason)])
  })
})
