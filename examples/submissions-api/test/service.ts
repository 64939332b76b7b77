import { listenTestIssuer } from '@tessera/guard/testing'
import { start } from '../src/server.ts'

export const audience = 'https://submissions.acme.example/api'
export const permissions = ['submissions-tool.vista-import.create', 'submissions-tool.vista-import.read']
export const acme = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01'
export const globex = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1b01'

type Issuer = Awaited<ReturnType<typeof listenTestIssuer>>

export interface Service {
  readonly issuer: Issuer
  readonly url: string
  /** Sends a file as that caller; the address and the type can be chosen. */
  send(
    token: string | undefined,
    body: string | Uint8Array<ArrayBuffer>,
    type?: string,
    path?: string,
  ): Promise<Response>
  list(token: string, path?: string): Promise<Response>
  close(): Promise<void>
}

/** The service on a free port, in front of an issuer on another. */
export async function startService(database = ':memory:'): Promise<Service> {
  const issuer = await listenTestIssuer({ audience })
  const service = await start({ port: 0, host: '127.0.0.1', issuer: issuer.issuer, audience, database })
  const bearer = (token: string | undefined) =>
    token === undefined ? {} : { authorization: `Bearer ${token}` }
  return {
    issuer,
    url: service.url,
    send: (token, body, type = 'application/json', path = '/submissions/vista-import') =>
      fetch(service.url + path, {
        method: 'POST',
        body,
        headers: { ...bearer(token), 'content-type': type },
      }),
    list: (token, path = '/submissions/vista-import') =>
      fetch(service.url + path, { headers: bearer(token) }),
    async close() {
      await service.close()
      await issuer.close()
    },
  }
}

/** A row that is fine; fields can be replaced, or left out with undefined. */
export function row(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    reference: 'VISTA-2024/0001',
    title: 'On the "quality" of data, and more',
    submitter_email: 'ada@acme.example',
    submitted_at: '2024-05-31',
    category: 'report',
    ...changes,
  }
}

export const file = (...rows: unknown[]) => JSON.stringify({ submissions: rows })
