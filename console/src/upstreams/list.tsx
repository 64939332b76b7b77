import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Pages, usePages } from '../shared/list.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { usePlaces } from '../shared/place.ts'
import { Badge, Coded, Name } from '../shared/text.tsx'
import { LastSignIn, LinkedPeople, UpstreamBadges } from './state.tsx'

/** An upstream of the whole installation is added by those who administer that. */
export function AddUpstream({ organisation, label }: { organisation?: string | undefined; label: string }) {
  const may = useMay()
  const { kind } = useMe().reach
  if (!may('iam.upstreams.create') || kind === 'unit') return null
  return (
    <Button
      renderRoot={(props) => (
        <Link to="/upstreams/new" search={organisation === undefined ? {} : { organisation }} {...props} />
      )}
    >
      {label}
    </Button>
  )
}

/** A row asks how its upstream does. */
const rowsAtOnce = '20'

/** The upstreams of an organisation; without one all within reach, each with whose it is. */
export function UpstreamList({ organisation }: { organisation?: string | undefined }) {
  const { upstream: words } = useWords()
  const pages = usePages(['upstreams', organisation], (cursor) => {
    const query = {
      limit: rowsAtOnce,
      ...(organisation !== undefined && { organisation_uuid: organisation }),
      ...(cursor && { cursor }),
    }
    return answered(api.GET('/admin/v1/upstreams', { params: { query } }))
  })
  const place = usePlaces(pages.data?.pages.flatMap(({ items }) => items) ?? [])
  return (
    <Pages
      pages={pages}
      label={words.upstreams}
      file={{
        path: '/upstreams',
        query: organisation === undefined ? {} : { organisation_uuid: organisation },
      }}
      id={({ uuid }) => uuid}
      empty={{
        title: words.empty,
        how: words.emptyHow,
        action: <AddUpstream organisation={organisation} label={words.add} />,
      }}
      columns={[
        {
          title: words.name,
          plain: true,
          cell: ({ uuid, code, name, managed_by: file }) => (
            <Coded code={code}>
              <Link className="strong" to="/upstreams/$uuid" params={{ uuid }}>
                <Name>{name}</Name>
              </Link>{' '}
              {file && <Managed file={file} />}
            </Coded>
          ),
        },
        ...(organisation === undefined
          ? [
              {
                title: words.owner,
                cell: (one: { organisation_uuid: string | null }) => <Name>{place(one)}</Name>,
              },
            ]
          : []),
        { title: words.kind, cell: ({ kind }) => words.kinds[kind].title, as: 'whole' },
        { title: words.linked, cell: ({ uuid }) => <LinkedPeople uuid={uuid} /> },
        { title: words.lastSignIn, cell: ({ uuid }) => <LastSignIn uuid={uuid} /> },
        {
          title: words.state,
          plain: true,
          as: 'state',
          cell: (upstream) => <UpstreamBadges upstream={upstream} />,
        },
      ]}
    />
  )
}

function Managed({ file }: { file: string }) {
  const { status } = useWords()
  return <Badge tone="plain">{status.managed(file)}</Badge>
}
