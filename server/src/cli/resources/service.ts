import type { Resource } from './resource.ts'

export const service: Resource = {
  noun: 'service',
  description: 'Protected services, with their audiences.',
  path: '/services',
  parameter: 'code',
  argument: 'code',
  named: 'code',
  columns: ['code', 'name', 'audience', 'access_token_alg'],
  called: ({ code }) => `the service ${String(code)}`,
  examples: {
    one: 'press',
    list: '--search pr',
    create: "press --name 'Sample press' --audience https://press.acme.example/api",
    change: 'press --access-token-alg ES256',
  },
}
