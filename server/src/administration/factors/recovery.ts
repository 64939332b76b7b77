import * as z from 'zod'
import type { AuditEvent } from '../../audit/record.ts'
import { settleWaiting } from '../../access/waiting.ts'
import type { Store } from '../../database/store.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import { inTransaction } from '../../store/in-transaction.ts'
import { firstHeld } from '../../store/addresses.ts'
import { undoDeletionWithin } from '../../store/deletion.ts'
import { keepingBreakGlass } from '../../store/gets-in.ts'
import { end } from '../../store/ending.ts'
import { makeLink } from '../../store/links.ts'
import { ownedBy, ownershipOf, share } from '../../store/ownership.ts'
import { holdPerson, writeOwn } from '../../store/write/own.ts'
import type { ResetData, ShownLink } from '../../store/password-reset.ts'
import { findPerson } from '../../store/person.ts'
import type { By, Transacting } from '../by.ts'
import { change, originOf } from '../change.ts'
import { isoTime } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'
import { type AdministrationService, route, type Route } from '../route.ts'
import { toWeaken, within } from './verbs.ts'

/** Long enough to be passed on and opened. */
const lifetime = 3_600_000

/** The page that a link leads to, below the issuer. */
const path = '/sign-in/reset'

const recovery = z.object({
  link: z
    .string()
    .nullable()
    .describe('Shown once, to be passed on to the person; null where it was mailed.'),
  sent_to: z.string().nullable().describe('The address that it was mailed to; null where it is shown.'),
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
      'Good once, for an hour; it takes the place of an earlier one. The page asks for the second factor first, unless there is none. It needs `iam.users.update` too, as setting a password does, and all that the person holds, at every place. A link that is shown to somebody who does not administer everything makes the account theirs: it gets no more than they could give until its person uses a mailed one. It ends when the person is disabled or gets another password; one that was shown also when they may act under a profile that they could not use before, and one that was mailed when they have another address. Nobody makes one for themself.',
    answers: 'Recovery',
    repeatable: false,
    refusals: ['forbidden', 'conflict'],
    body: z.strictObject({
      delivery: z
        .enum(['mail', 'link'])
        .optional()
        .describe(
          'Mailed to the person, so that nobody else knows it, or shown. Left out: mailed where mail is sent.',
        ),
      factors: z
        .literal('end')
        .optional()
        .describe(
          'For who can show no second factor: the page asks for none, and all of them end with the recovery codes once the link is used.',
        ),
      from_theft: z
        .boolean()
        .optional()
        .describe(
          'Of an account that somebody took over: at once, all of it ends: the password, factors, also removed ones, recovery codes, sessions, tokens, consents, trusted and known browsers, addresses that can be taken back, and every link that was mailed. Look at the address first: the link goes to it.',
        ),
    }),
    async handle({ service, by, param, body }) {
      by.authority.requires('iam.users.update')
      // The issuer and the mail are read before the link is made: the command may not know them.
      const { issuer, store } = service
      const mail = body.delivery === 'link' ? undefined : service.mail
      if (body.delivery === 'mail' && mail === undefined)
        throw wrongField('delivery', 'No mail is sent here. Leave it out, and pass the link on.')
      const how = { mail, endsFactors: body.factors === 'end', fromTheft: body.from_theft === true }
      const { text, sentTo, expiresAt } = await makeRecovery(store, by, uuidOf(param('uuid'), 'user'), how)
      const link = sentTo === undefined ? `${issuer}${path}?link=${text}` : null
      return { status: 201, body: { link, sent_to: sentTo ?? null, expires_at: isoTime(expiresAt) } }
    },
  }),
]

interface MadeRecovery {
  text: string
  /** Undefined: it is to be shown. */
  sentTo: string | undefined
  expiresAt: number
}

interface Recovering {
  /** Undefined: the link is shown. */
  mail: AdministrationService['mail']
  endsFactors: boolean
  fromTheft: boolean
}

/**
 * Makes a link that sets a password, and mails it where `mail` is given. Throws `conflict` where the person is disabled,
 * or was mailed too many. Concurrency: see `change`.
 */
export async function makeRecovery(
  store: Store,
  by: By,
  user_uuid: string,
  { mail, endsFactors, fromTheft }: Recovering,
): Promise<MadeRecovery> {
  return await change(store, by, async (trx) => {
    await toWeaken(trx, by, user_uuid)
    const { now } = by
    if (fromTheft && mail !== undefined) await refuseMoved(trx, user_uuid, now)
    const restored = fromTheft ? await endAll(trx, by, user_uuid) : []
    const person = await findPerson(inTransaction(trx), user_uuid, now)
    if (person?.user.active !== 1)
      throw new Problem('conflict', 'The user is disabled, so no link would let them in.')
    wantRecentSignIn(by)
    const { email, name, locale } = person.user
    const profiles = person.profiles.map(({ held_uuid }) => held_uuid)
    const waited: AuditEvent[] = []
    const to =
      mail === undefined ? { shown: await showTo(trx, by, user_uuid, profiles, waited) } : { mailedTo: email }
    const data: ResetData = { ...to, endsFactors: endsFactors || fromTheft }
    const expiresAt = now + lifetime
    const about = { purpose: 'password_reset', subject: user_uuid, user_uuid } as const
    const text = await makeLink(trx, { ...about, data, expiresAt, now })
    const isPosted = await mail?.post(trx, {
      kind: 'recovery',
      to: { address: email, name },
      locale,
      data: { minutes: lifetime / 60_000 },
      link: { path, text },
      expiresAt,
      user_uuid,
      now,
    })
    if (isPosted === false)
      throw new Problem(
        'conflict',
        'They were mailed twenty such links within a day, and get no more today. Have one shown, by `delivery: link`, and pass it on.',
      )
    const requested: AuditEvent = {
      kind: 'password_reset.requested',
      ...originOf(by),
      at: now,
      target: { kind: 'user', id: user_uuid },
      detail: {
        by: 'administrator',
        link: mail === undefined ? 'shown' : 'mailed',
        ...(endsFactors && { factors: 'end' }),
        ...(fromTheft && { from_theft: true }),
      },
    }
    const sentTo = mail === undefined ? undefined : email
    return { result: { text, sentTo, expiresAt }, events: within([...restored, requested, ...waited], by) }
  })
}

/** Somebody limited who is shown a link could use it: from then on the account is theirs as well (people.md 13). */
async function showTo(
  trx: Transacting,
  by: By,
  user_uuid: string,
  profiles: readonly string[],
  waited: AuditEvent[],
): Promise<ShownLink> {
  const { authority, now } = by
  const before = await ownershipOf(trx, user_uuid)
  const wasUnproved = before?.limited_reach === 1
  const owned = await ownedBy(trx, authority, { now })
  if (owned.limited_reach === 1) {
    const shared = await ownedBy(trx, authority, { now, ...(before && { before }) })
    const touched = { people: [user_uuid], lists: [], anything: false }
    await keepingBreakGlass(trx, now, touched, () => share(trx, user_uuid, shared))
    waited.push(...(await settleWaiting(trx, { users: [user_uuid] }, now)))
  }
  return { profiles, owned, wasUnproved }
}

/** All that a thief may have set up or may know; yields what is to be recorded. */
async function endAll(trx: Transacting, by: By, user_uuid: string): Promise<AuditEvent[]> {
  const { now } = by
  const row = await holdPerson(trx, user_uuid)
  await end(trx, { users: [user_uuid] }, { now, reason: 'stolen' })
  if (row !== undefined) await writeOwn(trx, row, { password_hash: null, password_temporary: 0 }, now)
  return await undoDeletionWithin(trx, { user_uuid, now, by: originOf(by) })
}

/** A thief may have changed the address that the link would go to. */
async function refuseMoved(trx: Transacting, user_uuid: string, now: number): Promise<void> {
  const held = await firstHeld(trx, user_uuid, now)
  if (held === undefined) return
  throw new Problem(
    'conflict',
    `The account changed its address from ${held} some days ago, and the link would go to the new one. Give it the right address first, which ends what was mailed to the others, or have the link shown.`,
  )
}
