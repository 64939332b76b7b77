/** Break-glass people, who get in without an upstream: who names whom, and when one is needed. */
import { isMember } from '../../access/reach.ts'
import { rowOf, rowsOf, isThere } from '../../database/rows.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import { isDemanded } from '../../store/demanded.ts'
import { ownFactorsOf, reachesLevel2 } from '../../store/gets-in.ts'
import type { By, Transacting } from '../by.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'

export const listIn = (text: string) => JSON.parse(text) as string[]

/** What is named newly. */
export function newIn(before: readonly string[], after: readonly string[]): string[] {
  const known = new Set(before)
  return after.filter((one) => !known.has(one))
}

/** Throws unless who asks may name these people for the whole installation. */
export async function checkInstallation(
  trx: Transacting,
  by: By,
  before: string,
  after: string,
): Promise<void> {
  const peopleIn = (kept: string) => (JSON.parse(kept) as { people?: string[] }).people ?? []
  const [had, has] = [peopleIn(before), peopleIn(after)]
  if (has.length === 0 && had.length > 0) await refuseLast(trx, null)
  await checkNamedPeople(trx, by, null, newIn(had, has))
  wantRecentSignIn(by)
}

/** Throws where nobody would get in any more when the upstream does not work, which a policy demands. */
export async function refuseLast(trx: Transacting, organisation_uuid: string | null): Promise<void> {
  if (!(await isDemanded(trx, organisation_uuid))) return
  throw wrongField(
    organisation_uuid === null ? 'people' : 'break_glass',
    'Nobody would get in when the upstream does not work, and a policy demands it. Name somebody else first, or let people sign in otherwise.',
    'conflict',
  )
}

/** Naming somebody loosens what the policy demands, and nobody does that for themself. */
export async function checkNamedPeople(
  trx: Transacting,
  { authority }: By,
  organisation_uuid: string | null,
  named: readonly string[],
): Promise<void> {
  if (named.length > 0) authority.changesEverything()
  const { kind, id } = authority.actor
  for (const user of named) {
    if (kind === 'user' && id === user)
      throw new Problem('forbidden', 'Nobody names themself; ask another administrator.')
    const problem = await breakGlassProblem(trx, organisation_uuid, user)
    if (problem !== undefined)
      throw wrongField(organisation_uuid === null ? 'people' : 'break_glass', problem)
  }
}

/** Why somebody can't get in when the upstream of an organisation, or of the installation, does not work; undefined: they can. */
async function breakGlassProblem(
  trx: Transacting,
  organisation_uuid: string | null,
  user_uuid: string,
): Promise<string | undefined> {
  const user = await rowOf(trx, 'users', { uuid: user_uuid })
  if (user === undefined || !(await isThereToAct(trx, organisation_uuid, user_uuid)))
    return organisation_uuid === null
      ? 'There is no such person with a profile without organisation.'
      : 'There is no such person in this organisation.'
  if (user.limited_reach === 1)
    return 'Nobody has proved yet whose account it is: send a link to the address first, which its person uses.'
  const own = await ownFactorsOf(trx, [user_uuid])
  if (!reachesLevel2(user, own.get(user_uuid) ?? []))
    return 'They need an own credential of level 2 first: a passkey, or a password and a second factor.'
  return (await isToldOf(trx, organisation_uuid, user_uuid))
    ? 'They are linked at such an upstream, or in a directory: somebody else has to get in when that does not work.'
    : undefined
}

/** Whether somebody has a profile there, usable or not. */
async function isThereToAct(
  trx: Transacting,
  organisation_uuid: string | null,
  user_uuid: string,
): Promise<boolean> {
  if (organisation_uuid !== null)
    return await isMember(trx, user_uuid, { organisation_uuid, unit_uuid: undefined })
  const own = await trx
    .selectFrom('profiles')
    .select('uuid')
    .where('user_uuid', '=', user_uuid)
    .where('organisation_uuid', 'is', null)
    .limit(1)
    .execute()
  return own.length > 0
}

/** Whether an upstream of the organisation, or of the installation, or a directory knows somebody. */
async function isToldOf(
  trx: Transacting,
  organisation_uuid: string | null,
  user_uuid: string,
): Promise<boolean> {
  const links = await trx
    .selectFrom('upstream_links')
    .innerJoin('upstreams', 'upstreams.uuid', 'upstream_links.upstream_uuid')
    .select('upstreams.uuid')
    .where('user_uuid', '=', user_uuid)
    .where('organisation_uuid', organisation_uuid === null ? 'is' : '=', organisation_uuid)
    .limit(1)
    .execute()
  if (links.length > 0) return true
  if (organisation_uuid === null) return false
  const directories = await rowsOf(trx, 'directories', { organisation_uuid }).execute()
  for (const { uuid } of directories) {
    // A resource that was removed may come back.
    if (await isThere(trx, 'scim_resources', { directory_uuid: uuid, user_uuid })) return true
  }
  return false
}
