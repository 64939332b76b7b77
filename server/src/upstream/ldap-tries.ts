import type { Store } from '../database/store.ts'
import { hashSecret } from '../protocol/identifier.ts'
import { knownDeviceOf } from '../store/devices.ts'
import { countTry, forgetTries, uncountTries } from '../store/upstream-tries.ts'
import type { Upstream } from './upstream.ts'

/** A password that was counted before the directory sees it. */
export interface Tries {
  /** False: it must not see it, though whoever typed it is told no more than that it is wrong. */
  mayBind: boolean
  takeBack(): Promise<void>
  forget(): Promise<void>
}

interface Tried {
  name: string
  device?: string | undefined
  /** The subject, or its DN where it has none; undefined: nobody has that name. */
  entry: string | undefined
}

/**
 * Counts a password by what was typed as the name, and by the entry, so that its other names give no further ones. Only
 * the first count is told, as `over`, because unknown names have it alike. A browser that signed this person in before
 * has counts of its own, so that a stranger can't lock its owner out. Unknown names ask the database as much.
 */
export async function ldapTries(
  store: Store,
  { uuid }: Pick<Upstream, 'uuid'>,
  { name, device, entry }: Tried,
  now: number,
): Promise<Tries | 'over'> {
  const typed = hashSecret(name.normalize('NFKC').trim().toLowerCase())
  const known = await knownBrowser(store, uuid, { device, subject: entry ?? '' })
  const key = (by: string) => `upstream ${hashSecret([uuid, by, known].join(' '))}`
  const byName = key(`name ${typed}`)
  if (!(await countTry(store, byName, now))) return 'over'
  const byEntry = key(entry === undefined ? `nobody ${typed}` : `entry ${entry}`)
  const mayBind = await countTry(store, byEntry, now)
  const counted = mayBind ? [byName, byEntry] : [byName]
  return {
    mayBind,
    takeBack: () => uncountTries(store, counted),
    forget: () => forgetTries(store, counted),
  }
}

async function knownBrowser(
  store: Store,
  upstream_uuid: string,
  { device, subject }: { device: string | undefined; subject: string },
): Promise<string> {
  if (device === undefined) return ''
  const link = await store.db
    .selectFrom('upstream_links')
    .select('user_uuid')
    .where('upstream_uuid', '=', upstream_uuid)
    .where('subject', '=', subject)
    .executeTakeFirst()
  const here = deviceAt({ uuid: upstream_uuid }, device)
  return (await store.read(knownDeviceOf(here, link?.user_uuid ?? 'nobody'))) ?? ''
}

/** What a browser is known by at an upstream: a proof of small reach makes none known elsewhere. */
export const deviceAt = ({ uuid }: Pick<Upstream, 'uuid'>, device: string): string => `${uuid} ${device}`
