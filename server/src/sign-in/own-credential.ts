/** The one form that sets a credential: a password that somebody chooses, or a passkey in its place. */
import { checkNewCredential } from '../identity/factors/enrol-credential.ts'
import { newPasswordFault } from '../identity/new-password.ts'
import type { PasswordFor } from '../identity/password-rules.ts'
import { messagesFor } from '../pages/messages/index.ts'
import type { NewPasswordError } from '../pages/new-password.tsx'
import type { Parameters } from '../protocol/parameters.ts'
import { provedBefore } from '../store/proved-before.ts'
import { passwordProof, type Proof } from '../store/start-session.ts'
import type { PageVisit } from './page-visit.ts'
import { sentAnswer } from './passkey.ts'

/** How somebody signs in from now on. */
export type OwnCredential = (
  | { passwordHash: string; passkey?: undefined }
  | { passwordHash: null; passkey: Proof }
) & {
  /** What the session of this browser begins with. */
  proof: Proof
  /** Recovery codes to show. */
  codes: readonly string[]
  /** The time at which it is set, read after checking and hashing: things may have ended meanwhile. */
  now: number
}

interface Setting {
  /** Undefined: an account that is not there yet. */
  user_uuid: string | undefined
  /** Whether no factor is there, so that recovery codes come with a passkey. */
  first: boolean
  /** What is demanded of a password. */
  known: () => Promise<PasswordFor>
}

/** What the form sets, or what is wrong with it. A password is hashed. */
export async function credentialIn(
  { service, request, page, holder }: PageVisit,
  form: Parameters,
  { user_uuid, first, known }: Setting,
): Promise<OwnCredential | { wrong: NewPasswordError | 'wrongKey' }> {
  const answer = sentAnswer(request, form, holder)
  if (answer === undefined) {
    const wrong = newPasswordFault(form, await known())
    if (wrong !== undefined) return { wrong }
    const passwordHash = await service.passwords.hash(form.optional('password') ?? '')
    return { passwordHash, proof: passwordProof(passwordHash), codes: [], now: service.now() }
  }
  const { passkey: name } = messagesFor(page.locale).accountSignIn
  const checked = await checkNewCredential(service, answer, {
    user_uuid,
    kind: 'passkey',
    name,
    first,
    reach: undefined,
  })
  if (checked.outcome === 'wrong') return { wrong: 'wrongKey' }
  const { proof: passkey, codes } = checked
  const now = service.now()
  return { passwordHash: null, passkey, proof: provedBefore(passkey.proved, now), codes, now }
}
