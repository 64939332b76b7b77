import { linesOf, textOf } from '../../import/lines.ts'
import { jsonParts } from '../json-parts.ts'
import {
  came,
  decide,
  type ExportFile,
  type Remark,
  lost,
  type MoveInSource,
  type SourceOptions,
  type ToldMachine,
  type ToldPerson,
  type ToldRole,
  type ToldStructure,
} from '../told.ts'
import { isBuiltIn, machinesOf, toldClient } from './client.ts'
import { type Memberships, toldPerson } from './person.ts'
import { readRealm, type Realm, type RealmGroup, type RealmRole, roleId, roleIds } from './realm.ts'
import { readOf } from '../unreadable.ts'

/** The export of a Keycloak realm: one file, or a directory with the people in further files. */
export const keycloak: MoveInSource = (files, options) => {
  let read: Promise<Realm> | undefined
  const realm = async () => await (read ??= readWhole(files))
  return {
    structure: async function* () {
      yield* structureOf(await realm())
    },
    people: async function* () {
      yield* peopleOf(files, await realm(), options)
    },
  }
}

function* structureOf(realm: Realm): Generator<ToldStructure> {
  const { name, label, passwordPolicy } = realm
  const [, least] = /\blength\((\d{1,3})\)/.exec(passwordPolicy) ?? []
  yield {
    is: 'system',
    name,
    label,
    passwordLength: least === undefined ? undefined : Number(least),
    everybody: realm.defaultRole === undefined ? undefined : roleId(realm.defaultRole),
    editsOthers: realm.editsOthers,
  }
  for (const one of realm.organisations) {
    yield { is: 'organisation', id: one.alias, name: one.name, active: one.enabled }
    for (const domain of one.domains)
      yield decide(
        'An organisation has a domain, by which nobody is sent to it here yet.',
        `${one.alias}: ${domain.name}`,
      )
  }
  yield* rolesOf(realm)
  yield* groupsOf(realm.groups, doublePaths(realm.groups))
  for (const attribute of realm.attributes)
    if (!columns.has(attribute.name)) yield { is: 'attribute', ...attribute }
  for (const client of realm.clients) {
    if (isBuiltIn(client.clientId, name)) continue
    yield* toldClient(client, realm)
  }
  for (const one of realm.seen) yield { is: 'redirect', ...one }
  yield* realmRemarks(realm)
}

/** Attributes that are fields of a person. */
const columns = new Set(['username', 'email', 'firstName', 'lastName'])

function* rolesOf(realm: Realm): Generator<ToldRole> {
  for (const one of realm.roles.realm) yield toldRole(one, realm)
  for (const [clientId, roles] of Object.entries(realm.roles.client)) {
    const client = realm.clients.find((one) => one.clientId === clientId)
    for (const one of roles) yield toldRole(one, realm, { id: clientId, name: client?.name ?? clientId })
  }
}

/** Roles that every realm has. */
const builtInRoles = new Set(['offline_access', 'uma_authorization'])
const administrative = new Set(['admin', 'create-realm'])

function toldRole(
  { name, description, composites = {} }: RealmRole,
  realm: Realm,
  of?: { id: string; name: string },
): ToldRole {
  const isOfRealm = of === undefined
  const own = isOfRealm
    ? builtInRoles.has(name) ||
      name === realm.defaultRole ||
      (realm.name === 'master' && administrative.has(name))
    : isBuiltIn(of.id, realm.name) && (administers.test(of.id) || isOwnText(description))
  return {
    is: 'role',
    id: roleId(name, of?.id),
    name,
    of,
    description,
    parts: roleIds(composites.realm, composites.client),
    own,
    administers: isOfRealm ? realm.name === 'master' && administrative.has(name) : administers.test(of.id),
  }
}

/** Keycloak describes what it made itself by a key of its translations; others added roles to its clients too. */
const isOwnText = (description = ''): boolean => description.startsWith('${role_')

/** The client whose roles administer a realm; in the realm `master` one for each. */
const administers = /^realm-management$|-realm$/

/** Paths that several groups have. Keycloak escapes no slash of a name, and people name their groups by path alone. */
function doublePaths(groups: readonly RealmGroup[]): ReadonlySet<string> {
  const once = new Set<string>()
  const double = new Set<string>()
  const open = [...groups]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (once.has(one.path)) double.add(one.path)
    once.add(one.path)
    open.push(...(one.subGroups ?? []))
  }
  return double
}

/** A group whose path is another's too gives nothing by it; to those below it what it gave. */
function* groupsOf(
  groups: readonly RealmGroup[],
  double: ReadonlySet<string>,
  above: { parent?: string; roles: readonly string[] } = { roles: [] },
): Generator<ToldStructure> {
  for (const { path, realmRoles, clientRoles, subGroups = [] } of groups) {
    const roles = [...above.roles, ...roleIds(realmRoles, clientRoles)]
    const isDouble = double.has(path)
    if (isDouble)
      yield decide(
        'Groups have the same path, so the export does not tell who is in which, and nobody gets anything by it: rename one in Keycloak, and export again.',
        path,
      )
    else yield { is: 'group', id: path, parent: above.parent, roles }
    yield* groupsOf(subGroups, double, isDouble ? { ...above, roles } : { parent: path, roles: [] })
  }
}

function* realmRemarks(realm: Realm): Generator<Remark> {
  for (const alias of realm.identityProviders)
    yield decide('People signed in through another provider, which is not set up here.', alias)
  if (realm.sendsMail)
    yield decide('The realm sends mail: set TESSERA_MAIL_URL and TESSERA_MAIL_FROM.', realm.name)
  if (realm.registers)
    yield lost('People could register themselves: here they are invited, or imported.', realm.name)
  for (const { name, seconds } of realm.lifetimes)
    yield decide(
      'Lifetimes are settings of the service: see docs/sessions-and-tokens.md.',
      `${name} ${seconds} s`,
    )
  const rules = realm.passwordPolicy.split(' and ').filter((one) => one !== '' && !one.startsWith('length('))
  for (const rule of rules)
    yield lost(
      'A rule of the password policy is not here; common passwords and own names are always refused.',
      rule,
    )
  const own = realm.clients.filter((one) => isBuiltIn(one.clientId, realm.name)).map((one) => one.clientId)
  if (own.length > 0) yield came("Keycloak's own clients stay there.", own.join(', '))
}

async function* peopleOf(
  files: readonly ExportFile[],
  realm: Realm,
  options: SourceOptions,
): AsyncGenerator<ToldPerson | ToldMachine | Remark> {
  const members: Memberships = membersOf(realm)
  for (const file of files) {
    for await (const json of readOf(file, usersOf(file))) yield* toldPerson(json, realm, members, options)
  }
}

function membersOf({ organisations }: Realm): Memberships {
  const members = new Map<string, string[]>()
  for (const { alias, members: listed } of organisations)
    for (const { username } of listed) members.set(username, [...(members.get(username) ?? []), alias])
  return members
}

/** The text of each person of a file. */
async function* usersOf(file: ExportFile): AsyncGenerator<string> {
  if (await isLines(file)) {
    for await (const { raw } of linesOf(file.bytes())) {
      const text = textOf(raw)
      if (text !== undefined && text.trim() !== '') yield text
    }
    return
  }
  const skips = (key: string) => key !== 'users' && key !== ''
  for await (const { key, text } of jsonParts(file.bytes(), { skips })) {
    if (key === 'users' || /^\s*\{[^{}]*"username"\s*:/.test(text)) yield text
  }
}

/** Whether a file has one person a line, as some scripts write them: a user name comes before any realm. */
async function isLines(file: ExportFile): Promise<boolean> {
  for await (const chunk of file.bytes()) {
    const begin = chunk.toString('latin1', 0, 65_536)
    return /^\s*\{/.test(begin) && begin.includes('"username"') && !/"(realm|users)"\s*:/.test(begin)
  }
  return false
}

async function readWhole(files: readonly ExportFile[]): Promise<Realm> {
  const realm = await readRealm(await withoutLines(files))
  return { ...realm, machines: machinesOf(realm) }
}

async function withoutLines(files: readonly ExportFile[]): Promise<ExportFile[]> {
  const lines = await Promise.all(files.map(isLines))
  return files.filter((_, index) => !lines[index])
}
