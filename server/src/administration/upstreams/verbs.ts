import { randomUUID } from 'node:crypto'
import { saidOf, shownOf } from '../../catalogue/columns.ts'
import type { AuditEvent } from '../../audit/record.ts'
import type { ChangesOf, ColumnsOf } from '../../catalogue/thing.ts'
import { upstream as catalogued } from '../../catalogue/upstream.ts'
import { rowsOf } from '../../database/rows.ts'
import type { Store } from '../../database/store.ts'
import { notValid, Problem, wrongField } from '../../protocol/problem.ts'
import { encryptedUpstream } from '../../keys/upstream-secret.ts'
import { upstreamProblems } from '../../protocol/upstream-rules.ts'
import { isUuid } from '../../protocol/values.ts'
import { writeChange, writeNew, writeRemoval } from '../../store/write/write.ts'
import { endUpstream } from '../../upstream/ended.ts'
import { remapUpstream } from '../../upstream/remapped.ts'
import type { By, Row, Transacting } from '../by.ts'
import { type Created, originOf, type Repeatable } from '../change.ts'
import { checkOpened } from '../mapped.ts'
import { findOwned } from '../owned.ts'
import { checkOwner } from '../placement.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'
import { changeOne, createOne, type One, removeOne, type Resource } from '../resource.ts'
import { compared, differs } from '../version.ts'
import { newPrivateKey, secretColumn, type UpstreamSecretBody } from './secrets.ts'

export type Upstream = Row<'upstreams'>

export const upstreams: Resource<Upstream> = {
  thing: 'upstream',
  path: '/upstreams',
  key: 'uuid',
  isId: isUuid,
  find: async (db, uuid, { reach }) => await findOwned(db, 'upstreams', uuid, reach),
  shown: (row) => shownOf(catalogued, row),
  about: (_trx, { uuid: id, organisation_uuid, managed_by: managedBy }) => ({
    id,
    organisation_uuid,
    managedBy,
  }),
}

/** What is sent beside the columns, and what encrypts it. */
interface SentSecret {
  said: UpstreamSecretBody
  secret: string
}

/** What there was of an upstream before it counts: its addresses and its certificate were registered by that. */
export type UpstreamDraft = Pick<Upstream, 'uuid' | 'secret' | 'private_key' | 'created_at'>

/** Adds an upstream. Throws unless who asks could give all that it opens. */
export async function createUpstream(
  store: Store,
  by: By,
  columns: ColumnsOf<typeof catalogued>,
  { said, secret }: SentSecret,
  repeatable: Repeatable<Upstream> | undefined,
  draft?: UpstreamDraft,
): Promise<Created<Upstream>> {
  checkTogether(columns, said)
  const { organisation_uuid, code } = columns
  const kept = draft ?? (await newDraft(columns, { said, secret }, by.now))
  const create = async (trx: Transacting) => {
    await checkOwner(trx, 'upstream', organisation_uuid, by.authority)
    if (columns.assurance_trusted === 1) by.authority.changesEverything()
    await checkOpened(trx, by, columns)
    const same = await rowsOf(trx, 'upstreams', { code }).execute()
    if (same.some((row) => row.organisation_uuid === organisation_uuid))
      throw wrongField('code', 'Another upstream of it has this code.', 'conflict')
    await makeRoom(trx, organisation_uuid)
    wantRecentSignIn(by)
    const { now } = by
    const whole = { ...columns, ...kept, updated_at: now }
    return await writeNew(trx, 'upstreams', whole, compared(by))
  }
  return await createOne(store, by, upstreams, repeatable, create, kept.secret ? ['client_secret'] : [])
}

/** Upstreams of one organisation at the most: each process keeps all of them in memory. */
const most = 50

async function makeRoom(trx: Transacting, organisation_uuid: string | null): Promise<void> {
  if (organisation_uuid === null) return
  if ((await upstreamsOf(trx, organisation_uuid)).length >= most)
    throw new Problem(
      'conflict',
      `The organisation has ${most} upstreams. Remove one that is not used first.`,
    )
}

async function newDraft(
  { kind }: ColumnsOf<typeof catalogued>,
  { said, secret }: SentSecret,
  now: number,
): Promise<UpstreamDraft> {
  const uuid = randomUUID()
  const private_key = await newPrivateKey(kind, uuid, (text, of, what) =>
    encryptedUpstream(text, of, what, secret),
  )
  return { uuid, secret: null, ...secretColumn(said, uuid, secret), private_key, created_at: now }
}

/** What opens nothing, whatever it is. */
const harmless = new Set(['name', 'secret_expires_at', 'logout', 'assurance_trusted'])

/**
 * Changes an upstream. Throws where the change opens something, unless who asks could give all that it opens. What
 * `assurance` says is trusted no more when it says something else.
 */
export async function updateUpstream(
  store: Store,
  by: By,
  one: One,
  changes: ChangesOf<typeof catalogued>,
  { said, secret }: SentSecret,
): Promise<Upstream> {
  const kept = secretColumn(said, one.id, secret)
  const besides = kept.secret === undefined ? {} : { secrets: ['client_secret'] }
  const change = async (
    trx: Transacting,
    before: Upstream,
  ): Promise<Upstream | readonly [Upstream, readonly AuditEvent[]]> => {
    const set = { ...changes, ...kept, ...trustOf(before, changes) }
    if (!differs(before, set)) return before
    checkTogether({ ...before, ...set }, said)
    if (set.assurance_trusted === 1 && set.assurance_trusted !== before.assurance_trusted)
      by.authority.changesEverything()
    const old = new Map<string, unknown>(Object.entries(before))
    const opening = Object.entries(set).filter(
      ([name, value]) => value !== undefined && value !== old.get(name),
    )
    if (opening.some(([name]) => !harmless.has(name))) {
      // The caller must be able to open what it opened before, too.
      await checkOpened(trx, by, { ...before, ...set })
      wantRecentSignIn(by)
    }
    const after = await writeChange(trx, 'upstreams', before, { ...set, updated_at: by.now }, compared(by))
    const isMoved = after.mapping !== before.mapping || after.recheck_days !== before.recheck_days
    return isMoved ? [after, await remapUpstream(trx, after, by.now)] : after
  }
  return await changeOne(store, by, upstreams, one, change, besides)
}

/** The trust in `assurance` ends with what it was given for. */
const trustOf = (
  before: Upstream,
  { assurance, assurance_trusted }: ChangesOf<typeof catalogued>,
): Pick<ChangesOf<typeof catalogued>, 'assurance_trusted'> =>
  assurance === undefined || assurance === before.assurance
    ? {}
    : { assurance_trusted: assurance_trusted ?? 0 }

/** Removes an upstream, with its links and with what it gives. */
export async function deleteUpstream(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, upstreams, one, async (trx, before) => {
    await checkOpened(trx, by, { ...before, mapping: '[]' })
    const events = await endUpstream(trx, before, { now: by.now, by: originOf(by) })
    await writeRemoval(trx, 'upstreams', before, compared(by))
    return { events }
  })
}

/** Throws what is wrong with the fields together. Secrets are asked for by their names in the body. */
function checkTogether(row: ColumnsOf<typeof catalogued>, said: UpstreamSecretBody): void {
  const whole = { ...saidOf(catalogued, row), ...said }
  const { kind, ...fields } = whole
  const problems = upstreamProblems({ kind: kind ?? 'oidc', ...fields })
  if (problems.length > 0) throw notValid(problems)
}

/** The upstreams of an organisation. */
export const upstreamsOf = async (trx: Transacting, organisation_uuid: string): Promise<Upstream[]> =>
  await rowsOf(trx, 'upstreams', { organisation_uuid }).execute()
