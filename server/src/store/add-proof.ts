import { appending, type Recording } from '../audit/append.ts'
import { contentOf } from '../audit/record.ts'
import { preparedRow, type Steps } from '../database/prepared.ts'
import type { SessionRow } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { lastly, together } from '../database/steps.ts'
import {
  amrOf,
  type Authentication,
  authenticationOf,
  provedOf,
  withProof,
} from '../protocol/authentication.ts'
import { hashSecret, newSecret } from '../protocol/identifier.ts'
import { notingSignIn } from './last-sign-in.ts'
import type { Session } from './sessions.ts'
import { originOf, type Proof, type SignIn } from './start-session.ts'
import { type SettledAttempt, settling } from './throttles.ts'

/** A second factor, or a stronger one. */
export interface StepUp extends Pick<SignIn, 'now' | 'from'> {
  proof: Proof
  /** What the attempt was counted by. */
  settled?: SettledAttempt | undefined
}

/**
 * Adds a proof to a session, and yields its new cookie. The `sid` and the session's ends stay. A newer proof of the same
 * method replaces the one before.
 *
 * Concurrency: proofs that are added at once all count. Undefined, and nothing changed, when the session ended, the person
 * was disabled, or the proof became void since it was checked.
 */
export async function addProof(
  store: Store,
  session: Pick<Session, 'sid' | 'user_uuid'>,
  stepUp: StepUp,
): Promise<{ cookie: string } | undefined> {
  const cookie = newSecret()
  return (await store.write(() => adding(store, session, stepUp, cookie))) ? { cookie } : undefined
}

function* adding(
  store: Recording,
  { sid, user_uuid }: Pick<Session, 'sid' | 'user_uuid'>,
  { proof, now, from, settled }: StepUp,
  cookie: string,
): Steps<boolean> {
  // The person first, as whatever ends sessions does it, so that none waits in a circle.
  const [notes, holds] = yield* together(notingSignIn(user_uuid, now), proof.stillHolds(user_uuid))
  if (!holds) return false
  const row = yield* holdSession({ sid, user_uuid, now })
  if (row === undefined) return false
  const proved = withProof(provedOf(row), { at: now, ...proof.proved })
  const authentication = authenticationOf(proved)
  yield* lastly(
    writeProofs({ sid, ...authentication, cookie_hash: hashSecret(cookie), now }),
    ...(settled === undefined ? [] : [settling(settled)]),
    ...notes,
    appending(store, [
      contentOf({
        at: now,
        kind: 'sign_in.stepped_up',
        ...originOf({ user_uuid, from }),
        target: { kind: 'session', id: sid },
        user_uuid,
        client_id: from.client_id,
        sid,
        detail: { method: proof.proved.method, acr: authentication.acr, amr: amrOf(proved) },
      }),
    ]),
  )
  return true
}

/** Waits for another proof that is being added, so that neither writes over the other. */
const holdSession = preparedRow<{ sid: string; user_uuid: string; now: number }, SessionRow>((db, slot) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('sid', '=', slot('sid'))
    .where('user_uuid', '=', slot('user_uuid'))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', slot('now'))
    .forUpdate(),
)

interface ProofValues extends Authentication {
  sid: string
  cookie_hash: string
  now: number
}

const writeProofs = preparedRow<ProofValues, { sid: string }>((db, slot) =>
  db
    .updateTable('sessions')
    .set({
      auth_time: slot('auth_time'),
      acr: slot('acr'),
      amr: slot('amr'),
      proofs: slot('proofs'),
      cookie_hash: slot('cookie_hash'),
      last_seen_at: slot('now'),
    })
    .where('sid', '=', slot('sid'))
    .returning('sid'),
)
