import { useQuery } from '@tanstack/react-query'
import { answered, api, type Client } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { CopyRow, Fact, Time } from '../shared/text.tsx'

type Refused = components['schemas']['RefusedAddresses']['items'][number]

/** Where the application wanted to return within a week, and has not registered. Nothing, while there is none. */
export function RefusedAddresses({ client: { client_id: id } }: { client: Client }) {
  const { refused: words } = useWords()
  const { data } = useQuery({
    queryKey: ['application', id, 'refused-addresses'],
    queryFn: () =>
      answered(
        api.GET('/admin/v1/clients/{client_id}/refused-addresses', { params: { path: { client_id: id } } }),
      ),
  })
  if (data === undefined || data.items.length === 0) return null
  return (
    <section className="notice warn" aria-label={words.title}>
      <strong>{words.title}</strong>
      <p>{words.how}</p>
      {data.items.map((one) => (
        <RefusedAddress key={one.parameter} refused={one} />
      ))}
    </section>
  )
}

function RefusedAddress({ refused }: { refused: Refused }) {
  const { refused: words } = useWords()
  const { parameter, came, nearest, differences, differs_at: from, at, command } = refused
  return (
    <dl>
      <Fact label={parameter}>
        {came === null ? words.missing : <Marked text={came} from={nearest === null ? came.length : from} />}{' '}
        <Time at={at} />
      </Fact>
      {came !== null && (
        <Fact label={words.nearest}>
          {nearest === null ? words.none : <Marked text={nearest} from={from} />}
        </Fact>
      )}
      {differences.length > 0 && (
        <Fact label={words.differ}>{differences.map((one) => words.differences[one]).join(', ')}</Fact>
      )}
      {command === null ? (
        came !== null && <Fact label={words.command}>{words.noCommand}</Fact>
      ) : (
        <CopyRow label={words.command} value={command} />
      )}
    </dl>
  )
}

/** An address that anybody may have sent: never a link. */
const Marked = ({ text, from }: { text: string; from: number }) => (
  <code translate="no">
    {text.slice(0, from)}
    {from < text.length && <mark>{text.slice(from)}</mark>}
  </code>
)
