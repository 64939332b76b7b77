import type { UpstreamRow } from '../database/schema-upstream.ts'
import { usualRecheckDays } from '../store/upstreams.ts'

const day = 24 * 3_600_000

/** Until when what rests on a sign-in through an upstream counts. */
export const recheckedUntil = (
  { recheck_days: days }: Pick<UpstreamRow, 'recheck_days'>,
  at: number,
): number => at + (days ?? usualRecheckDays) * day
