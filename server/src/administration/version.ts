import type { Kysely, Updateable } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { mergedBranding } from '../protocol/branding.ts'
import { mergedPolicy } from '../protocol/policy.ts'
import { notFound, Problem } from '../protocol/problem.ts'
import type { Row } from './by.ts'

/** The versions that a change may be made to; undefined: any. */
export type Versions = readonly number[] | undefined

export function staleVersion(): Problem {
  return new Problem(
    'precondition_failed',
    'It was changed since that version. Read it again, and send the change with the new ETag.',
  )
}

/** What is there, in a version that may be changed. Throws `not_found` or `precondition_failed`. */
export function inVersion<R extends { version: number }>(
  row: R | undefined,
  what: string,
  versions: Versions,
): R {
  if (row === undefined) throw notFound(what)
  if (versions !== undefined && !versions.includes(row.version)) throw staleVersion()
  return row
}

/** The columns of a change, where a policy is merged with what is there. */
export const withPolicy = <Set extends { policy?: string | null }>(
  before: { policy: string | null },
  set: Set,
): Set => (set.policy === undefined ? set : { ...set, policy: mergedPolicy(before.policy, set.policy) })

/** The columns of a change, where a branding is merged with what is there. */
export const withBranding = <Set extends { branding?: string | null }>(
  before: { branding: string | null },
  set: Set,
): Set =>
  set.branding === undefined ? set : { ...set, branding: mergedBranding(before.branding, set.branding) }

const keys = {
  users: 'uuid',
  profiles: 'uuid',
  organisations: 'uuid',
  units: 'uuid',
  webhooks: 'uuid',
  invitations: 'uuid',
  roles: 'code',
  services: 'code',
  permissions: 'code',
  clients: 'client_id',
  installation: 'name',
} as const

/**
 * Writes a row, which gets the next version. Concurrency: the version that was read is compared in the statement that
 * writes; throws `precondition_failed` when another change came between.
 */
export async function writeVersion<T extends keyof typeof keys>(
  trx: Kysely<Schema>,
  table: T,
  before: Row<T>,
  set: Updateable<Schema[T]>,
): Promise<Row<T>> {
  const row = before as unknown as Record<string, string> & { version: number }
  const key: string = keys[table]
  // Kysely's types can't follow a table that is a parameter.
  const after = await (trx as unknown as Kysely<Record<string, Record<string, unknown>>>)
    .updateTable(table as string)
    .set({ ...set, version: row.version + 1 })
    .where(key, '=', row[key] ?? '')
    .where('version', '=', row.version)
    .returningAll()
    .executeTakeFirst()
  if (after === undefined) throw staleVersion()
  return after as Row<T>
}

/** Whether a row would become another. */
export function differs(before: object, columns: object): boolean {
  const old = new Map<string, unknown>(Object.entries(before))
  return Object.entries(columns).some(([column, value]) => value !== undefined && value !== old.get(column))
}
