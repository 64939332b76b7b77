/** A browser at a page with a form: every page of people is opened here. */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressKey } from '../identity/address.ts'
import type { CeremonyOptions } from '../identity/factors/options.ts'
import type { FormPageProps } from '../pages/form.tsx'
import { pageOf, type PageWishes } from '../pages/locale.ts'
import type { ProtocolError } from '../protocol/errors.ts'
import { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import { brandingFor } from '../store/brandings.ts'
import { browserSecret, csrfToken } from './browser.ts'
import { noPasskeys } from './passkey.ts'

export interface PageVisit {
  service: Service
  request: FastifyRequest
  reply: FastifyReply
  /** The browser's secret. */
  browser: string
  /** What challenges of passkeys are bound to: the browser, and what the form is about. */
  holder: string
  /** What each page is given. */
  page: FormPageProps
}

interface PageOpening extends PageWishes {
  /** What the form is about: its token is tied to that and to the browser. */
  about: string
  action: string
  hidden?: Record<string, string>
  /** The organisation with the branding of the page; left out: the installation's. */
  organisation_uuid?: string | null | undefined
}

export async function openPage(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { about, action, hidden, organisation_uuid, ...wishes }: PageOpening,
): Promise<PageVisit> {
  const browser = browserSecret(service, request, reply)
  const page = {
    ...pageOf(request, wishes),
    brand: await brandingFor(service.store, organisation_uuid),
    action,
    csrf: csrfToken(browser, about),
    ...(hidden && { hidden }),
  }
  return { service, request, reply, browser, holder: `${browser} ${about}`, page }
}

/** The form of a request; an empty one where it sent none. */
export const formIn = ({ body }: Pick<FastifyRequest, 'body'>): Parameters =>
  body instanceof Parameters ? body : Parameters.parse('')

/** Throws the refusal when the form is not that of this page in this browser. */
export function checkForm(
  { page: { csrf } }: { page: Pick<FormPageProps, 'csrf'> },
  form: Parameters,
  refusal: () => ProtocolError,
): void {
  const [expected, given] = [Buffer.from(csrf), Buffer.from(form.optional('csrf') ?? '')]
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) throw refusal()
}

/**
 * Answers what the script of a page asks the browser for, with the form of the page. The request is counted as an
 * authorization request. Throws the refusal where the page does not open, or the form is not that of this browser.
 */
export async function answerOptions<V extends PageVisit>(
  { limits: { authorize } }: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: () => ProtocolError,
  {
    open,
    options,
  }: {
    open: () => Promise<V | undefined>
    options: (visit: V, purpose: string | undefined) => Promise<CeremonyOptions | undefined>
  },
): Promise<CeremonyOptions> {
  authorize.check(addressKey(request.ip))
  authorize.count(addressKey(request.ip))
  const visit = await open()
  if (visit === undefined) throw refusal()
  const form = formIn(request)
  checkForm(visit, form, refusal)
  const found = await options(visit, form.optional('purpose'))
  reply.header('cache-control', 'no-store')
  return found ?? noPasskeys()
}
