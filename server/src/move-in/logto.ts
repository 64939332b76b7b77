import type * as z from 'zod'
import { clientOf } from './read-client.ts'
import { attributesOf, personOf } from './read-person.ts'
import { fromRecords } from './record-source.ts'
import type { ExportRecord } from './records.ts'
import { decide, lost, type Remark, type SourceOptions, type ToldPerson, type ToldStructure } from './told.ts'
import { application, type factor, kinds, type LogtoApplication, person, shapes } from './logto-tables.ts'

/**
 * Logto: the tables of its database as JSON lines or CSV, under the names of the columns, as
 * `psql -Atc "select row_to_json(t) from users t"` writes them: `users` (with hashes and second factors), `roles`,
 * `users_roles`, `organizations`, `organization_user_relations`, `organization_roles`,
 * `organization_role_user_relations`, `applications`, `application_secrets`. The answers of the Management API (`GET
 * /api/users` and the like) are read as well; they have no hashes. Which table a row is of is seen from its columns.
 */
export const logto = fromRecords<LogtoTables>({
  name: 'Logto',
  lists: ['users', 'roles', 'organizations', 'applications'],
  begin: () => ({
    roles: new Map(),
    held: new Map(),
    organisations: new Map(),
    members: new Map(),
    organisationRoles: new Map(),
    heldWithin: new Map(),
    applications: [],
    secrets: new Map(),
    people: 0,
  }),
  learn,
  structure: structureOf,
  people: peopleOf,
})

interface LogtoTables {
  /** Roles by id. */
  roles: Map<string, { name: string; description: string | undefined }>
  held: Map<string, string[]>
  organisations: Map<string, { name: string }>
  members: Map<string, string[]>
  organisationRoles: Map<string, string>
  heldWithin: Map<string, string[]>
  applications: LogtoApplication[]
  secrets: Map<string, string>
  people: number
}

/** Columns have underscores, the Management API has none. */
const camelled = (values: ExportRecord['values']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replaceAll(/_([a-z])/g, (_, one: string) => one.toUpperCase()),
      value,
    ]),
  )

const isPerson = (values: Record<string, unknown>) =>
  Object.hasOwn(values, 'id') &&
  ['primaryEmail', 'isSuspended', 'passwordEncrypted'].some((one) => Object.hasOwn(values, one))

const noted = (all: Map<string, string[]>, key: string, value: string) =>
  void all.set(key, [...(all.get(key) ?? []), value])

function learn(tables: LogtoTables, record: ExportRecord): boolean {
  const values = camelled(record.values)
  if (isPerson(values)) {
    tables.people++
    return true
  }
  const client = application.safeParse(values).data
  const within = shapes.within.safeParse(values).data
  const member = shapes.member.safeParse(values).data
  const held = shapes.usersRole.safeParse(values).data
  const secret = shapes.secret.safeParse(values).data
  const role = shapes.role.safeParse(values).data
  const organisation = shapes.organisation.safeParse(values).data
  if (client !== undefined) tables.applications.push(client)
  else if (within !== undefined)
    noted(tables.heldWithin, within.userId, `${within.organizationId}/${within.organizationRoleId}`)
  else if (member !== undefined) noted(tables.members, member.userId, member.organizationId)
  else if (held !== undefined) noted(tables.held, held.userId, held.roleId)
  else if (secret !== undefined) tables.secrets.set(secret.applicationId, secret.value)
  // A role of organisations stands in a table of its own, with the same columns.
  else if (role !== undefined)
    if (/organization/i.test(record.file)) tables.organisationRoles.set(role.id, role.name)
    else tables.roles.set(role.id, role)
  else if (organisation !== undefined) tables.organisations.set(organisation.id, organisation)
  else return false
  return true
}

function* structureOf(tables: LogtoTables): Generator<ToldStructure> {
  yield { is: 'system', name: 'logto', label: 'Logto' }
  for (const [id, { name }] of tables.organisations) yield { is: 'organisation', id, name }
  const names = new Set<string>()
  for (const { name: id, description } of tables.roles.values()) {
    if (names.has(id)) continue
    names.add(id)
    yield { is: 'role', id, description }
  }
  if (tables.roles.size > 0 && tables.held.size === 0)
    yield decide(
      'No file says who holds which role: add the table users_roles.',
      [...names].slice(0, 3).join(', '),
    )
  if (tables.people > 0)
    yield decide(
      'Logto does not tell whose address is verified: people prove it here.',
      `${tables.people.toLocaleString('en')} people`,
    )
  for (const one of tables.applications) yield* toldClient(one, tables)
}

function* toldClient(client: LogtoApplication, { secrets }: LogtoTables): Generator<ToldStructure> {
  const { id: clientId, type, oidcClientMetadata: said } = client
  if (!Object.hasOwn(kinds, type)) {
    yield lost(
      'An application of a kind that is not here, such as Protected or SAML, is left out.',
      `${clientId}: ${type}`,
    )
    return
  }
  const kind = kinds[type as keyof typeof kinds]
  // Since secrets have a table, this one opens nothing.
  const own = client.secret?.startsWith('internal_') ? undefined : client.secret
  yield* clientOf({
    clientId,
    name: client.name,
    kind,
    redirects: said.redirectUris,
    afterLogout: said.postLogoutRedirectUris,
    origins: client.customClientMetadata.corsAllowedOrigins,
    grants: kind === 'machine' ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
    secret: secrets.get(clientId) ?? own,
    firstParty: client.isThirdParty !== true,
    logo: said.logoUri,
    backchannelLogout: said.backchannelLogoutUri,
  })
}

function* peopleOf(
  record: ExportRecord,
  tables: LogtoTables,
  { rpId }: SourceOptions,
): Generator<ToldPerson | Remark> {
  const values = camelled(record.values)
  if (!isPerson(values)) return
  const { data } = person.safeParse(values)
  if (data === undefined) {
    yield lost('An entry of the people is not as Logto writes it, and is left out.', record.at)
    return
  }
  const { id, primaryEmail: email, username, profile } = data
  const label = email ?? username ?? id
  const factors = data.mfaVerifications ?? []
  const code = factors.find((one) => one.type === 'Totp' && one.key !== undefined)?.key
  const keys = factors.filter((one) => one.type === 'WebAuthn')
  const passkeys = keys.flatMap((one) => passkeyOf(one, rpId))
  if (keys.some((one) => one.rpId === undefined) && rpId === undefined)
    yield decide(
      'The export does not say the domain of passkeys: run again with --rp-id, the host of Logto.',
      label,
    )
  if (factors.some((one) => one.type === 'BackupCode'))
    yield lost('Recovery codes do not come along: people make new ones.', label)
  const hash = hashOf(data)
  if (data.passwordEncrypted !== undefined && hash === undefined)
    yield lost(
      'The hash of a password is of a form that is not here, and is left out.',
      `${label}: ${data.passwordEncryptionMethod ?? 'no method'}`,
    )
  const within = tables.heldWithin.get(id) ?? []
  for (const one of within) {
    const [organisation = '', role = ''] = one.split('/')
    yield decide(
      'A role within one organisation is not given by itself: give a profile by hand.',
      `${label}: ${tables.organisations.get(organisation)?.name ?? organisation}, ${tables.organisationRoles.get(role) ?? role}`,
    )
  }
  yield* personOf({
    system: 'Logto',
    subject: id,
    email,
    name: data.name,
    givenName: profile.givenName,
    familyName: profile.familyName,
    username,
    picture: data.avatar,
    locale: profile.locale,
    zoneinfo: profile.zoneinfo,
    active: data.isSuspended !== true,
    hash,
    totp: code,
    ...(passkeys.length > 0 && { passkeys, userHandle: Buffer.from(id).toString('base64url') }),
    lostFactors: [
      ...(keys.length > passkeys.length ? ['WebAuthn'] : []),
      ...data.mfaVerificationFactors.filter((one) => one !== 'BackupCode' && factors.length === 0),
    ],
    providers: [...Object.keys(data.identities), ...data.ssoIdentities.map(() => 'enterprise SSO')],
    withoutPassword:
      data.hasPassword === true
        ? 'The Management API holds no hashes: read the table users, or let people set a password by a mailed link.'
        : undefined,
    roles: (tables.held.get(id) ?? []).map((one) => tables.roles.get(one)?.name ?? one),
    organisations: tables.members.get(id) ?? [],
    attributes: attributesOf(data.customData, 'customData.'),
  })
}

/** Methods whose hash tells its form itself. */
const told = new Set(['argon2i', 'argon2id', 'argon2d', 'bcrypt'])

const hashOf = ({
  passwordEncrypted: hash,
  passwordEncryptionMethod: method = '',
}: z.output<typeof person>) => (told.has(method.toLowerCase()) ? hash : undefined)

function passkeyOf(
  { credentialId, publicKey, counter, transports, rpId: own }: z.output<typeof factor>,
  rpId?: string,
) {
  const of = own ?? rpId
  if (credentialId === undefined || publicKey === undefined || of === undefined) return []
  return [
    {
      credential_id: credentialId,
      public_key: publicKey,
      rp_id: of,
      sign_count: counter ?? 0,
      ...(transports.length > 0 && { transports }),
    },
  ]
}
