/** The links of the chain that are about a client. */
import {
  type AssertionIssuer,
  type Federated,
  issuerProblem,
  whoMay,
  widthOf,
} from '../protocol/federated.ts'
import { deviceCodeGrant } from '../protocol/grant-types.ts'
import { expandPermissions, serviceOf } from '../protocol/permission.ts'
import { type Scope, scopesOf, signInScope } from '../protocol/scope.ts'
import { textList } from '../store/clients.ts'
import { enters, entryListsOf } from '../store/entry.ts'
import { clientChecks } from '../store/usable.ts'
import { activeWords, type ChainLink, link } from './explain.ts'
import type { ClientFacts, ClientWithin, HeldByRow } from './holders.ts'

/** People act through a client of an organisation only in that organisation (decisions 10). */
export function clientPlaceLink(
  { client_id: id, organisation_uuid: uuid, organisation_name: name }: ClientFacts,
  profile: HeldByRow,
): ChainLink[] {
  if (uuid === null) return []
  const belongs = `The client ${id} belongs to the organisation ${name}`
  return [
    link('profile_at_client_organisation', profile.organisation_uuid === uuid, {
      yes: `${belongs}, and so does the profile.`,
      no: `${belongs}, but the profile does not.`,
      cure: `Give them a profile at the organisation ${name}, or ask about a client that belongs to none.`,
    }),
  ]
}

/** The link that says who can prove to be the client by tokens of another issuer (decisions 30). */
export function clientProofLink(client: ClientFacts, issuers: Iterable<AssertionIssuer>): ChainLink[] {
  if (client.federated === null) return []
  const { client_id: id, organisation_uuid } = client
  const match = JSON.parse(client.federated) as Federated
  const problem = issuerProblem(issuers, match, organisation_uuid)
  return [
    link('client_issuer_declared', problem === undefined, {
      yes: [`The client ${id} is ${whoMay(match)}.`, ...widthOf(match)].join(' '),
      no: `The client ${id} would be ${whoMay(match)}, and that ${problem}.`,
      cure: `Declare the issuer ${match.issuer} in assertion_issuers, or change federated of the client ${id}.`,
    }),
  ]
}

/** The link that says who may enter the client (decisions 35). */
export function clientEntryLink(client: ClientWithin, profile: HeldByRow): ChainLink[] {
  const { client_id: id, entry } = client
  const named = entryListsOf(client)
  if (named === undefined) return []
  const wanted = [
    named.roles && `with one of the roles ${wordsOf(named.roles)}`,
    named.organisations && `at one of the places ${wordsOf(named.organisations)}`,
    named.permissions && `with a role that gives one of ${wordsOf(named.permissions)}`,
  ]
  const who = `a profile ${wanted.filter((one) => one !== undefined).join(', and ')}`
  return [
    link('profile_allowed', enters(profile, entry), {
      yes: `The client ${id} lets in ${who}, which this one is.`,
      no: `The client ${id} lets in ${who}, which this one is not.`,
      cure: `Give them ${who}, or add theirs to allowed of the client ${id}.`,
    }),
  ]
}

const wordsOf = (codes: readonly string[]) => (codes.length === 0 ? '(none that is left)' : codes.join(', '))

/** Links of a client that somebody signs in with, or that acts for itself (decisions 3). */
export function clientLinks(
  client: ClientFacts,
  {
    permission,
    requested,
    acts,
  }: { permission: string; requested: Scope[] | undefined; acts: 'person' | 'machine' },
): ChainLink[] {
  const { client_id: id } = client
  const grants = textList(client.grant_types)
  // People come to a device's client by that grant alone, where it has no other.
  const byDevice = grants.includes(deviceCodeGrant) && !grants.includes('authorization_code')
  const ofPerson = byDevice ? deviceCodeGrant : 'authorization_code'
  const grant = acts === 'person' ? ofPerson : 'client_credentials'
  const isMachine = client.type === 'machine'
  const used = [
    ...clientActiveLinks(client),
    ...documentLinks(client),
    link('client_grant', isMachine === (acts === 'machine') && grants.includes(grant), {
      yes: `The client ${id} may use ${grant}.`,
      no: `The client ${id} is ${client.type} and may not use ${grant}.`,
      cure:
        acts === 'person'
          ? 'Ask about a client that people sign in with.'
          : 'Name who signs in with it in user_uuid, or ask about a machine client.',
    }),
  ]
  // A route behind a proxy asks the role alone.
  if (client.type === 'proxied') return used
  return [
    ...used,
    link('service_assigned', textList(client.services).includes(serviceOf(permission)), {
      yes: `The service ${serviceOf(permission)} is assigned to the client ${id}.`,
      no: `The service ${serviceOf(permission)} is not assigned to the client ${id}.`,
      cure: `Assign the service ${serviceOf(permission)} to the client ${id}.`,
    }),
    listLink(client, permission, acts),
    ...scopeLinks(client, requested ?? scopesOf(client.scope), acts),
  ]
}

export function clientActiveLinks(client: ClientFacts): ChainLink[] {
  const words = {
    client_active: activeWords(`client ${client.client_id}`),
    client_organisation_active: {
      ...activeWords('organisation of the client'),
      cure: 'Enable the organisation that the client belongs to.',
    },
  }
  return clientChecks(client).flatMap(({ check, holds }) =>
    check === 'client_organisation_active' && client.organisation_active === null
      ? []
      : [link(check, holds, words[check])],
  )
}

/** Permissions of a client that is a document stand in its other links: the document says none. */
function documentLinks({
  client_id: id,
  metadata,
  document,
  document_methods: read,
}: ClientFacts): ChainLink[] {
  if (metadata !== 'document') return []
  const at = `The document of the client ${id}`
  return [
    link('client_document_read', read !== null, {
      yes: `${at} ${document === null ? 'was read' : 'came with its registration'}; people are asked each time.`,
      no: `${at} was not read yet, or its host says that there is none.`,
      cure: `Begin a sign-in through the client, which fetches it; the audit and tessera client show say why that fails. Where its host can not be reached, set document of the client ${id}.`,
    }),
  ]
}

function listLink(client: ClientFacts, permission: string, acts: 'person' | 'machine'): ChainLink {
  const { client_id: id, permissions } = client
  const unlimited = permissions === null && acts === 'person'
  const listed = permissions !== null && expandPermissions(textList(permissions)).includes(permission)
  return link('client_allows_permission', unlimited || listed, {
    yes: unlimited
      ? `The client ${id} has no allow-list.`
      : `The permissions of the client ${id} include it.`,
    no: `The permissions of the client ${id} do not include ${permission}.`,
    cure: `Add ${permission} to the permissions of the client ${id}.`,
  })
}

function scopeLinks(
  client: ClientFacts,
  requested: readonly Scope[],
  acts: 'person' | 'machine',
): ChainLink[] {
  const assigned = scopesOf(client.scope)
  const other = requested.filter((one) => !assigned.includes(one))
  const needed = signInScope(assigned)
  const signsIn = acts === 'machine' || requested.includes(needed)
  return [
    link('scope_assigned', other.length === 0 && signsIn, {
      yes: `The client ${client.client_id} may ask for ${requested.join(' ')}.`,
      no: signsIn
        ? `The client ${client.client_id} may not ask for ${other.join(' ')}.`
        : `Nobody signs in without the scope ${needed}.`,
      cure: signsIn
        ? `Assign ${other.join(' ')} to the client ${client.client_id}, or do not ask for it.`
        : `Ask for the scope ${needed} as well.`,
    }),
    link('service_api_requested', requested.includes('service.api'), {
      yes: 'The scope service.api is requested.',
      no: 'The scope service.api is not requested; without it a token has no permissions.',
      cure: assigned.includes('service.api')
        ? 'Ask for the scope service.api.'
        : `Assign the scope service.api to the client ${client.client_id}, and ask for it.`,
    }),
  ]
}
