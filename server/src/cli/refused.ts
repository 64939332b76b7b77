import type { ProblemDocument } from '../http/problems.ts'
import type { Field } from './fields.ts'

/** A field of the API as it was typed, without the dashes before it. */
export type Typed = Pick<Field, 'name' | 'option'>

/** A refusal of the administration API, which came by HTTP or from its handler. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly problem: ProblemDocument
  /** Whether programs read it. */
  readonly json: boolean
  readonly #typed: readonly Typed[]

  constructor(
    problem: ProblemDocument,
    { json = false, typed = [] }: { json?: boolean; typed?: readonly Typed[] } = {},
  ) {
    super(problem.detail)
    this.problem = problem
    this.json = json
    this.#typed = typed
  }

  /** 4: there is no such thing. */
  get exitCode(): 1 | 4 {
    return this.problem.status === 404 ? 4 : 1
  }

  /** As people read it: a line, and one for each field. */
  get text(): string {
    const { detail, error, errors = [] } = this.problem
    if (error === 'managed_by_file') return `${detail} Here that is --override-file.`
    const [only, ...more] = errors
    const lines = errors.map((one) => `${this.#asTyped(one.field)}: ${one.detail}`)
    // The field is in the sentence already.
    if (only !== undefined && more.length === 0 && detail === `${only.field}: ${only.detail}`)
      return lines.join()
    return [detail, ...lines.map((line) => `  ${line}`)].join('\n')
  }

  /** Of a list the field names one by its index, as `redirect_uris.0`. */
  #asTyped(field: string): string {
    const [name, index] = field.split('.')
    const option = this.#typed.find((one) => one.name === name)?.option
    if (option === undefined) return field
    return index === undefined ? `--${option}` : `--${option}, number ${Number(index) + 1}`
  }
}
