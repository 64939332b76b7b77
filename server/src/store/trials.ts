import type { Prompt } from '../protocol/authorize-parameters.ts'
import type { Scope } from '../protocol/scope.ts'
import type { Store } from '../database/store.ts'
import { changeLink, makeLink, readLink, takeLink } from './links.ts'

/** A sign-in through a client that gives nothing, begun by an administrator for themself. One for each person. */
export interface Trial {
  clientId: string
  userUuid: string
  /** The session of the person who asked: no other opens it. */
  sid: string
  scopes: readonly Scope[]
  resource?: string | undefined
  profileUuid?: string | undefined
  prompt: Prompt[]
  outcome?: TrialOutcome | undefined
}

export type TrialOutcome =
  | { profileUuid: string; acr: string; amr: readonly string[]; authTime: number }
  | { error: string; description: string }

/** How long a trial can be opened, ms. */
const trialLifetime = 10 * 60_000
/** How long an opened trial can be read, ms. */
const triedLifetime = 3_600_000

/** Makes a trial, in the place of an earlier one. Concurrency: see `makeLink`. */
export async function makeTrial(
  store: Store,
  trial: Trial,
  now: number,
): Promise<{ trial: string; expiresAt: number }> {
  const { userUuid: user_uuid } = trial
  const expiresAt = now + trialLifetime
  const about = { purpose: 'trial', subject: user_uuid, user_uuid, data: trial } as const
  return { trial: await makeLink(store.db, { ...about, now, expiresAt }), expiresAt }
}

/**
 * Opens a trial for the session that asked for it; undefined: it is unknown, over, opened before, or another's, whom it
 * does not end. Concurrency: see `takeLink`.
 */
export async function beginTrial(
  store: Store,
  text: string,
  { user_uuid, sid, now }: { user_uuid: string; sid: string; now: number },
): Promise<Trial | undefined> {
  return await store.db.transaction().execute(async (trx) => {
    const found = await readLink(trx, 'trial', text, now)
    const trial = found?.data as Trial | undefined
    if (trial?.userUuid !== user_uuid || trial.sid !== sid) return undefined
    if ((await takeLink(trx, 'trial', text, now)) === undefined) return undefined
    const times = { now, expiresAt: now + triedLifetime }
    await makeLink(trx, { purpose: 'tried', subject: user_uuid, user_uuid, data: trial, text, ...times })
    return trial
  })
}

/** Notes what came of a trial that was opened. */
export const noteOutcome = ({ db }: Store, text: string, outcome: TrialOutcome, now: number): Promise<void> =>
  changeLink(db, 'tried', text, now, (data) => ({ ...(data as Trial), outcome }))

/** The trial of a person, opened or not. */
export async function findTrial(
  { db }: Store,
  text: string,
  { user_uuid, now }: { user_uuid: string; now: number },
): Promise<{ trial: Trial; opened: boolean; expiresAt: number } | undefined> {
  for (const purpose of ['trial', 'tried'] as const) {
    const found = await readLink(db, purpose, text, now)
    const trial = found?.data as Trial | undefined
    if (found !== undefined && trial?.userUuid === user_uuid)
      return { trial, opened: purpose === 'tried', expiresAt: found.expiresAt }
  }
  return undefined
}
