import { type Origin, record } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import { type UpstreamSecret, upstreamSecrets } from '../keys/upstream-secret.ts'

/** An encrypted secret of an upstream. */
export interface KeptUpstreamSecret {
  uuid: string
  of: UpstreamSecret
  stored: string
}

/** The secrets of upstreams, and of the drafts that organisations enter by set-up links: a uuid is in one of the two. */
export async function allUpstreamSecrets({ db }: Store): Promise<KeptUpstreamSecret[]> {
  const upstreams = db.selectFrom('upstreams').select(['uuid', ...upstreamSecrets])
  const drafts = db
    .selectFrom('upstream_invitations')
    .select(['upstream_uuid as uuid', ...upstreamSecrets])
    .where('private_key', 'is not', null)
  const rows = [...(await upstreams.orderBy('uuid').execute()), ...(await drafts.execute())]
  return rows.flatMap(({ uuid, ...kept }) =>
    upstreamSecrets.flatMap((of) => {
      const stored = kept[of]
      return stored === null ? [] : [{ uuid, of, stored }]
    }),
  )
}

/** Replaces an encrypted secret, and records that. Concurrency: nothing happens when another process did so first. */
export async function reencryptUpstream(
  store: Store,
  { uuid, of, stored }: KeptUpstreamSecret,
  { to, now, by }: { to: string; now: number; by: Origin },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const row =
      (await trx
        .updateTable('upstreams')
        .set({ [of]: to })
        .where('uuid', '=', uuid)
        .where(of, '=', stored)
        .returning('organisation_uuid')
        .executeTakeFirst()) ??
      (await trx
        .updateTable('upstream_invitations')
        .set({ [of]: to })
        .where('upstream_uuid', '=', uuid)
        .where(of, '=', stored)
        .returning('organisation_uuid')
        .executeTakeFirst())
    if (row === undefined) return
    const event = { at: now, kind: 'upstream_secret.reencrypted' as const, ...by }
    const about = {
      target: { kind: 'upstream', id: uuid },
      organisation_uuid: row.organisation_uuid ?? undefined,
    }
    await record(store, { ...event, ...about, detail: { of } }, trx)
  })
}
