import * as z from 'zod'
import { notFound } from '../../protocol/problem.ts'
import { refusalCodes } from '../../upstream/refusal.ts'
import { beginTrial, cureOf, trialOf } from '../../upstream/trial.ts'
import { isoTime, uuid } from '../fields.ts'
import type { By } from '../by.ts'
import { checkOpened } from '../mapped.ts'
import { uuidOf } from '../path.ts'
import { type AdministrationService, route, type Route, type RouteRequest } from '../route.ts'
import { upstreams, type Upstream } from './verbs.ts'

const newTrial = z.object({
  id: z.string(),
  address: z
    .string()
    .describe('For any one browser, within 15 minutes: the first that opens it is the only one.'),
  expires_at: z.iso.datetime(),
})

const texts = z.array(z.string())
const profile = z.object({
  organisation_uuid: uuid.nullable(),
  role_code: z.string(),
  unit_uuid: uuid.nullable(),
})

const trial = z.object({
  id: z.string(),
  state: z.enum(['waiting', 'done', 'failed']).describe('`waiting`: nobody has come back from there yet.'),
  opened: z.boolean().describe('Whether a browser opened the address.'),
  expires_at: z.iso.datetime(),
  problem: z
    .object({
      code: z.enum(refusalCodes),
      message: z.string(),
      cure: z.string().describe('What to change, and at which side.'),
    })
    .nullable()
    .describe('Of one that failed.'),
  came: z
    .object({
      subject: z.string().describe('Who it is there, for good.'),
      fields: z.record(z.string(), z.string()),
      groups: z.union([texts, z.literal('unknown')]).describe('`unknown` gives and takes nothing.'),
      claims: z.record(z.string(), texts),
      contexts: texts.describe('Values of acr, amr or AuthnContext, for `assurance`.'),
      amr: texts,
      auth_time: z.iso.datetime().nullable(),
    })
    .nullable()
    .describe('What it said of who signed in there.'),
  would: z
    .object({
      outcome: z
        .enum(['known', 'new', 'prove', 'guest', 'refused'])
        .describe(
          '`known`: signs in to `user_uuid`. `new`: makes an account. `prove`: there is an account with the address, which is more than the organisation’s, and its person proves it first. `guest`: the address is outside the domains, and a mailed code comes first.',
        ),
      user_uuid: uuid.nullable(),
      reason: z
        .string()
        .nullable()
        .describe('Why nobody is let in, or the address that it told does not count.'),
      links: z.boolean().describe('Whether the account is linked by it.'),
      changes: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
      gives: z.array(profile).describe('Profiles that its mapping gives from then on.'),
      ends: z.array(profile).describe('Profiles that it gives no more.'),
    })
    .nullable()
    .describe('What a sign-in would do now, if the upstream were active.'),
})

export const trialSchemas = { NewUpstreamTrial: newTrial, UpstreamTrial: trial }

// What comes of it tells of a person and their account, as one learns them who could make the upstream.
const needs = 'iam.upstreams.update'
const who =
  'It needs that you could make this upstream, with all that it opens: who can reads nothing here that they could not bring about.'

export const upstreamTrialRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/upstreams/:uuid/test',
    permission: needs,
    summary: 'Try a sign-in through an upstream',
    description: `An address at which somebody signs in there for show: nobody is signed in here, and no link, account or profile is written. A disabled upstream can be tried, too. ${who}`,
    answers: 'NewUpstreamTrial',
    changes: false,
    repeatable: false,
    refusals: ['forbidden'],
    body: z.strictObject({}),
    async handle({ service, by, param }) {
      const { uuid } = await toTry(service, by, param)
      const made = await beginTrial(service, { upstream_uuid: uuid, by: by.authority, now: by.now })
      const { id, address, expires_at } = made
      return {
        status: 201,
        location: `/upstreams/${uuid}/test/${id}`,
        body: { id, address, expires_at: isoTime(expires_at) },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/upstreams/:uuid/test/:id',
    permission: needs,
    summary: 'Read what came of a trial',
    description: `For an hour after somebody came back: what the provider said of them, and what a sign-in would do; or what is wrong, and what to change at which side. ${who}`,
    answers: 'UpstreamTrial',
    refusals: ['forbidden'],
    async handle({ service, by, param }) {
      const { uuid } = await toTry(service, by, param)
      const found = await trialOf(service.store, uuidOf(param('id'), 'trial'), by.now)
      if (found?.upstream_uuid !== uuid) throw notFound('trial')
      const { id, state, opened, problem, came, would } = found
      const at = came?.auth_time ?? null
      return {
        status: 200,
        body: {
          id,
          state,
          opened,
          expires_at: isoTime(found.expires_at),
          problem: problem && { ...problem, cure: cureOf(problem.code) },
          came: came && { ...came, auth_time: at === null ? null : isoTime(at) },
          would,
        },
      }
    },
  }),
]

/** The upstream, where the caller could make it. */
async function toTry(
  { store }: AdministrationService,
  by: By,
  param: RouteRequest['param'],
): Promise<Upstream> {
  const row = await upstreams.find(store.db, uuidOf(param('uuid'), 'upstream'), by.authority)
  if (row === undefined) throw notFound('upstream')
  await checkOpened(store.db, by, row)
  return row
}
