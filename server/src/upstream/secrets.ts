import type { Secrets } from '../keys/encryption.ts'
import { openedUpstream, type UpstreamSecret } from '../keys/upstream-secret.ts'
import { type KeptUpstream, readUpstream, type Upstream } from './upstream.ts'

/** An upstream as this room works on it, of its row. Throws when a secret can't be opened. */
export function openUpstream({ settings }: { settings: Secrets }, row: KeptUpstream): Upstream {
  const { uuid, secret, private_key: privateKey } = row
  const opened = (of: UpstreamSecret, stored: string | null) =>
    stored === null
      ? undefined
      : openedUpstream({ uuid, of, stored }, [settings.secret, settings.previousSecret])
  return {
    ...readUpstream(row),
    secret: opened('secret', secret),
    private_key: opened('private_key', privateKey),
  }
}

export { encryptedForm, encryptedIdToken, openedForm, openedIdToken } from '../keys/upstream-secret.ts'
