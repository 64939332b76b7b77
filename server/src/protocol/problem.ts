import { type ErrorCode, errorCatalogue, ProtocolError } from './errors.ts'

/** A problem with one field of a body, or one parameter of a query: `profiles.0.role_code`. */
export interface FieldProblem {
  field: string
  detail: string
  /** The line, where a text was sent. */
  line?: number
}

interface NamedBeside {
  fields?: readonly FieldProblem[] | undefined
  permissions?: readonly string[] | undefined
  maxAge?: number | undefined
  digest?: string | undefined
}

/** A refusal of the administration API that names the fields, or the permissions that are missing (RFC 9457 §3.2). */
export class Problem extends ProtocolError {
  override readonly name = 'Problem'
  readonly fields: readonly FieldProblem[]
  readonly permissions: readonly string[]
  /** Seconds that may have passed since the sign-in (RFC 9470 §3). */
  readonly maxAge: number | undefined
  /** The digest of the plan that counts now. */
  readonly digest: string | undefined

  constructor(code: ErrorCode, description: string, named: NamedBeside = {}) {
    super(code, description)
    this.fields = named.fields ?? []
    this.permissions = named.permissions ?? []
    this.maxAge = named.maxAge
    this.digest = named.digest
  }
}

/** A thing that does not exist and one that is out of reach get the same answer. */
export function notFound(what: string): Problem {
  return new Problem('not_found', `There is no such ${what}.`)
}

/** A body whose fields are refused. */
export const notValid = (fields: readonly FieldProblem[]): Problem =>
  new Problem('invalid_request', 'What was sent is not valid; nothing was changed.', { fields })

/** A refusal because of one field. */
export function wrongField(field: string, detail: string, code: ErrorCode = 'invalid_request'): Problem {
  return new Problem(code, `${field}: ${detail}`, { fields: [{ field, detail }] })
}

/** A refusal as it travels (RFC 9457 §3). */
export interface ProblemDocument {
  type: string
  title: string
  status: number
  detail: string
  /** The code by the name that it has in every other answer. */
  error: string
  errors?: readonly FieldProblem[]
  permissions?: readonly string[]
  max_age?: number
  digest?: string
}

export function problemDocument(refusal: ProtocolError): ProblemDocument {
  const { code, status, description } = refusal
  const {
    fields = [],
    permissions = [],
    maxAge,
    digest,
  } = refusal instanceof Problem ? refusal : nothingNamed
  return {
    type: `urn:tessera:error:${code}`,
    title: errorCatalogue[code].meaning,
    status,
    detail: description,
    error: code,
    ...(fields.length > 0 && { errors: fields }),
    ...(permissions.length > 0 && { permissions }),
    ...(maxAge !== undefined && { max_age: maxAge }),
    ...(digest !== undefined && { digest }),
  }
}

const nothingNamed: Partial<Problem> = {}
