/**
 * Calls to the protected service: `Authorization: Bearer <access token>`, and the answer kept for show.
 */
import type { FastifyInstance } from 'fastify'
import { signedInForm } from './browser.ts'
import type { Context } from './context.ts'
import { Problem, reason } from './problems.ts'

export interface ApiCall {
  readonly title: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** What the endpoint asks for. */
  readonly permission: string
  readonly sendToken: boolean
  /** What it asks to be proved beside the permission, in words. */
  readonly proof?: string
  readonly body?: (now: number) => unknown
}

const IMPORTS = '/submissions/vista-import'

/** Two rows of the VISTA format. Their references are new each time: the API refuses one that it has already. */
function sampleImport(now: number): unknown {
  const row = {
    submitter_email: 'field.team@acme.example',
    submitted_at: new Date(now).toISOString().slice(0, 10),
  }
  const batch = now.toString(36).toUpperCase()
  return {
    submissions: [
      { ...row, reference: `VISTA-${batch}-1`, title: 'Soil samples, northern field', category: 'dataset' },
      { ...row, reference: `VISTA-${batch}-2`, title: 'Soil samples, final report', category: 'report' },
    ],
  }
}

export const API_CALLS: Readonly<Record<string, ApiCall>> = {
  import: {
    title: 'Import a sample file',
    method: 'POST',
    path: IMPORTS,
    permission: 'submissions-tool.vista-import.create',
    sendToken: true,
    body: sampleImport,
  },
  list: {
    title: 'List the imports',
    method: 'GET',
    path: IMPORTS,
    permission: 'submissions-tool.vista-import.read',
    sendToken: true,
  },
  withdraw: {
    title: 'Withdraw all imports',
    method: 'DELETE',
    path: IMPORTS,
    permission: 'submissions-tool.vista-import.create',
    sendToken: true,
    proof: 'a second factor, proved within the last five minutes',
  },
  'without-token': {
    title: 'List without a token',
    method: 'GET',
    path: IMPORTS,
    permission: 'submissions-tool.vista-import.read',
    sendToken: false,
  },
}

/** What the API wants proved before it answers (RFC 9470 §3), and the call that asked. */
export interface StepUp {
  readonly call: string
  readonly acrValues: string | undefined
  readonly maxAge: string | undefined
}

interface Outcome {
  readonly title: string
  readonly at: number
}

/** What the start page shows of the last thing that was done. */
export type CallResult =
  | (Outcome & { readonly kind: 'done' })
  | (Outcome & {
      readonly kind: 'failed'
      readonly problem: string
      readonly code?: string | undefined
      readonly detail?: string | undefined
    })
  | (Outcome & {
      readonly kind: 'answer'
      readonly request: string
      readonly status: number
      readonly statusText: string
      readonly headers: readonly (readonly [name: string, value: string])[]
      readonly body: string
      readonly stepUp?: StepUp | undefined
    })

const TIMEOUT = 10_000
const SHOWN_BODY = 8_000
const SHOWN_HEADERS = ['www-authenticate', 'content-type', 'location', 'retry-after', 'x-request-id'] as const

export function callApiRoutes(app: FastifyInstance, context: Context): void {
  app.post('/call/:name', async (request, reply) => {
    const { session, signedIn } = signedInForm(context, request)
    const { name } = request.params as { name: string }
    const call = Object.hasOwn(API_CALLS, name) ? API_CALLS[name] : undefined
    if (call === undefined) {
      throw new Problem({ status: 404, title: 'There is no such call', advice: 'Go back to the start page.' })
    }
    context.sessions.keepResult(session, await callApi(context, { ...call, name }, signedIn.accessToken))
    return reply.redirect('/', 303)
  })
}

async function callApi(
  context: Context,
  call: ApiCall & { readonly name: string },
  accessToken: string,
): Promise<CallResult> {
  const { title, method } = call
  const at = context.now()
  const address = context.apiUrl.replace(/\/$/, '') + call.path
  try {
    const response = await fetch(address, {
      method,
      headers: {
        accept: 'application/json',
        ...(call.sendToken ? { authorization: `Bearer ${accessToken}` } : {}),
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body(at)) }),
      // A redirect could carry the token to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
    })
    const stepUp = stepUpIn(response, call.name)
    return { kind: 'answer', title, at, request: `${method} ${address}`, stepUp, ...(await shown(response)) }
  } catch (error) {
    const detail = `${address}: ${reason(error)}`
    return { kind: 'failed', title, at, problem: 'The protected service does not answer', detail }
  }
}

/** The challenge of the API, where more has to be proved. Undefined: the answer is another one. */
function stepUpIn({ status, headers }: Response, call: string): StepUp | undefined {
  const challenge = headers.get('www-authenticate') ?? ''
  if (status !== 401 || !challenge.includes('error="insufficient_user_authentication"')) return undefined
  const value = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1]
  return { call, acrValues: value('acr_values'), maxAge: value('max_age') }
}

async function shown(response: Response) {
  const headers = SHOWN_HEADERS.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const text = prettyJson(await response.text())
  const body = text.length > SHOWN_BODY ? `${text.slice(0, SHOWN_BODY)}\n… (shortened)` : text
  return { status: response.status, statusText: response.statusText, headers, body }
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
