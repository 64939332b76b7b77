import * as z from 'zod'
import { signingAlgs } from '../protocol/signing-alg.ts'
import { allKeys, type StoredKey } from '../store/signing-keys.ts'
import { keyCursor, keyCursorText } from './cursor.ts'
import { isoTime, pageOf, paging } from './fields.ts'
import { route, type Route } from './route.ts'

const key = z.object({
  kid: z.string(),
  alg: z.enum(signingAlgs),
  created_at: z.iso.datetime(),
  signs_from: z.iso
    .datetime()
    .describe('It is published before, so that every verifier has fetched it by then.'),
  published_until: z.iso.datetime().nullable().describe('null: it has no successor yet.'),
})

export const keySchemas = { SigningKey: key, SigningKeyPage: pageOf(key) }

export const shownKey = (one: StoredKey): z.output<typeof key> => ({
  kid: one.kid,
  alg: one.alg,
  created_at: isoTime(one.createdAt),
  signs_from: isoTime(one.signsFrom),
  published_until: one.publishedUntil === undefined ? null : isoTime(one.publishedUntil),
})

export const keyRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/keys',
    permission: 'iam.keys.read',
    summary: 'List signing keys',
    description: 'Oldest first, retired ones too. Public keys are at `/oauth2/jwks`, private ones nowhere.',
    answers: 'SigningKeyPage',
    query: z.strictObject(paging),
    async handle({ service, query: { cursor, limit } }) {
      const after = keyCursor(cursor)
      const keys = await allKeys(service.store)
      const begin = after === undefined ? 0 : keys.findIndex((one) => one.kid === after) + 1
      const page = keys.slice(begin, begin + limit)
      const next = begin + limit < keys.length ? page.at(-1)?.kid : undefined
      return { status: 200, body: { items: page.map(shownKey), next_cursor: keyCursorText(next) } }
    },
  }),
  route({
    method: 'POST',
    path: '/keys',
    permission: 'iam.keys.create',
    summary: 'Rotate the signing keys',
    description:
      'Adds a key of each algorithm, which is published at once and signs when every verifier has had time to fetch it. For whoever administers the whole installation. Requests at the same time rotate once.',
    answers: 'SigningKeyPage',
    repeatable: false,
    refusals: ['forbidden'],
    body: z.strictObject({}),
    async handle({ service, actor, by }) {
      actor.changesInstallation()
      await service.keys.rotate(by)
      const keys = await allKeys(service.store)
      return { status: 201, location: '/keys', body: { items: keys.map(shownKey), next_cursor: null } }
    },
  }),
]
