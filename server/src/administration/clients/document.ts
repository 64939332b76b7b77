/** The document of a client that is added or changed here: fetched before the transaction that writes the client. */
import { columnsOfDocument, documentColumns, noteRead } from '../../store/client-documents.ts'
import { type DocumentSays, isOwnAddress } from '../../protocol/client-document.ts'
import { wrongField } from '../../protocol/problem.ts'
import type { Service } from '../../service.ts'
import { textList } from '../../store/clients.ts'
import { fetchDocument, type Reaching } from '../../webhooks/client-document.ts'
import type { By, Row, Transacting } from '../by.ts'
import { checkColumns, type ClientColumns } from './rules.ts'

/** A client as it is to become. */
type AskedClient = ClientColumns & Pick<Row<'clients'>, 'client_id'>
type DocumentClient = Pick<Row<'clients'>, 'client_id' | 'metadata' | 'redirect_hosts' | 'document'>

export interface FetchedDocument {
  says: DocumentSays
  keptFor: number
}

/**
 * What the document of such a client says now. Undefined: it needs none, or this is a dry run, which is within a
 * transaction. Throws where it can not be read, or does not fit; nobody is asked where the caller may not have the
 * client so.
 */
export async function fetchedFor(
  service: Reaching & Pick<Service, 'store'>,
  { authority }: Pick<By, 'authority'>,
  before: Row<'clients'> | undefined,
  after: AskedClient,
): Promise<FetchedDocument | undefined> {
  const { db } = service.store
  const { client_id, metadata, redirect_hosts, document } = after
  if (metadata !== 'document' || document !== null || db.isTransaction) return undefined
  await checkColumns(db, before, after, authority)
  const answer = await fetchDocument(service, { client_id, redirect_hosts: textList(redirect_hosts) })
  if (answer.kind === 'read') return answer
  throw wrongField(
    'client_id',
    `The document ${answer.reason}. Where it can not be reached from here, an administrator of the installation sends it as "document".`,
  )
}

/** The columns that a document says. */
export function saidByDocument(
  client: DocumentClient,
  before: Row<'clients'> | undefined,
  fetched: FetchedDocument | undefined,
): Partial<Row<'clients'>> {
  if (fetched === undefined) return documentColumns(client, before)
  const registered = { ...client, redirect_hosts: textList(client.redirect_hosts) }
  // Another change came between.
  if (!fetched.says.redirect_uris.every((uri) => isOwnAddress(uri, registered)))
    throw wrongField('redirect_hosts', 'The document has a redirect URI on a host that is none of these.')
  return columnsOfDocument(fetched.says)
}

/** Whether a change of these fields asks for the document again. */
export const asksAgain = (set: Partial<DocumentClient>): boolean =>
  set.redirect_hosts !== undefined || set.document !== undefined

export const noteFetched = async (
  trx: Transacting,
  client_id: string,
  now: number,
  fetched: FetchedDocument | undefined,
): Promise<void> => {
  if (fetched !== undefined) await noteRead(trx, client_id, { now, keptFor: fetched.keptFor })
}
