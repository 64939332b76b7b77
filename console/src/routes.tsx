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

const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  validateSearch: texts('q', 'active', 'organisation', 'role', 'since', 'sort'),
  component: view(() => import('./people/people.tsx'), 'People'),
})
const invite = createRoute({
  getParentRoute: () => root,
  path: '/people/new',
  component: view(() => import('./people/invite.tsx'), 'Invite'),
})
const moveIn = createRoute({
  getParentRoute: () => root,
  path: '/people/move-in',
  component: view(() => import('./move-in/move-in.tsx'), 'MoveIn'),
})
const imports = createRoute({
  getParentRoute: () => root,
  path: '/people/import',
  component: view(() => import('./people/import/import.tsx'), 'Import'),
})
const invitations = createRoute({
  getParentRoute: () => root,
  path: '/people/invitations',
  validateSearch: texts('state'),
  component: view(() => import('./people/invitations.tsx'), 'Invitations'),
})
const person = createRoute({
  getParentRoute: () => root,
  path: '/people/$uuid',
  component: view(() => import('./people/person.tsx'), 'Person'),
})
const personPart = createRoute({
  getParentRoute: () => root,
  path: '/people/$uuid/$part',
  component: view(() => import('./people/person.tsx'), 'Person'),
})
const applications = createRoute({
  getParentRoute: () => root,
  path: '/applications',
  validateSearch: texts('q', 'type', 'service'),
  component: view(() => import('./applications/applications.tsx'), 'Applications'),
})
const application = createRoute({
  getParentRoute: () => root,
  path: '/applications/$id',
  component: view(() => import('./applications/application.tsx'), 'Application'),
})
const newApplication = createRoute({
  getParentRoute: () => root,
  path: '/applications/new',
  component: view(() => import('./applications/wizard/wizard.tsx'), 'Wizard'),
})
const applicationPart = createRoute({
  getParentRoute: () => root,
  path: '/applications/$id/$part',
  component: view(() => import('./applications/application.tsx'), 'Application'),
})
/** Where a trial of an application ends. */
const tried = createRoute({
  getParentRoute: () => root,
  path: '/try',
  validateSearch: texts('state'),
  component: view(() => import('./applications/try.tsx'), 'Tried'),
})
const organisations = createRoute({
  getParentRoute: () => root,
  path: '/organisations',
  validateSearch: texts('q', 'active'),
  component: view(() => import('./organisations/organisations.tsx'), 'Organisations'),
})
/** The tree stays while one goes from unit to unit. */
const organisation = createRoute({
  getParentRoute: () => root,
  path: '/organisations/$uuid',
  component: view(() => import('./organisations/organisation.tsx'), 'Organisation'),
})
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
const upstreams = createRoute({
  getParentRoute: () => root,
  path: '/upstreams',
  validateSearch: texts('organisation'),
  component: view(() => import('./upstreams/upstreams.tsx'), 'Upstreams'),
})
const newUpstream = createRoute({
  getParentRoute: () => root,
  path: '/upstreams/new',
  validateSearch: texts('organisation'),
  component: view(() => import('./upstreams/new.tsx'), 'NewUpstream'),
})
const upstream = createRoute({
  getParentRoute: () => root,
  path: '/upstreams/$uuid',
  component: view(() => import('./upstreams/upstream.tsx'), 'Upstream'),
})
const upstreamPart = createRoute({
  getParentRoute: () => root,
  path: '/upstreams/$uuid/$part',
  component: view(() => import('./upstreams/upstream.tsx'), 'Upstream'),
})
const directory = createRoute({
  getParentRoute: () => root,
  path: '/directories/$uuid',
  component: view(() => import('./upstreams/directory.tsx'), 'Directory'),
})
const directoryPart = createRoute({
  getParentRoute: () => root,
  path: '/directories/$uuid/$part',
  component: view(() => import('./upstreams/directory.tsx'), 'Directory'),
})
const roles = createRoute({
  getParentRoute: () => root,
  path: '/roles',
  validateSearch: texts('q', 'service'),
  component: view(() => import('./roles/roles.tsx'), 'Roles'),
})
const role = createRoute({
  getParentRoute: () => root,
  path: '/roles/$code',
  component: view(() => import('./roles/role.tsx'), 'Role'),
})
const rolePart = createRoute({
  getParentRoute: () => root,
  path: '/roles/$code/$part',
  component: view(() => import('./roles/role.tsx'), 'Role'),
})
const services = createRoute({
  getParentRoute: () => root,
  path: '/services',
  validateSearch: texts('q'),
  component: view(() => import('./services/services.tsx'), 'Services'),
})
const service = createRoute({
  getParentRoute: () => root,
  path: '/services/$code',
  component: view(() => import('./services/service.tsx'), 'Service'),
})
const file = createRoute({
  getParentRoute: () => root,
  path: '/file',
  component: view(() => import('./file/file.tsx'), 'DeclaredFile'),
})
const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: view(() => import('./webhooks/webhooks.tsx'), 'Webhooks'),
})
const webhook = createRoute({
  getParentRoute: () => root,
  path: '/webhooks/$uuid',
  validateSearch: texts('state'),
  component: view(() => import('./webhooks/webhook.tsx'), 'Webhook'),
})
const webhookPart = createRoute({
  getParentRoute: () => root,
  path: '/webhooks/$uuid/$part',
  component: view(() => import('./webhooks/webhook.tsx'), 'Webhook'),
})
const mails = createRoute({
  getParentRoute: () => root,
  path: '/mails',
  validateSearch: texts('state', 'recipient'),
  component: view(() => import('./mails/mails.tsx'), 'Mails'),
})
const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: view(() => import('./keys/keys.tsx'), 'Keys'),
})
const policy = createRoute({
  getParentRoute: () => root,
  path: '/policy',
  component: view(() => import('./policy/policy.tsx'), 'Policy'),
})
const branding = createRoute({
  getParentRoute: () => root,
  path: '/branding',
  validateSearch: texts('organisation'),
  component: view(() => import('./branding/branding.tsx'), 'Branding'),
})
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: texts('q', 'by'),
  component: view(() => import('./installation/settings.tsx'), 'InstallationSettings'),
})
const issuers = createRoute({
  getParentRoute: () => root,
  path: '/settings/issuers',
  component: view(() => import('./installation/issuers.tsx'), 'Issuers'),
})
const servicePart = createRoute({
  getParentRoute: () => root,
  path: '/services/$code/$part',
  component: view(() => import('./services/service.tsx'), 'Service'),
})
const access = createRoute({
  getParentRoute: () => root,
  path: '/access',
  beforeLoad: () => redirect({ to: '/access/why', replace: true, throw: true }),
})
const why = createRoute({
  getParentRoute: () => root,
  path: '/access/why',
  validateSearch: texts('user', 'permission', 'client', 'profile'),
  component: view(() => import('./access/why.tsx'), 'Why'),
})

const who = createRoute({
  getParentRoute: () => root,
  path: '/access/who',
  validateSearch: texts('permission', 'organisation', 'unit'),
  component: view(() => import('./access/who.tsx'), 'Who'),
})
const compare = createRoute({
  getParentRoute: () => root,
  path: '/access/compare',
  validateSearch: texts('left', 'right', 'leftAt', 'rightAt'),
  component: view(() => import('./access/compare.tsx'), 'Compare'),
})
const whatIf = createRoute({
  getParentRoute: () => root,
  path: '/access/what-if',
  validateSearch: texts('draft'),
  component: view(() => import('./access/what-if.tsx'), 'WhatIf'),
})
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: texts('kind', 'actor', 'target', 'user', 'organisation', 'request', 'from', 'to'),
  component: view(() => import('./audit/audit.tsx'), 'Audit'),
})
const auditRecord = createRoute({
  getParentRoute: () => root,
  path: '/audit/$sequence',
  component: view(() => import('./audit/record.tsx'), 'AuditRecord'),
})

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
      applicationPart,
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
      servicePart,
      newApplication,
      tried,
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
