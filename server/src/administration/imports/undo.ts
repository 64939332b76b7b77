import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { recorded } from '../../audit/recorded.ts'
import { chunksOf } from '../../database/chunks.ts'
import type { Schema } from '../../database/schema.ts'
import type { Store } from '../../database/store.ts'
import { notFound, Problem } from '../../protocol/problem.ts'
import { holdPerson } from '../../store/write/own.ts'
import type { By, Transacting } from '../by.ts'
import { newTrial, storeWithin, undone } from '../effect.ts'
import { isLongAgo, wantRecentSignIn } from '../recent-sign-in.ts'
import { linesAnswer } from '../lines.ts'
import type { RouteRequest, RouteResponse } from '../route.ts'
import { deleteUser } from '../users/verbs.ts'
import type { UndoLine } from './lines.ts'
import { type CountedImport, findImport, peopleOf } from './shown.ts'

type Undoing = Pick<RouteRequest, 'service' | 'by' | 'closed' | 'stillCounts'>

/** People of a step. */
const step = 200

/**
 * Removes the people of an import who never signed in, one by one, or says who would go. Concurrency: each as `change`;
 * somebody who signs in meanwhile stays.
 */
export async function undoneImport(asked: Undoing, uuid: string, dryRun: boolean): Promise<RouteResponse> {
  const { service, by } = asked
  const found = await findImport(service.store.db, uuid, by.authority.reach)
  if (found === undefined) throw notFound('import')
  // Each removal would want it.
  if (!dryRun && found.people > found.signed_in) wantRecentSignIn(by)
  return linesAnswer(asked, linesOf(asked, found, dryRun))
}

async function* linesOf(asked: Undoing, of: CountedImport, dryRun: boolean): AsyncGenerator<UndoLine> {
  const { service, by, closed } = asked
  const { store } = service
  const counts = { people: of.people, removed: 0, signed_in: of.signed_in, refused: 0, changed: 0 }
  for (let after = ''; ; ) {
    const people = await nextPeople(store.db, by, of, after)
    const changed = await changedSince(store.db, of, people)
    for (const { uuid: user_uuid, email } of people) {
      if (closed.aborted) return
      // An embedded database answers at once: others are answered between.
      await nextTurn()
      const problem = await removed(store, by, user_uuid, dryRun)
      if (problem === undefined) {
        counts.removed++
        if (changed.has(user_uuid)) counts.changed++
      } else if (problem instanceof SignedIn) counts.signed_in++
      // Somebody else removed them, or put them elsewhere.
      else if (problem.code === 'not_found') counts.people--
      else {
        counts.refused++
        yield { kind: 'refused', user_uuid, email, code: problem.code, detail: problem.description }
      }
    }
    const last = people.at(-1)
    if (last === undefined) break
    after = last.uuid
    yield { kind: 'progress', ...counts }
  }
  // Whoever signed in after the count, and before the list was read, is on no list.
  counts.signed_in = counts.people - counts.removed - counts.refused
  const replaced = await replacedBy(store.db, of)
  yield { kind: 'done', ...counts, dry_run: dryRun, replaced, sign_in_again: isLongAgo(by) }
}

const nextPeople = async (db: Kysely<Schema>, by: By, { uuid }: CountedImport, after: string) =>
  await peopleOf(db, [uuid], by.authority.reach)
    .select(['uuid', 'email'])
    .where('last_sign_in_on', '=', '')
    .where('uuid', '>', after)
    .orderBy('uuid')
    .limit(step)
    .execute()

/** What says that somebody signed in after the list was read. */
class SignedIn extends Problem {}

async function refuseSignedIn(trx: Transacting, user_uuid: string): Promise<void> {
  // A sign-in that is on its way holds the row until it has noted itself.
  const person = await holdPerson(trx, user_uuid)
  if (person?.last_sign_in_on !== '') throw new SignedIn('conflict', 'They have signed in meanwhile.')
}

/**
 * What is refused because of one person and not because of the caller; `managed_by_file` and `last_administrator` too.
 */
const ofOne = new Set<string>(['forbidden', 'managed_by_file', 'last_administrator', 'conflict', 'not_found'])

/** Removes one, or says what keeps them. */
async function removed(store: Store, by: By, id: string, dryRun: boolean): Promise<Problem | undefined> {
  const one = { id, versions: undefined }
  try {
    if (!dryRun) await deleteUser(store, by, one, refuseSignedIn)
    else {
      const tried = newTrial()
      await undone(
        store,
        async (trx) => await deleteUser(storeWithin(store, trx), { ...by, tried }, one, refuseSignedIn),
      )
    }
    return undefined
  } catch (error) {
    if (error instanceof Problem && ofOne.has(error.code)) return error
    throw error
  }
}

/** People to whom something happened beside the import, as the audit tells. */
async function changedSince(
  db: Kysely<Schema>,
  { request_id }: CountedImport,
  people: readonly { uuid: string }[],
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>()
  for (const some of chunksOf(people.map((one) => one.uuid))) {
    const rows = await recorded(db)
      .select('user_uuid')
      .distinct()
      .where('user_uuid', 'in', some)
      .where(sql<boolean>`coalesce(request_id, '') <> ${request_id ?? ''}`)
      .execute()
    for (const { user_uuid } of rows) if (user_uuid !== null) changed.add(user_uuid)
  }
  return changed
}

/** How many accounts the import took the place of. */
async function replacedBy(db: Kysely<Schema>, { request_id }: CountedImport): Promise<number> {
  if (request_id === null) return 0
  const { count } = await recorded(db)
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('request_id', '=', request_id)
    .where('kind', '=', 'user.removed')
    .executeTakeFirstOrThrow()
  return Number(count)
}
