import { createHash } from 'node:crypto'
import * as z from 'zod'
import {
  code,
  columnFlag,
  email,
  instant,
  locale,
  millisecondsOf,
  text,
  timeZone,
  webAddress,
} from '../admin/fields.ts'
import { passwordHashProblem } from '../protocol/password-hash.ts'
import type { FieldProblem } from '../protocol/problem.ts'
import type { ImportedUser } from '../store/import-users.ts'
import { keycloakHash } from './import-keycloak.ts'
import type { Source, SourceRow } from './import-source.ts'

const passwordHash = z
  .string()
  .max(1000)
  .check((context) => {
    const problem = passwordHashProblem(context.value)
    // Without the hash itself: what is refused is printed.
    if (problem !== undefined) context.issues.push({ code: 'custom', input: '', message: `It ${problem}.` })
  })

const profile = z
  .strictObject({
    role: code,
    organisation: code.optional(),
    unit: code.optional(),
    active: z.boolean().optional(),
    expires_at: instant.optional(),
  })
  .refine((one) => one.unit === undefined || one.organisation !== undefined, {
    path: ['organisation'],
    error: 'It is needed with a unit.',
  })
type Profile = z.output<typeof profile>

const placeOf = ({ role, organisation = '', unit = '' }: Profile) => `${role} ${organisation} ${unit}`

/** A row: what the administration API takes for a new user, with the hash of a password in place of one. */
const row = z.strictObject({
  email,
  name: text(200),
  given_name: text(200).optional(),
  family_name: text(200).optional(),
  preferred_username: text(200).optional(),
  picture: webAddress.optional(),
  locale: locale.optional(),
  zoneinfo: timeZone.optional(),
  email_verified: z.boolean().optional(),
  active: z.boolean().optional(),
  password_hash: z.preprocess(keycloakHash, passwordHash).optional(),
  profiles: z
    .array(profile)
    .max(50)
    .refine((list) => new Set(list.map(placeOf)).size === list.length, { error: 'Two of them are the same.' })
    .optional(),
})

const plainColumns = Object.keys(row.shape)
/** Of CSV, for the one profile that most people have. */
const profileColumns = ['role', 'organisation', 'unit', 'expires_at']
const flags = ['email_verified', 'active']

/** Throws when a column is none that a user has: it is wrong in every row. */
export function checkColumns({ format, columns }: Source): void {
  if (format === 'jsonl') return
  const known = [...plainColumns, ...profileColumns]
  const unknown = columns.filter((one) => !known.includes(one))
  if (unknown.length > 0) {
    const names = unknown.map((one) => JSON.stringify(one)).join(', ')
    const plain = unknown.includes('password') ? ' Passwords are imported as hashes, in password_hash.' : ''
    throw new Error(`Unknown columns: ${names}.${plain} There are ${known.join(', ')}. Nothing was imported.`)
  }
  for (const one of ['email', 'name']) {
    if (!columns.includes(one)) throw new Error(`The column ${one} is missing. Nothing was imported.`)
  }
}

/** The user of a row, or what is wrong with it. */
export function userOf({ format }: Source, { line, read }: SourceRow): ImportedUser | FieldProblem[] {
  if ('unreadable' in read) return [{ field: 'row', detail: read.unreadable }]
  const typed = format === 'csv' ? typedValues(read.values) : read.values
  if (Array.isArray(typed)) return typed
  const result = row.safeParse(typed, { error: inOwnWords })
  if (!result.success) return result.error.issues.flatMap(problemsOf)
  return { line, ...columnsOf(result.data) }
}

function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  const path = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: shown([...issue.path, key].join('.')),
      detail: 'It is not known.',
    }))
  }
  return [{ field: path, detail: issue.message }]
}

/** What zod would say of types, as people say it. */
function inOwnWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined
  if (issue.input === undefined) return 'It is missing.'
  return issue.expected === 'boolean'
    ? 'It is true or false.'
    : `It is a value of the type ${issue.expected}.`
}

const shown = (name: string): string => name.replaceAll(/[\p{Cc}\p{Cs}]/gu, '?').slice(0, 100)

/** In CSV everything is text. */
function typedValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> | FieldProblem[] {
  const { role, organisation, unit, expires_at, profiles, ...plain } = values
  const typed: Record<string, unknown> = plain
  for (const name of flags) {
    if (typed[name] === 'true' || typed[name] === 'false') typed[name] = typed[name] === 'true'
  }
  const single = Object.entries({ role, organisation, unit, expires_at }).filter(
    ([, one]) => one !== undefined,
  )
  if (profiles === undefined) {
    return single.length === 0 ? typed : { ...typed, profiles: [Object.fromEntries(single)] }
  }
  if (single.length > 0) return [{ field: 'profiles', detail: 'A row has either profiles or role.' }]
  try {
    return { ...typed, profiles: JSON.parse(String(profiles)) as unknown }
  } catch {
    return [{ field: 'profiles', detail: 'It is no JSON.' }]
  }
}

function columnsOf(user: z.output<typeof row>): Omit<ImportedUser, 'line'> {
  const { profiles = [], ...plain } = user
  const columns = {
    email: plain.email,
    email_verified: columnFlag(plain.email_verified ?? false),
    name: plain.name,
    given_name: plain.given_name ?? null,
    family_name: plain.family_name ?? null,
    preferred_username: plain.preferred_username ?? null,
    picture: plain.picture ?? null,
    locale: plain.locale ?? null,
    zoneinfo: plain.zoneinfo ?? null,
    password_hash: plain.password_hash ?? null,
    active: columnFlag(plain.active ?? true),
  }
  const held = profiles.map((one) => ({
    role: one.role,
    organisation: one.organisation,
    unit: one.unit,
    active: columnFlag(one.active ?? true),
    expires_at: one.expires_at === undefined ? null : millisecondsOf(one.expires_at),
  }))
  const digest = createHash('sha256')
    .update(JSON.stringify([columns, held]))
    .digest('hex')
  return { columns, profiles: held, digest }
}
