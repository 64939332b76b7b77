/**
 * The session of a person at an application behind a proxy: a token family whose secret counts at one origin alone, and
 * which nobody can refresh. So it ends with all that token families end with.
 */
import { type Compilable, sql } from 'kysely'
import type { Store } from '../database/store.ts'
import { prepared } from '../database/prepared.ts'
import { readRevision, revisionThen } from '../database/revision.ts'
import type { TokenFamilyRow } from '../database/schema-tokens.ts'
import { hashSecret } from '../protocol/identifier.ts'
import { parseRefreshToken } from './refresh-token-text.ts'
import { secretAt } from './token-families.ts'

/** A family, with the end of the session that it came from. */
export interface ProxiedSession
  extends Pick<
    TokenFamilyRow,
    | 'id'
    | 'family_hash'
    | 'client_id'
    | 'user_uuid'
    | 'profile_uuid'
    | 'sid'
    | 'scope'
    | 'auth_time'
    | 'acr'
    | 'amr'
    | 'proofs'
    | 'last_used_at'
    | 'idle_expires_at'
    | 'expires_at'
  > {
  /** The absolute end of the session of the browser. */
  session_expires_at: number
  /** The revision of what processes keep in memory, at the same moment. */
  revision: number
  /** Moves with all of the person that a check depends on. */
  stamp: string
}

const cookiePattern = /^([0-9a-f]{32})\.([A-Za-z0-9_-]{43})$/

/** The cookie of a family that was opened just now. */
export function proxiedCookie(refreshToken: string): string {
  const token = parseRefreshToken(refreshToken)
  if (token === undefined) throw new Error('The family of a session at an application has no token.')
  return `${token.familyId}.${token.familySecret}`
}

/** The numbers of sessions that one statement can ask for; each is compiled once. */
const sizes = [1, 2, 4, 8, 16, 32, 64] as const

const text = (column: string) => sql`coalesce(cast(${sql.ref(column)} as text), '')`

const stamped = [
  ...['email', 'email_verified', 'name', 'active', 'deletion_at', 'grace_began_at'].map(
    (column) => `users.${column}`,
  ),
  ...['second_factor', 'enrolment_required', 'password_temporary', 'version'].map(
    (column) => `users.${column}`,
  ),
  ...[
    'active',
    'expires_at',
    'role_code',
    'organisation_uuid',
    'unit_uuid',
    'beyond',
    'suspended',
    'counts_until',
    'version',
  ].map((column) => `profiles.${column}`),
  ...['scope', 'services', 'permissions', 'claims'].map((column) => `consents.${column}`),
]

/** Live ones alone. */
const selects = sizes.map((size) =>
  prepared<Record<string, string>, ProxiedSession>(
    (db, slot) =>
      db
        .selectFrom('token_families as f')
        .innerJoin('sessions', 'sessions.sid', 'f.sid')
        .innerJoin('users', 'users.uuid', 'f.user_uuid')
        .leftJoin('profiles', 'profiles.uuid', 'f.profile_uuid')
        .leftJoin('consents', (on) =>
          on.onRef('consents.user_uuid', '=', 'f.user_uuid').onRef('consents.client_id', '=', 'f.client_id'),
        )
        .select([
          'f.id',
          'f.family_hash',
          'f.client_id',
          'f.user_uuid',
          'f.profile_uuid',
          'f.sid',
          'f.scope',
          'f.auth_time',
          'f.acr',
          'f.amr',
          'f.proofs',
          'f.last_used_at',
          'f.idle_expires_at',
          'f.expires_at',
          'sessions.expires_at as session_expires_at',
          revisionThen,
          sql<string>`${sql.join(stamped.map(text), sql` || '|' || `)}`.as('stamp'),
        ])
        .where(
          'f.id',
          'in',
          Array.from({ length: size }, (_, index) => slot(`id${index}`)),
        )
        .where('f.revoked_at', 'is', null)
        .where('sessions.ended_at', 'is', null) as Compilable<ProxiedSession>,
  ),
)

interface FoundSessions {
  /** The revision of the moment when they were found. */
  revision: number
  sessions: ReadonlyMap<string, ProxiedSession>
}

/** The live ones among these. */
async function readSessions(store: Store, ids: readonly string[]): Promise<FoundSessions> {
  const found = new Map<string, ProxiedSession>()
  const most = sizes[sizes.length - 1] ?? 1
  for (let start = 0; start < ids.length; start += most) {
    const some = ids.slice(start, start + most)
    const size = sizes.findIndex((one) => one >= some.length)
    const slots = Array.from({ length: sizes[size] ?? most }, (_, at) => [`id${at}`, some[at] ?? ''] as const)
    const select = selects[size]
    if (select === undefined) throw new Error('No statement asks for as many sessions.')
    for (const row of await store.read(select(Object.fromEntries(slots)))) found.set(row.id, row)
  }
  const [first] = found.values()
  return { revision: first?.revision ?? (await readRevision(store)), sessions: found }
}

/** A question that others may join until it is put. */
interface SharedQuestion {
  ids: Set<string>
  answer: Promise<FoundSessions>
}

/** The live session of a cookie, if there is one, and the revision of what is in memory, at the same moment. */
export interface AtVisit {
  revision: number
  session: ProxiedSession | undefined
}

/**
 * Finds live sessions by their cookies. Who asks at the same time shares one question, which is put after each of them
 * asked: what ended before is not found.
 */
export function findingProxiedSessions(
  store: Store,
): (cookie: string | undefined, origin: string) => Promise<AtVisit> {
  let before: Promise<unknown> = Promise.resolve()
  let next: SharedQuestion | undefined
  const question = (): SharedQuestion => {
    const ids = new Set<string>()
    const answer = before.then(untilTurn).then(async () => {
      next = undefined
      return await readSessions(store, [...ids])
    })
    before = answer.catch(() => undefined)
    return { ids, answer }
  }
  return async (cookie, origin) => {
    const [, id, secret] = cookiePattern.exec(cookie ?? '') ?? []
    next ??= question()
    if (id !== undefined) next.ids.add(id)
    const { revision, sessions } = await next.answer
    const session = sessions.get(id ?? '')
    const isTheirs = secret !== undefined && session?.family_hash === hashSecret(secretAt(origin, secret))
    // A large batch takes several statements, which may be of several moments.
    return isTheirs ? { revision: session.revision, session } : { revision, session: undefined }
  }
}

/** All requests that have come by now were read. */
const untilTurn = () => new Promise((resolve) => setImmediate(resolve))

const moveLastUsed = prepared<{ id: string; now: number; idleEnd: number }, never>((db, slot) =>
  db
    .updateTable('token_families')
    .set({ last_used_at: slot('now'), idle_expires_at: slot('idleEnd') })
    .where('id', '=', slot('id'))
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', slot('now')),
)

/** Moves the idle end. Callers do so at most once a minute. Lost, the session ends a minute sooner. */
export async function touchProxiedSession(
  store: Store,
  moved: { id: string; now: number; idleEnd: number },
): Promise<void> {
  await store.writeOne(() => moveLastUsed(moved), 'losable')
}
