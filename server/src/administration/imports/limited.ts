/**
 * Rows as whoever administers a part brings them in: each is a user whom they add, by the same verb. What an import says
 * besides is refused, because it would make an account whose person nobody has asked.
 */
import { hash, randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isMember } from '../../access/reach.ts'
import { newColumns } from '../../catalogue/columns.ts'
import { profile } from '../../catalogue/profile.ts'
import type { ImportRow } from '../../database/schema-admin.ts'
import type { Store } from '../../database/store.ts'
import { findPlaces, type ImportPlaces } from '../../import/places.ts'
import type { ImportedProfile, ImportedUser } from '../../import/row.ts'
import { digestsOf, type Imported, importedFrom } from '../../import/users.ts'
import { emailKey } from '../../protocol/email-address.ts'
import { Problem } from '../../protocol/problem.ts'
import { addressOwners } from '../../store/addresses.ts'
import type { By } from '../by.ts'
import { storeWithin, undone } from '../effect.ts'
import { createUser, type NewUser } from '../users/verbs.ts'

interface Limited {
  store: Store
  by: By
  /** The import that they come by. */
  import: ImportRow
  dryRun: boolean
}

/** Adds the users of a batch, or says what would become of them. */
export const limited =
  ({ store, by, dryRun, import: of }: Limited) =>
  async (users: readonly ImportedUser[]): Promise<Imported[]> => {
    const places = await findPlaces(
      store.db,
      users.flatMap((one) => one.profiles),
    )
    const isIn = await importedBefore(store, by, users)
    const all: Imported[] = []
    for (const user of users) {
      // An embedded database answers at once: others are answered between.
      await nextTurn()
      const made = { ...madeOf(user, places), imported: { by: of, from: fromOf(of, by, user) } }
      all.push(isIn(user) ? { user, outcome: 'already' } : await added(user, () => add(made)))
    }
    return all

    async function add(made: NewUser): Promise<void> {
      if (!dryRun) return void (await createUser(store, by, made, undefined))
      await undone(store, async (trx) => await createUser(storeWithin(store, trx), by, made, undefined))
    }
  }

const tooMuch = 'It takes somebody who administers everything; leave it out.'

/** The field of a row that adding a user has no word for. */
function beyond({ columns, weak, own, factors }: ImportedUser): string | undefined {
  if (columns.password_hash !== null || weak !== undefined) return 'password_hash'
  if (own.uuid !== undefined) return 'uuid'
  if (own.former_sub !== undefined) return 'former_sub'
  if (factors.totp !== undefined) return 'totp_secret'
  return factors.passkeys.length > 0 ? 'passkeys' : undefined
}

async function added(user: ImportedUser, add: () => Promise<void>): Promise<Imported> {
  const field = beyond(user)
  if (field !== undefined) return { user, outcome: 'refused', field, reason: tooMuch }
  try {
    await add()
    return { user, outcome: 'imported' }
  } catch (error) {
    if (!(error instanceof Problem) || !isOfRow(error)) throw error
    const [{ field: named, detail } = { field: 'profiles', detail: error.description }] = error.fields
    const reason = error.fields.length > 1 ? error.description : detail
    return { user, outcome: 'refused', field: asInRow(named), reason }
  }
}

/** Whether a refusal is about this row alone, and not about the importer. */
const isOfRow = ({ code, fields, permissions }: Problem): boolean =>
  ['invalid_request', 'conflict', 'forbidden'].includes(code) && fields.length + permissions.length > 0

const names: Readonly<Record<string, string>> = {
  role_code: 'role',
  organisation_uuid: 'organisation',
  organisation_unit_uuid: 'unit',
}

/** The field by the name that rows have for it. */
const asInRow = (field: string): string =>
  field
    .split('.')
    .map((one) => names[one] ?? one)
    .join('.')

function madeOf({ columns, own, profiles }: ImportedUser, places: ImportPlaces): NewUser {
  const user_uuid = randomUUID()
  const given = profiles.map((one) => ({
    uuid: randomUUID(),
    ...newColumns(profile, { ...placed(one, places), user_uuid }),
  }))
  const enrolment_required = own.enrolment_required ?? 0
  return { uuid: user_uuid, columns: { ...columns, enrolment_required }, profiles: given }
}

/** A place that is not there is asked for as one of nothing, so the verb says the same of it and of one elsewhere. */
function placed(
  { role: role_code, organisation, unit, ...rest }: ImportedProfile,
  { organisations, units }: ImportPlaces,
) {
  const organisation_uuid =
    organisation === undefined ? null : (organisations.get(organisation) ?? randomUUID())
  const organisation_unit_uuid =
    unit === undefined ? null : (units.get(`${organisation_uuid ?? ''} ${unit}`) ?? randomUUID())
  return { ...rest, role_code, organisation_uuid, organisation_unit_uuid }
}

/**
 * The digest of a row and of its importer's reach: a person added so is not taken for imported by an import of
 * everything, nor by one of another organisation.
 */
const digestWithin = ({ authority: { reach } }: By, { digest }: ImportedUser): string =>
  hash('sha256', `${reach.organisation_uuid ?? ''} ${reach.unit_uuid ?? ''} ${digest}`)

const fromOf = (of: ImportRow, by: By, user: ImportedUser) =>
  importedFrom(of, { line: user.line, digest: digestWithin(by, user) })

/** Tells who was added from the same row before, and is still a member. */
async function importedBefore(
  { db }: Store,
  by: By,
  users: readonly ImportedUser[],
): Promise<(user: ImportedUser) => boolean> {
  const keyOf = ({ columns }: ImportedUser) => emailKey(columns.email)
  const owners = await addressOwners(db, users.map(keyOf), by.now)
  const digests = await digestsOf(
    db,
    [...owners.values()].map((one) => one.uuid),
  )
  const before = new Set<ImportedUser>()
  for (const user of users) {
    const { uuid } = owners.get(keyOf(user)) ?? {}
    if (uuid === undefined || digests.get(uuid) !== digestWithin(by, user)) continue
    if (await isMember(db, uuid, by.authority.reach)) before.add(user)
  }
  return (user) => before.has(user)
}
