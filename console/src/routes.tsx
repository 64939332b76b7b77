/** The only list of addresses, below /console. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { NotFound, NothingAllowed, SignedIn } from './shell/instead.tsx'
import { loaded } from './shell/new-version.tsx'
import { Shell, placesOf } from './shell/shell.tsx'
import { meQuery, useMe } from './shared/me.ts'
import { Refused } from './shared/state.tsx'
import type { QueryClient } from '@tanstack/react-query'
import { path } from './session/issuer.ts'

const palette = () => loaded(import('./palette/palette.tsx'))
const view: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loaded(load()), name)
const root = createRootRoute({
  component: () => <Shell palette={palette} />,
  notFoundComponent: NotFound,
})

/** A text of the query, or nothing: what somebody typed into the address is not trusted. */
const texts =
  <K extends string>(...names: K[]) =>
  (search: Record<string, unknown>): { [name in K]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name]
        return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : []
      }),
    ) as { [name in K]?: string }

/** The view of this name at an address, with the texts of the query that it reads. */
const at = <const P extends string, Views extends object, K extends string = never>(
  path: P,
  load: () => Promise<Views>,
  name: keyof Views & string,
  query: readonly K[] = [],
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: texts(...query),
    component: view(load, name),
  })

const start = (queries: QueryClient) =>
  createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: async () => {
      const [first] = placesOf(await queries.ensureQueryData(meQuery))
      if (first !== undefined && first.to !== '/') redirect({ to: first.to, replace: true, throw: true })
    },
    component: Start,
  })

const Overview = view(() => import('./overview/overview.tsx'), 'Overview')
const Start = () => (placesOf(useMe())[0]?.to === '/' ? <Overview /> : <NothingAllowed />)

const signedIn = createRoute({ getParentRoute: () => root, path: '/signed-in', component: SignedIn })

const people = at('/people', () => import('./people/people.tsx'), 'People', [
  'q',
  'active',
  'organisation',
  'role',
  'since',
  'sort',
])
const invite = at('/people/new', () => import('./people/invite.tsx'), 'Invite')
const moveIn = at('/people/move-in', () => import('./move-in/move-in.tsx'), 'MoveIn')
const imports = at('/people/import', () => import('./people/import/import.tsx'), 'Import')
const invitations = at('/people/invitations', () => import('./people/invitations.tsx'), 'Invitations', [
  'state',
])
const person = at('/people/$uuid', () => import('./people/person.tsx'), 'Person')
const personPart = at('/people/$uuid/$part', () => import('./people/person.tsx'), 'Person')
const applications = at('/applications', () => import('./applications/applications.tsx'), 'Applications', [
  'q',
  'type',
  'service',
])
const application = at('/applications/$id', () => import('./applications/application.tsx'), 'Application')
const newApplication = at('/applications/new', () => import('./applications/wizard/wizard.tsx'), 'Wizard')
const applicationPart = at(
  '/applications/$id/$part',
  () => import('./applications/application.tsx'),
  'Application',
)
/** Where a trial of an application ends. */
const tried = at('/try', () => import('./applications/try.tsx'), 'Tried', ['state'])
const organisations = at(
  '/organisations',
  () => import('./organisations/organisations.tsx'),
  'Organisations',
  ['q', 'active'],
)
/** The tree stays while one goes from unit to unit. */
const organisation = at(
  '/organisations/$uuid',
  () => import('./organisations/organisation.tsx'),
  'Organisation',
)
const organisationItself = createRoute({
  getParentRoute: () => organisation,
  path: '/',
  validateSearch: texts('q', 'since', 'sort'),
  component: view(() => import('./organisations/place.tsx'), 'OrganisationItself'),
})
const unit = createRoute({
  getParentRoute: () => organisation,
  path: '/units/$unit',
  validateSearch: texts('q', 'since', 'sort'),
  component: view(() => import('./organisations/place.tsx'), 'Unit'),
})
const upstreams = at('/upstreams', () => import('./upstreams/upstreams.tsx'), 'Upstreams', ['organisation'])
const newUpstream = at('/upstreams/new', () => import('./upstreams/new.tsx'), 'NewUpstream', ['organisation'])
const upstream = at('/upstreams/$uuid', () => import('./upstreams/upstream.tsx'), 'Upstream')
const upstreamPart = at('/upstreams/$uuid/$part', () => import('./upstreams/upstream.tsx'), 'Upstream')
const directory = at('/directories/$uuid', () => import('./upstreams/directory.tsx'), 'Directory')
const directoryPart = at('/directories/$uuid/$part', () => import('./upstreams/directory.tsx'), 'Directory')
const roles = at('/roles', () => import('./roles/roles.tsx'), 'Roles', ['q', 'service'])
const role = at('/roles/$code', () => import('./roles/role.tsx'), 'Role')
const rolePart = at('/roles/$code/$part', () => import('./roles/role.tsx'), 'Role')
const services = at('/services', () => import('./services/services.tsx'), 'Services', ['q'])
const service = at('/services/$code', () => import('./services/service.tsx'), 'Service')
const servicePart = at('/services/$code/$part', () => import('./services/service.tsx'), 'Service')
const file = at('/file', () => import('./file/file.tsx'), 'DeclaredFile')
const webhooks = at('/webhooks', () => import('./webhooks/webhooks.tsx'), 'Webhooks')
const webhook = at('/webhooks/$uuid', () => import('./webhooks/webhook.tsx'), 'Webhook', ['state'])
const webhookPart = at('/webhooks/$uuid/$part', () => import('./webhooks/webhook.tsx'), 'Webhook')
const mails = at('/mails', () => import('./mails/mails.tsx'), 'Mails', ['state', 'recipient'])
const keys = at('/keys', () => import('./keys/keys.tsx'), 'Keys')
const policy = at('/policy', () => import('./policy/policy.tsx'), 'Policy')
const branding = at('/branding', () => import('./branding/branding.tsx'), 'Branding', ['organisation'])
const settings = at('/settings', () => import('./installation/settings.tsx'), 'InstallationSettings', [
  'q',
  'by',
])
const issuers = at('/settings/issuers', () => import('./installation/issuers.tsx'), 'Issuers')
const access = createRoute({
  getParentRoute: () => root,
  path: '/access',
  beforeLoad: () => redirect({ to: '/access/why', replace: true, throw: true }),
})
const why = at('/access/why', () => import('./access/why.tsx'), 'Why', [
  'user',
  'permission',
  'client',
  'profile',
])
const who = at('/access/who', () => import('./access/who.tsx'), 'Who', ['permission', 'organisation', 'unit'])
const compare = at('/access/compare', () => import('./access/compare.tsx'), 'Compare', [
  'left',
  'right',
  'leftAt',
  'rightAt',
])
const whatIf = at('/access/what-if', () => import('./access/what-if.tsx'), 'WhatIf', ['draft'])
const audit = at('/audit', () => import('./audit/audit.tsx'), 'Audit', [
  'kind',
  'actor',
  'target',
  'user',
  'organisation',
  'request',
  'from',
  'to',
])
const auditRecord = at('/audit/$sequence', () => import('./audit/record.tsx'), 'AuditRecord')

export const routerFor = (queries: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([
      start(queries),
      signedIn,
      people,
      invite,
      moveIn,
      imports,
      invitations,
      person,
      personPart,
      applications,
      application,
      newApplication,
      applicationPart,
      tried,
      organisations,
      organisation.addChildren([organisationItself, unit]),
      upstreams,
      newUpstream,
      upstream,
      upstreamPart,
      directory,
      directoryPart,
      roles,
      role,
      rolePart,
      services,
      service,
      servicePart,
      file,
      webhooks,
      webhook,
      webhookPart,
      mails,
      keys,
      policy,
      branding,
      settings,
      issuers,
      access,
      why,
      who,
      compare,
      whatIf,
      audit,
      auditRecord,
    ]),
    basepath: `${path}/console`,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: ({ error }) => <Refused error={error} retry={() => location.reload()} />,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof routerFor>
  }
}
