import { createHash } from 'node:crypto'
import { moveRevision } from '../database/revision.ts'
import type { PictureRow } from '../database/schema-admin.ts'
import type { Store } from '../database/store.ts'
import { brandingOf } from '../protocol/branding.ts'
import type { Reading } from './in-transaction.ts'

/**
 * Pictures and logos that are served from here. Fields hold addresses: one of a picture here, or one elsewhere, from
 * where the picture is fetched once, in the background. Pages show what is here, and nothing else.
 */

const hour = 3_600_000
/** How often it is looked whether anything still shows a picture. */
export const day = 24 * hour

/** The image that a picture is made from, and the user of it; a logo has none. */
interface PictureSource {
  from: string | Buffer
  user_uuid?: string | undefined
}

/** One for each owner: what becomes of somebody else's picture changes nothing. */
const pictureId = ({ from, user_uuid = '' }: PictureSource): string =>
  createHash('sha256').update(`${user_uuid} `).update(from).digest('hex')

export const picturePath = (id: string) => `/pictures/${id}`

/** The id of a picture here, by its address. */
const ownId = (address: string): string | undefined => /\/pictures\/([0-9a-f]{64})$/.exec(address)?.[1]

/** The picture of an id. */
export async function findPicture({ db }: Pick<Store, 'db'>, id: string) {
  const row = await db
    .selectFrom('pictures')
    .select(['type', 'bytes'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (typeof row?.type !== 'string' || row.bytes === null) return undefined
  return { type: row.type, bytes: Buffer.from(row.bytes, 'base64') }
}

/** The path of the picture of an address; undefined: it is not here. */
export async function pictureAt(
  { db }: Pick<Reading, 'db'>,
  address: string | null | undefined,
  user_uuid?: string,
): Promise<string | undefined> {
  if (typeof address !== 'string') return undefined
  const ids = [ownId(address) ?? pictureId({ from: address, user_uuid })]
  const row = await db
    .selectFrom('pictures')
    .select('id')
    .where('id', 'in', ids)
    .where('bytes', 'is not', null)
    .executeTakeFirst()
  return row && picturePath(row.id)
}

/** The path of a person's picture, which is fetched when a page first wants to show it. */
export async function pictureOfUser(
  store: Store,
  { uuid, picture }: { uuid: string; picture: string | null },
  now: number,
): Promise<string | undefined> {
  if (picture === null) return undefined
  const path = await pictureAt(store, picture, uuid)
  if (path === undefined) await wantPictures(store, [picture], now, uuid)
  return path
}

/** Has these fetched that are neither here nor asked for already. */
export async function wantPictures(
  { db }: Pick<Store, 'db'>,
  addresses: readonly string[],
  now: number,
  user_uuid?: string,
): Promise<void> {
  for (const address of addresses) {
    if (ownId(address) !== undefined) continue
    const id = pictureId({ from: address, user_uuid })
    await db
      .insertInto('pictures')
      .values({ id, address, user_uuid: user_uuid ?? null, attempts: 0, next_at: now })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
  }
}

/**
 * Keeps a picture that was uploaded; yields its path. Earlier ones of the person go, but for the one that is shown: so
 * nobody fills the database. It goes where no field holds it a day later.
 */
export async function keepPicture(
  { db }: Pick<Store, 'db'>,
  { from, user_uuid, type }: { from: Buffer; user_uuid: string; type: string },
  now: number,
): Promise<string> {
  const id = pictureId({ from, user_uuid })
  const kept = { type, bytes: from.toString('base64'), next_at: now + day }
  const user = await db.selectFrom('users').select('picture').where('uuid', '=', user_uuid).executeTakeFirst()
  await db
    .deleteFrom('pictures')
    .where('user_uuid', '=', user_uuid)
    .where('address', 'is', null)
    .where('id', 'not in', [id, ownId(user?.picture ?? '') ?? id])
    .execute()
  await db
    .insertInto('pictures')
    .values({ id, user_uuid, attempts: 0, ...kept })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(kept))
    .execute()
  return picturePath(id)
}

/** Every address of a logo, from memory as long as nothing changed. */
export async function allLogos(store: Reading): Promise<readonly string[]> {
  return await store.cache.get('logos', async () => {
    const clients = await store.db
      .selectFrom('clients')
      .select('logo_uri')
      .where('logo_uri', 'is not', null)
      .execute()
    const brands = [
      ...(await store.db
        .selectFrom('organisations')
        .select('branding')
        .where('branding', 'is not', null)
        .execute()),
      ...(await store.db
        .selectFrom('installation')
        .select('kept as branding')
        .where('name', '=', 'branding')
        .execute()),
    ]
    const looks = brands.map(({ branding }) => brandingOf(branding) ?? {})
    const all = [...clients.map((one) => one.logo_uri), ...looks.flatMap((one) => [one.logo, one.logo_dark])]
    return [...new Set(all.filter((one) => typeof one === 'string'))]
  })
}

export type DuePicture = Pick<PictureRow, 'id' | 'address' | 'user_uuid' | 'attempts' | 'bytes'>

/** The next picture that is to be looked at, which no other process takes until then. */
export async function claimPicture(
  { db }: Pick<Store, 'db'>,
  { now, until }: { now: number; until: number },
): Promise<DuePicture | undefined> {
  const due = await db
    .selectFrom('pictures')
    .select(['id', 'next_at'])
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst()
  if (due === undefined) return undefined
  return await db
    .updateTable('pictures')
    .set({ next_at: until })
    .where('id', '=', due.id)
    .where('next_at', '=', due.next_at)
    .returning(['id', 'address', 'user_uuid', 'attempts', 'bytes'])
    .executeTakeFirst()
}

/** Whether a field still holds the address of a picture. */
export async function isShown(store: Reading, { id, address, user_uuid }: DuePicture): Promise<boolean> {
  const isIt = (one: string | null | undefined) =>
    typeof one === 'string' && (one === address || ownId(one) === id)
  if (user_uuid === null) return (await allLogos(store)).some(isIt)
  const user = await store.db
    .selectFrom('users')
    .select('picture')
    .where('uuid', '=', user_uuid)
    .executeTakeFirst()
  return isIt(user?.picture)
}

export const forgetPicture = async ({ db }: Pick<Store, 'db'>, id: string) =>
  await db.deleteFrom('pictures').where('id', '=', id).execute()

/** Writes what came of a look. A logo that is here now is on the next page. */
export async function notePicture(
  { db }: Pick<Store, 'db'>,
  id: string,
  set: Partial<Pick<PictureRow, 'type' | 'bytes' | 'problem' | 'attempts' | 'next_at'>>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('pictures')
      .set(set)
      .where('id', '=', id)
      .returning('user_uuid')
      .executeTakeFirst()
    if (set.bytes !== undefined && row?.user_uuid === null) await moveRevision(trx)
  })
}
