import { type DirectoryEntry, ldifEntries } from './ldif-entries.ts'
import { personOf } from './read-person.ts'
import {
  decide,
  type ExportFile,
  lost,
  type MoveInSource,
  type Remark,
  type ToldPerson,
  type ToldStructure,
} from './told.ts'
import { UnreadableExport } from './unreadable.ts'

/**
 * LDAP: entries of a directory as LDIF (RFC 2849), by `slapcat`, or by `ldapsearch -LLL -o ldif-wrap=no … '*' '+'`,
 * which hands out `userPassword`, `entryUUID` and `pwdReset` only to those who may read them. People are entries with
 * `mail` that are no group; groups are groupOfNames, groupOfUniqueNames, group and posixGroup.
 */
export const ldif: MoveInSource = (files) => {
  let read: Promise<Directory> | undefined
  const directory = async () => await (read ??= readDirectory(files))
  return {
    structure: async function* () {
      yield* structureOf(await directory())
    },
    people: async function* () {
      const known = await directory()
      for (const file of files)
        for await (const one of ldifEntries(file, isRead))
          if ('unreadable' in one)
            yield lost(`An entry can not be read, and is left out. ${one.unreadable}`, one.at)
          else if (isPerson(one)) yield* toldPerson(one, known)
    },
  }
}

interface Directory {
  suffix: string
  /** The name of each group, by its dn. */
  groups: Map<string, string>
  /** The groups of each dn, and of each uid. */
  members: Map<string, string[]>
  people: number
}

const ofPeople = new Set([
  ...[
    'uid',
    'samaccountname',
    'mail',
    'cn',
    'displayname',
    'givenname',
    'sn',
    'preferredlanguage',
    'memberof',
  ],
  ...[
    'userpassword',
    'entryuuid',
    'objectguid',
    'nsuniqueid',
    'pwdreset',
    'pwdaccountlockedtime',
    'objectclass',
  ],
  ...['nsaccountlock', 'useraccountcontrol', 'pwdlastset'],
])
const ofGroups = new Set(['member', 'uniquemember', 'memberuid'])
const isRead = (attribute: string) => ofPeople.has(attribute) || ofGroups.has(attribute)

/** One spelling of a name: its parts in lower case, without blanks between. */
const dnKey = (dn: string): string =>
  dn
    .toLowerCase()
    .split(/([,=+])/)
    .map((part) => part.trim())
    .join('')

const first = ({ values }: DirectoryEntry, ...names: string[]): string | undefined =>
  names
    .flatMap((one) => values.get(one) ?? [])
    .find((one) => one.trim() !== '')
    ?.trim()

const groupClasses = new Set(['groupofnames', 'groupofuniquenames', 'group', 'posixgroup', 'groupofmembers'])
const classesOf = ({ values }: DirectoryEntry) =>
  (values.get('objectclass') ?? []).map((one) => one.trim().toLowerCase())

const isGroup = (entry: DirectoryEntry) => classesOf(entry).some((one) => groupClasses.has(one))
const isPerson = (entry: DirectoryEntry) =>
  !isGroup(entry) &&
  (['uid', 'mail', 'samaccountname', 'userpassword'].some((one) => entry.values.has(one)) ||
    classesOf(entry).includes('inetorgperson')) &&
  !classesOf(entry).some((one) => ['computer', 'organizationalunit', 'domain', 'dcobject'].includes(one))

async function readDirectory(files: readonly ExportFile[]): Promise<Directory> {
  const directory: Directory = { suffix: '', groups: new Map(), members: new Map(), people: 0 }
  const named = new Map<string, string>()
  for (const file of files)
    for await (const one of ldifEntries(file, isRead)) {
      if ('unreadable' in one) continue
      directory.suffix ||= suffixOf(one.dn)
      if (isPerson(one)) {
        directory.people++
        for (const dn of one.values.get('memberof') ?? []) name(directory, named, dn)
      } else if (isGroup(one)) learnGroup(directory, named, one)
    }
  if (directory.people === 0) {
    const names = files.map((one) => one.name).join(', ')
    throw new UnreadableExport(
      `Nobody is in ${names}: no entry has uid, mail or userPassword and is no group.`,
    )
  }
  return directory
}

/** `acme.example` of `dc=acme,dc=example`. */
const suffixOf = (dn: string): string => [...dn.matchAll(/\bdc=([^,]+)/gi)].map(([, part]) => part).join('.')

/** Gives a group the first part of its dn for a name, and the whole where another group has it. */
function name({ groups }: Directory, named: Map<string, string>, dn: string): void {
  const key = dnKey(dn)
  if (groups.has(key) || groups.size >= mostGroups) return
  const [, short = dn] = /^[^=]+=\s*((?:\\.|[^,+\\])+)/.exec(dn) ?? []
  const id = named.has(short) ? dn : short.trim()
  named.set(id, key)
  groups.set(key, id)
}

/** More can't be declared. */
const mostGroups = 10_000

function learnGroup(directory: Directory, named: Map<string, string>, entry: DirectoryEntry): void {
  name(directory, named, entry.dn)
  const group = dnKey(entry.dn)
  const of = [
    ...['member', 'uniquemember'].flatMap((one) => entry.values.get(one) ?? []).map(dnKey),
    ...(entry.values.get('memberuid') ?? []).map((one) => `uid ${one.trim().toLowerCase()}`),
  ]
  for (const member of of) {
    const before = directory.members.get(member)
    if (before === undefined) directory.members.set(member, [group])
    else before.push(group)
  }
}

function* structureOf({ suffix, groups, members, people }: Directory): Generator<ToldStructure> {
  yield { is: 'system', name: suffix || 'directory', label: suffix || 'LDAP' }
  for (const [dn, id] of groups) {
    // A group within another one gives what that one gives, in a circle too.
    const above = (members.get(dn) ?? []).flatMap((one) => groups.get(one) ?? [])
    yield { is: 'role', id, parts: above }
    yield { is: 'group', id, roles: [id] }
  }
  yield decide(
    'A directory does not tell whose address is verified: people prove it here.',
    `${people.toLocaleString('en')} people`,
  )
}

function* toldPerson(entry: DirectoryEntry, { groups, members }: Directory): Generator<ToldPerson | Remark> {
  const uid = first(entry, 'uid', 'samaccountname')
  const email = first(entry, 'mail')
  const label = email ?? uid ?? entry.dn
  const all = [
    ...(entry.values.get('memberof') ?? []).map(dnKey),
    ...(members.get(dnKey(entry.dn)) ?? []),
    ...(uid === undefined ? [] : (members.get(`uid ${uid.toLowerCase()}`) ?? [])),
  ]
  const passwords = entry.values.get('userpassword') ?? []
  const hashes = passwords.filter(isHash)
  if (passwords.length > hashes.length)
    yield lost('A password is not hashed, or is checked elsewhere ({SASL}); it is left out.', label)
  if (hashes.length > 1) yield lost('Somebody has a second password, which is left out.', label)
  yield* personOf({
    system: 'the directory',
    subject:
      first(entry, 'entryuuid') ?? guidOf(entry.values.get('objectguid')?.[0]) ?? first(entry, 'nsuniqueid'),
    email,
    name: first(entry, 'displayname', 'cn'),
    givenName: first(entry, 'givenname'),
    familyName: first(entry, 'sn'),
    username: uid === email ? undefined : uid,
    locale: first(entry, 'preferredlanguage')?.split(/[,;]/)[0],
    active: !isLocked(entry),
    hash: hashes[0],
    mustChange: first(entry, 'pwdreset')?.toUpperCase() === 'TRUE',
    groups: [...new Set(all)].flatMap((one) => groups.get(one) ?? []),
  })
}

/** `{SSHA}…` and the like, with something behind it; `{SASL}` names somebody elsewhere. */
const isHash = (text: string) => /^\{(?!sasl\}|clear)[\w/.-]{2,30}\}./i.test(text) || /^\$[\w-]+\$/.test(text)

/** Locked by an administrator, in OpenLDAP, 389 Directory Server and Active Directory. */
const isLocked = (entry: DirectoryEntry): boolean =>
  first(entry, 'pwdaccountlockedtime')?.startsWith('000001010000') === true ||
  first(entry, 'nsaccountlock')?.toLowerCase() === 'true' ||
  (Number(first(entry, 'useraccountcontrol') ?? 0) & 2) !== 0

/** Active Directory keeps the first three parts of a GUID with their last byte first. */
function guidOf(raw: string | undefined): string | undefined {
  const bytes = Buffer.from(raw ?? '', 'latin1')
  if (bytes.length !== 16) return undefined
  const [a, b, c, d] = [bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6, 8), bytes.subarray(8)]
  const part = (one: Buffer) => Buffer.from(one).reverse().toString('hex')
  const rest = d.toString('hex')
  return `${part(a)}-${part(b)}-${part(c)}-${rest.slice(0, 4)}-${rest.slice(4)}`
}
