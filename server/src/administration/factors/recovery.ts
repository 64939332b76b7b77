import * as z from 'zod'
import type { AuditEvent } from '../../audit/record.ts'
import type { Store } from '../../database/store.ts'
import { Problem } from '../../protocol/problem.ts'
import { inTransaction } from '../../store/in-transaction.ts'
import { makeLink } from '../../store/links.ts'
import type { ResetData } from '../../store/password-reset.ts'
import { findPerson } from '../../store/person.ts'
import type { By } from '../by.ts'
import { change, originOf } from '../change.ts'
import { isoTime } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { route, type Route } from '../route.ts'
import { toWeaken, within } from './verbs.ts'

/** Long enough to be passed on and opened. */
const lifetime = 3_600_000

/** The page that a link leads to, below the issuer. */
const path = '/sign-in/reset'

const recovery = z.object({
  link: z.string().describe('Shown once, to be passed on to the person.'),
  expires_at: z.iso.datetime(),
})

export const recoverySchemas = { Recovery: recovery }

export const recoveryRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/users/:uuid/recovery',
    permission: 'iam.factors.delete',
    summary: 'Make a link by which a user sets a new password',
    description:
      'Good once, for an hour; it takes the place of an earlier one. The page asks for the second factor first, unless there is none. It needs `iam.users.update` too, as setting a password does, and all that the person holds, at every place. It ends when the person is disabled, gets another password, or may act under a profile that they could not use before. Nobody makes one for themself.',
    answers: 'Recovery',
    repeatable: false,
    refusals: ['forbidden', 'conflict'],
    body: z.strictObject({}),
    async handle({ service, by, param }) {
      by.authority.requires('iam.users.update')
      // Before the link is made: the command may not know it.
      const { issuer, store } = service
      const { text, expiresAt } = await makeRecovery(store, by, uuidOf(param('uuid'), 'user'))
      const link = `${issuer}${path}?link=${text}`
      return { status: 201, body: { link, expires_at: isoTime(expiresAt) } }
    },
  }),
]

/** Makes a link that sets a password. Throws `conflict` where the person is disabled. Concurrency: see `change`. */
async function makeRecovery(
  store: Store,
  by: By,
  userUuid: string,
): Promise<{ text: string; expiresAt: number }> {
  return await change(store, by, async (trx) => {
    await toWeaken(trx, by, userUuid)
    const { now } = by
    const person = await findPerson(inTransaction(trx), userUuid, now)
    if (person?.user.active !== true)
      throw new Problem('conflict', 'The user is disabled, so no link would let them in.')
    const profiles = person.profiles.map(({ profileUuid }) => profileUuid)
    const data: ResetData = { shown: { profiles, limitedReach: by.authority.limitedReach } }
    const expiresAt = now + lifetime
    const about = { purpose: 'password_reset', subject: userUuid, userUuid } as const
    const text = await makeLink(trx, { ...about, data, expiresAt, now })
    const requested: AuditEvent = {
      kind: 'password_reset.requested',
      ...originOf(by),
      at: now,
      target: { kind: 'user', id: userUuid },
      detail: { by: 'administrator', link: 'shown' },
    }
    return { result: { text, expiresAt }, events: within([requested], by) }
  })
}
