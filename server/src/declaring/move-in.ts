import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MovedExport, SentExport } from '../administration/declared-files.ts'
import { DeclaredFileError } from '../declared/problems.ts'
import { moveIn } from '../move-in/move-in.ts'
import { UnreadableExport } from '../move-in/unreadable.ts'
import { type FieldProblem, Problem, wrongField } from '../protocol/problem.ts'

/** Characters of all that is answered; as many as an export of 20 MiB comes to, and half of it again. */
const most = 30 * 1024 * 1024

/** What comes of an export. Throws what the answer refuses. */
export async function movedIn({ files, rp_id: rpId, ...sent }: SentExport): Promise<MovedExport> {
  const lines: string[] = []
  let size = 0
  try {
    const { declared, mapping, report, ...counts } = await moveIn({
      ...sent,
      rpId,
      files: files.map(exportFile),
      person(line) {
        size += line.length
        if (size > most) throw tooMuch()
        lines.push(`${line}\n`)
      },
    })
    if (size + declared.length + mapping.length + report.length > most) throw tooMuch()
    return { declared, mapping, report, people: lines.join(''), counts }
  } catch (error) {
    throw refused(error)
  }
}

const exportFile = ({ name, text }: SentExport['files'][number]) => ({
  name,
  bytes: async function* () {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += piece) {
      // Nothing else here waits: the process would not learn that the service is gone.
      await nextTurn()
      yield bytes.subarray(at, at + piece)
    }
  },
})
/** Bytes. */
const piece = 1024 * 1024

function refused(error: unknown): Error {
  if (error instanceof Problem) return error
  if (error instanceof UnreadableExport) return wrongField('files', error.message)
  if (!(error instanceof DeclaredFileError)) return withoutWords(error)
  const fields = error.problems.map(problemOf)
  return new Problem('invalid_request', 'Lines of the mapping are refused; nothing was read.', { fields })
}

const problemOf = ({ file, line, reason }: DeclaredFileError['problems'][number]): FieldProblem =>
  file === 'mapping.yaml'
    ? { field: 'mapping', ...(line > 0 && { line }), detail: reason }
    : { field: 'files', detail: `${file}: ${reason}` }

const tooMuch = () =>
  new Problem(
    'conflict',
    'What comes of this export is more than the service answers over HTTP. Use tessera move-in on the machine.',
  )

/** A defect as the log may have it: the words of an error may be those of the export. */
function withoutWords(error: unknown): Error {
  const told = new Error('An export was not read.')
  if (error instanceof Error && error.stack !== undefined)
    told.stack = `${error.constructor.name}${error.stack.slice(error.stack.indexOf(error.message) + error.message.length)}`
  return told
}
