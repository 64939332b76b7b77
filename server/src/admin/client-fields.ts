import * as z from 'zod'
import { clientProblems } from '../protocol/client-rules.ts'
import { type FieldProblem, Problem } from '../protocol/problem.ts'
import { redirectUriProblem } from '../protocol/redirect-uri.ts'
import { scopesOf, supportedScopes } from '../protocol/scope.ts'
import { originOf } from '../protocol/values.ts'
import type { ClientColumns } from '../store/admin/client-rules.ts'
import type { AdministeredClient } from '../store/admin/clients.ts'
import { textList } from '../store/clients.ts'
import {
  clientId,
  code,
  columnFlag,
  distinct,
  email,
  isoTime,
  managedBy,
  origin,
  permissionOrWildcard,
  text,
  uuid,
  webAddress,
} from './fields.ts'

/** How clients travel: by the names of RFC 7591 where it has them, by the rules of the declared file. */

const scope = text(200).refine(
  (value) => value.split(' ').every((one) => supportedScopes.some((scope) => scope === one)),
  { error: `It is a list of ${supportedScopes.join(', ')} with spaces between.` },
)
const addresses = distinct(z.string().max(2000), 100)
const grantTypes = distinct(z.enum(['authorization_code', 'refresh_token', 'client_credentials']), 3)
const seconds = (most: number) => z.int().min(1).max(most).nullable()
/** A day: a signing key stays published for as long after its last signature. */
const accessTokenLifetime = seconds(86_400).describe('Seconds; without it, as the service is set.')
/** Ten years: more is a mistake in the unit. */
const refreshLifetime = seconds(315_360_000)

const settable = {
  client_name: text(200),
  application_type: z.enum(['web', 'native']),
  active: z.boolean(),
  first_party: z.boolean().describe('Nobody is asked for consent. For whoever administers everything.'),
  redirect_uris: addresses.describe('Compared byte for byte.'),
  post_logout_redirect_uris: addresses,
  scope,
  grant_types: grantTypes,
  services: distinct(code, 100).describe('Codes, or `iam` for the administration API.'),
  permissions: distinct(permissionOrWildcard, 1000)
    .nullable()
    .describe(
      'What a machine may do; for people an allow-list, without which it is all that their roles give.',
    ),
  organisation_uuid: uuid.nullable().describe('Without it, of the whole installation.'),
  allowed_origins: distinct(origin, 100).describe('For CORS. Left out at first: those of the redirect_uris.'),
  client_uri: webAddress.nullable(),
  logo_uri: webAddress.nullable(),
  contacts: distinct(email, 20),
  backchannel_logout_uri: webAddress.nullable(),
  access_token_lifetime: accessTokenLifetime,
  refresh_idle_lifetime: refreshLifetime,
  refresh_absolute_lifetime: refreshLifetime,
}

const type = z.enum(['public', 'machine']).describe('`public` acts for people, `machine` for itself.')
const authMethod = z.enum(['none', 'client_secret_post', 'client_secret_basic'])

export const shownSecret = z.object({
  id: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
})

export const client = z.object({
  client_id: clientId,
  type,
  token_endpoint_auth_method: authMethod.describe('A machine may use either, body or Basic.'),
  ...settable,
  managed_by: managedBy,
  secrets: z.array(shownSecret).describe('Never the secrets themselves.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

export const clientPatch = z.strictObject(settable).partial()

export const newClient = clientPatch.extend({
  client_id: clientId,
  client_name: text(200),
  type,
  token_endpoint_auth_method: authMethod.optional(),
})

export const clientSecret = z.string().describe('Shown this once.')

export const createdClient = client.extend({ client_secret: clientSecret.optional() })

export const secretOf = (one: AdministeredClient['secrets'][number]): z.output<typeof shownSecret> => ({
  id: one.id,
  created_at: isoTime(one.created_at),
  expires_at: one.expires_at === null ? null : isoTime(one.expires_at),
})

export function shownClient(row: AdministeredClient): z.output<typeof client> {
  return {
    client_id: row.client_id,
    type: row.type,
    token_endpoint_auth_method: row.type === 'public' ? 'none' : 'client_secret_basic',
    client_name: row.client_name,
    application_type: row.application_type,
    active: row.active === 1,
    first_party: row.first_party === 1,
    redirect_uris: textList(row.redirect_uris),
    post_logout_redirect_uris: textList(row.post_logout_redirect_uris),
    scope: row.scope,
    grant_types: textList(row.grant_types) as z.output<typeof grantTypes>,
    services: textList(row.services),
    permissions: row.permissions === null ? null : textList(row.permissions),
    organisation_uuid: row.organisation_uuid,
    allowed_origins: textList(row.allowed_origins),
    client_uri: row.client_uri,
    logo_uri: row.logo_uri,
    contacts: textList(row.contacts),
    backchannel_logout_uri: row.backchannel_logout_uri,
    access_token_lifetime: row.access_token_lifetime,
    refresh_idle_lifetime: row.refresh_idle_lifetime,
    refresh_absolute_lifetime: row.refresh_absolute_lifetime,
    managed_by: row.managed_by,
    secrets: row.secrets.map(secretOf),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

type Sent = z.output<typeof clientPatch>

/** What a new client is where nothing is said: as in the declared file. */
export function defaultsOf(body: z.output<typeof newClient>): ClientColumns {
  const machine = body.type === 'machine'
  const addressed = machine ? [] : (body.redirect_uris ?? [])
  const origins = addressed.map(originOf).filter((one) => one !== undefined)
  return {
    client_name: body.client_name,
    application_type: 'web',
    active: 1,
    first_party: 0,
    scope: machine ? 'service.api' : '',
    redirect_uris: '[]',
    post_logout_redirect_uris: '[]',
    grant_types: JSON.stringify(machine ? ['client_credentials'] : ['authorization_code', 'refresh_token']),
    services: '[]',
    permissions: machine ? '[]' : null,
    organisation_uuid: null,
    allowed_origins: JSON.stringify([...new Set(origins)]),
    client_uri: null,
    logo_uri: null,
    contacts: '[]',
    backchannel_logout_uri: null,
    access_token_lifetime: null,
    refresh_idle_lifetime: null,
    refresh_absolute_lifetime: null,
  }
}

const sorted = (list: readonly string[]) => JSON.stringify(list.toSorted())

/** What a body says of the columns. */
export function columnsOf(sent: Sent): Partial<ClientColumns> {
  const { active, first_party, scope: scopes, services, permissions, ...rest } = sent
  const set: Partial<ClientColumns> = {}
  if (active !== undefined) set.active = columnFlag(active)
  if (first_party !== undefined) set.first_party = columnFlag(first_party)
  if (scopes !== undefined) set.scope = [...new Set(scopesOf(scopes))].join(' ')
  if (services !== undefined) set.services = sorted(services)
  if (permissions !== undefined) set.permissions = permissions === null ? null : sorted(permissions)
  const others = Object.entries(rest).filter(([name, value]) => value !== undefined && name in settable)
  const written = others.map(([name, value]) => [name, Array.isArray(value) ? JSON.stringify(value) : value])
  return { ...set, ...(Object.fromEntries(written) as Partial<ClientColumns>) }
}

/** Throws when the parts of a client do not fit together, whichever of them were sent. */
export function checkTogether(
  clientType: 'public' | 'machine',
  columns: ClientColumns,
  method?: string,
): void {
  const fields: FieldProblem[] = []
  for (const name of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    for (const [index, uri] of textList(columns[name]).entries()) {
      const problem = redirectUriProblem(uri, columns.application_type)
      if (problem !== undefined) fields.push({ field: `${name}.${index}`, detail: `It ${problem}.` })
    }
  }
  if (clientType === 'machine' && columns.permissions === null) {
    fields.push({ field: 'permissions', detail: 'A machine has a list; it can be empty.' })
  }
  fields.push(...fittingProblems(clientType, columns, method))
  if (fields.length === 0) return
  throw new Problem('invalid_request', 'The client is not valid; nothing was changed.', { fields })
}

function fittingProblems(
  clientType: 'public' | 'machine',
  columns: ClientColumns,
  method: string | undefined,
): FieldProblem[] {
  const shape = {
    type: clientType,
    scopes: scopesOf(columns.scope),
    grantTypes: textList(columns.grant_types),
    services: textList(columns.services),
    permissions: columns.permissions === null ? undefined : textList(columns.permissions),
    refreshIdleLifetime: columns.refresh_idle_lifetime ?? undefined,
    refreshAbsoluteLifetime: columns.refresh_absolute_lifetime ?? undefined,
  }
  const values = new Map<string, unknown>(Object.entries(columns))
  const written = {
    has: (key: string) => (values.get(key) ?? '') !== '',
    isEmptyList: (key: string) => values.get(key) === '[]',
    method,
  }
  return clientProblems(shape, written).map(({ field, reason }) => ({
    field,
    detail: `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`,
  }))
}
