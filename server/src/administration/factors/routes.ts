import * as z from 'zod'
import { shownOf } from '../../catalogue/columns.ts'
import * as kinds from '../../catalogue/kinds.ts'
import { shownSchema } from '../../catalogue/schemas.ts'
import { defined, time } from '../../catalogue/thing.ts'
import { pageOf } from '../fields.ts'
import { idOf, uuidOf } from '../path.ts'
import { listRoute } from '../resource-routes.ts'
import { route, type Route } from '../route.ts'
import {
  listFactors,
  listTrustedDevices,
  removeFactorsOf,
  removeTrustedDevicesOf,
  unlockUser,
} from './verbs.ts'

const factor = defined({
  id: { kind: kinds.anyText() },
  kind: { kind: kinds.choice('totp', 'passkey', 'security_key') },
  name: { kind: kinds.anyText() },
  created_at: time,
  last_used_at: { ...time, nullable: true },
  backup_state: {
    kind: kinds.flag,
    nullable: true,
    description: 'Of a passkey: whether it is kept elsewhere too, such as in an account of its maker.',
  },
  suspended_at: {
    ...time,
    nullable: true,
    description: 'Since when it does not count: after too many wrong codes in a row, or where it was copied.',
  },
})

const trustedDevice = defined({
  label: { kind: kinds.anyText(), description: 'Browser and system, as the browser named itself.' },
  proved_at: { ...time, description: 'When a second factor was proved there, from which its end counts.' },
  last_used_at: time,
})

export const factorSchemas = {
  FactorPage: pageOf(shownSchema(factor)),
  TrustedDevicePage: pageOf(shownSchema(trustedDevice)),
}

const authority =
  'It needs all that the person holds, at every place: of somebody who belongs to another organisation too, an administrator of the installation does it. Nobody does it to themself; that is what `/account/sign-in` is for.'
const ends =
  'Sessions that rest on it end with their tokens, and so do all trusted devices. The recovery codes go with the last one.'

export const factorRoutes: Route[] = [
  listRoute({
    path: '/users/:uuid/factors',
    permission: 'iam.factors.read',
    summary: 'List the second factors of a user',
    description: 'Authenticator apps, passkeys and security keys, oldest first; never a secret or a key.',
    answers: 'FactorPage',
    file: shownSchema(factor),
    refusals: ['not_found'],
    shown: (row: Parameters<typeof shownOf<typeof factor>>[1]) => shownOf(factor, row),
    rows: ({ service, by, param, after, limit }) => {
      const user_uuid = uuidOf(param('uuid'), 'user')
      return listFactors(service.store, { user_uuid, authority: by.authority, after: after(1), limit })
    },
  }),
  route({
    method: 'DELETE',
    path: '/users/:uuid/factors/:id',
    permission: 'iam.factors.delete',
    summary: 'Remove a second factor of a user',
    description: `${ends} ${authority}`,
    refusals: ['conflict', 'forbidden'],
    async handle({ service, by, param }) {
      const user_uuid = uuidOf(param('uuid'), 'user')
      await removeFactorsOf(service.store, by, user_uuid, { id: idOf(param('id'), 'factor') })
    },
  }),
  route({
    method: 'DELETE',
    path: '/users/:uuid/factors',
    permission: 'iam.factors.delete',
    summary: 'Remove all second factors of a user',
    description: `With the recovery codes. A password alone then signs them in, until they set up another. ${ends} ${authority} Nothing to remove is no error.`,
    refusals: ['conflict', 'forbidden'],
    handle: ({ service, by, param }) =>
      removeFactorsOf(service.store, by, uuidOf(param('uuid'), 'user'), 'all'),
  }),
  route({
    method: 'POST',
    path: '/users/:uuid/unlock',
    permission: 'iam.factors.delete',
    summary: 'Let a user try again',
    description: `Wrong passwords and codes that were counted are forgotten, and suspended factors count again. ${authority}`,
    repeatable: false,
    refusals: ['forbidden'],
    body: z.strictObject({}),
    handle: ({ service, by, param }) => unlockUser(service.store, by, uuidOf(param('uuid'), 'user')),
  }),
  listRoute({
    path: '/users/:uuid/trusted-devices',
    permission: 'iam.factors.read',
    summary: 'List the browsers that a user trusts',
    description: 'Which are not asked for a second factor for a while.',
    answers: 'TrustedDevicePage',
    file: shownSchema(trustedDevice),
    refusals: ['not_found'],
    shown: (row: Parameters<typeof shownOf<typeof trustedDevice>>[1]) => shownOf(trustedDevice, row),
    rows: ({ service, by, param, after, limit }) => {
      const user_uuid = uuidOf(param('uuid'), 'user')
      return listTrustedDevices(service.store, { user_uuid, authority: by.authority, after: after(1), limit })
    },
  }),
  route({
    method: 'DELETE',
    path: '/users/:uuid/trusted-devices',
    permission: 'iam.factors.delete',
    summary: 'Forget the browsers that a user trusts',
    description: 'Each is asked for a second factor at the next sign-in. Nothing to forget is no error.',
    refusals: ['forbidden'],
    handle: ({ service, by, param }) =>
      removeTrustedDevicesOf(service.store, by, uuidOf(param('uuid'), 'user')),
  }),
]
