import type { Link } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Icon } from './icons.tsx'

/** Conditions in the order in which they are asked, each with its word beside the sign. */
export function Chain({ links }: { links: readonly Link[] }) {
  const { why } = useWords()
  return (
    <ol className="chain">
      {links.map(({ check, holds, detail }, index) => (
        <li key={`${check} ${index}`} className={holds ? 'holds' : 'fails'}>
          <Icon name={holds ? 'holds' : 'fails'} />
          <span>
            <span className="away">{holds ? why.holds : why.fails}: </span>
            <bdi>{detail}</bdi>
          </span>
        </li>
      ))}
    </ol>
  )
}
