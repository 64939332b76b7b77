import { type Branding, brandingOf } from '../protocol/branding.ts'
import type { Reading } from './in-transaction.ts'

/** How an organisation looks, or the installation where it says nothing of itself; from memory as long as nothing changed. */
export async function brandingFor(store: Reading, organisationUuid?: string): Promise<Branding> {
  return await store.cache.get(`branding ${organisationUuid ?? ''}`, async () => {
    const own = organisationUuid === undefined ? null : await ofOrganisation(store, organisationUuid)
    return brandingOf(own ?? (await ofInstallation(store))) ?? {}
  })
}

async function ofOrganisation({ db }: Reading, uuid: string): Promise<string | null> {
  const row = await db
    .selectFrom('organisations')
    .select('branding')
    .where('uuid', '=', uuid)
    .executeTakeFirst()
  return row?.branding ?? null
}

async function ofInstallation({ db }: Reading): Promise<string> {
  const row = await db
    .selectFrom('installation')
    .select('kept')
    .where('name', '=', 'branding')
    .executeTakeFirstOrThrow()
  return row.kept
}
