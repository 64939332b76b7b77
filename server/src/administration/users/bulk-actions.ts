/** What a bulk change does to each person: by the verb that does it to one. */
import { randomUUID } from 'node:crypto'
import { newColumns } from '../../catalogue/columns.ts'
import { profile as catalogued } from '../../catalogue/profile.ts'
import type { ProfileRow } from '../../database/schema.ts'
import { rowOf, rowsOf } from '../../database/rows.ts'
import type { Store } from '../../database/store.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import { ownFactorsOf } from '../../store/gets-in.ts'
import { hasLink } from '../../store/links.ts'
import type { By, Row } from '../by.ts'
import { administering } from '../change.ts'
import { makeRecovery } from '../factors/recovery.ts'
import { toWeaken } from '../factors/verbs.ts'
import { checkNewProfile, checkPlace } from '../placement.ts'
import { createProfile, deleteProfile } from '../profiles/verbs.ts'
import type { AdministrationService } from '../route.ts'
import type { BulkBody } from './bulk-body.ts'
import { updateUser } from './verbs.ts'

type PersonRow = Row<'users'>

export interface BulkAction {
  /** What it needs beside reading people. */
  permissions: readonly string[]
  /** Throws where it can be done to nobody. */
  check?(store: Store, by: By): Promise<void>
  /** False: it is so already, and nothing was changed. Throws as the verb does. */
  change(store: Store, by: By, person: PersonRow): Promise<boolean>
}

/** What the body asks for. Throws when it does not say all that it takes. */
export function actionOf({ action, profile }: BulkBody, service: AdministrationService): BulkAction {
  const takesProfile = action === 'give_role' || action === 'end_role'
  if (!takesProfile && profile !== undefined) throw wrongField('profile', 'It is said of a role alone.')
  if (action === 'disable') return disabling
  if (action === 'enable') return enabling
  if (action === 'invite') return inviting(service)
  if (profile === undefined) throw wrongField('profile', 'It is missing: it says the role, and where.')
  if (action === 'end_role' && profile.expires_at !== undefined)
    throw wrongField('profile.expires_at', 'It ends at once.')
  const columns = newColumns(catalogued, { ...profile, user_uuid: '' })
  return action === 'give_role' ? giving(columns) : ending(columns)
}

const switching = (active: 0 | 1): BulkAction => ({
  permissions: ['iam.users.update'],
  async change(store, by, { uuid, version }) {
    const after = await updateUser(store, by, { id: uuid, versions: undefined }, { active })
    return after.version !== version
  },
})

const disabling: BulkAction = {
  ...switching(0),
  async change(store, by, person) {
    refuseOneself(by, person)
    // A disabled account that is to be removed stays so: to say it again would keep it.
    if (person.deletion_at !== null) return false
    return await switching(0).change(store, by, person)
  },
}

const enabling: BulkAction = {
  ...switching(1),
  async change(store, by, person) {
    if (person.deletion_at !== null)
      throw new Problem(
        'conflict',
        'They asked to have their account removed. To keep it, enable this one by itself.',
      )
    return await switching(1).change(store, by, person)
  },
}

/** Throws for the caller's own account: it would end the work, and what they may do. */
function refuseOneself({ authority: { actor } }: By, { uuid }: PersonRow): void {
  if (actor.kind === 'user' && actor.id === uuid)
    throw new Problem(
      'forbidden',
      'It is you. What you may do yourself is not taken away together with others.',
    )
}

const giving = (asked: Omit<ProfileRow, 'uuid'>): BulkAction => ({
  permissions: ['iam.profiles.create'],
  check: async ({ db }, { authority }) => await checkNewProfile(db, asked, authority, 'profile.'),
  async change(store, by, { uuid: user_uuid }) {
    const held = await heldAs(store, asked, user_uuid)
    if (held !== undefined && lastsAsLong(held, asked)) return false
    await createProfile(store, by, { ...asked, user_uuid, uuid: randomUUID() }, undefined)
    return true
  },
})

/** Whether it gives what is asked for, for at least as long. */
const lastsAsLong = (
  { active, expires_at: end }: Row<'profiles'>,
  { expires_at: asked }: { expires_at: number | null },
) => active === 1 && (end === null || (asked !== null && end >= asked))

const ending = (asked: Omit<ProfileRow, 'uuid'>): BulkAction => ({
  // An answer by person tells who holds the profile.
  permissions: ['iam.profiles.delete', 'iam.profiles.read'],
  check: async ({ db }, { authority }) => await checkPlace(db, asked, authority.reach, 'profile.'),
  async change(store, by, person) {
    const held = await heldAs(store, asked, person.uuid)
    if (held === undefined) return false
    refuseOneself(by, person)
    await deleteProfile(store, by, { id: held.uuid, versions: undefined })
    return true
  },
})

/** The profile of somebody with this role at this very place. */
async function heldAs(
  { db }: Store,
  { role_code, organisation_uuid, unit_uuid }: Omit<ProfileRow, 'uuid'>,
  user_uuid: string,
): Promise<Row<'profiles'> | undefined> {
  const held = await rowsOf(db, 'profiles', { user_uuid, role_code }).execute()
  return held.find((one) => one.organisation_uuid === organisation_uuid && one.unit_uuid === unit_uuid)
}

/** Mails a link to a person who has nothing to sign in by yet. */
const inviting = ({ mail }: AdministrationService): BulkAction => ({
  permissions: ['iam.factors.delete', 'iam.users.update'],
  async check() {
    if (mail === undefined)
      throw wrongField('action', 'No mail is sent here, so nobody can be sent a link.', 'conflict')
  },
  async change(store, by, person) {
    // What somebody signs in by is told to nobody who may not change it.
    await administering(store, by, async (trx) => await toWeaken(trx, by, person.uuid))
    if (await isInvited(store, by, person)) return false
    await makeRecovery(store, by, person.uuid, { mail, endsFactors: false, fromTheft: false })
    return true
  },
})

/** Whether they can sign in by something of their own, or have a link by which they soon can. */
async function isInvited(
  { db }: Store,
  { now }: By,
  { uuid, password_hash: password }: PersonRow,
): Promise<boolean> {
  if (password !== null || (await rowOf(db, 'upstream_links', { user_uuid: uuid })) !== undefined) return true
  const factors = (await ownFactorsOf(db, [uuid])).get(uuid) ?? []
  return factors.includes('passkey') || (await hasLink(db, { purpose: 'password_reset', subject: uuid, now }))
}
