import { previewVerb } from './client-preview.ts'
import { refusedVerb } from './refused-addresses.ts'
import { triedVerb, tryVerb } from './client-trial.ts'
import { forProduct } from './client-for.ts'
import type { Resource } from './resource.ts'
import { secretCommand } from './secrets.ts'

export const service: Resource = {
  noun: 'service',
  description: 'Protected services, with their audiences.',
  path: '/services',
  parameter: 'code',
  named: 'code',
  columns: ['code', 'name', 'audience', 'access_token_alg'],
  examples: {
    one: 'press',
    list: '--search pr',
    create: "press --name 'Sample press' --audience https://press.acme.example/api",
    change: 'press --access-token-alg ES256',
  },
}

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
  named: 'client_id',
  columns: ['client_id', 'client_name', 'type', 'active', 'services'],
  more: (context) => [
    secretCommand(secrets, context),
    previewVerb(context),
    tryVerb(context),
    triedVerb(context),
    refusedVerb(context),
  ],
  products: forProduct,
  examples: {
    one: 'sorter',
    list: '--type machine',
    create: 'sorter --client-name Sorter --type machine --service press --permission press.label.print',
    change: 'sorter --add-contact operations@acme.example --access-token-lifetime 300',
  },
}
