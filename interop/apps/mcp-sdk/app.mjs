import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { AUDIENCE, serve } from './serve.mjs'
import './server.mjs'

// PASTE: the client
/** It knows the address of the server alone. */
const server = AUDIENCE
async function call() {
  const client = new Client({ name: 'interop', version: '1' })
  await client.connect(transportTo(server))
  const { content } = await client.callTool({ name: 'who' })
  await client.close()
  return { sub: content[0].text }
}

serve({
  async '/login'() {
    kept.tokens = undefined
    await call().catch((error) => error)
    return { to: kept.to }
  },
  async '/callback'(request) {
    // PASTE: its callback
    return { to: '/who' }
  },
  '/who': () => (kept.tokens === undefined ? {} : call()),
  async '/refresh'() {
    const before = kept.tokens.access_token
    await auth(provider, { serverUrl: AUDIENCE })
    return { refreshed: kept.tokens.access_token !== before }
  },
  '/call': call,
})
