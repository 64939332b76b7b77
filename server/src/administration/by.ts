/** The author of a change, and what the audit is told of it. Every verb of the administration takes and gives them. */
import type { Kysely, Selectable } from 'kysely'
import type { AuditValues, Origin } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import type { AuditedThing } from '../protocol/audit-kinds.ts'
import type { Authority } from './authority.ts'

export type Row<T extends keyof Schema> = Selectable<Schema[T]>
export type Transacting = Kysely<Schema>

/**
 * The author and the time of a change, as the audit has them, and the author's authority. Client and session are those
 * of the request. The command on the database itself has neither.
 */
export interface By extends Origin {
  now: number
  client_id: string | undefined
  sid: string | undefined
  authority: Authority
  /** Asked for: what a declared file manages is changed too. */
  overridesFile?: boolean
  /**
   * Set for a dry run: takes what the audit is told, the people to whom something happened by it, such as by a mapping, and
   * whether the change wants another sign-in first.
   */
  tried?: { told: AuditedChange[]; people: Set<string>; signInAgain: boolean }
}

/** A change, as the audit is told of it. */
export interface AuditedChange {
  thing: AuditedThing
  /** What it is known by: a uuid, a code or a client_id. */
  id: string
  /** The thing as the API shows it, so never a secret. Without `before` it is new, without `after` gone. */
  before?: object
  after?: object
  /** What changed and is not shown: that it is another is all that is told. */
  secrets?: readonly string[]
  /** The person whom it is about. */
  user_uuid?: string | undefined
  /** The organisation that it belongs to. */
  organisation_uuid?: string | null | undefined
  /** The declared file that manages it, or what it is a part of; null: none does. */
  managedBy: string | null
  /** What it is told besides. */
  detail?: AuditValues | undefined
  /** How many things of which kind were removed with it; each has a record of its own. */
  removedWith?: Readonly<Record<string, number>>
}

/** A thing that several changes touched: what it was before the first, and is after the last. */
export function netOf(told: readonly AuditedChange[]): AuditedChange[] {
  const net = new Map<string, AuditedChange>()
  for (const one of told) {
    const key = `${one.thing} ${one.id}`
    const earlier = net.get(key)
    net.set(key, earlier === undefined ? one : joined(earlier, one))
  }
  return [...net.values()]
}

/** Some tell of a few fields alone. */
const joined = (
  { before: first, after: made }: AuditedChange,
  { before, after, ...one }: AuditedChange,
): AuditedChange => ({
  ...one,
  ...(first !== undefined && { before: { ...before, ...first } }),
  ...(after !== undefined && { after: { ...made, ...after } }),
})
