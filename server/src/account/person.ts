import { sendPage } from '../pages/send-page.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { localeProblem, textProblem, timeZoneProblem } from '../protocol/values.ts'
import { changeOwnDetails, isManaged, type OwnDetails } from '../store/own-account.ts'
import type { AccountPage } from './page.ts'
import { personPage as page, type PersonPageProps } from './person-page.tsx'
import { type AccountVisit, back, originOf } from './visit.ts'

export const personPath = '/account/person'

/** What people say of themselves. It lets nobody in, so it wants no fresh proof (decisions 14). */
export const personPage: AccountPage = {
  path: personPath,
  show: (visit, done) => show(visit, { done }),
  plain: { save },
}

type Shown = Pick<PersonPageProps, 'done' | 'error'> & { typed?: OwnDetails }

async function show(visit: AccountVisit, { typed, ...told }: Shown): Promise<unknown> {
  const { service, reply, session } = visit
  const { user } = session
  const managed = await isManaged(service.store, session.userUuid)
  const { name = user.name, locale = user.locale, zoneinfo = user.zoneinfo } = typed ?? {}
  const details = { name, language: locale ?? '', zoneinfo: zoneinfo ?? '', email: user.email }
  const html = page({ ...visit.page, ...details, managed, ...told })
  return sendPage(reply, html, { status: told.error === undefined ? 200 : 400 })
}

async function save(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const text = (field: string) => (form.optional(field, 500) ?? '').trim()
  const typed = { name: text('name'), locale: text('locale') || null, zoneinfo: text('zoneinfo') || null }
  if (textProblem(200)(typed.name) !== undefined) return await show(visit, { typed, error: 'name' })
  // Both are chosen from a list: something else is no mistake of a person.
  const wrong =
    (typed.locale !== null && localeProblem(typed.locale) !== undefined) ||
    (typed.zoneinfo !== null && timeZoneProblem(typed.zoneinfo) !== undefined)
  if (wrong) return await show(visit, { error: 'choice' })
  const { service, session } = visit
  const change = { userUuid: session.userUuid, now: service.now(), by: originOf(visit) }
  return (await changeOwnDetails(service.store, typed, change))
    ? back(visit, 'saved')
    : await show(visit, { error: 'managed' })
}
