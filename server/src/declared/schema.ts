import * as z from 'zod'
import { checked } from '../catalogue/checked.ts'
import { code as codeKind, domainName, email as emailKind, uuid as uuidKind } from '../catalogue/kinds.ts'
import { assertionIssuers } from '../catalogue/json.ts'
import { newRow, schemaOf } from '../catalogue/schemas.ts'
import { settled } from '../catalogue/settled.ts'
import { passwordHashProblem } from '../protocol/password-hash.ts'
import { passwordLength, type PasswordTextFault, passwordTextFault } from '../protocol/password-text.ts'
import { readTotpSecret } from '../protocol/totp-secret.ts'
import { textProblem, type ValueProblem } from '../protocol/values.ts'
import { kinds } from './kinds.ts'

/** The schemas of a declared file: things as the catalogue has them, with codes for what they refer to, and secrets. */

export type Mode = 'development' | 'production'

const code = schemaOf(codeKind)
const uuid = schemaOf(uuidKind).optional()
/** More entries than anybody has: every issue of a list is kept until the last one was found. */
const listOf = <S extends z.ZodType>(of: S) => z.array(of).max(100_000).optional()

const permission = newRow(kinds.permission.thing)
const service = newRow(kinds.service.thing).extend({ permissions: listOf(permission) })
const role = newRow(kinds.role.thing)

const unit = newRow(kinds.unit.thing)
  .omit({ organisation_uuid: true, parent_uuid: true })
  .extend({ uuid, parent: code.optional() })

/** A text that is for development alone; `cure` says what to write in production. */
const plain = (mode: Mode, cure: string, problem: ValueProblem) =>
  checked((text) =>
    mode === 'production' ? `is plain, and TESSERA_MODE is production; ${cure}` : problem(text),
  ).optional()

/** Kept encrypted, so no hash of it does. */
const sealed = (mode: Mode) =>
  plain(mode, 'leave it out, and set it by tessera upstream secret', textProblem(1000))
const upstream = newRow(kinds.upstream.thing).omit({ organisation_uuid: true })
const upstreamIn = (mode: Mode) =>
  upstream.extend({ client_secret: sealed(mode), bind_password: sealed(mode) })
const directory = newRow(kinds.directory.thing).omit({ organisation_uuid: true })
/** The addresses of break-glass people. */
const addresses = z.array(schemaOf(emailKind)).max(3)
const organisation = newRow(kinds.organisation.thing).extend({
  uuid,
  units: listOf(unit),
  accepts: listOf(code),
  break_glass: addresses.optional(),
  domains: listOf(schemaOf(domainName)),
  directories: listOf(directory),
})

const profile = newRow(kinds.profile.thing)
  .pick({ active: true, expires_at: true })
  .extend({ uuid, role: code, organisation: code.optional(), unit: code.optional() })
const invitedProfile = profile.omit({ uuid: true, active: true })
const invitation = newRow(kinds.invitation.thing)
  .pick({ email: true, name: true, locale: true })
  .extend({ profiles: listOf(invitedProfile) })

const user = newRow(kinds.user.thing).extend({ uuid, profiles: listOf(profile) })
const userIn = (mode: Mode) =>
  user.extend({
    password: plain(mode, 'write password_hash, or leave both out', passwordProblem),
    password_hash: checked(passwordHashProblem).optional(),
    totp_secret: plain(mode, 'leave it out', totpProblem),
  })

function passwordProblem(password: string): string | undefined {
  const fault = passwordTextFault(password)
  return fault === undefined ? undefined : faults[fault]
}

const faults: Record<PasswordTextFault, string> = {
  too_short: `is shorter than ${passwordLength.least} characters`,
  too_long: `is longer than ${passwordLength.most} characters`,
  untypable: 'holds a character that nobody can type',
}

function totpProblem(text: string): string | undefined {
  const read = readTotpSecret(text)
  return 'problem' in read ? read.problem : undefined
}

const secretHash = checked((hash) =>
  /^sha256:[A-Za-z0-9_-]{43}$/.test(hash) ? undefined : 'is not sha256: and 43 base64url characters',
)
const endingSecret = z.strictObject({ hash: secretHash, expires_at: profile.shape.expires_at })
/** RFC 6749 appendix A.2: VSCHAR. */
const secretProblem: ValueProblem = (secret) =>
  /^[\x20-\x7E]{1,256}$/.test(secret) ? undefined : 'is not 1 to 256 printable ASCII characters'

const client = newRow(kinds.client.thing)
  .omit({ organisation_uuid: true })
  .extend({
    organisation: code.optional(),
    client_secret_hash: secretHash.optional(),
    client_secret_hashes: listOf(z.union([secretHash, endingSecret])),
  })
const clientIn = (mode: Mode) =>
  client.extend({
    client_secret: plain(mode, 'write client_secret_hash, or let one be generated', secretProblem),
  })

const sectionsIn = (mode: Mode) => ({
  services: service,
  roles: role,
  organisations: organisation.extend({ upstreams: listOf(upstreamIn(mode)) }),
  upstreams: upstreamIn(mode),
  users: userIn(mode),
  clients: clientIn(mode),
  invitations: invitation,
})

/** What an entry of each section is. */
export const sections = { development: sectionsIn('development'), production: sectionsIn('production') }

type Sections = (typeof sections)['development']
export type Section = keyof Sections
/** What an entry of a section says. */
export type Said<S extends Section> = z.output<Sections[S]>

const entries = z.array(z.unknown()).optional()

/** The file itself, whose entries are checked one by one. */
export const fileSchema = z
  .strictObject({ ...settled, break_glass: addresses, assertion_issuers: assertionIssuers(code) })
  .partial()
  .extend(
    Object.fromEntries(Object.keys(sections.development).map((name) => [name, entries])) as Record<
      Section,
      typeof entries
    >,
  )

/** What messages call the things, and the keys that they have, by the keys that lead to them. */
export const things: ReadonlyMap<string, { what: string; keys(): readonly string[] }> = new Map([
  thing('', 'the file', fileSchema),
  thing('services', 'a service', service),
  thing('services.permissions', 'a permission', permission),
  thing('roles', 'a role', role),
  thing('organisations', 'an organisation', sections.development.organisations),
  thing('organisations.upstreams', 'an upstream', sections.development.upstreams),
  thing('organisations.directories', 'a directory', directory),
  thing('upstreams', 'an upstream', sections.development.upstreams),
  thing('organisations.units', 'a unit', unit),
  thing('users', 'a user', sections.development.users),
  thing('users.profiles', 'a profile', profile),
  thing('clients', 'a client', sections.development.clients),
  thing('clients.client_secret_hashes', 'a client secret', endingSecret),
  thing('invitations', 'an invitation', invitation),
  thing('invitations.profiles', 'a profile', invitedProfile),
])

function thing(path: string, what: string, schema: z.ZodObject) {
  return [path, { what, keys: () => Object.keys(schema.shape) }] as const
}
