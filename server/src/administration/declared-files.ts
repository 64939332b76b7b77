import type { Origin } from '../audit/record.ts'
import type { MovedSystem } from '../protocol/move-in.ts'
import type { TokenClaims } from './token-claims.ts'

/** A declared file as it is sent. */
export interface SentFile {
  text: string
  /** The name that it manages things by. */
  file: string
  prune: boolean
}

/** The sender of a file: plain values, for they go to another process. */
export interface FileAsker extends Origin {
  now: number
  client_id: string | undefined
  sid: string | undefined
  claims: TokenClaims | undefined
}

/** The answer for a repeated request, as it is kept. */
export interface KeptRequest {
  keyHash: string
  requestHash: string
  expiresAt: number
}

/** What `tessera plan --json` tells, and the digest by which it is applied. */
export interface PlannedFile {
  plan: object
  digest: string
}

export interface AppliedFile {
  file: string
  digest: string
  counts: Readonly<Record<string, number>>
}

/** The export of another system as it is sent. */
export interface SentExport {
  source: MovedSystem
  files: readonly { name: string; text: string }[]
  /** The text of mapping.yaml. */
  mapping?: string | undefined
  prefix?: string | undefined
  rp_id?: string | undefined
}

/** The texts of the files that `tessera move-in` writes, and how much is in them. */
export interface MovedExport {
  declared: string
  people: string
  mapping: string
  report: string
  counts: { people: number; clients: number; decide: number }
}

/**
 * The work on declared files that the routes ask for, in another process: it takes seconds, and others sign in meanwhile. Each
 * throws a `Problem`: `invalid_request` with the lines of a file that is refused, `temporarily_unavailable` while it works
 * for somebody else.
 */
export interface DeclaredFiles {
  plan(sent: SentFile, asker: FileAsker): Promise<PlannedFile>
  /** Throws `plan_outdated`, with the digest of the plan as it is now, unless that is the one that somebody saw. */
  apply(sent: SentFile, digest: string, asker: FileAsker, kept: KeptRequest | undefined): Promise<AppliedFile>
  /** The whole state without hashes, recorded. Throws `conflict` where no file can say it. */
  export(asker: FileAsker): Promise<string>
  /** What comes of another system's export. It opens no database, and keeps nothing. */
  moveIn(sent: SentExport): Promise<MovedExport>
}
