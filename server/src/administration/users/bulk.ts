/** One change of many people, one after the other: each is a change of its own, by the verb that does it to one. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Store } from '../../database/store.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { notFound } from '../../protocol/problem.ts'
import type { By, Row } from '../by.ts'
import { NoLonger } from '../change.ts'
import { newTrial, storeWithin, undone } from '../effect.ts'
import { largestPage } from '../fields.ts'
import { linesAnswer } from '../lines.ts'
import { isLongAgo, wantRecentSignIn } from '../recent-sign-in.ts'
import { type RouteRequest, type RouteResponse, route, type Route } from '../route.ts'
import { actionOf, type BulkAction } from './bulk-actions.ts'
import { type BulkBody, bulkBody, type BulkLine } from './bulk-body.ts'
import { listUsers } from './list.ts'
import { users } from './verbs.ts'

type AskedBulk = RouteRequest & { body: BulkBody }

/** People between two lines that tell how far it is; then it is asked whether the token still counts. */
const step = 20

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

async function* linesOf(asked: AskedBulk, action: BulkAction, dryRun: boolean): AsyncGenerator<BulkLine> {
  const { by, closed } = asked
  const counts = { people: 0, changed: 0, already: 0, refused: 0 }
  for await (const { uuid, person } of peopleOf(asked)) {
    if (closed.aborted) return
    const done = await changeOf(asked, action, person, dryRun)
    counts.people++
    counts[done instanceof ProtocolError ? 'refused' : done]++
    if (done instanceof ProtocolError) {
      const { email = null, name = null } = person ?? {}
      yield { kind: 'refused', user_uuid: uuid, email, name, code: done.code, detail: done.description }
    }
    if (counts.people % step === 0) yield { kind: 'progress', ...counts }
    // An embedded database answers at once, and others would wait.
    await nextTurn()
  }
  yield { kind: 'done', ...counts, dry_run: dryRun, sign_in_again: isLongAgo(by) }
}

interface FoundPerson {
  uuid: string
  /** Undefined: nobody within the reach. */
  person: Row<'users'> | undefined
}

/** Who is asked for. A filter is walked by the keys of its order, so who fits no longer after the change hides nobody. */
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

/** What came of one. Throws what is not about this person: who asks may do it no more, or the database fails. */
async function changeOf(
  { service: { store }, by }: AskedBulk,
  action: BulkAction,
  person: Row<'users'> | undefined,
  dryRun: boolean,
): Promise<'changed' | 'already' | ProtocolError> {
  if (person === undefined) return notFound('user')
  try {
    const isChanged = dryRun
      ? await triedOn(store, by, action, person)
      : await action.change(store, by, person)
    return isChanged ? 'changed' : 'already'
  } catch (error) {
    if (error instanceof ProtocolError && error.status < 500 && !(error instanceof NoLonger)) return error
    throw error
  }
}

const triedOn = async (store: Store, by: By, action: BulkAction, person: Row<'users'>): Promise<boolean> => {
  const trying = { ...by, tried: newTrial() }
  return await undone(store, async (trx) => await action.change(storeWithin(store, trx), trying, person))
}
