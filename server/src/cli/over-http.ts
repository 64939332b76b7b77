import { adminPath } from '../administration/administration.ts'
import { managedHeader } from '../administration/conditions.ts'
import { errorCatalogue } from '../protocol/errors.ts'
import type { ProblemDocument } from '../protocol/problem.ts'
import { type Answered, type ApiCall, type ApiObject, type Connection, linesOf } from './connection.ts'
import { liveLogin } from './kept-login.ts'
import { answerTo, jsonOf, originOf, reached, reasonOf } from './service-address.ts'
import { Refused } from './refused.ts'
import type { Context } from './context.ts'

/** The administration API of the service at this address. */
export function overHttp(address: string, context: Context): Connection {
  const origin = originOf(address)
  let token: Promise<string> | undefined
  return {
    async ask(asking) {
      token ??= tokenFor(origin, context)
      return await asked(origin, await token, asking)
    },
    async close() {
      // Nothing is kept open.
    },
  }
}

async function asked(origin: string, token: string, asking: ApiCall): Promise<Answered> {
  const { route, params = {}, query, body, match, overridesFile } = asking
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = query === undefined || query.size === 0 ? '' : `?${query.toString()}`
  const type = route.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const response = await reached(origin, `${adminPath}${path}${search}`, {
    method: route.method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': type }),
      ...(match !== undefined && { 'if-match': match }),
      ...(overridesFile === true && { [managedHeader]: 'override' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A long work answers for as long as it goes on.
    ...(route.lines === true && { signal: null }),
  })
  if (route.lines === true && response.ok && response.body !== null)
    return { body: {}, etag: undefined, lines: linesOf(response.body.pipeThrough(new TextDecoderStream())) }
  const text = await response.text()
  if (response.ok) return { body: jsonOf(text) ?? {}, etag: response.headers.get('etag') ?? undefined }
  throw refusal(origin, response, jsonOf(text) ?? {})
}

/** A problem, or the error and its description that other addresses answer. */
function refusal(origin: string, response: Response, body: ApiObject): Error {
  const { status, headers } = response
  const code = String(body.error)
  if (isProblem(body)) return new Refused(withRequest(body, headers))
  if (status === 401 || status === 403) {
    const title = Object.entries(errorCatalogue).find(([one]) => one === code)?.[1].meaning
    const detail =
      status === 401
        ? 'The access token is not valid here: it expired, was revoked, or is not for the administration API.'
        : String(body.error_description ?? title)
    const permission = body.permission ?? body.required_permission
    return new Refused({
      type: `urn:tessera:error:${code}`,
      title: title ?? detail,
      status,
      detail,
      error: code,
      ...(typeof permission === 'string' && { permissions: [permission] }),
    })
  }
  return new Error(`${origin} answered ${status}: is it a Tessera? Give the address of the service itself.`)
}

const isProblem = (body: ApiObject): body is ApiObject & ProblemDocument =>
  typeof body.status === 'number' &&
  ['type', 'title', 'detail', 'error'].every((name) => typeof body[name] === 'string')

/** Adds the request id to a failure of the service: its log has more under that. */
function withRequest(problem: ProblemDocument, headers: Headers): ProblemDocument {
  const id = headers.get('x-request-id')
  return problem.status < 500 || id === null ? problem : { ...problem, detail: `${problem.detail} (${id})` }
}

/** The token of the environment, one for the client credentials there, or that of `tessera login`. */
async function tokenFor(origin: string, context: Context): Promise<string> {
  const { TESSERA_TOKEN: token, TESSERA_CLIENT_ID: id, TESSERA_CLIENT_SECRET: secret } = context.environment
  if (token && (id || secret)) {
    throw new Error('TESSERA_TOKEN and TESSERA_CLIENT_ID or TESSERA_CLIENT_SECRET are both set: keep one.')
  }
  if (token) return token
  if (!id && !secret) return await tokenOfLogin(origin, context)
  if (!id || !secret) {
    throw new Error('TESSERA_CLIENT_ID and TESSERA_CLIENT_SECRET belong together: set both, or neither.')
  }
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
  const { ok, body } = await answerTo(origin, '/oauth2/token', form)
  if (ok && typeof body.access_token === 'string') return body.access_token
  throw new Error(`${origin} gave the client ${id} no token: ${reasonOf(body)}`)
}

async function tokenOfLogin(origin: string, context: Context): Promise<string> {
  const login = await liveLogin(origin, context)
  if (login !== undefined) return login.access_token
  throw new Error(
    `Who asks? Run tessera login --url ${origin}. A program sets TESSERA_TOKEN to an access token, or TESSERA_CLIENT_ID and TESSERA_CLIENT_SECRET to those of a machine client with the service iam.`,
  )
}
