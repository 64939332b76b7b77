import type { NamedByFile, DeclaredRow, DeclaredState } from './state.ts'
import { emailKey } from '../protocol/email-address.ts'
import { byKey } from '../access/by-key.ts'
import { type Comparison, managerOf } from './comparison.ts'
import { shown } from './problems.ts'
import type { Declared, DeclaredUser } from './declared.ts'

/** The users and clients to look at, to know what the file changes. */
export function namedBy(declared: Declared): NamedByFile {
  const uuids = (things: readonly { uuid: string | undefined }[]) =>
    things.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]))
  return {
    userUuids: uuids(declared.users),
    emailKeys: [
      ...[...declared.users, ...declared.invitations].map(({ email }) => email),
      ...(declared.break_glass ?? []),
      ...declared.organisations.flatMap((one) => one.break_glass ?? []),
    ].map(emailKey),
    clientIds: declared.clients.map((client) => client.client_id),
    managedBy: managerOf(declared),
    profileUuids: uuids(declared.users.flatMap((user) => user.profiles)),
  }
}

/** The uuids of people whom a list names by address. Who is not there yet is a problem of the line. */
export function uuidsOfPeople(comparison: Comparison, emails: readonly string[], line: number): string[] {
  const users = byKey(comparison.state.users, (row) => row.email_key)
  const uuids = emails.flatMap((email) => {
    const user = users.get(emailKey(email))
    if (user === undefined)
      comparison.problems.add(line, `break_glass names ${shown(email)}, and there is no such person yet`)
    return user?.uuid ?? []
  })
  return uuids.toSorted()
}

/** Finds the stored user that a declared one is: by uuid, otherwise by e-mail address. */
export function userFinder(state: DeclaredState): (user: DeclaredUser) => DeclaredRow<'users'> | undefined {
  const byUuid = byKey(state.users, (row) => row.uuid)
  const byEmail = byKey(state.users, (row) => row.email_key)
  return (user) => byUuid.get(user.uuid ?? '') ?? byEmail.get(emailKey(user.email))
}
