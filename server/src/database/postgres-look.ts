/** What a connection to PostgreSQL says of the database that it leads to, and how that compares with what was seen. */
import { type Committed, hasAll } from './postgres-acknowledged.ts'

/** A connection, as far as it is needed to look. */
export interface Queryable {
  query<Row extends object>(
    text: string,
    values: unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>
}

export interface ServerState {
  readOnly: boolean
  /** Grows with each promotion. Undefined: a standby, or a server that does not tell. */
  timeline: number | undefined
  /** Grows whenever everything from before was ended. Undefined: there are no tables. */
  generation: number | undefined
  /** When the server was started, s. Undefined: one that does not tell, which is asked for nothing acknowledged. */
  server: number | undefined
  /** The server has what it was asked for. */
  hasAll: boolean
}

const readOnly = `current_setting('transaction_read_only') = 'on' as "readOnly"`
/** The name of a file of the write-ahead log begins with the timeline. A standby writes none. */
const timeline = `case when pg_is_in_recovery() then null
  else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end as timeline`

/** Looks for what was acknowledged, too. */
export async function look(client: Queryable, acknowledged: readonly Committed[]): Promise<ServerState> {
  const state = await stateOf(client, acknowledged)
  const generation = "select value as generation from revisions where name = 'generation'"
  try {
    const [kept] = (await client.query<{ generation: number }>(generation, [])).rows
    return { ...state, generation: kept?.generation }
  } catch (error) {
    if (codeOf(error) !== undefinedTable) throw error
    return { ...state, generation: undefined }
  }
}

type State = Omit<ServerState, 'generation'>

async function stateOf(client: Queryable, acknowledged: readonly Committed[]): Promise<State> {
  const ask = async (columns: string[], values: unknown[]) =>
    (
      await client.query<{ [Name in keyof State]?: State[Name] | null }>(
        `select ${columns.join(', ')}`,
        values,
      )
    ).rows[0]
  const state = await ask([readOnly, timeline, hasAll], [JSON.stringify(acknowledged)]).catch(
    (error: unknown) => {
      if (!/^(42|0A)/.test(codeOf(error))) throw error
      // What only speaks PostgreSQL's protocol has no such functions, or lets nobody call them.
      return ask([readOnly], [])
    },
  )
  return {
    readOnly: state?.readOnly ?? true,
    timeline: state?.timeline ?? undefined,
    server: state?.server ?? undefined,
    hasAll: state?.hasAll ?? true,
  }
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

/** Compares a database with the one that was used last. */
export function compare(found: ServerState, seen: ServerState | undefined): Compared {
  if (seen === undefined) return 'same'
  const later = (found.generation ?? 0) - (seen.generation ?? 0)
  const promoted = (found.timeline ?? seen.timeline ?? 0) - (seen.timeline ?? found.timeline ?? 0)
  if (promoted < 0 ? later <= 0 : promoted === 0 && later < 0) return 'old'
  // A later generation: another process has ended everything already.
  if (later <= 0 && !found.hasAll) return found.readOnly ? 'behind' : 'lost'
  if (promoted > 0) return 'promoted'
  return later > 0 ? 'ended' : 'same'
}
