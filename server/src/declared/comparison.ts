import { basename } from 'node:path'
import type { AuditEvent } from '../audit/record.ts'
import type { Adopted } from './adoption.ts'
import { type About, type Change, type FieldChange, fieldsBetween, recordOf } from './change.ts'
import { Codes } from './codes.ts'
import type { GivenTotp } from '../store/given-totp.ts'
import type { Declared } from './declared.ts'
import { type ChangeKind, kinds, shownOf, type TableOf } from './kinds.ts'
import { Problems } from './problems.ts'
import type { RowChanges, Writes } from '../store/write/rows.ts'
import { noWrites } from '../store/write/write.ts'
import type { Mark } from '../store/write/managed.ts'
import type { DeclaredRow, DeclaredState, DeclaredTable, Managed } from './state.ts'

export interface Settings {
  now: number
  newUuid: () => string
  /** What the file managed and names no more goes. Left out: it stays. */
  pruning?: Pruning
  sender?: Sender | undefined
}

/** The sender of a file over HTTP. */
export interface Sender {
  /** Undefined: a machine. */
  user_uuid: string | undefined
}

export interface Pruning {
  /** Roles that people hold whom the file does not manage. */
  heldRoles: ReadonlySet<string>
}

/** An address that somebody gave up and could still take back. */
export interface EndedHold {
  email: string
  /** The holder's present address. */
  holder: string
  user_uuid: string
  until: string
}

interface Putting<Row> {
  id: string
  about?: About
  /** The uuid that the file gives a new thing. */
  uuid?: string | undefined
  /** Columns that go along in a new row, and those that go along with a change. */
  created?: Partial<Row>
  changed?: Partial<Row>
  /** Secret fields that change. */
  hidden?: readonly string[]
}

/** What a file is known by when it manages something: its name, wherever it lies. */
export const managerOf = (declared: Declared): string => basename(declared.file)

/** What the file makes different from what is stored: told as changes, and done by writes. */
export class Comparison {
  readonly state: DeclaredState
  readonly settings: Settings
  readonly problems: Problems
  readonly changes: Change[] = []
  /** The changes as the audit records them. */
  readonly records: Omit<AuditEvent, 'at'>[] = []
  readonly writes: Writes
  readonly marks: Mark[] = []
  /** What the file managed and names no more, where it stays. */
  readonly unnamed: { kind: ChangeKind; id: string }[] = []
  /** What clients of the file let in no more, because it was removed since. */
  readonly unmet: { client_id: string; entries: string[] }[] = []
  readonly manager: string
  /** The uuid of each declared organisation, by its code, and of each unit, by `organisation/unit`. */
  readonly uuids = new Map<string, string>()
  /** The codes of what is stored, and of what is new. */
  readonly codes: Codes
  /** The uuids of all stored profiles. */
  readonly profiles: ReadonlySet<string>
  /** Secrets of upstreams that have none, by their uuids. */
  readonly upstreamSecrets = new Map<string, string>()
  /** Authenticator apps of new users. */
  readonly totps: GivenTotp[] = []
  /** What exists, was not managed by this file, and is from now on. */
  readonly adopted: Adopted[] = []
  /** Unproved users, clients of somebody of limited reach, and directories with tokens of theirs: all from before ends. */
  readonly disowned = { users: [] as string[], clients: [] as string[], directories: [] as string[] }

  /** Addresses of the file that somebody gave up, whose hold ends. */
  readonly holds: EndedHold[] = []

  constructor(declared: Declared, state: DeclaredState, settings: Settings) {
    this.state = state
    this.settings = settings
    this.problems = new Problems(declared.file)
    this.writes = noWrites()
    this.manager = managerOf(declared)
    this.codes = new Codes(state)
    this.profiles = new Set(state.profiles.map((row) => row.uuid))
  }

  /** The uuid of something that the file declares, by its name in the file. */
  uuidOf(name: string | undefined): string | null {
    return this.uuids.get(name ?? '') ?? null
  }

  create<T extends DeclaredTable>(table: T, row: DeclaredRow<T>): void {
    this.#of(table).insert.push(row)
  }

  remove<T extends DeclaredTable>(table: T, row: DeclaredRow<T>): void {
    this.#of(table).remove.push(row)
  }

  /** Writes the columns that differ; false when none does. `always` are columns that go along with others. */
  update<T extends DeclaredTable>(
    table: T,
    before: DeclaredRow<T>,
    after: Partial<DeclaredRow<T>>,
    always: Partial<DeclaredRow<T>> = {},
  ): boolean {
    const old: Readonly<Record<string, unknown>> = { ...before }
    const differing = Object.entries(after).filter(
      ([column, value]) => value !== undefined && value !== old[column],
    )
    if (differing.length === 0) return false
    const set = Object.fromEntries(differing) as Partial<DeclaredRow<T>>
    this.#of(table).update.push({ before, set: { ...set, ...always } })
    return true
  }

  /** Refuses another uuid than the stored one; `what` has it. */
  expectUuid(
    { line, uuid }: { line: number; uuid: string | undefined },
    stored: { uuid: string } | undefined,
    what: string,
  ): void {
    if (uuid === undefined || stored === undefined || uuid === stored.uuid) return
    const reason = `${what} is stored with the uuid ${stored.uuid}, not ${uuid}; a uuid never changes`
    this.problems.add(line, reason)
  }

  /** Makes the rows of a list in a table of its own those of `after`. */
  putList<T extends DeclaredTable>(
    table: T,
    before: readonly string[],
    after: readonly string[],
    rowOf: (text: string) => DeclaredRow<T>,
  ): void {
    for (const one of after) if (!before.includes(one)) this.create(table, rowOf(one))
    for (const one of before) if (!after.includes(one)) this.remove(table, rowOf(one))
  }

  /** Marks what the file names as managed by it, and notes when it was there already. */
  manage(
    table: Mark['table'],
    before: (Managed & { created_at?: number }) | undefined,
    what: Omit<Adopted, 'managedBy' | 'createdAt'>,
  ): void {
    if (before?.managed_by === this.manager) return
    this.marks.push({ table, key: what.key, managedBy: this.manager })
    if (before === undefined) return
    this.adopted.push({ ...what, managedBy: before.managed_by ?? null, createdAt: before.created_at })
  }

  /** Whether something is there that this file does not manage yet. */
  adopts(before: Managed | undefined): boolean {
    return before !== undefined && before.managed_by !== this.manager
  }

  /**
   * Makes a stored row what the file says, or a new one, and tells which fields differ. False when nothing is written.
   */
  put<K extends ChangeKind>(
    kind: K,
    before: DeclaredRow<TableOf<K>> | undefined,
    columns: Partial<DeclaredRow<TableOf<K>>>,
    { id, about = {}, uuid, created, changed = {}, hidden = [] }: Putting<DeclaredRow<TableOf<K>>>,
  ): boolean {
    const { table } = kinds[kind]
    const secrets = hidden.map((field) => ({ field, hidden: true as const }))
    const shown = (row: object) => shownOf(kind, row, this.codes)
    if (before === undefined) {
      this.create<TableOf<K>>(table, { ...columns, ...created } as DeclaredRow<TableOf<K>>)
      const fields = fieldsBetween(undefined, { uuid: uuid ?? null, ...shown(columns) })
      this.tell(kind, 'create', id, [...fields, ...secrets], about)
      return true
    }
    const differs = this.update<TableOf<K>>(table, before, columns, changed)
    if (!differs && secrets.length === 0) return false
    if (!differs) this.update<TableOf<K>>(table, before, changed)
    const fields = fieldsBetween(shown(before), shown({ ...before, ...columns, ...changed }))
    this.tellChange(kind, id, [...fields, ...secrets], about)
    return differs
  }

  /** Removes what the file does not list, and tells what it was. */
  take<K extends ChangeKind>(
    kind: K,
    row: DeclaredRow<TableOf<K>>,
    { id, was, ...about }: About & { id: string },
    pruned = false,
  ): void {
    this.remove<TableOf<K>>(kinds[kind].table, row)
    this.tell(kind, 'remove', id, [], { ...about, was: was ?? shownOf(kind, row, this.codes) }, pruned)
  }

  /** Disables what the file does not name, and tells of it where it was not disabled yet. */
  disable<K extends 'role' | 'organisation' | 'unit' | 'user' | 'upstream' | 'directory'>(
    kind: K,
    row: DeclaredRow<TableOf<K>>,
    { id, ...about }: About & { id: string },
    { pruned = false, changed = {} }: { pruned?: boolean; changed?: Partial<DeclaredRow<TableOf<K>>> } = {},
  ): void {
    const off = { active: 0 } as Partial<DeclaredRow<TableOf<K>>>
    if (!this.update<TableOf<K>>(kinds[kind].table, row, off, changed)) return
    this.tell(kind, 'change', id, fieldsBetween({ active: true }, { active: false }), about, pruned)
  }

  tell(
    kind: ChangeKind,
    action: Change['action'],
    id: string,
    fields: FieldChange[],
    about: About = {},
    pruned = false,
  ): void {
    const change = { kind, action, id, fields }
    this.changes.push(pruned ? { ...change, pruned } : change)
    this.records.push(recordOf(change, about))
  }

  /** Tells of a change when there is one. */
  tellChange(kind: ChangeKind, id: string, fields: FieldChange[], about: About = {}): void {
    if (fields.length > 0) this.tell(kind, 'change', id, fields, about)
  }

  #of<T extends DeclaredTable>(table: T): RowChanges<DeclaredRow<T>> {
    return this.writes[table]
  }
}
