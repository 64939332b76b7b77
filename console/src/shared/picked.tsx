import type { ReactNode } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Name } from './text.tsx'

/** Several things that were picked, each of which can be taken out; a picker adds another. */
export function Picked({
  label,
  values,
  onChange,
  children,
}: {
  label: string
  values: readonly string[]
  onChange: (values: string[]) => void
  /** The picker. */
  children: (add: (value: string | undefined) => void) => ReactNode
}) {
  const { pick } = useWords()
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
              <Name>{value}</Name>
              <button
                type="button"
                aria-label={`${pick.remove}: ${value}`}
                onClick={() => onChange(values.filter((one) => one !== value))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
