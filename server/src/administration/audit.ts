import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { notFound, Problem, wrongField } from '../protocol/problem.ts'
import { isWhollyWithin, organisationListed } from '../access/reach.ts'
import type { Authority } from './authority.ts'
import type { Store } from '../database/store.ts'
import { settled } from '../audit/link.ts'
import { auditHead, recordAt } from '../audit/head.ts'
import { type AuditFilter, type AuditRecord, followAudit, listAudit } from '../audit/read.ts'
import { instant, millisecondsOf, pageOf, text, uuid } from './fields.ts'
import { firstOf } from '../database/page.ts'
import { listRoute } from './resource-routes.ts'
import { type RouteRequest, route, type Route } from './route.ts'

const values = z.record(z.string(), z.unknown())

const record = z.object({
  sequence: z.int().describe('1, 2, 3 without a gap.'),
  at: z.iso.datetime(),
  kind: z.string().describe('One of those in docs/audit.md.'),
  actor: z.object({
    kind: z.string(),
    id: z.string().optional(),
    profile_uuid: z.string().optional(),
    role_code: z.string().optional(),
    organisation_uuid: z.string().optional(),
  }),
  address: z.string().optional(),
  request_id: z.string().optional(),
  target: z.object({ kind: z.string(), id: z.string() }).optional(),
  user_uuid: z.string().optional(),
  client_id: z.string().optional(),
  sid: z.string().optional(),
  organisation_uuid: z.string().optional(),
  before: values.optional(),
  after: values.optional(),
  detail: values.optional(),
  previous: z.string(),
  hash: z.string(),
  mac: z.string().optional().describe('By the key of the audit.'),
})

export const auditSchemas = { AuditRecord: record, AuditPage: pageOf(record) }

const filters = {
  actor: text(1000).optional().describe('The id of the actor: a uuid, a client_id, or `user@host`.'),
  target: text(1000).optional().describe('The id of what it happened to.'),
  kind: text(100).optional(),
  request_id: text(100)
    .optional()
    .describe('The `x-request-id` of an answer: what was done by that request.'),
  user_uuid: uuid.optional().describe('The person whom it is about.'),
  organisation_uuid: uuid.optional().describe('That the target belongs to.'),
}

/** Throws for an administrator of a unit, to whom the audit tells nothing. */
export function refuseUnit({ reach }: Authority): void {
  if (reach.unit_uuid === undefined) return
  throw new Problem('forbidden', 'The audit tells of an organisation, and you administer a unit of one.')
}

/**
 * The records that may be seen: for an administrator of an organisation those of it, and of a person who belongs there
 * and nowhere else also how they signed in, which happens before it is known where they act.
 */
async function filterOf(
  store: Store,
  authority: Authority,
  query: { [F in keyof typeof filters]?: string | undefined },
): Promise<AuditFilter> {
  refuseUnit(authority)
  const { reach } = authority
  const { actor, target, kind, request_id: request, user_uuid: user, organisation_uuid: asked } = query
  const listed = organisationListed(reach, asked)
  // No record has this organisation: what is out of reach is as if it did not exist.
  const organisation = listed === null ? 'none' : listed
  const mayBe = reach.organisation_uuid !== undefined && asked === undefined && user !== undefined
  const signingIn = mayBe && (await isWhollyWithin(store, user, reach))
  return { actor, target, kind, request, user, organisation, signingIn }
}

const whose =
  'An administrator of an organisation sees the records of what belongs to it, and with `user_uuid` also how somebody signed in who has profiles there and nowhere else.'

/** The columns of the file. It leaves out what proves the chain: only readers of the JSON need that. */
const fileColumns = [
  ...['sequence', 'at', 'kind', 'actor.kind', 'actor.id', 'actor.role_code', 'target.kind', 'target.id'],
  ...['user_uuid', 'client_id', 'organisation_uuid', 'address', 'request_id', 'before', 'after', 'detail'],
]

export const auditRoutes: Route[] = [
  listRoute({
    path: '/audit',
    permission: 'iam.audit.read',
    summary: 'List audit records',
    description: `Newest first, back to the oldest month that was not archived. ${whose}`,
    answers: 'AuditPage',
    refusals: ['forbidden'],
    query: { ...filters, from: instant.optional(), to: instant.optional().describe('Not itself.') },
    shown: (one: AuditRecord) => one,
    file: { columns: fileColumns, itemOf: (one: AuditRecord) => one },
    async rows({ service, by, query: { from, to, ...query }, after, limit }) {
      const times = { from: momentOf(from), to: momentOf(to) }
      const filter = { ...(await filterOf(service.store, by.authority, query)), ...times }
      const before = sequenceOf(after(1)?.[0], 'cursor')
      await settled(service.store)
      const records = await listAudit(service.store, filter, { before, limit: limit + 1 })
      return firstOf(records, limit, ({ sequence }) => [String(sequence)])
    },
  }),
  route({
    method: 'GET',
    path: '/audit/:sequence',
    permission: 'iam.audit.read',
    summary: 'Read an audit record',
    description: `One that was not archived. ${whose}`,
    answers: 'AuditRecord',
    refusals: ['forbidden'],
    async handle({ service: { store }, by, param }) {
      await settled(store)
      const sequence = Number(/^\d{1,15}$/.exec(param('sequence'))?.[0] ?? 0)
      const row = await store.read(recordAt({ sequence }))
      const filter = await filterOf(store, by.authority, { user_uuid: row?.user_uuid ?? undefined })
      const [found] = await listAudit(store, { ...filter, sequence }, { limit: 1 })
      if (found === undefined) throw notFound('record')
      return { status: 200, body: found }
    },
  }),
  route({
    method: 'GET',
    path: '/audit/stream',
    permission: 'iam.audit.read',
    summary: 'Follow the audit',
    description: `Server-sent events: each has a record as its data and its sequence as its id, within a second. Sent again with \`Last-Event-ID\`, it goes on after that one; without, with what comes. It ends when the access token expires or does not count any more. ${whose}`,
    answers: 'AuditRecord',
    endless: true,
    refusals: ['forbidden'],
    query: z.strictObject(filters),
    async handle(asked) {
      const { service, by, query } = asked
      const filter = async () => await filterOf(service.store, by.authority, query)
      await filter()
      await settled(service.store)
      const sent = sequenceOf(asked.header('last-event-id'), 'Last-Event-ID')
      const after = sent ?? (await auditHead(service.store)).sequence
      const text = events(service.store, filter, after, asked)
      return { status: 200, stream: { type: 'text/event-stream', text } }
    },
  }),
]

/** The beginning of 1970 is a moment too. */
const momentOf = (moment: string | undefined): number | undefined =>
  moment === undefined ? undefined : millisecondsOf(moment)

function sequenceOf(text: string | undefined, field: string): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw wrongField(field, 'It is the sequence of a record.')
}

const page = 200
const pollEvery = 500
/** Connections on which nothing is sent are cut by whatever stands between. */
const sayEvery = 10_000

async function* events(
  store: Store,
  filter: () => Promise<AuditFilter>,
  from: number,
  { stillCounts, closed }: RouteRequest,
): AsyncGenerator<string> {
  yield ': records follow\n\n'
  let after = from
  let said = performance.now()
  // Asked anew each time: what ends a token ends what it reads.
  while (!closed.aborted && (await stillCounts())) {
    const { records, reached } = await followAudit(store, await filter(), { after, limit: page })
    for (const one of records) yield `id: ${one.sequence}\ndata: ${JSON.stringify(one)}\n\n`
    after = reached
    if (records.length > 0) said = performance.now()
    if (performance.now() - said > sayEvery) {
      yield ': nothing new\n\n'
      said = performance.now()
    }
    if (records.length < page) await wait(pollEvery, undefined, { signal: closed }).catch(() => undefined)
  }
}
