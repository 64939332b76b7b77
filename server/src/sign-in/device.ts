import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type GuessedCode, guessUserCode } from '../identity/user-code-guesses.ts'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { newId } from '../protocol/identifier.ts'
import { Parameters } from '../protocol/parameters.ts'
import { otherBrowser } from '../protocol/refusals.ts'
import { scopesOf } from '../protocol/scope.ts'
import { shownUserCode, userCodeOf } from '../protocol/user-code.ts'
import type { Service } from '../service.ts'
import { keepRequest } from '../store/authorization-requests.ts'
import { brandingFor } from '../store/brandings.ts'
import { deviceDonePage, type DeviceOutcome, devicePage, type DevicePageProps } from './device-page.tsx'
import { checkForm, formIn, openPage, type PageVisit } from './page-visit.ts'
import { continuePath } from './step.ts'

/** The page where people enter the code of a device (RFC 8628 §3.3); the verification_uri. */
export const devicePath = '/device'
/** The last page in the browser. */
const donePath = '/device/done'

type PendingDevice = Extract<GuessedCode, { outcome: 'right' }>['device']

/** The page of the code, and the last page. What is between is a sign-in as any other: see `confirm-device.ts`. */
export function devicePages(app: FastifyInstance, service: Service): void {
  app.get(devicePath, async (request, reply) => {
    const sent = userCodeOf(Parameters.ofUrl(request.url).optional('user_code') ?? '')
    return show(await openDevice(service, request, reply), { userCode: sent && shownUserCode(sent) })
  })

  app.post(devicePath, async (request, reply) => {
    const form = formIn(request)
    const visit = await openDevice(service, request, reply)
    checkForm(visit, form, otherBrowser)
    const { browser } = visit
    const typed = form.optional('user_code')?.slice(0, 100)
    if (typed === undefined) return show(visit, { error: 'missing' })
    const userCode = userCodeOf(typed)
    const unknown = { userCode: typed, error: 'unknown' } as const
    if (userCode === undefined) return show(visit, unknown)
    const guessed = await guessUserCode(service, userCode, {
      browser,
      address: request.ip,
      requestId: request.id,
    })
    if (guessed.outcome === 'throttled') {
      const retryAfterSeconds = Math.ceil(guessed.retryAfter / 1000)
      return show(visit, { userCode: typed, error: { retryAfterSeconds } })
    }
    if (guessed.outcome === 'wrong') return show(visit, unknown)
    const id = await begin(service, browser, guessed.device, visit.page.locale)
    return reply.redirect(`${continuePath}?request=${id}`, 303)
  })

  // The page says the same to everybody: the address tells which of the three it is.
  app.get(donePath, async (request, reply) => {
    const outcome = outcomeOf(Parameters.ofUrl(request.url).optional('error'))
    const brand = await brandingFor(service.store)
    return sendPage(reply, deviceDonePage({ ...pageOf(request), brand, outcome }))
  })
}

function outcomeOf(error: string | undefined): DeviceOutcome {
  if (error === undefined) return 'allowed'
  return error === 'request_expired' ? 'allowedBefore' : 'denied'
}

/** Keeps an authorization request for what the device asked. Nothing is sent to its redirect_uri, which is a page here. */
async function begin(
  { issuer, store, settings, now }: Service,
  browser: string,
  { id: deviceId, user_code, client_id, scope, resource }: PendingDevice,
  uiLocales: string,
): Promise<string> {
  const id = newId(now())
  const device = { id: deviceId, userCode: user_code }
  const unused = { state: '', nonce: '', codeChallenge: '', prompt: [] }
  const parameters = {
    ...unused,
    scopes: scopesOf(scope),
    resource: resource ?? undefined,
    device,
    uiLocales,
  }
  const request = { id, client_id, redirect_uri: `${issuer}${donePath}`, parameters, browser }
  await keepRequest(store, request, { now: now(), lifetime: settings.lifetimes.signIn })
  return id
}

const openDevice = async (service: Service, request: FastifyRequest, reply: FastifyReply) =>
  await openPage(service, request, reply, { about: devicePath, action: devicePath, here: devicePath })

function show(
  { reply, page }: PageVisit,
  { error, userCode }: Pick<DevicePageProps, 'error' | 'userCode'>,
): unknown {
  const tooMany = typeof error === 'object'
  if (tooMany) reply.header('retry-after', String(error.retryAfterSeconds))
  const status = tooMany ? 429 : error === undefined ? 200 : 400
  return sendPage(reply, devicePage({ ...page, userCode, error }), { status })
}
