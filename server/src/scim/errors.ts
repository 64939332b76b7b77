import { type ErrorCode, ProtocolError } from '../protocol/errors.ts'

/** What more is known of a refusal (RFC 7644 §3.12, table 9). */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'

/** A refusal of SCIM that says which of its kinds it is. */
export class ScimError extends ProtocolError {
  override readonly name = 'ScimError'
  readonly scimType: ScimType

  constructor(scimType: ScimType, detail: string, code: ErrorCode = 'invalid_request') {
    super(code, detail)
    this.scimType = scimType
  }
}

export const invalidValue = (path: string, detail: string) =>
  new ScimError('invalidValue', `${path.slice(0, 200)}: ${detail}`)

/** A name that somebody else of the directory has. */
export const notUnique = (name: string) =>
  new ScimError('uniqueness', `${name}: another resource of this directory has it.`, 'conflict')

export const noResource = () => new ProtocolError('not_found', 'This directory has no such resource.')

/** What the service does not do (RFC 7644 §3.12). */
export const notImplemented = () => new ProtocolError('not_found', 'This is not supported.', { status: 501 })

/** A refusal as it travels (RFC 7644 §3.12). */
export const scimErrorBody = (refusal: ProtocolError) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(refusal.status),
  ...(refusal instanceof ScimError && { scimType: refusal.scimType }),
  detail: refusal.description,
})
