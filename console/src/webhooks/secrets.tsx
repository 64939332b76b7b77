/** What a webhook signs by: one secret, and for a while the one before. */
import { useState } from 'react'
import { guarded, useChange } from '../api/change.ts'
import { api, type Webhook } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Confirm, Opening } from '../shared/dialog.tsx'
import { Choice, fieldsOf, Form } from '../shared/form.tsx'
import { SecretDialog } from '../shared/shown-once.tsx'
import { Table } from '../shared/table.tsx'
import { Badge, Time, useTimeWriter } from '../shared/text.tsx'

type Secret = Webhook['secrets'][number]

const isOver = ({ expires_at: end }: Secret) => end !== null && Date.parse(end) <= Date.now()

export function Secrets({ data: { uuid, secrets }, tag }: Tagged<Webhook>) {
  const { webhook: words, secrets: shared, status } = useWords()
  const [made, setMade] = useState<{ secret: string | undefined }>()
  return (
    <section aria-labelledby="secrets">
      <div className="line head">
        <div>
          <h2 id="secrets">{words.secrets}</h2>
          <p className="soft">{words.secretsHow}</p>
        </div>
        {secrets.filter((one) => !isOver(one)).length < 2 && (
          <Opening label={words.newSecret} title={words.newSecret}>
            {(done) => (
              <NewSecret
                uuid={uuid}
                made={(one) => {
                  done()
                  setMade(one)
                }}
              />
            )}
          </Opening>
        )}
      </div>
      <Table
        label={words.secrets}
        rows={secrets}
        id={({ id }) => id}
        columns={[
          { title: shared.made, cell: ({ created_at: at }) => <Time at={at} /> },
          {
            title: shared.ends,
            cell: (one) =>
              isOver(one) ? (
                <Badge tone="plain">{status.expired}</Badge>
              ) : one.expires_at === null ? (
                shared.never
              ) : (
                <Time at={one.expires_at} />
              ),
          },
          {
            title: shared.actions,
            plain: true,
            away: true,
            // The one that has no end signs alone.
            cell: (one) => one.expires_at !== null && <End uuid={uuid} secret={one} tag={tag} />,
          },
        ]}
      />
      {made && (
        <SecretDialog
          title={words.newSecret}
          label={words.secret}
          value={made.secret}
          how={words.secretOnce}
          close={() => setMade(undefined)}
        />
      )}
    </section>
  )
}

/** How long the one before counts on, in hours. */
const lasts = ['1', '24', '168'] as const

function NewSecret({ uuid, made }: { uuid: string; made: (made: { secret: string | undefined }) => void }) {
  const { webhook: words } = useWords()
  const [hours, setHours] = useState('24')
  const change = useChange<string, Secret & { secret?: string }>(
    (chosen, { query, key }) => {
      const previous_expires_at = new Date(Date.now() + Number(chosen) * 3_600_000).toISOString()
      return api.POST('/admin/v1/webhooks/{uuid}/secrets', {
        params: { path: { uuid }, query, header: { 'Idempotency-Key': key } },
        body: { previous_expires_at },
      })
    },
    ({ secret }) => made({ secret }),
  )
  return (
    <Form sent={change} submit={() => change.mutate(hours)} label={words.newSecret}>
      <p className="lead">{words.newSecretWhat}</p>
      <Choice
        label={words.counts}
        value={hours}
        onChange={setHours}
        error={fieldsOf(change.error)['previous_expires_at']}
        data={lasts.map((value) => ({ value, label: words.lasts[value] }))}
      />
    </Form>
  )
}

function End({ uuid, secret, tag }: { uuid: string; secret: Secret; tag: string }) {
  const { webhook: words, secrets: shared } = useWords()
  const written = useTimeWriter()
  return (
    <Confirm
      quiet
      danger
      label={shared.end}
      title={shared.endTitle(written(secret.created_at))}
      what={['end secret', secret.id, tag]}
      ask={({ query }) =>
        api.DELETE('/admin/v1/webhooks/{uuid}/secrets/{secret_id}', {
          params: { path: { uuid, secret_id: secret.id }, query, header: guarded(tag) },
        })
      }
    >
      <p>{words.endWhat}</p>
    </Confirm>
  )
}
