/** What switching a forced sign-on on needs, so that nobody is locked out by it (decisions 20). */
import { authTimeOf, provedOf } from '../../protocol/authentication.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import { whoAdministers } from '../../store/administrators.ts'
import { breakGlassOf } from '../../store/break-glass.ts'
import { isForced } from '../../store/demanded.ts'
import { entriesInto, entryProfilesOf } from '../../store/gets-in.ts'
import type { By, Transacting } from '../by.ts'

const hour = 3_600_000
const month = 30 * 24 * hour

/**
 * Throws unless an organisation's own sign-in works for the person who switches it on: they came through it within the
 * hour, and somebody who gets in without it did so within 30 days, by credentials of their own. A machine and the
 * command on the database try nothing.
 */
export async function checkForced(
  trx: Transacting,
  by: By,
  organisation_uuid: string,
  { before, after }: { before: string | null; after: string | null },
): Promise<void> {
  if (!isForced(after) || isForced(before)) return
  await wantBreakGlass(trx, by, organisation_uuid)
  await wantSignInThrough(trx, by, organisation_uuid)
}

/**
 * A policy of the installation, of a role or of a client is checked alike: each organisation with an upstream that
 * works has somebody who gets in without it, and so has the installation; of a client of an organisation, that one.
 * Throws `last_administrator` where no administrator of the installation would get in.
 */
export async function checkForcedEverywhere(
  trx: Transacting,
  by: By,
  before: string | null,
  after: string | null,
  within: string | null = null,
): Promise<void> {
  if (!isForced(after) || isForced(before)) return
  const working = await trx
    .selectFrom('upstreams')
    .innerJoin('upstream_states', 'upstream_states.upstream_uuid', 'upstreams.uuid')
    .leftJoin('organisations', 'organisations.uuid', 'upstreams.organisation_uuid')
    .select(['upstreams.organisation_uuid', 'organisations.code'])
    .where('upstreams.active', '=', 1)
    .where('last_sign_in_at', 'is not', null)
    .where(({ eb, or }) => or([eb('organisations.active', '=', 1), eb('organisations.uuid', 'is', null)]))
    .$if(within !== null, (query) => query.where('organisations.uuid', '=', within))
    .distinct()
    .orderBy('organisations.code')
    .execute()
  for (const { organisation_uuid, code } of working) await wantBreakGlass(trx, by, organisation_uuid, code)
  if (!working.some((one) => one.organisation_uuid === null)) return
  await wantSignInThrough(trx, by, null)
  await wantAdministrator(trx, by)
}

async function wantBreakGlass(
  trx: Transacting,
  { now }: By,
  organisation_uuid: string | null,
  code: string | null = null,
): Promise<void> {
  const named = { organisation_uuid, people: [...(await breakGlassOf(trx, organisation_uuid))] }
  const entries = entriesInto(named, await entryProfilesOf(trx, [named], now))
  const sessions = await trx
    .selectFrom('sessions')
    .select(['auth_time', 'acr', 'amr', 'proofs'])
    .where('user_uuid', 'in', ['', ...entries.map((one) => one.user_uuid)])
    .where('last_seen_at', '>', now - month)
    .execute()
  // What an upstream asserts, or vouches for, says nothing of the day when it does not work.
  const ownOf = (session: (typeof sessions)[number]) =>
    provedOf(session).filter(({ method, reach }) => method !== 'upstream' && reach === undefined)
  if (sessions.some((one) => authTimeOf(ownOf(one), '2') > now - month)) return
  const whose = code === null ? (organisation_uuid === null ? ' of the installation' : '') : ` of ${code}`
  throw wrongField(
    'policy.sign_in',
    `It needs somebody in \`break_glass\`${whose} who gets in, and signed in within 30 days by a credential of their own of level 2: nobody could get in when the upstream does not work.`,
    'conflict',
  )
}

async function wantSignInThrough(
  trx: Transacting,
  { authority: { actor }, now }: By,
  organisation_uuid: string | null,
): Promise<void> {
  if (actor.kind !== 'user') return
  const own = await trx
    .selectFrom('upstream_links')
    .innerJoin('upstreams', 'upstreams.uuid', 'upstream_links.upstream_uuid')
    .select('upstreams.uuid')
    .where('upstream_links.user_uuid', '=', actor.id ?? '')
    .where('upstreams.organisation_uuid', organisation_uuid === null ? 'is' : '=', organisation_uuid)
    .where('upstreams.active', '=', 1)
    .where('upstream_links.last_sign_in_at', '>', now - hour)
    .limit(1)
    .execute()
  if (own.length > 0) return
  const whose = organisation_uuid === null ? 'installation' : 'organisation'
  throw wrongField(
    'policy.sign_in',
    `Sign in through the upstream of the ${whose} first, within the hour: then it is known to work.`,
    'conflict',
  )
}

/** Somebody who administers the installation is linked at an upstream of it, or gets in without. */
async function wantAdministrator(trx: Transacting, { now }: By): Promise<void> {
  const exempt = await breakGlassOf(trx, null)
  const administrators = await whoAdministers(trx, null, now)
  if (administrators.some(({ uuid }) => exempt.has(uuid))) return
  const linked = await trx
    .selectFrom('upstream_links')
    .innerJoin('upstreams', 'upstreams.uuid', 'upstream_links.upstream_uuid')
    .select('user_uuid')
    .where('upstreams.organisation_uuid', 'is', null)
    .where('upstreams.active', '=', 1)
    .where('user_uuid', 'in', ['', ...administrators.map(({ uuid }) => uuid)])
    .limit(1)
    .execute()
  if (linked.length > 0) return
  throw new Problem(
    'last_administrator',
    'Nobody would be left who administers the whole installation: none of them is linked at its upstream. Let one sign in through it first, or name one in `break_glass` of the installation.',
  )
}
