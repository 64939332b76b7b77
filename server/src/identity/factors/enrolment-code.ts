import { createHmac, randomInt } from 'node:crypto'
import { acrOf, provedOf } from '../../protocol/authentication.ts'
import { emailKey } from '../../protocol/email-address.ts'
import type { Service } from '../../service.ts'
import {
  type CodeHolder,
  enrolmentCodeState,
  keepEnrolmentCode,
  keepMailboxProof,
  useEnrolmentCode,
} from '../../store/enrolment-codes.ts'
import { addToLimit } from '../../store/limits.ts'
import type { LiveSession } from '../../store/sessions.ts'

/** How long a code counts, ms. */
const lifetime = 10 * 60_000
/** How long a factor may be set up after it: as long as a secret that is shown waits to be confirmed. */
const provedFor = 15 * 60_000
/** How long a mailed link that began a session stands for a code: as long as a proof is fresh. */
const linkProvesFor = 10 * 60_000
/** Codes that one person is sent within an hour. */
const most = 5
const window = 60 * 60_000

/**
 * Whether a code from a mail is asked for before a factor is set up: of a person who has proved a password and no more,
 * because a stolen password must not enrol the thief's phone. `sent`: one waits to be typed. Undefined: none is asked
 * for, also where the service sends no mail or the address may be somebody else's.
 */
export async function codeDemanded(
  { store, mail, now }: Service,
  session: LiveSession,
): Promise<'none' | 'sent' | undefined> {
  if (mail === undefined || !session.user.email_verified || acrOf(provedOf(session)) !== '1') return undefined
  const state = await enrolmentCodeState(store, session, now())
  return state === 'proved' ? undefined : state
}

/** Mails a new code. False: the person has had as many as anybody gets. */
export async function sendEnrolmentCode(
  { store, mail, settings, now: clock }: Service,
  session: LiveSession,
  locale: string,
): Promise<boolean> {
  const { user_uuid, user } = session
  const now = clock()
  const key = `enrolment code ${user_uuid}`
  if (mail === undefined || (await addToLimit(store, key, { by: 1, now, window })).count > most) return false
  const code = String(randomInt(100_000_000)).padStart(8, '0')
  const expiresAt = now + lifetime
  const text = textOf(code, session, settings.secret)
  return await keepEnrolmentCode(store, session, { text, expiresAt, now }, (trx) =>
    mail.post(trx, {
      kind: 'enrolment_code',
      to: { address: user.email, name: user.name },
      locale: user.locale ?? locale,
      data: { code, minutes: lifetime / 60_000 },
      expiresAt,
      user_uuid,
      // Counted by the hour, above.
      always: true,
      now,
    }),
  )
}

/** Whether it is the code that was mailed to this session; each that could be one counts as a try. */
export async function giveEnrolmentCode(
  { store, settings, now: clock }: Service,
  session: LiveSession,
  typed: string,
): Promise<boolean> {
  const code = typed.replaceAll(/[\s-]/g, '')
  if (!/^\d{8}$/.test(code)) return false
  const now = clock()
  const text = textOf(code, session, settings.secret)
  return await useEnrolmentCode(store, session, { text, until: now + provedFor, now })
}

/** A session that a mailed link began needs no code for a while: the link has proved the mailbox. */
export async function provedByMailedLink({ store, now: clock }: Service, session: CodeHolder): Promise<void> {
  const now = clock()
  await keepMailboxProof(store.db, session, { until: now + linkProvesFor, now })
}

/** Nobody who reads the database finds the code by trying all of them; it is of one session and one address. */
const textOf = (
  code: string,
  { user_uuid, sid, user }: CodeHolder & Pick<LiveSession, 'user'>,
  secret: string,
) =>
  createHmac('sha256', secret)
    .update(`enrolment code ${code} ${sid} ${user_uuid} ${emailKey(user.email)}`)
    .digest('base64url')
