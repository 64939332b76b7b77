import { Fragment } from 'react'
import type { Setting } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Table } from '../shared/table.tsx'
import { Badge, Name } from '../shared/text.tsx'

/** Every word of what was typed is somewhere in the texts of a setting. */
export function useFoundIn(typed: string): (texts: readonly (string | null)[]) => boolean {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return (texts) => {
    const text = texts.join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

/** What the environment sets, or could. */
export function Environment({ rows }: { rows: readonly Setting[] }) {
  const { installed } = useWords()
  return (
    <section className="environment" aria-labelledby="environment">
      <h2 id="environment">{installed.environment}</h2>
      <p className="lead">{installed.environmentHow}</p>
      <Table
        label={installed.environment}
        rows={rows}
        id={({ name }) => name}
        columns={[
          {
            title: installed.name,
            plain: true,
            cell: ({ name, description }) => (
              <>
                <code className="setting" translate="no">
                  {name}
                </code>
                <p className="soft" lang="en">
                  <Described>{description}</Described>
                </p>
              </>
            ),
          },
          { title: installed.value, cell: (one) => <Value {...one} /> },
          {
            title: installed.state,
            plain: true,
            as: 'state',
            cell: ({ set }) => (
              <Badge tone={set ? 'good' : 'plain'}>{set ? installed.inEnvironment : installed.asUsual}</Badge>
            ),
          },
        ]}
      />
    </section>
  )
}

function Value({ value, standard, set, secret }: Setting) {
  const { installed } = useWords()
  if (secret && set) return <span className="soft">{installed.secretSet}</span>
  if (value === null) return <span className="soft">{installed.nothingSet}</span>
  return (
    <>
      <code>
        <Name>{value}</Name>
      </code>
      {set && standard !== null && standard !== value && (
        <small className="soft">{installed.usual(standard)}</small>
      )}
    </>
  )
}

/** Text of docs/configuration.md: what stands in backticks is code, and of a link its words are left. */
function Described({ children }: { children: string }) {
  const plain = children.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
  return plain
    .split('`')
    .map((part, index) => (
      <Fragment key={index}>{index % 2 === 0 ? part : <code translate="no">{part}</code>}</Fragment>
    ))
}
