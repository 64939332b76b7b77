import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answered, api, type Client, type Organisation, type Role } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Table } from '../shared/table.tsx'
import { Coded, Name } from '../shared/text.tsx'
import { useTold } from './told.ts'

/** How many of each kind are looked at. */
const limit = '200'

type Found =
  | { kind: 'organisations'; one: Organisation }
  | { kind: 'roles'; one: Role }
  | { kind: 'applications'; one: Client }

const idOf = ({ kind, one }: Found) =>
  kind === 'organisations' ? one.uuid : kind === 'roles' ? one.code : one.client_id

/** What is set of it. */
const setIn = ({ one: { policy } }: Found) =>
  Object.entries(policy ?? {}).filter(([, value]) => value !== null && value !== undefined)

function useFound() {
  const may = useMay()
  const ask = { params: { query: { limit } } }
  return useQuery({
    queryKey: ['policy', 'elsewhere'],
    queryFn: async () => {
      const [organisations, roles, clients] = await Promise.all([
        may('iam.organisations.read') && answered(api.GET('/admin/v1/organisations', ask)),
        may('iam.roles.read') && answered(api.GET('/admin/v1/roles', ask)),
        may('iam.clients.read') && answered(api.GET('/admin/v1/clients', ask)),
      ])
      const all: Found[] = [
        ...(organisations || { items: [] }).items.map((one) => ({ kind: 'organisations' as const, one })),
        ...(roles || { items: [] }).items.map((one) => ({ kind: 'roles' as const, one })),
        ...(clients || { items: [] }).items.map((one) => ({ kind: 'applications' as const, one })),
      ]
      const cut = [
        organisations && organisations.next_cursor !== null && ('organisations' as const),
        roles && roles.next_cursor !== null && ('roles' as const),
        clients && clients.next_cursor !== null && ('applications' as const),
      ].filter((one) => one !== false)
      return { rows: all.filter((one) => setIn(one).length > 0), cut }
    },
  })
}

/** Policies of organisations, roles and applications, on top. */
export function Elsewhere() {
  const words = useWords()
  const { policies } = words
  const told = useTold()
  const { kind: reach } = useMe().reach
  const { data } = useFound()
  if (data === undefined || reach === 'unit') return null
  const { rows, cut } = data
  const labels: Readonly<Record<string, string>> = policies.labels
  return (
    <section aria-labelledby="elsewhere">
      <h2 id="elsewhere">{policies.elsewhere}</h2>
      <p className="lead">{rows.length === 0 ? policies.elsewhereNone : policies.elsewhereHow}</p>
      {rows.length > 0 && (
        <Table
          label={policies.elsewhere}
          rows={rows}
          id={(found) => `${found.kind} ${idOf(found)}`}
          columns={[
            { title: policies.setBy, plain: true, cell: (found) => <Thing of={found} /> },
            { title: policies.kind, cell: ({ kind }) => policies.kinds[kind] },
            {
              title: words.policy,
              cell: (found) =>
                setIn(found).map(([name, value]) => (
                  <div key={name}>
                    <span className="soft">{labels[name]}:</span> {told(name, value)}
                  </div>
                )),
            },
          ]}
        />
      )}
      {cut.length > 0 && (
        <p className="soft">{policies.elsewhereCut(cut.map((kind) => words[kind]).join(', '))}</p>
      )}
    </section>
  )
}

function Thing({ of: found }: { of: Found }) {
  const { kind, one } = found
  return (
    <Coded code={kind === 'organisations' ? one.code : idOf(found)}>
      {kind === 'organisations' ? (
        <Link className="strong" to="/organisations/$uuid" params={{ uuid: one.uuid }}>
          <Name>{one.name}</Name>
        </Link>
      ) : kind === 'roles' ? (
        <Link className="strong" to="/roles/$code" params={{ code: one.code }}>
          <Name>{one.name}</Name>
        </Link>
      ) : (
        <Link className="strong" to="/applications/$id" params={{ id: one.client_id }}>
          <Name>{one.client_name}</Name>
        </Link>
      )}
    </Coded>
  )
}
