import * as z from 'zod'
import { changedColumns, newColumns, saidOf, shownOf } from '../../catalogue/columns.ts'
import { client as catalogued, initialClient } from '../../catalogue/client.ts'
import { newBody, type patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { secret } from '../../catalogue/secret.ts'
import type { ColumnsOf } from '../../catalogue/thing.ts'
import type { ClientSecretRow } from '../../database/schema.ts'
import type { DocumentState } from '../../store/client-documents.ts'
import { authMethods, keptMethod, keyMethod, methodOf } from '../../protocol/client-type.ts'
import { clientProblems } from '../../protocol/client-rules.ts'
import { documentProblems } from '../../protocol/document-rules.ts'
import { type FieldProblem, Problem, wrongField } from '../../protocol/problem.ts'
import { signInOfProxied } from '../../protocol/proxied.ts'
import { weakeningsOf } from '../../protocol/weakenings.ts'
import { addressFields, answeredUriProblem } from '../../protocol/redirect-uri.ts'
import { textList } from '../../store/clients.ts'
import type { Row } from '../by.ts'
import { instant } from '../fields.ts'

/** What of a client is not a field of its own: its secrets, and how it authenticates. */

export const weakening = z.object({ field: z.string(), detail: z.string() })

/** A client with its secrets, of which only ids and times leave the store. */
export interface AdministeredClient extends Row<'clients'> {
  secrets: Omit<ClientSecretRow, 'secret_hash'>[]
  /** Undefined: its document was never asked for, or it is none. */
  document_read: DocumentState | undefined
}

export const shownSecret = shownSchema(secret)

export const client = shownSchema(catalogued).extend({
  token_endpoint_auth_method: z
    .enum(authMethods)
    .describe('The one way in which it proves itself; a secret, by body or Basic.'),
  document_read: z
    .object({
      fetched_at: instant.nullable().describe('When it was read last; null: never.'),
      failure: z.string().nullable().describe('Why the last attempt failed, to follow “The document”.'),
      gone_at: instant
        .nullable()
        .describe('Since when its host says that there is none. An hour later it ends.'),
    })
    .nullable()
    .describe('Of a document that is fetched.'),
  weakenings: z
    .array(weakening)
    .describe('By what a sign-in through it is weaker than by default, and what is lost.'),
  secrets: z.array(shownSecret).describe('Never the secrets themselves.'),
})

export const newClient = newBody(catalogued)

export const clientSecret = z.string().describe('Shown this once.')

export const createdClient = client.extend({ client_secret: clientSecret.optional() })

export function shownClient(row: AdministeredClient): z.output<typeof client> {
  const { client_id, type, created_at, updated_at, ...shown } = shownOf(catalogued, row)
  const secrets = row.secrets.map((one) => shownOf(secret, one))
  const more = { document_read: shownRead(row.document_read), weakenings: weakeningsOf(shown), secrets }
  const token_endpoint_auth_method = demandsKeys(row) ? keyMethod : methodOf(row)
  return { client_id, type, ...shown, token_endpoint_auth_method, ...more, created_at, updated_at }
}

/** Whether a client that is a document must prove itself by keys. */
const demandsKeys = ({ document_methods: methods }: Row<'clients'>): boolean =>
  methods !== null && !textList(methods).includes('none')

const shownRead = (read: DocumentState | undefined) =>
  read === undefined
    ? null
    : { fetched_at: timeOf(read.fetched_at), failure: read.failure, gone_at: timeOf(read.gone_at) }

const timeOf = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/** What a change sets; where an application behind a proxy is says where people come back to. */
export function changesOf(
  before: Row<'clients'>,
  body: z.output<ReturnType<typeof patchBody<typeof catalogued>>>,
): ReturnType<typeof changedColumns<typeof catalogued>> {
  const set = changedColumns(catalogued, body)
  const said = (['client_name', 'redirect_uris', 'jwks', 'jwks_uri'] as const).find(
    (name) => set[name] !== undefined && set[name] !== before[name],
  )
  if (before.metadata === 'document' && said !== undefined) throw wrongField(said, 'Its document says it.')
  if (before.type !== 'proxied') return set
  const after = saidOf(catalogued, { ...before, ...set })
  return { ...changedColumns(catalogued, signInOfProxied(after)), ...set }
}

/** The columns of a new client. */
export const columnsOf = (body: z.output<typeof newClient>) =>
  newColumns(catalogued, { ...initialClient(body), ...body })

/** Throws when the parts of a client do not fit together, whichever of them were sent. */
export function checkTogether(columns: ColumnsOf<typeof catalogued>): void {
  const said = saidOf(catalogued, columns)
  const fields: FieldProblem[] = []
  for (const name of addressFields) {
    for (const [index, uri] of (said[name] ?? []).entries()) {
      const problem = answeredUriProblem(uri, name, columns.application_type)
      if (problem !== undefined) fields.push({ field: `${name}.${index}`, detail: `It ${problem}.` })
    }
  }
  if (said.type === 'machine' && said.permissions === null) {
    fields.push({ field: 'permissions', detail: 'A machine has a list; it can be empty.' })
  }
  const values = new Map<string, unknown>(Object.entries(said))
  const written = {
    has: (key: string) => (values.get(key) ?? '') !== '',
    isEmptyList: (key: string) => [values.get(key)].flat().length === 0,
  }
  for (const { field, reason } of [...clientProblems(said, written), ...documentProblems(said, written)]) {
    fields.push({ field, detail: `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.` })
  }
  if (fields.length === 0) return
  throw new Problem('invalid_request', 'The client is not valid; nothing was changed.', { fields })
}

/** Throws where a client that keys proved would be proved by a secret again, perhaps an old one, and nobody says so. */
export function checkProof(before: ColumnsOf<typeof catalogued>, set: Partial<typeof before>): void {
  const after = { ...before, ...set }
  if (set.token_endpoint_auth_method !== undefined) return
  if (methodOf(before) !== keyMethod || methodOf(after) === keyMethod) return
  throw wrongField(
    'token_endpoint_auth_method',
    'Its keys proved it until now. Leave it one; or say client_secret_basic, and a secret that it has counts again.',
  )
}

/** How it proves itself, as it is kept: what follows from the rest is not. */
export const withMethod = <C extends ColumnsOf<typeof catalogued>>(columns: C): C => ({
  ...columns,
  token_endpoint_auth_method: keptMethod(columns, columns.token_endpoint_auth_method),
})
