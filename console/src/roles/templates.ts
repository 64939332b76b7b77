/** What a new role may begin with: a proposal out of the permissions that there are, every one of which is seen. */
export interface Template {
  kind: 'reader' | 'editor' | 'administrator' | 'helpDesk' | 'organisation'
  /** The permissions' service. */
  service: string
  permissions: string[]
}

/** The permissions of a help desk, by resource of the administration. */
const helpDesk: Readonly<Record<string, readonly string[]>> = {
  users: ['read', 'update'],
  profiles: ['read'],
  roles: ['read'],
  organisations: ['read'],
  units: ['read'],
  access: ['read'],
  sessions: ['read', 'delete'],
  factors: ['read', 'delete'],
  invitations: ['read'],
}
const every = ['read', 'create', 'update', 'delete']
const organisation: Readonly<Record<string, readonly string[]>> = {
  users: every,
  profiles: every,
  invitations: ['read', 'create', 'delete'],
  organisations: ['read', 'update'],
  units: every,
  roles: ['read'],
  permissions: ['read'],
  services: ['read'],
  clients: every,
  access: ['read'],
  sessions: ['read', 'delete'],
  factors: ['read', 'delete'],
  consents: ['read', 'delete'],
  audit: ['read'],
  statistics: ['read'],
  webhooks: every,
}

const actionOf = (code: string) => code.slice(code.lastIndexOf('.') + 1)

/** The templates that give something; of the built-in service the two that organisations need. */
export function templatesOf(codes: readonly string[]): Template[] {
  const services = [...new Set(codes.map((one) => one.slice(0, one.indexOf('.'))))]
  const own = services
    .filter((one) => one !== 'iam')
    .flatMap((service): Template[] => {
      const all = codes.filter((one) => one.startsWith(`${service}.`))
      const without = all.filter((one) => actionOf(one) !== 'delete')
      return [
        { kind: 'reader', service, permissions: all.filter((one) => actionOf(one) === 'read') },
        { kind: 'editor', service, permissions: without.length < all.length ? without : [] },
        { kind: 'administrator', service, permissions: all },
      ]
    })
  return [
    ...own,
    ofAdministration('helpDesk', helpDesk, codes),
    ofAdministration('organisation', organisation, codes),
  ].filter(({ permissions }) => permissions.length > 0)
}

function ofAdministration(
  kind: Template['kind'],
  wanted: Readonly<Record<string, readonly string[]>>,
  codes: readonly string[],
): Template {
  const all = Object.entries(wanted).flatMap(([resource, actions]) =>
    actions.map((action) => `iam.${resource}.${action}`),
  )
  return { kind, service: 'iam', permissions: all.filter((one) => codes.includes(one)).sort() }
}
