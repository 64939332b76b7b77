import type { Level } from '../../protocol/authentication.ts'
import type { Service } from '../../service.ts'
import { recoveryCodesLeft } from '../../store/factors.ts'
import { appsThatCount, keysThatCount } from './second-factor.ts'

/** What a page asks of somebody who has a second factor. */
export interface Question {
  /** `none`: every authenticator app is suspended, or there is none. */
  asks: 'app' | 'recovery' | 'none'
  /** Whether a recovery code may be given instead. */
  hasCodes: boolean
  /** Whether a passkey or security key may be used. */
  hasKeys: boolean
  /** Why nothing but a recovery code can be given. */
  problem: 'suspended' | 'keySuspended' | undefined
}

interface QuestionContext {
  /** The cookie of a browser that proved a second factor before. */
  device: string | undefined
  /** A recovery code was chosen. */
  recovery: boolean
  /** Only what reaches it is of use. */
  wanted?: Level | undefined
}

export async function questionFor(
  service: Service,
  user_uuid: string,
  { device, recovery, wanted }: QuestionContext,
): Promise<Question> {
  const { all, counting } = await appsThatCount(service, user_uuid, device)
  const hasKeys = !recovery && (await keysThatCount(service, user_uuid)).length > 0
  const isSuspended = !recovery && counting.length === 0 && !hasKeys
  return {
    asks: recovery ? 'recovery' : counting.length > 0 && wanted !== 'phr' ? 'app' : 'none',
    hasCodes: (await recoveryCodesLeft(service.store, user_uuid)) > 0,
    hasKeys,
    problem: isSuspended ? (all.length > 0 ? 'suspended' : 'keySuspended') : undefined,
  }
}
