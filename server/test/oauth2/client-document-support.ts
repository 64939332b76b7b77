import type { Administrator } from '../administration/support.ts'
import { answerOf, authorizeRequest, people, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { audiences, token } from '../harness/program.ts'
import type { DocumentServer } from '../harness/document-server.ts'

/** What tests of clients that are documents share. */

export const permission = 'submissions-tool.vista-import.create'
let count = 0

/** Another document of the host, which nobody has registered yet. */
export const newAddress = (host: DocumentServer): string => `${host.origin}/oauth/${++count}/client.json`

/** What an administrator says of one. */
export const registration = (client_id: string, changes: Record<string, unknown> = {}) => ({
  client_id,
  type: 'public',
  metadata: 'document',
  scope: 'openid service.api',
  services: ['submissions-tool'],
  permissions: [permission],
  ...changes,
})

/** What an administrator says of an agent whose document they type: it reads imports at these services. */
export const agentBody = (client_id: string, services: readonly string[]) =>
  registration(client_id, {
    services,
    permissions: ['submissions-tool.vista-import.read'],
    document: {
      client_id,
      client_name: 'Agent',
      redirect_uris: ['http://localhost/callback'],
      token_endpoint_auth_method: 'none',
    },
  })

export async function registered(
  admin: Administrator,
  host: DocumentServer,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const client_id = newAddress(host)
  const { status, text } = await admin.post('/clients', registration(client_id, changes))
  if (status !== 201) throw new Error(`Not registered: ${text}`)
  return client_id
}

/** An authorization request as the MCP SDK makes it: without a nonce, to any port of this computer. */
export const asked = (client_id: string, changes: Record<string, string | undefined> = {}) =>
  authorizeRequest({
    client_id,
    redirect_uri: 'http://localhost:51123/callback',
    scope: 'openid service.api',
    nonce: undefined,
    resource: audiences.submissions,
    ...changes,
  })

export type Asked = ReturnType<typeof asked>

/** Signs in up to the page that asks for consent. */
export async function consentTo(url: string, request: Asked, browser = new TestBrowser(url)): Promise<Visit> {
  return await signIn(browser, request.path, people.importer)
}

export async function codeFor(url: string, request: Asked): Promise<string> {
  const browser = new TestBrowser(url)
  const left = await browser.submit(await consentTo(url, request, browser), { choice: 'allow' })
  return answerOf(left).code ?? ''
}

/** Exchanges a code as a public client does; `more` goes along. */
export const exchanged = async (
  url: string,
  { parameters, verifier }: Asked,
  code: string,
  more: Record<string, string> = {},
) =>
  await token(url, {
    grant_type: 'authorization_code',
    client_id: parameters['client_id'] ?? '',
    redirect_uri: parameters['redirect_uri'] ?? '',
    code,
    code_verifier: verifier,
    ...more,
  })
