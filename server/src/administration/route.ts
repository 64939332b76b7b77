import type * as z from 'zod'
import { bounded, checkedBy } from '../catalogue/check.ts'
import type { ErrorCode } from '../protocol/errors.ts'
import { type FieldProblem, notValid, Problem } from '../protocol/problem.ts'
import type { PasswordHasher } from '../identity/passwords.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { Authority } from './authority.ts'
import type { By } from './by.ts'
import type { Created, Repeatable } from './change.ts'
import type { DeclaredFiles } from './declared-files.ts'
import { askedToTry, tryOut } from './dry-run.ts'
import type { Service } from '../service.ts'
import type { Settings } from '../settings.ts'
import type { Store } from '../database/store.ts'
import type { Versions } from './version.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What the handlers work with: a running service has it, and the command makes it of a database alone. */
export interface AdministrationService {
  readonly issuer: string
  readonly store: Store
  readonly passwords: Pick<PasswordHasher, 'hash'>
  readonly keys: Pick<KeyRing, 'rotate'>
  readonly mail: Service['mail']
  readonly declared: DeclaredFiles
  readonly settings: Pick<
    Settings,
    | 'secret'
    | 'previousSecret'
    | 'lifetimes'
    | 'keyRotation'
    | 'console'
    | 'webhooksToPrivateAddresses'
    | 'dnsServers'
    | 'shown'
    | 'declared'
    | 'webauthn'
  >
}

/** A request as every handler is given it; bodies and queries come checked. */
export interface RouteRequest {
  service: AdministrationService
  by: By
  /** A parameter of the path. */
  param(name: string): string
  /** A header of the request. */
  header(name: string): string | undefined
  /** The versions that If-Match names. */
  versions: Versions
  /** Whether the token still counts and gives all that it gave, asked anew. */
  stillCounts(): Promise<boolean>
  /** Aborted when nobody listens any more. */
  closed: AbortSignal
  /** How the answer of a creation is kept for its Idempotency-Key; undefined: none was sent. */
  repeatable<T>(answer: (made: T) => RouteResponse): Repeatable<T> | undefined
}

export interface RouteResponse {
  status: 200 | 201 | 204
  body?: object
  /** Text as it comes, instead of a body; with a `name` it is a file to keep. */
  stream?: { type: string; name?: string; text: AsyncIterable<string> }
  /** Becomes the ETag. */
  version?: number
  /** The path of what was created, below /admin/v1. */
  location?: string
  /** Given before, for the same Idempotency-Key. */
  repeated?: boolean
}

/** Whether it changes what is there, on condition of the version that was read. */
export const isConditional = ({ method }: Pick<Described, 'method'>) => method === 'PATCH' || method === 'PUT'

/** Whether it changes something, and so can be tried out. */
export const isChange = ({ method, changes }: Pick<Described, 'method' | 'changes'>) =>
  method !== 'GET' && changes !== false

/** How a route is described by the interface description and the command. */
export interface Documented {
  summary: string
  description?: string
  /** What follows noun and verb in an example of the command; of a route that reads one thing it is what names it. */
  example?: string
  /** What of a list the command shows people. */
  columns?: readonly string[]
  /** The field of a creation that is the argument of the command, such as `code`. */
  named?: string
  /** The schema of the answer, by its name there. Undefined: it is done, and nothing is told. */
  answers?: string
  /** Answers with lines, each such an answer as JSON, as long as the work goes on. */
  lines?: true
  /** Answers with events that go on, each with such an answer as its data. */
  endless?: boolean
  /** The types of the files that it answers with where that is asked for. */
  files?: readonly string[]
  /** False: nothing, whatever its method says. */
  changes?: false
  /** The schema of the answer of a dry run, where it has one of its own. */
  trial?: string
  /** False: what it answers with has no address: a creation that is none. */
  makes?: false
  /** False: it does something each time, whatever Idempotency-Key is sent. */
  repeatable?: boolean
  /** Refusals beyond those that every route of its kind has. */
  refusals?: readonly ErrorCode[]
}

/** What a route is, beside what it does. */
export interface Described extends Documented {
  method: Method
  /** The path below /admin/v1, with `:name` for a parameter. */
  path: string
  /** Undefined: every token that counts for the API is enough. */
  permission: string | undefined
  /** Throws unless they may ask at all. Asked before a body is read. */
  admits?: (authority: Authority) => void
  /** The most bytes of its body, where those are more than usual. */
  bodyLimit?: number
  /** What is said of a larger body, where there is another way. */
  tooLarge?: string
  /** Milliseconds that its answer may take, where those are more than a connection may idle. */
  patience?: number
}

interface Definition<Q, B> extends Described {
  handle(asked: RouteRequest & { query: Q; body: B }): Promise<RouteResponse | void>
  /** How it is tried out, where that is no change that is taken back. */
  tried?(asked: RouteRequest & { query: Q; body: B }): Promise<RouteResponse>
}

/** A route as the table has it. */
export interface Route extends Described {
  query: z.ZodObject | undefined
  body: z.ZodObject | undefined
  answer(asked: RouteRequest, sent: { query: URLSearchParams; body: unknown }): Promise<RouteResponse>
}

export type Parsed<S> = S extends z.ZodObject ? z.output<S> : undefined

/** Makes a route of what it is: only what its schemas let through reaches the handler. */
export function route<
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodObject | undefined = undefined,
>(definition: Definition<Parsed<Q>, Parsed<B>> & { query?: Q; body?: B }): Route {
  const { handle, tried, query, body, ...rest } = definition
  return {
    ...rest,
    query,
    body,
    async answer(asked, sent) {
      const { tries, rest: named } = isChange(rest)
        ? askedToTry(sent.query)
        : { tries: false, rest: sent.query }
      const checked = {
        query: parsedQuery(query, named) as Parsed<Q>,
        body: (body === undefined ? noBody(sent.body) : parsedBody(body, sent.body)) as Parsed<B>,
      }
      const run = async (by: RouteRequest): Promise<RouteResponse> =>
        (await handle({ ...by, ...checked })) ?? { status: 204 }
      if (tries && tried !== undefined) return await tried({ ...asked, ...checked })
      return await (tries ? tryOut(asked, run) : run(asked))
    },
  }
}

function parsedQuery(schema: z.ZodObject | undefined, sent: URLSearchParams): unknown {
  const values: Record<string, string> = Object.create(null) as Record<string, string>
  const fields: FieldProblem[] = []
  for (const [name, value] of sent) {
    if (schema === undefined || !Object.hasOwn(schema.shape, name)) {
      fields.push({ field: bounded(name), detail: 'This address has no such parameter.' })
    } else if (value.includes('\uFFFD')) fields.push({ field: name, detail: 'It is not valid UTF-8.' })
    else if (name in values) fields.push({ field: name, detail: 'It is repeated; send it once.' })
    else values[name] = value
  }
  if (fields.length > 0) throw new Problem('invalid_request', 'The query is not valid.', { fields })
  if (schema === undefined) return undefined
  const { data, problems } = checkedBy(schema, values)
  if (problems === undefined) return data
  throw new Problem('invalid_request', 'The query is not valid.', { fields: problems })
}

function noBody(sent: unknown): undefined {
  if (sent !== undefined) throw new Problem('invalid_request', 'This request has no body.')
}

/** What was sent, as the schema has it. Throws `invalid_request`, which names the fields. */
export function parsedBody<B extends z.ZodObject>(schema: B, sent: unknown): z.output<B> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    throw new Problem('invalid_request', 'The body is a JSON object.')
  }
  const { data, problems: fields } = checkedBy(schema, sent)
  if (fields === undefined) return data
  throw notValid(fields)
}

/** The answer of a creation, given for the first time or again. */
export function createdAnswer<T>(created: Created<T>, answer: (made: T) => RouteResponse): RouteResponse {
  if (created.repeated === undefined) return answer(created.made)
  return { ...(JSON.parse(created.repeated) as RouteResponse), repeated: true }
}
