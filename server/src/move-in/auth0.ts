import * as z from 'zod'
import { clientOf } from './read-client.ts'
import { attributesOf, personOf } from './read-person.ts'
import { fromRecords, Names, someText, someTexts, yesOrNo } from './record-source.ts'
import type { ExportRecord } from './records.ts'
import { lost, type Remark, type ToldClient, type ToldPerson, type ToldStructure } from './told.ts'

/**
 * Auth0: the export of people (`POST /api/v2/jobs/users-exports`, NDJSON or CSV, of which the extension "User Import /
 * Export" writes the same; without hashes), the export of hashes that Auth0's support hands out (NDJSON with
 * `passwordHash`), or a file of the import (`custom_password_hash`). Several files are one: a hash goes to the person of
 * its id. Beside them `auth0 apps list --json --reveal-secrets`, `auth0 roles list --json` and
 * `auth0 orgs list --json`, or the JSON files that the Deploy CLI writes.
 */
export const auth0 = fromRecords<Tenant>({
  name: 'Auth0',
  lists: ['users', 'clients', 'roles', 'organizations'],
  begin: (files) => ({
    name: '',
    isOneFile: files === 1,
    roles: new Map(),
    held: new Names(),
    attributes: new Names(),
    organisations: new Map(),
    clients: [],
    hashes: new Map(),
    profiles: new Set(),
  }),
  learn,
  structure: structureOf,
  people: peopleOf,
})

interface Tenant {
  name: string
  /** The description of each. */
  roles: Map<string, string | undefined>
  /** What people hold, by their metadata. */
  held: Names
  attributes: Names
  organisations: Map<string, string>
  clients: Auth0Client[]
  isOneFile: boolean
  /** Hashes by the id: those of the one file, which go to the people of another. */
  hashes: Map<string, string>
  profiles: Set<string>
}

const application = z.object({
  client_id: z.string(),
  name: someText,
  global: z.boolean().nullish().catch(undefined),
  app_type: someText,
  client_secret: someText,
  callbacks: someTexts,
  allowed_logout_urls: someTexts,
  web_origins: someTexts,
  allowed_origins: someTexts,
  grant_types: someTexts,
  token_endpoint_auth_method: someText,
  is_first_party: z.boolean().nullish().catch(false),
  logo_uri: someText,
})
type Auth0Client = z.output<typeof application>

const identity = z.object({ provider: z.string(), connection: z.string().catch('') })
const metadata = z.record(z.string(), z.unknown()).nullish().catch(undefined)
const factor = z.object({ totp: z.object({ secret: z.string() }).optional() }).loose()

const person = z.object({
  _id: z.object({ $oid: z.string() }).optional(),
  user_id: someText,
  id: someText,
  email: someText,
  email_verified: yesOrNo,
  username: someText,
  name: someText,
  nickname: someText,
  given_name: someText,
  family_name: someText,
  picture: someText,
  blocked: yesOrNo,
  passwordHash: someText,
  custom_password_hash: z
    .object({ algorithm: z.string(), hash: z.object({ value: z.string() }) })
    .nullish()
    .catch(undefined),
  identities: z.array(identity).nullish().catch(undefined),
  app_metadata: metadata,
  user_metadata: metadata,
  multifactor: someTexts,
  mfa_factors: z.array(factor).nullish().catch(undefined),
})
type Auth0Person = z.output<typeof person>

const role = z.object({ id: z.string().startsWith('rol_'), name: z.string(), description: someText })
const organisation = z.object({ id: z.string().startsWith('org_'), name: z.string(), display_name: someText })

const isPerson = ({ list, values }: ExportRecord) =>
  list === 'users' ||
  (list === '' && ['user_id', '_id', 'email'].some((one) => Object.hasOwn(values, one)) && !isClient(values))

const isClient = (values: ExportRecord['values']) =>
  Object.hasOwn(values, 'client_id') &&
  ['app_type', 'callbacks', 'grant_types', 'token_endpoint_auth_method'].some((one) =>
    Object.hasOwn(values, one),
  )

function learn(tenant: Tenant, record: ExportRecord): boolean {
  const { list, values } = record
  if (list === 'clients' || isClient(values)) {
    const { data } = application.safeParse(values)
    if (data !== undefined) tenant.clients.push(data)
    return data !== undefined
  }
  const isRole = role.safeParse(values).data
  if (isRole !== undefined) tenant.roles.set(isRole.name, isRole.description)
  const isOrganisation = organisation.safeParse(values).data
  if (isOrganisation !== undefined)
    tenant.organisations.set(isOrganisation.name, isOrganisation.display_name ?? isOrganisation.name)
  if (isRole !== undefined || isOrganisation !== undefined) return true
  if (!isPerson(record)) return false
  const { data } = person.safeParse(withColumns(values))
  if (data === undefined) return true
  tenant.name ||= textOfTenant(values)
  const id = subjectOf(data)
  if (id !== undefined && !tenant.isOneFile) {
    if (isHashAlone(data)) tenant.hashes.set(id, data.passwordHash ?? '')
    else tenant.profiles.add(id)
  }
  for (const one of rolesOf(data)) tenant.held.add(one)
  for (const one of Object.keys(administered(data))) tenant.attributes.add(one)
  return true
}

const textOfTenant = (values: ExportRecord['values']): string =>
  typeof values['tenant'] === 'string' ? values['tenant'] : ''

/** CSV has a column for each part: `identities[0].provider`, `app_metadata.roles[0]`. */
function withColumns(values: ExportRecord['values']): Record<string, unknown> {
  const own: Record<string, unknown> = { ...values }
  const provider = own['identities[0].provider']
  const connection = own['identities[0].connection']
  if (typeof provider === 'string') own['identities'] = [{ provider, connection }]
  for (const name of ['app_metadata', 'user_metadata', 'identities', 'multifactor']) {
    const text = own[name]
    if (typeof text === 'string') own[name] = parsed(text)
  }
  return own
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isHashAlone = ({ _id, user_id, passwordHash }: Auth0Person) =>
  _id !== undefined && user_id === undefined && passwordHash !== undefined

/** The subject as Auth0 writes it into tokens: the provider, and the id there. */
function subjectOf({ _id, user_id, id }: Auth0Person): string | undefined {
  const own = user_id ?? id ?? _id?.$oid
  return own === undefined || own.includes('|') ? own : `auth0|${own}`
}

/** What administrators write into people: roles of the authorization extension, or of one's own. */
function rolesOf({ app_metadata: own }: Auth0Person): string[] {
  const { roles = [], authorization } = heldRoles.parse(own ?? {})
  return [...new Set([...roles, ...(authorization?.roles ?? [])])]
}

const heldRoles = z.object({
  roles: someTexts.optional(),
  authorization: z.object({ roles: someTexts }).optional().catch(undefined),
})

function administered({ app_metadata: own }: Auth0Person): Record<string, string[]> {
  const { roles: _roles, authorization: _authorization, ...others } = own ?? {}
  return attributesOf(others, 'app_metadata.')
}

function* structureOf(tenant: Tenant): Generator<ToldStructure> {
  yield { is: 'system', name: tenant.name || 'auth0', label: tenant.name || 'Auth0' }
  for (const [id, name] of tenant.organisations) {
    yield { is: 'organisation', id, name }
    yield lost('The export does not say who belongs to an organisation: give profiles by hand.', id)
  }
  const roles = new Map([...tenant.held.sorted().map((one) => [one, undefined] as const), ...tenant.roles])
  for (const [id, description] of roles) yield { is: 'role', id, description }
  for (const name of tenant.attributes.sorted()) yield { is: 'attribute', name, editableByPeople: false }
  for (const one of tenant.clients) yield* toldClient(one)
}

/** The kinds of applications, by the name that the dashboard gives them. */
const kinds = { spa: 'public', native: 'native', regular_web: 'web', non_interactive: 'machine' } as const

function* toldClient(client: Auth0Client): Generator<ToldClient | Remark> {
  const { client_id: clientId, app_type: type = '', token_endpoint_auth_method: method } = client
  if (client.global === true) return
  const kind = Object.hasOwn(kinds, type)
    ? kinds[type as keyof typeof kinds]
    : method === 'none'
      ? 'public'
      : 'web'
  yield* clientOf({
    clientId,
    name: client.name,
    kind,
    redirects: client.callbacks,
    afterLogout: client.allowed_logout_urls,
    origins: [...client.web_origins, ...client.allowed_origins],
    grants: client.grant_types.length === 0 ? undefined : client.grant_types,
    secret: client.client_secret,
    method,
    firstParty: client.is_first_party !== false,
    logo: client.logo_uri,
  })
}

function* peopleOf(record: ExportRecord, { hashes, profiles }: Tenant): Generator<ToldPerson | Remark> {
  if (!isPerson(record)) return
  const { data } = person.safeParse(withColumns(record.values))
  if (data === undefined) {
    yield lost('An entry of the people is not as Auth0 writes it, and is left out.', record.at)
    return
  }
  const subject = subjectOf(data)
  if (isHashAlone(data) && profiles.has(subject ?? '')) return
  const { multifactor, mfa_factors: factors } = data
  const providers = (data.identities ?? []).filter((one) => one.provider !== 'auth0')
  const totp = factors?.find((one) => one.totp !== undefined)?.totp?.secret
  yield* personOf({
    system: 'Auth0',
    subject,
    email: data.email,
    emailVerified: data.email_verified,
    name: data.name ?? data.nickname,
    givenName: data.given_name,
    familyName: data.family_name,
    username: data.username,
    picture: data.picture,
    active: data.blocked !== true,
    hash: data.passwordHash ?? data.custom_password_hash?.hash.value ?? hashes.get(subject ?? ''),
    totp,
    lostFactors: [
      ...multifactor,
      ...(factors ?? []).flatMap((one) => Object.keys(one)).filter((one) => one !== 'totp'),
    ],
    providers: providers.map((one) => one.connection || one.provider),
    withoutPassword:
      'The export holds no hash of a password: ask Auth0 for the export of hashes and name both files, or let people set a password by a mailed link.',
    roles: rolesOf(data),
    attributes: { ...administered(data), ...attributesOf(data.user_metadata, 'user_metadata.') },
  })
}
