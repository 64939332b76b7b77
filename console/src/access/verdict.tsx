import { useEffect, useRef } from 'react'
import type { Link } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Icon } from '../shared/icons.tsx'
import { Name } from '../shared/text.tsx'

/** The answer, before what it rests on; it takes the focus where a cure has just changed it. */
export function VerdictLine({
  name,
  chain,
  allowed,
  focus = false,
}: {
  name: string
  chain: readonly Link[]
  allowed: boolean
  focus?: boolean
}) {
  const { why, person } = useWords()
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (focus) element.current?.focus()
  }, [focus])
  const failing = chain.find(({ holds }) => !holds)
  const reason = failing ? (why.lacks[failing.check] ?? failing.detail) : person.noProfile
  return (
    <div
      ref={element}
      tabIndex={-1}
      role="status"
      className={`notice verdict ${allowed ? 'holds' : 'fails'}`}
    >
      <Icon name={allowed ? 'holds' : 'fails'} />
      <p>
        <strong>
          <Name>{allowed ? why.allowed(name) : why.refused(name)}</Name>
        </strong>{' '}
        {!allowed && reason}
      </p>
    </div>
  )
}
