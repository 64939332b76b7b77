import { code, longText, permission as permissionCode } from './kinds.ts'
import { defined } from './thing.ts'

export const permission = defined({
  code: {
    kind: permissionCode,
    set: 'at creation',
    description: '`<service>.<resource>.<action>`; never changes.',
  },
  service_code: { kind: code, set: 'never' },
  description: { kind: longText(1000), initial: '' },
})
