import type { Resource } from './resource.ts'

export const role: Resource = {
  noun: 'role',
  description: 'Roles: what a profile lets somebody do.',
  path: '/roles',
  parameter: 'code',
  argument: 'code',
  named: 'code',
  columns: ['code', 'name', 'active', 'permissions'],
  called: ({ code }) => `the role ${String(code)}`,
  examples: {
    one: 'auditor',
    list: '--search au',
    create: 'auditor --name Auditor --permission iam.audit.read --permission iam.users.read',
    change: 'auditor --add-permission iam.access.read --remove-permission iam.users.read',
  },
}
