import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { createFirstAdministrator } from '../store/admin/setup.ts'
import { code, email, text } from './fields.ts'
import { shownProfile } from './profiles.ts'
import { shownRole } from './roles.ts'
import { route } from './route.ts'
import { noColumns, password, shownUser } from './users.ts'

/**
 * The first administrator. It is checked as a route is, and is in no table of them: there is nobody yet whose token
 * could permit it, so it is for whoever can open the database.
 */
export const setup = route({
  method: 'POST',
  path: '/setup',
  permission: 'iam.users.create',
  summary: 'Make the first administrator',
  answers: 'CreatedUser',
  body: z.strictObject({ email, name: text(200), password, role_code: code.optional() }),
  async handle({ service, by, body }) {
    const columns = {
      ...noColumns,
      email: body.email,
      name: body.name,
      password_hash: await service.passwords.hash(body.password),
    }
    const ids = { userUuid: randomUUID(), profileUuid: randomUUID() }
    const made = { ...ids, roleCode: body.role_code, columns }
    const show = { role: shownRole, user: shownUser, profile: shownProfile }
    const { user, profiles } = await createFirstAdministrator(service.store, by, made, show)
    return { status: 201, body: { ...shownUser(user), profiles: profiles.map(shownProfile) } }
  },
})
