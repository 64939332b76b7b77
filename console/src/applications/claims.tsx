import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Table } from '../shared/table.tsx'

type Preview = components['schemas']['ClientPreview']
type Document = NonNullable<Preview['id_token']>

/** What an application would be told: each document with its claims, where each comes from, and what is absent. */
export function Claims({ of: preview }: { of: Preview }) {
  const { preview: words } = useWords()
  return (
    <>
      {!preview.complete && <p className="notice">{words.partly}</p>}
      {preview.user_uuid !== null && preview.id_token === null && <p className="notice">{words.plain}</p>}
      {(['id_token', 'access_token', 'userinfo'] as const).map((name) => {
        const document = preview[name]
        return document && <OfDocument key={name} title={words.documents[name]} document={document} />
      })}
    </>
  )
}

function OfDocument({ title, document: { claims, absent } }: { title: string; document: Document }) {
  const { preview: words } = useWords()
  return (
    <section className="claims" aria-label={title}>
      <h2>{title}</h2>
      <Table
        label={title}
        rows={claims}
        id={({ claim }) => claim}
        columns={[
          { title: words.claim, plain: true, cell: ({ claim }) => <code translate="no">{claim}</code> },
          {
            title: words.value,
            cell: ({ value }) => (
              <code translate="no">{typeof value === 'string' ? value : JSON.stringify(value)}</code>
            ),
          },
          { title: words.source, cell: ({ source }) => source },
        ]}
      />
      {absent.length > 0 && (
        <details>
          <summary>{words.absent(absent.length)}</summary>
          <ul className="plain">
            {absent.map(({ claim, reason }) => (
              <li key={claim}>
                <code translate="no">{claim}</code> <span className="soft">{reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}
