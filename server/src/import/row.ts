import { createHash } from 'node:crypto'
import * as z from 'zod'
import { checkedBy } from '../catalogue/check.ts'
import { checked } from '../catalogue/checked.ts'
import { newColumns } from '../catalogue/columns.ts'
import { code } from '../catalogue/kinds.ts'
import { profile as heldProfile } from '../catalogue/profile.ts'
import { newRow, schemaOf } from '../catalogue/schemas.ts'
import { user } from '../catalogue/user.ts'
import { jsonProblem, parseJson } from '../protocol/json.ts'
import type { WeakHash } from '../protocol/password-hash/weak.ts'
import type { FieldProblem } from '../protocol/problem.ts'
import { canonicalUuidProblem, instantOf, isUuid } from '../protocol/values.ts'
import type { ColumnsOf } from '../catalogue/thing.ts'
import { factorFields, type ImportedFactors, passkeyProblems } from './factors.ts'
import { foundHash, type HashOptions, withFoundHash } from './password-hash.ts'
import { shownField, shownName } from './shown-name.ts'
import { type SourceRow, wrongFile } from './lines.ts'
import type { ImportSource } from './source.ts'

const profile = z
  .strictObject({
    role: schemaOf(code),
    organisation: schemaOf(code).optional(),
    unit: schemaOf(code).optional(),
    ...newRow(heldProfile).pick({ active: true, expires_at: true }).shape,
  })
  .refine((one) => one.unit === undefined || one.organisation !== undefined, {
    path: ['organisation'],
    error: 'It is needed with a unit.',
  })
export type ImportedProfile = z.output<typeof profile>

const placeOf = ({ role, organisation = '', unit = '' }: ImportedProfile) => `${role} ${organisation} ${unit}`

/** A row of somebody else's users, checked as far as that goes without the database. */
export interface ImportedUser {
  line: number
  columns: ColumnsOf<typeof user> & { password_hash: string | null }
  /** A hash that is to be wrapped, in place of `password_hash`. */
  weak: WeakHash | undefined
  /** What only an import says, where it is said. */
  own: ImportedOwn
  profiles: readonly ImportedProfile[]
  factors: ImportedFactors
  /** The hash of all that the row says, so that it is known when it comes again. */
  digest: string
}

/** What an import sets, and the API sets otherwise or never. */
const ownFields = {
  uuid: checked(canonicalUuidProblem, 36).optional(),
  former_sub: schemaOf(user.former_sub.kind)
    .refine((text) => !isUuid(text), { error: 'It is a UUID, which comes along as uuid.' })
    .optional(),
  password_temporary: schemaOf(user.password_temporary.kind).optional(),
  enrolment_required: schemaOf(user.enrolment_required.kind).optional(),
}
interface ImportedOwn {
  uuid?: string
  former_sub?: string
  password_temporary?: 1
  enrolment_required?: 1
}

/** A row: what the administration API takes for a new user, with the hash of a password in place of one. */
const row = newRow(user).extend({
  password_hash: foundHash.optional(),
  ...ownFields,
  ...factorFields,
  profiles: z
    .array(profile)
    .max(50)
    .refine((list) => new Set(list.map(placeOf)).size === list.length, { error: 'Two of them are the same.' })
    .optional(),
})

/** Passkeys are in JSON alone. */
const { passkeys: _passkeys, user_handle: _handle, ...ofCsv } = row.shape
const plainColumns = Object.keys(ofCsv)
/** The columns of CSV for the one profile that most people have. */
const profileColumns = ['role', 'organisation', 'unit', 'expires_at']
const flags = Object.entries(user).flatMap(([name, { kind }]) => (kind.is === 'flag' ? [name] : []))

/** Things that are told of one line: what has thousands is no row of people. */
const most = 20

/** Throws when a column is none that a user has: it is wrong in every row. */
export function checkColumns({ format, columns }: ImportSource): void {
  if (format === 'jsonl') return
  const known = [...plainColumns, ...profileColumns]
  // A line without it may be somebody's row: nothing of it is repeated.
  if (!columns.includes('email')) {
    throw wrongFile(
      `Unknown columns: line 1 does not name the column email. It holds the names of the columns, with commas, semicolons or tabs between: ${known.join(', ')}. Nothing was imported.`,
    )
  }
  // A line has thousands of names, if somebody likes: none is looked for among all others.
  const places = new Map([...columns.entries()].toReversed().map(([index, one]) => [one, index]))
  const named = (one: string) => shownName(one) ?? `number ${(places.get(one) ?? 0) + 1}`
  const twice = columns.find((one, index) => one !== '' && places.get(one) !== index)
  if (twice !== undefined)
    throw wrongFile(`Line 1 has the column ${named(twice)} twice. Nothing was imported.`)
  // What stands below a column without a name is refused with its row.
  const unknown = columns.filter((one) => one !== '' && !known.includes(one))
  if (unknown.length > 0) {
    const more = unknown.length > most ? `, and ${unknown.length - most} more` : ''
    const names = `${unknown.slice(0, most).map(named).join(', ')}${more}`
    const plain = unknown.includes('password') ? ' Passwords are imported as hashes, in password_hash.' : ''
    throw wrongFile(`Unknown columns: ${names}.${plain} There are ${known.join(', ')}. Nothing was imported.`)
  }
  if (!columns.includes('name')) throw wrongFile('The column name is missing. Nothing was imported.')
}

/** The user of a row, or what is wrong with it. `rpId`: the domain that passkeys belong to here. */
export function userOf(
  { format }: Pick<ImportSource, 'format'>,
  { line, read }: SourceRow,
  rpId: () => string,
  hashes: HashOptions = {},
): ImportedUser | FieldProblem[] {
  if ('unreadable' in read) return [{ field: 'row', detail: read.unreadable }]
  const typed = format === 'csv' ? typedValues(read.values) : read.values
  if (Array.isArray(typed)) return typed
  const { data, problems } = checkedBy(row, withFoundHash(typed, hashes))
  if (problems !== undefined)
    return problems.slice(0, most).map((one) => ({ ...one, field: shownField(one.field) }))
  const {
    profiles = [],
    password_hash: hash,
    totp_secret: totp,
    passkeys = [],
    user_handle: userHandle,
    uuid,
    former_sub,
    password_temporary,
    enrolment_required,
    ...said
  } = data
  const { stored = null, weak } = hash ?? {}
  if (password_temporary === true && hash === undefined)
    return [{ field: 'password_temporary', detail: 'It is said of a password: it needs a password_hash.' }]
  const own: ImportedOwn = {
    ...(uuid !== undefined && { uuid }),
    ...(former_sub !== undefined && { former_sub }),
    ...(password_temporary === true && { password_temporary: 1 }),
    ...(enrolment_required === true && { enrolment_required: 1 }),
  }
  const columns = { ...newColumns(user, said), password_hash: stored }
  const factors = { totp, passkeys, userHandle }
  const wrong = passkeyProblems(factors, rpId)
  if (wrong.length > 0) return wrong
  // The digest has the salt alone of a weak hash: it would be as good as the hash to try passwords with.
  const known = { ...columns, password_hash: weak?.setting ?? stored }
  return { line, columns, own, weak, profiles, factors, digest: digestOf(known, own, profiles, factors) }
}

/** A digest that is the same for rows that say the same: a left-out value is its initial one. */
function digestOf(
  columns: ImportedUser['columns'],
  own: ImportedOwn,
  profiles: readonly ImportedProfile[],
  { totp, passkeys, userHandle }: ImportedFactors,
): string {
  const held = profiles.map(({ role, organisation, unit, active = true, expires_at: end }) => {
    return [role, organisation, unit, active, end === undefined ? null : instantOf(end)]
  })
  const factors = [...(totp === undefined ? [] : [totp]), ...passkeys, ...(userHandle ? [userHandle] : [])]
  return createHash('sha256')
    .update(JSON.stringify([columns, held, ...factors, ...(Object.keys(own).length > 0 ? [own] : [])]))
    .digest('hex')
}

/** Flags as spreadsheets and databases write them, in any case. */
const yes = new Set(['true', 'wahr', 't', 'yes', 'ja', '1'])
const no = new Set(['false', 'falsch', 'f', 'no', 'nein', '0'])

/** The values of a row of CSV, where everything is text. */
function typedValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> | FieldProblem[] {
  const { role, organisation, unit, expires_at, profiles, ...plain } = values
  const typed: Record<string, unknown> = plain
  for (const name of flags) {
    const said = String(typed[name] ?? '').toLowerCase()
    if (yes.has(said) || no.has(said)) typed[name] = yes.has(said)
  }
  const single = Object.entries({ role, organisation, unit, expires_at }).filter(
    ([, one]) => one !== undefined,
  )
  if (profiles === undefined) {
    return single.length === 0 ? typed : { ...typed, profiles: [Object.fromEntries(single)] }
  }
  if (single.length > 0) return [{ field: 'profiles', detail: 'A row has either profiles or role.' }]
  try {
    return { ...typed, profiles: parseJson(String(profiles)) }
  } catch (error) {
    return [{ field: 'profiles', detail: jsonProblem(error, shownField) }]
  }
}
