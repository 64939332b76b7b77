import { useWords } from '../../messages/messages.tsx'
import { useMe } from '../../shared/me.ts'
import { OrganisationPicker } from '../../shared/pickers.tsx'
import { AllowedFields } from '../allowed.tsx'
import { ToldFields } from '../proxied-fields.tsx'
import { RouteTable } from '../route-table.tsx'
import { typeOf } from './draft.ts'
import { Ours, Permissions, Scopes, Services } from '../fields.tsx'
import type { WhereProps } from './where.tsx'

/** The people let in. */
export function Who({ draft, set, wrong }: WhereProps) {
  const { allowed: words } = useWords()
  return (
    <section className="card">
      <AllowedFields
        label={words.title}
        value={draft.allowed}
        owned={draft.organisation !== undefined}
        onChange={(allowed) => set({ allowed })}
        error={wrong('allowed')}
        wrong={wrong}
      />
    </section>
  )
}

/** Signing in alone, or calling services; an owner. What is wrong elsewhere is told here, too. */
export function May(asked: WhereProps) {
  const { draft, recipe } = asked
  if (typeOf(draft, recipe) === 'proxied') return <MayProxied {...asked} />
  return (
    <section className="card">
      <MayCall {...asked} />
      <Owner {...asked} />
    </section>
  )
}

/** What the routes of an application behind a proxy demand, and what it is told. */
function MayProxied(asked: WhereProps) {
  const { proxied: words } = useWords()
  const { draft, set, wrong } = asked
  return (
    <>
      <section className="card">
        <h2>{words.routes}</h2>
        <RouteTable value={draft.routes} onChange={(routes) => set({ routes })} wrong={wrong} />
      </section>
      <section className="card">
        <h2>{words.headers}</h2>
        <ToldFields value={draft} set={set} wrong={wrong} />
      </section>
      <section className="card">
        <Owner {...asked} />
      </section>
    </>
  )
}

function MayCall({ draft, set, wrong }: WhereProps) {
  const { wizard, documents } = useWords()
  const isMachine = draft.kind === 'machine'
  const isDocument = draft.kind === 'document'
  return (
    <>
      {!isMachine && !isDocument && (
        <Scopes
          only={['openid', 'profile', 'email', 'groups', 'offline_access']}
          scope={draft.scope}
          onChange={(scope) => set({ scope })}
          error={wrong('scope')}
        />
      )}
      <p className="lead hint">
        {isDocument ? documents.permissionsHow : isMachine ? wizard.servicesMachine : wizard.servicesHow}
      </p>
      <Services
        values={draft.services}
        onChange={(services) => set({ services })}
        error={wrong('services', draft.services)}
      />
      {(isMachine || draft.services.length > 0) && (
        <Permissions
          machine={isMachine || isDocument}
          values={draft.permissions}
          onChange={(permissions) => set({ permissions })}
          error={wrong('permissions', draft.permissions)}
        />
      )}
    </>
  )
}

function Owner({ draft, set, wrong }: WhereProps) {
  const { fields } = useWords()
  const { reach } = useMe()
  const isAsked = draft.kind !== 'machine' && draft.kind !== 'document'
  return (
    <>
      {reach.kind === 'installation' ? (
        <>
          {isAsked && (
            <div className="field">
              <Ours checked={draft.ours} onChange={(ours) => set({ ours })} error={wrong('first_party')} />
            </div>
          )}
          <div className="field">
            <OrganisationPicker
              label={fields.owner}
              hint={fields.installation}
              value={draft.organisation}
              onChange={(organisation) => set({ organisation })}
              error={wrong('organisation_uuid')}
            />
          </div>
        </>
      ) : (
        <p className="soft">
          {fields.owner} {reach.organisation_name}
        </p>
      )}
    </>
  )
}
