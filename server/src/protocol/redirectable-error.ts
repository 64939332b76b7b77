import { type ErrorCode, ProtocolError } from './errors.ts'
import type { RedirectTarget } from './redirect-target.ts'

/** An authorization error that goes to the client's redirect_uri (RFC 6749 §4.1.2.1). Others are shown on a page. */
export class RedirectableError extends ProtocolError {
  override readonly name = 'RedirectableError'
  readonly target: RedirectTarget

  constructor(code: ErrorCode, description: string, target: RedirectTarget, detail?: string) {
    super(code, description, detail === undefined ? {} : { detail })
    this.target = target
  }
}
