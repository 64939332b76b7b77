import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createGuard, type Guard } from '@tessera/guard'
import { guardRoutes } from '@tessera/guard/node'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { applyChanged } from '../declared/change.ts'
import { answerOf, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { DocumentServer } from '../harness/document-server.ts'
import { tesseraOn } from '../harness/harness.ts'
import { audiences } from '../harness/program.ts'
import { asked, permission } from './client-document-support.ts'

const entryOf = (client_id: string) => `  - client_id: ${client_id}
    type: public
    metadata: document
    scope: openid service.api
    services: [submissions-tool]
    permissions: [${permission}]
`

/** A server with one tool, which tells who calls it. */
async function mcpServer() {
  let guard: Guard | undefined
  const server: Server = createServer((request, response) => {
    if (guard === undefined) return response.end()
    return guardRoutes(guard, { 'POST /mcp': permission, 'GET /mcp': permission })(
      request,
      response,
      async () => {
        const tools = new McpServer({ name: 'tools', version: '1' })
        tools.registerTool('hello', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }))
        const transport = new StreamableHTTPServerTransport()
        await tools.connect(transport as Transport)
        await transport.handleRequest(request, response)
      },
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return {
    address,
    protect: (issuer: string, now: () => number) =>
      (guard = createGuard({ issuer, audience: address, now, resourceMetadata: true })),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** What a program of a vendor keeps, which knows the address of a server and that of its own document. */
class Program implements OAuthClientProvider {
  to: URL | undefined
  kept: OAuthTokens | undefined
  readonly clientMetadataUrl: string
  readonly redirectUrl = 'http://localhost:53211/callback'
  readonly clientMetadata = { redirect_uris: [this.redirectUrl] }
  #verifier = ''
  #information: { client_id: string } | undefined

  constructor(clientMetadataUrl: string) {
    this.clientMetadataUrl = clientMetadataUrl
  }

  clientInformation = () => this.#information
  saveClientInformation = (information: { client_id: string }) => void (this.#information = information)
  state = () => crypto.randomUUID()
  tokens = () => this.kept
  saveTokens = (tokens: OAuthTokens) => void (this.kept = tokens)
  redirectToAuthorization = (to: URL) => void (this.to = to)
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier)
  codeVerifier = () => this.#verifier
}

onOneDatabase('a program that is given the address of an MCP server', (dialect) => {
  const tessera = tesseraOn(dialect, { settings: { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' } })
  let host: DocumentServer
  let mcp: Awaited<ReturnType<typeof mcpServer>>
  let registered: string
  let crowded: string
  beforeAll(async () => {
    host = await DocumentServer.start()
    mcp = await mcpServer()
    mcp.protect(tessera.url, tessera.clock.now)
    registered = `${host.origin}/oauth/claude-code-client-metadata`
    crowded = `${host.origin}/oauth/crowded.json`
    await applyChanged(
      tessera,
      [`audience: ${audiences.submissions}`, `audience: ${mcp.address}`],
      [
        'clients:\n',
        `clients:
${[registered, crowded].map(entryOf).join('')}`,
      ],
    )
  })
  afterAll(async () => {
    mcp?.close()
    await host?.close()
  })
  beforeEach(() => host.reset())

  const transportOf = (program: Program) =>
    new StreamableHTTPClientTransport(new URL(mcp.address), { authProvider: program })
  async function call(program: Program): Promise<unknown> {
    const client = new Client({ name: 'a test', version: '1' })
    await client.connect(transportOf(program) as Transport)
    const { content } = await client.callTool({ name: 'hello' })
    await client.close()
    return content
  }

  it('gets from its 401 to a tool by the document that an administrator registered', async () => {
    const program = new Program(registered)
    await expect(call(program)).rejects.toThrow('Unauthorized')
    // The file asked nobody.
    expect(host.asked).toBe(0)
    const browser = new TestBrowser(tessera.url)
    const page = await signIn(browser, program.to?.href ?? '', people.importer)
    expect(page.body).toContain(new URL(registered).host)
    const { code = '' } = answerOf(await browser.submit(page, { choice: 'allow' }))
    await transportOf(program).finishAuth(code)
    expect(await call(program)).toEqual([{ type: 'text', text: 'hello' }])
    const before = program.kept?.access_token
    expect(await auth(program, { serverUrl: mcp.address })).toBe('AUTHORIZED')
    expect(program.kept?.access_token).not.toBe(before)
    expect(await call(program)).toEqual([{ type: 'text', text: 'hello' }])
    expect(host.asked).toBe(1)
  })

  it('is asked for its document once, by whoever comes first to what a file registered', async () => {
    const document = JSON.stringify({ client_id: crowded, redirect_uris: ['http://localhost/callback'] })
    host.instead = (response) =>
      void setTimeout(() => response.writeHead(200, host.headers).end(document), 300)
    const visits = Array.from({ length: 8 }, () =>
      new TestBrowser(tessera.url).open(asked(crowded, { resource: mcp.address }).path),
    )
    const paths = (await Promise.all(visits)).map(({ url }) => new URL(url).pathname)
    expect([new Set(paths), host.asked]).toEqual([new Set(['/sign-in']), 1])
  })

  it('gets no further than a page by a document that nobody registered', async () => {
    const program = new Program(`${host.origin}/oauth/other.json`)
    await expect(call(program)).rejects.toThrow('Unauthorized')
    const page = await new TestBrowser(tessera.url).request(program.to?.href ?? '')
    expect([page.status, host.asked]).toEqual([400, 0])
    expect(page.body).toContain('tessera client create')
  })
})
