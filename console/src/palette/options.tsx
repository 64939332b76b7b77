import { useEffect } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Icon } from '../shared/icons.tsx'
import { Name } from '../shared/text.tsx'
import type { Option } from './option.ts'

interface Listed {
  of: readonly Option[]
  /** Which of them is chosen. */
  at: number
  id: string
  pick: (option: Option) => void
  run: (option: Option) => void
}

/** The lines by group; the field above keeps the focus. */
export function Options({ of, at, id, pick, run }: Listed) {
  const { palette } = useWords()
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  const groups = [...new Set(of.map(({ group }) => group))]
  return (
    <div
      id={id}
      className="palette-options"
      role="listbox"
      aria-label={palette.label}
      hidden={of.length === 0}
    >
      {groups.map((group) => (
        <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
          <h2 id={`${id}-${group}`} role="presentation">
            {palette.groups[group]}
          </h2>
          {of.map((option, index) =>
            option.group === group ? (
              <div
                key={option.key}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                tabIndex={-1}
                onMouseMove={() => index !== at && pick(option)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => run(option)}
                onKeyDown={(event) => event.key === 'Enter' && run(option)}
              >
                <Icon name={option.icon} />
                {option.note === undefined ? <span>{option.label}</span> : <Name>{option.label}</Name>}
                {option.note !== undefined && (
                  <small>
                    <Name>{option.note}</Name>
                  </small>
                )}
              </div>
            ) : null,
          )}
        </div>
      ))}
    </div>
  )
}
