import { codeDemanded, giveEnrolmentCode, sendEnrolmentCode } from '../identity/factors/enrolment-code.ts'
import { codeStatus, type EnrolmentCodeError, enrolmentCodePage } from '../pages/enrolment-code-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import type { Act } from './page.ts'
import { BackToFactors } from './parts.tsx'
import type { AccountVisit } from './visit.ts'

/** Asks for the code from a mail before `act`, where a password alone was proved. Its form then does `next`. */
export const afterCode =
  (next: string, act: Act): Act =>
  async (visit, form) => {
    const { service, session, page } = visit
    const code = await codeDemanded(service, session)
    if (code === undefined) return await act(visit, form)
    const sent = code === 'sent'
    const choice = form.optional('choice')
    if (choice === 'send') {
      const isSent = await sendEnrolmentCode(service, session, page.locale)
      return show(visit, next, isSent ? { sent: true } : { sent, error: 'tooMany' })
    }
    const typed = form.optional('mail_code', 200)
    if (typed === undefined)
      return show(visit, next, { sent, error: choice === 'code' ? 'missing' : undefined })
    if (await giveEnrolmentCode(service, session, typed)) return await act(visit, form)
    return show(visit, next, { sent: (await codeDemanded(service, session)) === 'sent', error: 'wrong' })
  }

function show(
  { reply, page, session: { user } }: AccountVisit,
  next: string,
  { sent, error }: { sent: boolean; error?: EnrolmentCodeError | undefined },
): unknown {
  const note = <BackToFactors {...page} />
  const html = enrolmentCodePage({ ...page, hidden: { do: next }, address: user.email, sent, error, note })
  return sendPage(reply, html, { status: codeStatus(error) })
}
