/** Several changes that are only drafted: what all of them would do together, before any is made. Nothing of it stays. */
import * as z from 'zod'
import { ProtocolError } from '../protocol/errors.ts'
import { Problem, problemDocument, wrongField } from '../protocol/problem.ts'
import { inTransaction } from '../store/in-transaction.ts'
import { type Authority, authorityOf } from './authority.ts'
import { clientRoutes } from './clients/routes.ts'
import { versionsOf } from './conditions.ts'
import { type Effect, effect as effectFields, newTrial, takenBack, type Trial } from './effect.ts'
import { organisationRoutes } from './organisations/routes.ts'
import { permissionRoutes } from './permissions/routes.ts'
import { profileRoutes } from './profiles/routes.ts'
import { roleRoutes } from './roles/routes.ts'
import { isChange, route, type Route, type RouteRequest } from './route.ts'
import { serviceRoutes } from './services/routes.ts'
import { settledRoutes } from './settled.ts'
import { unitRoutes } from './units/routes.ts'
import { userRoutes } from './users/routes.ts'

const most = 20
/** Others wait meanwhile: after so long no further change is tried out, and nobody waits longer to begin, ms. */
const patience = 5000

const drafted = z.strictObject({
  method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().max(500).describe('Below `/admin/v1`, such as `/profiles`, without a query.'),
  body: z.record(z.string(), z.unknown()).optional(),
  if_match: z
    .string()
    .max(200)
    .optional()
    .describe('The ETag that was read, as `If-Match` has it. Without it, in any version.'),
})
type Drafted = z.output<typeof drafted>

const refused = z.object({
  index: z.int().describe('Which of the changes, from 0.'),
  problem: z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    error: z.string(),
    errors: z.array(z.object({ field: z.string(), detail: z.string() })).optional(),
    permissions: z.array(z.string()).optional(),
  }),
})

const whatIf = z.object({
  ...effectFields.shape,
  refused: refused
    .nullable()
    .describe('The first change that would be refused: what is told is that of those before it.'),
})

export const whatIfSchemas = { WhatIf: whatIf }

/** What is changed in one transaction, so that it can be taken back. */
const draftable = [
  ...userRoutes,
  ...profileRoutes,
  ...organisationRoutes,
  ...unitRoutes,
  ...roleRoutes,
  ...permissionRoutes,
  ...serviceRoutes,
  ...clientRoutes,
  ...settledRoutes,
].filter(isChange)

export const whatIfRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/access/what-if',
    permission: 'iam.access.read',
    summary: 'Tell what several changes would do together',
    description: `Up to ${most} changes as this API has them, of people, profiles, organisations, units, roles, permissions, services, applications and settings. They are tried out one after the other in one transaction that is taken back, each with your permissions as they would be then; the first that would be refused ends it. The effect is that between before the first and after the last. \`Tessera-Managed: override\` counts for all of them.`,
    answers: 'WhatIf',
    changes: false,
    makes: false,
    repeatable: false,
    refusals: ['conflict'],
    body: z.strictObject({ changes: z.array(drafted).min(1).max(most) }),
    async handle({ body, ...asked }) {
      const changes = body.changes.map((one, index) => changeOf(one, `changes.${index}`))
      return { status: 200, body: await inTurn(asked, () => tryTogether(asked, changes)) }
    },
  }),
]

interface Change extends Pick<Drafted, 'body' | 'if_match'> {
  route: Route
  params: Readonly<Record<string, string>>
}

/** The change that a draft is. Throws where it is none that can be tried out. */
function changeOf({ method, path, ...rest }: Drafted, field: string): Change {
  for (const route of draftable.filter((one) => one.method === method)) {
    const params = paramsOf(route.path, path)
    if (params !== undefined) return { route, params, ...rest }
  }
  throw wrongField(`${field}.path`, 'There is no such change, or none that can be tried out with others.')
}

/** The parameters of a path; undefined: it is another one. */
function paramsOf(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [named, sent] = [pattern.split('/'), path.split('/')]
  if (named.length !== sent.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, name] of named.entries()) {
    const text = sent[index] ?? ''
    if (!name.startsWith(':')) {
      if (name !== text) return undefined
      continue
    }
    const value = decoded(text)
    if (value === undefined) return undefined
    params[name.slice(1)] = value
  }
  return params
}

/** A segment of a path; undefined: it is none. */
function decoded(text: string): string | undefined {
  if (text === '' || /[?#]/.test(text)) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const underWay = new WeakMap<object, Promise<unknown>>()

/**
 * Tries out one draft at a time in this process: those who wait hold no connection meanwhile, which others need. Throws
 * `temporarily_unavailable` to whoever has waited too long.
 */
async function inTurn<T>({ service }: RouteRequest, work: () => Promise<T>): Promise<T> {
  const { db } = service.store
  const until = performance.now() + patience
  for (let other = underWay.get(db); other !== undefined; other = underWay.get(db)) {
    await other
    if (performance.now() > until) throw busy()
  }
  const working = work().finally(() => underWay.delete(db))
  underWay.set(
    db,
    working.catch(() => undefined),
  )
  return await working
}

const busy = () =>
  new ProtocolError('temporarily_unavailable', 'Others are tried out. Try again in a few seconds.', {
    headers: { 'retry-after': '5' },
  })

/**
 * What these changes would do together, up to the first that would be refused. Concurrency: others wait while they are
 * tried out, and once more for those before one that is refused.
 */
async function tryTogether(
  asked: RouteRequest,
  changes: readonly Change[],
): Promise<Effect & Pick<z.output<typeof whatIf>, 'refused'>> {
  try {
    const { effect } = await takenBack(asked, async (within) => {
      const until = performance.now() + patience
      const trials: Trial[] = []
      for (const [index, change] of changes.entries()) {
        if (performance.now() > until) throw tooLong()
        trials.push(await tryOne(within, change, index))
      }
      return { made: undefined, trials }
    })
    return { ...effect, refused: null }
  } catch (error) {
    if (!(error instanceof RefusedChange)) throw error
    const { index, problem } = error
    const before = await tryTogether(asked, changes.slice(0, index))
    return { ...before, refused: before.refused ?? { index, problem: shownProblem(problem) } }
  }
}

const tooLong = () =>
  new Problem('conflict', 'It takes too long to try these out while others wait. Draft fewer at once.')

class RefusedChange extends Error {
  readonly index: number
  readonly problem: ProtocolError

  constructor(index: number, problem: ProtocolError) {
    super(problem.message)
    this.index = index
    this.problem = problem
  }
}

/** Does one of the changes; yields what it told. Throws `RefusedChange`. */
async function tryOne(within: RouteRequest, change: Change, index: number): Promise<Trial> {
  const { route, params, body, if_match } = change
  const tried = newTrial()
  try {
    const authority = await authorityThen(within)
    if (route.permission !== undefined) authority.requires(route.permission)
    route.admits?.(authority)
    const by = { ...within.by, authority, tried }
    const versions = versionsOf(if_match, false)
    const asked = { ...within, by, versions, param: (name: string) => params[name] ?? '' }
    await route.answer(asked, { query: new URLSearchParams(), body })
    return tried
  } catch (error) {
    throw error instanceof ProtocolError ? new RefusedChange(index, error) : error
  }
}

/** What whoever asks may do after the changes before: they may be about them. */
async function authorityThen({ service, by: { authority, now } }: RouteRequest): Promise<Authority> {
  if (authority.claims === undefined) return authority
  const then = await authorityOf(inTransaction(service.store.db), authority.claims, now)
  if (then !== undefined) return then
  throw new Problem('invalid_token', 'Your access token would not count any more by then.')
}

function shownProblem(problem: ProtocolError): z.output<typeof refused>['problem'] {
  const { errors, permissions, max_age: _, digest: _plan, ...told } = problemDocument(problem)
  return {
    ...told,
    ...(errors && { errors: errors.map(({ field, detail }) => ({ field, detail })) }),
    ...(permissions && { permissions: [...permissions] }),
  }
}
