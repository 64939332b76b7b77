import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api, type Role as Shape, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { useMay, useMe, usePlaceName } from '../shared/me.ts'
import { Empty, Shown } from '../shared/state.tsx'
import { PartTabs } from '../shared/tabs.tsx'
import { Badge, Heading, Name } from '../shared/text.tsx'
import { Gives } from './gives.tsx'
import { Disable, Settings } from './settings.tsx'

/** What a role gives and who holds it, and its settings for those who may change it. */
export function Role() {
  const { code = '', part } = useParams({ strict: false })
  const { roles, notFound } = useWords()
  const asked = useQuery({
    queryKey: ['role', code, 'tagged'],
    queryFn: () => withTag(api.GET('/admin/v1/roles/{code}', { params: { path: { code } } })),
  })
  const isChanged = useMayChange()
  return (
    <Shown asked={asked} page={{ name: roles, to: '/roles' }}>
      {(current) => (
        <>
          <nav className="crumbs" aria-label={roles}>
            <Link to="/roles">{roles}</Link>
          </nav>
          <Top {...current} />
          {isChanged ? <Parts {...current.data} /> : <WhyNot />}
          {part === undefined ? (
            <Gives data={current.data} />
          ) : part === 'settings' && isChanged ? (
            <Settings key={code} {...current} />
          ) : (
            <Empty
              title={notFound}
              action={
                <Link to="/roles/$code" params={{ code }}>
                  <Name>{current.data.name}</Name>
                </Link>
              }
            />
          )}
        </>
      )}
    </Shown>
  )
}

/** Roles belong to the whole installation, as the API has it. */
function useMayChange(): boolean {
  const may = useMay()
  const { kind } = useMe().reach
  return kind === 'installation' && (may('iam.roles.update') || may('iam.roles.delete'))
}

function Top({ data, tag }: Tagged<Shape>) {
  const { status } = useWords()
  const may = useMay()
  const isChanged = useMayChange()
  const { name, code, active, managed_by: file } = data
  return (
    <div className="top">
      <div>
        <Heading>{name}</Heading>
        <code className="soft" translate="no">
          {code}
        </code>
      </div>
      <span className="badges">
        <Badge tone={active ? 'good' : 'bad'}>{active ? status.active : status.disabled}</Badge>
        {file && <Badge tone="plain">{status.managed(file)}</Badge>}
      </span>
      {isChanged && may('iam.roles.update') && <Disable data={data} tag={tag} />}
    </div>
  )
}

function Parts({ name, code }: Shape) {
  const { role } = useWords()
  return (
    <PartTabs
      label={name}
      at="/roles/$code"
      id={{ code }}
      parts={[
        { part: undefined, label: role.gives },
        { part: 'settings', label: role.settings },
      ]}
    />
  )
}

/** Why there is nothing to press. */
function WhyNot() {
  const { role } = useWords()
  const { reach } = useMe()
  const placeName = usePlaceName()
  return (
    <p className="lead">
      {reach.kind === 'installation' ? role.readOnly : role.ofInstallation(placeName(reach))}
    </p>
  )
}
