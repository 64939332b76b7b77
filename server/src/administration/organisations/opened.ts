/** Other ways into an organisation: the upstreams that it accepts, and its break-glass people. */
import { heldAt } from '../../access/reach.ts'
import { isThere } from '../../database/rows.ts'
import { wrongField } from '../../protocol/problem.ts'
import type { By, Row, Transacting } from '../by.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'
import { checkNamedPeople, listIn, newIn, refuseLast } from './break-glass.ts'

type Named = Pick<Row<'organisations'>, 'accepts' | 'break_glass'>

const none: Named = { accepts: '[]', break_glass: '[]' }

/**
 * Throws unless who asks may let these organisations' upstreams open this one, and name these people. Accepting gives what
 * is held here to others, so it needs that they could give all of it.
 */
export async function checkNamed(
  trx: Transacting,
  by: By,
  uuid: string,
  { before = none, after }: { before: Named | undefined; after: Named },
): Promise<void> {
  if (after.break_glass === '[]' && before.break_glass !== '[]') await refuseLast(trx, uuid)
  if (before.accepts === after.accepts && before.break_glass === after.break_glass) return
  for (const accepted of newIn(listIn(before.accepts), listIn(after.accepts))) {
    // First, so that nobody else learns which organisations there are.
    by.authority.changes(await heldAt(trx, { organisation: uuid }))
    if (accepted === uuid) throw wrongField('accepts', 'Its own upstreams open it anyway.')
    if (!(await isThere(trx, 'organisations', { uuid: accepted })))
      throw wrongField('accepts', 'There is no such organisation.')
  }
  await checkNamedPeople(trx, by, uuid, newIn(listIn(before.break_glass), listIn(after.break_glass)))
  wantRecentSignIn(by)
}
