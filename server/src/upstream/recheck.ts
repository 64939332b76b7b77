import type { UpstreamRow } from '../database/schema-upstream.ts'
import { usualRecheckDays } from '../store/upstreams.ts'

const day = 24 * 3_600_000

/** The end of what rests on a sign-in through an upstream. */
export const recheckedUntil = (
  { recheck_days: days }: Pick<UpstreamRow, 'recheck_days'>,
  at: number,
): number => at + (days ?? usualRecheckDays) * day
