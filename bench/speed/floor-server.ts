/** The least that HTTP costs: a form comes in, and always the same bytes go out. `node:http` or `fastify`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'

const [, , which, headersText = '{}', body = ''] = process.argv
const headers = JSON.parse(headersText) as Record<string, string>

if (which === 'node:http') {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString())
      response.writeHead(form.get('grant_type') === 'client_credentials' ? 200 : 400, headers).end(body)
    })
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
} else {
  const app = Fastify()
  const parser = (
    _request: unknown,
    text: string | Buffer,
    done: (error: null, form: URLSearchParams) => void,
  ) => done(null, new URLSearchParams(String(text)))
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, parser)
  app.post<{ Body: URLSearchParams }>('/oauth2/token', (request, reply) => {
    const right = request.body.get('grant_type') === 'client_credentials'
    return reply
      .code(right ? 200 : 400)
      .headers(headers)
      .send(body)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  process.send?.((app.server.address() as AddressInfo).port)
}
