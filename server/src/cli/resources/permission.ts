import type { Resource } from './resource.ts'

export const permission: Resource = {
  noun: 'permission',
  description: 'Permissions of services.',
  path: '/permissions',
  parameter: 'code',
  argument: 'code',
  named: 'code',
  columns: ['code', 'description', 'built_in'],
  called: ({ code }) => `the permission ${String(code)}`,
  examples: {
    one: 'press.label.print',
    list: '--service press',
    create: "press.label.print --description 'Print a label'",
    change: "press.label.print --description 'Print one label'",
  },
}
