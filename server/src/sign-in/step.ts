import type { FastifyReply } from 'fastify'
import type { Actor } from '../audit/record.ts'
import type { LevelMissing } from '../identity/factors/level.ts'
import type { FormPageProps } from '../pages/form.tsx'
import type { Level } from '../protocol/authentication.ts'
import type { AuthorizeParameters, Prompt } from '../protocol/authorize-parameters.ts'
import type { ErrorCode } from '../protocol/errors.ts'
import { RedirectableError } from '../protocol/redirectable-error.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { targetOf } from '../protocol/redirect-target.ts'
import type { Scope } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import type { PageVisit } from './page-visit.ts'
import { answerStep, type PendingRequest } from '../store/authorization-requests.ts'
import type { Client } from '../store/clients.ts'
import { denyDeviceCode } from '../store/device-codes.ts'
import type { LiveSession } from '../store/sessions.ts'
import type { UpstreamNow } from '../store/upstreams.ts'
import type { Profile } from '../store/users.ts'

/** What the rules need to know of an authorization request that was checked. */
export interface AskedFor {
  client: Client
  scopes: readonly Scope[]
  prompt: readonly string[]
  /** Seconds. */
  maxAge?: number | undefined
  hintedSub?: string | undefined
  profileUuid?: string | undefined
  resource?: string | undefined
  acrValues?: readonly Level[] | undefined
  offeredTo?: string | undefined
  putOffBy?: string | undefined
  linking?: string | undefined
  device?: AuthorizeParameters['device']
  here?: AuthorizeParameters['here']
  trial?: AuthorizeParameters['trial']
}

/** What the steps found out so far; a request that needed no page has none of it. */
export type Progress = Partial<Pick<PendingRequest, 'signed_in_sid' | 'profile_uuid' | 'consented'>>

/** How far a sign-in has come. */
export interface SignInState {
  asked: AskedFor
  progress: Progress
  /** Undefined: nobody is signed in, they were disabled, or the id_token_hint names another person. */
  session: LiveSession | undefined
  /** The profiles that the person may act under through the client. */
  profiles: readonly Profile[]
  /** The one that was chosen or asked for, or the only one. */
  profile: Profile | undefined
  /** The profile that is wanted, or any at all, takes another proof than the session has. */
  isBeyond: boolean
  /** The upstreams by one of which the profile's organisation wants a proof. */
  demanded: readonly UpstreamNow[] | undefined
  /** What policy or the request demands beyond what was proved, once the profile is known. */
  lacking: LevelMissing | undefined
}

/** A step of a sign-in: its rule, its page and the form on it. `Missing` is what its rule finds missing. */
export interface SignInStep<Missing = unknown> {
  readonly path: string
  /** The error of `prompt=none` when this step is missing (OpenID Connect Core 1.0 §3.1.2.6). */
  readonly withoutPage: readonly [ErrorCode, string]
  /** What is missing; undefined: nothing. Asked when no step before this one is missing. */
  missing(service: Service, state: SignInState): Missing | undefined | Promise<Missing | undefined>
  show(visit: Visit, missing: Missing): unknown
  /** `missing` is undefined when the form came too late, and another step is next. */
  submit(visit: Visit & { form: Parameters }, missing: Missing | undefined): unknown
}

/** A request to a step, by the browser that the authorization request belongs to. */
export interface Visit extends PageVisit {
  pending: PendingRequest
  client: Client
  /** The browser's session, even if the authorization request is for another person. */
  session: LiveSession | undefined
  page: FormPageProps & { clientName: string }
}

/** The address that every step returns to; the authorization request then asks which step is missing. */
export const continuePath = '/oauth2/authorize/continue'

export function goOn({ reply, pending }: Visit): FastifyReply {
  return reply.redirect(`${continuePath}?request=${pending.id}`, 303)
}

/** "Use another account": this request asks for a sign-in again. The session stays until another person signs in. */
export const useAnotherAccount = (visit: Visit, loginHint?: string): Promise<FastifyReply> =>
  askAgain(visit, 'select_account', loginHint)

/** Asks the person who is signed in to sign in again: what they proved is too old. */
export const signInAgain = (visit: Visit): Promise<FastifyReply> => askAgain(visit, 'login')

async function askAgain(visit: Visit, by: Prompt, loginHint?: string): Promise<FastifyReply> {
  const { id, parameters } = visit.pending
  const { loginHint: _, ...others } = parameters
  const prompt = [...new Set<Prompt>([...parameters.prompt, by])]
  await answerStep(visit.service.store, id, {
    signed_in_sid: null,
    profile_uuid: null,
    consented: 0,
    parameters: { ...others, prompt, loginHint },
  })
  return goOn(visit)
}

const allowedBefore = 'The device was allowed before, and has its access.'

/** The answer to the client when the person does not want to, or can't, go on; a device is told at its next request. */
export async function denied(
  { service, request, pending, session }: Visit,
  description: string,
): Promise<RedirectableError> {
  const { device } = pending.parameters
  if (device !== undefined) {
    const actor: Actor = session ? { kind: 'user', id: session.user_uuid } : { kind: 'anonymous' }
    const by = { actor, address: request.ip, requestId: request.id }
    const isDenied = await denyDeviceCode(service.store, device.id, { now: service.now(), by })
    if (!isDenied) return new RedirectableError('request_expired', allowedBefore, targetOf(pending))
  }
  return new RedirectableError('access_denied', description, targetOf(pending))
}
