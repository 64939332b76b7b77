import { initialClient } from '../catalogue/client.ts'
import { authMethods } from '../protocol/client-type.ts'
import { clientProblems } from '../protocol/client-rules.ts'
import { iamService } from '../protocol/permission.ts'
import { type AddressField, answeredUriProblem } from '../protocol/redirect-uri.ts'
import { permissionReferences } from './access-section.ts'
import type { DeclaredClient } from './declared.ts'
import { distinctList, type Fields, type Located, type Read, type Reading } from './fields.ts'
import { declaredSecrets } from './secrets-section.ts'
import { codeOf, mapping, readThing } from './things.ts'
import { checkedText, oneOf } from './values.ts'

export const client = mapping('a client', (fields, reading) => {
  const permissions: Located<string>[] = []
  const said = readThing('client', fields, readersOf(fields, permissions))
  const organisation = fields.optional('organisation', codeOf)
  reading.names.claim('client', said.client_id, fields.lineOf('client_id'))
  reading.names.refer('organisation', organisation, fields.lineOf('organisation'))
  const declared = {
    ...initialClient(said),
    ...said,
    line: fields.line,
    organisation,
    secrets: declaredSecrets(fields, reading),
  } as DeclaredClient
  const authMethod = oneOf(...authMethods)
  const method = fields.optional('token_endpoint_auth_method', authMethod)
  // A missing type was reported, and the rules depend on it.
  if (said.type !== undefined) checkClient(declared, { fields, reading, permissions, method })
  return declared
})

/** Fields whose values depend on another one, or refer to what the file declares. */
function readersOf(fields: Fields, permissions: Located<string>[]) {
  const applicationType = fields.raw('application_type') === 'native' ? 'native' : 'web'
  const addresses = (field: AddressField) =>
    distinctList(checkedText((value) => answeredUriProblem(value, field, applicationType)))
  const service: Read<string> = (place, reading) => {
    const code = codeOf(place, reading)
    if (code !== iamService) reading.names.refer('service', code, place.line)
    return code
  }
  const listed: Read<string[]> = (place, reading) => {
    permissions.push(...(permissionReferences(place, reading) ?? []))
    return permissions.map((one) => one.value)
  }
  return {
    redirect_uris: addresses('redirect_uris'),
    post_logout_redirect_uris: addresses('post_logout_redirect_uris'),
    services: distinctList(service),
    permissions: listed,
  }
}

interface Context {
  fields: Fields
  reading: Reading
  permissions: readonly Located<string>[]
  method: string | undefined
}

/** The rules that depend on what type of client it is, each at its line of the file. */
function checkClient(client: DeclaredClient, { fields, reading, permissions, method }: Context): void {
  const written = {
    has: (key: string) => fields.has(key),
    isEmptyList: (key: string) => fields.isEmptyList(key),
    method,
  }
  for (const { field, reason, permission } of clientProblems(client, written)) {
    const lines = permissions.filter((one) => one.value === permission).map((one) => one.line)
    for (const line of permission === undefined ? [fields.lineOf(field)] : lines)
      reading.problems.add(line, reason)
  }
}
