import { serviceOf } from '../protocol/permission.ts'
import type { DeclaredClient } from './declared.ts'
import type { Fields, Located, Reading } from './fields.ts'
import { shown } from './problems.ts'

interface Context {
  fields: Fields
  reading: Reading
  permissions: readonly Located<string>[]
  method: string | undefined
}

/** The rules that depend on what type of client it is (decisions 4 and 9). */
export function checkClient(client: DeclaredClient, context: Context): void {
  if (client.type === 'machine') checkMachine(client, context)
  else checkPublic(client, context)
  const { refreshIdleLifetime: idle, refreshAbsoluteLifetime: absolute } = client
  if (idle !== undefined && absolute !== undefined && idle > absolute) {
    const reason =
      'refresh_idle_lifetime is longer than refresh_absolute_lifetime, and would never be reached'
    context.reading.problems.add(context.fields.lineOf('refresh_idle_lifetime'), reason)
  }
}

function checkPublic(client: DeclaredClient, { fields, reading, method }: Context): void {
  const report = (key: string, reason: string) => reading.problems.add(fields.lineOf(key), reason)
  for (const key of ['client_secret', 'client_secret_hash', 'client_secret_hashes']) {
    if (fields.has(key)) report(key, `a public client has no ${key}; it proves itself by PKCE`)
  }
  if (!fields.has('redirect_uris')) report('redirect_uris', 'a public client has no "redirect_uris"')
  else if (fields.isEmptyList('redirect_uris')) {
    report('redirect_uris', 'redirect_uris is empty; a public client needs at least one')
  }
  if (!fields.has('scope'))
    report('scope', 'a public client has no "scope"; write openid and what else it may ask for')
  else if (client.scopes.length > 0 && !client.scopes.includes('openid')) {
    report('scope', 'the scope of a public client includes openid; without it no sign-in is possible')
  }
  if (client.grantTypes.includes('client_credentials')) {
    report('grant_types', 'a public client can not use client_credentials; that is for type machine')
  } else if (fields.has('grant_types') && !client.grantTypes.includes('authorization_code')) {
    report('grant_types', 'a public client needs the grant type authorization_code')
  }
  if (method !== undefined && method !== 'none') {
    report('token_endpoint_auth_method', `a public client has token_endpoint_auth_method none, not ${method}`)
  }
}

/** What only a client that acts for people can have. */
const userKeys = [
  'redirect_uris',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'allowed_origins',
  'refresh_idle_lifetime',
  'refresh_absolute_lifetime',
]

function checkMachine(client: DeclaredClient, { fields, reading, permissions, method }: Context): void {
  const report = (key: string, reason: string) => reading.problems.add(fields.lineOf(key), reason)
  for (const key of userKeys) {
    if (fields.has(key) && !fields.isEmptyList(key))
      report(key, `a machine client has no ${key}; nobody signs in with it`)
  }
  const userScopes = client.scopes.filter((one) => one !== 'service.api')
  if (userScopes.length > 0) {
    report('scope', `a machine client has the scope service.api alone, not ${userScopes.join(' ')}`)
  }
  if (fields.has('grant_types') && client.grantTypes.some((one) => one !== 'client_credentials')) {
    report('grant_types', 'a machine client has the grant type client_credentials alone')
  }
  if (method === 'none') {
    report(
      'token_endpoint_auth_method',
      'a machine client authenticates: client_secret_post or client_secret_basic',
    )
  }
  for (const { value, line } of permissions) {
    if (client.services.includes(serviceOf(value))) continue
    reading.problems.add(
      line,
      `the permission ${shown(value)} is of no service that this client lists in services`,
    )
  }
}
