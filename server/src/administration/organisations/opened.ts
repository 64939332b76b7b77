/** Who else opens an organisation: those whose upstreams it accepts, and who gets in when its own does not work. */
import { heldAt, isMember } from '../../access/reach.ts'
import { isThere, rowOf, rowsOf } from '../../database/rows.ts'
import { policyOf } from '../../protocol/policy.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import type { By, Row, Transacting } from '../by.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'

type Named = Pick<Row<'organisations'>, 'accepts' | 'break_glass'>

const none: Named = { accepts: '[]', break_glass: '[]' }
const listIn = (text: string) => JSON.parse(text) as string[]

/** What an organisation names newly. */
const newIn = (before: string, after: string): string[] => {
  const known = new Set(listIn(before))
  return listIn(after).filter((one) => !known.has(one))
}

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
  for (const accepted of newIn(before.accepts, after.accepts)) {
    // First, so that nobody else learns which organisations there are.
    by.authority.changes(await heldAt(trx, { organisation: uuid }))
    if (accepted === uuid) throw wrongField('accepts', 'Its own upstreams open it anyway.')
    if (!(await isThere(trx, 'organisations', { uuid: accepted })))
      throw wrongField('accepts', 'There is no such organisation.')
  }
  if (before !== undefined || after.break_glass !== '[]')
    await checkBreakGlass(trx, by, uuid, { before, after })
  wantRecentSignIn(by)
}

/** Throws where nobody would get in any more when the upstream does not work, which the policy demands. */
async function refuseLast(trx: Transacting, uuid: string): Promise<void> {
  const row = await rowOf(trx, 'organisations', { uuid })
  if (policyOf(row?.policy ?? null)?.sign_in !== 'upstream') return
  throw wrongField(
    'break_glass',
    'Nobody would get in when the upstream does not work, and the policy demands it. Name somebody else first, or let people sign in otherwise.',
    'conflict',
  )
}

/** Naming somebody loosens what the policy demands, and nobody does that for themself. */
async function checkBreakGlass(
  trx: Transacting,
  { authority }: By,
  uuid: string,
  { before, after }: { before: Named; after: Named },
): Promise<void> {
  const named = newIn(before.break_glass, after.break_glass)
  if (named.length > 0) authority.changesEverything()
  const { kind, id } = authority.actor
  for (const user of named) {
    if (kind === 'user' && id === user)
      throw new Problem('forbidden', 'Nobody names themself; ask another administrator.')
    const problem = await breakGlassProblem(trx, uuid, user)
    if (problem !== undefined) throw wrongField('break_glass', problem)
  }
}

/** Why somebody can't get in when the organisation's upstream does not work; undefined: they can. */
export async function breakGlassProblem(
  trx: Transacting,
  organisation_uuid: string,
  user_uuid: string,
): Promise<string | undefined> {
  const reach = { organisation_uuid, unit_uuid: undefined }
  const user = await rowOf(trx, 'users', { uuid: user_uuid })
  if (user === undefined || !(await isMember(trx, user_uuid, reach)))
    return 'There is no such person in this organisation.'
  const own = await trx
    .selectFrom('factors')
    .select('kind')
    .where('user_uuid', '=', user_uuid)
    .where('confirmed_at', 'is not', null)
    .where('suspended_at', 'is', null)
    .where('reach', 'is', null)
    .execute()
  const hasPassword =
    user.password_hash !== null && user.password_temporary === 0 && user.password_reach === null
  if (!own.some((one) => hasPassword || one.kind === 'passkey'))
    return 'They need an own credential of level 2 first: a passkey, or a password and a second factor.'
  return (await isToldOf(trx, organisation_uuid, user_uuid))
    ? 'They are linked at an upstream of the organisation, or in its directory: somebody else has to get in when that does not work.'
    : undefined
}

async function isToldOf(trx: Transacting, organisation_uuid: string, user_uuid: string): Promise<boolean> {
  const upstreams = await rowsOf(trx, 'upstreams', { organisation_uuid }).execute()
  const directories = await rowsOf(trx, 'directories', { organisation_uuid }).execute()
  for (const { uuid } of upstreams)
    if (await isThere(trx, 'upstream_links', { upstream_uuid: uuid, user_uuid })) return true
  for (const { uuid } of directories) {
    // One that was removed may come back.
    if (await isThere(trx, 'scim_resources', { directory_uuid: uuid, user_uuid })) return true
  }
  return false
}

const hour = 3_600_000
const month = 30 * 24 * hour

/**
 * Throws unless an organisation's own sign-in works for who switches it on: they came through it within the hour, and
 * somebody who gets in without it signed in within 30 days. A machine and the command on the database try nothing.
 */
export async function checkForced(
  trx: Transacting,
  { authority: { actor }, now }: By,
  { uuid, break_glass }: Pick<Row<'organisations'>, 'uuid' | 'break_glass'>,
): Promise<void> {
  const people = listIn(break_glass)
  const came = await trx
    .selectFrom('sessions')
    .select('sid')
    .where('user_uuid', 'in', people.length === 0 ? [''] : people)
    .where('created_at', '>', now - month)
    .limit(1)
    .execute()
  if (came.length === 0)
    throw wrongField(
      'policy.sign_in',
      'It needs somebody in `break_glass` who signed in within 30 days: nobody could get in when the upstream does not work.',
      'conflict',
    )
  if (actor.kind !== 'user') return
  const own = await trx
    .selectFrom('upstream_links')
    .innerJoin('upstreams', 'upstreams.uuid', 'upstream_links.upstream_uuid')
    .select('upstreams.uuid')
    .where('upstream_links.user_uuid', '=', actor.id ?? '')
    .where('upstreams.organisation_uuid', '=', uuid)
    .where('upstreams.active', '=', 1)
    .where('upstream_links.last_sign_in_at', '>', now - hour)
    .limit(1)
    .execute()
  if (own.length === 0)
    throw wrongField(
      'policy.sign_in',
      'Sign in through the upstream of the organisation first, within the hour: then it is known to work.',
      'conflict',
    )
}
