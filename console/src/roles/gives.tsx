import { Link } from '@tanstack/react-router'
import { answered, api, type Role } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Pages, usePages } from '../shared/list.tsx'
import { useMay } from '../shared/me.ts'
import { Permission } from '../shared/permission.tsx'
import { byService, usePermissions } from '../shared/permissions.ts'
import { Empty } from '../shared/state.tsx'
import { Table } from '../shared/table.tsx'
import { Name } from '../shared/text.tsx'
import { TryOut } from '../shared/try-out.tsx'

/** What a role gives, by service, and who holds it. */
export function Gives({ data: { code, permissions } }: { data: Role }) {
  const { role } = useWords()
  const may = useMay()
  return (
    <>
      {permissions.length === 0 && <Empty title={role.givesNothing} />}
      {byService(permissions).map(([service, codes]) => (
        <Given key={service} service={service} codes={codes} />
      ))}
      <TryOut />
      {may('iam.users.read') && may('iam.profiles.read') && <Holders code={code} />}
    </>
  )
}

function Given({ service, codes }: { service: string; codes: readonly string[] }) {
  const { role } = useWords()
  const may = useMay()
  const { data: known } = usePermissions(service)
  const meaning = (code: string) =>
    code === 'iam.*' ? role.all : (known?.find((one) => one.code === code)?.description ?? '')
  return (
    <section>
      <div className="line">
        <h2>
          {may('iam.services.read') ? (
            <Link to="/services/$code" params={{ code: service }}>
              <Name>{service}</Name>
            </Link>
          ) : (
            <Name>{service}</Name>
          )}
        </h2>
        <span className="soft">{role.count(codes.length)}</span>
      </div>
      <Table
        label={service}
        rows={codes}
        id={(one) => one}
        columns={[
          { title: role.permission, plain: true, cell: (one) => <Permission code={one} /> },
          { title: role.meaning, plain: true, cell: (one) => <Name>{meaning(one)}</Name> },
        ]}
      />
    </section>
  )
}

function Holders({ code }: { code: string }) {
  const { role, person, people } = useWords()
  const pages = usePages(['role', code, 'holders'], (cursor) => {
    const query = { role_code: code, limit: '50', ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/users', { params: { query } }))
  })
  return (
    <section>
      <h2>{role.holders}</h2>
      <Pages
        pages={pages}
        label={people}
        id={({ uuid }) => uuid}
        count={person.found}
        empty={{ title: role.noHolder, how: role.noHolderHow }}
        columns={[
          {
            title: person.name,
            plain: true,
            cell: ({ uuid, name }) => (
              <Link className="strong" to="/people/$uuid" params={{ uuid }}>
                <Name>{name}</Name>
              </Link>
            ),
          },
          { title: person.email, plain: true, cell: ({ email }) => <Name>{email}</Name> },
        ]}
      />
    </section>
  )
}
