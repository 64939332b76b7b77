import type { DeclaredRow } from './state.ts'
import { provesNothing } from '../protocol/client-type.ts'
import { newId } from '../protocol/identifier.ts'
import type { Owning } from './adoption.ts'
import { byKey } from '../access/by-key.ts'
import type { Comparison } from './comparison.ts'
import type { DeclaredClient } from './declared.ts'

type Secret = DeclaredRow<'client_secrets'>

interface OfClient {
  before: DeclaredRow<'clients'> | undefined
  stored: readonly Secret[]
}

/**
 * A client gets the secrets that the file names; one that proves nothing has none. Where the file names none, the stored ones
 * stay, except those of an adopted client that somebody of limited reach had set. Tells whether they change, and what
 * an adoption keeps and ends.
 */
export function compareSecrets(
  comparison: Comparison,
  client: DeclaredClient,
  { before, stored }: OfClient,
): { changed: boolean; owning: Owning } {
  const { now } = comparison.settings
  const adopts = comparison.adopts(before)
  const isForeign = adopts && (before?.limited_reach !== 0 || stored.some(isLimited))
  if (isForeign) comparison.disowned.clients.push(client.client_id)
  const secrets = provesNothing(client.type) ? [] : client.secrets
  const given = secrets !== undefined && giveSecrets(comparison, client.client_id, secrets, stored)
  const named = new Set(secrets?.map((one) => one.hash))
  const unnamed = stored.filter((row) => !named.has(row.secret_hash))
  const going = secrets === undefined ? unnamed.filter((row) => adopts && isLimited(row)) : unnamed
  // A secret that has ended is not told of.
  const told = going.filter((row) => provesNothing(client.type) || counts(row, now))
  for (const row of told) comparison.remove('client_secrets', row)
  const stays = unnamed.some((row) => counts(row, now) && !going.includes(row))
  return {
    changed: given || told.length > 0,
    owning: {
      keeps: stays ? ['client_secret'] : [],
      loses: [...(told.length > 0 ? secret : []), ...(isForeign ? givenBy(client) : [])],
    },
  }
}

const secret = ['client_secret'] as const

const givenBy = ({ type }: DeclaredClient) =>
  type === 'machine' ? (['tokens'] as const) : (['tokens', 'consents'] as const)

const isLimited = (row: Secret) => row.limited_reach !== 0

const counts = ({ expires_at: end }: Secret, now: number) => end === null || end > now

/** True when one of them is new or ends at another time. */
function giveSecrets(
  comparison: Comparison,
  client_id: string,
  secrets: NonNullable<DeclaredClient['secrets']>,
  stored: readonly Secret[],
): boolean {
  const { now } = comparison.settings
  const byHash = byKey(stored, (row) => row.secret_hash)
  let changed = byHash.size < stored.length
  for (const { hash: secret_hash, expiresAt: expires_at } of secrets) {
    const before = byHash.get(secret_hash)
    if (before === undefined) {
      const row = { id: newId(now), client_id, secret_hash, created_at: now, expires_at }
      comparison.create('client_secrets', { ...row, limited_reach: 0 })
      changed = true
    } else if (comparison.update('client_secrets', before, { expires_at })) {
      changed = true
    }
  }
  return changed
}
