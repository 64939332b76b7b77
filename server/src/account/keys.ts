import { checkNewCredential } from '../identity/factors/enrol-credential.ts'
import { reachOfNew } from '../identity/reach.ts'
import { relyingParty } from '../identity/factors/webauthn.ts'
import { messagesFor } from '../pages/messages/index.ts'
import { sendPage } from '../pages/send-page.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { sentAnswer } from '../sign-in/passkey.ts'
import { credentialsOf, mostCredentials, userHandleOf } from '../store/credentials.ts'
import { addKeyPage, type AddKeyError } from './add-key-page.tsx'
import { enrolled } from './enrolled.ts'
import { add } from './fresh-proof.ts'
import { keyOptionsPath } from './key-options.ts'
import { type AccountVisit } from './visit.ts'

/** The page that asks the browser for a passkey or security key, or what its script sent. */
export async function addKey(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const { service, request, session, page } = visit
  const kind = form.optional('purpose')
  const answer = sentAnswer(request, form, visit.holder)
  if (answer === undefined || (kind !== 'passkey' && kind !== 'security_key')) return show(visit)
  const { accountSignIn: messages } = messagesFor(page.locale)
  const name = kind === 'passkey' ? messages.passkey : messages.securityKey
  const { user_uuid, user } = session
  const first = !user.second_factor
  const reach = await reachOfNew(service.store, session)
  const checked = await checkNewCredential(service, answer, { user_uuid, kind, name, first, reach })
  const added = checked.outcome === 'right' ? await add(visit, checked) : undefined
  if (checked.outcome === 'wrong' || added === undefined) return show(visit, 'wrong')
  return await enrolled(added, form, checked.codes)
}

function show({ reply, page }: AccountVisit, error?: AddKeyError): unknown {
  const html = addKeyPage({ ...page, from: keyOptionsPath, error })
  return sendPage(reply, html, { status: error === undefined ? 200 : 400, script: true, fetches: true })
}

/** What the page of the account says of them. */
export interface Keys {
  /** `ip`: there are none, because the issuer is an IP address. */
  add: 'may' | 'too_many' | 'ip'
  /** Methods of PublicKeyCredential with what they are told. */
  signals: readonly { method: string; told: object }[]
}

export async function keysOf({ service, session: { user_uuid, user } }: AccountVisit): Promise<Keys> {
  const rp = relyingParty(service)
  if (rp === undefined) return { add: 'ip', signals: [] }
  const all = await credentialsOf(service.store, user_uuid)
  const passkeys = all.filter(({ kind, rpId }) => kind === 'passkey' && rpId === rp.id)
  const userId = passkeys.length === 0 ? undefined : await userHandleOf(service.store, user_uuid)
  const about = { rpId: rp.id, userId }
  const ids = passkeys.map(({ credentialId }) => credentialId)
  const signals = [
    { method: 'signalAllAcceptedCredentials', told: { ...about, allAcceptedCredentialIds: ids } },
    { method: 'signalCurrentUserDetails', told: { ...about, name: user.email, displayName: user.name } },
  ]
  return {
    add: all.length < mostCredentials ? 'may' : 'too_many',
    signals: userId === undefined ? [] : signals,
  }
}
