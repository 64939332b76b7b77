/** What changes could take from those who get in when an upstream does not work. */
import type { TouchedEntries } from '../gets-in.ts'
import type { Endings } from './endings.ts'
import type { Row, Writes } from './rows.ts'

/** More of them are not asked one by one. */
const mostPeople = 500

/** Undefined: nothing. A password that a person's own proof voids ends for safety, as at a recovery. */
export function touchedEntries(
  { installation, organisations, users, profiles, roles, units }: Writes,
  { by, adopted, forSafety }: Pick<Endings, 'by' | 'adopted'> & { forSafety?: true },
): TouchedEntries | undefined {
  if (forSafety === true) return undefined
  const losesPassword = ({ password_hash: hash, password_temporary: temporary }: Partial<Row<'users'>>) =>
    by === 'others' && (hash === null || temporary === 1)
  const isLess = (set: Partial<Row<'users'>>) =>
    set.active === 0 ||
    set.limited_reach === 1 ||
    losesPassword(set) ||
    typeof set.password_reach === 'string'
  const people = new Set([
    ...users.update.filter(({ set }) => isLess(set)).map(({ before }) => before.uuid),
    ...users.remove.map(({ uuid }) => uuid),
    ...profiles.update.map(({ before }) => before.user_uuid),
    ...profiles.remove.map(({ user_uuid }) => user_uuid),
    ...(adopted?.users ?? []),
  ])
  const lists = [
    ...installation.update.filter(({ before }) => before.name === 'break_glass').map(() => null),
    ...organisations.update
      .filter(({ set }) => set.break_glass !== undefined)
      .map(({ before }) => before.uuid),
  ]
  const anything =
    people.size > mostPeople ||
    roles.remove.length + units.remove.length > 0 ||
    [...roles.update, ...units.update].some(({ set }) => set.active === 0)
  if (!anything && people.size + lists.length === 0) return undefined
  return { people: anything ? [] : [...people], lists, anything }
}
