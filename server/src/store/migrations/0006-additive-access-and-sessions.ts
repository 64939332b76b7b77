import type { Kysely } from 'kysely'

/** additive: indexes for the question who holds a permission, and for lists of token families and consents. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const index = async (name: string, table: string, columns: string[]) =>
    await db.schema.createIndex(name).on(table).columns(columns).execute()
  await index('profiles_unit_role', 'profiles', ['unit_uuid', 'role_code', 'uuid'])
  await index('token_families_client', 'token_families', ['client_id', 'id'])
  await index('consents_client', 'consents', ['client_id', 'user_uuid'])
}
