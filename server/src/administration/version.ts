import { mergedBranding } from '../protocol/branding.ts'
import { mergedPolicy } from '../protocol/policy.ts'
import { notFound } from '../protocol/problem.ts'
import { staleVersion } from '../store/write/rows.ts'
import type { How } from '../store/write/write.ts'
import type { By } from './by.ts'

/** The versions that a change may be made to; undefined: all of them. */
export type Versions = readonly number[] | undefined

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

/** How a change by an administrator is written: the version that was read is compared in the statement that writes. */
export const compared = ({ now }: Pick<By, 'now'>): How => ({
  now,
  versions: 'compared',
  by: 'others',
  ends: 'each',
})

/** Whether a row would become another. */
export function differs(before: object, columns: object): boolean {
  const old = new Map<string, unknown>(Object.entries(before))
  return Object.entries(columns).some(([column, value]) => value !== undefined && value !== old.get(column))
}
