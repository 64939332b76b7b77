/**
 * `import/` owns bringing in the people of other systems: it reads a file, checks each row, and writes users with their
 * profiles and audit records. It never changes or removes somebody whose account is proved, and never sees a plain password.
 */
import type { FieldProblem } from '../protocol/problem.ts'
import { emailKey } from '../protocol/email-address.ts'
import type { Origin } from '../audit/record.ts'
import type { EncryptTotp } from '../store/given-totp.ts'
import { namesOf } from './factors.ts'
import { examineUsers, type Imported, importUsers } from './users.ts'
import type { ImportRow } from '../database/schema-admin.ts'
import type { Store } from '../database/store.ts'
import { newImport } from '../store/imports.ts'
import type { HashOptions } from './password-hash.ts'
import { checkColumns, type ImportedUser, userOf } from './row.ts'
import type { SourceRow } from './lines.ts'
import type { ImportSource } from './source.ts'
import { withWrapped } from './weak.ts'

/** What became of the rows so far. */
export interface Counts {
  rows: number
  imported: number
  /** Imported, too: in place of an unproved account, which was removed. */
  replaced: number
  /** Imported from the same row before. */
  already: number
  refused: number
}

/** What an import goes on with: each row that is refused, in the order of the file, and the counts after each batch. */
export type ImportStep =
  | { kind: 'refused'; row: SourceRow; problems: readonly FieldProblem[] }
  | { kind: 'progress' | 'done'; counts: Counts }

interface ImportParts {
  /** The domain that passkeys belong to here. */
  rpId: () => string
  hashes?: HashOptions
  isStopped: () => boolean
  /** Brings the people of a batch in, or says what would become of them. */
  bringIn(users: readonly ImportedUser[]): Promise<readonly Imported[]>
}

/** Durable at once; few enough that a service beside it waits for none of them long. */
const batchSize = 200

/** Imports the rows, batch by batch, until there are no more or it is stopped; what is counted as in is durable. */
export async function* importSteps(source: ImportSource, parts: ImportParts): AsyncGenerator<ImportStep> {
  const work = new Import(parts)
  for await (const row of source.rows) {
    if (parts.isStopped()) break
    if (!work.take(source, row)) continue
    yield* await work.flush()
    yield { kind: 'progress', counts: work.counts }
  }
  if (!parts.isStopped()) yield* await work.flush()
  yield { kind: 'done', counts: work.counts }
}

interface ImportContext {
  /** The name of the file. */
  name: string
  dryRun: boolean
  by: Origin
  now: () => number
  encryptTotp: EncryptTotp
  rpId: () => string
  hashes?: HashOptions
  /** Told after each batch. */
  progress(counts: Counts): void
  refused(row: SourceRow, problems: readonly FieldProblem[]): void
}

/** Imports the rows for whoever may do everything. Throws when the columns are none that a user has. */
export async function importRows(
  store: Store,
  source: ImportSource,
  parts: ImportContext,
  isStopped: () => boolean,
): Promise<Counts> {
  checkColumns(source)
  const { rpId, hashes = {}, name, now, by } = parts
  const bringIn = whole(store, { ...parts, import: newImport({ name, by, now: now() }) })
  let counts = noCounts
  try {
    for await (const step of importSteps(source, { rpId, hashes, isStopped, bringIn })) {
      if (step.kind === 'refused') parts.refused(step.row, step.problems)
      else counts = step.counts
      if (step.kind === 'progress') parts.progress(counts)
    }
  } catch (error) {
    // An input that was closed because of that says so.
    if (!isStopped()) throw error
  }
  return counts
}

interface Whole extends Pick<ImportContext, 'dryRun' | 'by' | 'now' | 'encryptTotp' | 'hashes'> {
  import: ImportRow
}

/** Brings in all that rows say. */
export const whole =
  (store: Store, { dryRun, now, hashes = {}, ...origin }: Whole): ImportParts['bringIn'] =>
  async (users) => {
    if (dryRun) return await examineUsers(store, users, now())
    const wrapped = await withWrapped(store, users, hashes, now())
    return await importUsers(store, wrapped, { ...origin, now: now() })
  }

const noCounts: Counts = { rows: 0, imported: 0, replaced: 0, already: 0, refused: 0 }

/** The rows on their way into the database. */
class Import {
  readonly counts: Counts = { ...noCounts }
  readonly #parts: ImportParts
  /** The line of each address, and of what else no two people have. */
  readonly #seen = new Map<string, number>()
  #batch: { row: SourceRow; user: ImportedUser }[] = []
  #refused: (ImportStep & { kind: 'refused' })[] = []

  constructor(parts: ImportParts) {
    this.#parts = parts
  }

  /** True when a batch is full. */
  take(source: ImportSource, row: SourceRow): boolean {
    this.counts.rows++
    const user = userOf(source, row, this.#parts.rpId, this.#parts.hashes)
    const problems = Array.isArray(user) ? user : this.#secondTime(user)
    if (problems.length > 0) this.#refused.push({ kind: 'refused', row, problems })
    else if (!Array.isArray(user)) this.#batch.push({ row, user })
    return this.#batch.length + this.#refused.length >= batchSize
  }

  #secondTime({ line, columns, own, factors }: ImportedUser): FieldProblem[] {
    const said: [field: string, what: string, names: string[]][] = [
      ['email', 'This address', [emailKey(columns.email)]],
      ['uuid', 'This uuid', own.uuid === undefined ? [] : [`uuid ${own.uuid}`]],
      ['former_sub', 'It', own.former_sub === undefined ? [] : [`former_sub ${own.former_sub}`]],
      ['passkeys', 'One', namesOf(factors).map((one) => `passkey ${one}`)],
    ]
    for (const [field, what, names] of said) {
      const first = names.map((one) => this.#seen.get(one)).find((one) => one !== undefined)
      if (first !== undefined) return [{ field, detail: `${what} is there twice; first on line ${first}.` }]
    }
    for (const one of said.flatMap(([, , names]) => names)) this.#seen.set(one, line)
    return []
  }

  /** Brings the batch in; yields what was refused since the last one. */
  async flush(): Promise<ImportStep[]> {
    const [batch, refused] = [this.#batch, this.#refused]
    this.#batch = []
    this.#refused = []
    const outcomes = batch.length === 0 ? [] : await this.#parts.bringIn(batch.map((one) => one.user))
    for (const [index, one] of outcomes.entries()) {
      const row = batch[index]?.row
      if (one.outcome === 'imported' && one.replaces !== undefined) this.counts.replaced++
      if (one.outcome !== 'refused') this.counts[one.outcome]++
      else if (row !== undefined)
        refused.push({ kind: 'refused', row, problems: [{ field: one.field, detail: one.reason }] })
    }
    this.counts.refused += refused.length
    // Refusals are told in the order of the file.
    return refused.sort((a, b) => a.row.line - b.row.line)
  }
}
