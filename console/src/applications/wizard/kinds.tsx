import { useWords } from '../../messages/messages.tsx'
import { type Kind, kinds } from './draft.ts'

/** What is connected, each with an example. */
export function Kinds({ choose }: { choose: (kind: Kind) => void }) {
  const { wizard } = useWords()
  return (
    <ul className="kinds">
      {kinds.map((kind) => (
        <li key={kind}>
          <button type="button" className="card" onClick={() => choose(kind)}>
            <strong>{wizard.kinds[kind].title}</strong>
            <span className="soft">{wizard.kinds[kind].example}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
