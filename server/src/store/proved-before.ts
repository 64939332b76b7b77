import { preparedRow } from '../database/prepared.ts'
import type { Proof } from './start-session.ts'
import { maySignIn } from './usable.ts'

/**
 * What the verb of this moment has looked at itself. The account must not have changed hands since, and the factor must
 * still be there (people.md 13). Concurrency: the person is held first, so an end that comes meanwhile is seen.
 */
export const provedBefore = (proved: Proof['proved'], since: number): Proof => ({
  proved,
  *stillHolds(user_uuid) {
    if ((yield* holdSameHands({ user_uuid, since })) === undefined) return false
    const { credential: id } = proved
    return id === undefined || (yield* findFactor({ id, user_uuid })) !== undefined
  },
})

/** What ends all of an account, or ranks above what its person set, notes when. */
const holdSameHands = preparedRow<{ user_uuid: string; since: number }, { uuid: string }>((db, slot) =>
  db
    .selectFrom('users')
    .select('uuid')
    .where('uuid', '=', slot('user_uuid'))
    .where(maySignIn)
    .where((row) => row.or([row('ranked_at', 'is', null), row('ranked_at', '<=', slot('since'))]))
    .forShare(),
)

const findFactor = preparedRow<{ id: string; user_uuid: string }, { id: string }>((db, slot) =>
  db
    .selectFrom('factors')
    .select('id')
    .where('id', '=', slot('id'))
    .where('user_uuid', '=', slot('user_uuid'))
    .where('suspended_at', 'is', null),
)
