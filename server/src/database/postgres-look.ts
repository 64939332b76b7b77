/** What a connection to PostgreSQL says of the database that it leads to, and how that compares with what was seen. */

/** A connection, as far as it is needed to look. */
export interface Asking {
  query<Row extends object>(
    text: string,
    values: unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>
}

export interface Found {
  readOnly: boolean
  /** Grows with each promotion. Undefined: a standby, or a server that does not tell. */
  timeline: number | undefined
  /** Grows whenever everything from before was ended. Undefined: there are no tables. */
  generation: number | undefined
  /** The last mark of this process that the database has. */
  mark: number | undefined
}

const readOnly = `current_setting('transaction_read_only') = 'on' as "readOnly"`
/** The name of a file of the write-ahead log begins with the timeline. A standby writes none. */
const timeline = `case when pg_is_in_recovery() then null
  else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`
const rows = `select (select value from revisions where name = 'generation') as generation,
  (select value from process_marks where process = $1) as mark`

/** Asks for it in the name of a process. */
export async function look(client: Asking, process: string): Promise<Found> {
  const state = await stateOf(client)
  try {
    const [kept] = (await client.query<{ generation: number | null; mark: number | null }>(rows, [process]))
      .rows
    return { ...state, generation: kept?.generation ?? undefined, mark: kept?.mark ?? undefined }
  } catch (error) {
    if (codeOf(error) !== undefinedTable) throw error
    return { ...state, generation: undefined, mark: undefined }
  }
}

async function stateOf(client: Asking): Promise<Pick<Found, 'readOnly' | 'timeline'>> {
  const ask = async (...columns: string[]) =>
    (await client.query<{ readOnly: boolean; timeline?: number | null }>(`select ${columns.join(', ')}`, []))
      .rows[0]
  const state = await ask(readOnly, timeline).catch((error: unknown) => {
    if (!/^(42|0A)/.test(codeOf(error))) throw error
    // What only speaks PostgreSQL's protocol has no such functions, or lets nobody call them.
    return ask(readOnly)
  })
  return { readOnly: state?.readOnly ?? true, timeline: state?.timeline ?? undefined }
}

const undefinedTable = '42P01'
const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/**
 * `old`: another server has been promoted since, or everything has been ended since in another copy.
 * `behind`: a standby that has not yet what was acknowledged. `lost`: a primary that will never have it.
 * `promoted` and `ended`: it was promoted, or everything was ended in it, since it was seen last.
 */
export type Compared = 'same' | 'promoted' | 'ended' | 'old' | 'behind' | 'lost'

/** Compares a database with the one that was used last, and with the last mark that it acknowledged. */
export function compare(found: Found, seen: Found | undefined, mark: number | undefined): Compared {
  if (seen === undefined) return 'same'
  const later = (found.generation ?? 0) - (seen.generation ?? 0)
  const promoted = (found.timeline ?? seen.timeline ?? 0) - (seen.timeline ?? found.timeline ?? 0)
  if (promoted < 0 ? later <= 0 : promoted === 0 && later < 0) return 'old'
  // A later generation: another process has ended everything already.
  if (later <= 0 && mark !== undefined && (found.mark ?? 0) < mark) return found.readOnly ? 'behind' : 'lost'
  if (promoted > 0) return 'promoted'
  return later > 0 ? 'ended' : 'same'
}
