import { type Command, InvalidArgumentError } from 'commander'
import { auditKinds } from '../protocol/audit-kinds.ts'
import type { AuditFilter } from '../audit/read.ts'
import type { Store } from '../database/store.ts'
import { userByEmail } from '../store/users.ts'

/** What the parts of `tessera audit` that read records are narrowed by. */
export interface FilterOptions {
  actor?: string
  target?: string
  user?: string
  kind?: string
  request?: string
  from?: number
  to?: number
}

export function withFilters(command: Command): Command {
  return command
    .option('--actor <id>', 'who did it: an e-mail address, a uuid, a client_id, or user@host of a command')
    .option('--target <id>', 'what it happened to: its id, or the e-mail address of a user')
    .option('--user <id>', 'the person whom it is about: an e-mail address or a uuid')
    .option('--kind <kind>', 'the kind, such as sign_in.failed (docs/audit.md has them all)', knownKind)
    .option('--request <id>', 'what one request did, by the x-request-id of its answer')
    .option('--from <time>', 'from this time on, such as 2026-11-20 or 2026-11-20T08:00:00Z', timeOf)
    .option('--to <time>', 'before this time', timeOf)
}

function knownKind(kind: string): string {
  if (kind in auditKinds) return kind
  const [first = ''] = kind.split('.')
  const near = Object.keys(auditKinds).filter((one) => one.startsWith(first))
  const said = near.length === 0 ? 'docs/audit.md has them all' : `there are ${near.join(', ')}`
  throw new InvalidArgumentError(`There is no such kind; ${said}.`)
}

/** A date begins at midnight, UTC; a time without a zone is UTC too. */
function timeOf(text: string): number {
  const [, date, clock = 'T00:00', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(?:(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/.exec(text) ?? []
  const time = Date.parse(`${date}${clock}${zone}`)
  if (Number.isNaN(time)) throw new InvalidArgumentError('Write it as 2026-11-20 or 2026-11-20T08:00:00Z.')
  return time
}

/** The filter of a command line, with e-mail addresses made into the ids of their people. */
export async function filterOf(store: Store, options: FilterOptions): Promise<AuditFilter> {
  const idOf = async (text: string | undefined) =>
    text?.includes('@') ? ((await store.read(userByEmail(text)))?.uuid ?? text) : text
  const { kind, request, from, to } = options
  return {
    actor: await idOf(options.actor),
    target: await idOf(options.target),
    user: await idOf(options.user),
    kind,
    request,
    from,
    to,
  }
}

export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a whole number above 0.')
}
