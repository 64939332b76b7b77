import type { Command } from 'commander'
import { chainStart } from '../audit/chain.ts'
import { keepVerification } from '../audit/verification.ts'
import { type AuditKey, NoAuditKey } from '../database/audit-key.ts'
import type { Store } from '../database/store.ts'
import type { Verdict } from './audit-verdict.ts'
import { answerOf, type ConnectOptions } from './connect.ts'
import { routeOf, type ApiObject } from './connection.ts'
import { type Context, note } from './context.ts'
import { wordsOf } from './fail.ts'
import { printThing, verbOf } from './verbs/verb.ts'
import { commandOrigin } from './with-store.ts'

/**
 * Keeps what `tessera audit verify` found. It stands even where it can't be kept: on a standby, without the key, or in
 * tables of a version before.
 */
export async function keepVerdict(
  context: Context,
  store: Store,
  key: AuditKey | undefined,
  { at, head, records, problem_count: count, missing }: Verdict & { at: number },
): Promise<void> {
  try {
    if (key === undefined) throw new NoAuditKey()
    const { sequence, hash } = head ?? { sequence: 0, hash: chainStart }
    const by = commandOrigin().actor.id ?? ''
    await keepVerification(store, key, { at, by, sequence, hash, records, problems: count + missing.length })
  } catch (error) {
    note(context, `tessera: what was found could not be kept in the database: ${wordsOf(error)}`)
  }
}

/** `tessera audit verification`: what `tessera audit verify` found last. */
export function verificationCommand(context: Context): Command {
  const route = routeOf('GET', '/audit/verification')
  return verbOf('audit verification', route, ['', '--json | jq -r .state']).action(
    async (options: ConnectOptions) => {
      const body = await answerOf(context, options, { route })
      printThing(context, options.json === true ? body : flat(body), options)
    },
  )
}

/** A line each; what was last whole is told where it is another one. */
function flat({ state, last, whole, unverified }: ApiObject): ApiObject {
  const { records: later, since } = unverified as ApiObject
  const named = (words: string, { at, sequence, by, problems }: ApiObject): ApiObject => ({
    [`${words}_at`]: at,
    [`${words}_until_record`]: sequence,
    [`${words}_by`]: by,
    problems,
  })
  const { problems: _, ...before } = named('last_whole', (whole ?? {}) as ApiObject)
  const isAnother = whole !== null && JSON.stringify(whole) !== JSON.stringify(last)
  return {
    state,
    ...(last !== null && named('verified', last as ApiObject)),
    ...(isAnother && before),
    records_since: later,
    ...(since !== null && { oldest_of_them_at: since }),
  }
}
