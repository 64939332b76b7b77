import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGuard, type Guard, type GuardOptions } from '../src/index.ts'
import { createTestIssuer, type TestIssuer } from '../src/testing.ts'

export const audience = 'https://submissions.acme.example/api'
export const create = 'submissions-tool.vista-import.create'
export const read = 'submissions-tool.vista-import.read'

/** A clock that stands still until it is moved. */
export interface Clock {
  ms: number
  now(): number
}

function createClock(ms = 1_800_000_000_000): Clock {
  return {
    ms,
    now() {
      return this.ms
    },
  }
}

type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => boolean

/** A real HTTP issuer whose requests are counted and which can be made to misbehave. */
export interface HttpIssuer extends TestIssuer {
  readonly clock: Clock
  /** Paths asked for, in order. */
  readonly requests: string[]
  /** Answers instead of the issuer when it returns true. */
  misbehave: Misbehaviour | undefined
  guard(options?: Partial<GuardOptions>): Guard
  /** How often the keys were asked for. */
  keyFetches(): number
  close(): Promise<void>
}

export async function startIssuer(): Promise<HttpIssuer> {
  const clock = createClock()
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    if (issuer.misbehave?.(request, response)) return
    void inner
      .fetch(`${inner.issuer}${request.url}`, {
        headers: {},
        redirect: 'manual',
        signal: AbortSignal.timeout(5000),
      })
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(await answer.text())
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const inner = await createTestIssuer({ issuer: url, audience, now: () => clock.now() })
  const issuer: HttpIssuer = {
    ...inner,
    clock,
    requests,
    misbehave: undefined,
    guard: (options) =>
      createGuard({ issuer: url, audience, now: () => clock.now(), onKeysFailure: () => {}, ...options }),
    keyFetches: () => requests.filter((path) => path === '/oauth2/jwks').length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return issuer
}

/** Answers every request to the issuer with this status and body. */
export function answerWith(status: number, body: string, headers: Record<string, string> = {}): Misbehaviour {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body)
    return true
  }
}

/** Answers as an issuer that is down: the connection is cut. */
export const down: Misbehaviour = (request) => {
  request.socket.destroy()
  return true
}

/** Replaces parts of a compact token: the header, the payload or the signature. */
export function reassemble(
  token: string,
  change: { header?: object; payload?: object; signature?: string },
): string {
  const [header = '', payload = '', signature = ''] = token.split('.')
  return [
    change.header === undefined ? header : encode({ ...decode(header), ...change.header }),
    change.payload === undefined ? payload : encode({ ...decode(payload), ...change.payload }),
    change.signature ?? signature,
  ].join('.')
}

export function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
}

export function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
