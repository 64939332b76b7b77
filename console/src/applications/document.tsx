/** The document that says what an application is: its address, and what became of reading it. */
import type { Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { CopyRow, Fact, Name, Time } from '../shared/text.tsx'

export function DocumentOf({ client }: { client: Client }) {
  const { documents: words } = useWords()
  const { client_id: id, metadata, document, document_read: read, redirect_hosts: hosts } = client
  if (metadata !== 'document') return null
  return (
    <section className="card" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p className="soft">{words.about}</p>
      <dl>
        <CopyRow label={words.address} value={id} />
        <Fact label={words.host}>
          <Name>{new URL(id).host}</Name>
        </Fact>
        <Fact label={words.read}>
          {document !== null ? words.inline : read?.fetched_at ? <Time at={read.fetched_at} /> : words.never}
        </Fact>
        {read?.failure && <Fact label={words.failure}>{words.failed(read.failure)}</Fact>}
        {read?.gone_at && (
          <Fact label={words.gone}>
            <Time at={read.gone_at} />
          </Fact>
        )}
        {hosts.length > 0 && <Fact label={words.hosts}>{hosts.join(', ')}</Fact>}
      </dl>
    </section>
  )
}
