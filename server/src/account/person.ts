import { sendPage } from '../pages/send-page.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { localeProblem, textProblem, timeZoneProblem } from '../protocol/values.ts'
import { changeOwnDetails, type OwnDetails } from '../store/own-account.ts'
import { pictureOfUser } from '../store/pictures.ts'
import { changeAddress, changedBy } from './address.ts'
import type { AccountPage } from './page.ts'
import { changePicture, setPicture } from './picture.ts'
import { personPage as page, type PersonPageProps } from './person-page.tsx'
import { type AccountVisit, back, originOf } from './visit.ts'

export const personPath = '/account/person'

/** What people say of themselves. It lets nobody in, so it wants no fresh proof (decisions 14); another address does. */
export const personPage: AccountPage = {
  path: personPath,
  show: (visit, done) => show(visit, { done }),
  plain: { save, picture, removePicture },
  actions: { address },
  kept: ['email'],
}

type PersonView = Pick<PersonPageProps, 'done' | 'error' | 'address'> & {
  typed?: Omit<OwnDetails, 'picture'>
}

async function show(visit: AccountVisit, { typed, ...told }: PersonView): Promise<unknown> {
  const { reply, session, service } = visit
  const { user } = session
  const by = await changedBy(visit)
  const managed = typeof by === 'object'
  const { name = user.name, locale = user.locale, zoneinfo = user.zoneinfo } = typed ?? {}
  const details = { name, language: locale ?? '', zoneinfo: zoneinfo ?? '', email: user.email }
  const picture = await pictureOfUser(service.store, user, service.now())
  const html = page({ ...visit.page, ...details, picture, managed, changedBy: by, ...told })
  const isWrong = told.error !== undefined || told.address !== undefined
  return sendPage(reply, html, { status: told.address?.error === 'often' ? 429 : isWrong ? 400 : 200 })
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
  const change = { user_uuid: session.user_uuid, now: service.now(), by: originOf(visit) }
  return (await changeOwnDetails(service.store, typed, change))
    ? back(visit, 'saved')
    : await show(visit, { error: 'managed' })
}

async function picture(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const changed = await changePicture(visit, form)
  return changed || (await show(visit, { error: changed === false ? 'picture' : 'managed' }))
}

async function removePicture(visit: AccountVisit): Promise<unknown> {
  return (await setPicture(visit, null)) || (await show(visit, { error: 'managed' }))
}

/** Answers alike for an address that is taken, so that nobody learns that it is. */
async function address(visit: AccountVisit, form: Parameters): Promise<unknown> {
  if ((await changedBy(visit)) !== 'self') return await show(visit, {})
  const next = (form.optional('email', 300) ?? '').trim()
  const error = await changeAddress(visit, next)
  return error === undefined ? back(visit, 'asked') : await show(visit, { address: { next, error } })
}
