import { NotDeclarable } from '../declared/export.ts'
import { DeclaredFileError } from '../declared/problems.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { Problem } from '../protocol/problem.ts'
import type { SentRefusal } from './task.ts'

/** An error as the answer has it; undefined: it is no refusal. */
export function refusalOf(error: unknown): SentRefusal | undefined {
  if (error instanceof DeclaredFileError) {
    const fields = error.problems.map(({ line, reason }) => ({
      field: 'text',
      ...(line > 0 && { line }),
      detail: reason,
    }))
    const description = 'The file is refused, for what stands in its lines; nothing was changed.'
    return { code: 'invalid_request', description, fields }
  }
  if (error instanceof NotDeclarable) return { code: 'conflict', description: error.message }
  if (!(error instanceof ProtocolError)) return undefined
  const { code, description } = error
  const { fields, permissions, digest } = error instanceof Problem ? error : noNames
  return { code, description, fields, permissions, digest }
}

const noNames: Partial<Problem> = {}
