import { settledNames } from '../catalogue/settled.ts'
import { type ChangeKind, fieldsOf, shownOf } from './kinds.ts'
import { type DeclaredRow, type DeclaredState, readDeclaredState } from './state.ts'
import type { Store } from '../database/store.ts'
import { asInFile } from './compare-settled.ts'
import { isWrapped } from '../protocol/password-hash/weak.ts'
import { groupBy } from '../access/by-key.ts'
import { maxFileBytes, parseDeclared } from './format.ts'
import { Codes } from './codes.ts'
import { DeclaredFileError } from './problems.ts'
import { hashPrefix } from './secrets-section.ts'
import { type DeclaredEntry, entriesText, valuesText } from './text.ts'

/**
 * The whole state as the text of a declared file, with passwords and secrets as hashes. Applied to an empty database
 * it gives the same state. Throws when something is stored that no declared file can say. A text longer than a file
 * may be is not checked for that.
 */
export async function exportDeclared(store: Store, now: number, { hashes = true } = {}): Promise<string> {
  const stored = await readDeclaredState(store)
  const state = hashes ? stored : withoutHashes(stored)
  const unmet = state.clients.find((row) => (row.allowed_removed ?? null) !== null)
  if (unmet !== undefined) throw removedIsNamed(unmet)
  const text =
    (hashes ? preamble : shortPreamble) +
    leftOut(state) +
    settledText(state) +
    entriesText(exportedState(state, now))
  if (Buffer.byteLength(text) > maxFileBytes) return text
  try {
    parseDeclared(text, { file: 'export', mode: 'production' })
  } catch (error) {
    if (!(error instanceof DeclaredFileError)) throw error
    const [first] = error.problems
    throw new NotDeclarable(
      `No declared file can hold all that is stored: ${first?.reason}. tessera backup copies it.`,
    )
  }
  return text
}

/** Something is stored that no declared file can say. */
export class NotDeclarable extends Error {}

/** Applied where they are, passwords and secrets stay as they are. */
function withoutHashes(state: DeclaredState): DeclaredState {
  const users = state.users.map((row) => ({ ...row, password_hash: null }))
  return { ...state, users, client_secrets: [] }
}

/** The file would let in whoever has the thing of that code now. */
const removedIsNamed = ({ client_id, allowed_removed }: DeclaredRow<'clients'>) =>
  new NotDeclarable(
    `No declared file can hold all that is stored: ${allowed_removed} of "allowed" of the client ${client_id} was removed since. Take it out of the list, or keep a copy by tessera backup.`,
  )

const preamble =
  '# Written by tessera export. It holds hashes of passwords and secrets: keep it as you keep the database.\n'

const shortPreamble =
  '# Written by Tessera, without the hashes of passwords and secrets: applied here it leaves them as they are.\n'

/** A file could keep a weak hash beyond the time that it counts. */
function leftOut({ users, upstreams }: DeclaredState): string {
  const sealed = upstreams.filter((row) => row.secret !== null).length
  const secrets =
    sealed === 0
      ? ''
      : `# It leaves out the secrets of ${sealed} upstreams, and the keys of all: set them by tessera upstream secret.\n`
  const count = users.filter((row) => isWrapped(row.password_hash)).length
  return count === 0
    ? secrets
    : `${secrets}# It leaves out ${count} weak password hashes of an import. tessera backup copies them; in another database these people choose a new password.\n`
}

function settledText(state: DeclaredState): string {
  const codes = new Codes(state)
  const texts = settledNames.map((name) => {
    const values = JSON.parse(state.installation.find((row) => row.name === name)?.kept ?? '{}') as object
    if (Object.keys(values).length === 0) return ''
    if ('issuers' in values) return valuesText(name, asInFile(values.issuers as unknown[], codes))
    return valuesText(name, 'people' in values ? codes.all(values.people as string[]) : values)
  })
  return texts.join('')
}

function exportedState(state: DeclaredState, now: number): Record<string, DeclaredEntry[]> {
  const codes = new Codes(state)
  const permissions = groupBy(state.permissions, (row) => row.service_code)
  const held = groupBy(state.role_permissions, (row) => row.role_code)
  const units = groupBy(state.units, (row) => row.organisation_uuid)
  const profiles = groupBy(state.profiles, (row) => row.user_uuid)
  const upstreams = state.upstreams.filter((one) => one.organisation_uuid === null)
  const secrets = groupBy(state.client_secrets, (row) => row.client_id)
  const valid = (id: string) => (secrets.get(id) ?? []).filter((one) => (one.expires_at ?? Infinity) > now)
  return {
    services: state.services.map((row) => ({
      ...exported('service', row, codes),
      permissions: (permissions.get(row.code) ?? []).map((one) => exported('permission', one, codes)),
    })),
    roles: state.roles.map((row) => ({
      ...exported('role', row, codes),
      permissions: (held.get(row.code) ?? []).map((one) => one.permission).sort(),
    })),
    organisations: state.organisations.map((row) => ({
      ...exported('organisation', row, codes),
      units: (units.get(row.uuid) ?? []).map((unit) => exported('unit', unit, codes)),
      ...exportedOpening(state, row.uuid, codes),
    })),
    ...(upstreams.length > 0 && { upstreams: upstreams.map((one) => exportedUpstream(one, codes)) }),
    users: state.users.map((row) => exportedUser(row, profiles.get(row.uuid) ?? [], codes)),
    clients: state.clients.map((row) => exportedClient(row, valid(row.client_id), codes)),
  }
}

/** Domains that the installation gave; what was claimed or proved belongs to no file. */
function exportedOpening(state: DeclaredState, uuid: string, codes: Codes): DeclaredEntry {
  const own = <R extends { organisation_uuid: string | null }>(rows: readonly R[]) =>
    rows.filter((one) => one.organisation_uuid === uuid)
  const domains = own(state.domains).filter((one) => one.given === 1)
  const upstreams = own(state.upstreams)
  const directories = own(state.directories)
  const some = <T>(list: T[]): T[] | undefined => (list.length === 0 ? undefined : list)
  return {
    domains: some(domains.map((one) => one.name)),
    upstreams: some(upstreams.map((one) => exportedUpstream(one, codes))),
    directories: some(directories.map((one) => exported('directory', { ...one, uuid: undefined }, codes))),
  }
}

/** An upstream without its secret and its key: another database makes its own. */
const exportedUpstream = (row: DeclaredRow<'upstreams'>, codes: Codes): DeclaredEntry =>
  exported('upstream', { ...row, uuid: undefined }, codes)

/** A thing without the fields that are what they are initially, but for those that are `always` written. */
function exported(
  kind: ChangeKind,
  row: object,
  codes: Codes,
  always: readonly string[] = [],
): DeclaredEntry {
  const { code, uuid } = row as { code?: string; uuid?: string }
  const shown = shownOf(kind, row, codes)
  const written = fieldsOf(kind).filter(({ inFile, field: { initial = null } }) => {
    const value = shown[inFile]
    if (value === undefined || value === null) return false
    return always.includes(inFile) || JSON.stringify(value) !== JSON.stringify(initial)
  })
  const fields = Object.fromEntries(written.map(({ inFile }) => [inFile, shown[inFile]]))
  return { code, uuid, ...fields }
}

function exportedUser(
  row: DeclaredRow<'users'>,
  profiles: readonly DeclaredRow<'profiles'>[],
  codes: Codes,
): DeclaredEntry {
  return {
    email: row.email,
    // Left out it would be what is stored.
    ...exported('user', row, codes, ['email_verified']),
    password_hash: isWrapped(row.password_hash) ? undefined : (row.password_hash ?? undefined),
    profiles: profiles.map((profile) => exported('profile', profile, codes)),
  }
}

/** What is read again where the file is applied. */
const saidByDocument = {
  client_name: undefined,
  redirect_uris: undefined,
  jwks: undefined,
  jwks_uri: undefined,
}

function exportedClient(
  row: DeclaredRow<'clients'>,
  secrets: readonly DeclaredRow<'client_secrets'>[],
  codes: Codes,
): DeclaredEntry {
  // What is initial depends on the type and the redirect URIs.
  const isProxied = row.type === 'proxied'
  const always = ['services', ...(isProxied ? [] : ['grant_types'])]
  if (row.type === 'public' || row.type === 'web') always.push('allowed_origins')
  const hashes = secrets
    .toSorted((a, b) => (a.secret_hash < b.secret_hash ? -1 : 1))
    .map(({ secret_hash, expires_at }) => {
      const hash = `${hashPrefix}${secret_hash}`
      return expires_at === null ? hash : { hash, expires_at: new Date(expires_at).toISOString() }
    })
  return {
    client_id: row.client_id,
    client_name: row.client_name,
    ...exported('client', row, codes, always),
    ...(isProxied && { redirect_uris: undefined, scope: undefined, grant_types: undefined }),
    ...(row.metadata === 'document' && saidByDocument),
    client_secret_hashes: hashes.length === 0 ? undefined : hashes,
  }
}
