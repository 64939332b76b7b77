import { createServer } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { AUDIENCE, CLIENT_ID, ISSUER, own, SCOPE, serve } from './serve.mjs'

const { createGuard } = await import(process.env.GUARD)
const { sendRefusal } = await import(process.env.GUARD.replace('index.js', 'adapters/node.js'))

/** The server: one tool behind the guard, which tells where tokens come from. */
const guard = createGuard({ issuer: ISSUER, audience: AUDIENCE, resourceMetadata: true })
createServer(async (request, response) => {
  if (request.url.startsWith('/.well-known/oauth-protected-resource'))
    return sendRefusal(response, guard.resourceMetadata)
  const decision = await guard.check(request.headers.authorization, process.env.PERMISSION)
  if (!decision.allowed) return sendRefusal(response, decision)
  const server = new McpServer({ name: 'tools', version: '1' })
  server.registerTool('who', {}, () => ({ content: [{ type: 'text', text: decision.claims.sub }] }))
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  await server.connect(transport)
  await transport.handleRequest(request, response)
}).listen(Number(new URL(AUDIENCE).port), '127.0.0.1')

/** The client, which knows the address of the server alone. */
let [to, verifier, tokens] = []
const provider = {
  redirectUrl: `${own}/callback`,
  clientMetadata: { redirect_uris: [`${own}/callback`], scope: SCOPE },
  clientInformation: () => ({ client_id: CLIENT_ID }),
  state: () => crypto.randomUUID(),
  redirectToAuthorization: (address) => void (to = address),
  saveTokens: (given) => void (tokens = given),
  tokens: () => tokens,
  saveCodeVerifier: (given) => void (verifier = given),
  codeVerifier: () => verifier,
}
const transport = () => new StreamableHTTPClientTransport(new URL(AUDIENCE), { authProvider: provider })
async function call() {
  const client = new Client({ name: 'interop', version: '1' })
  await client.connect(transport())
  const { content } = await client.callTool({ name: 'who' })
  await client.close()
  return { sub: content[0].text }
}

serve({
  async '/login'() {
    tokens = undefined
    await call().catch((error) => error)
    return { to }
  },
  async '/callback'(request) {
    await transport().finishAuth(new URL(request.url, own).searchParams.get('code'))
    return { to: '/who' }
  },
  '/who': () => (tokens === undefined ? {} : call()),
  async '/refresh'() {
    const before = tokens.access_token
    await auth(provider, { serverUrl: AUDIENCE })
    return { refreshed: tokens.access_token !== before }
  },
  '/call': call,
})
