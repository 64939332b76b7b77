import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasFactorHere } from '../identity/factors/second-factor.ts'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import { checkForm, formIn } from '../sign-in/page-visit.ts'
import { signInHere } from '../sign-in/here.ts'
import { hasSecondFactor } from '../sign-in/second-factor.ts'
import { type ProofError, prove, type Stale, staleIn, waysToProve } from './fresh-proof.ts'
import { keyOptionsPath } from './key-options.ts'
import { provePage } from './prove-page.tsx'
import { leaveToProve } from './upstream-proof.ts'
import { signInFirstPage } from './sign-in-page.tsx'
import { type AccountVisit, back, openAccount, otherSession } from './visit.ts'

export type Act = (visit: AccountVisit, form: Parameters) => unknown

/** A page of the account: what it shows, and what its forms do. */
export interface AccountPage {
  path: string
  /** First of all at a GET: keeps what the address carries while somebody signs in. */
  arrive?(service: Service, request: FastifyRequest, reply: FastifyReply): void
  /** `done`: what was done by the form before. */
  show(visit: AccountVisit, done: string | undefined): unknown
  /** Actions by the value of the field `do`. They want a fresh proof. */
  actions?: Readonly<Record<string, Act>>
  /** Actions that want no fresh proof. */
  plain?: Readonly<Record<string, Act>>
  /** The page shows what concerns the profiles that the proofs open, and so needs no proof of more. */
  ofProfiles?: true
  /** The fields that go on while a fresh proof is asked for. */
  kept?: readonly string[]
  /** The upstream that a form is to remove: what it proved does not count for that. */
  without?(form: Parameters): string | undefined
}

/** GET and POST of a page. Who isn't signed in is led to the sign-in, and back to it. */
export function accountPage(app: FastifyInstance, service: Service, page: AccountPage): void {
  // A HEAD request, as of a link checker, would begin a sign-in.
  app.get(page.path, { exposeHeadRoute: false }, async (request, reply) => {
    page.arrive?.(service, request, reply)
    const visit = await openAccount(service, request, reply, page.path)
    if (visit === undefined) return await signInHere(service, request, reply, page.path)
    if (!visit.isWhole && page.ofProfiles !== true) return await askProof(visit, { do: 'open' })
    if (!(await isComplete(visit))) return await askProof(visit, { do: 'open' })
    return await page.show(visit, Parameters.ofUrl(request.url).optional('done'))
  })

  app.post(page.path, async (request, reply) => {
    const visit = await openAccount(service, request, reply, page.path)
    if (visit === undefined) return nobodyHere(request, reply)
    const form = formIn(request)
    checkForm(visit, form, otherSession)
    return await submit(visit, form, page)
  })
}

const nobodyHere = (request: FastifyRequest, reply: FastifyReply) =>
  sendPage(reply, signInFirstPage(pageOf(request)), { status: 403 })

/** Whoever has a second factor proves it before they see anything; a trusted device is not enough. */
export async function isComplete({ service, session }: AccountVisit): Promise<boolean> {
  return hasSecondFactor(session) || !(await hasFactorHere(service, session.user_uuid))
}

async function submit(before: AccountVisit, form: Parameters, page: AccountPage): Promise<unknown> {
  const { actions = {}, plain = {}, kept = [] } = page
  const asked = form.optional('do') ?? ''
  const act = entry(actions, asked) ?? entry(plain, asked)
  // The last form of new recovery codes asks for nothing.
  if (asked === '') return back(before)
  if (Object.hasOwn(plain, asked) && before.isWhole && (await isComplete(before)))
    return await act?.(before, form)
  const without = page.without?.(form)
  const fields = keptOf(form, ['do', ...kept])
  const left = await leaveToProve(before, form.optional('choice'), {
    form: { path: page.path, fields },
    without,
  })
  if (left !== undefined) return left.answer
  const { visit, error } = await prove(before, form, await staleIn(before, without))
  const stale = await staleIn(visit, without)
  if (stale.length > 0 || error !== undefined) return await askProof(visit, fields, { stale, error, without })
  return act === undefined ? back(visit) : await act(visit, form)
}

const entry = (acts: Readonly<Record<string, Act>>, name: string): Act | undefined =>
  Object.hasOwn(acts, name) ? acts[name] : undefined

const keptOf = (form: Parameters, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = form.optional(name, 300)
      return value === undefined ? [] : [[name, value]]
    }),
  )

async function askProof(
  visit: AccountVisit,
  hidden: Record<string, string>,
  {
    stale,
    error,
    without,
  }: { stale?: readonly Stale[]; error?: ProofError | undefined; without?: string | undefined } = {},
): Promise<unknown> {
  const { reply, page } = visit
  if (typeof error === 'object') reply.header('retry-after', String(error.retryAfterSeconds))
  const status = error === undefined ? 200 : typeof error === 'object' ? 429 : 400
  const asked = stale ?? (await staleIn(visit))
  const ways = await waysToProve(visit, without)
  const html = provePage({ ...page, hidden, stale: asked, ways, keysFrom: keyOptionsPath, error })
  const scripts = asked.includes('key')
  const leadsAway = ways.upstreams.length > 0
  return sendPage(reply, html, { status, leadsAway, script: scripts, fetches: scripts })
}
