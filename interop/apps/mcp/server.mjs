import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { AUDIENCE, ISSUER } from './serve.mjs'

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
