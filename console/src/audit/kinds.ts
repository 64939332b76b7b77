const things = [
  'user',
  'profile',
  'client',
  'role',
  'organisation',
  'unit',
  'service',
  'permission',
  'webhook',
]
const actions = ['created', 'changed', 'removed']

/** Kinds of records that are looked for; an address may hold any other of docs/audit.md. */
export const kinds: readonly string[] = [
  'sign_in.succeeded',
  'sign_in.failed',
  'sign_in.throttled',
  'sign_out',
  'session.ended',
  ...things.flatMap((thing) => actions.map((action) => `${thing}.${action}`)),
  'policy.changed',
  'branding.changed',
  'declared.applied',
  'invitation.created',
  'invitation.accepted',
  'factor.created',
  'factor.removed',
  'password_reset.requested',
  'password_reset.completed',
  'consent.given',
  'consent.withdrawn',
  'refresh_token.replayed',
  'token_family.revoked',
  'signing_key.created',
]
