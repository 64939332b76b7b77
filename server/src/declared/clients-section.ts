import { initialClient } from '../catalogue/client.ts'
import { clientProblems } from '../protocol/client-rules.ts'
import { documentProblems } from '../protocol/document-rules.ts'
import { iamService, isPermission } from '../protocol/permission.ts'
import { addressFields, answeredUriProblem } from '../protocol/redirect-uri.ts'
import { referToPermissions } from './access-section.ts'
import type { DeclaredClient } from './declared.ts'
import { shown } from './problems.ts'
import type { Checked, Place } from './reading.ts'
import type { Said } from './schema.ts'
import { checkSecrets, secretsOf } from './secrets-section.ts'

type CheckedClient = Checked<Said<'clients'>>

export function clientOfFile(checked: CheckedClient): DeclaredClient | undefined {
  const { said, whole, place } = checked
  place.at('client_id').claim('client', said.client_id)
  place.at('organisation').refer('organisation', said.organisation)
  for (const [index, code] of (said.services ?? []).entries())
    if (code !== iamService) place.at('services', index).refer('service', code)
  referToPermissions(said.permissions, place.at('permissions'))
  referToAllowed(said.allowed, place.at('allowed'))
  referToExchange(checked)
  for (const [index, origin] of (said.origins ?? []).entries())
    place.at('origins', index).claim('origin', origin)
  for (const [key, demand] of Object.entries(said.routes ?? {}))
    if (isPermission(demand)) referToPermissions([demand], place.at('routes', key))
  if (said.federated?.subject !== undefined) {
    const { issuer, subject } = said.federated
    const key = JSON.stringify([said.organisation ?? null, issuer, subject])
    place.at('federated').claim('subject', key, subject)
  }
  checkAddresses(checked)
  checkSecrets(said, place)
  // A missing type was reported, and the rules depend on it.
  if (said.type !== undefined) checkTogether(checked)
  if (whole === undefined) return undefined
  const { client_secret, client_secret_hash, client_secret_hashes, organisation, ...own } = whole
  const hashes = client_secret_hash === undefined ? client_secret_hashes : [client_secret_hash]
  const secrets = secretsOf(client_secret, hashes)
  return { ...initialClient(own), ...own, line: place.line, organisation, secrets }
}

/** The file must declare what `allowed` names, so that it is whole by itself. */
function referToAllowed(allowed: CheckedClient['said']['allowed'], place: Place): void {
  for (const [index, code] of (allowed?.roles ?? []).entries()) place.at('roles', index).refer('role', code)
  for (const [index, one] of (allowed?.organisations ?? []).entries())
    place.at('organisations', index).refer(one.includes('/') ? 'unit' : 'organisation', one)
  referToPermissions(allowed?.permissions, place.at('permissions'))
}

/** Nor is anything of an exchange left open. */
function referToExchange({ said: { acts_as, exchange }, place }: CheckedClient): void {
  if (acts_as !== iamService) place.at('acts_as').refer('service', acts_as ?? undefined)
  for (const [index, code] of (exchange?.services ?? []).entries())
    if (code !== iamService) place.at('exchange', 'services', index).refer('service', code)
  referToPermissions(exchange?.permissions, place.at('exchange', 'permissions'))
}

function checkAddresses({ said, place }: CheckedClient): void {
  const applicationType = said.application_type === 'native' ? 'native' : 'web'
  for (const field of addressFields)
    for (const [index, uri = ''] of (said[field] ?? []).entries()) {
      const wrong = answeredUriProblem(uri, field, applicationType)
      if (uri !== '' && wrong !== undefined) place.at(field, index).problem(`${field} ${shown(uri)} ${wrong}`)
    }
}

/** The rules of what fits together, each problem at its line of the file. */
function checkTogether({ said, place }: CheckedClient): void {
  const values: Readonly<Record<string, unknown>> = said
  const written = {
    has: (key: string) => Object.hasOwn(values, key),
    isEmptyList: (key: string) => Array.isArray(values[key]) && values[key].length === 0,
  }
  const { permissions = [] } = said
  const lists = {
    grant_types: right(said.grant_types),
    services: right(said.services),
    permissions: right(permissions),
    origins: right(said.origins),
    headers: right(said.headers),
    redirect_uris: right(said.redirect_uris),
    redirect_hosts: right(said.redirect_hosts),
  }
  const client = { ...said, ...lists }
  for (const { field, reason, permission } of [
    ...clientProblems(client, written),
    ...documentProblems(client, written),
  ]) {
    const listed = permissions.flatMap((one, index) => (one === permission ? [index] : []))
    const places = permission === undefined ? [place.at(field)] : listed.map((one) => place.at(field, one))
    for (const one of places) one.problem(reason)
  }
}

const right = <T>(list: readonly (T | undefined)[] | undefined) => list?.filter((one) => one !== undefined)
