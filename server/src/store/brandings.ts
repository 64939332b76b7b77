import { type Branding, brandingOf } from '../protocol/branding.ts'
import type { Reading } from './in-transaction.ts'
import { pictureAt } from './pictures.ts'

/**
 * How an organisation looks, or the installation where it says nothing of itself, from memory as long as nothing changed.
 * Logos are given by their paths, where they are here.
 */
export async function brandingFor(store: Reading, organisation_uuid?: string | null): Promise<Branding> {
  return await store.cache.get(`branding ${organisation_uuid ?? ''}`, async () => {
    const own = typeof organisation_uuid === 'string' ? await ofOrganisation(store, organisation_uuid) : null
    const branding = brandingOf(own ?? (await ofInstallation(store))) ?? {}
    const [logo, logo_dark] = [
      await pictureAt(store, branding.logo),
      await pictureAt(store, branding.logo_dark),
    ]
    return { ...branding, logo, logo_dark }
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

/** The logo of a client, and the organisation that stands behind it with links of its own, for its consent page. */
export async function clientBranding(store: Reading, client_id: string) {
  const row = await store.db
    .selectFrom('clients')
    .leftJoin('organisations', 'organisations.uuid', 'clients.organisation_uuid')
    .select(['clients.logo_uri', 'organisations.name', 'organisations.branding'])
    .where('clients.client_id', '=', client_id)
    .executeTakeFirst()
  const { policy_uri, tos_uri } = brandingOf(row?.branding ?? null) ?? {}
  const publisher = row?.name ? { name: row.name, links: { policy_uri, tos_uri } } : undefined
  return { logo: await pictureAt(store, row?.logo_uri), publisher }
}
