import { type CredentialSource, usesDpop } from './credential.ts'
import { challengeDpop, type Decision, insufficientScope, type Refused } from './decision.ts'
import { createIdentify } from './identify.ts'
import { KeySet } from './key-set.ts'
import { type GuardOptions, readOptions } from './options.ts'
import { type MetadataAnswer, publishedMetadata } from './resource-metadata.ts'
import { meetStepUp, type StepUp } from './requirement.ts'
import type { RouteTable } from './route-table.ts'
import { createRoutes, type RouteGuard } from './routes.ts'
import { proofAlgorithms } from './verification-key.ts'

export interface Guard {
  /**
   * Decides whether the request's token is valid here and holds exactly this permission; and, where more is demanded than
   * a permission, whether the person proved enough. Never rejects.
   */
  check(source: CredentialSource, demanded: string | StepUp): Promise<Decision>
  /** Decides whether the request's token is valid here, whatever it permits. Never rejects. */
  authenticate(source: CredentialSource): Promise<Decision>
  /**
   * Guards a whole service: what has no entry is refused.
   * @throws TypeError when the table is wrong (see `RouteTable`).
   */
  routes(table: RouteTable): RouteGuard
  /**
   * The answer of `/.well-known/oauth-protected-resource` and what follows it in the address that a 401 names, with the
   * option `resourceMetadata`. A route table gives it by itself; a service without one mounts it.
   */
  readonly resourceMetadata: MetadataAnswer | undefined
  /** Fetches the keys when there are none yet, and says whether there are any: for a readiness probe. */
  ready(): Promise<boolean>
}

/**
 * Makes the guard of one service; it is meant to live as long as the service and to be shared by all requests.
 * Nothing is fetched before the first check, and no timer runs.
 * @throws TypeError that names the option when one is wrong.
 */
export function createGuard(options: GuardOptions): Guard {
  const settings = readOptions(options)
  const metadata = settings.resourceMetadata ? publishedMetadata(settings) : undefined
  const keys = new KeySet(settings)
  const identify = createIdentify(settings, keys)

  function refused(refusal: Refused, source: CredentialSource): Refused {
    const told = metadata === undefined ? refusal : metadata.challenge(refusal)
    return settings.dpop === undefined ? told : challengeDpop(told, proofAlgorithms, usesDpop(source))
  }

  async function authenticate(source: CredentialSource): Promise<Decision> {
    const pending = identify(source)
    const outcome = pending instanceof Promise ? await pending : pending
    return 'allowed' in outcome ? refused(outcome, source) : outcome.decision
  }

  async function check(source: CredentialSource, demanded: string | StepUp): Promise<Decision> {
    const pending = identify(source)
    const outcome = pending instanceof Promise ? await pending : pending
    if ('allowed' in outcome) return refused(outcome, source)
    const stepUp = typeof demanded === 'object' && demanded !== null ? demanded : undefined
    const permission = stepUp === undefined ? (demanded as string) : stepUp.permission
    if (!outcome.permissions.has(permission)) return refused(insufficientScope(String(permission)), source)
    if (stepUp === undefined) return outcome.decision
    const met = meetStepUp(outcome.decision, stepUp, settings.now())
    return met.allowed ? met : refused(met, source)
  }

  async function ready(): Promise<boolean> {
    await keys.freshen()
    return keys.loaded
  }

  return {
    check,
    authenticate,
    routes: (table) => createRoutes(table, { check, authenticate, metadata }),
    resourceMetadata: metadata?.answer,
    ready,
  }
}
