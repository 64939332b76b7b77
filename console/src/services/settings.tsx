import { useNavigate } from '@tanstack/react-router'
import { guarded } from '../api/change.ts'
import { api, type Service } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Choice, Field, Lines } from '../shared/form.tsx'
import { Removal } from '../shared/removal.tsx'
import { SettingsForm } from '../shared/settings.tsx'
import { useMayOf } from './may.tsx'

/** What a service is called and what its tokens are like, and its removal. What manages it is said before. */
export function Settings(current: Tagged<Service>) {
  const { service: words } = useWords()
  const mayOf = useMayOf()
  const { managed_by: file } = current.data
  return (
    <div className="settings">
      {file && <p className="notice warn">{words.managed(file)}</p>}
      {mayOf(current.data, 'iam.services.update') && <Edit {...current} />}
      {mayOf(current.data, 'iam.services.delete') && <Remove {...current} />}
    </div>
  )
}

type Alg = Service['access_token_alg']
type Typ = Service['access_token_typ']
const same = (...values: string[]) => values.map((value) => ({ value, label: value }))

function Edit(current: Tagged<Service>) {
  const { service: words, organisation } = useWords()
  const { code, audience, managed_by: file } = current.data
  return (
    <SettingsForm<Service, Service>
      current={current}
      target={code}
      labels={{
        name: organisation.name,
        description: words.description,
        audience: words.audience,
        access_token_alg: words.alg,
        access_token_typ: words.typ,
      }}
      ask={(body, tag, query) =>
        api.PATCH('/admin/v1/services/{code}', {
          params: { path: { code }, query, header: guarded(tag, file) },
          body,
        })
      }
    >
      {({ value, set }, wrong) => (
        <section className="card">
          <Field
            label={organisation.name}
            value={value.name}
            onChange={(name) => set({ name })}
            error={wrong('name')}
          />
          <Lines
            label={words.description}
            description={words.descriptionHow}
            value={value.description ?? ''}
            onChange={(description) => set({ description: description || null })}
            error={wrong('description')}
          />
          <Field
            label={words.audience}
            description={words.audienceHow}
            value={value.audience}
            onChange={(changed) => set({ audience: changed })}
            error={wrong('audience')}
          />
          {value.audience !== audience && <p className="notice warn">{words.audienceChanged(audience)}</p>}
          <Choice
            label={words.alg}
            description={words.algHow}
            value={value.access_token_alg}
            data={same('RS256', 'ES256')}
            onChange={(alg) => set({ access_token_alg: alg as Alg })}
          />
          <Choice
            label={words.typ}
            description={words.typHow}
            value={value.access_token_typ}
            data={same('at+jwt', 'JWT')}
            onChange={(typ) => set({ access_token_typ: typ as Typ })}
          />
        </section>
      )}
    </SettingsForm>
  )
}

/** Removes it with its permissions, which the dry run counts, with who loses them. */
function Remove({ data: { code, name, managed_by: file }, tag }: Tagged<Service>) {
  const { service: words } = useWords()
  const navigate = useNavigate()
  return (
    <Removal
      words={words}
      {...{ name, file }}
      what={['service', code, tag]}
      done={() => navigate({ to: '/services' })}
      ask={({ query }) =>
        api.DELETE('/admin/v1/services/{code}', {
          params: { path: { code }, query, header: guarded(tag, file) },
        })
      }
    />
  )
}
