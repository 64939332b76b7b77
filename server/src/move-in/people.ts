import { userOf } from '../import/row.ts'
import { emailKey } from '../protocol/email-address.ts'
import type { Mapping } from './mapping.ts'
import type { Placing } from './placing.ts'
import type { Remarks } from './remarks.ts'
import type { HeldRoles } from './roles.ts'
import { decide, lost, type Remark, type ToldExport, type ToldPerson } from './told.ts'

interface Handed {
  placing: Placing
  edited: Mapping
  held: HeldRoles
  /** The addresses that several people have. */
  twice: ReadonlySet<string>
  person: (line: string) => void
}

/** Hands on each person with their profiles. Yields how many there are. */
export async function peopleOf(
  told: ToldExport,
  { placing, edited, held, twice, person }: Handed,
  remarks: Remarks,
): Promise<number> {
  const seen = new Set<string>()
  let count = 0
  for await (const one of told.people()) {
    if (one.is === 'remark') remarks.add(one)
    if (one.is !== 'person') continue
    const key = emailKey(String(one.row['email']))
    // Whoever proved it there has it; nobody else does.
    if (seen.has(key) || (twice.has(key) && one.row['email_verified'] !== true)) {
      remarks.add(
        decide(
          'An address is of several people: the first who verified it there has it, the others are left out.',
          one.label,
        ),
      )
      continue
    }
    if (twice.has(key)) seen.add(key)
    const profiles = placing.profilesOf(one)
    const row = { ...one.row, ...claimsOf(one, edited), profiles }
    for (const remark of personRemarks(one, { profiles: profiles.length, row, held })) remarks.add(remark)
    person(JSON.stringify(row))
    count++
  }
  return count
}

/** Claims that the mapping fills from attributes. */
function claimsOf({ attributes }: ToldPerson, { attributes: mapped }: Mapping): Record<string, string> {
  const claims: Record<string, string> = {}
  for (const [name, { claim }] of Object.entries(mapped)) {
    const [value] = Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : []
    if (claim !== undefined && value !== undefined) claims[claim] = value
  }
  return claims
}

function* personRemarks(
  { label, roles, groups }: ToldPerson,
  { profiles, row, held }: { profiles: number; row: Readonly<Record<string, unknown>>; held: HeldRoles },
): Generator<Remark> {
  if (profiles === 0) yield decide('Somebody gets no profile, and so can enter no application.', label)
  const all = held.held(roles, groups)
  const administers = all.some((one) => [...held.dissolved(one)].some((part) => isAdministrative(held, part)))
  if (administers)
    yield decide(
      'Somebody administered the other system, which gives nothing here: give them iam permissions by hand.',
      label,
    )
  for (const one of all)
    if (held.role(one) === undefined)
      yield lost('A role that somebody holds is not in the export.', `${label}: ${one}`)
  const rpId = (row['passkeys'] as { rp_id: string }[] | undefined)?.[0]?.rp_id ?? ''
  const checked = userOf({ format: 'jsonl' }, { line: 1, raw: '', read: { values: row } }, () => rpId)
  if (Array.isArray(checked))
    for (const { field, detail } of checked)
      yield decide(`The import will refuse somebody. ${field}: ${detail}`, label)
}

const isAdministrative = (held: HeldRoles, id: string): boolean => {
  const role = held.role(id)
  return role?.own === true && role.administers === true
}
