import * as z from 'zod'
import { accessOf } from '../../access/holders.ts'
import { audienceFor, grantedPermissions, personAs } from '../../identity/access.ts'
import {
  accessTokenClaims,
  idTokenClaims,
  type Issuing,
  machineTokenClaims,
  ownClaims,
  type PersonToken,
  userinfoClaims,
} from '../../identity/token-claims.ts'
import type { Claims } from '../../protocol/claims.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { notFound, wrongField } from '../../protocol/problem.ts'
import { parseScope, type Scope, signInScope } from '../../protocol/scope.ts'
import type { Client } from '../../store/clients.ts'
import type { Authority } from '../authority.ts'
import type { By } from '../by.ts'
import { text, uuid } from '../fields.ts'
import { type AdministrationService, route } from '../route.ts'
import { explained, type Explained, onlyIssued, onlySignedIn } from './preview-sources.ts'
import { clientAsUsed } from './verbs.ts'

/** What the tokens and userinfo of a client would say: nothing is signed or stored, and nobody signs in. */

const claim = z.object({ claim: z.string(), value: z.unknown(), source: z.string() })
const document = z
  .object({
    claims: z.array(claim).describe('With where each value comes from; `‹…›` is made when it is issued.'),
    absent: z.array(z.object({ claim: z.string(), reason: z.string() })),
  })
  .nullable()

export const clientPreview = z.object({
  client_id: z.string(),
  user_uuid: uuid.nullable(),
  profile_uuid: uuid.nullable(),
  scope: z.string(),
  access_token: document,
  id_token: document.describe('Null without the scope openid, as of a machine.'),
  userinfo: document.describe('Null without the scope openid, as of a machine.'),
  complete: z.boolean().describe('false: it says more, by permissions that you do not hold.'),
})

const asked = z.strictObject({
  user_uuid: uuid.optional().describe('Of a client that acts for people: who signs in.'),
  profile_uuid: uuid.optional().describe('One of their profiles.'),
  scope: text(200).optional().describe('As it is sent; without it, all scopes of the client.'),
  resource: text(500).optional(),
})
type PreviewRequest = z.output<typeof asked>

export const previewRoute = route({
  method: 'POST',
  path: '/clients/:client_id/preview',
  permission: 'iam.clients.read',
  summary: 'Preview the tokens of a client',
  description:
    'The claims of the access token, the ID token and userinfo that this client would get now, each with its source, and those that are absent with the reason: of a person by one of their profiles, as if they had allowed it everything; of a machine by itself. Nothing is signed or kept. It needs `iam.access.read` as well, and of a person `iam.users.read`. Whether a token would be issued at all is told by `/access/explain`.',
  answers: 'ClientPreview',
  changes: false,
  makes: false,
  repeatable: false,
  refusals: ['not_found'],
  body: asked,
  async handle({ service, by, body, param }) {
    by.authority.requires('iam.access.read')
    const client = await clientAsUsed(service, by, param('client_id'))
    const isMachine = client.type === 'machine'
    // People's claims say more of them than what they may do.
    if (!isMachine) by.authority.requires('iam.users.read')
    const preview = isMachine ? ofMachine : ofPerson
    return { status: 200, body: await preview(service, by, client, body) }
  },
})

export type Preview = z.output<typeof clientPreview>

async function ofMachine(
  service: AdministrationService,
  by: By,
  client: Client,
  body: PreviewRequest,
): Promise<Preview> {
  for (const field of ['user_uuid', 'profile_uuid'] as const)
    if (body[field] !== undefined) throw wrongField(field, 'Nobody signs in with a machine client.')
  const { scopes, audience } = granted(service, client, body)
  const claims = machineTokenClaims({ client, scopes, audience }, issuingOf(service, by, client))
  const about = { client_id: client.client_id, user_uuid: null, profile_uuid: null, scope: scopes.join(' ') }
  const documents = { access_token: explained('machine', claims), id_token: null, userinfo: null }
  return { ...about, ...documents, complete: true }
}

type SignIn = Pick<PersonToken, 'auth_time' | 'acr' | 'amr'>

export async function ofPerson(
  service: AdministrationService,
  by: By,
  registered: Client,
  body: PreviewRequest,
  signIn: SignIn = { ...onlySignedIn, auth_time: by.now },
): Promise<Preview> {
  const { user, profile } = await personOf(service, by, registered, body)
  const { scopes, audience } = grantedInSignIn(service, registered, body)
  const client = asSeenBy(by.authority, registered)
  const asked = { scopes, audience }
  const all = await grantedPermissions(service, registered, profile.role_code, asked)
  const permissions = all?.filter((one) => sees(by.authority, one))
  const about = { scopes, person: user, context: profile }
  const own = await ownClaims(service, client, about)
  const grant: PersonToken = {
    ...about,
    ...{ client, audience, permissions, own },
    ...{ sid: '', familyId: '', nonce: undefined, ...signIn },
  }
  const issuing = issuingOf(service, by, client)
  const tell = (kind: Explained, claims: Claims) => explained(kind, claims, { scopes, own })
  const isTold = scopes.includes('openid')
  return {
    client_id: client.client_id,
    user_uuid: user.uuid,
    profile_uuid: profile.held_uuid,
    scope: scopes.join(' '),
    access_token: tell('access_token', { ...accessTokenClaims(grant, issuing), ...onlyIssued.access_token }),
    id_token: isTold
      ? tell('id_token', { ...idTokenClaims(grant, issuing, ''), ...onlyIssued.id_token })
      : null,
    userinfo: isTold ? tell('userinfo', userinfoClaims(grant)) : null,
    complete: permissions?.length === all?.length && client.groups.within === registered.groups.within,
  }
}

/** The person and the profile, within the reach. Throws when there is none by which they could use the client. */
export async function personOf(
  { store }: AdministrationService,
  by: By,
  client: Client,
  body: Pick<PreviewRequest, 'user_uuid' | 'profile_uuid'>,
) {
  const { user_uuid, profile_uuid } = body
  if (user_uuid === undefined)
    throw wrongField('user_uuid', 'It is needed: somebody signs in with this client.')
  if (profile_uuid === undefined)
    throw wrongField('profile_uuid', 'It is needed: people act under a profile.')
  const found = await accessOf(store, user_uuid, by.authority.reach)
  if (found === undefined) throw notFound('user')
  if (!found.profiles.some((one) => one.uuid === profile_uuid)) throw notFound('profile')
  const reading = { store, now: () => by.now }
  const { user, profile } = await personAs(reading, client, { user_uuid, profile_uuid })
  if (user !== undefined && user.active && profile !== undefined) return { user, profile }
  throw wrongField(
    'profile_uuid',
    'Nobody can act under it through this client now; /access/explain tells why.',
  )
}

/** What a sign-in is granted: nothing without the scope that nobody signs in to the client without. */
export function grantedInSignIn(service: AdministrationService, client: Client, body: PreviewRequest) {
  const one = granted(service, client, body)
  const needed = signInScope(client.scopes)
  if (!one.scopes.includes(needed)) throw wrongField('scope', `The scope ${needed} is missing.`)
  return one
}

function granted({ issuer }: AdministrationService, client: Client, { scope, resource }: PreviewRequest) {
  const scopes = scopesOf(client, scope)
  const audience = audienceFor(issuer, client, scopes, resource)
  if (audience !== undefined) return { scopes, audience }
  throw wrongField(
    'resource',
    'It is the audience of no service that is assigned to the client and asked for.',
  )
}

function scopesOf(client: Client, scope: string | undefined): readonly Scope[] {
  try {
    const scopes = parseScope(scope ?? '', client.scopes)
    return scopes.length === 0 ? client.scopes : scopes
  } catch (error) {
    throw error instanceof ProtocolError ? wrongField('scope', error.description) : error
  }
}

function issuingOf({ issuer, settings }: AdministrationService, by: By, client: Client): Issuing {
  const seconds = client.access_token_lifetime ?? settings.lifetimes.accessToken / 1000
  const iat = Math.floor(by.now / 1000)
  return { issuer, iat, exp: iat + seconds }
}

const sees = (authority: Authority, permission: string) => authority.sees?.includes(permission) ?? true

/** Somebody who administers an organisation is not told of permissions that they do not hold. */
export function asSeenBy({ sees }: Authority, client: Client): Client {
  const { groups } = client
  if (sees === undefined || groups.service === undefined) return client
  const within = groups.within?.filter((one) => sees.includes(one)) ?? sees
  return { ...client, groups: { ...groups, within } }
}
