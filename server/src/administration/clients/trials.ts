import * as z from 'zod'
import type { Prompt } from '../../protocol/authorize-parameters.ts'
import { notFound, Problem } from '../../protocol/problem.ts'
import type { Client } from '../../store/clients.ts'
import { findTrial, makeTrial, type TrialOutcome } from '../../store/trials.ts'
import type { By } from '../by.ts'
import { isoTime, text, uuid } from '../fields.ts'
import { type AdministrationService, route, type Route } from '../route.ts'
import { clientPreview, grantedInSignIn, ofPerson, type Preview } from './preview.ts'
import { clientAsUsed } from './verbs.ts'

/** An administrator tries the sign-in of a client, as themself alone: see `oauth2/trial.ts`. It gives no token. */

const common = {
  trial: z.string(),
  client_id: z.string(),
  scope: z.string(),
  expires_at: z.iso.datetime(),
}

export const newClientTrial = z.object({
  ...common,
  url: z.string().describe('To be opened once, within ten minutes, in the browser of the person who asked.'),
})

export const clientTrial = z.object({
  ...common,
  state: z.enum(['waiting', 'running', 'done', 'refused']).describe('`waiting`: it was not opened yet.'),
  signed_in: z
    .object({
      user_uuid: uuid,
      profile_uuid: uuid,
      acr: z.string(),
      amr: z.array(z.string()),
      auth_time: z.iso.datetime(),
    })
    .nullable()
    .describe('Of one that is done.'),
  tokens: clientPreview
    .nullable()
    .describe(
      'What the client would get now. Null: it is not done, or what it needs does not count any more.',
    ),
  refusal: z
    .object({ error: z.string(), error_description: z.string(), cure: z.string() })
    .nullable()
    .describe('What the client would have been told in the place of a code, and what to do.'),
})
type ShownTrial = z.output<typeof clientTrial>

const asked = z.strictObject({
  scope: text(200).optional().describe('As it is sent; without it, all scopes of the client.'),
  resource: text(500).optional(),
  profile_uuid: uuid.optional().describe('One of your own; without it, it is chosen as in any sign-in.'),
  prompt: z
    .enum(['login', 'consent', 'select_account'])
    .optional()
    .describe('Shows that page even if it would be passed over.'),
})

const needs = 'iam.clients.update'

export const trialRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/clients/:client_id/trials',
    permission: needs,
    summary: 'Try the sign-in of a client',
    description:
      'An address to open, by which you go through the sign-in, the consent and the errors of this client as yourself. It counts once, for ten minutes, and in the session that your token is of; a newer trial takes its place. It ends at `/console/try` without a code: no token is issued, and no consent kept. For people, not for machines.',
    answers: 'NewClientTrial',
    changes: false,
    repeatable: false,
    refusals: ['conflict', 'forbidden'],
    body: asked,
    async handle({ service, by, body, param }) {
      const client = await clientAsUsed(service, by, param('client_id'))
      refuseUntriable(service, client)
      const { user_uuid, sid } = personOf(by)
      const { scopes } = grantedInSignIn(service, client, body)
      const { resource, profile_uuid: profileUuid } = body
      const prompt: Prompt[] = body.prompt === undefined ? [] : [body.prompt]
      const { client_id: clientId } = client
      const made = { clientId, userUuid: user_uuid, sid, scopes, resource, profileUuid, prompt }
      const { trial, expiresAt } = await makeTrial(service.store, made, by.now)
      return {
        status: 201,
        location: `/clients/${encodeURIComponent(clientId)}/trials/${trial}`,
        body: {
          trial,
          client_id: clientId,
          scope: scopes.join(' '),
          expires_at: isoTime(expiresAt),
          url: `${service.issuer}/oauth2/authorize/trial?trial=${trial}`,
        },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/clients/:client_id/trials/:trial',
    permission: needs,
    summary: 'Read what came of a trial',
    description:
      'For who began it alone, for an hour after it was opened: under which profile, with which claims, or the error and what to do. The claims are those of the preview, as the client is now.',
    answers: 'ClientTrial',
    refusals: ['forbidden'],
    async handle({ service, by, param }) {
      const client = await clientAsUsed(service, by, param('client_id'))
      const { user_uuid } = personOf(by)
      const found = await findTrial(service.store, param('trial'), { user_uuid, now: by.now })
      if (found === undefined || found.trial.clientId !== client.client_id) throw notFound('trial')
      const { scopes, outcome, resource } = found.trial
      const scope = scopes.join(' ')
      const body: ShownTrial = {
        trial: param('trial'),
        client_id: client.client_id,
        scope,
        expires_at: isoTime(found.expiresAt),
        state: found.opened ? 'running' : 'waiting',
        ...{ signed_in: null, tokens: null, refusal: null },
      }
      if (outcome === undefined) return { status: 200, body }
      const sent = { user_uuid, scope, ...(resource !== undefined && { resource }) }
      return { status: 200, body: { ...body, ...(await shownOutcome(service, by, client, sent, outcome)) } }
    },
  }),
]

/** The person who tries, in the session of their token. */
function personOf({ authority: { actor }, sid }: By): { user_uuid: string; sid: string } {
  if (actor.kind === 'user' && actor.id !== undefined && sid !== undefined)
    return { user_uuid: actor.id, sid }
  throw new Problem('forbidden', 'A trial is of a person in a browser: sign in, and ask with that token.')
}

function refuseUntriable({ settings }: AdministrationService, { usable, grant_types }: Client): void {
  const refused = (why: string) => new Problem('conflict', why)
  if (!usable) throw refused('The client is disabled: every sign-in with it is refused. Enable it first.')
  if (!grant_types.includes('authorization_code'))
    throw refused('Nobody signs in with this client in a browser: it lacks the grant authorization_code.')
  if (!settings.console) throw refused('A trial ends at the console, which TESSERA_CONSOLE turns off.')
}

async function shownOutcome(
  service: AdministrationService,
  by: By,
  client: Client,
  sent: { user_uuid: string; scope: string; resource?: string },
  outcome: TrialOutcome,
): Promise<Pick<ShownTrial, 'state' | 'signed_in' | 'tokens' | 'refusal'>> {
  if ('error' in outcome) {
    const { error, description: error_description } = outcome
    const cure = cures[error] ?? 'Read what it says, mend that, and begin another trial.'
    return { state: 'refused', signed_in: null, tokens: null, refusal: { error, error_description, cure } }
  }
  const { profileUuid: profile_uuid, acr, amr, authTime: auth_time } = outcome
  const at = isoTime(auth_time)
  const signed_in = { user_uuid: sent.user_uuid, profile_uuid, acr, amr: [...amr], auth_time: at }
  const tokens = await ofPerson(
    service,
    by,
    client,
    { ...sent, profile_uuid },
    { acr, amr, auth_time },
  ).catch(ifChanged)
  return { state: 'done', signed_in, tokens, refusal: null }
}

/** The profile or the client may have changed since. */
function ifChanged(error: unknown): Preview | null {
  if (error instanceof Problem) return null
  throw error
}

const cures: Readonly<Record<string, string>> = {
  access_denied:
    'Consent was not given, or you have no profile that counts for this client; /access/explain tells which condition fails.',
  login_required: 'Another person signed in on the way. Begin another trial, and sign in as yourself.',
  unmet_authentication_requirements:
    'A policy demands a stronger sign-in: set up a second factor at /account/sign-in, or look at the policies of the client, the role and the organisation.',
  invalid_scope: 'The scopes of the client changed since: begin another trial.',
  invalid_target: 'The services of the client changed since: begin another trial with another `resource`.',
  invalid_request: 'The requirements of the client changed since: begin another trial.',
}
