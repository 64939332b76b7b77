/**
 * `setup/` makes the first administrator: by the command, or by a link that the command prints. It does nothing where
 * somebody administers the installation.
 */
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { newColumns } from '../catalogue/columns.ts'
import { user } from '../catalogue/user.ts'
import type { Service } from '../service.ts'
import type { RequestSource } from '../audit/record.ts'
import { operator } from '../administration/authority.ts'
import type { By } from '../administration/by.ts'
import { consoleAddress } from '../administration/clients/built-in.ts'
import { createSetupLink } from './links.ts'
import { passwordProblem } from '../identity/password-rules.ts'
import { wrongField } from '../protocol/problem.ts'
import { administratorPassword, createFirstAdministrator } from './verbs.ts'
import type { MadeUser } from '../administration/users/verbs.ts'
import { code, email, isoTime, text } from '../administration/fields.ts'
import { type AdministrationService, parsedBody, route } from '../administration/route.ts'
import { createdUserAnswer, password } from '../administration/users/routes.ts'

const person = z.strictObject({ email, name: text(200), password })
const firstAdministrator = person.extend({ role_code: code.optional() })

/**
 * The first administrator. It is checked as a route is, and is in no table of them: there is nobody yet whose token
 * could permit it, so it is for those who can open the database.
 */
export const setup = route({
  method: 'POST',
  path: '/setup',
  permission: 'iam.users.create',
  summary: 'Make the first administrator',
  answers: 'CreatedUser',
  body: firstAdministrator,
  async handle({ service, by, body }) {
    const { body: made, ...answer } = createdUserAnswer(await make(service, by, body))
    const console = (await consoleAddress(service.store.db)) ?? null
    return { ...answer, body: { ...made, console } }
  },
})

/** The page at which the holder of a link names themself. */
export const setupPath = '/setup'

/** Makes a link by which somebody sets the service up in the browser. */
export const setupLink = route({
  method: 'POST',
  path: '/setup/links',
  permission: 'iam.users.create',
  summary: 'Make a link for the first administrator',
  async handle({ service, by }) {
    const { issuer } = service
    const { text: link, expiresAt } = await createSetupLink(service.store, by)
    return {
      status: 201,
      body: { link: `${issuer}${setupPath}?link=${link}`, expires_at: isoTime(expiresAt) },
    }
  },
})

/** What is typed at that page. */
export type TypedPerson = z.input<typeof person>

/** Sets up by the link alone, and yields the administrator. Throws `setup_link_ended`, or what is wrong. */
export async function setUpByLink(
  service: Service,
  from: RequestSource,
  link: string,
  typed: TypedPerson,
): Promise<MadeUser['user']> {
  const body = parsedBody(person, typed)
  const through = { actor: { kind: 'anonymous' }, client_id: undefined, sid: undefined } as const
  const made = await make(
    service,
    { ...from, ...through, now: service.now(), authority: operator(through.actor) },
    body,
    link,
  )
  return made.user
}

async function make(
  { store, passwords }: Pick<AdministrationService, 'store' | 'passwords'>,
  by: By,
  body: z.output<typeof firstAdministrator>,
  link?: string,
): Promise<MadeUser> {
  const said = newColumns(user, { email: body.email, name: body.name })
  const problem = passwordProblem(body.password, await administratorPassword(store, body, body.role_code))
  if (problem !== undefined) throw wrongField('password', problem)
  const columns = { ...said, password_hash: await passwords.hash(body.password) }
  const ids = { user_uuid: randomUUID(), profile_uuid: randomUUID() }
  const made = { ...ids, role_code: body.role_code, columns, ...(link !== undefined && { link }) }
  return await createFirstAdministrator(store, by, made)
}
