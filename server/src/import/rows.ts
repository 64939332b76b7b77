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
import type { Store } from '../database/store.ts'
import type { HashOptions } from './password-hash.ts'
import { checkColumns, type ImportedUser, userOf } from './row.ts'
import type { SourceRow } from './lines.ts'
import type { ImportSource } from './source.ts'
import { withWrapped } from './weak.ts'

/** What became of the rows so far. */
export interface Counts {
  rows: number
  imported: number
  /** Of the imported: in place of an unproved account, which was removed. */
  replaced: number
  /** Imported from the same row before. */
  already: number
  refused: number
}

interface ImportContext {
  /** The name of the file, for the audit. */
  name: string
  dryRun: boolean
  by: Origin
  now: () => number
  encryptTotp: EncryptTotp
  /** The domain that passkeys belong to here. */
  rpId: () => string
  hashes?: HashOptions
  /** Told after each batch. */
  progress(counts: Counts): void
  /** Told of each row that is refused, in the order of the file. */
  refused(row: SourceRow, problems: readonly FieldProblem[]): void
}

/** Durable at once; few enough that a service beside it waits for none of them long. */
const batchSize = 200

/** Imports the rows, batch by batch, until there are no more or it is stopped; what is counted as in is durable. */
export async function importRows(
  store: Store,
  source: ImportSource,
  parts: ImportContext,
  isStopped: () => boolean,
): Promise<Counts> {
  checkColumns(source)
  const work = new Import(store, parts)
  try {
    for await (const row of source.rows) {
      if (isStopped()) break
      if (work.take(source, row)) parts.progress(await work.flush())
    }
  } catch (error) {
    // An input that was closed because of that says so.
    if (!isStopped()) throw error
  }
  if (!isStopped()) await work.flush()
  return work.counts
}

interface Refused {
  row: SourceRow
  problems: readonly FieldProblem[]
}

/** The rows on their way into the database. */
class Import {
  readonly counts: Counts = { rows: 0, imported: 0, replaced: 0, already: 0, refused: 0 }
  readonly #store: Store
  readonly #parts: ImportContext
  /** The line of each address, and of what else no two people have. */
  readonly #seen = new Map<string, number>()
  #batch: { row: SourceRow; user: ImportedUser }[] = []
  #refused: Refused[] = []

  constructor(store: Store, parts: ImportContext) {
    this.#store = store
    this.#parts = parts
  }

  /** True when a batch is full. */
  take(source: ImportSource, row: SourceRow): boolean {
    this.counts.rows++
    const user = userOf(source, row, this.#parts.rpId, this.#parts.hashes)
    const problems = Array.isArray(user) ? user : this.#secondTime(user)
    if (problems.length > 0) this.#refused.push({ row, problems })
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

  async flush(): Promise<Counts> {
    const [batch, refused] = [this.#batch, this.#refused]
    this.#batch = []
    this.#refused = []
    const outcomes = await this.#write(batch.map((one) => one.user))
    for (const [index, one] of outcomes.entries()) {
      const row = batch[index]?.row
      if (one.outcome === 'imported' && one.replaces !== undefined) this.counts.replaced++
      if (one.outcome !== 'refused') this.counts[one.outcome]++
      else if (row !== undefined) refused.push({ row, problems: [{ field: one.field, detail: one.reason }] })
    }
    // Refusals are told in the order of the file.
    for (const one of refused.sort((a, b) => a.row.line - b.row.line)) this.#refuse(one)
    return this.counts
  }

  async #write(users: readonly ImportedUser[]): Promise<Imported[]> {
    if (users.length === 0) return []
    const { dryRun, name: source, by, now, encryptTotp, hashes = {} } = this.#parts
    if (dryRun) return await examineUsers(this.#store, users, now())
    const wrapped = await withWrapped(this.#store, users, hashes, now())
    return await importUsers(this.#store, wrapped, { now: now(), by, source, encryptTotp })
  }

  #refuse({ row, problems }: Refused): void {
    this.counts.refused++
    this.#parts.refused(row, problems)
  }
}
