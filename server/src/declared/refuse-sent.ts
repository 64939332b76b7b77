/**
 * What a file does by the command alone. Who runs the command has the machine; who sends a file over HTTP has what the API
 * gives, and the API has checks of its own for these, or does them not at all (docs/security.md).
 */
import { isNewlyForced } from '../access/forced-out.ts'
import { byKey } from '../access/by-key.ts'
import { emailKey } from '../protocol/email-address.ts'
import type { Comparison } from './comparison.ts'
import type { Declared, DeclaredRole } from './declared.ts'

const alone = 'by the command alone, on the machine of the database'

export function refuseSent(comparison: Comparison, declared: Declared): void {
  refuseChosenUuids(comparison, declared)
  refuseHashes(comparison, declared)
  refuseBreakGlass(comparison, declared)
  refuseForced(comparison, declared)
  refuseIssuers(comparison)
}

/** The API asks for a recent sign-in, which a file that was sent has not shown for this. */
function refuseIssuers({ changes, problems }: Comparison): void {
  if (changes.some(({ kind }) => kind === 'assertion_issuers'))
    problems.add(0, `assertion_issuers changes, which a file does ${alone}; set them by the API`)
}

/** A uuid is how applications know somebody: one of a person who was removed would open what is theirs there. */
function refuseChosenUuids({ state, profiles, problems }: Comparison, declared: Declared): void {
  const stored = new Set([...state.users, ...state.organisations, ...state.units].map((row) => row.uuid))
  const refuse = ({ uuid, line }: { uuid: string | undefined; line: number }, what: string) => {
    if (uuid === undefined || stored.has(uuid) || profiles.has(uuid)) return
    problems.add(line, `${what} is new, and a new uuid is chosen ${alone}; leave it out`)
  }
  for (const organisation of declared.organisations) {
    refuse(organisation, 'this organisation')
    for (const unit of organisation.units) refuse(unit, 'this unit')
  }
  for (const user of declared.users) {
    refuse(user, 'this user')
    for (const { uuid } of user.profiles) refuse({ uuid, line: user.line }, 'a profile of this user')
  }
}

/** Nobody can tell whether a hash is that of a good password, or of one that somebody knows. */
function refuseHashes({ writes, problems }: Comparison, declared: Declared): void {
  const { insert, update } = writes.users
  const set = new Set([
    ...insert.filter((row) => row.password_hash !== null).map((row) => row.email_key),
    ...update
      .filter(({ set: columns }) => typeof columns.password_hash === 'string')
      .map(({ before, set: columns }) => columns.email_key ?? before.email_key),
  ])
  for (const { password, email, line } of declared.users)
    if (password !== undefined && 'hash' in password && set.has(emailKey(email)))
      problems.add(line, `password_hash is another than the stored one, and a hash is set ${alone}`)
}

/** The API looks at their credentials, lets nobody name themself, and tells all administrators. */
function refuseBreakGlass({ changes, problems }: Comparison, declared: Declared): void {
  const lines = byKey(declared.organisations, (one) => one.code)
  for (const { kind, id, fields } of changes) {
    const isNamed = kind === 'organisation' && fields.some((one) => one.field === 'break_glass')
    if (kind !== 'break_glass' && !isNamed) continue
    const line = kind === 'organisation' ? (lines.get(id)?.line ?? 0) : 0
    problems.add(line, 'break_glass changes, which a file does by the command alone; name them by the API')
  }
}

/** The API has the upstream tried first, and somebody who gets in without it. */
function refuseForced(comparison: Comparison, declared: Declared): void {
  const { state, writes, problems } = comparison
  const reason = `it newly demands sign_in: upstream, which a file does ${alone}; set it by the API`
  for (const { before, set } of writes.installation.update)
    if (before.name === 'policy' && isNewlyForced(before.kept, set.kept ?? null)) problems.add(0, reason)
  const refuse = (one: Policed, before: string | null | undefined) => {
    if (isNewlyForced(before ?? null, JSON.stringify(one.policy ?? null))) problems.add(one.line, reason)
  }
  const roles = byKey(state.roles, (row) => row.code)
  for (const one of declared.roles) refuse(one, roles.get(one.code)?.policy)
  const organisations = byKey(state.organisations, (row) => row.code)
  for (const one of declared.organisations) refuse(one, organisations.get(one.code)?.policy)
  const clients = byKey(state.clients, (row) => row.client_id)
  for (const one of declared.clients) {
    const before = clients.get(one.client_id)
    // Elsewhere, others are asked for it.
    const stays = before?.organisation_uuid === comparison.uuidOf(one.organisation)
    refuse(one, stays ? before?.policy : null)
  }
}

type Policed = Pick<DeclaredRole, 'policy' | 'line'>
