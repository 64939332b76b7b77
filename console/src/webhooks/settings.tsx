import { useNavigate } from '@tanstack/react-router'
import { guarded } from '../api/change.ts'
import { api, type Webhook } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { useMay } from '../shared/me.ts'
import { Removal } from '../shared/removal.tsx'
import { SettingsForm } from '../shared/settings.tsx'
import { type Editable, nameOf, WebhookFields } from './fields.tsx'
import { Secrets } from './secrets.tsx'

/** A webhook sends the audit, so who may not read that changes nothing of where it goes. */
export function Settings(current: Tagged<Webhook>) {
  const { webhook: words } = useWords()
  const may = useMay()
  const { uuid } = current.data
  return (
    <div className="settings">
      {may('iam.audit.read') ? (
        <SettingsForm<Editable, Webhook>
          tries
          current={current}
          target={uuid}
          labels={{ url: words.url, description: words.description, kinds: words.kinds }}
          ask={(body, tag, query) =>
            api.PATCH('/admin/v1/webhooks/{uuid}', {
              params: { path: { uuid }, query, header: guarded(tag) },
              body,
            })
          }
        >
          {({ value, set }, wrong) => (
            <section className="card">
              <WebhookFields value={value} set={set} wrong={wrong} />
            </section>
          )}
        </SettingsForm>
      ) : (
        <p className="lead">{words.needsAudit}</p>
      )}
      <Secrets {...current} />
      {may('iam.webhooks.delete') && <Remove {...current} />}
    </div>
  )
}

function Remove({ data, tag }: Tagged<Webhook>) {
  const { webhook: words } = useWords()
  const navigate = useNavigate()
  const { uuid } = data
  return (
    <Removal
      words={words}
      name={nameOf(data)}
      file={null}
      what={['webhook', uuid, tag]}
      done={() => navigate({ to: '/webhooks' })}
      ask={({ query }) =>
        api.DELETE('/admin/v1/webhooks/{uuid}', {
          params: { path: { uuid }, query, header: guarded(tag) },
        })
      }
    />
  )
}
