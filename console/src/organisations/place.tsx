import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Shown } from '../shared/state.tsx'
import { CopyRow, Heading } from '../shared/text.tsx'
import { AddUnit } from './add.tsx'
import { Disable, Move, Remove, Rename, type UnitPlace } from './change.tsx'
import { Applications, People } from './members.tsx'
import { useOrganisation } from './organisation.tsx'
import { State } from './state.tsx'

export function OrganisationItself() {
  const { uuid = '' } = useParams({ strict: false })
  return (
    <Shown asked={useOrganisation(uuid)}>
      {({ data: organisation, tag }) => <One key={uuid} at={{ organisation, tag }} />}
    </Shown>
  )
}

export function Unit() {
  const { uuid = '', unit: id = '' } = useParams({ strict: false })
  const { organisations } = useWords()
  const organisation = useOrganisation(uuid)
  const unit = useQuery({
    queryKey: ['unit', id],
    queryFn: () => withTag(api.GET('/admin/v1/units/{uuid}', { params: { path: { uuid: id } } })),
  })
  return (
    <Shown asked={unit} page={{ name: organisations, to: '/organisations' }}>
      {({ data, tag }) =>
        organisation.data && <One key={id} at={{ organisation: organisation.data.data, unit: data, tag }} />
      }
    </Shown>
  )
}

function One({ at }: { at: UnitPlace }) {
  const { organisation, unit } = at
  const { name, code, uuid, active } = unit ?? organisation
  const { organisation: words, upstream, looks } = useWords()
  const may = useMay()
  const { kind } = useMe().reach
  const maySee = ['upstreams', 'domains', 'directories'].some((one) => may(`iam.${one}.read`))
  return (
    <>
      <div className="top">
        <Heading>{name}</Heading>
        <State active={active} managed_by={organisation.managed_by} />
      </div>
      <Actions at={at} />
      {unit === undefined && kind !== 'unit' && maySee && (
        <p className="elsewhere">
          <Link to="/upstreams" search={{ organisation: organisation.uuid }}>
            {upstream.signInOf(organisation.name)}
          </Link>
        </p>
      )}
      {unit === undefined && kind !== 'unit' && (
        <p className="elsewhere">
          <Link to="/branding" search={{ organisation: organisation.uuid }}>
            {looks.of(organisation.name)}
          </Link>
        </p>
      )}
      <h2>{words.people}</h2>
      {may('iam.users.read') && <People at={at} />}
      {unit === undefined && kind !== 'unit' && may('iam.clients.read') && (
        <Applications organisation={organisation} />
      )}
      <section className="card" aria-label={words.about}>
        <h2>{words.about}</h2>
        <dl>
          <CopyRow label={words.code} value={code} />
          <CopyRow label="uuid" value={uuid} />
        </dl>
      </section>
    </>
  )
}

/** What may be done here: of one's own place only what somebody above it need not do. */
function Actions({ at }: { at: UnitPlace }) {
  const may = useMay()
  const { kind, organisation_unit_uuid: own } = useMe().reach
  const { unit } = at
  const reaches = unit === undefined ? kind === 'installation' : unit.uuid !== own
  const things = unit === undefined ? 'organisations' : 'units'
  const mayUpdate = may(`iam.${things}.update`) && (unit !== undefined || kind !== 'unit')
  return (
    <div className="actions">
      {may('iam.units.create') && (unit !== undefined || kind !== 'unit') && <AddUnit at={at} />}
      {mayUpdate && <Rename at={at} />}
      {mayUpdate && reaches && unit && <Move at={at} unit={unit} />}
      {mayUpdate && (unit !== undefined || reaches) && <Disable at={at} />}
      {may(`iam.${things}.delete`) && reaches && <Remove at={at} />}
    </div>
  )
}
