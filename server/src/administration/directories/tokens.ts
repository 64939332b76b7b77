import type { Store } from '../../database/store.ts'
import type { After, Page } from '../../database/page.ts'
import { pageBy } from '../../database/page.ts'
import { rowsOf } from '../../database/rows.ts'
import { newId } from '../../protocol/identifier.ts'
import { notFound, Problem, wrongField } from '../../protocol/problem.ts'
import { writeChange } from '../../store/write/write.ts'
import type { Authority } from '../authority.ts'
import type { By, Row, Transacting } from '../by.ts'
import { changeOnce, type Created, type Repeatable } from '../change.ts'
import { checkOpened } from '../mapped.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'
import { changeOne, toChange, toldOf } from '../resource.ts'
import { compared } from '../version.ts'
import { directories, type DirectoryThing } from './verbs.ts'

export type DirectoryToken = Row<'directory_tokens'>

/** Tokens that count at a time: the old and the new of a rotation. */
const most = 2
const longest = 2 * 366 * 24 * 3_600_000

/** The tokens of a directory, never their text. Throws `not_found`. */
export async function listTokens(
  { db }: Store,
  { uuid, authority }: { uuid: string; authority: Authority },
  after: After,
  limit: number,
): Promise<Page<DirectoryToken>> {
  if ((await directories.find(db, uuid, authority)) === undefined) throw notFound('directory')
  return await pageBy(rowsOf(db, 'directory_tokens', { directory_uuid: uuid }), ['id'], { after, limit })
}

/**
 * Gives a directory another token. Throws when two count, and unless who asks could give all that the directory opens.
 * Concurrency: see `change`; of parallel calls none adds a third.
 */
export async function addToken(
  store: Store,
  by: By,
  { uuid, hash, expiresAt }: { uuid: string; hash: string; expiresAt: number },
  repeatable: Repeatable<DirectoryToken> | undefined,
): Promise<Created<DirectoryToken>> {
  if (expiresAt <= by.now || expiresAt > by.now + longest)
    throw wrongField('expires_at', 'It is in the future, and at most two years from now.')
  return await changeOnce(store, by, repeatable, async (trx) => {
    const before = await toChange(trx, directories, { id: uuid, versions: undefined }, by)
    await checkOpened(trx, by, before)
    await makeRoomForToken(trx, uuid, by.now)
    wantRecentSignIn(by)
    const row = { id: newId(by.now), directory_uuid: uuid, hash, expires_at: expiresAt }
    const made = { ...row, created_at: by.now, last_used_at: null }
    await trx.insertInto('directory_tokens').values(made).execute()
    const { limitedReach: limited_reach } = by.authority
    const after = await touched(trx, by, before, limited_reach === 1 ? { limited_reach } : {})
    return { result: made, told: { ...(await toldOf(trx, directories, by, { before, after })), ...besides } }
  })
}

/** No file manages the tokens: they are rotated at once. */
const besides = { secrets: ['tokens'], managedBy: null }

async function makeRoomForToken(trx: Transacting, directory_uuid: string, now: number): Promise<void> {
  await trx
    .deleteFrom('directory_tokens')
    .where('directory_uuid', '=', directory_uuid)
    .where('expires_at', '<=', now)
    .execute()
  const left = await rowsOf(trx, 'directory_tokens', { directory_uuid }).execute()
  if (left.length >= most)
    throw new Problem(
      'conflict',
      'The directory has two tokens. Revoke the one that is not used any more first.',
    )
}

/** Revokes a token at once. */
export async function removeToken(store: Store, by: By, uuid: string, id: string): Promise<void> {
  const remove = async (trx: Transacting, before: DirectoryThing) => {
    const { numDeletedRows } = await trx
      .deleteFrom('directory_tokens')
      .where('directory_uuid', '=', uuid)
      .where('id', '=', id)
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('token')
    return await touched(trx, by, before)
  }
  await changeOne(store, by, directories, { id: uuid, versions: undefined }, remove, besides)
}

const touched = async (
  trx: Transacting,
  by: By,
  before: DirectoryThing,
  set: Partial<DirectoryThing> = {},
): Promise<DirectoryThing> =>
  await writeChange(trx, 'directories', before, { ...set, updated_at: by.now }, compared(by))
