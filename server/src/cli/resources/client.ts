import { previewVerb } from './client-preview.ts'
import { visitVerb } from './client-visit.ts'
import { refusedVerb } from './refused-addresses.ts'
import { triedVerb, tryVerb } from './client-trial.ts'
import { allowedBy, allowOptions } from './client-allow.ts'
import { forProduct } from './client-for.ts'
import { resourceOf } from './resource.ts'
import { secretCommand } from './secrets.ts'

const secrets = {
  noun: 'client',
  path: '/clients/:client_id',
  parameter: 'client_id',
  field: 'client_secret',
  examples: { one: 'nightly-import', add: 'nightly-import --expires-at 2031-12-31T00:00:00Z' },
}

export const client = resourceOf('client', {
  more: (context) => [
    secretCommand(secrets, context),
    previewVerb(context),
    visitVerb(context),
    tryVerb(context),
    triedVerb(context),
    refusedVerb(context),
  ],
  creation: {
    typed: [{ name: 'allowed', option: 'allow-role' }],
    options: allowOptions,
    body: async (_context, _connection, options) => allowedBy(options),
  },
  products: forProduct,
})
