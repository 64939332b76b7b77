import { tooLong } from './length.ts'
import { invalidRequest } from './refusals.ts'

const maxParameters = 100

/** Stands for bytes that are not UTF-8 (Encoding Standard §4.1). */
const replacement = '\uFFFD'

/**
 * The parameters of one request, each at most once (RFC 6749 §3.1, §3.2). Names are compared exactly; `scope[]` and
 * `__proto__` have no meaning. A parameter without a value counts as missing (RFC 6749 §3.1).
 */
export class Parameters {
  readonly #values: ReadonlyMap<string, string>
  readonly #repeated: ReadonlySet<string>

  private constructor(values: Map<string, string>, repeated: Set<string>) {
    this.#values = values
    this.#repeated = repeated
  }

  /** Reads `application/x-www-form-urlencoded` text: a form body or a query without its `?`. */
  static parse(text: string): Parameters {
    const values = new Map<string, string>()
    const repeated = new Set<string>()
    for (const [name, value] of new URLSearchParams(text)) {
      if (values.has(name)) repeated.add(name)
      values.set(name, value)
      if (values.size > maxParameters) {
        throw invalidRequest(`The request has more than ${maxParameters} parameters.`)
      }
    }
    return new Parameters(values, repeated)
  }

  /** Reads a form body, decoded; the replacement character stands for bytes that were not UTF-8. */
  static ofBody(text: string): Parameters {
    if (text.includes(replacement)) throw invalidRequest('The body is not valid UTF-8.')
    return Parameters.parse(text)
  }

  /** Reads the query of a request target, which may itself hold question marks (RFC 3986 §3.4). */
  static ofUrl(url: string): Parameters {
    const mark = url.indexOf('?')
    return Parameters.parse(mark === -1 ? '' : url.slice(mark + 1))
  }

  /** The value, or undefined when it is missing or empty. Throws `invalid_request` when it is repeated or no UTF-8. */
  optional(name: string, maxLength = 4096): string | undefined {
    if (this.#repeated.has(name)) {
      throw invalidRequest(`The parameter ${name} is repeated; send it once.`)
    }
    const value = this.#values.get(name)
    if (value === undefined || value === '') return undefined
    if (tooLong(value, maxLength) !== undefined)
      throw invalidRequest(`The parameter ${name} is longer than ${maxLength} characters.`)
    // PostgreSQL can't store a NUL.
    if (value.includes('\0')) {
      throw invalidRequest(`The parameter ${name} holds a NUL character.`)
    }
    if (value.includes(replacement)) {
      throw invalidRequest(`The parameter ${name} is not valid UTF-8.`)
    }
    return value
  }

  /** Whether it was sent, if only empty. */
  has(name: string): boolean {
    return this.#values.has(name)
  }

  /** The value. Throws `invalid_request` naming the parameter when it is missing, empty or repeated. */
  required(name: string, maxLength = 4096): string {
    const value = this.optional(name, maxLength)
    if (value === undefined) throw invalidRequest(`The parameter ${name} is missing.`)
    return value
  }

  value(name: string, isRequired: boolean, maxLength = 4096): string | undefined {
    return isRequired ? this.required(name, maxLength) : this.optional(name, maxLength)
  }

  /** The unchecked value; undefined when it is missing, empty or repeated. */
  raw(name: string): string | undefined {
    return this.#repeated.has(name) ? undefined : this.#values.get(name) || undefined
  }

  /** Throws `invalid_request` when any parameter is repeated (RFC 6749 §3.1, §3.2). */
  refuseRepeated(): void {
    const [repeated] = this.#repeated
    if (repeated === undefined) return
    const name = /^[\w.-]{1,60}$/.test(repeated) ? repeated : 'of an unknown name'
    throw invalidRequest(`The parameter ${name} is repeated; send it once.`)
  }

  /** The parameters as a query: `name=value&…`. */
  toString(): string {
    return new URLSearchParams([...this.#values]).toString()
  }
}
