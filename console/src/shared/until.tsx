import { useState } from 'react'
import { useLanguage, useWords } from '../messages/messages.tsx'
import type { Labelled } from './form.tsx'
import { TextInput } from './input.tsx'

/** When something ends: in a week, in a month, at a time, or never; ISO 8601, or empty for never. */
export function Until({ label, value, onChange, error }: Labelled) {
  const { until } = useWords()
  const language = useLanguage()
  const [chosen, setChosen] = useState({ days: 0, at: '' })
  const choose = (days: number) => {
    const at = days === 0 ? '' : new Date(Date.now() + days * 86_400_000).toISOString()
    setChosen({ days, at })
    onChange(at)
  }
  const chips = [
    { label: until.never, days: 0 },
    { label: until.day, days: 1 },
    { label: until.week, days: 7 },
    { label: until.month, days: 30 },
  ]
  return (
    <div className="field until">
      <TextInput
        type="datetime-local"
        lang={language}
        label={label}
        error={error}
        value={value === '' ? '' : local(value)}
        onChange={({ currentTarget: { value: typed } }) =>
          onChange(typed === '' ? '' : new Date(typed).toISOString())
        }
      />
      <span className="chips">
        {chips.map(({ label, days }) => (
          <button
            key={days}
            type="button"
            className="chip"
            aria-pressed={value === '' ? days === 0 : days === chosen.days && value === chosen.at}
            onClick={() => choose(days)}
          >
            {label}
          </button>
        ))}
      </span>
    </div>
  )
}

/** The browser field's form of a time: the reader's zone, unnamed. */
export function local(at: string): string {
  const time = new Date(at)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
