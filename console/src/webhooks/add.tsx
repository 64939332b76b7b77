import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useChange } from '../api/change.ts'
import { api, type Webhook } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Opening } from '../shared/dialog.tsx'
import { fieldsOf, Form, wrongIn } from '../shared/form.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { OrganisationPicker } from '../shared/pickers.tsx'
import { SecretDialog } from '../shared/shown-once.tsx'
import { type Editable, WebhookFields } from './fields.tsx'

interface Made {
  uuid: string
  secret: string | undefined
}

/** A webhook sends the audit, so adding one needs to read that. */
export function AddWebhook() {
  const { webhook: words } = useWords()
  const may = useMay()
  const navigate = useNavigate()
  const { kind } = useMe().reach
  const [made, setMade] = useState<Made>()
  const [stored, setStored] = useState<string>()
  // Once the dialog is gone, which would hold whoever leaves.
  useEffect(() => {
    if (stored !== undefined) void navigate({ to: '/webhooks/$uuid', params: { uuid: stored } })
  }, [stored, navigate])
  if (kind === 'unit' || !may('iam.webhooks.create') || !may('iam.audit.read')) return null
  return (
    <>
      <Opening primary label={words.add} title={words.add}>
        {(close) => (
          <AddForm
            made={(one) => {
              close()
              setMade(one)
            }}
          />
        )}
      </Opening>
      {made && (
        <SecretDialog
          title={words.added}
          label={words.secret}
          value={made.secret}
          how={words.secretOnce}
          close={() => {
            setMade(undefined)
            setStored(made.uuid)
          }}
        />
      )}
    </>
  )
}

type Draft = Editable & { organisation_uuid: string | null }

function AddForm({ made }: { made: (made: Made) => void }) {
  const { webhook: words } = useWords()
  const { kind, organisation_uuid: own } = useMe().reach
  const [draft, setDraft] = useState<Draft>({ url: '', description: '', kinds: [], organisation_uuid: own })
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const change = useChange<Draft, Webhook & { secret?: string }>(
    (body, { query, key }) =>
      api.POST('/admin/v1/webhooks', { params: { query, header: { 'Idempotency-Key': key } }, body }),
    ({ uuid, secret }) => made({ uuid, secret }),
  )
  const fields = fieldsOf(change.error)
  return (
    <Form
      sent={change}
      submit={() => change.mutate(draft)}
      label={words.add}
      disabled={draft.url.trim() === '' || draft.kinds.length === 0}
    >
      <WebhookFields value={draft} set={set} wrong={wrongIn(fields)} />
      {kind === 'installation' && (
        <div className="belongs">
          <OrganisationPicker
            label={words.of}
            description={words.ofHow}
            hint={words.everything}
            value={draft.organisation_uuid ?? undefined}
            onChange={(chosen) => set({ organisation_uuid: chosen ?? null })}
            error={fields['organisation_uuid']}
          />
        </div>
      )}
    </Form>
  )
}
