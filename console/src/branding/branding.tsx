import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { guarded, type How } from '../api/change.ts'
import { type Answer, api, type Branding as Shape, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { useMay, useMe, usePlaceName } from '../shared/me.ts'
import { SettingsForm } from '../shared/settings.tsx'
import { Shown } from '../shared/state.tsx'
import { Badge, Heading, Name } from '../shared/text.tsx'
import { BrandingFields, type Editable, fieldNames } from './fields.tsx'
import { Preview } from './preview.tsx'
import './branding.css'

const route = getRouteApi('/branding')

/** How pages look: of the installation, or of an organisation. */
export function Branding() {
  const { organisation } = route.useSearch()
  return organisation === undefined ? (
    <OfInstallation />
  ) : (
    <OfOrganisation key={organisation} uuid={organisation} />
  )
}

const useOfInstallation = (enabled: boolean) =>
  useQuery({
    queryKey: ['branding'],
    enabled,
    queryFn: () => withTag(api.GET('/admin/v1/branding')),
  })

function OfInstallation() {
  const { branding, looks } = useWords()
  const may = useMay()
  const { reach } = useMe()
  const placeName = usePlaceName()
  const isReached = reach.kind === 'installation'
  const mayChange = isReached && may('iam.branding.update')
  const asked = useOfInstallation(true)
  return (
    <Shown asked={asked} page={{ name: branding, to: '/branding' }}>
      {({ data: { managed_by: file, ...data }, tag }) => (
        <>
          <Top title={branding} lead={looks.lead} {...{ file, mayChange }}>
            {isReached ? looks.readOnly('iam.branding.update') : looks.actsFor(placeName(reach))}
          </Top>
          <Edit
            current={{ data, tag }}
            target="installation"
            kind="branding.changed"
            mayChange={mayChange}
            nameHow={looks.nameHow}
            ask={(changes, tag, query) =>
              api.PUT('/admin/v1/branding', {
                params: { query, header: guarded(tag, file) },
                body: { ...data, ...changes },
              })
            }
          />
        </>
      )}
    </Shown>
  )
}

const isUnset = (branding: Editable) => fieldNames.every((name) => branding[name] === null)
const unset = Object.fromEntries(fieldNames.map((name) => [name, null])) as Editable

function OfOrganisation({ uuid }: { uuid: string }) {
  const { organisations, looks } = useWords()
  const may = useMay()
  const { kind } = useMe().reach
  const mayChange = kind !== 'unit' && may('iam.organisations.update')
  const instead = useOfInstallation(may('iam.branding.read')).data?.data
  const asked = useQuery({
    queryKey: ['organisation', uuid],
    queryFn: () => withTag(api.GET('/admin/v1/organisations/{uuid}', { params: { path: { uuid } } })),
  })
  return (
    <Shown asked={asked} page={{ name: organisations, to: '/organisations' }}>
      {({ data: { name, branding, managed_by: file }, tag }) => (
        <>
          <nav className="crumbs" aria-label={organisations}>
            {kind === 'installation' && <Link to="/organisations">{organisations}</Link>}
            <Link to="/organisations/$uuid" params={{ uuid }}>
              <Name>{name}</Name>
            </Link>
          </nav>
          <Top title={looks.of(name)} lead={looks.leadOf(name)} {...{ file, mayChange }}>
            {looks.readOnly('iam.organisations.update')}
          </Top>
          <Edit
            current={{ data: { ...unset, ...branding }, tag }}
            target={uuid}
            mayChange={mayChange}
            nameHow={looks.nameOfHow}
            instead={instead}
            ask={(changes, tag, query) =>
              api.PATCH('/admin/v1/organisations/{uuid}', {
                params: { path: { uuid }, query, header: guarded(tag, file) },
                body: { branding: changes },
              })
            }
          />
        </>
      )}
    </Shown>
  )
}

function Top({
  title,
  lead,
  file,
  mayChange,
  children,
}: {
  title: string
  lead: string
  file: string | null
  mayChange: boolean
  /** Why nothing can be changed, where that is so. */
  children: string
}) {
  const { looks, status } = useWords()
  return (
    <>
      <div className="top">
        <Heading>{title}</Heading>
        {file && <Badge tone="plain">{status.managed(file)}</Badge>}
      </div>
      <p className="lead">{lead}</p>
      {!mayChange && <p className="notice">{children}</p>}
      {mayChange && file && <p className="notice warn">{looks.managed(file)}</p>}
    </>
  )
}

/** What is typed is shown beside as the page of a sign-in, and tried out: what can't be read is refused while one types. */
function Edit({
  current,
  target,
  kind,
  mayChange,
  nameHow,
  instead,
  ask,
}: {
  current: Tagged<Editable>
  target: string
  kind?: string
  mayChange: boolean
  nameHow: string
  /** What pages show where nothing is set. */
  instead?: Editable | undefined
  ask: (changes: Partial<Editable>, tag: string, query: How['query']) => Promise<Answer<Shape | object>>
}) {
  const { looks } = useWords()
  return (
    <div className="settings branding">
      <SettingsForm<Editable, object>
        tries
        nothing=""
        current={current}
        target={target}
        {...(kind && { kind })}
        labels={looks.labels}
        ask={ask}
      >
        {(edit, wrong) => (
          <div className="halves">
            <fieldset disabled={!mayChange}>
              <BrandingFields edit={edit} wrong={wrong} nameHow={nameHow} />
            </fieldset>
            <Preview of={isUnset(edit.value) ? (instead ?? edit.value) : edit.value} />
          </div>
        )}
      </SettingsForm>
    </div>
  )
}
