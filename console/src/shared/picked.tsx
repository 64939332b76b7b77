import type { ReactNode } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Badge, Name } from './text.tsx'

/** Several things that were picked, each of which can be taken out; a picker adds another. */
export function Picked({
  label,
  values,
  onChange,
  gone = [],
  named = (value) => value,
  children,
}: {
  label: string
  values: readonly string[]
  onChange: (values: string[]) => void
  /** Values that are not there any more. */
  gone?: readonly string[]
  /** What people know a value by. */
  named?: (value: string) => string
  /** The picker. */
  children: (add: (value: string | undefined) => void) => ReactNode
}) {
  const { pick, allowed } = useWords()
  const add = (value: string | undefined) => {
    if (value !== undefined && !values.includes(value)) onChange([...values, value].sort())
  }
  return (
    <div className="field picked">
      {children(add)}
      {values.length > 0 && (
        <ul className="chips" aria-label={label}>
          {values.map((value) => (
            <li key={value} className="chip">
              <Name>{named(value)}</Name>
              {gone.includes(value) && <Badge tone="warn">{allowed.removed}</Badge>}
              <button
                type="button"
                aria-label={`${pick.remove}: ${named(value)}`}
                onClick={() => onChange(values.filter((one) => one !== value))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {gone.length > 0 && <p className="notice warn">{allowed.removedHow(gone.join(', '))}</p>}
    </div>
  )
}
