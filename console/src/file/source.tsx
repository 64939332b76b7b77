import { Button, Textarea } from '@mantine/core'
import { type DragEvent, useEffect, useId, useRef, useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Check, Field, fieldsOf } from '../shared/form.tsx'
import type { RefusedLine } from './refused.tsx'

/** A file as it is sent. */
export interface Declared {
  text: string
  file: string
  prune: boolean
}

/** The most bytes that the service reads. */
const most = 5 * 1024 * 1024

/** The text of the file, with the lines that are refused marked beside it, and what is said of it. */
export function SourceFields({
  value,
  onChange,
  refused,
  error,
}: {
  value: Declared
  onChange: (value: Declared) => void
  refused: readonly RefusedLine[]
  error: unknown
}) {
  const { file: words } = useWords()
  const [unread, setUnread] = useState<string>()
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const fields = fieldsOf(error)
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    const text = file.size > most ? undefined : await textOf(file)
    setUnread(file.size > most ? words.tooLarge : text === undefined ? words.noText : undefined)
    if (text !== undefined) onChange({ ...value, text, file: file.name })
  }
  const drag = (isOver: boolean) => (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(isOver)
  }
  return (
    <section
      className={over ? 'card source over' : 'card source'}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event)
        void take(event.dataTransfer.files[0])
      }}
    >
      <div className="line">
        <p className="soft">{words.drop}</p>
        <Button variant="default" onClick={() => picker.current?.click()}>
          {words.choose}
        </Button>
        <input
          ref={picker}
          hidden
          type="file"
          accept=".yaml,.yml,.json"
          onChange={({ currentTarget }) => {
            void take(currentTarget.files?.[0])
            // The same file may be chosen again, when it was mended.
            currentTarget.value = ''
          }}
        />
      </div>
      {unread && (
        <p className="notice bad" role="alert">
          {unread}
        </p>
      )}
      <Text value={value.text} onChange={(text) => onChange({ ...value, text })} refused={refused} />
      <div className="beside">
        <Field
          label={words.name}
          description={words.nameHow}
          placeholder="access.yaml"
          value={value.file}
          maxLength={200}
          onChange={(file) => onChange({ ...value, file })}
          error={fields.file}
        />
        <Check
          label={words.prune}
          description={words.pruneHow}
          checked={value.prune}
          onChange={(prune) => onChange({ ...value, prune })}
        />
      </div>
    </section>
  )
}

/** Nothing where it is no text in UTF-8. */
async function textOf(file: File): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
  } catch {
    return undefined
  }
}

/** A text with the numbers of its lines beside it, which go along as it is scrolled. */
function Text({
  value,
  onChange,
  refused,
}: {
  value: string
  onChange: (text: string) => void
  refused: readonly RefusedLine[]
}) {
  const { file: words } = useWords()
  const numbers = useRef<HTMLPreElement>(null)
  const said = useId()
  const [first] = refused.map(({ line }) => line).filter((line) => line > 0)
  useEffect(() => {
    const field = textField()
    if (first !== undefined && field) showLine(field, first)
  }, [first])
  return (
    <div className="numbered">
      <pre ref={numbers} aria-hidden="true">
        {numbersOf(value, new Set(refused.map(({ line }) => line)))}
      </pre>
      <Textarea
        id="declared-text"
        aria-label={words.text}
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

const textField = () => document.querySelector<HTMLTextAreaElement>('#declared-text')

/** Scrolls to a line, with some lines above it. */
function showLine(field: HTMLTextAreaElement, line: number): void {
  const lines = field.value.split('\n').length
  field.scrollTop = Math.max(0, (field.scrollHeight / lines) * (line - 4))
}

/** Puts the cursor into a line of the text, where one mends it. */
export function goToLine(line: number): void {
  const field = textField()
  if (field === null) return
  const lines = field.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  field.focus()
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  showLine(field, line)
}
