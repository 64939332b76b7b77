import type { Resource } from './resource.ts'
import { revokeAllPart } from './sessions-of-user.ts'

export const session: Resource = {
  noun: 'session',
  description: 'Where people are signed in.',
  path: '/sessions',
  parameter: 'sid',
  argument: 'sid',
  columns: ['sid', 'user_uuid', 'auth_time', 'last_seen_at', 'expires_at'],
  called: ({ sid }) => `the session ${String(sid)}`,
  examples: { one: '7d0f4f6e-2b51-4c6a-9a7b-3f5d1c2e0001', list: '--user mara.lind@acme.example' },
  removal: 'revoke',
  more: (context) => [revokeAllPart(context)],
}

export const tokenFamily: Resource = {
  noun: 'token-family',
  description: 'The tokens that clients hold for people: those of one authorization are a family.',
  path: '/token-families',
  parameter: 'id',
  argument: 'id',
  columns: ['id', 'client_id', 'user_uuid', 'scope', 'last_used_at', 'expires_at'],
  called: ({ id }) => `the token family ${String(id)}`,
  examples: {
    one: '0f6c9a2b4d8e1f3a5c7b9d0e2f4a6c8b',
    list: '--user mara.lind@acme.example --client submissions-web',
  },
  removal: 'revoke',
}
