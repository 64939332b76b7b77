import type { Permission as Shape, Service } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Permission } from '../shared/permission.tsx'
import { usePermissions } from '../shared/permissions.ts'
import { Empty, Shown } from '../shared/state.tsx'
import { Table } from '../shared/table.tsx'
import { Name } from '../shared/text.tsx'
import { AddPermission, Describe } from './describe.tsx'
import { useMayOf } from './may.tsx'
import { Retire } from './retire.tsx'

/** The permissions of a service: described, added and retired by those who may. */
export function Permissions({ service }: { service: Service }) {
  const { service: words } = useWords()
  const mayOf = useMayOf()
  const [adds, describes, retires] = ['create', 'update', 'delete'].map((action) =>
    mayOf(service, `iam.permissions.${action}`),
  )
  const actions = {
    title: words.actions,
    plain: true,
    away: true,
    cell: (permission: Shape) => (
      <div className="actions">
        {describes && <Describe {...{ permission, service }} />}
        {retires && <Retire {...{ permission, service }} />}
      </div>
    ),
  }
  return (
    <section>
      <div className="line">
        <h2>{words.permissions}</h2>
        {adds && <AddPermission service={service} />}
      </div>
      <Shown asked={usePermissions(service.code)}>
        {(permissions) =>
          permissions.length === 0 ? (
            <Empty title={words.noPermission}>{words.permissionHow(service.code)}</Empty>
          ) : (
            <Table
              label={words.permissions}
              rows={permissions}
              id={(one) => one.code}
              columns={[
                { title: words.permission, plain: true, cell: ({ code }) => <Permission code={code} /> },
                {
                  title: words.meaning,
                  plain: true,
                  cell: ({ description }) => <Name>{description}</Name>,
                },
                ...(describes || retires ? [actions] : []),
              ]}
            />
          )
        }
      </Shown>
    </section>
  )
}
