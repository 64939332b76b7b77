import type { Parameters } from '../protocol/parameters.ts'
import { pictureOf } from '../protocol/picture.ts'
import { changeOwnDetails } from '../store/own-account.ts'
import { keepPicture } from '../store/pictures.ts'
import { type AccountVisit, back, originOf } from './visit.ts'

/** Keeps the picture that somebody sent, as theirs. False: it is none. Undefined: a declared file says who they are. */
export async function changePicture(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const bytes = Buffer.from(form.optional('picture', 400_000) ?? '', 'base64')
  const found = pictureOf(bytes)
  if ('problem' in found) return false
  const { service, session } = visit
  const source = { from: bytes, user_uuid: session.user_uuid }
  const path = await keepPicture(service.store, { ...source, type: found.type }, service.now())
  return await setPicture(visit, `${service.issuer}${path}`)
}

export async function setPicture(visit: AccountVisit, picture: string | null): Promise<unknown> {
  const { service, session } = visit
  const change = { user_uuid: session.user_uuid, now: service.now(), by: originOf(visit) }
  return (await changeOwnDetails(service.store, { picture }, change)) ? back(visit, 'saved') : undefined
}
