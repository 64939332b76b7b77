import { type Branding, brandingOf } from '../protocol/branding.ts'
import type { Reading } from './in-transaction.ts'

/** How an organisation looks, from memory as long as nothing changed. */
export async function brandingOfOrganisation(
  store: Reading,
  uuid: string | undefined,
): Promise<Branding | undefined> {
  if (uuid === undefined) return undefined
  const branding = await store.cache.get(`branding ${uuid}`, async () => {
    const row = await store.db
      .selectFrom('organisations')
      .select('branding')
      .where('uuid', '=', uuid)
      .executeTakeFirst()
    return brandingOf(row?.branding ?? null) ?? {}
  })
  return branding
}
