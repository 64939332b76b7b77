import { expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import {
  claimDocument,
  documentState,
  endGoneDocuments,
  failDocument,
  keepDocument,
} from '../../dist/store/client-documents.js'
import { findClientNow } from '../../dist/store/clients.js'
import { acme, forEachDatabase, parse } from '../declared/support.ts'
import { quickPasswords } from '../declared/tree.ts'

const client_id = 'https://vendor.example/oauth/client.json'
const declared = `${acme}
  - client_id: ${client_id}
    type: public
    metadata: document
    scope: openid
    services: []
    permissions: []
`
const says = {
  client_name: 'Agent',
  redirect_uris: ['http://localhost/callback'],
  methods: ['none'] as const,
  jwks: null,
  jwks_uri: null,
}
const hour = 3_600_000

forEachDatabase((openEmptyStore) => {
  it('leaves a document that comes back just when its client is to end', async () => {
    const store = await openEmptyStore()
    await applyDeclared(store, parse(declared), { now: 0, ...quickPasswords })
    const read = { says, keptFor: hour }
    await claimDocument(store, client_id, 1)
    await keepDocument(store, { client_id, now: 1 }, read)
    await failDocument(store, { client_id, now: 2 }, { kind: 'gone', reason: 'is gone' })
    const now = 2 + hour
    const ending = endGoneDocuments(store, now)
    await Promise.all([ending, keepDocument(store, { client_id, now }, read)])
    expect(await documentState(store, client_id)).toMatchObject({ gone_at: null })
    expect((await findClientNow(store, client_id))?.redirect_uris).toEqual(says.redirect_uris)
  })
})
