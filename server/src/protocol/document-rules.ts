import { documentSays, documentUrlProblem } from './client-document.ts'
import type { ClientProblem, ClientShape, WrittenFields } from './client-rules.ts'
import { keyFields } from './client-type.ts'
import { deviceCodeGrant } from './grant-types.ts'
import type { JsonMembers } from './jwk-set.ts'

const longestId = 200

interface DocumentShape extends ClientShape {
  redirect_hosts?: readonly string[] | undefined
  document?: JsonMembers | null | undefined
  first_party?: boolean | undefined
}

/** What is wrong with where a client says what it is: the rules beside those of its type. */
export const documentProblems = (client: DocumentShape, written: WrittenFields): ClientProblem[] =>
  (client.metadata === 'document' ? ofDocument : withoutDocument)(client, written)

/** A client whose metadata stands in a document. */
function ofDocument(client: DocumentShape, { has, isEmptyList }: WrittenFields): ClientProblem[] {
  const problems: ClientProblem[] = []
  const report = (field: string, reason: string) => problems.push({ field, reason })
  const { client_id = '', type = 'public', redirect_hosts, document } = client
  const wrongUrl = documentUrlProblem(client_id)
  if (wrongUrl !== undefined)
    report('client_id', `the client_id of a document is its https address; ${client_id} ${wrongUrl}`)
  if (type !== 'public') report('type', `a client that is a document is of the type public, not ${type}`)
  if (!has('permissions'))
    report(
      'permissions',
      'a client that is a document has no "permissions"; list what may be done through it',
    )
  if (client.first_party === true)
    report('first_party', 'a client that is a document is never first_party; people are asked each time')
  if (client.require_state === false)
    report('require_state', 'a client that is a document sends a state; require_state stays true')
  if (client.grant_types?.includes(deviceCodeGrant) === true)
    report('grant_types', `a client that is a document can not use ${deviceCodeGrant}`)
  for (const field of ['redirect_uris', ...keyFields])
    if (has(field) && !isEmptyList(field))
      report(field, `a client that is a document has no ${field} here; its document says them`)
  if (wrongUrl !== undefined || !document) return problems
  const says = documentSays(document, { client_id, redirect_hosts })
  if ('problem' in says) report('document', `the document ${says.problem}`)
  return problems
}

/** What only a document has, and what every other client must say by itself. */
function withoutDocument(
  { client_id = '', type = 'public' }: DocumentShape,
  { has, isEmptyList }: WrittenFields,
): ClientProblem[] {
  const problems: ClientProblem[] = []
  if (!has('client_name'))
    problems.push({ field: 'client_name', reason: `a ${type} client has no "client_name"` })
  if (client_id.length > longestId)
    problems.push({ field: 'client_id', reason: `the client_id is longer than ${longestId} characters` })
  for (const field of ['redirect_hosts', 'document'])
    if (has(field) && !isEmptyList(field))
      problems.push({ field, reason: `${field} is for a client with "metadata: document"` })
  return problems
}
