import { type Kysely, sql } from 'kysely'

/** additive: finds resources that a directory removed by their externalId. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index scim_resources_removed on scim_resources (directory_uuid, kind, external_id)
    where deleted_at is not null`.execute(db)
}
