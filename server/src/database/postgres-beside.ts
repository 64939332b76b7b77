/** Connections to PostgreSQL beside the pool. */
import { Socket } from 'node:net'
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { Beside } from './postgres-watch.ts'
import type { Schema } from './schema.ts'

/** Opens a connection that waits at most `patience` ms for an answer; without it, as long as it takes. */
export async function openBeside(url: string, patience?: number): Promise<Beside> {
  const limits = patience === undefined ? {} : { query_timeout: patience, connectionTimeoutMillis: patience }
  const socket = new Socket()
  const client = new pg.Client({
    connectionString: url,
    stream: () => socket,
    application_name: 'tessera',
    keepAlive: true,
    ...limits,
  })
  // One that breaks fails its next query.
  client.on('error', () => undefined)
  await client.connect()
  return {
    query: client.query.bind(client) as Beside['query'],
    end() {
      // A goodbye that nobody answers must not keep the process, nor the socket.
      socket.unref()
      setTimeout(() => socket.destroy(), 1000).unref()
      client.end().catch(() => undefined)
    },
  }
}

/** Works in a transaction on such a connection. */
export async function transactionOn(
  client: Beside,
  work: (trx: Kysely<Schema>) => Promise<void>,
): Promise<void> {
  const taken = { query: client.query.bind(client), release: () => undefined } as PostgresPoolClient
  const pool = { connect: async () => taken, end: async () => undefined }
  await new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }).transaction().execute(work)
}
