import type { ProblemDocument } from '../http/problems.ts'

/** A refusal of the administration API, which came by HTTP or from its handler. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly problem: ProblemDocument
  /** Whether programs read it. */
  readonly json: boolean

  constructor(problem: ProblemDocument, json = false) {
    super(problem.detail)
    this.problem = problem
    this.json = json
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
    // The field is in the sentence already.
    if (only !== undefined && more.length === 0 && detail === `${only.field}: ${only.detail}`) return detail
    return [detail, ...errors.map((one) => `  ${one.field}: ${one.detail}`)].join('\n')
  }
}
