/** Why nobody is signed in by an upstream. The code chooses the words of the page; the detail is for the log and the audit. */
export const refusalCodes = [
  /** Unreachable, or no answer in time. */
  'unreachable',
  /** Metadata or keys are not what they have to be. */
  'documents',
  /** Our client is not taken: an expired secret, another redirect address. */
  'client_refused',
  /** Somebody cancelled there, or it refused them. */
  'denied',
  /** The answer is malformed, or not what was asked for. */
  'response',
  'signature',
  'issuer',
  'audience',
  'nonce',
  'expired',
  'replayed',
  'no_subject',
  /** An older sign-in than was asked for. */
  'too_old',
  /** The answer is for another browser, or its request is over. */
  'request_over',
  /** The upstream, or its organisation, is disabled. */
  'inactive',
  /** LDAP: the name or the password is wrong. One answer to all. */
  'wrong_credentials',
  'throttled',
] as const
export type RefusalCode = (typeof refusalCodes)[number]

/** What an upstream's administrators have to mend. */
export const mendedByAdministrators = [
  'unreachable',
  'documents',
  'client_refused',
] as const satisfies RefusalCode[]

export class UpstreamRefusal extends Error {
  readonly code: RefusalCode
  /** Whether a visitor can bring it about, by what their browser brings. */
  readonly byVisitor: boolean

  constructor(code: RefusalCode, detail: string, options: ErrorOptions & { byVisitor?: boolean } = {}) {
    super(detail, options)
    this.code = code
    this.byVisitor = options.byVisitor === true
  }
}
