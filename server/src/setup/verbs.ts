import { passwordForNewcomer } from '../identity/new-password.ts'
import type { PasswordFor } from '../identity/password-rules.ts'
import { iamWildcard } from '../protocol/permission.ts'
import { storedPolicy } from '../protocol/policy.ts'
import { wrongField } from '../protocol/problem.ts'
import type { Store } from '../database/store.ts'
import { administratorRoles, administrators, refuseWhereAdministered } from '../store/administrators.ts'
import type { By, AuditedChange, Transacting } from '../administration/by.ts'
import { change } from '../administration/change.ts'
import { isThere } from '../database/rows.ts'
import { setupLinkEnded, takeSetupLink } from './links.ts'
import { profiles } from '../administration/profiles/verbs.ts'
import { insertRole, type Role, roles } from '../administration/roles/verbs.ts'
import {
  insertUser,
  type MadeUser,
  refuseTakenAddress,
  type UserColumns,
  users,
} from '../administration/users/verbs.ts'

export interface FirstAdministrator {
  /** Undefined: one that gives everything, made where there is none. */
  role_code: string | undefined
  user_uuid: string
  columns: UserColumns
  profile_uuid: string
  /** The text of the link that they came by; undefined: the command names them. */
  link?: string
}

const usualRole = 'administrator'

/** What is demanded of the password of the first administrator. */
export const administratorPassword = async (
  store: Store,
  who: { name: string; email: string },
  role_code = usualRole,
): Promise<PasswordFor> => await passwordForNewcomer(store, who, [{ role_code, organisation_uuid: null }])

/**
 * Makes somebody who administers the whole installation, with the role for it where that is missing. Throws
 * `conflict` when there is somebody; by a link, `setup_link_ended`. Concurrency: see `change`; of several at once one
 * does it, and the others find who was made, or that the link was used. What is refused leaves the link as it was.
 */
export async function createFirstAdministrator(
  store: Store,
  by: By,
  { role_code, user_uuid, columns, profile_uuid, link }: FirstAdministrator,
): Promise<MadeUser> {
  return await change(store, by, async (trx) => {
    const used = link === undefined ? undefined : await takeSetupLink(trx, link, by.now)
    if (used === undefined) await refuseWhereAdministered(trx, by.now)
    else if ((await administrators(trx, by.now)).any) throw setupLinkEnded()
    await refuseTakenAddress(trx, columns.email, by)
    const { code, made: role } = await administratorRole(trx, by, role_code)
    const profile = {
      uuid: profile_uuid,
      role_code: code,
      organisation_uuid: null,
      unit_uuid: null,
      active: 1 as const,
      expires_at: null,
    }
    const result = await insertUser(trx, by, { uuid: user_uuid, columns, profiles: [profile] })
    const told: AuditedChange[] = [
      ...(role === undefined ? [] : [about('role', code, roles.shown(role))]),
      { ...about('user', user_uuid, users.shown(result.user)), secrets: ['password'] },
      ...result.profiles.map((one) => ({ ...about('profile', one.uuid, profiles.shown(one)), user_uuid })),
    ]
    const target = used === undefined ? undefined : { kind: 'setup_link', id: used }
    return { result, told, ...(target && { events: [{ kind: 'setup_link.used' as const, target }] }) }
  })
}

const about = (thing: AuditedChange['thing'], id: string, after: object): AuditedChange => ({
  thing,
  id,
  after,
  managedBy: null,
})

/** Whoever administers everything has a second factor (ASVS 5.0 6.3.3), and some days to set it up. */
const strictForAdministrators = { second_factor: 'required', grace_days: 7 } as const

/** A role that gives all of iam. Throws `conflict` when the one that is named, or the usual one, does not. */
async function administratorRole(
  trx: Transacting,
  by: By,
  wanted: string | undefined,
): Promise<{ code: string; made?: Role }> {
  const there = (await administratorRoles(trx)).toSorted()
  const usual = there.includes(usualRole) ? usualRole : (there[0] ?? usualRole)
  const code = wanted ?? usual
  if (there.includes(code)) return { code }
  if (await isThere(trx, 'roles', { code }))
    throw wrongField(
      'role_code',
      `The role ${code} is there, but it does not include ${iamWildcard} or is disabled. Name another with --role.`,
      'conflict',
    )
  const row = {
    code,
    name: 'Administrator',
    active: 1,
    policy: storedPolicy(strictForAdministrators),
  } as const
  return { code, made: await insertRole(trx, by, row, [iamWildcard]) }
}
