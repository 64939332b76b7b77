import { setTimeout as wait } from 'node:timers/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { expect, vi } from 'vitest'
import { acme, type Administrator } from '../administration/support.ts'

/** What a receiver got. */
export interface Received {
  id: string
  headers: IncomingHttpHeaders
  body: string
}

/** Receives webhooks as others do: each path is a receiver of its own, which can be told what to answer. */
export class Receiver {
  readonly #received = new Map<string, Received[]>()
  /** By path: what is answered; `hang` never answers. */
  readonly answers = new Map<string, number | 'hang'>()
  readonly #server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const path = request.url ?? ''
    const id = String(request.headers['webhook-id'])
    this.at(path).push({ id, headers: request.headers, body })
    const answer = this.answers.get(path) ?? 204
    if (answer === 'hang') return
    response.writeHead(answer, answer === 302 ? { location: '/elsewhere' } : {}).end()
  })
  url = ''

  async listen(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done))
    const address = this.#server.address()
    this.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  }

  at(path: string): Received[] {
    const there = this.#received.get(path) ?? []
    this.#received.set(path, there)
    return there
  }

  async got(path: string, count: number): Promise<Received[]> {
    await vi.waitFor(() => expect(this.at(path)).toHaveLength(count), { timeout: 60_000, interval: 25 })
    return this.at(path)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

export interface Subscription {
  uuid: string
  path: string
  at: string
  secret: string
  etag: string
}

let number = 0

/** Adds a webhook on a path of its own. */
export async function subscribe(
  admin: Administrator,
  receiver: Receiver,
  kinds: readonly string[],
  more: object = {},
): Promise<Subscription> {
  const path = `/receiver-${++number}`
  const made = await admin.post('/webhooks', { url: `${receiver.url}${path}`, kinds, ...more })
  if (made.status !== 201) throw new Error(`No webhook but ${made.status}: ${made.text}`)
  const { uuid, secret } = made.json as { uuid: string; secret: string }
  return { uuid, path, secret, at: `/webhooks/${uuid}`, etag: made.etag }
}

/** Waits until the service has looked at all that was due when it is called. */
export function settledFor(receiver: Receiver, admin: () => Administrator): () => Promise<void> {
  let sentinel: Subscription | undefined
  return async () => {
    sentinel ??= await subscribe(admin(), receiver, ['role.removed'])
    const before = receiver.at(sentinel.path).length
    await admin().post(`${sentinel.at}/test`, {})
    await receiver.got(sentinel.path, before + 1)
    await wait(200)
  }
}

/** Makes something happen in an organisation: a unit is added; yields its code. */
export async function happen(admin: Administrator, organisation = acme): Promise<string> {
  const code = `u${++number}`
  const made = await admin.post('/units', { organisation_uuid: organisation, code, name: 'Unit' })
  if (made.status !== 201) throw new Error(`No unit but ${made.status}: ${made.text}`)
  return code
}

/** As the library of Standard Webhooks, which we did not write, has it. Throws when it is not signed with the secret. */
export const verified = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as {
    type: string
    timestamp: string
    data: Record<string, unknown>
  }

export interface Delivery {
  id: string
  kind: string
  state: string
  attempts: number
  next_at: string | null
  last_status: number | null
  last_error: string | null
}

export const deliveriesOf = async (admin: Administrator, at: string, state = '') =>
  (await admin.all(`${at}/deliveries${state && `?state=${state}`}`)) as unknown as Delivery[]

/** Waits for a delivery to become so. */
export async function becomes(
  admin: Administrator,
  at: string,
  expected: Partial<Delivery>,
): Promise<Delivery> {
  return await vi.waitFor(
    async () => {
      const [one] = await deliveriesOf(admin, at)
      expect(one).toMatchObject(expected)
      return one as Delivery
    },
    { timeout: 60_000, interval: 50 },
  )
}
