import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { newPasswordFault } from '../identity/new-password.ts'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { apiDocUrl } from '../protocol/api-doc.ts'
import { consoleClient } from '../protocol/built-in-clients.ts'
import { emailProblem } from '../protocol/email-address.ts'
import { Parameters } from '../protocol/parameters.ts'
import { Problem } from '../protocol/problem.ts'
import { linkFormExpired } from '../protocol/refusals.ts'
import { textProblem } from '../protocol/values.ts'
import type { Service } from '../service.ts'
import { administratorPassword } from './verbs.ts'
import { isOpenSetupLink, setupLinkEnded } from './links.ts'
import type { RequestSource } from '../audit/record.ts'
import type { UserRow } from '../database/schema.ts'
import { passwordProof } from '../store/start-session.ts'
import { signInByLink } from '../sign-in/signed-in-by-link.ts'
import { checkForm, formIn, openPage, type PageVisit } from '../sign-in/page-visit.ts'
import {
  type FirstAdministratorErrors,
  firstAdministratorMadePage,
  firstAdministratorPage,
} from './first-administrator-page.tsx'

/** What `tessera setup` does too, and where its link leads. */
export interface SettingUp {
  path: string
  setUp(
    service: Service,
    from: RequestSource,
    link: string,
    typed: Typed,
  ): Promise<Pick<UserRow, 'uuid' | 'password_hash'>>
}

interface Typed {
  name: string
  email: string
  password: string
}

/** The page at which the holder of the link of `tessera setup --link` becomes the first administrator. */
export function firstAdministrator(app: FastifyInstance, service: Service, { path, setUp }: SettingUp): void {
  const description = apiDocUrl(service)
  app.get(path, async (request, reply) => {
    const link = await openLink(service, Parameters.ofUrl(request.url))
    return await show(await openSetup(request, reply, link), {})
  })

  app.post(path, async (request, reply) => {
    const form = formIn(request)
    // First, so that nobody without a link has a password hashed.
    const link = await openLink(service, form)
    const visit = await openSetup(request, reply, link)
    checkForm(visit, form, linkFormExpired)
    const typed = typedIn(form)
    const { name, email } = typed
    const shown = { name, email }
    const known = await administratorPassword(service.store, typed)
    const errors = errorsOf(typed, newPasswordFault(form, known))
    if (errors !== undefined) return await show(visit, { ...shown, errors })
    try {
      const from = { address: request.ip, requestId: request.id }
      const { uuid, password_hash } = await setUp(service, from, link, typed)
      await signInByLink(visit, { user_uuid: uuid, proofs: [passwordProof(password_hash ?? '')] })
    } catch (error) {
      if (!isTaken(error)) throw error
      return await show(visit, { ...shown, errors: { email: 'taken' } })
    }
    const console = service.settings.console ? consoleClient.path : undefined
    const page = { ...pageOf(request), here: undefined, email, description, console }
    return sendPage(reply, firstAdministratorMadePage(page))
  })

  const openSetup = async (request: FastifyRequest, reply: FastifyReply, link: string) =>
    await openPage(service, request, reply, { about: `setup ${link}`, action: path, hidden: { link } })

  async function show({ reply, page }: PageVisit, shown: SetupView): Promise<unknown> {
    const { least } = await administratorPassword(service.store, { name: '', email: '' })
    const html = firstAdministratorPage({ ...page, least, ...shown })
    return sendPage(reply, html, { status: shown.errors === undefined ? 200 : 400 })
  }
}

interface SetupView {
  name?: string
  email?: string
  errors?: FirstAdministratorErrors
}

/** The link of an address or a form. Throws `setup_link_ended`. */
async function openLink(service: Service, parameters: Parameters): Promise<string> {
  const link = parameters.optional('link')
  if (link !== undefined && (await isOpenSetupLink(service.store, link, service.now()))) return link
  throw setupLinkEnded()
}

const typedIn = (form: Parameters): Typed => ({
  name: (form.optional('name') ?? '').trim(),
  email: (form.optional('email') ?? '').trim(),
  password: form.optional('password') ?? '',
})

const longestName = 200

/** What is wrong by the rules of the administration API. Undefined: nothing. */
function errorsOf(
  { name, email }: Typed,
  fault: FirstAdministratorErrors['password'],
): FirstAdministratorErrors | undefined {
  const errors: FirstAdministratorErrors = {
    ...(textProblem(longestName)(name) !== undefined && { name: name === '' ? 'missing' : 'wrong' }),
    ...(emailProblem(email) !== undefined && { email: email === '' ? 'missing' : 'wrong' }),
    ...(fault !== undefined && { password: fault }),
  }
  return Object.keys(errors).length === 0 ? undefined : errors
}

/** Whether somebody has the address who administers nothing. */
const isTaken = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'conflict' && error.fields.some((one) => one.field === 'email')
