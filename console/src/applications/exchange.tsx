import type { Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Check } from '../shared/form.tsx'
import { useMe } from '../shared/me.ts'
import { ServicePicker } from '../shared/pickers.tsx'
import { Permissions, Services } from './fields.tsx'
import type { Editing } from './settings-fields.tsx'

type Grant = Client['grant_types'][number]
const grant: Grant = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The service that an application is for the people who call it, where it acts for them, and what it may do there. */
export function Exchange({ edit: { value: client, set }, wrong }: Editing) {
  const { exchange: words } = useWords()
  const { reach } = useMe()
  const { acts_as: service, exchange, grant_types: grants } = client
  const decides = reach.kind === 'installation'
  const proves = client.metadata !== 'document' && (client.type === 'web' || client.type === 'machine')
  if (!proves || !(decides || service !== null)) return null
  const none = { services: [], permissions: [] }
  const turn = (on: boolean) => {
    const others = grants.filter((one) => one !== grant)
    set(
      on
        ? { grant_types: [...others, grant], exchange: none }
        : { grant_types: others, acts_as: null, exchange: null },
    )
  }
  const { services, permissions } = exchange ?? none
  return (
    <section className="card">
      <h2>{words.title}</h2>
      {decides && (
        <Check label={words.acts} description={words.how} checked={grants.includes(grant)} onChange={turn} />
      )}
      {exchange !== null && (
        <>
          {decides ? (
            <div className="field">
              <ServicePicker
                label={words.service}
                value={service ?? undefined}
                onChange={(code) => set({ acts_as: code ?? null })}
                error={wrong('acts_as')}
              />
            </div>
          ) : (
            <p>{words.is(service ?? '')}</p>
          )}
          <p className="soft">{words.where}</p>
          <Services
            values={services}
            onChange={(all) => set({ exchange: { permissions, services: all } })}
            error={wrong('exchange', services)}
          />
          <Permissions
            machine
            values={permissions}
            onChange={(all) => set({ exchange: { services, permissions: all ?? [] } })}
            error={wrong('exchange.permissions', permissions)}
          />
        </>
      )}
    </section>
  )
}
