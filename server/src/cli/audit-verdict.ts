import type { ChainHead } from '../database/audit-key.ts'
import type { ChainProblem } from '../audit/verify.ts'

/** What `tessera audit verify` found; `head` is where the chain ends. */
export interface Verdict {
  whole: boolean
  records: number
  /** Records that were not yet linked to the chain when the check ended. */
  waiting: number
  head: ChainHead | null
  /** Up to this record nothing marks them: the key of the audit was made after them. */
  older_than_key: number
  /** Up to this record the audit was archived, and was not checked here. */
  archived_to: number
  /** Up to this record heads that were kept elsewhere say that nothing was cut off. */
  kept_to: number
  /** What should be there beside the records: the key, triggers. */
  missing: string[]
  problems: ChainProblem[]
  /** More than `problems` holds, where there are very many. */
  problem_count: number
}

export function describe(verdict: Verdict, of: keyof typeof unknown): string {
  const { whole, records, waiting, head, archived_to, missing, problems, problem_count: count } = verdict
  const end = [
    head === null ? 'There is no head.' : `Head: ${head.sequence}:${head.hash}`,
    ...(archived_to === 0
      ? []
      : [`Archived: records 1 to ${archived_to}. The check went on from the head of their last month.`]),
    ...(waiting === 0 ? [] : [`Waiting to be linked to the chain: ${waiting}.`]),
  ]
  const not = unknown[of](verdict)
  if (whole) return [`The audit is whole: ${records} records.`, ...end, ...not].join('\n')
  const more = count > problems.length ? [`and ${count - problems.length} more`] : []
  const beside = missing.map((what) => `  the ${what} is gone or another: ${cures[what] ?? triggerCure}`)
  return [
    'The audit is broken.',
    ...beside,
    ...(count > 0 ? [`Of ${records} records:`, ...problems.map(words), ...more] : []),
    ...end,
    ...not,
  ].join('\n')
}

const cures: Readonly<Record<string, string>> = {
  key: 'no mark of a record can be checked. See "The key" in docs/audit.md',
}
const triggerCure =
  'records could be changed and removed. Find out who did that, and make it again as docs/audit.md says, "The triggers"'

/** What the database can't say of itself. */
function unknownOf({ older_than_key: older, kept_to: kept }: Verdict): string[] {
  const before =
    older === 0
      ? []
      : [`Not known: what was changed in records 1 to ${older} before the key of the audit was made.`]
  const cut = 'whether an end was cut off, or all put back to an earlier state'
  return kept === 0
    ? [...before, `Not known without --expect: ${cut}. Keep the head where it can't be written from here.`]
    : [...before, `Not known after record ${kept}, the last head that was kept elsewhere: ${cut}.`]
}

/** What a check can't know, of the database, an export, or archived months that the database has the heads of. */
const unknown = {
  database: unknownOf,
  file: () => [
    'Not known: whether all of it was written anew, for a file is checked without the key. Its head is that of the database when tessera audit verify --expect finds it there.',
  ],
  months: () => [],
} satisfies Record<string, (verdict: Verdict) => string[]>

function words({ what, sequence, to }: ChainProblem): string {
  if (what === 'waiting_not_marked') return `  the record that waits as ${sequence} ${meanings[what]}`
  const which = sequence === to ? `record ${sequence}` : `records ${sequence} to ${to}`
  return `  ${which} ${meanings[what]}`
}

const meanings: Record<ChainProblem['what'], string> = {
  altered: 'altered: not what its hash was made of',
  replaced: 'replaced: what follows was chained to another; perhaps records before it are others too',
  not_marked: 'not marked by the key of the audit: written by somebody who has not the secret',
  waiting_not_marked:
    'is not marked by the key of the audit: written or altered by somebody who has not the secret',
  missing: 'missing',
  inserted: 'inserted: there should be none with this number',
  month_not_marked:
    'make a month whose head is not marked by the key of the audit: written or altered by somebody who has not the secret',
  archived:
    'stand where they were archived: run tessera audit archive again, which removes them; they were not checked',
  month_missing: 'make a closed month whose head is gone',
  no_head: 'may be the last: what told where the chain ends is gone',
  not_kept:
    'not the one that was kept elsewhere, with the key of the audit or with a closed month: the end was cut off, or the chain written anew',
}
