import type { ProblemDocument } from '../protocol/problem.ts'

/** A field of the API as it was typed, without the dashes before it. */
export interface Typed {
  name: string
  option: string
}

/** A refusal of the administration API, which came by HTTP or from its handler. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly problem: ProblemDocument
  /** Whether programs read it. */
  readonly json: boolean
  /** What people read instead of its details, by their fields; of no field, by the empty one. */
  readonly words: ReadonlyMap<string, string>
  readonly #typed: readonly Typed[]

  constructor(
    problem: ProblemDocument,
    {
      json = false,
      typed = [],
      words = new Map(),
    }: { json?: boolean; typed?: readonly Typed[]; words?: ReadonlyMap<string, string> } = {},
  ) {
    super(problem.detail)
    this.problem = problem
    this.json = json
    this.words = words
    this.#typed = typed
  }

  /** 4: there is no such thing. */
  get exitCode(): 1 | 4 {
    return this.problem.status === 404 ? 4 : 1
  }

  /** The refusal as people read it: a line, and one for each field. */
  get text(): string {
    const { detail, error, errors = [] } = this.problem
    if (error === 'managed_by_file') return `${detail} Here that is --override-file.`
    if (error === 'insufficient_user_authentication') return `${detail} Here that is: tessera login.`
    const [only, ...more] = errors
    const lines = errors.map(
      ({ field, detail: own }) => `${this.#asTyped(field)}: ${this.words.get(field) ?? own}`,
    )
    // The field is in the sentence already.
    if (only !== undefined && more.length === 0 && detail === `${only.field}: ${only.detail}`)
      return lines.join()
    return [this.words.get('') ?? detail, ...lines.map((line) => `  ${line}`)].join('\n')
  }

  /** The option of a field. A field of a list has an index, as `redirect_uris.0`, and one of an object a name. */
  #asTyped(field: string): string {
    const [name, index] = field.split('.')
    const option = this.#typed.find((one) => one.name === name)?.option
    if (option === undefined) return field
    if (index === undefined) return `--${option}`
    return /^\d+$/.test(index) ? `--${option}, number ${Number(index) + 1}` : `--${option}, ${index}`
  }
}
