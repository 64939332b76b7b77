import { answeredUriProblem } from '../protocol/redirect-uri.ts'
import { iamService, iamWildcard, serviceOf } from '../protocol/permission.ts'
import { textProblem } from '../protocol/values.ts'
import type { DeclaredEntry } from '../declared/text.ts'
import { nameOf, type Permissions } from './access.ts'
import type { Mapping } from './mapping.ts'
import type { Placing } from './placing.ts'
import type { HeldRoles } from './roles.ts'
import {
  came,
  decide,
  type Remark,
  type RoleClaim,
  type ToldClient,
  type ToldMachine,
  type ToldRedirect,
} from './told.ts'

/** Services of one client (`catalogue/client.ts`). */
const mostServices = 100

/** The clients of a declared file: what they may do, and their exact redirect URIs. */
export class DeclaredClients {
  readonly #clients: ToldClient[] = []
  readonly #ids = new Set<string>()
  readonly #seen = new Map<string, Set<string>>()
  readonly #machines = new Map<string, readonly string[]>()

  /** Yields false where another client has its id. */
  add(client: ToldClient): boolean {
    const { client_id } = client.declares
    if (this.#ids.has(client_id)) return false
    this.#ids.add(client_id)
    this.#clients.push(client)
    return true
  }

  see({ client_id, uri }: ToldRedirect): void {
    this.#seen.set(client_id, (this.#seen.get(client_id) ?? new Set()).add(uri))
  }

  learn({ client_id, roles, groups }: ToldMachine, held: HeldRoles): void {
    this.#machines.set(client_id, held.held(roles, groups))
  }

  /** Clients with a wildcard and the addresses that were seen of each, for the mapping. Nothing is registered by that. */
  redirects(): Mapping['redirect_uris'] {
    const open = this.#clients.filter((one) => one.wildcards.length > 0)
    return Object.fromEntries(open.map((one) => [one.declares.client_id, this.#seenOf(one)]))
  }

  #seenOf({ declares, wildcards }: ToldClient): string[] {
    const applicationType = declares['application_type'] === 'native' ? 'native' : 'web'
    return [...(this.#seen.get(declares.client_id) ?? [])]
      .filter((uri) => wildcards.some((one) => fitsWildcard(uri, one)))
      .filter((uri) => answeredUriProblem(uri, 'redirect_uris', applicationType) === undefined)
      .sort()
  }

  /** What each application is taken to send, for the mapping. */
  sends(): Mapping['sends'] {
    return Object.fromEntries(
      this.#clients.flatMap(({ declares, sends }) =>
        sends === undefined ? [] : [[declares.client_id, sends]],
      ),
    )
  }

  /** The entries, and what is to be decided of them. */
  *declared(
    permissions: Permissions,
    {
      redirect_uris: edited,
      sends,
      services,
      placing,
      held,
    }: Pick<Mapping, 'redirect_uris' | 'sends'> & {
      services: readonly string[]
      placing: Placing
      held: HeldRoles
    },
  ): Generator<DeclaredEntry | Remark> {
    for (const client of this.#clients) {
      const { declares, wildcards } = client
      const { client_id, type } = declares
      const own = (declares['redirect_uris'] ?? []) as readonly string[]
      const further = Object.hasOwn(edited, client_id) ? (edited[client_id] ?? []) : []
      const redirect_uris = [...new Set([...own, ...further])]
      const seen = this.#seenOf(client)
      const answer = [
        ...(further.length > 0 ? [`registered ${further.join(' ')}`] : []),
        seen.length === 0 ? 'none was seen' : `seen ${seen.join(' ')}`,
      ].join('; ')
      for (const one of wildcards)
        yield decide(
          'A redirect URI has a wildcard, and here each address is exact: write them in mapping.yaml, and run this again.',
          `${client_id}: ${one} (${answer})`,
        )
      const byBrowser =
        (declares['grant_types'] as string[] | undefined)?.includes('authorization_code') === true
      if (type !== 'machine' && byBrowser && redirect_uris.length === 0) {
        yield decide(
          'A client has no exact redirect URI, and is not declared until mapping.yaml names one.',
          client_id,
        )
        continue
      }
      const access =
        type === 'machine' ? this.#ofMachine(client, permissions) : ofPeople(client, permissions, services)
      const told =
        client.roleClaim === undefined
          ? {}
          : roleNames(client.roleClaim, { placing, held, within: client.within })
      const claims = [
        ...((declares['claims'] ?? []) as unknown[]),
        ...(told.claim === undefined ? [] : [told.claim]),
      ]
      yield {
        ...declares,
        ...(type !== 'machine' && addressesOf(client, redirect_uris)),
        ...requirementsOf(client, sends),
        ...(claims.length > 0 && { claims }),
        ...(told.groups !== undefined && { groups: told.groups }),
        ...access,
        ...(type !== 'machine' && allowedOf(placing)),
      }
      if (client.sends !== undefined)
        yield decide(
          'An application with a secret was asked for neither PKCE nor a nonce. Here it sends one of both: say which in mapping.yaml (sends).',
          client_id,
        )
      if (declares['first_party'] === true)
        yield came('Nobody is asked for consent by an application, as before.', client_id)
    }
  }

  #ofMachine({ declares, within }: ToldClient, permissions: Permissions) {
    const given = permissions.given(this.#machines.get(declares.client_id) ?? [])
    const most = within === undefined ? undefined : new Set(permissions.given(within))
    const may = given.filter((one) => isOfServices(one) && (most === undefined || most.has(one)))
    return { services: [...new Set(may.map(serviceOf))], permissions: may }
  }
}

function addressesOf({ declares, returnsAnywhere = false }: ToldClient, redirect_uris: readonly string[]) {
  const said = (declares['post_logout_redirect_uris'] ?? []) as readonly string[]
  const applicationType = declares['application_type'] === 'native' ? 'native' : 'web'
  const fits = (uri: string) =>
    answeredUriProblem(uri, 'post_logout_redirect_uris', applicationType) === undefined
  const after = [...new Set([...said, ...(returnsAnywhere ? redirect_uris.filter(fits) : [])])]
  return { redirect_uris, ...(after.length > 0 && { post_logout_redirect_uris: after }) }
}

/** Whether an address has the origin of the wildcard and begins as it does: a host that only begins alike is another's. */
function fitsWildcard(uri: string, wildcard: string): boolean {
  const before = wildcard.replace(/\*.*$/, '')
  if (!uri.startsWith(before) || !URL.canParse(before) || !URL.canParse(uri)) return false
  const [a, b] = [new URL(before), new URL(uri)]
  return a.protocol === b.protocol && a.host === b.host
}

/** PKCE or the nonce is always left (RFC 9700 §2.1.1). */
function requirementsOf({ declares, sends }: ToldClient, edited: Mapping['sends']) {
  if (sends === undefined) return {}
  const own = Object.hasOwn(edited, declares.client_id) ? edited[declares.client_id] : undefined
  return (own ?? sends) === 'pkce' ? { require_nonce: false } : { require_pkce: false }
}

/** Places of one list (`catalogue/json.ts`). */
const mostPlaces = 100

/** Applications are for the people of their own system, where several systems move in. */
function allowedOf({ prefix, organisations }: Placing) {
  const isOwn = prefix !== undefined && organisations.length > 0 && organisations.length <= mostPlaces
  return isOwn ? { allowed: { organisations } } : {}
}

/** Nothing of this service's own administration comes to a client by itself. */
const isOfServices = (permission: string) =>
  permission !== iamWildcard && serviceOf(permission) !== iamService

function ofPeople({ within }: ToldClient, permissions: Permissions, services: readonly string[]) {
  if (within === undefined) return { services: services.slice(0, mostServices) }
  const may = permissions.given(within).filter(isOfServices)
  return { services: [...new Set(may.map(serviceOf))], permissions: may }
}

/** Names and roles of one list of groups (`catalogue/json.ts`). */
const [mostNames, mostMapped, longestName] = [20, 500, 100]

/** A claim with the names of the roles that somebody held, by the role that they have here; nothing where there are too many. */
function roleNames(
  { name, in: places, of }: RoleClaim,
  { placing, held, within }: { placing: Placing; held: HeldRoles; within: readonly string[] | undefined },
) {
  const map = new Map<string, Set<string>>()
  const seen = within === undefined ? undefined : new Set(held.effective(within))
  for (const { holds, role } of placing.roles) {
    const mine = held.effective(holds).filter((one) => seen?.has(one) ?? true)
    const roles = mine.flatMap((one) => held.role(one) ?? []).filter((one) => one.of?.id === of)
    const short = roles.map(nameOf).filter((one) => textProblem(longestName)(one) === undefined)
    if (role !== null && short.length > 0) map.set(role, new Set([...(map.get(role) ?? []), ...short]))
  }
  if (map.size > mostMapped || [...map.values()].some((one) => one.size > mostNames)) return {}
  return {
    claim: { name, source: 'groups', in: places },
    groups: {
      from: 'map',
      map: Object.fromEntries([...map].map(([role, names]) => [role, [...names].sort()])),
    },
  }
}
