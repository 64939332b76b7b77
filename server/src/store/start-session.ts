import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type AuditEvent, contentOf, type Origin } from '../audit/record.ts'
import { appending, type Recording } from '../audit/append.ts'
import { noteSignIn } from './authorization-requests.ts'
import { rememberDevice } from './devices.ts'
import { hashSecret, newSecret } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import { prepared, preparedRow, slotRow, type Steps } from '../database/prepared.ts'
import type { Schema } from '../database/schema.ts'
import { lastly, together } from '../database/steps.ts'
import { amrOf, authenticationOf, type Proved } from '../protocol/authentication.ts'
import { inTransaction } from './in-transaction.ts'
import { notingSignIn } from './last-sign-in.ts'
import { endWithin, type Session } from './sessions.ts'
import { type SettledAttempt, settling } from './throttles.ts'
import { maySignIn } from './usable.ts'

/** Something by which a person proved who they are. */
export interface Proof {
  /** The proof as the session keeps it. It was proved now, unless it says when. */
  proved: Omit<Proved, 'at'> & { at?: number }
  /** Whether it is still so, of a person who is active; holds on to both until the session has begun. */
  stillHolds(user_uuid: string): Steps<boolean>
}

/** The password whose hash this was when it was checked, and how far it reaches; null: everywhere. */
export const passwordProof = (passwordHash: string, reach: string | null = null): Proof => ({
  proved: { method: 'password', ...reaching(reach) },
  *stillHolds(user_uuid) {
    return (yield* holdPassword({ user_uuid, passwordHash })) !== undefined
  },
})

/** How far what is proved by a credential reaches, where that is not everywhere. */
export const reaching = (reach: string | null | undefined): { reach?: string } =>
  reach === null || reach === undefined ? {} : { reach }

export interface SignIn {
  user_uuid: string
  proofs: readonly [Proof, ...Proof[]]
  /** A second factor is enrolled, and not among the proofs: the sign-in is not complete. */
  secondFactorDue?: boolean
  now: number
  lifetime: number
  /** The address that the person signed in from, and the client, if there was one; the audit tells both. */
  from: { address: string; requestId: string; client_id?: string | undefined }
  /** The browser, as people know it. */
  browser?: string | undefined
  /** The authorization request that asked for it. */
  pendingId?: string | undefined
  /** The cookie of a browser that signs them in for the first time. */
  device?: string | undefined
  /** The attempt, as it was counted. */
  settled?: SettledAttempt | undefined
}

/**
 * Starts a session after a sign-in, and yields its cookie, which is new at every step up (decisions 7).
 * A person who signs in again keeps the session and its `sid`; another person's session ends first, with its
 * token families. All that the sign-in changes is one transaction, with the records of it.
 *
 * Concurrency: undefined, and nothing changed, when the person was disabled or a proof became void since it was
 * checked. Checking a password takes a while, and what ends sessions meanwhile must end this one too.
 */
export async function startSession(
  store: Store,
  previous: Session | undefined,
  signIn: SignIn,
): Promise<{ sid: string; cookie: string } | undefined> {
  const cookie = newSecret()
  const another = previous !== undefined && previous.user_uuid !== signIn.user_uuid
  const sid = another
    ? await replace(store, previous, signIn, cookie)
    : await store.write(() => starting(store, signIn, previous?.sid, cookie))
  return sid === undefined ? undefined : { sid, cookie }
}

function* starting(
  store: Recording,
  signIn: SignIn,
  renews: string | undefined,
  cookie: string,
): Steps<string | undefined> {
  const notes = yield* stillProven(signIn)
  if (notes === undefined) return undefined
  return yield* begin(store, signIn, { renews, cookie, ended: [], notes })
}

/** Yields what notes the day of the sign-in. Undefined: a proof is void. */
function* stillProven({ user_uuid, proofs, now }: SignIn): Steps<Steps<unknown>[] | undefined> {
  const [notes, ...held] = yield* together(
    notingSignIn(user_uuid, now),
    ...proofs.map((proof) => proof.stillHolds(user_uuid)),
  )
  return held.every(Boolean) ? notes : undefined
}

/** Rare, so it goes by the same way as every other end of a session. */
async function replace(
  store: Store,
  previous: Session,
  signIn: SignIn,
  cookie: string,
): Promise<string | undefined> {
  return await store.db.transaction().execute(async (trx) => {
    const { read: run } = inTransaction(trx)
    const notes = await run(stillProven(signIn))
    if (notes === undefined) return undefined
    const { now } = signIn
    const ended = await endWithin(trx, previous.sid, { now, reason: 'replaced', by: originOf(signIn) })
    return await run(begin(store, signIn, { renews: undefined, cookie, ended, notes }))
  })
}

const holdPassword = preparedRow<{ user_uuid: string; passwordHash: string }, { uuid: string }>((db, slot) =>
  db
    .selectFrom('users')
    .select('uuid')
    .where('uuid', '=', slot('user_uuid'))
    .where(maySignIn)
    .where('password_hash', '=', slot('passwordHash'))
    .forShare(),
)

interface Beginning {
  renews: string | undefined
  cookie: string
  ended: readonly AuditEvent[]
  notes: readonly Steps<unknown>[]
}

/** `renews`: the session of the same person, which goes on where it has not ended. Yields the `sid`. */
function* begin(
  store: Recording,
  signIn: SignIn,
  { renews, cookie, ended, notes }: Beginning,
): Steps<string> {
  const { user_uuid, now, pendingId, device, settled } = signIn
  const values = {
    ...authenticationOf(provedIn(signIn)),
    cookie_hash: hashSecret(cookie),
    now,
    expires_at: now + signIn.lifetime,
    browser: signIn.browser ?? null,
    network: signIn.from.address,
  }
  const renewed = renews === undefined ? undefined : yield* renewSession({ ...values, sid: renews })
  const sid = renewed?.sid ?? randomUUID()
  yield* lastly(
    ...(renewed === undefined ? [insertSession({ ...values, sid, user_uuid })] : []),
    ...(pendingId === undefined ? [] : [noteSignIn(pendingId, sid, renews !== undefined)]),
    ...(device === undefined ? [] : [rememberDevice(device, user_uuid, now)]),
    ...(settled === undefined ? [] : [settling(settled)]),
    ...(signIn.secondFactorDue === true ? [] : notes),
    appending(store, [...ended, signedIn(signIn, sid)].map(contentOf)),
  )
  return sid
}

/** Columns that the renewal of a session writes anew. */
const written = [
  'auth_time',
  'acr',
  'amr',
  'proofs',
  'cookie_hash',
  'expires_at',
  'browser',
  'network',
] as const satisfies readonly (keyof Schema['sessions'])[]

type NewSession = Pick<Selectable<Schema['sessions']>, 'sid' | (typeof written)[number]> & { now: number }

const renewSession = preparedRow<NewSession, { sid: string }>((db, slot) =>
  db
    .updateTable('sessions')
    .set({ ...slotRow(written, slot), last_seen_at: slot('now') })
    .where('sid', '=', slot('sid'))
    .where('ended_at', 'is', null)
    .returning('sid'),
)

const insertSession = prepared<NewSession & { user_uuid: string }, never>((db, slot) =>
  db.insertInto('sessions').values({
    ...slotRow([...written, 'sid', 'user_uuid'], slot),
    created_at: slot('now'),
    last_seen_at: slot('now'),
    known_end: slot('expires_at'),
    ended_at: null,
  }),
)

const provedIn = ({ proofs, now }: SignIn): Proved[] => proofs.map(({ proved }) => ({ at: now, ...proved }))

export const originOf = ({ user_uuid, from }: Pick<SignIn, 'user_uuid' | 'from'>): Origin => ({
  ...from,
  actor: { kind: 'user', id: user_uuid },
})

function signedIn(signIn: SignIn, sid: string): AuditEvent {
  const { user_uuid, now, from } = signIn
  return {
    at: now,
    kind: 'sign_in.succeeded',
    ...originOf(signIn),
    target: { kind: 'session', id: sid },
    user_uuid,
    client_id: from.client_id,
    sid,
    detail: {
      amr: amrOf(provedIn(signIn)),
      ...(signIn.secondFactorDue === true && { second_factor: 'due' }),
    },
  }
}
