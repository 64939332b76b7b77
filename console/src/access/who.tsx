import { getRouteApi, Link } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Chain } from '../shared/chain.tsx'
import { Download } from '../shared/download.tsx'
import { Pages, usePages } from '../shared/list.tsx'
import { useMay, useMe, usePlaceName } from '../shared/me.ts'
import { OrganisationPicker, PermissionPicker, UnitPicker } from '../shared/pickers.tsx'
import { usePlaces } from '../shared/place.ts'
import { Badge, Heading, Name, Time } from '../shared/text.tsx'
import { Questions } from './questions.tsx'
import { Examples, Given, Sentence } from './sentence.tsx'

const route = getRouteApi('/access/who')
type Question = ReturnType<typeof route.useSearch>
type Holder = components['schemas']['Holder']

/** The people who can do something somewhere. Administrators of a part ask about that part. */
export function Who() {
  const words = useWords()
  const { who, why } = words
  const may = useMay()
  const { reach } = useMe()
  const { permission, organisation, unit } = route.useSearch()
  const navigate = route.useNavigate()
  const choose = (change: Question) => void navigate({ search: (before) => ({ ...before, ...change }) })
  const here = useHere()
  const place = organisation ?? reach.organisation_uuid ?? undefined
  return (
    <>
      <div className="top">
        <Heading title={words.access}>{words.access}</Heading>
        {permission !== undefined && (
          <Download path="/access" query={queryOf({ permission, organisation, unit })} formats={['csv']} />
        )}
      </div>
      <Questions permission={permission} />
      <Sentence
        label={who.title}
        says={who.asks}
        parts={{
          permission: (
            <PermissionPicker
              bare
              label={why.permission}
              hint={why.something}
              value={permission}
              onChange={(permission) => choose({ permission })}
            />
          ),
          organisation:
            reach.kind === 'installation' && may('iam.organisations.read') ? (
              <OrganisationPicker
                bare
                label={who.organisation}
                hint={who.anyOrganisation}
                value={organisation}
                onChange={(organisation) => choose({ organisation, unit: undefined })}
              />
            ) : (
              <Given>{here}</Given>
            ),
          unit: reach.kind !== 'unit' && place !== undefined && may('iam.units.read') && (
            <UnitPicker
              bare
              label={who.unit}
              hint={who.anyUnit}
              organisation={place}
              value={unit}
              onChange={(unit) => choose({ unit })}
            />
          ),
        }}
      />
      {permission === undefined ? (
        <Examples
          title={who.begin}
          lead={who.lead}
          to="/access/who"
          says={who.asks}
          search={{}}
          parts={{ organisation: here }}
        />
      ) : (
        <Holders {...{ permission, organisation, unit }} />
      )}
    </>
  )
}

/** Where one who may not pick asks. */
function useHere(): string {
  const { who } = useWords()
  const { reach } = useMe()
  const placeName = usePlaceName()
  return reach.kind === 'installation' ? who.anyOrganisation : placeName(reach)
}

interface HolderQuery {
  permission: string
  organisation: string | undefined
  unit: string | undefined
}

const queryOf = ({ permission, organisation, unit }: HolderQuery) => ({
  permission,
  ...(organisation && { organisation }),
  ...(unit && { organisation_unit_uuid: unit }),
})

/** People, then machines; each opens to why, and leads there. */
function Holders(asked: HolderQuery) {
  const { permission } = asked
  const { who, person, actsFor } = useWords()
  const { reach } = useMe()
  const placeName = usePlaceName()
  const pages = usePages<Holder>(['who', asked], (cursor) =>
    answered(
      api.GET('/admin/v1/access', {
        params: {
          query: {
            ...queryOf(asked),
            include: 'chain',
            limit: '50',
            ...(cursor && { cursor }),
          },
        },
      }),
    ),
  )
  const place = usePlaces(pages.data?.pages.flatMap(({ items }) => items) ?? [])
  const empty =
    reach.kind === 'installation'
      ? { title: who.nobody, how: who.nobodyHow }
      : { title: who.nobodySeen, how: `${who.nobodySeenHow} ${actsFor(placeName(reach))}` }
  return (
    <>
      <Pages
        pages={pages}
        label={who.title}
        id={(one) => (one.kind === 'user' ? one.profile_uuid : `${one.client_id} ${one.acting_for ?? ''}`)}
        count={who.found}
        empty={empty}
        opens={{
          label: (one) => who.chainOf(one.kind === 'user' ? one.name : one.client_name),
          shows: ({ chain = [] }) => <Chain links={chain} />,
        }}
        columns={[
          { title: who.who, plain: true, cell: (one) => <Holding one={one} permission={permission} /> },
          {
            title: who.through,
            as: 'whole',
            cell: (one) =>
              one.kind === 'user' ? (
                <Name>{one.role_code}</Name>
              ) : (
                <Badge tone="plain">
                  {one.acting_for === undefined ? who.machine : who.actingFor(one.acting_for)}
                </Badge>
              ),
          },
          { title: who.where, cell: (one) => <Name>{place(one)}</Name> },
          {
            title: who.until,
            cell: (one) =>
              one.kind === 'user' && one.expires_at !== null ? <Time at={one.expires_at} /> : person.never,
          },
        ]}
      />
    </>
  )
}

function Holding({ one, permission }: { one: Holder; permission: string }) {
  // Why it may for somebody is asked with the person.
  if (one.kind === 'client' && one.acting_for !== undefined)
    return (
      <Link className="strong" to="/applications/$id" params={{ id: one.client_id }}>
        <Name>{one.client_name}</Name>
      </Link>
    )
  if (one.kind === 'client')
    return (
      <Link className="strong" to="/access/why" search={{ client: one.client_id, permission }}>
        <Name>{one.client_name}</Name>
      </Link>
    )
  const search = { user: one.user_uuid, profile: one.profile_uuid, permission }
  return (
    <>
      <Link className="strong" to="/access/why" search={search}>
        <Name>{one.name}</Name>
      </Link>
      <small className="soft">
        <Name>{one.email}</Name>
      </small>
    </>
  )
}
