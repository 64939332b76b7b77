import { useState } from 'react'
import { api, type Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Confirm } from '../shared/dialog.tsx'
import { Table } from '../shared/table.tsx'
import { useMay } from '../shared/me.ts'
import { Empty } from '../shared/state.tsx'
import { Badge, Time, useTimeWriter } from '../shared/text.tsx'
import { isByKey, Proof } from './proof.tsx'
import { Add, type Made, Replace, Shown } from './new-secret.tsx'

type Secret = Client['secrets'][number]

/** Secrets, known by their times alone. At most two count, the old and the new. */
export function Secrets({ data: client, tag }: Tagged<Client>) {
  const { secrets: words } = useWords()
  const may = useMay()('iam.clients.update')
  const counting = client.secrets.filter((one) => !isOver(one))
  const [made, setMade] = useState<Made>()
  const byKey = isByKey(client)
  const row = { client, tag, another: counting.length > 1, made: setMade }
  return (
    <>
      <p className="lead">{byKey ? words.byKeyLead : words.lead}</p>
      {byKey && (
        <p>
          {words.byKey} <Proof client={client} />
        </p>
      )}
      {client.secrets.length === 0 ? (
        !byKey && <Empty title={words.empty}>{words.emptyHow}</Empty>
      ) : (
        <Table
          label={words.title}
          rows={client.secrets}
          id={({ id }) => id}
          columns={[
            { title: words.made, cell: ({ created_at: at }) => <Time at={at} /> },
            { title: words.ends, cell: (secret) => <Ends {...secret} /> },
            {
              title: words.actions,
              plain: true,
              away: true,
              cell: (secret) => may && <Actions {...row} secret={secret} />,
            },
          ]}
        />
      )}
      {may && !byKey && counting.length < 2 && <Add client={client} made={setMade} />}
      {counting.length > 1 && <p className="soft">{words.two}</p>}
      {made && <Shown client={client} made={made} close={() => setMade(undefined)} />}
    </>
  )
}

const isOver = ({ expires_at: end }: Secret) => end !== null && Date.parse(end) <= Date.now()

function Ends(secret: Secret) {
  const { secrets: words, status } = useWords()
  if (isOver(secret)) return <Badge tone="plain">{status.expired}</Badge>
  return secret.expires_at === null ? words.never : <Time at={secret.expires_at} />
}

interface One {
  client: Client
  tag: string
  secret: Secret
}

/** Where another counts, the leaked one is ended at once; else a new one is made first. */
function Actions({ another, made, ...one }: One & { another: boolean; made: (made: Made) => void }) {
  const { secrets: words } = useWords()
  return (
    <div className="actions">
      {!another && !isOver(one.secret) && <Replace {...one} made={made} />}
      <End {...one} label={words.end}>
        {another ? words.endOne : words.endLast}
      </End>
    </div>
  )
}

function End({ client, tag, secret, label, children }: One & { label: string; children: string }) {
  const { secrets: words } = useWords()
  const written = useTimeWriter()
  const path = { client_id: client.client_id, secret_id: secret.id }
  return (
    <Confirm
      label={label}
      title={words.endTitle(written(secret.created_at))}
      danger
      what={['end secret', secret.id, tag]}
      ask={({ query }) =>
        api.DELETE('/admin/v1/clients/{client_id}/secrets/{secret_id}', {
          params: { path, query, header: { 'If-Match': tag } },
        })
      }
    >
      <p>{children}</p>
    </Confirm>
  )
}
