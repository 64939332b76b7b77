/**
 * `declaring/` owns the work on declared files, and on exports of other systems, of a running service: in a process of its
 * own, one at a time, so that tokens go on, and with an end. What a file means, and how it is applied, is `declared/`'s; what
 * an export means is `move-in/`'s.
 */
import type {
  AppliedFile,
  FileAsker,
  KeptRequest,
  MovedExport,
  PlannedFile,
  SentExport,
  SentFile,
} from '../administration/declared-files.ts'
import type { ErrorCode } from '../protocol/errors.ts'
import type { FieldProblem } from '../protocol/problem.ts'
import type { Settings } from '../settings.ts'

/** What the process is given of the service: plain values. */
export interface DeclaringSettings
  extends Pick<Settings, 'databaseUrl' | 'databaseLimits' | 'secret' | 'previousSecret' | 'mode' | 'mail'> {
  issuer: string
}

export type DeclaredTask =
  | { kind: 'plan'; sent: SentFile; asker: FileAsker }
  | { kind: 'apply'; sent: SentFile; asker: FileAsker; digest: string; kept: KeptRequest | undefined }
  | { kind: 'export'; asker: FileAsker }
  | { kind: 'move-in'; sent: SentExport }

/** What the process is sent first, and alone. */
export interface HandedTask {
  task: DeclaredTask
  settings: DeclaringSettings
}

/** A refusal on its way to the service. */
export interface SentRefusal {
  code: ErrorCode
  description: string
  fields?: readonly FieldProblem[] | undefined
  permissions?: readonly string[] | undefined
  digest?: string | undefined
}

export interface DoneBy {
  plan: PlannedFile
  apply: AppliedFile
  export: string
  'move-in': MovedExport
}

export type DeclaredAnswer =
  | { done: DoneBy[DeclaredTask['kind']] }
  | { refused: SentRefusal }
  /** Something went wrong: for the log. */
  | { failed: string }
