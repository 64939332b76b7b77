/** Several people invited by one request: each has an invitation of their own, as if invited alone. */
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { checkedBy } from '../../catalogue/check.ts'
import { newColumns } from '../../catalogue/columns.ts'
import { invitation, type InvitedBy, type InvitedProfile } from '../../catalogue/invitation.ts'
import { newBody } from '../../catalogue/schemas.ts'
import { rowsOf } from '../../database/rows.ts'
import type { Store } from '../../database/store.ts'
import { emailKey } from '../../protocol/email-address.ts'
import { beginningOf } from '../../protocol/length.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import { instantOf } from '../../protocol/values.ts'
import type { By } from '../by.ts'
import { newTrial } from '../effect.ts'
import { email } from '../fields.ts'
import { linesAnswer } from '../lines.ts'
import { eachAlone, manyLines } from '../many.ts'
import { route, type Route, type RouteRequest, type RouteResponse } from '../route.ts'
import { type Invitation, inviterOf, placeOf, profilesOf } from './inviting.ts'
import { checkInvitation, createInvitation, type InvitationColumns } from './verbs.ts'

const mostEmails = 200

const body = newBody(invitation)
  .omit({ email: true, name: true })
  .extend({
    emails: z
      .array(z.string())
      .min(1)
      .max(mostEmails)
      .describe('Whom. What is no e-mail address is refused by itself. One that is there twice counts once.'),
  })
type InvitingMany = RouteRequest & { body: z.output<typeof body> }

const line = manyLines(
  {
    addresses: z.int().describe('Which were looked at so far.'),
    invited: z.int().describe('Or would be.'),
    already: z
      .int()
      .describe(
        'They have an invitation that gives just this and can still be accepted. Nothing was written or sent.',
      ),
    refused: z.int(),
  },
  { email: z.string().describe('As it was sent, its beginning where it is long.') },
)
export const invitingManySchemas = { InvitingLine: line }

export const invitingManyRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/invitations/bulk',
    permission: 'iam.invitations.create',
    summary: 'Invite several people at once',
    description:
      'Each as by `POST /invitations`, with all that it asks for, and by mail alone: where no mail server is set, it is refused. What is refused of one address is told, and the others go on; what nobody may be invited with is refused before the first line. It stops when the connection is closed; who is invited by then stays so. Who was cut off sends the same again: whoever waits to accept just this already is counted as such, and mailed no more. Of invitations by others that is told with `iam.invitations.read` alone. All of it has the one request id in the audit. One such work, change of many people or import of an organisation goes on at a time: another is refused with 503.',
    answers: 'InvitingLine',
    lines: true,
    makes: false,
    repeatable: false,
    refusals: ['conflict', 'forbidden'],
    patience: 60_000,
    body,
    tried: async (asked) => await invitedMany(asked, true),
    handle: async (asked) => await invitedMany(asked, false),
  }),
]

/** Throws before the first line what is refused of everybody. */
async function invitedMany(asked: InvitingMany, dryRun: boolean): Promise<RouteResponse> {
  const { service, by, body } = asked
  const { store, mail } = service
  const { emails, ...said } = body
  const tried = newTrial()
  const columnsOf = (email: string) => newColumns(invitation, { ...said, email })
  await checkInvitation(store.db, dryRun ? { ...by, tried } : by, columnsOf(''))
  if (mail === undefined)
    throw wrongField('emails', 'No mail is sent here, so several can not be invited at once.', 'conflict')
  const lines = eachAlone(asked, {
    of: new Map(emails.map((one) => [emailKey(one), one])).values(),
    change: async (store, by, one: string) => {
      const { data, problems } = checkedBy(z.object({ email }), { email: one })
      if (problems !== undefined)
        throw new Problem('invalid_request', problems[0]?.detail ?? 'It is not valid.')
      const columns = columnsOf(data.email)
      if (await isInvited(store, by, columns)) return false
      await createInvitation(store, by, { uuid: randomUUID(), columns, mail }, undefined)
      return true
    },
    counted: ({ all: addresses, changed: invited, ...counts }) => ({ addresses, invited, ...counts }),
    named: (one) => ({ email: beginningOf(one, 255) }),
    dryRun,
    signInAgain: tried.signInAgain,
  })
  return linesAnswer(asked, lines)
}

/** Whether somebody has an invitation that gives just this and can still be accepted, as far as the caller may know. */
async function isInvited({ db }: Store, by: By, columns: InvitationColumns): Promise<boolean> {
  const pending = await rowsOf(db, 'invitations', { email_key: emailKey(columns.email), state: 'pending' })
    .where('expires_at', '>', by.now)
    .execute()
  const asked = givenBy(columns)
  const isKnown = (row: Invitation) => by.authority.permissions.has('iam.invitations.read') || isBy(row, by)
  return pending.some((row) => givenBy(row) === asked && isKnown(row))
}

/** What an invitation gives, as text that is compared. */
const givenBy = (row: Pick<Invitation, 'profiles'>): string =>
  profilesOf(row).map(keyOf).toSorted().join('\n')

function keyOf(one: InvitedProfile): string {
  const { organisation_uuid, unit_uuid } = placeOf(one)
  const end = typeof one.expires_at === 'string' ? instantOf(one.expires_at) : null
  return JSON.stringify([one.role_code, organisation_uuid, unit_uuid, end])
}

function isBy({ invited_by: text }: Invitation, by: By): boolean {
  const [one, other] = [JSON.parse(text) as InvitedBy, inviterOf(by)]
  return one.kind === other.kind && one.id === other.id
}
