import { answeredUriProblem } from '../protocol/redirect-uri.ts'
import { iamService, iamWildcard, serviceOf } from '../protocol/permission.ts'
import type { DeclaredEntry } from '../declared/text.ts'
import type { Permissions } from './access.ts'
import type { Mapping } from './mapping.ts'
import type { HeldRoles } from './roles.ts'
import { decide, type Remark, type ToldClient, type ToldMachine, type ToldRedirect } from './told.ts'

/** Services of one client (`catalogue/client.ts`). */
const mostServices = 100

/** The clients of a declared file: what they may do, and their exact redirect URIs. */
export class DeclaredClients {
  readonly #clients: ToldClient[] = []
  readonly #seen = new Map<string, Set<string>>()
  readonly #machines = new Map<string, readonly string[]>()

  add(client: ToldClient): void {
    this.#clients.push(client)
  }

  see({ client_id, uri }: ToldRedirect): void {
    this.#seen.set(client_id, (this.#seen.get(client_id) ?? new Set()).add(uri))
  }

  learn({ client_id, roles, groups }: ToldMachine, held: HeldRoles): void {
    this.#machines.set(client_id, held.held(roles, groups))
  }

  /** For the mapping: clients with a wildcard, and the addresses that were seen of it. */
  redirects(): Mapping['redirect_uris'] {
    const open = this.#clients.filter((one) => one.wildcards.length > 0)
    return Object.fromEntries(open.map((one) => [one.declares.client_id, this.#seenOf(one)]))
  }

  #seenOf({ declares, wildcards }: ToldClient): string[] {
    const applicationType = declares['application_type'] === 'native' ? 'native' : 'web'
    return [...(this.#seen.get(declares.client_id) ?? [])]
      .filter((uri) => wildcards.some((one) => uri.startsWith(one.replace(/\*.*$/, ''))))
      .filter((uri) => answeredUriProblem(uri, 'redirect_uris', applicationType) === undefined)
      .sort()
  }

  /** The entries, and what is to be decided of them. */
  *declared(
    permissions: Permissions,
    { redirect_uris: edited, services }: Pick<Mapping, 'redirect_uris'> & { services: readonly string[] },
  ): Generator<DeclaredEntry | Remark> {
    for (const client of this.#clients) {
      const { declares, wildcards } = client
      const { client_id, type } = declares
      const own = (declares['redirect_uris'] ?? []) as readonly string[]
      const written = Object.hasOwn(edited, client_id) ? (edited[client_id] ?? []) : []
      const further = written.length > 0 ? written : this.#seenOf(client)
      const redirect_uris = [...new Set([...own, ...further])]
      const answer = further.length === 0 ? 'none was seen' : further.join(' ')
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
      yield { ...declares, ...(type !== 'machine' && { redirect_uris }), ...access }
    }
  }

  #ofMachine({ declares, within }: ToldClient, permissions: Permissions) {
    const given = permissions.given(this.#machines.get(declares.client_id) ?? [])
    const most = within === undefined ? undefined : new Set(permissions.given(within))
    const may = given.filter((one) => isOfServices(one) && (most === undefined || most.has(one)))
    return { services: [...new Set(may.map(serviceOf))], permissions: may }
  }
}

/** Nothing of this service's own administration comes to a client by itself. */
const isOfServices = (permission: string) =>
  permission !== iamWildcard && serviceOf(permission) !== iamService

function ofPeople({ within }: ToldClient, permissions: Permissions, services: readonly string[]) {
  if (within === undefined) return { services: services.slice(0, mostServices) }
  const may = permissions.given(within).filter(isOfServices)
  return { services: [...new Set(may.map(serviceOf))], permissions: may }
}
