/** What a directory comes with: a token, shown this once. Two count at a time. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { answered, api, type Directory, type DirectoryToken } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirm, Opening } from '../shared/dialog.tsx'
import { Choice, fieldsOf, Form } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import { SecretDialog } from '../shared/shown-once.tsx'
import { Empty, Shown } from '../shared/state.tsx'
import { Table } from '../shared/table.tsx'
import { Ago, Badge, Time, useTimeWriter } from '../shared/text.tsx'

const isOver = ({ expires_at: end }: DirectoryToken) => Date.parse(end) <= Date.now()

export function Tokens({ directory }: { directory: Directory }) {
  const { directory: words, secrets, person } = useWords()
  const may = useMay()('iam.directories.update')
  const [made, setMade] = useState<{ token: string | undefined }>()
  const { uuid } = directory
  const asked = useQuery({
    queryKey: ['directory', uuid, 'tokens'],
    queryFn: () => answered(api.GET('/admin/v1/directories/{uuid}/tokens', { params: { path: { uuid } } })),
  })
  return (
    <section aria-labelledby="tokens">
      <div className="line head">
        <div>
          <h2 id="tokens">{words.tokens}</h2>
          <p className="soft">{words.tokensHow}</p>
        </div>
        {may && (asked.data?.items.filter((one) => !isOver(one)).length ?? 2) < 2 && (
          <NewToken uuid={uuid} made={setMade} />
        )}
      </div>
      <Shown asked={asked} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={words.noToken}>{words.noTokenHow}</Empty>
          ) : (
            <Table
              label={words.tokens}
              rows={items}
              id={({ id }) => id}
              columns={[
                { title: secrets.made, cell: ({ created_at: at }) => <Time at={at} /> },
                { title: secrets.ends, cell: (one) => <Ends token={one} /> },
                {
                  title: person.lastUsed,
                  cell: ({ last_used_at: at }) => (at === null ? person.never : <Ago at={at} />),
                },
                {
                  title: secrets.actions,
                  plain: true,
                  away: true,
                  cell: (one) => may && <Revoke uuid={uuid} token={one} />,
                },
              ]}
            />
          )
        }
      </Shown>
      {made && (
        <SecretDialog
          title={words.newToken}
          label={words.token}
          value={made.token}
          how={words.tokenOnce}
          close={() => setMade(undefined)}
        />
      )}
    </section>
  )
}

function Ends({ token }: { token: DirectoryToken }) {
  const { status } = useWords()
  return isOver(token) ? <Badge tone="plain">{status.expired}</Badge> : <Time at={token.expires_at} />
}

interface Making {
  uuid: string
  made: (made: { token: string | undefined }) => void
}

function NewToken(making: Making) {
  const { directory: words } = useWords()
  return (
    <Opening label={words.addToken} title={words.addToken}>
      {(close) => <NewTokenForm {...making} close={close} />}
    </Opening>
  )
}

/** How long it counts, in days. */
const lives = ['90', '365', '730'] as const

function NewTokenForm({ uuid, made, close }: Making & { close: () => void }) {
  const { directory: words } = useWords()
  const [days, setDays] = useState('365')
  const change = useChange<string, DirectoryToken & { token?: string }>(
    (chosen, { query, key }) => {
      const expires_at = new Date(Date.now() + Number(chosen) * 86_400_000).toISOString()
      return api.POST('/admin/v1/directories/{uuid}/tokens', {
        params: { path: { uuid }, query, header: { 'Idempotency-Key': key } },
        body: { expires_at },
      })
    },
    ({ token }) => {
      close()
      made({ token })
    },
  )
  return (
    <Form sent={change} submit={() => change.mutate(days)} label={words.addToken}>
      <p className="lead">{words.addTokenWhat}</p>
      <Choice
        label={words.counts}
        value={days}
        onChange={setDays}
        error={fieldsOf(change.error)['expires_at']}
        data={lives.map((value) => ({ value, label: words.lives[value] }))}
      />
    </Form>
  )
}

function Revoke({ uuid, token: { id, created_at: at } }: { uuid: string; token: DirectoryToken }) {
  const { directory: words } = useWords()
  const written = useTimeWriter()
  return (
    <Confirm
      quiet
      danger
      label={words.revoke}
      title={words.revokeTitle(written(at))}
      what={['revoke token', id]}
      ask={({ query }) =>
        api.DELETE('/admin/v1/directories/{uuid}/tokens/{id}', { params: { path: { uuid, id }, query } })
      }
    >
      <p>{words.revokeWhat}</p>
    </Confirm>
  )
}
