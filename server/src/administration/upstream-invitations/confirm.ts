import { newColumns } from '../../catalogue/columns.ts'
import { directory as directoryThing } from '../../catalogue/directory.ts'
import { domain as domainThing } from '../../catalogue/domain.ts'
import { isThere, rowOf } from '../../database/rows.ts'
import type { Store } from '../../database/store.ts'
import { notFound, Problem, wrongField } from '../../protocol/problem.ts'
import { draftRow, entryHash, entryOf } from '../../upstream/drafts.ts'
import { providers } from '../../upstream/providers.ts'
import { keepDocuments } from '../../upstream/saml-documents.ts'
import type { By, Transacting } from '../by.ts'
import { change, type Created } from '../change.ts'
import { addToken } from '../directories/tokens.ts'
import { createDirectory } from '../directories/verbs.ts'
import { createDomain } from '../domains/verbs.ts'
import { storeWithin } from '../effect.ts'
import { createUpstream } from '../upstreams/verbs.ts'
import type { UpstreamInvitation } from './shown.ts'
import { about, endUpstreamInvitation } from './verbs.ts'

/** How long the token for SCIM counts from then on. */
const tokenFor = 365 * 24 * 3_600_000

export interface Confirming {
  uuid: string
  /** The hash of exactly what was shown. */
  entry_hash: string
  /** Other codes than were entered: one may be taken meanwhile. */
  code?: string | undefined
  directory_code?: string | undefined
}

export interface Confirmed {
  row: UpstreamInvitation
  made: { domain: string | null; upstream: string | null; directory: string | null }
}

/** What each part of it is made by. */
interface Making {
  store: Store
  by: By
  trx: Transacting
  row: UpstreamInvitation
  secret: string
}

/**
 * Makes what was handed in: the domain's claim, the upstream, and a directory with its token, each by the verb that
 * makes it otherwise, so by somebody who could. Throws `conflict` where it is not what was shown. Concurrency: see
 * `change`; of several at once one makes it.
 */
export async function confirmUpstreamInvitation(
  store: Store,
  by: By,
  asked: Confirming,
  secret: string,
): Promise<Confirmed> {
  return await change(store, by, async (trx) => {
    const [before, row] = await endUpstreamInvitation(trx, by, asked.uuid, [['handed_in'], 'confirmed'])
    if (entryHash(before) !== asked.entry_hash)
      throw wrongField(
        'entry_hash',
        'It is not what was handed in. Look at it again, and confirm that.',
        'conflict',
      )
    const { organisation_uuid } = row
    if (!(await isThere(trx, 'organisations', { uuid: organisation_uuid, active: 1 })))
      throw new Problem('conflict', 'The organisation is disabled.')
    const making = { store: storeWithin(store, trx), by, trx, row: before, secret }
    const made = {
      domain: await makeDomain(making),
      upstream: await makeUpstream(making, asked.code),
      directory: await makeDirectory(making, asked.directory_code),
    }
    const detail = { ...made, entry_hash: asked.entry_hash }
    return {
      result: { row, made },
      events: [{ kind: 'upstream_invitation.confirmed', ...about(row), detail }],
    }
  })
}

/** The claim of the domain; the one that the organisation has already, where that is the same or was proved. */
async function makeDomain({ store, by, trx, row }: Making): Promise<string | null> {
  const { domain } = entryOf(row)
  if (domain === undefined) return null
  by.authority.requires('iam.domains.create')
  const { organisation_uuid } = row
  const { name, token } = domain
  const known = await rowOf(trx, 'domains', { organisation_uuid, name })
  if (known !== undefined && (known.holds === 1 || known.token === token)) return known.uuid
  const columns = newColumns(domainThing, { organisation_uuid, name })
  return newOf(await createDomain(store, by, columns, undefined, token)).uuid
}

/** What was made; no answer of before is asked for. */
function newOf<T>(created: Created<T>): T {
  if (created.repeated !== undefined) throw new Error('Nothing was made.')
  return created.made
}

/** The upstream, with the uuid, the keys and the age of its draft. What the metadata said when it was entered counts first. */
async function makeUpstream(
  { store, by, trx, row, secret }: Making,
  code: string | undefined,
): Promise<string | null> {
  const { provider, values } = entryOf(row)
  if (provider === undefined || values === undefined) return null
  const organisation = await rowOf(trx, 'organisations', { uuid: row.organisation_uuid })
  if (organisation === undefined) throw notFound('organisation')
  const draft = draftRow(row, organisation.name)
  const { uuid, secret: kept, private_key, created_at, updated_at: _, ...columns } = draft
  const created = { uuid, secret: kept, private_key, created_at }
  await createUpstream(
    store,
    by,
    { ...columns, code: code ?? draft.code },
    { said: {}, secret },
    undefined,
    created,
  )
  if (providers[provider].kind === 'saml')
    // Later than the upstream: a change of that has the metadata read anew.
    await keepDocuments({ db: trx }, uuid, {
      documents: JSON.stringify(values.documents),
      fetched_at: by.now + 1,
    })
  return uuid
}

async function makeDirectory({ store, by, row }: Making, other: string | undefined): Promise<string | null> {
  const { directory } = entryOf(row)
  const { organisation_uuid, token_hash: hash } = row
  if (directory === undefined || hash === null) return null
  by.authority.requires('iam.directories.create')
  by.authority.requires('iam.directories.update')
  const code = other ?? directory.code
  const columns = newColumns(directoryThing, { organisation_uuid, code, name: 'SCIM' })
  const { uuid } = newOf(await createDirectory(store, by, columns, undefined))
  await addToken(store, by, { uuid, hash, expiresAt: by.now + tokenFor }, undefined)
  return uuid
}
