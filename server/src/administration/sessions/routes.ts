import * as z from 'zod'
import { shownOf } from '../../catalogue/columns.ts'
import * as kinds from '../../catalogue/kinds.ts'
import { shownSchema } from '../../catalogue/schemas.ts'
import { defined, time } from '../../catalogue/thing.ts'
import { notFound } from '../../protocol/problem.ts'
import { scopesOf } from '../../protocol/scope.ts'
import { type ConsentGiven, listConsentsGiven, withdrawConsentOf } from './consents.ts'
import {
  endAllSessions,
  endOneSession,
  listFamilies,
  listSessions,
  revokeOneFamily,
  sessionWithin,
} from './verbs.ts'
import { textList } from '../../store/clients.ts'
import type { TokenFamilyRow } from '../../database/schema-tokens.ts'
import type { Row } from '../by.ts'
import { anyClientId, clientId, isoTime, pageOf, uuid } from '../fields.ts'
import { idOf, uuidOf } from '../path.ts'
import { listRoute } from '../resource-routes.ts'
import { route, type Route } from '../route.ts'

const session = z.object({
  sid: uuid.describe('Stands in tokens as `sid`.'),
  user_uuid: uuid,
  auth_time: z.iso.datetime().describe('When they last proved who they are.'),
  acr: z.string(),
  amr: z.array(z.string()),
  browser: z
    .string()
    .nullable()
    .describe('What people know the browser by, such as `Firefox, Linux`; null: not known.'),
  network: z.string().nullable().describe('The network address of the sign-in; null: not known.'),
  created_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime(),
  expires_at: z.iso.datetime().describe('At the latest.'),
  ended_at: z.iso.datetime().nullable(),
})

const family = defined({
  id: { kind: kinds.anyText(), description: 'What `jti` of its access tokens begins with.' },
  client_id: { kind: kinds.clientId },
  user_uuid: { kind: kinds.uuid },
  sid: { kind: kinds.uuid },
  profile_uuid: { kind: kinds.uuid },
  scope: { kind: kinds.anyText() },
  created_at: time,
  last_used_at: time,
  expires_at: { ...time, column: 'idle_expires_at', description: 'When it is not used until then.' },
})

const consent = z.object({
  user_uuid: uuid,
  email: z.string().describe('Of that person.'),
  client_id: clientId,
  scope: z.string(),
  services: z.array(z.string()).describe('Whose tokens it may have.'),
  permissions: z.array(z.string()).describe('What it may do there at the most.'),
  redirect_hosts: z.array(z.string()).describe('Where it may send the browser.'),
  onward: z
    .array(z.string())
    .describe('What services that it calls may do elsewhere: codes of services, and permissions there.'),
  claims: z
    .array(z.string())
    .describe('What its own claims may tell beyond the scopes: sources, and `permissions:<service>`.'),
  granted_at: z.iso.datetime(),
})

export const sessionSchemas = {
  Session: session,
  SessionPage: pageOf(session),
  TokenFamilyPage: pageOf(shownSchema(family)),
  ConsentPage: pageOf(consent),
}

const shownSession = (row: Row<'sessions'>): z.output<typeof session> => ({
  sid: row.sid,
  user_uuid: row.user_uuid,
  auth_time: isoTime(row.auth_time),
  acr: row.acr,
  amr: JSON.parse(row.amr) as string[],
  browser: row.browser,
  network: row.network,
  created_at: isoTime(row.created_at),
  last_seen_at: isoTime(row.last_seen_at),
  expires_at: isoTime(row.expires_at),
  ended_at: row.ended_at === null ? null : isoTime(row.ended_at),
})

const shownFamily = (row: TokenFamilyRow) => shownOf(family, row)

const shownConsent = (row: ConsentGiven): z.output<typeof consent> => ({
  user_uuid: row.user_uuid,
  email: row.email,
  client_id: row.client_id,
  scope: scopesOf(row.scope).join(' '),
  services: textList(row.services),
  permissions: textList(row.permissions),
  redirect_hosts: textList(row.redirect_hosts),
  onward: textList(row.onward),
  claims: textList(row.claims),
  granted_at: isoTime(row.granted_at),
})

const ofOnePerson = 'An administrator of an organisation asks about one person of it.'
const filters = { user_uuid: uuid.optional(), client_id: anyClientId.optional() }

export const sessionRoutes: Route[] = [
  listRoute({
    path: '/sessions',
    permission: 'iam.sessions.read',
    summary: 'List sessions',
    description: `Those that have not ended. ${ofOnePerson} Of somebody who belongs elsewhere too, they see those in which tokens were issued under a profile within their reach.`,
    answers: 'SessionPage',
    file: session,
    query: { user_uuid: uuid.optional() },
    shown: shownSession,
    rows: ({ service, by, query: { user_uuid }, after, limit }) => {
      const filter = { reach: by.authority.reach, user_uuid, now: by.now }
      return listSessions(service.store, filter, after(1), limit)
    },
  }),
  route({
    method: 'GET',
    path: '/sessions/:sid',
    permission: 'iam.sessions.read',
    summary: 'Read a session',
    answers: 'Session',
    async handle({ service, by, param }) {
      const sid = uuidOf(param('sid'), 'session')
      return {
        status: 200,
        body: shownSession(await sessionWithin(service.store.db, sid, by.authority.reach)),
      }
    },
  }),
  route({
    method: 'DELETE',
    path: '/sessions/:sid',
    permission: 'iam.sessions.delete',
    summary: 'End a session',
    description: 'With the tokens that it gave. The clients that registered an address for it are told.',
    refusals: ['forbidden'],
    handle: ({ service, by, param }) => endOneSession(service.store, by, uuidOf(param('sid'), 'session')),
  }),
  route({
    method: 'DELETE',
    path: '/users/:uuid/sessions',
    permission: 'iam.sessions.delete',
    summary: 'End all sessions of a user',
    description: 'With all tokens that they gave. Nothing to end is no error.',
    refusals: ['forbidden'],
    handle: ({ service, by, param }) => endAllSessions(service.store, by, uuidOf(param('uuid'), 'user')),
  }),
  listRoute({
    path: '/token-families',
    permission: 'iam.sessions.read',
    summary: 'List token families',
    description: `What one authorization of one client gave and that still counts, oldest first. ${ofOnePerson}`,
    answers: 'TokenFamilyPage',
    file: shownSchema(family),
    query: filters,
    shown: shownFamily,
    rows: ({ service, by, query: { user_uuid, client_id: id }, after, limit }) => {
      const filter = { reach: by.authority.reach, user_uuid, client_id: id, now: by.now }
      return listFamilies(service.store, filter, after(1), limit)
    },
  }),
  route({
    method: 'DELETE',
    path: '/token-families/:id',
    permission: 'iam.sessions.delete',
    summary: 'Revoke a token family',
    description: 'Its refresh token and its access tokens count no more; the session goes on.',
    refusals: ['forbidden'],
    handle: ({ service, by, param }) => revokeOneFamily(service.store, by, idOf(param('id'), 'token family')),
  }),
  listRoute({
    path: '/consents',
    permission: 'iam.consents.read',
    summary: 'List what people allowed clients',
    description: ofOnePerson,
    answers: 'ConsentPage',
    file: consent,
    query: filters,
    shown: shownConsent,
    rows: ({ service, by, query: { user_uuid, client_id: id }, after, limit }) => {
      const filter = { reach: by.authority.reach, user_uuid, client_id: id }
      return listConsentsGiven(service.store, filter, after(2), limit)
    },
  }),
  route({
    method: 'DELETE',
    path: '/users/:uuid/consents/:client_id',
    permission: 'iam.consents.delete',
    summary: 'Withdraw a consent',
    description: 'The client loses its tokens for this person, and has to ask again.',
    refusals: ['forbidden'],
    async handle({ service, by, param }) {
      const asked = { user_uuid: uuidOf(param('uuid'), 'user'), client_id: param('client_id') }
      if (asked.client_id.includes('\0')) throw notFound('consent')
      await withdrawConsentOf(service.store, by, asked)
    },
  }),
]
