import { countOfOtherRpId } from '../store/credentials.ts'
import type { Store } from '../database/store.ts'

/** Warns when passkeys and security keys are of another domain than the present one, and so count as none. */
export async function warnOfEarlierPasskeys(
  store: Store,
  rpId: string | undefined,
  log: { warn(fields: object, message: string): void },
): Promise<void> {
  const count = await countOfOtherRpId(store, rpId ?? '')
  if (count === 0) return
  log.warn(
    { count, rp_id: rpId },
    `${count} passkeys and security keys are of an earlier address and don't count: set TESSERA_WEBAUTHN_RP_ID to theirs, or let people set up new ones (docs/factors.md)`,
  )
}
