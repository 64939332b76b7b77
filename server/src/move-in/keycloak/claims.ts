import { claimNameProblem } from '../../protocol/client-claims.ts'
import { textProblem } from '../../protocol/values.ts'
import { decide, type Remark, type RoleClaim } from '../told.ts'
import type { Realm, RealmClient, RealmMapper } from './realm.ts'

/** Scopes that are here, and those that Keycloak adds without being asked. */
export const silent = new Set([
  ...['openid', 'profile', 'email', 'offline_access', 'groups'],
  ...['roles', 'web-origins', 'acr', 'basic', 'service_account'],
])

const mappersOf = (client: RealmClient, realm: Realm): RealmMapper[] => [
  ...client.protocolMappers,
  ...realm.clientScopes
    .filter((one) => client.defaultClientScopes.includes(one.name) && !silent.has(one.name))
    .flatMap((one) => one.protocolMappers),
]

/** Claims with a fixed value, where their names are none of the protocol. */
export function claimsOf(client: RealmClient, realm: Realm): { claims?: unknown[] } {
  const rules = mappersOf(client, realm).flatMap(fixedClaim)
  return rules.length === 0 ? {} : { claims: rules }
}

function fixedClaim({ protocolMapper, config }: RealmMapper) {
  const { 'claim.name': name = '', 'claim.value': value = '', 'jsonType.label': type } = config
  if (protocolMapper !== 'oidc-hardcoded-claim-mapper' || name.includes('.')) return []
  if (claimNameProblem(undefined)(name) !== undefined || textProblem(500)(value) !== undefined) return []
  const places = placesOf(config)
  const typed =
    type === 'boolean' ? value === 'true' : type === 'int' || type === 'long' ? Number(value) : value
  return places.length === 0 || Number.isNaN(typed) ? [] : [{ name, value: typed, in: places }]
}

const placesOf = (config: RealmMapper['config']) => [
  ...(config['id.token.claim'] === 'true' ? ['id_token'] : []),
  ...(config['userinfo.token.claim'] === 'true' ? ['userinfo'] : []),
]

const roleMappers = new Set(['oidc-usermodel-realm-role-mapper', 'oidc-usermodel-client-role-mapper'])

function roleClaim({ protocolMapper, config }: RealmMapper): RoleClaim | undefined {
  const { 'claim.name': name = '', 'usermodel.clientRoleMapping.clientId': of } = config
  const places = placesOf(config)
  const isOfClient = protocolMapper === 'oidc-usermodel-client-role-mapper'
  const isPlain = roleMappers.has(protocolMapper) && !name.includes('.') && (of !== undefined) === isOfClient
  const hasPrefix = Object.entries(config).some(([key, value]) => key.endsWith('rolePrefix') && value !== '')
  if (!isPlain || hasPrefix || places.length === 0 || claimNameProblem('groups')(name) !== undefined)
    return undefined
  return { name, in: places, of: isOfClient ? of : undefined }
}

/** The first claim that tells roles by their names: here a client has one list of groups. */
export const roleClaimOf = (client: RealmClient, realm: Realm): RoleClaim | undefined =>
  mappersOf(client, realm).flatMap((one) => roleClaim(one) ?? [])[0]

export function mapperRemarks(client: RealmClient, realm: Realm): Remark[] {
  const told = roleClaimOf(client, realm)
  const isTold = (one: RealmMapper) => told !== undefined && roleClaim(one)?.name === told.name
  return mappersOf(client, realm)
    .filter((one) => fixedClaim(one).length === 0 && !isTold(one))
    .map(({ name, protocolMapper, config }) =>
      protocolMapper.includes('pairwise-sub-mapper')
        ? decide(
            'A client knows people by a subject of its own (pairwise), and here by that of the realm: it takes them for others, unless it finds them by another claim.',
            client.clientId,
          )
        : decide(
            'A client gets a claim that is not made by itself here: look for one in docs/claims.md.',
            `${client.clientId}: ${config['claim.name'] ?? name} (${protocolMapper})`,
          ),
    )
}
