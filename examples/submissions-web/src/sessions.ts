/**
 * Sessions and unfinished sign-ins, in SQLite, so that a restart signs nobody out.
 * Knows SQL and nothing of HTTP or OpenID Connect.
 */
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { CallResult } from './call-api.ts'
import { hashed, newSessionId, seal, unseal } from './sealed.ts'
import type { SignedIn } from './tokens.ts'

const MINUTE = 60_000
/** How long a person may take at the issuer; resetting a forgotten password by mail takes a while. */
const SIGN_IN_LIFETIME = 60 * MINUTE
const SESSION_LIFETIME = 12 * 60 * MINUTE
export const COOKIE_SECONDS = SESSION_LIFETIME / 1000

export interface Session {
  readonly id: string
  readonly signedIn: SignedIn | undefined
  readonly lastResult: CallResult | undefined
  /** The stored form of `signedIn`, to notice that another request replaced it meanwhile. */
  readonly version: string | null
}

/** What must stay secret between the authorization request and its callback. */
export interface SignInSecrets {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** Of a step-up: the seconds that `auth_time` may be old, and where the person was. */
  readonly maxAge?: number
  readonly backTo?: string
}

interface SessionRow {
  readonly tokens: string | null
  readonly last_result: string | null
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (
    id_hash TEXT PRIMARY KEY,
    tokens TEXT,
    last_result TEXT,
    expires_at INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS sign_ins (
    state_hash TEXT PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id_hash) ON DELETE CASCADE,
    secrets TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS sign_ins_session ON sign_ins (session);
`

export type Sessions = ReturnType<typeof openSessions>

export function openSessions(file: string, now: () => number) {
  const db = openDatabase(file)
  return { ...sessionVerbs(db, now), ...signInVerbs(db, now), close: () => db.close() }
}

function openDatabase(file: string): DatabaseSyncInstance {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(file)
  chmodSync(file, 0o600)
  // In this order: switching to WAL takes a lock, and without the timeout a second process would fail on it.
  db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;')
  db.exec(SCHEMA)
  return db
}

function inTransaction(db: DatabaseSyncInstance, work: () => void): void {
  // Immediate: a transaction that reads first fails when another process writes before it does.
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    // A failure such as a full disk may have ended the transaction already.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function sessionVerbs(db: DatabaseSyncInstance, now: () => number) {
  const insert = db.prepare('INSERT INTO sessions (id_hash, tokens, expires_at) VALUES (?, ?, ?)')
  const select = db.prepare('SELECT tokens, last_result FROM sessions WHERE id_hash = ? AND expires_at > ?')
  const replace = db.prepare('UPDATE sessions SET tokens = ? WHERE id_hash = ? AND tokens = ?')
  const keepResult = db.prepare('UPDATE sessions SET last_result = ? WHERE id_hash = ?')
  const empty = db.prepare(
    'UPDATE sessions SET tokens = NULL, last_result = NULL, expires_at = min(expires_at, ?) WHERE id_hash = ?',
  )
  const remove = db.prepare('DELETE FROM sessions WHERE id_hash = ?')
  const sweep = db.prepare('DELETE FROM sessions WHERE expires_at <= ?')

  return {
    /** A session of nobody yet: it only ties an unfinished sign-in to this browser. */
    beginAnonymous(): string {
      sweep.run(now())
      const id = newSessionId()
      insert.run(hashed(id), null, now() + SIGN_IN_LIFETIME)
      return id
    },

    find(id: string): Session | undefined {
      const row = select.get(hashed(id), now()) as SessionRow | undefined
      if (row === undefined) return undefined
      return {
        id,
        signedIn: row.tokens === null ? undefined : unseal<SignedIn>(id, row.tokens),
        lastResult: row.last_result === null ? undefined : unseal<CallResult>(id, row.last_result),
        version: row.tokens,
      }
    },

    /**
     * A new id for the signed-in session: the one that was known before the sign-in is nobody's after it. It still
     * ties open sign-ins to this browser: another tab may have answered before it was told of the new one.
     */
    signIn(previousId: string, signedIn: SignedIn): string {
      const id = newSessionId()
      inTransaction(db, () => {
        empty.run(now() + SIGN_IN_LIFETIME, hashed(previousId))
        insert.run(hashed(id), seal(id, signedIn), now() + SESSION_LIFETIME)
      })
      return id
    },

    /**
     * Stores refreshed tokens unless another request stored newer ones meanwhile. Without the comparison a slow
     * answer could put an already replaced refresh token back, and its next use would revoke the whole sign-in.
     */
    replaceTokens(session: Session, signedIn: SignedIn): void {
      replace.run(seal(session.id, signedIn), hashed(session.id), session.version)
    },

    keepResult(session: Session, result: CallResult): void {
      keepResult.run(seal(session.id, result), hashed(session.id))
    },

    signOut(id: string): void {
      remove.run(hashed(id))
    },
  }
}

function signInVerbs(db: DatabaseSyncInstance, now: () => number) {
  const insert = db.prepare(
    'INSERT INTO sign_ins (state_hash, session, secrets, expires_at) VALUES (?, ?, ?, ?)',
  )
  const take = db.prepare(
    'DELETE FROM sign_ins WHERE state_hash = ? AND session = ? AND expires_at > ? RETURNING secrets',
  )
  const sweep = db.prepare('DELETE FROM sign_ins WHERE expires_at <= ?')

  return {
    rememberSignIn(sessionId: string, secrets: SignInSecrets): void {
      sweep.run(now())
      const expiresAt = now() + SIGN_IN_LIFETIME
      insert.run(hashed(secrets.state), hashed(sessionId), seal(sessionId, secrets), expiresAt)
    },

    /** Found and deleted in one statement: of two callbacks with one state, only one gets the secrets. */
    takeSignIn(sessionId: string, state: string): SignInSecrets | undefined {
      const row = take.get(hashed(state), hashed(sessionId), now()) as { secrets: string } | undefined
      return row === undefined ? undefined : unseal<SignInSecrets>(sessionId, row.secrets)
    },
  }
}
