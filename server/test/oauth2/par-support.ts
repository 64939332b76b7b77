import { authorizeRequest, post, redirectUri, type Visit } from '../harness/browser.ts'
import { type Answer, type Changes, token } from '../harness/program.ts'

/** A server-side application, to be registered; its secret comes back with it. */
export const intranet = {
  client_id: 'intranet',
  client_name: 'Intranet',
  type: 'web',
  first_party: true,
  redirect_uris: [redirectUri],
  scope: 'openid email profile service.api',
  services: ['submissions-tool'],
  client_uri: 'https://intranet.example/',
}

/** POST /oauth2/par. */
export const push = async (
  url: string,
  form: Record<string, string> | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Answer> => await post(`${url}/oauth2/par`, form, headers)

/** The address that a browser brings. */
export const opening = (client_id: string, request_uri: string): string =>
  `/oauth2/authorize?${new URLSearchParams({ client_id, request_uri })}`

/** An authorization request that its client pushed, which is right in everything but the `changes`. */
export async function pushed(url: string, changes: Changes = {}, proof: Record<string, string> = {}) {
  const { query, verifier, parameters } = authorizeRequest(changes)
  const answer = await push(url, { ...Object.fromEntries(query), ...proof })
  if (answer.status !== 201) throw new Error(`Not pushed but ${answer.status}: ${answer.text}`)
  const requestUri = String(answer.json.request_uri)
  const { client_id = '', redirect_uri = '' } = parameters
  const exchange = async (code: string | undefined) =>
    await token(url, {
      grant_type: 'authorization_code',
      ...{ client_id, redirect_uri, code: code ?? '', code_verifier: verifier },
      ...proof,
    })
  return { requestUri, parameters, verifier, path: opening(client_id, requestUri), exchange }
}

/** What a browser gets for a request that is none: a page that says what to do, and no redirect. */
export function refusedPage({ status, location, body }: Visit): string {
  if (location !== undefined) throw new Error(`A redirect to ${location}.`)
  if (!body.includes('<html') || !body.includes('start again')) throw new Error(`No such page: ${body}`)
  return `${status}`
}
