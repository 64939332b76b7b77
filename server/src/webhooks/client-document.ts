import {
  documentHost,
  type Documented,
  type DocumentSays,
  keptFor,
  longestDocument,
  readDocument,
  shown,
} from '../protocol/client-document.ts'
import type { Settings } from '../settings.ts'
import { withDeadline } from './deadline.ts'
import { read, TooLong } from './send.ts'

/** What the host of a document answered. `gone`: that there is none. `reason` follows “The document”. */
export type DocumentAnswer =
  | { kind: 'read'; says: DocumentSays; keptFor: number }
  | { kind: 'gone' | 'failed'; reason: string }

const timeout = 3000

/** Where it may be fetched from. */
export interface Reaching {
  settings: Pick<Settings, 'webhooksToPrivateAddresses'>
}

/** Fetches the document at a client_id. Comes before a transaction, never within one. */
export async function fetchDocument({ settings }: Reaching, client: Documented): Promise<DocumentAnswer> {
  const never = new AbortController().signal
  try {
    const answer = await withDeadline(timeout, never, (signal) =>
      read(
        {
          url: client.client_id,
          headers: { accept: 'application/json', 'user-agent': 'Tessera' },
          toPrivateAddresses: settings.webhooksToPrivateAddresses,
          refusal: 'Its address is private or unknown.',
          signal,
          // A page of any length may say that there is none.
          isRead: (status) => status === 200,
        },
        longestDocument,
      ),
    )
    return judged(answer, client)
  } catch (error) {
    if (error instanceof TooLong) return { kind: 'failed', reason: `is longer than ${longestDocument} bytes` }
    // What the network said is nothing for the page of a stranger.
    return {
      kind: 'failed',
      reason: `could not be fetched from ${documentHost(client.client_id) ?? ''}: no public address, no trusted certificate, or no answer within 3 s`,
    }
  }
}

function judged(
  { status, type = '', cacheControl, bytes }: Awaited<ReturnType<typeof read>>,
  client: Documented,
): DocumentAnswer {
  if (status === 404 || status === 410)
    return { kind: 'gone', reason: `is not there any more: its host answers ${status}` }
  if (status >= 300 && status < 400)
    return { kind: 'failed', reason: `is a redirect (${status}), which is not followed` }
  if (status !== 200) return { kind: 'failed', reason: `was answered with the status ${status}` }
  if (!/^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type))
    return { kind: 'failed', reason: `is of the type ${shown(type)}, and no JSON` }
  const says = readDocument(bytes.toString('utf8'), client)
  if ('problem' in says) return { kind: 'failed', reason: says.problem }
  return { kind: 'read', says, keptFor: keptFor(cacheControl) }
}
