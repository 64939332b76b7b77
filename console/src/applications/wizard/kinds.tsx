import { useWords } from '../../messages/messages.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useMaySayWhere } from '../proxied-fields.tsx'
import { type Kind, kinds } from './draft.ts'

/** What is connected, each with an example; what one may not connect says who may. */
export function Kinds({ choose }: { choose: (kind: Kind) => void }) {
  const { wizard, documents, proxied } = useWords()
  const maySayWhere = useMaySayWhere()
  return (
    <ul className="kinds">
      {kinds.map((kind) => (
        <li key={kind}>
          {kind === 'proxied' && !maySayWhere ? (
            <div className="card">
              <Title kind={kind} example={proxied.originsOthers} />
            </div>
          ) : (
            <button type="button" className="card" onClick={() => choose(kind)}>
              <Title
                kind={kind}
                example={kind === 'document' ? documents.example : wizard.kinds[kind].example}
              />
              <Icon name="below" />
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

function Title({ kind, example }: { kind: Kind; example: string }) {
  const { wizard, documents } = useWords()
  return (
    <span>
      <strong>{kind === 'document' ? documents.kind : wizard.kinds[kind].title}</strong>
      <small className="soft">{example}</small>
    </span>
  )
}
