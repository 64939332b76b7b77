/** One change of many people, one after the other: each is a change of its own, by the verb that does it to one. */
import { notFound } from '../../protocol/problem.ts'
import type { Row } from '../by.ts'
import { largestPage } from '../fields.ts'
import { linesAnswer } from '../lines.ts'
import { eachAlone } from '../many.ts'
import { isLongAgo, wantRecentSignIn } from '../recent-sign-in.ts'
import { type RouteRequest, type RouteResponse, route, type Route } from '../route.ts'
import { actionOf, type BulkAction } from './bulk-actions.ts'
import { type BulkBody, bulkBody, type BulkLine } from './bulk-body.ts'
import { listUsers } from './list.ts'
import { users } from './verbs.ts'

type AskedBulk = RouteRequest & { body: BulkBody }

export const bulkRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/users/bulk',
    permission: 'iam.users.read',
    summary: 'Change many users at once',
    description:
      'Each as by a request of its own, with all that such a request asks for: what is refused of one is told, and the others go on. It needs what one such request needs: `iam.users.update` to disable and enable, `iam.profiles.create` to give a role, `iam.profiles.delete` and `iam.profiles.read` to end one, `iam.factors.delete` and `iam.users.update` to invite; and a recent sign-in. It stops when the connection is closed; what was done stays. Who was cut off sends the same again: what is so already is counted as such, and written no more. All of it has the one request id in the audit. One such work, or import, of an organisation goes on at a time: another is refused with 503. A dry run tells the same, of each person as if nobody else were changed. Nobody disables themself so, nor ends a role of their own, and who asked to have their account removed is not enabled together with others.',
    answers: 'BulkLine',
    lines: true,
    makes: false,
    repeatable: false,
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    patience: 60_000,
    body: bulkBody,
    tried: async (asked) => await changedMany(asked, true),
    handle: async (asked) => await changedMany(asked, false),
  }),
]

/** Throws before the first line what is refused of everybody. */
async function changedMany(asked: AskedBulk, dryRun: boolean): Promise<RouteResponse> {
  const { service, by, body } = asked
  const action = actionOf(body, service)
  for (const one of action.permissions) by.authority.requires(one)
  if (body.people.role_code !== undefined) by.authority.requires('iam.profiles.read')
  await action.check?.(service.store, by)
  if (!dryRun) wantRecentSignIn(by)
  return linesAnswer(asked, linesOf(asked, action, dryRun))
}

function linesOf(asked: AskedBulk, action: BulkAction, dryRun: boolean): AsyncIterable<BulkLine> {
  return eachAlone(asked, {
    of: peopleOf(asked),
    change: async (store, by, { person }: FoundPerson) => {
      if (person === undefined) throw notFound('user')
      return await action.change(store, by, person)
    },
    counted: ({ all: people, ...counts }) => ({ people, ...counts }),
    named: ({ uuid, person }) => ({
      user_uuid: uuid,
      email: person?.email ?? null,
      name: person?.name ?? null,
    }),
    dryRun,
    signInAgain: isLongAgo(asked.by),
  })
}

interface FoundPerson {
  uuid: string
  /** Undefined: nobody within the reach. */
  person: Row<'users'> | undefined
}

/** The people asked for. A filter is paged by key, so a person who fits no longer after the change hides nobody. */
async function* peopleOf({ service: { store }, by, body }: AskedBulk): AsyncGenerator<FoundPerson> {
  const { uuid: uuids, all: _, active, ...filter } = body.people
  const { authority } = by
  if (uuids !== undefined) {
    for (const uuid of new Set(uuids)) yield { uuid, person: await users.find(store.db, uuid, authority) }
    return
  }
  const asked = { ...filter, active: active === undefined ? undefined : active ? (1 as const) : (0 as const) }
  for (let after: readonly string[] | undefined; ; ) {
    const { rows, next } = await listUsers(store, authority.reach, asked, after, largestPage)
    for (const person of rows) yield { uuid: person.uuid, person }
    if (next === undefined) return
    after = next
  }
}
