import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Parameters } from '../protocol/parameters.ts'

/** More than a picture may have, so that one that is a little too large is told so on its page. */
const mostBytes = 256 * 1024

/** Forms with a file, whose bytes are the parameter of its name, as base64. */
export function uploads(app: FastifyInstance): void {
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: mostBytes },
    async ({ headers }: FastifyRequest, body: Buffer<ArrayBuffer>) => {
      const sent = new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } })
      // A form that cannot be read has no field, so no CSRF token: it is refused for that.
      const form = await sent.formData().catch(() => new FormData())
      const fields = new URLSearchParams()
      for (const [name, value] of form)
        fields.append(
          name,
          typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64'),
        )
      return Parameters.parse(fields.toString())
    },
  )
}
