import { iamService } from '../protocol/permission.ts'
import { originOf } from '../protocol/values.ts'
import { permissionReferences } from './access-section.ts'
import { checkClient } from './client-rules.ts'
import type { DeclaredClient } from './declared.ts'
import { Fields, listOf, type Located, located, type Read, type Reading } from './fields.ts'
import { shown } from './problems.ts'
import { flag, oneOf, scope, seconds } from './scalars.ts'
import { declaredSecrets } from './secrets-section.ts'
import { clientId, code, email, origin, redirectUri, text, webAddress } from './values.ts'

export const client: Read<DeclaredClient> = (place, reading) => {
  const fields = Fields.of(place, 'a client', reading)
  if (fields === undefined) return undefined
  const id = fields.required('client_id', clientId, '')
  reading.names.claim('client', id, fields.lineOf('client_id'))
  const type = fields.required('type', oneOf('public', 'machine'), undefined)
  const applicationType = fields.optional('application_type', oneOf('web', 'native')) ?? 'web'
  const uri = redirectUri(applicationType)
  const redirectUris = distinct(fields, 'redirect_uris', uri, reading)
  const postLogoutRedirectUris = distinct(fields, 'post_logout_redirect_uris', uri, reading)
  const permissions = fields.optional('permissions', permissionReferences)
  const machine = type === 'machine'
  const declared: DeclaredClient = {
    line: fields.line,
    clientId: id,
    name: fields.required('client_name', text(200), ''),
    type: type ?? 'public',
    applicationType,
    active: fields.optional('active', flag) ?? true,
    firstParty: fields.optional('first_party', flag) ?? false,
    redirectUris,
    postLogoutRedirectUris,
    scopes: fields.optional('scope', scope) ?? (machine ? ['service.api'] : []),
    grantTypes: fields.optional('grant_types', grantTypes) ?? defaultGrantTypes(machine),
    services: servicesOf(fields, reading),
    permissions: permissions?.map((one) => one.value).sort() ?? (machine ? [] : undefined),
    organisation: organisationOf(fields, reading),
    allowedOrigins: distinct(fields, 'allowed_origins', origin, reading),
    ...addresses(fields, reading),
    secrets: declaredSecrets(fields, reading),
    ...lifetimes(fields),
  }
  if (!fields.has('allowed_origins')) declared.allowedOrigins = originsOf(redirectUris)
  const authMethod = oneOf('none', 'client_secret_post', 'client_secret_basic')
  const method = fields.optional('token_endpoint_auth_method', authMethod)
  fields.done()
  // Without a type nothing more can be said, and that it is missing was reported.
  if (type !== undefined) checkClient(declared, { fields, reading, permissions: permissions ?? [], method })
  return declared
}

function servicesOf(fields: Fields, reading: Reading): string[] {
  const services = distinct(fields, 'services', located(code), reading, (one) => one.value)
  for (const { value, line } of services) {
    if (value !== iamService) reading.names.refer('service', value, line)
  }
  return services.map((one) => one.value).sort()
}

function organisationOf(fields: Fields, reading: Reading): string | undefined {
  const organisation = fields.optional('organisation', code)
  reading.names.refer('organisation', organisation ?? '', fields.lineOf('organisation'))
  return organisation
}

const grantTypes = listOf(oneOf('authorization_code', 'refresh_token', 'client_credentials'))

function defaultGrantTypes(machine: boolean): string[] {
  return machine ? ['client_credentials'] : ['authorization_code', 'refresh_token']
}

function originsOf(redirectUris: readonly string[]): string[] {
  return [...new Set(redirectUris.map(originOf).filter((one) => one !== undefined))]
}

/** A list in which nothing may stand twice; empty when left out. */
function distinct<T>(
  fields: Fields,
  key: string,
  read: Read<T>,
  reading: Reading,
  textOf: (entry: T) => string = String,
): T[] {
  const seen = new Map<string, Located<T>>()
  for (const entry of fields.optional(key, listOf(located(read))) ?? []) {
    const value = textOf(entry.value)
    if (seen.has(value)) reading.problems.add(entry.line, `${key} lists ${shown(value)} twice`)
    else seen.set(value, entry)
  }
  return [...seen.values()].map((entry) => entry.value)
}

function addresses(fields: Fields, reading: Reading) {
  return {
    clientUri: fields.optional('client_uri', webAddress),
    logoUri: fields.optional('logo_uri', webAddress),
    contacts: distinct(fields, 'contacts', email, reading),
    backchannelLogoutUri: fields.optional('backchannel_logout_uri', webAddress),
  }
}

/** A day: a signing key stays published for as long after its last signature. */
const longestAccessToken = 86_400

function lifetimes(fields: Fields) {
  return {
    accessTokenLifetime: fields.optional('access_token_lifetime', seconds(longestAccessToken)),
    refreshIdleLifetime: fields.optional('refresh_idle_lifetime', seconds()),
    refreshAbsoluteLifetime: fields.optional('refresh_absolute_lifetime', seconds()),
  }
}
