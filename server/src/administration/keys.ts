import * as z from 'zod'
import { shownOf } from '../catalogue/columns.ts'
import { anyText, choice } from '../catalogue/kinds.ts'
import { shownSchema } from '../catalogue/schemas.ts'
import { defined, time } from '../catalogue/thing.ts'
import { keyTimes } from '../keys/key-times.ts'
import { signingAlgs } from '../protocol/signing-alg.ts'
import { allKeys, type StoredKey } from '../keys/kept-keys.ts'
import { pageOf } from './fields.ts'
import { firstOf } from '../database/page.ts'
import { wantRecentSignIn } from './recent-sign-in.ts'
import { listRoute } from './resource-routes.ts'
import { route, type Route } from './route.ts'

const key = defined({
  kid: { kind: anyText() },
  alg: { kind: choice(...signingAlgs) },
  created_at: time,
  signs_from: {
    ...time,
    description: 'It is published before, so that every verifier has fetched it by then.',
  },
  published_until: { ...time, nullable: true, description: 'null: it has no successor yet.' },
})
const shown = shownSchema(key)

export const keySchemas = { SigningKey: shown, SigningKeyPage: pageOf(shown) }

export const shownKey = (one: StoredKey) => shownOf(key, one)

export const keyRoutes: Route[] = [
  listRoute({
    path: '/keys',
    permission: 'iam.keys.read',
    summary: 'List signing keys',
    description: 'Oldest first, retired ones too. Public keys are at `/oauth2/jwks`, private ones nowhere.',
    answers: 'SigningKeyPage',
    file: shown,
    shown: shownKey,
    async rows({ service, after, limit }) {
      const last = after(1)?.[0]
      const keys = await allKeys(service.store)
      const begin = last === undefined ? 0 : keys.findIndex((one) => one.kid === last) + 1
      return firstOf(keys.slice(begin), limit, ({ kid }) => [kid])
    },
  }),
  route({
    method: 'POST',
    path: '/keys',
    permission: 'iam.keys.create',
    summary: 'Rotate the signing keys',
    description: `Adds a key of each algorithm, which is published at once, by the other processes of the service within ${keyTimes.look / 1000} seconds, and signs when every verifier has had time to fetch it (\`signs_from\`); those before it leave the key set when their last token has expired (\`published_until\`). With \`now\`, for an emergency, it signs in ${keyTimes.leadNow / 1000} seconds, when every process publishes it, and keys that wait for their turn are passed over: a verifier that keeps the key set, and does not ask for a key that it does not know, refuses the new tokens until it fetches the set. For administrators of the whole installation. Requests at the same time rotate once.`,
    answers: 'SigningKeyPage',
    repeatable: false,
    refusals: ['forbidden'],
    body: z.strictObject({ now: z.boolean().optional() }),
    async handle({ service, by, body }) {
      by.authority.changesInstallation()
      wantRecentSignIn(by)
      await service.keys.rotate(by, body.now === true ? 'once' : 'turn')
      const keys = await allKeys(service.store)
      return { status: 201, location: '/keys', body: { items: keys.map(shownKey), next_cursor: null } }
    },
  }),
]
