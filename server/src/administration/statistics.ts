import { type SelectQueryBuilder } from 'kysely'
import * as z from 'zod'
import { organisationListed } from '../access/reach.ts'
import { countedRecords } from '../audit/counted.ts'
import { type CountedKind, hour } from '../audit/counting.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { builtInPattern } from '../protocol/built-in-clients.ts'
import { Problem, wrongField } from '../protocol/problem.ts'
import type { Authority } from './authority.ts'
import { anyClientId, instant, isoTime, millisecondsOf, uuid } from './fields.ts'
import { route, type Route } from './route.ts'

/** How much there is, and how often people signed in: as the tables and the audit have it. */

/** What is counted in the audit. */
const recorded = {
  sign_ins: 'sign_in.succeeded',
  refused_sign_ins: 'sign_in.failed',
} as const satisfies Record<string, CountedKind>
const metrics = ['people', 'clients', 'sign_ins', 'refused_sign_ins'] as const

const steps = { hour, day: 24 * hour } as const
const step = z.enum(['hour', 'day'])
/** What is counted takes as long as it is much, so no more than a month is. */
const longest = 31 * steps.day
/** More people or clients are not counted. */
const most = 100_000

const statistics = z.object({
  metric: z.enum(metrics),
  total: z.int(),
  more: z.boolean().describe(`true: there are more than ${most} people or clients.`),
  from: z.iso
    .datetime()
    .nullable()
    .describe('Null of people and clients, which are counted as they are now.'),
  to: z.iso.datetime().nullable(),
  step: step.nullable(),
  series: z
    .array(z.object({ at: z.iso.datetime(), count: z.int() }))
    .describe('One for each step, from its beginning; empty of people and clients.'),
})
type Statistics = z.output<typeof statistics>

export const statisticsSchemas = { Statistics: statistics }

const asked = z.strictObject({
  metric: z
    .enum(metrics)
    .describe('`people` and `clients` that are active now; `sign_ins` and `refused_sign_ins` by time.'),
  from: instant
    .optional()
    .describe('Rounded down to a step. Without it, 24 hours or 30 days before the end.'),
  to: instant.optional().describe('Not itself; without it, now.'),
  step: step.optional().describe(`\`hour\`, or \`day\` by UTC. At most 31 days are counted.`),
  client_id: anyClientId.optional().describe('Of sign-ins: through this client alone.'),
  organisation_uuid: uuid
    .optional()
    .describe('People with a profile there, clients of it, sign-ins through its clients.'),
})
type StatisticsQuery = z.output<typeof asked>

export const statisticsRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/statistics',
    permission: 'iam.statistics.read',
    summary: 'Count people, clients or sign-ins',
    description:
      'A sign-in is that of a person at the service, which may serve several applications; a refused one is a wrong password or second factor, or an account that is unknown or disabled. An administrator of an organisation counts what belongs to it, one of a unit its people alone.',
    answers: 'Statistics',
    refusals: ['forbidden'],
    query: asked,
    async handle({ service: { store }, by: { authority, now }, query }) {
      const { metric } = query
      const organisation = organisationListed(authority.reach, query.organisation_uuid)
      // No organisation has it: what is out of reach is as if it did not exist.
      const place = organisation === null ? 'none' : organisation
      if (metric === 'sign_ins' || metric === 'refused_sign_ins') {
        refuseUnits(authority)
        return { status: 200, body: await signIns(store, recorded[metric], { ...query, place, now }) }
      }
      for (const name of ['from', 'to', 'step', 'client_id'] as const)
        if (query[name] !== undefined) throw wrongField(name, 'It is of sign-ins alone.')
      if (metric === 'clients') refuseUnits(authority)
      const counted = metric === 'people' ? people(store, authority, place) : clients(store, place)
      return {
        status: 200,
        body: { metric, ...(await counted), from: null, to: null, step: null, series: [] },
      }
    },
  }),
]

function refuseUnits({ reach }: Authority): void {
  if (reach.unit_uuid === undefined) return
  throw new Problem('forbidden', 'Clients belong to an organisation, and you administer a unit of one.')
}

async function signIns(
  store: Store,
  kind: CountedKind,
  {
    metric,
    now,
    place,
    client_id: client,
    ...query
  }: StatisticsQuery & { now: number; place: string | undefined },
): Promise<Statistics> {
  const { step: name = 'hour' } = query
  const step = steps[name]
  const to = query.to === undefined ? now : millisecondsOf(query.to)
  const before = name === 'hour' ? 24 : 30
  const begin = query.from === undefined ? to - before * step : millisecondsOf(query.from)
  const from = Math.floor(begin / step) * step
  if (from >= to) throw wrongField('from', 'It is not before the end.')
  if (to - from > longest) throw wrongField('from', 'These are more than 31 days.')
  const counted = await countedRecords(store, { kind, from, to, step, client, organisation: place })
  return {
    metric,
    total: counted.reduce((sum, { count }) => sum + count, 0),
    more: false,
    from: isoTime(from),
    to: isoTime(to),
    step: name,
    series: counted.map(({ at, count }) => ({ at: isoTime(at), count })),
  }
}

async function people({ db }: Store, { reach: { unit_uuid } }: Authority, place: string | undefined) {
  if (place === undefined) return await upToMost(db, db.selectFrom('users').where('active', '=', 1))
  const at = unit_uuid !== undefined && place !== 'none' ? unit_uuid : place
  return await upToMost(db, db.selectFrom('members').where('place_uuid', '=', at).where('active', '=', 1))
}

async function clients({ db }: Store, place: string | undefined) {
  const registered = db.selectFrom('clients').where('active', '=', 1)
  return await upToMost(
    db,
    registered
      .where('client_id', 'not like', builtInPattern)
      .$if(place !== undefined, (query) => query.where('organisation_uuid', '=', place ?? '')),
  )
}

/** Each is a range of an index, of which no more is read. */
async function upToMost<T extends keyof Schema>(
  db: Store['db'],
  query: SelectQueryBuilder<Schema, T, object>,
) {
  const some = query.select((row) => row.lit(1).as('one')).limit(most + 1)
  const { count } = await db
    .selectFrom(some.as('some'))
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { total: Math.min(Number(count), most), more: Number(count) > most }
}
