import { expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { describePlan } from '../../dist/declared/describe.js'
import { exportDeclared } from '../../dist/declared/export.js'
import { planDeclared } from '../../dist/declared/plan.js'
import type { Store } from '../../dist/database/store.js'
import { columnsOfDocument, keepDocument } from '../../dist/store/client-documents.js'
import { findClientNow } from '../../dist/store/clients.js'
import { acme, forEachDatabase, parse, refusal } from './support.ts'
import { quickPasswords } from './tree.ts'
import { oneDatabase } from '../harness/databases.ts'

const now = 2_000
const settings = { now, ...quickPasswords }
const plan = (store: Store, text: string) => planDeclared(store, parse(text), settings)
const apply = (store: Store, text: string) => applyDeclared(store, parse(text), settings)
const id = 'https://vendor.example/oauth/client.json'

const client = (more = '', lines = '') => `
  - client_id: ${id}
    type: public
    metadata: document
    scope: openid service.api
    services: [submissions-tool]
    permissions: [submissions-tool.vista-import.create]${more}
${lines}`

const inline = `
    document:
      client_id: ${id}
      client_name: Inside
      redirect_uris: [http://localhost/callback]`

const says = {
  client_name: 'Agent',
  redirect_uris: ['http://localhost/callback', 'https://app.vendor.example/callback'],
  methods: ['none'] as const,
  jwks: null,
  jwks_uri: null,
}

forEachDatabase((openEmptyStore, dialect) => {
  const once = oneDatabase(dialect)
  it('names a document, which nobody has read yet, and its export is the same again', async () => {
    const store = await openEmptyStore()
    const added = await plan(store, acme + client())
    expect(describePlan(added)).toMatch(/client https:\/\/vendor\.example\/oauth\/client\.json/)
    expect(added.access.clients.find((one) => one.client_id === id)?.gains).toEqual([
      'submissions-tool.vista-import.create',
    ])
    await apply(store, acme + client())
    const read = await findClientNow(store, id)
    expect(read).toMatchObject({
      client_name: 'vendor.example',
      redirect_uris: [],
      document: { methods: [] },
    })
    expect((await plan(store, acme + client())).changes).toEqual([])
    const exported = await exportDeclared(store, now)
    expect(exported).toContain('metadata: document')
    expect((await plan(store, exported)).changes).toEqual([])
  })

  it('leaves what was read of it, as long as it may stay', async () => {
    const store = await openEmptyStore()
    const hosts = client('\n    redirect_hosts: [app.vendor.example]')
    await apply(store, acme + hosts)
    await keepDocument(store, { client_id: id, now }, { says, keptFor: 1000 })
    expect(columnsOfDocument(says).document_methods).toBe('["none"]')
    expect(await findClientNow(store, id)).toMatchObject({ client_name: 'Agent' })
    expect((await plan(store, acme + hosts)).changes).toEqual([])
    const exported = await exportDeclared(store, now)
    expect(exported).not.toContain('http://localhost/callback')
    expect((await plan(store, exported)).changes).toEqual([])
    // One redirect URI is foreign by now, so nothing of it counts until it is read again.
    await apply(store, acme + client())
    expect(await findClientNow(store, id)).toMatchObject({ redirect_uris: [], document: { methods: [] } })
  })

  once.it('has the document itself', async () => {
    const store = await openEmptyStore()
    await apply(store, acme + client(inline))
    expect(await findClientNow(store, id)).toMatchObject({
      client_name: 'Inside',
      redirect_uris: ['http://localhost/callback'],
      document: { isInline: true, methods: ['none'] },
    })
    const exported = await exportDeclared(store, now)
    expect((await plan(store, exported)).changes).toEqual([])
    expect(await (async () => await plan(await openEmptyStore(), exported))()).toBeDefined()
  })

  it('ends what a client gave that becomes a document', async () => {
    const store = await openEmptyStore()
    const own = client().replace(
      'metadata: document',
      'client_name: Own\n    redirect_uris: [http://localhost/callback]',
    )
    await apply(store, acme + own)
    const planned = await plan(store, acme + client())
    expect(planned.changes).toMatchObject([{ kind: 'client', action: 'change', id }])
    await apply(store, acme + client())
    expect(await findClientNow(store, id)).toMatchObject({ redirect_uris: [] })
    await apply(store, acme + own)
    expect(await findClientNow(store, id)).toMatchObject({ document: undefined, client_name: 'Own' })
  })

  once.it.each([
    ['type: public', 'type: web', /is of the type public, not web/],
    ['    permissions: [submissions-tool.vista-import.create]', '', /has no "permissions"/],
    ['metadata: document', 'metadata: document\n    first_party: true', /never first_party/],
    [
      'metadata: document',
      'metadata: document\n    redirect_uris: [https://vendor.example/a]',
      /has no redirect_uris here/,
    ],
    [`client_id: ${id}`, 'client_id: vendor', /is no https address/],
    [`client_id: ${id}`, `client_id: ${id}?a`, /has a query or a fragment/],
    [
      'metadata: document',
      'client_name: A\n    redirect_hosts: [a.example]',
      /redirect_hosts is for a client/,
    ],
    ['metadata: document', '', /has no "client_name"/],
    [
      'metadata: document',
      `metadata: document\n    document: {client_id: "${id}/b"}`,
      /the document is of the client_id/,
    ],
  ])('refuses %s as %s', async (part, by, reason) => {
    const text = acme + client()
    expect(text).toContain(part)
    const at = text.lastIndexOf(part)
    const problems = await refusal(() => parse(text.slice(0, at) + by + text.slice(at + part.length)))
    expect(problems.join('\n')).toMatch(reason)
  })
})
