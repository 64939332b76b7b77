import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerClient } from '../oauth2/authorize-answer.ts'
import { errorPage } from '../pages/error-page.tsx'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { isElsewhere, placedPage, placedPolicy } from './below.ts'
import { type AddressMismatch, loggedCommand, mismatchDetail } from '../protocol/address-mismatch.ts'
import { type ErrorCode, ProtocolError } from '../protocol/errors.ts'
import { RedirectableError } from '../protocol/redirectable-error.ts'
import { takesHtml } from '../protocol/takes-html.ts'
import type { Service } from '../service.ts'
import { brandingFor } from '../store/brandings.ts'
import { keepRefused } from '../store/refused-addresses.ts'
import { noteOutcome } from '../store/trials.ts'
import { sentBy, tellError } from './log.ts'
import { isStorageFailure, lacksRoom } from '../database/failure.ts'
import { sendLingering } from './lingering.ts'

/** The one place where an error becomes an answer. No answer carries a stack, SQL or a path (decisions 8). */
export function jsonErrors(app: FastifyInstance, service: Service): void {
  app.setErrorHandler(async (error, request, reply) => {
    const refusal = asRefusal(error)
    tell(service, request, refusal, error)
    if (refusal.mismatch !== undefined) await tellOperators(service, refusal.mismatch)
    return sendJson(reply, refusal)
  })
}

/** Answers errors at the addresses that people visit: a page for browsers, JSON for a caller that takes no HTML. */
export function pageErrors(app: FastifyInstance, service: Service): void {
  app.setErrorHandler(async (error, request, reply) => {
    const refusal = asRefusal(error)
    tell(service, request, refusal, error)
    if (refusal.mismatch !== undefined) await tellOperators(service, refusal.mismatch)
    if (refusal instanceof RedirectableError) {
      const { code, description, target } = refusal
      if (target.trial !== undefined) await tellTrial(service, target.trial, refusal)
      return answerClient(service, request, reply, target, { error: code, error_description: description })
    }
    return await sendAnswer(service, refusal, request, reply)
  })
}

/** What never became a request of a route: as an address that people visit. */
export async function sendUnrouted(
  service: Service,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const refusal = asRefusal(error)
  tell(service, request, refusal, error)
  return await sendAnswer(service, refusal, request, reply)
}

const sendAnswer = async (
  service: Service,
  refusal: ProtocolError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> =>
  acceptsHtml(request) ? await sendErrorPage(service, request, reply, refusal) : sendJson(reply, refusal)

/** An answer is sent all the same: the browser is told of the error too. */
async function tellTrial(
  { store, now, unanswered }: Service,
  trial: string,
  { code: error, description }: RedirectableError,
): Promise<void> {
  await noteOutcome(store, trial, { error, description }, now()).catch((failure: unknown) => {
    unanswered.heard(failure)
  })
}

/** The refusal stands whether or not it could be kept. */
async function tellOperators({ store, now, unanswered }: Service, mismatch: AddressMismatch): Promise<void> {
  await keepRefused(store.db, mismatch, now()).catch((failure: unknown) => {
    unanswered.heard(failure)
  })
}

/** Unmatched routes: 404, or 405 with Allow for a known path (RFC 9110 §15.5.6). */
export function unmatchedRoutes(app: FastifyInstance, service: Service): void {
  const methods = new Map<string, Set<string>>()
  const patterns = new Map<string, RegExp>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set()
    for (const one of [method].flat()) known.add(one)
    methods.set(url, known)
    if (url.includes(':')) patterns.set(url, new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`))
  })
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const pattern = methods.has(path) ? path : [...patterns].find(([, one]) => one.test(path))?.[0]
    const allowed = methods.get(pattern ?? '')
    const refusal = allowed === undefined ? nothingHere() : methodNotAllowed(request.method, [...allowed])
    return await sendAnswer(service, refusal, request, reply)
  })
}

export const nothingHere = () =>
  new ProtocolError('not_found', 'There is nothing at this address. The addresses are in /api/doc.')

function methodNotAllowed(method: string, allowed: string[]): ProtocolError {
  const allow = allowed.sort().join(', ')
  return new ProtocolError('method_not_allowed', `This address does not take ${method}; it takes ${allow}.`, {
    headers: { allow },
  })
}

const noForm = () =>
  new ProtocolError('invalid_request', 'The body must be sent as application/x-www-form-urlencoded.')

/** The refusal that an error comes to. `wrongType`: for a body of a type that is not taken. */
export function asRefusal(error: unknown, wrongType: () => ProtocolError = noForm): ProtocolError {
  if (error instanceof ProtocolError) return error
  const { code } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrongType()
  // The framework reads no part of a path that is longer than any name here.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return nothingHere()
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new ProtocolError('request_too_large', 'The body is larger than this address takes.')
  }
  // Errors of the platform have numbers as code.
  if ((typeof code === 'string' && code.startsWith('FST_ERR_CTP_')) || code === 'FST_ERR_BAD_URL') {
    return new ProtocolError('invalid_request', 'The request is malformed.')
  }
  if (isStorageFailure(error)) return lacksRoom(error) ? full(error) : unreachable(error)
  return new ProtocolError(
    'server_error',
    'Something went wrong on our side. Tell the operator the request id.',
    { cause: error },
  )
}

const inAWhile = { 'retry-after': '5' }

const unreachable = (cause: unknown) =>
  new ProtocolError(
    'temporarily_unavailable',
    'The service can not reach its database. Try again in a few seconds.',
    { headers: inAWhile, cause },
  )

const full = (cause: unknown) =>
  new ProtocolError(
    'temporarily_unavailable',
    'The disk of the database is full, or fails: nothing was changed. Tell the people who run the service.',
    { headers: inAWhile, cause },
  )

/** Tells the log and the metrics. */
export function tell(
  { observe, unanswered }: Service,
  request: FastifyRequest,
  refusal: ProtocolError,
  error: unknown,
): void {
  unanswered.heard(error)
  if (isCutOff(request)) return
  observe({ kind: 'refusal', error: refusal.code })
  if (refusal.status >= 500) {
    const err = error instanceof Error ? tellError(error, sentBy(request)) : undefined
    request.log.error({ err, error: refusal.code }, refusal.description)
    return
  }
  const { code, mismatch, detail = mismatch && mismatchDetail(mismatch) } = refusal
  const cure = mismatch && loggedCommand(mismatch)
  request.log.info({ error: code, detail, cure, client_id: mismatch?.client_id }, refusal.description)
}

/** The connection was gone before the whole body came: `traffic.ts` tells of that. */
const isCutOff = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete

/** `{"error","error_description"}` (RFC 6749 §5.2). */
export function jsonBody(error: ErrorCode, description: string, acrValues?: string): string {
  return JSON.stringify({ error, error_description: description, acr_values: acrValues })
}

function sendJson(reply: FastifyReply, refusal: ProtocolError): FastifyReply {
  reply
    .status(refusal.status)
    .headers(refusal.headers)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
  return sendLingering(reply, jsonBody(refusal.code, refusal.description, refusal.acrValues))
}

async function sendErrorPage(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: ProtocolError,
): Promise<unknown> {
  const { store, settings } = service
  reply.headers(refusal.headers)
  // The page is there without the database too.
  const brand = refusal.status < 500 ? await brandingFor(store).catch(() => undefined) : undefined
  const html = errorPage({
    ...pageOf(request, { uiLocales: uiLocalesOf(request) }),
    ...(!canBeOpened(request) && { here: '/' }),
    ...(isElsewhere(request) && { here: undefined }),
    brand,
    error: refusal.code,
    description: refusal.description,
    situation: refusal.situation,
    mismatch: refusal.mismatch,
    development: settings.mode === 'development',
  })
  const lingering = {
    status: (code: number) => reply.status(code),
    header: (name: string, value: string) =>
      reply.header(name, name.endsWith('policy') ? placedPolicy(service, request, value) : value),
    send: (text: string) => sendLingering(reply, text),
  }
  return sendPage(lingering, placedPage(service, reply, html), { status: refusal.status })
}

/** Whether a browser can come back to this address, after a switch of the language. */
const canBeOpened = ({ server, routeOptions: { url } }: FastifyRequest): boolean =>
  url === undefined || server.hasRoute({ method: 'GET', url })

/** Reads the raw query: the request may be refused for its parameters. */
function uiLocalesOf({ url }: FastifyRequest): string | undefined {
  const [asked, ...more] = new URLSearchParams(url.split('?')[1] ?? '').getAll('ui_locales')
  return more.length === 0 ? asked : undefined
}

export const acceptsHtml = ({ headers }: FastifyRequest): boolean => takesHtml(headers.accept)
