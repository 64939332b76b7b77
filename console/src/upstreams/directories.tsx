import { Link, useNavigate } from '@tanstack/react-router'
import { overriding } from '../api/change.ts'
import { answered, api, type Directory, type Organisation } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Add } from '../shared/add.tsx'
import { Pages, usePages } from '../shared/list.tsx'
import { useMay } from '../shared/me.ts'
import { Badge, Coded, Name } from '../shared/text.tsx'

/** The directories that provision the people of an organisation by SCIM. */
export function Directories({ organisation }: { organisation: Organisation }) {
  const { directory: words, upstream } = useWords()
  const may = useMay()
  const { uuid } = organisation
  const pages = usePages(['directories', uuid], (cursor) => {
    const query = { organisation_uuid: uuid, limit: '50', ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/directories', { params: { query } }))
  })
  return (
    <section aria-labelledby="directories">
      <div className="line head">
        <div>
          <h2 id="directories">{words.title}</h2>
          <p className="soft">{words.lead}</p>
        </div>
        {may('iam.directories.create') && <AddDirectory organisation={organisation} />}
      </div>
      <Pages
        pages={pages}
        label={words.title}
        id={(one) => one.uuid}
        empty={{ title: words.empty, how: words.emptyHow }}
        columns={[
          {
            title: upstream.name,
            plain: true,
            cell: (one) => (
              <Coded code={one.code}>
                <Link className="strong" to="/directories/$uuid" params={{ uuid: one.uuid }}>
                  <Name>{one.name}</Name>
                </Link>
              </Coded>
            ),
          },
          { title: words.rules, cell: ({ mapping }) => words.ruleCount(mapping.length) },
          {
            title: upstream.state,
            plain: true,
            as: 'state',
            cell: (one) => <DirectoryState directory={one} />,
          },
        ]}
      />
    </section>
  )
}

export function DirectoryState({
  directory: { active },
  file,
}: {
  directory: Directory
  /** The file that manages the organisation, where that is to be said. */
  file?: string | null
}) {
  const { status } = useWords()
  return (
    <span className="badges">
      <Badge tone={active ? 'good' : 'bad'}>{active ? status.active : status.disabled}</Badge>
      {file && <Badge tone="plain">{status.managed(file)}</Badge>}
    </span>
  )
}

function AddDirectory({ organisation: { uuid, managed_by: file } }: { organisation: Organisation }) {
  const { directory: words, upstream, change } = useWords()
  const navigate = useNavigate()
  return (
    <Add<Directory>
      label={words.add}
      title={words.add}
      codeHow={upstream.codeHow}
      ask={(named, { query, key }) =>
        api.POST('/admin/v1/directories', {
          params: { query, header: { 'Idempotency-Key': key, ...overriding(file) } },
          body: { ...named, organisation_uuid: uuid },
        })
      }
      done={(made) => void navigate({ to: '/directories/$uuid', params: { uuid: made.uuid } })}
    >
      {file && <p className="notice warn">{change.override(file)}</p>}
    </Add>
  )
}
