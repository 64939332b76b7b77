import { preparedRow } from '../database/prepared.ts'
import { lastly } from '../database/steps.ts'
import type { Store } from '../database/store.ts'
import { hashSecret, newId, newSecret } from '../protocol/identifier.ts'

/** What an answer to a challenge is for: it counts for nothing else. */
type ChallengePurpose = 'sign_in' | 'second_factor' | 'passkey' | 'security_key'

/** The holder of a challenge: the secret of the browser, and the person where one is known. */
export interface ChallengeBinding {
  purpose: ChallengePurpose
  browser: string
  user_uuid?: string | undefined
}

/** Keeps a new challenge of 256 random bits (WebAuthn Level 3 §13.4.3). One that is lost is asked for again. */
export async function keepChallenge(
  store: Store,
  { purpose, browser, user_uuid }: ChallengeBinding,
  { now, lifetime }: { now: number; lifetime: number },
): Promise<{ id: string; challenge: string }> {
  const [id, challenge] = [newId(now), newSecret()]
  const row = {
    id,
    challenge,
    purpose,
    bound_to: hashSecret(browser),
    user_uuid: user_uuid ?? null,
    expires_at: now + lifetime,
  }
  await store.db.insertInto('webauthn_challenges').values(row).execute()
  return { id, challenge }
}

interface Taken {
  id: string
  purpose: string
  boundTo: string
  now: number
}

const deleteChallenge = preparedRow<Taken, { challenge: string; user_uuid: string | null }>((db, slot) =>
  db
    .deleteFrom('webauthn_challenges')
    .where('id', '=', slot('id'))
    .where('purpose', '=', slot('purpose'))
    .where('bound_to', '=', slot('boundTo'))
    .where('expires_at', '>', slot('now'))
    .returning(['challenge', 'user_uuid']),
)

/**
 * The challenge with this id, which is used up by that; undefined when it is none for this purpose, browser and person.
 * Concurrency: one statement, so of any number of parallel answers one is evaluated.
 */
export async function takeChallenge(
  store: Store,
  { purpose, browser, user_uuid }: ChallengeBinding,
  { id, now }: { id: string; now: number },
): Promise<string | undefined> {
  const [row] = await store.write(() =>
    lastly(deleteChallenge({ id, purpose, boundTo: hashSecret(browser), now })),
  )
  return row !== undefined && (row.user_uuid ?? undefined) === user_uuid ? row.challenge : undefined
}
