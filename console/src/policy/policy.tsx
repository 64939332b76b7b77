import { useQuery } from '@tanstack/react-query'
import { guarded } from '../api/change.ts'
import { api, type Policy as Shape, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { useMay, useMe, usePlaceName } from '../shared/me.ts'
import { SettingsForm } from '../shared/settings.tsx'
import { Shown } from '../shared/state.tsx'
import { Badge, Heading } from '../shared/text.tsx'
import { Elsewhere } from './elsewhere.tsx'
import { type Editable, PolicyFields } from './fields.tsx'
import { useTold } from './told.ts'
import './policy.css'

/** How strongly everybody signs in, at the least, with whom a change would stop beside it. */
export function Policy() {
  const { policy } = useWords()
  const asked = useQuery({
    queryKey: ['policy'],
    queryFn: () => withTag(api.GET('/admin/v1/policy')),
  })
  return (
    <Shown asked={asked} page={{ name: policy, to: '/policy' }}>
      {(current) => (
        <>
          <Top {...current.data} />
          <Edit {...current} />
          <Elsewhere />
        </>
      )}
    </Shown>
  )
}

function useMayChange(): boolean {
  const may = useMay()
  return useMe().reach.kind === 'installation' && may('iam.policy.update')
}

function Top({ managed_by: file }: Shape) {
  const { policy, policies, status } = useWords()
  const { reach } = useMe()
  const placeName = usePlaceName()
  const mayChange = useMayChange()
  return (
    <>
      <div className="top">
        <Heading>{policy}</Heading>
        {file && <Badge tone="plain">{status.managed(file)}</Badge>}
      </div>
      <p className="lead">{policies.lead}</p>
      {!mayChange && (
        <p className="notice">
          {reach.kind === 'installation' ? policies.readOnly : policies.ofInstallation(placeName(reach))}
        </p>
      )}
      {mayChange && file && <p className="notice warn">{policies.managed(file)}</p>}
    </>
  )
}

/** The policy is set as a whole, so what was not touched is sent along. */
function Edit({ data: { managed_by: file, ...data }, tag }: Tagged<Shape>) {
  const { policies } = useWords()
  const mayChange = useMayChange()
  const told = useTold()
  return (
    <div className="settings beside-effect">
      <SettingsForm<Editable, Shape>
        tries
        nothing={policies.nothing}
        current={{ data, tag }}
        target="installation"
        kind="policy.changed"
        labels={policies.labels}
        shown={(name, value) => told(name, value)}
        ask={(changes, tag, query) =>
          api.PUT('/admin/v1/policy', {
            params: { query, header: guarded(tag, file) },
            body: { ...data, ...changes },
          })
        }
      >
        {(edit, wrong) => (
          <>
            <fieldset disabled={!mayChange}>
              <PolicyFields before={data} edit={edit} wrong={wrong} />
            </fieldset>
            {mayChange && !edit.changed && <p className="effect soft">{policies.effectHere}</p>}
          </>
        )}
      </SettingsForm>
    </div>
  )
}
