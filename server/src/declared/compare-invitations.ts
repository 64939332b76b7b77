import { lifetime, profilesOf, organisationOf } from '../administration/invitations/inviting.ts'
import type { InvitedProfile } from '../catalogue/invitation.ts'
import { emailKey } from '../protocol/email-address.ts'
import { unitKey } from './names.ts'
import { groupBy } from '../access/by-key.ts'
import { fieldsBetween } from './change.ts'
import type { Comparison } from './comparison.ts'
import type { Declared, DeclaredInvitation } from './declared.ts'
import type { FileValues } from './kinds.ts'
import type { DeclaredRow } from './state.ts'

type InvitationInStore = DeclaredRow<'invitations'>

/** People whom the file invites. An answer counts as done, and a person who has an account is left alone. */
export function compareInvitations(comparison: Comparison, { invitations }: Declared): void {
  const { state, manager } = comparison
  const own = state.invitations.filter((row) => row.managed_by === manager)
  const byAddress = groupBy(own, (row) => row.email_key)
  const people = new Set(state.users.map((row) => row.email_key))
  for (const one of invitations) {
    const key = emailKey(one.email)
    const rows = byAddress.get(key) ?? []
    const pending = rows.find((row) => row.state === 'pending')
    if (pending !== undefined) change(comparison, one, pending)
    else if (rows.length === 0 && !people.has(key)) create(comparison, one)
  }
  const named = new Set(invitations.map((one) => emailKey(one.email)))
  for (const row of own) if (row.state === 'pending' && !named.has(row.email_key)) drop(comparison, row)
}

function create(comparison: Comparison, one: DeclaredInvitation): void {
  const { now, newUuid } = comparison.settings
  const columns = columnsOf(comparison, one)
  const uuid = newUuid()
  const invited_by = JSON.stringify({ kind: 'service', at: new Date(now).toISOString() })
  const row = {
    ...columns,
    uuid,
    email_key: emailKey(one.email),
    client_id: null,
    invited_by,
    state: 'pending',
    created_at: now,
    updated_at: now,
    expires_at: now + lifetime,
    managed_by: comparison.manager,
  } as const
  comparison.create('invitations', row)
  const about = { uuid, organisation_uuid: row.organisation_uuid }
  comparison.tell('invitation', 'create', one.email, fieldsBetween(undefined, shown(comparison, row)), about)
}

/** What it says is another: it is sent again. */
function change(comparison: Comparison, one: DeclaredInvitation, before: InvitationInStore): void {
  const { now } = comparison.settings
  const columns = columnsOf(comparison, one)
  const renewed = { updated_at: now, expires_at: now + lifetime }
  if (!comparison.update('invitations', before, columns, renewed)) return
  const fields = fieldsBetween(shown(comparison, before), shown(comparison, { ...before, ...columns }))
  const about = { uuid: before.uuid, organisation_uuid: columns.organisation_uuid }
  comparison.tell('invitation', 'change', one.email, fields, about)
}

/** The file names it no more. */
function drop(comparison: Comparison, row: InvitationInStore): void {
  const { email: id, uuid, organisation_uuid } = row
  if (comparison.settings.pruning === undefined) {
    comparison.unnamed.push({ kind: 'invitation', id })
    return
  }
  comparison.update('invitations', row, { state: 'withdrawn' }, { updated_at: comparison.settings.now })
  comparison.tell(
    'invitation',
    'remove',
    id,
    [],
    { uuid, organisation_uuid, was: shown(comparison, row) },
    true,
  )
}

function columnsOf(
  comparison: Comparison,
  { email, name = null, locale = null, profiles }: DeclaredInvitation,
): Pick<InvitationInStore, 'email' | 'name' | 'locale' | 'profiles' | 'organisation_uuid'> {
  const stored: InvitedProfile[] = profiles.map(({ role_code, organisation, unit, expires_at }) => ({
    role_code,
    ...(organisation !== undefined && { organisation_uuid: comparison.uuidOf(organisation) }),
    ...(unit !== undefined && { organisation_unit_uuid: comparison.uuidOf(unitKey(organisation, unit)) }),
    ...(expires_at !== undefined && { expires_at }),
  }))
  return {
    email,
    name,
    locale,
    profiles: JSON.stringify(stored),
    organisation_uuid: organisationOf(stored),
  }
}

const shown = (
  { codes }: Comparison,
  row: Pick<InvitationInStore, 'email' | 'name' | 'locale' | 'profiles'>,
): FileValues => ({
  email: row.email,
  name: row.name,
  locale: row.locale,
  profiles: profilesOf(row).map(({ role_code, organisation_uuid = null, organisation_unit_uuid = null }) =>
    codes.roleAt({ role_code, organisation_uuid, unit_uuid: organisation_unit_uuid }),
  ),
})
