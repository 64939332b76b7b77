import type { UpstreamRow } from '../database/schema-upstream.ts'

const day = 24 * 3_600_000
/** Days that a profile counts after a sign-in through the upstream that gives it, where it says none. */
export const defaultRecheckDays = 7

/** Until when what rests on a sign-in through an upstream counts. */
export const recheckedUntil = (
  { recheck_days: days }: Pick<UpstreamRow, 'recheck_days'>,
  at: number,
): number => at + (days ?? defaultRecheckDays) * day
