import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../harness/stores.ts'
import { createDatabase, type TestDatabase } from '../harness/databases.ts'

describe('a pooler before PostgreSQL', () => {
  let database: TestDatabase
  let pooler: Server
  let address: URL
  const ignored: string[] = []
  beforeAll(async () => {
    database = await createDatabase('postgres', 'tables')
    address = new URL(database.url)
    pooler = refusingParameters(Number(address.port), ignored)
    await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve))
    const at = pooler.address()
    address.port = String(typeof at === 'object' ? at?.port : 0)
  })
  afterAll(async () => {
    await new Promise((resolve) => pooler.close(resolve))
    await database.remove()
  })

  it('that refuses the time limits is named at the start, with what to set there', async () => {
    await expect(openStore(address.href)).rejects.toThrow(
      'The pooler before PostgreSQL refuses the time limits: set ignore_startup_parameters there as docs/operations.md says (unsupported startup parameter: statement_timeout).',
    )
    ignored.push('statement_timeout', 'idle_in_transaction_session_timeout')
    const store = await openStore(address.href)
    expect(await store.db.selectFrom('services').selectAll().execute()).toEqual([])
    await store.close()
  })
})

/** What PgBouncer takes by itself, beside what it is told to ignore. */
const known = ['user', 'database', 'application_name', 'client_encoding']

/** Reads the first message of a connection as PgBouncer does, and passes on what it does not refuse. */
function refusingParameters(port: number, ignored: readonly string[]): Server {
  return createServer((from: Socket) => {
    from.on('error', () => undefined)
    from.once('data', (first) => {
      const parameters = parametersOf(first)
      const refused = [...parameters.keys()].find((name) => !known.includes(name) && !ignored.includes(name))
      if (refused !== undefined) {
        from.end(refusal(`unsupported startup parameter: ${refused}`))
        return
      }
      for (const name of ignored) parameters.delete(name)
      const to = connect(port, '127.0.0.1')
      to.on('error', () => undefined)
      to.write(startup(parameters))
      from.pipe(to).pipe(from)
    })
  })
}

/** PostgreSQL, “Message Formats”: StartupMessage is a length, a version, and names and values that end with a zero. */
function parametersOf(message: Buffer): Map<string, string> {
  const texts = message.subarray(8, message.readInt32BE(0)).toString('utf8').split('\0')
  const pairs = new Map<string, string>()
  for (let at = 0; texts[at]; at += 2) pairs.set(texts[at] ?? '', texts[at + 1] ?? '')
  return pairs
}

function startup(parameters: ReadonlyMap<string, string>): Buffer {
  const texts = [...parameters].map(([name, value]) => `${name}\0${value}\0`).join('')
  const body = Buffer.from(`${texts}\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + body.length, 0)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, body])
}

/** ErrorResponse. */
function refusal(text: string): Buffer {
  const body = Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}
