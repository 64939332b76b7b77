import { useWords } from '../../messages/messages.tsx'
import { Icon } from '../../shared/icons.tsx'
import { type Kind, kinds } from './draft.ts'

/** What is connected, each with an example. */
export function Kinds({ choose }: { choose: (kind: Kind) => void }) {
  const { wizard } = useWords()
  return (
    <ul className="kinds">
      {kinds.map((kind) => (
        <li key={kind}>
          <button type="button" className="card" onClick={() => choose(kind)}>
            <span>
              <strong>{wizard.kinds[kind].title}</strong>
              <small className="soft">{wizard.kinds[kind].example}</small>
            </span>
            <Icon name="below" />
          </button>
        </li>
      ))}
    </ul>
  )
}
