import { Refusal } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { goToLine } from './source.tsx'

/** What is wrong with a line; 0: with the file. */
export interface RefusedLine {
  line: number
  detail: string
}

export const linesOf = (error: unknown): RefusedLine[] =>
  error instanceof Refusal
    ? error.problems.filter(({ field }) => field === 'text').map(({ line = 0, detail }) => ({ line, detail }))
    : []

/** The lines that are refused, as they stand in the file, each with what is wrong and the way to it. */
export function RefusedLines({ lines, text }: { lines: readonly RefusedLine[]; text: string }) {
  const { file: words } = useWords()
  const all = text.split('\n')
  return (
    <section className="notice bad refused" role="alert">
      <strong>{words.refused(lines.length)}</strong>
      <p>{words.refusedHow}</p>
      <ul>
        {lines.map(({ line, detail }) => (
          <li key={`${line} ${detail}`}>
            {line === 0 ? (
              <strong>{words.wholeFile}</strong>
            ) : (
              <button type="button" className="quiet" onClick={() => goToLine(line)}>
                {words.line(line)}
              </button>
            )}
            <div>
              {line > 0 && <code translate="no">{(all[line - 1] ?? '').trim().slice(0, 200)}</code>}
              <p>{detail}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
