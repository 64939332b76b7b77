import * as z from 'zod'
import { parseJson } from '../../protocol/json.ts'
import { jsonParts } from '../json-parts.ts'
import type { ExportFile } from '../told.ts'
import { readOf, UnreadableExport } from '../unreadable.ts'

/** What an export of a realm holds beside its people (Keycloak 24 to 26.7), as far as something here comes of it. */

const texts = z.array(z.string()).catch([])
const byClient = z.record(z.string(), texts).catch({})
const attributes = z.record(z.string(), z.union([z.string(), z.array(z.string())]).catch('')).catch({})

const role = z.object({
  name: z.string(),
  description: z.string().optional().catch(undefined),
  composites: z.object({ realm: texts, client: byClient }).partial().optional().catch(undefined),
})
export type RealmRole = z.output<typeof role>
const roles = z.object({
  realm: z.array(role).catch([]),
  client: z.record(z.string(), z.array(role)).catch({}),
})

const group = z.object({
  name: z.string(),
  path: z.string(),
  realmRoles: texts,
  clientRoles: byClient,
  get subGroups(): z.ZodOptional<z.ZodArray<typeof group>> {
    return z.array(group).optional()
  },
})
export type RealmGroup = z.output<typeof group>

const member = z.object({ username: z.string() })
const organisation = z.object({
  alias: z.string(),
  name: z.string(),
  enabled: z.boolean().optional(),
  domains: z.array(z.object({ name: z.string() })).catch([]),
  members: z.array(member).catch([]),
})
type RealmOrganisation = z.output<typeof organisation>

const mapper = z.object({
  name: z.string(),
  protocolMapper: z.string(),
  config: z.record(z.string(), z.string()).catch({}),
})
export type RealmMapper = z.output<typeof mapper>

const flag = z.boolean().catch(false)
const client = z.object({
  clientId: z.string(),
  name: z.string().optional().catch(undefined),
  enabled: z.boolean().catch(true),
  protocol: z.string().catch('openid-connect'),
  clientAuthenticatorType: z.string().catch('client-secret'),
  secret: z.string().optional().catch(undefined),
  rootUrl: z.string().optional().catch(undefined),
  baseUrl: z.string().optional().catch(undefined),
  redirectUris: texts,
  webOrigins: texts,
  bearerOnly: flag,
  consentRequired: flag,
  standardFlowEnabled: flag,
  implicitFlowEnabled: flag,
  directAccessGrantsEnabled: flag,
  serviceAccountsEnabled: flag,
  publicClient: flag,
  fullScopeAllowed: z.boolean().catch(true),
  attributes,
  protocolMappers: z.array(mapper).catch([]),
  defaultClientScopes: texts,
  optionalClientScopes: texts,
})
export type RealmClient = z.output<typeof client>

const clientScope = z.object({ name: z.string(), protocolMappers: z.array(mapper).catch([]) })
const scopeMapping = z.object({
  client: z.string().optional(),
  clientScope: z.string().optional(),
  roles: texts,
})
export type ScopeMapping = z.output<typeof scopeMapping>

const provider = z.object({ alias: z.string() })
const event = z.object({
  type: z.string(),
  clientId: z.string(),
  details: z.object({ redirect_uri: z.string() }),
})

/** All of a realm but its people. */
export interface Realm {
  name: string
  label: string | undefined
  passwordPolicy: string
  rpId: string
  passwordlessRpId: string
  defaultRole: string | undefined
  roles: z.output<typeof roles>
  groups: RealmGroup[]
  organisations: RealmOrganisation[]
  clients: RealmClient[]
  clientScopes: z.output<typeof clientScope>[]
  scopeMappings: ScopeMapping[]
  clientScopeMappings: Record<string, ScopeMapping[]>
  identityProviders: string[]
  /** The attributes that the realm's user profile names. */
  attributes: { name: string; editableByPeople: boolean }[]
  /** Whether people may edit attributes that it does not name. */
  editsOthers: boolean
  sendsMail: boolean
  registers: boolean
  /** Seconds, by their names. */
  lifetimes: { name: string; seconds: number }[]
  /** Addresses to which people were sent back, where a file holds events. */
  seen: { client_id: string; uri: string }[]
  /** The ids of machines, by the client whose service account each is. */
  machines: ReadonlyMap<string, string>
}

const newRealm = (): Realm => ({
  name: '',
  label: undefined,
  passwordPolicy: '',
  rpId: '',
  passwordlessRpId: '',
  defaultRole: undefined,
  roles: { realm: [], client: {} },
  groups: [],
  organisations: [],
  clients: [],
  clientScopes: [],
  scopeMappings: [],
  clientScopeMappings: {},
  identityProviders: [],
  attributes: [],
  editsOthers: false,
  sendsMail: false,
  registers: false,
  lifetimes: [],
  seen: [],
  machines: new Map(),
})

const text = z.string()
const reads: Readonly<Record<string, (realm: Realm, value: unknown) => void>> = {
  realm: (realm, value) => {
    const name = text.parse(value)
    if (realm.name !== '' && realm.name !== name)
      throw new UnreadableExport(
        `The files are of two realms, ${realm.name} and ${name}. Move one after the other, each with --prefix and a directory of its own.`,
      )
    realm.name = name
  },
  displayName: (realm, value) => (realm.label = text.parse(value)),
  passwordPolicy: (realm, value) => (realm.passwordPolicy = text.parse(value)),
  webAuthnPolicyRpId: (realm, value) => (realm.rpId = text.parse(value)),
  webAuthnPolicyPasswordlessRpId: (realm, value) => (realm.passwordlessRpId = text.parse(value)),
  defaultRole: (realm, value) => (realm.defaultRole = z.object({ name: text }).parse(value).name),
  roles: (realm, value) => (realm.roles = roles.parse(value)),
  groups: (realm, value) => realm.groups.push(group.parse(value)),
  organizations: (realm, value) => realm.organisations.push(organisation.parse(value)),
  clients: (realm, value) => realm.clients.push(client.parse(value)),
  clientScopes: (realm, value) => realm.clientScopes.push(clientScope.parse(value)),
  scopeMappings: (realm, value) => realm.scopeMappings.push(scopeMapping.parse(value)),
  clientScopeMappings: (realm, value) =>
    (realm.clientScopeMappings = z.record(text, z.array(scopeMapping)).parse(value)),
  identityProviders: (realm, value) => realm.identityProviders.push(provider.parse(value).alias),
  smtpServer: (realm, value) => (realm.sendsMail = Object.keys(z.object({}).loose().parse(value)).length > 0),
  registrationAllowed: (realm, value) => (realm.registers = value === true),
  ...Object.fromEntries(
    [
      'accessTokenLifespan',
      'ssoSessionIdleTimeout',
      'ssoSessionMaxLifespan',
      'offlineSessionIdleTimeout',
    ].map((name) => [
      name,
      (realm: Realm, value: unknown) => realm.lifetimes.push({ name, seconds: z.number().parse(value) }),
    ]),
  ),
  components: readUserProfile,
}

const userProfileProvider = 'org.keycloak.userprofile.UserProfileProvider'
const components = z.looseObject({
  [userProfileProvider]: z.array(z.object({ config: z.record(text, texts).catch({}) })).catch([]),
})
const userProfile = z.object({
  attributes: z
    .array(z.object({ name: text, permissions: z.object({ edit: texts }).partial().optional() }))
    .catch([]),
  unmanagedAttributePolicy: text.optional(),
})

function readUserProfile(realm: Realm, value: unknown): void {
  const [provided] = components.parse(value)[userProfileProvider] as { config: Record<string, string[]> }[]
  const [json] = provided?.config['kc.user.profile.config'] ?? []
  if (json === undefined) return
  const profile = userProfile.parse(parseJson(json))
  realm.editsOthers = profile.unmanagedAttributePolicy === 'ENABLED'
  realm.attributes = profile.attributes.map(({ name, permissions }) => ({
    name,
    editableByPeople: permissions?.edit?.includes('user') ?? false,
  }))
}

/** Reads all files, without their people. Throws where a part is not what a Keycloak writes. */
export async function readRealm(files: readonly ExportFile[]): Promise<Realm> {
  const realm = newRealm()
  for (const file of files) {
    for await (const { key, text: json } of readOf(file, jsonParts(file.bytes(), { skips: isUnread }))) {
      const read = Object.hasOwn(reads, key) ? reads[key] : undefined
      try {
        if (key === '') readEvent(realm, parseJson(json))
        else read?.(realm, parseJson(json))
      } catch (error) {
        throw new UnreadableExport(`${file.name}: ${reasonOf(error, key)}`)
      }
    }
  }
  if (realm.name === '')
    throw new UnreadableExport(
      'No file is the export of a realm: it has no "realm". Write it by kc.sh export.',
    )
  return realm
}

const isUnread = (key: string) => key !== '' && !Object.hasOwn(reads, key)

/** A list at the top is one of events (GET /admin/realms/REALM/events), or of people, who are read later. */
function readEvent(realm: Realm, value: unknown): void {
  const { data } = event.safeParse(value)
  if (data?.type === 'LOGIN') realm.seen.push({ client_id: data.clientId, uri: data.details.redirect_uri })
}

function reasonOf(error: unknown, key: string): string {
  if (error instanceof z.ZodError) return `"${key}" is not as Keycloak writes it.`
  return error instanceof SyntaxError
    ? `"${key}" is no JSON.`
    : error instanceof Error
      ? error.message
      : String(error)
}

/** The id of a role: its name, with that of its client before it. A slash of a name is told from the one between. */
export const roleId = (name: string, clientId?: string): string =>
  clientId === undefined ? escaped(name) : `${escaped(clientId)}/${escaped(name)}`

const escaped = (name: string): string => name.replaceAll(/[\\/]/g, (one) => `\\${one}`)

/** The ids of roles that something names by realm and client. */
export const roleIds = (
  realm: readonly string[] = [],
  client: Readonly<Record<string, readonly string[]>> = {},
): string[] => [
  ...realm.map((name) => roleId(name)),
  ...Object.entries(client).flatMap(([clientId, names]) => names.map((name) => roleId(name, clientId))),
]
