import { useEffect, useId, useRef } from 'react'
import { Refusal } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import './numbered.css'
import { Textarea } from './input.tsx'

/** What is wrong with a line; 0: with the whole text. */
export interface RefusedLine {
  line: number
  detail: string
}

/** The lines that were refused of the text in a field of the body. */
export const linesOf = (error: unknown, of: string): RefusedLine[] =>
  error instanceof Refusal
    ? error.problems.filter(({ field }) => field === of).map(({ line = 0, detail }) => ({ line, detail }))
    : []

/** A text with the numbers of its lines beside it, which go along as it is scrolled; refused ones are marked. */
export function NumberedText({
  id,
  label,
  value,
  onChange,
  refused,
}: {
  id: string
  label: string
  value: string
  onChange: (text: string) => void
  refused: readonly RefusedLine[]
}) {
  const { file: words } = useWords()
  const numbers = useRef<HTMLPreElement>(null)
  const said = useId()
  const [first] = refused.map(({ line }) => line).filter((line) => line > 0)
  useEffect(() => {
    const field = textField(id)
    if (first !== undefined && field) showLine(field, first)
  }, [id, first])
  return (
    <div className="numbered">
      <pre ref={numbers} aria-hidden="true">
        {numbersOf(value, new Set(refused.map(({ line }) => line)))}
      </pre>
      <Textarea
        id={id}
        aria-label={label}
        aria-describedby={refused.length > 0 ? said : undefined}
        aria-invalid={refused.length > 0}
        rows={16}
        wrap="off"
        spellCheck={false}
        autoComplete="off"
        translate="no"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        onScroll={({ currentTarget }) => {
          if (numbers.current) numbers.current.scrollTop = currentTarget.scrollTop
        }}
      />
      {refused.length > 0 && (
        <span id={said} className="away">
          {words.refused(refused.length)}
        </span>
      )}
    </div>
  )
}

/** The lines that are refused, as they stand in the text, each with what is wrong and the way to it. */
export function RefusedLines({
  id,
  lines,
  text,
  how,
}: {
  /** The id of the field with the text. */
  id: string
  lines: readonly RefusedLine[]
  text: string
  how: string
}) {
  const { file: words } = useWords()
  const all = text.split('\n')
  return (
    <section className="notice bad refused" role="alert">
      <strong>{words.refused(lines.length)}</strong>
      <p>{how}</p>
      <ul>
        {lines.map(({ line, detail }) => (
          <li key={`${line} ${detail}`}>
            {line === 0 ? (
              <strong>{words.wholeFile}</strong>
            ) : (
              <button type="button" className="quiet" onClick={() => goToLine(id, line)}>
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

/** One text between two marks: a file may have a hundred thousand lines. */
function numbersOf(text: string, marked: ReadonlySet<number>) {
  const count = text.split('\n').length
  const parts: (string | { line: number })[] = []
  let run: number[] = []
  for (let line = 1; line <= count; line++) {
    if (!marked.has(line)) run.push(line)
    else {
      if (run.length > 0) parts.push(`${run.join('\n')}\n`)
      run = []
      parts.push({ line })
    }
  }
  if (run.length > 0) parts.push(run.join('\n'))
  return parts.map((part) =>
    typeof part === 'string' ? part : <mark key={part.line}>{`${part.line}\n`}</mark>,
  )
}

const textField = (id: string) => document.querySelector<HTMLTextAreaElement>(`#${id}`)

/** Scrolls to a line, with some lines above it. */
function showLine(field: HTMLTextAreaElement, line: number): void {
  const lines = field.value.split('\n').length
  field.scrollTop = Math.max(0, (field.scrollHeight / lines) * (line - 4))
}

/** Puts the cursor into a line of the text, where one mends it. */
function goToLine(id: string, line: number): void {
  const field = textField(id)
  if (field === null) return
  const lines = field.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  field.focus()
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  showLine(field, line)
}
