/** What signs when: a bar for each key, and a rotation for those who may. */
import { useQuery } from '@tanstack/react-query'
import { answered, api, issuer } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Shown } from '../shared/state.tsx'
import { Table } from '../shared/table.tsx'
import { Badge, CopyRow, Heading, Time } from '../shared/text.tsx'
import { Bars } from './bars.tsx'
import { type Life, livesOf, type SigningKey } from './life.ts'
import { Rotate } from './rotate.tsx'
import './keys.css'

export function Keys() {
  const { key: words } = useWords()
  const may = useMay()
  const { kind } = useMe().reach
  const asked = useQuery({ queryKey: ['keys'], queryFn: allKeys, refetchInterval: 60_000 })
  const now = asked.dataUpdatedAt
  return (
    <>
      <div className="top">
        <div>
          <Heading>{words.title}</Heading>
          <p className="soft">{words.lead}</p>
        </div>
        {kind === 'installation' && may('iam.keys.create') && <Rotate />}
      </div>
      <Shown asked={asked} page={{ name: words.title, to: '/keys' }}>
        {(keys) => {
          const lives = livesOf(keys, now)
          const present = lives.filter(({ state }) => state !== 'removed')
          const removed = lives.filter(({ state }) => state === 'removed')
          return (
            <>
              <section className="card" aria-label={words.times}>
                <h2>{words.times}</h2>
                <Bars lives={[...present, ...shownBeside(present, removed)]} now={now} />
              </section>
              <KeyTable label={words.title} lives={present} />
              {removed.length > 0 && (
                <details className="removed-keys">
                  <summary>{words.removedOnes(removed.length)}</summary>
                  <KeyTable label={words.states.removed} lives={removed} />
                </details>
              )}
              <section className="card" aria-label={words.verify}>
                <h2>{words.verify}</h2>
                <p className="soft">{words.verifyHow}</p>
                <dl>
                  <CopyRow label={words.address} value={`${issuer}/oauth2/jwks`} />
                </dl>
              </section>
            </>
          )
        }}
      </Shown>
    </>
  )
}

/** The keys that were removed since the oldest that is still there was made. */
function shownBeside(present: readonly Life[], removed: readonly Life[]): Life[] {
  const start = Math.min(...present.map(({ published }) => published))
  return removed.filter((one) => one.removed > start)
}

const tones = { published: 'plain', signing: 'good', retiring: 'warn', removed: 'plain' } as const

function KeyTable({ label, lives }: { label: string; lives: readonly Life[] }) {
  const { key: words } = useWords()
  return (
    <Table
      label={label}
      rows={lives}
      id={({ key }) => key.kid}
      columns={[
        {
          title: words.key,
          plain: true,
          cell: ({ key: { kid, alg } }) => (
            <>
              <strong translate="no">{alg}</strong>{' '}
              <code className="soft" translate="no">
                {kid}
              </code>
            </>
          ),
        },
        {
          title: words.state,
          plain: true,
          as: 'state',
          cell: ({ state }) => <Badge tone={tones[state]}>{words.states[state]}</Badge>,
        },
        { title: words.published, cell: ({ key }) => <Time at={key.created_at} /> },
        { title: words.signs, cell: ({ key }) => <Time at={key.signs_from} /> },
        {
          title: words.leaves,
          cell: ({ key: { published_until: until } }) =>
            until === null ? <span className="soft">{words.noSuccessor}</span> : <Time at={until} />,
        },
      ]}
    />
  )
}

/** The API begins with the oldest, and the newest matter most. */
async function allKeys(): Promise<SigningKey[]> {
  const keys: SigningKey[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: '200', ...(cursor !== undefined && { cursor }) }
    const page = await answered(api.GET('/admin/v1/keys', { params: { query } }))
    keys.push(...page.items)
    cursor = page.next_cursor
  }
  return keys
}
