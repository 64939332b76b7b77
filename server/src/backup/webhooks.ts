import type { DatabaseSyncInstance } from '@photostructure/sqlite'

/** The tables of webhooks that a restore joins, so that nothing is sent twice. */
export const joinedTables = new Set(['webhook_deliveries', 'webhook_outbox'])

/** Keeps the deliveries aside, before their webhooks are replaced. */
export function keepDeliveries(connection: DatabaseSyncInstance): void {
  connection.exec('create temp table kept_deliveries as select * from main.webhook_deliveries')
}

/**
 * Joins the deliveries of the database and of an attached backup, for the webhooks of the backup, after the audits were
 * joined. Of two versions of a delivery the database's counts, which is later. When the backup's records have new
 * numbers, its deliveries are dropped, and its webhooks begin with the next record.
 */
export function joinOutbox(
  connection: DatabaseSyncInstance,
  { sameNumbers }: { sameNumbers: boolean },
): void {
  connection.exec(
    `insert or ignore into main.webhook_deliveries
     select * from kept_deliveries where webhook_uuid in (select uuid from main.webhooks)`,
  )
  connection.exec('drop table kept_deliveries')
  if (sameNumbers) {
    connection.exec('insert or ignore into main.webhook_deliveries select * from backup.webhook_deliveries')
    connection.exec(
      `update main.webhook_outbox
       set position = max(position, (select position from backup.webhook_outbox where name = 'audit'))`,
    )
    return
  }
  const end = "(select sequence from main.audit_head where name = 'chain')"
  connection.exec(`update main.webhook_outbox set position = ${end}`)
  connection.exec(`update main.webhooks set since = ${end}`)
}
