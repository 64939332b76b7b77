import { basename } from 'node:path'
import type { DeclaredState, DeclaredTable, Managed } from '../store/declared-state.ts'
import { type DeclaredWrites, declaredTables, type Mark, type RowChanges } from '../store/declared-write.ts'
import type { OrganisationRow, ProfileRow, Tables, UnitRow } from '../store/schema.ts'
import type { Declared } from './declared.ts'
import { Problems } from './problems.ts'

export type Json = string | number | boolean | null | readonly string[]

/** One field that becomes another. What is secret is `hidden`: that it changes is all that is told. */
export type FieldChange = { field: string; before: Json; after: Json } | { field: string; hidden: true }

export const changeKinds = [
  'service',
  'permission',
  'role',
  'organisation',
  'unit',
  'user',
  'profile',
  'client',
] as const
export type ChangeKind = (typeof changeKinds)[number]

export interface Change {
  kind: ChangeKind
  action: 'create' | 'change' | 'remove'
  /** A code, an e-mail address or a client_id; `organisation/unit` of a unit. */
  id: string
  fields: FieldChange[]
  /** Because the file managed it and names it no more. */
  pruned?: true
}

/** What the audit is told beside a change: what it is known by there, and whom and what it is about. */
export interface About {
  /** Left out: the id of the change. */
  uuid?: string
  userUuid?: string
  organisationUuid?: string | null
  /** What something was that is removed. */
  was?: Shown
}

/** Values of a thing under the names that the file has for them. */
export type Shown = Readonly<Record<string, Json>>

export interface Settings {
  now: number
  newUuid: () => string
  /** What the file managed and names no more goes. Left out: it stays. */
  pruning?: Pruning
}

export interface Pruning {
  /** Roles that people hold whom the file does not manage. */
  heldRoles: ReadonlySet<string>
}

/** What a file is known by when it manages something: its name, wherever it lies. */
export const managerOf = (declared: Declared): string => basename(declared.file)

/** What the file makes different from what is stored: told as changes, and done by writes. */
export class Comparison {
  readonly state: DeclaredState
  readonly settings: Settings
  readonly problems: Problems
  readonly changes: Change[] = []
  /** The same for the audit, each beside its change. */
  readonly about: About[] = []
  readonly writes: DeclaredWrites
  readonly marks: Mark[] = []
  /** What the file managed and names no more, where it stays. */
  readonly unnamed: { kind: ChangeKind; id: string }[] = []
  readonly manager: string
  /** The uuid of each declared organisation, by its code, and of each unit, by `organisation/unit`. */
  readonly organisationUuids = new Map<string, string>()
  readonly unitUuids = new Map<string, string>()
  /** Things that have a uuid already, under whatever name. */
  readonly storedOrganisations: ReadonlyMap<string, OrganisationRow>
  readonly storedUnits: ReadonlyMap<string, UnitRow>
  readonly storedProfiles: ReadonlyMap<string, ProfileRow>
  /** Users whose stored password becomes another. */
  readonly passwordsChanged: string[] = []

  constructor(declared: Declared, state: DeclaredState, settings: Settings) {
    this.state = state
    this.settings = settings
    this.problems = new Problems(declared.file)
    this.writes = noWrites()
    this.manager = managerOf(declared)
    this.storedOrganisations = byKey(state.organisations, (row) => row.uuid)
    this.storedUnits = byKey(state.units, (row) => row.uuid)
    this.storedProfiles = byKey(state.profiles, (row) => row.uuid)
  }

  create<T extends DeclaredTable>(table: T, row: Tables[T]): void {
    this.#of(table).insert.push(row)
  }

  remove<T extends DeclaredTable>(table: T, row: Tables[T]): void {
    this.#of(table).remove.push(row)
  }

  /** Writes the columns that differ; false when none does. `always` are columns that go along with others. */
  update<T extends DeclaredTable>(
    table: T,
    before: Tables[T],
    after: Partial<Tables[T]>,
    always: Partial<Tables[T]> = {},
  ): boolean {
    const set: Partial<Tables[T]> = {}
    for (const column of Object.keys(after) as (keyof Tables[T])[]) {
      const value = after[column]
      if (value !== undefined && value !== before[column]) set[column] = value
    }
    if (Object.keys(set).length === 0) return false
    this.#of(table).update.push({ before, set: { ...set, ...always } })
    return true
  }

  /** Marks what the file names as managed by it. */
  manage(table: Mark['table'], key: string, before: Managed | undefined): void {
    if (before?.managed_by !== this.manager) this.marks.push({ table, key, managedBy: this.manager })
  }

  /** Tells of what goes because the file names it no more. */
  tellPruned(
    kind: ChangeKind,
    action: Change['action'],
    id: string,
    fields: FieldChange[],
    about: About = {},
  ): void {
    this.tell(kind, action, id, fields, about)
    const told = this.changes.at(-1)
    if (told !== undefined) told.pruned = true
  }

  tell(
    kind: ChangeKind,
    action: Change['action'],
    id: string,
    fields: FieldChange[],
    about: About = {},
  ): void {
    this.changes.push({ kind, action, id, fields })
    this.about.push(about)
  }

  /** Tells of a change when there is one. */
  tellChange(kind: ChangeKind, id: string, fields: FieldChange[], about: About = {}): void {
    if (fields.length > 0) this.tell(kind, 'change', id, fields, about)
  }

  #of<T extends DeclaredTable>(table: T): RowChanges<Tables[T]> {
    return this.writes[table]
  }
}

function noWrites(): DeclaredWrites {
  const none = declaredTables.map((table) => [table, { insert: [], update: [], remove: [] }])
  return Object.fromEntries(none) as DeclaredWrites
}

/** The fields in which two values of a thing differ. Without a `before` it is new: what is not empty is told. */
export function fieldsBetween(before: Shown | undefined, after: Shown): FieldChange[] {
  return Object.entries(after).flatMap(([field, value]): FieldChange[] => {
    const old = before?.[field] ?? null
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0)
    const same = before === undefined ? isEmpty : JSON.stringify(old) === JSON.stringify(value)
    return same ? [] : [{ field, before: old, after: value }]
  })
}

export function byKey<Row>(rows: readonly Row[], key: (row: Row) => string): Map<string, Row> {
  return new Map(rows.map((row) => [key(row), row]))
}

/** The rows of each key. */
export function groupBy<Row>(rows: readonly Row[], key: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(key(row))
    if (group === undefined) groups.set(key(row), [row])
    else group.push(row)
  }
  return groups
}

export const flagOf = (value: boolean): 0 | 1 => (value ? 1 : 0)
