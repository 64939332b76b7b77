/** The administration API, with the token of the session; types are made of its own description. */
import createClient from 'openapi-fetch'
import { issuer } from '../session/issuer.ts'
import { accessToken, confirmed } from '../session/session.ts'
import { knowingLost } from './lost.ts'
import type { components, paths } from './types.d.ts'

export { issuer, path } from '../session/issuer.ts'
export {
  cancelConfirming,
  confirmingAddress,
  hasEnded,
  isConfirming,
  signIn,
  whenEnded,
} from '../session/session.ts'

type Schemas = components['schemas']
export type User = Schemas['User']
export type Session = Schemas['Session']
export type SentInvitation = Schemas['SentInvitation']
export type Organisation = Schemas['Organisation']
export type Role = Schemas['Role']
export type Service = Schemas['Service']
export type Permission = Schemas['Permission']
export type Unit = Schemas['Unit']
export type Client = Schemas['Client']
export type Upstream = Schemas['Upstream']
export type UpstreamState = Schemas['UpstreamState']
export type Domain = Schemas['Domain']
export type Webhook = Schemas['Webhook']
export type WebhookDelivery = Schemas['WebhookDelivery']
export type Directory = Schemas['Directory']
export type DirectoryToken = Schemas['DirectoryTokenPage']['items'][number]
export type Problem = Schemas['Problem']
export type DeclaredPlan = Schemas['DeclaredPlan']
export type MovedIn = Schemas['MovedIn']
export type SentExport = paths['/admin/v1/move-in']['post']['requestBody']['content']['application/json']
export type Policy = Schemas['Policy']
export type Branding = Schemas['Branding']
export type Setting = Schemas['Setting']
export type Link = Schemas['Explanation']['chain'][number]
export type Explanation = Schemas['Explanation']
export type Remedy = NonNullable<Explanation['remedies']>[number]
export type AuditRecord = Schemas['AuditRecord']

// Lists can be had as files too, which are not read here.
export const api = createClient<paths, 'application/json'>({
  baseUrl: issuer,
  fetch: knowingLost(send),
})

/**
 * A token that was refused is renewed once: it may have been revoked since. Where a recent sign-in is wanted, the request
 * waits for that, once too, and is refused when nobody confirms it.
 */
async function send(request: Request): Promise<Response> {
  const token = await accessToken()
  const [again, confirmedly] = [request.clone(), request.clone()]
  let answer = await fetch(bearing(request, token))
  if (answer.status === 401 && maxAgeOf(answer) === undefined)
    answer = await fetch(bearing(again, await accessToken(token)))
  const maxAge = maxAgeOf(answer)
  if (maxAge === undefined || !(await confirmed(maxAge))) return answer
  return await fetch(bearing(confirmedly, await accessToken()))
}

/** The challenge's max_age (RFC 9470 §3). */
function maxAgeOf({ headers }: Response): string | undefined {
  const challenge = headers.get('www-authenticate') ?? ''
  if (!challenge.includes('error="insufficient_user_authentication"')) return undefined
  return /\bmax_age="(\d+)"/.exec(challenge)?.[1]
}

function bearing(request: Request, token: string): Request {
  request.headers.set('authorization', `Bearer ${token}`)
  return request
}

/** A request below /admin/v1 whose method, path and body the API itself proposed. */
export async function proposed(
  method: string,
  path: string,
  {
    query = {},
    ...rest
  }: { query?: Record<string, string>; headers?: Record<string, string>; body?: unknown },
): Promise<Answer<unknown>> {
  const url = `${issuer}/admin/v1${path}?${new URLSearchParams(query).toString()}`
  const headers = { 'content-type': 'application/json', ...rest.headers }
  const body = rest.body === undefined ? null : JSON.stringify(rest.body)
  const response = await knowingLost(send)(new Request(url, { method, headers, body }))
  const content: unknown = response.status === 204 ? undefined : await response.json()
  return response.ok ? { data: content, response } : { error: content, response }
}

/** A file that the API makes, such as all that a list below /admin/v1 finds. */
export async function fileOf(path: string, query: Readonly<Record<string, string>>): Promise<Blob> {
  const url = `${issuer}/admin/v1${path}?${new URLSearchParams(query).toString()}`
  const response = await send(new Request(url))
  if (!response.ok) throw new Refusal(response, (await response.json()) as Partial<Problem>)
  return await response.blob()
}

/** The answer to a POST below /admin/v1 as it comes, such as that of a long work. */
export async function posted(
  path: string,
  {
    query = {},
    body,
    signal,
  }: { query?: Readonly<Record<string, string>>; body?: object; signal: AbortSignal },
): Promise<Response> {
  const url = `${issuer}/admin/v1${path}?${new URLSearchParams(query).toString()}`
  const content = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await send(new Request(url, { method: 'POST', signal, ...content }))
  if (!response.ok) throw new Refusal(response, (await response.json()) as Partial<Problem>)
  return response
}

/** Calls `heard` when the stream of records begins and each time that some arrive, until it ends or is aborted. */
export async function followAudit(
  query: Record<string, string>,
  signal: AbortSignal,
  heard: () => void,
): Promise<void> {
  const url = `${issuer}/admin/v1/audit/stream?${new URLSearchParams(query).toString()}`
  const response = await send(new Request(url, { signal }))
  if (!response.ok) throw new Refusal(response, (await response.json()) as Partial<Problem>)
  heard()
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    if (/^data: /m.test(next.value)) heard()
  }
}

/** A refusal of the API, with its own words. */
export class Refusal extends Error {
  readonly status: number
  /** The code for programs, such as `conflict`. */
  readonly code: string | undefined
  readonly requestId: string | null
  readonly permissions: readonly string[]
  /** All that is wrong, also where it is several lines of one text. */
  readonly problems: NonNullable<Problem['errors']>
  /** What is wrong with which field. */
  readonly fields: Readonly<Record<string, string>>
  /** Seconds. */
  readonly retryAfter: number
  constructor(response: Response, problem: Partial<Problem> & { error_description?: string }) {
    super(problem.detail ?? problem.error_description ?? response.statusText)
    this.status = response.status
    this.code = problem.error
    this.problems = problem.errors ?? []
    this.requestId = response.headers.get('x-request-id')
    this.permissions = problem.permissions ?? []
    this.fields = Object.fromEntries((problem.errors ?? []).map(({ field, detail }) => [field, detail]))
    this.retryAfter = Number(response.headers.get('retry-after') ?? 1)
  }
}

export interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** What was answered, or the refusal thrown. */
export async function answered<T>(asked: Promise<Answer<T>>): Promise<T> {
  return (await withTag(asked)).data
}

/** An answer with its ETag, for a change of it. */
export async function withTag<T>(asked: Promise<Answer<T>>): Promise<{ data: T; tag: string }> {
  const { data, error, response } = await asked
  if (!response.ok) throw new Refusal(response, (error ?? {}) as Partial<Problem>)
  // A proxy that compresses makes tags weak, which no change may name; without one nothing is overwritten.
  const tag = response.headers.get('etag')?.replace(/^W\//, '') ?? ''
  // An answer without a body is the empty one that its route promises.
  return { data: data as T, tag }
}
