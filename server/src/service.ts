import type { DeclaredFiles } from './administration/declared-files.ts'
import type { Limit } from './identity/limit.ts'
import type { PasswordHasher } from './identity/passwords.ts'
import type { Mail } from './mail/mail.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { Observe } from './observed.ts'
import type { Settings } from './settings.ts'
import type { Store } from './database/store.ts'
import type { Unanswered } from './store/unanswered.ts'

/** What a running service is made of. `server.ts` puts it together; the rooms with routes receive it. */
export interface Service {
  readonly issuer: string
  readonly settings: Settings
  readonly store: Store
  readonly keys: KeyRing
  readonly passwords: PasswordHasher
  readonly limits: {
    /** Failed client authentications, per client and address. */
    readonly clientAuth: Limit
    /** Authorization requests, per address. */
    readonly authorize: Limit
    /** Refused grants, per address. */
    readonly grants: Limit
  }
  /** Undefined: nobody has set a mail server, so what needs one is left out. */
  readonly mail: Mail | undefined
  /** Plans and applies declared files that are sent over HTTP. */
  readonly declared: DeclaredFiles
  /** Refreshes whose answer could not be sent. */
  readonly unanswered: Unanswered
  /** Exchanges of tokens that were recorded: see `recordExchange`. */
  readonly exchanged: Set<string>
  /** Tells the metrics; does nothing when there are none. */
  readonly observe: Observe
  /** Epoch milliseconds. The only clock there is. */
  readonly now: () => number
}
