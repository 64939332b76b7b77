/** What every route is given. */
import type { Issuer } from './issuer.ts'
import type { Names } from './profiles.ts'
import type { Sessions } from './sessions.ts'
import type { Site } from './settings.ts'

export interface Context {
  readonly issuer: Issuer
  readonly clientId: string
  readonly apiUrl: string
  readonly names: Names
  readonly sessions: Sessions
  readonly now: () => number
  /** Known once the port is: port 0 lets the system choose one. */
  site: Site
}
