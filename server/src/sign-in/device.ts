import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type GuessedCode, guessUserCode } from '../identity/user-code-guesses.ts'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { newId } from '../protocol/identifier.ts'
import { Parameters } from '../protocol/parameters.ts'
import { shownUserCode, userCodeOf } from '../protocol/user-code.ts'
import type { Service } from '../service.ts'
import { keepRequest } from '../store/authorization-requests.ts'
import { brandingFor } from '../store/brandings.ts'
import { browserSecret, csrfMatches, csrfToken, readCookie } from './browser.ts'
import { deviceDonePage, type DeviceOutcome, devicePage, type DevicePageProps } from './device-page.tsx'
import { continuePath } from './step.ts'

/** The page where people enter the code of a device (RFC 8628 §3.3); the verification_uri. */
export const devicePath = '/device'
/** The last page in the browser. */
const donePath = '/device/done'

type Found = Extract<GuessedCode, { outcome: 'right' }>['device']

/** The page of the code, and the last page. What is between is a sign-in as any other: see `confirm-device.ts`. */
export function devicePages(app: FastifyInstance, service: Service): void {
  app.get(devicePath, async (request, reply) => {
    const browser = browserSecret(service, request, reply)
    const sent = userCodeOf(Parameters.ofUrl(request.url).optional('user_code') ?? '')
    return await show(service, request, reply, { browser, userCode: sent && shownUserCode(sent) })
  })

  app.post(devicePath, async (request, reply) => {
    const form = request.body instanceof Parameters ? request.body : Parameters.parse('')
    const browser = readCookie(service, request, 'browser') ?? ''
    if (!csrfMatches(browser, devicePath, form.optional('csrf'))) {
      throw new ProtocolError('form_expired', 'The form does not belong to this browser. Open it again.')
    }
    const typed = form.optional('user_code')?.slice(0, 100)
    if (typed === undefined) return await show(service, request, reply, { browser, error: 'missing' })
    const userCode = userCodeOf(typed)
    const unknown = { browser, userCode: typed, error: 'unknown' } as const
    if (userCode === undefined) return await show(service, request, reply, unknown)
    const guessed = await guessUserCode(service, userCode, {
      browser,
      address: request.ip,
      requestId: request.id,
    })
    if (guessed.outcome === 'throttled') {
      const retryAfterSeconds = Math.ceil(guessed.retryAfter / 1000)
      return await show(service, request, reply, { browser, userCode: typed, error: { retryAfterSeconds } })
    }
    if (guessed.outcome === 'wrong') return await show(service, request, reply, unknown)
    return reply.redirect(
      `${continuePath}?request=${await begin(service, browser, guessed.device, pageOf(request).locale)}`,
      303,
    )
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
  { id: deviceId, userCode, clientId, scopes, resource }: Found,
  uiLocales: string,
): Promise<string> {
  const id = newId(now())
  const device = { id: deviceId, userCode }
  const unused = { state: '', nonce: '', codeChallenge: '', prompt: [] }
  const parameters = { ...unused, scopes: [...scopes], resource, device, uiLocales }
  const request = { id, clientId, redirectUri: `${issuer}${donePath}`, parameters, browser }
  await keepRequest(store, request, { now: now(), lifetime: settings.lifetimes.signIn })
  return id
}

async function show(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { browser, error, userCode }: Pick<DevicePageProps, 'error' | 'userCode'> & { browser: string },
): Promise<unknown> {
  const tooMany = typeof error === 'object'
  if (tooMany) reply.header('retry-after', String(error.retryAfterSeconds))
  const html = devicePage({
    ...pageOf(request, { here: devicePath }),
    brand: await brandingFor(service.store),
    action: devicePath,
    csrf: csrfToken(browser, devicePath),
    userCode,
    error,
  })
  return sendPage(reply, html, { status: tooMany ? 429 : error === undefined ? 200 : 400 })
}
