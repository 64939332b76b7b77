import { recoveryCodesPage } from '../pages/recovery-codes-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { endOtherSessions } from '../store/resting-on.ts'
import { type AccountVisit, back, originOf } from './visit.ts'

/** Goes on after a factor was set up; shows the recovery codes that came with the first one. */
export async function enrolled(
  visit: AccountVisit,
  form: Parameters,
  codes: readonly string[],
): Promise<unknown> {
  const { service, reply, page, session } = visit
  const { user_uuid, sid } = session
  const ending = { user_uuid, sid, now: service.now(), by: originOf(visit), reason: 'factor_added' }
  if (form.optional('elsewhere') === '1') await endOtherSessions(service.store, ending)
  return codes.length === 0 ? back(visit, 'added') : sendPage(reply, recoveryCodesPage({ ...page, codes }))
}
