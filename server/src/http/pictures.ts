import type { FastifyInstance } from 'fastify'
import type { Service } from '../service.ts'
import { findPicture, picturePath } from '../store/pictures.ts'
import { nothingHere } from './errors.ts'

/** GET /pictures/{id}: what it holds never changes. Opened by itself it is a picture and nothing else. */
export function pictures(app: FastifyInstance, { store }: Service): void {
  app.get<{ Params: { id: string } }>(picturePath(':id'), async ({ params: { id } }, reply) => {
    const picture = /^[0-9a-f]{64}$/.test(id) ? await findPicture(store, id) : undefined
    if (picture === undefined) throw nothingHere()
    reply
      .header('content-security-policy', "default-src 'none'; sandbox; frame-ancestors 'none'")
      .header('cache-control', 'public, max-age=31536000, immutable')
    return reply.type(picture.type).send(picture.bytes)
  })
}
