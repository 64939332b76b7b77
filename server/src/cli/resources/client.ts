import type { Resource } from './resource.ts'
import { secretCommand } from './secrets.ts'

const secrets = {
  noun: 'client',
  path: '/clients/:client_id',
  parameter: 'client_id',
  field: 'client_secret',
  examples: { one: 'nightly-import', add: 'nightly-import --expires-at 2031-12-31T00:00:00Z' },
}

export const client: Resource = {
  noun: 'client',
  description: 'Clients: the applications and machines that get tokens.',
  path: '/clients',
  parameter: 'client_id',
  argument: 'client_id',
  named: 'client_id',
  columns: ['client_id', 'client_name', 'type', 'active', 'services'],
  called: ({ client_id }) => `the client ${String(client_id)}`,
  more: (context) => [secretCommand(secrets, context)],
  examples: {
    one: 'sorter',
    list: '--type machine',
    create: 'sorter --client-name Sorter --type machine --service press --permission press.label.print',
    change: 'sorter --add-contact operations@acme.example --access-token-lifetime 300',
  },
}
