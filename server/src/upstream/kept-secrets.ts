import { type Origin, record } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import { type UpstreamSecret, upstreamSecrets } from '../keys/upstream-secret.ts'

/** An encrypted secret of an upstream. */
export interface KeptUpstreamSecret {
  uuid: string
  of: UpstreamSecret
  stored: string
}

export async function allUpstreamSecrets(store: Store): Promise<KeptUpstreamSecret[]> {
  const rows = await store.db
    .selectFrom('upstreams')
    .select(['uuid', ...upstreamSecrets])
    .orderBy('uuid')
    .execute()
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
    const row = await trx
      .updateTable('upstreams')
      .set({ [of]: to })
      .where('uuid', '=', uuid)
      .where(of, '=', stored)
      .returning('organisation_uuid')
      .executeTakeFirst()
    if (row === undefined) return
    const event = { at: now, kind: 'upstream_secret.reencrypted' as const, ...by }
    const about = {
      target: { kind: 'upstream', id: uuid },
      organisation_uuid: row.organisation_uuid ?? undefined,
    }
    await record(store, { ...event, ...about, detail: { of } }, trx)
  })
}
