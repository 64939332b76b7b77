import { shownValue } from '../catalogue/columns.ts'
import { client } from '../catalogue/client.ts'
import { directory } from '../catalogue/directory.ts'
import { domain } from '../catalogue/domain.ts'
import { invitation } from '../catalogue/invitation.ts'
import { organisation } from '../catalogue/organisation.ts'
import { permission } from '../catalogue/permission.ts'
import { profile } from '../catalogue/profile.ts'
import { role } from '../catalogue/role.ts'
import { service } from '../catalogue/service.ts'
import type { AuditJson } from '../audit/record.ts'
import type { Field, Thing } from '../catalogue/thing.ts'
import { unit } from '../catalogue/unit.ts'
import { upstream } from '../catalogue/upstream.ts'
import { user } from '../catalogue/user.ts'
import type { Codes } from './codes.ts'
import type { DeclaredTable } from './state.ts'

interface InFile {
  table: DeclaredTable
  thing: Thing
  /** What the file knows it by; a user and a profile can get another address or role. */
  id?: 'code' | 'client_id' | 'name'
  /** Fields that refer to something else: the file's name for them. It has codes where the API has uuids. */
  references?: Readonly<Record<string, string>>
  /** Fields that the file does not have: a thing stands inside of another one. */
  implied?: readonly string[]
  /** Fields that no file sets, and that become something else along with those that it sets. */
  besides?: readonly string[]
}

/** What a declared file can change, in the order in which a plan lists it. */
export const kinds = {
  policy: { table: 'installation', thing: {} },
  branding: { table: 'installation', thing: {} },
  break_glass: { table: 'installation', thing: {} },
  assertion_issuers: { table: 'installation', thing: {} },
  service: { table: 'services', thing: service, id: 'code' },
  permission: { table: 'permissions', thing: permission, id: 'code' },
  role: { table: 'roles', thing: role, id: 'code' },
  organisation: {
    table: 'organisations',
    thing: organisation,
    id: 'code',
    references: { accepts: 'accepts', break_glass: 'break_glass' },
  },
  unit: {
    table: 'units',
    thing: unit,
    id: 'code',
    references: { parent_uuid: 'parent' },
    implied: ['organisation_uuid'],
  },
  domain: { table: 'domains', thing: domain, id: 'name', implied: ['organisation_uuid'] },
  upstream: { table: 'upstreams', thing: upstream, id: 'code', implied: ['organisation_uuid'] },
  directory: { table: 'directories', thing: directory, id: 'code', implied: ['organisation_uuid'] },
  user: { table: 'users', thing: user, besides: ['password_temporary', 'deletion_at'] },
  profile: {
    table: 'profiles',
    thing: profile,
    references: { role_code: 'role', organisation_uuid: 'organisation', organisation_unit_uuid: 'unit' },
    implied: ['user_uuid'],
  },
  client: {
    table: 'clients',
    thing: client,
    id: 'client_id',
    references: { organisation_uuid: 'organisation' },
  },
  invitation: { table: 'invitations', thing: invitation, implied: ['profiles', 'client_id'] },
} as const satisfies Record<string, InFile>

export type ChangeKind = keyof typeof kinds
export type TableOf<K extends ChangeKind> = (typeof kinds)[K]['table']
export type ThingOf<K extends ChangeKind> = (typeof kinds)[K]['thing']

export const changeKinds = Object.keys(kinds) as ChangeKind[]

interface FieldInFile {
  name: string
  /** The file's name for it. */
  inFile: string
  isReference: boolean
  field: Field
}

/** The fields that the file has of a thing: those that can be set. */
export const fieldsOf = (kind: ChangeKind): readonly FieldInFile[] => fieldsByKind.get(kind) ?? []

const fieldsByKind = new Map(changeKinds.map((kind) => [kind, fieldsIn(kinds[kind])]))

function fieldsIn({ thing, references = {}, implied = [] }: InFile): FieldInFile[] {
  const fields = Object.entries(thing).filter(([name, { set }]) => set !== 'never' && !implied.includes(name))
  return fields.map(([name, field]) => {
    const reference = references[name]
    return { name, inFile: reference ?? name, isReference: reference !== undefined, field }
  })
}

export type Json = AuditJson

/** Values of a thing under the names that the file has for them. */
export type FileValues = Readonly<Record<string, Json>>

/**
 * What a row says, as the file has it: without what it is known by, and what tables of their own hold, and with what
 * changes besides.
 */
export function shownOf(kind: ChangeKind, row: object, codes: Codes): FileValues {
  const columns = row as Readonly<Record<string, unknown>>
  const { id, thing, besides = [] }: InFile = kinds[kind]
  const shown: Record<string, Json> = {}
  for (const { name, inFile, isReference, field } of fieldsOf(kind)) {
    if (name === id || (field.kind.is === 'list' && field.kind.apart === true)) continue
    const stored = columns[field.column ?? name] ?? null
    const isUuid = isReference && name.endsWith('_uuid')
    const value = isUuid ? codes.of(stored as string | null) : shownValue(field.kind, stored)
    const isList = isReference && Array.isArray(value)
    shown[inFile] = (isList ? codes.all(value as string[]) : value) as Json
  }
  for (const name of besides) {
    const field = thing[name]
    if (field !== undefined) shown[name] = shownValue(field.kind, columns[name] ?? null) as Json
  }
  return shown
}
