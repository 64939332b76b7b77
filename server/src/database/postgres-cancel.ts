/** Asks PostgreSQL to end what a connection is at work on: closing the connection does not end it. */
import pg from 'pg'

/** A client as the driver has it; its types leave these fields out. */
interface CancelTarget {
  host: string
  port: number
  ssl: unknown
  sslNegotiation: unknown
  processID: number | null
  secretKey: number | null
}

interface Carrier extends NodeJS.EventEmitter {
  readonly stream: { destroy(): void; unref?(): void }
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: number): void
}

const makeCarrier = pg.Connection as unknown as new (config: object) => Carrier

/** The most time for the server to take it, ms. */
const patience = 1000

/** Yields when the server has passed it on, or does not answer. It goes by a connection of its own, as TLS asks for. */
export async function cancel(client: pg.PoolClient): Promise<void> {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = client as unknown as CancelTarget
  if (processID === null || secretKey === null) return
  const carrier = new makeCarrier({ ssl, sslNegotiation })
  const send = () => carrier.cancel(processID, secretKey)
  await new Promise<void>((resolve) => {
    const late = setTimeout(() => carrier.stream.destroy(), patience)
    carrier.on('error', () => carrier.stream.destroy())
    // The server closes it when it has done so.
    carrier.on('end', () => {
      clearTimeout(late)
      resolve()
    })
    carrier.on('connect', () => {
      if (!ssl) send()
      else if (sslNegotiation !== 'direct') carrier.requestSsl()
    })
    carrier.on('sslconnect', send)
    if (host.startsWith('/')) carrier.connect(`${host}/.s.PGSQL.${port}`)
    else carrier.connect(port, host)
  })
}
