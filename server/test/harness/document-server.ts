import { createServer, type Server } from 'node:https'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { vi } from 'vitest'
import { certify } from './certificates.ts'

const authority = certify('An authority of documents', { authority: true })
const certificate = certify('documents', { host: 'localhost' }, authority)

/** Lets this process trust the host of the documents, as NODE_EXTRA_CA_CERTS lets another one. */
export function trustDocuments(): void {
  const { createSecureContext } = tls
  if (vi.isMockFunction(createSecureContext)) return
  vi.spyOn(tls, 'createSecureContext').mockImplementation((options) => {
    const made = createSecureContext(options)
    ;(made.context as { addCACert(pem: string): void }).addCACert(authority.certificate)
    return made
  })
}

/** A real https host with the document of a client, which may answer badly. */
export class DocumentServer {
  asked = 0
  status = 200
  headers: Record<string, string> = { 'content-type': 'application/json' }
  /** What stands in the document beside its client_id. */
  says: Record<string, unknown> = {}
  /** Instead of a document. */
  text: string | undefined
  /** Instead of an answer. */
  instead: ((response: ServerResponse) => void) | undefined
  readonly #server: Server = createServer(
    { key: certificate.key, cert: certificate.certificate },
    (request, response) => {
      this.asked += 1
      if (this.instead !== undefined) return this.instead(response)
      const document = { client_id: `${this.origin}${request.url}`, ...this.says }
      response.writeHead(this.status, this.headers).end(this.text ?? JSON.stringify(document))
    },
  )

  static async start(): Promise<DocumentServer> {
    trustDocuments()
    const started = new DocumentServer()
    await new Promise<void>((resolve) => started.#server.listen(0, 'localhost', resolve))
    started.reset()
    return started
  }

  get origin(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  /** A document as a program on this computer has it. */
  reset(): void {
    this.asked = 0
    this.status = 200
    this.headers = { 'content-type': 'application/json' }
    this.text = undefined
    this.instead = undefined
    this.says = {
      client_name: 'Agent',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback', `${this.origin}/callback`],
      token_endpoint_auth_method: 'none',
      logo_uri: `${this.origin}/logo.png`,
    }
  }

  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve)
      this.#server.closeAllConnections()
    })
  }
}
