import * as z from 'zod'
import { clientOf } from './read-client.ts'
import { personOf } from './read-person.ts'
import { fromRecords, someText } from './record-source.ts'
import type { ExportRecord } from './records.ts'
import { decide, lost, type Remark, type ToldMachine, type ToldPerson, type ToldStructure } from './told.ts'
import {
  exportedPerson,
  grant,
  organisation,
  type SearchedApp,
  searchedApp,
  searchedOrganisation,
  searchedPerson,
  searchedProject,
  searchedState,
} from './zitadel-shapes.ts'

/**
 * ZITADEL: the export of an instance (`POST /admin/v1/export` with `with_passwords` and `with_otp`, which needs
 * IAM_OWNER), which has hashes but no client_ids, and answers of the search (`POST /v2/users`,
 * `/v2/organizations/_search`, `/management/v1/users/grants/_search`, `/management/v1/projects/_search`,
 * `/management/v1/projects/ID/apps/_search`), which have client_ids but no hashes. Both may be given: somebody is one
 * by the id.
 */
export const zitadel = fromRecords<Instance>({
  name: 'ZITADEL',
  lists: ['orgs', 'result'],
  begin: () => ({
    organisations: new Map(),
    projects: new Map(),
    roles: new Map(),
    held: new Map(),
    links: new Map(),
    applications: [],
    exported: new Set(),
    states: new Map(),
    unnamed: [],
    isSearched: false,
  }),
  learn,
  structure: structureOf,
  people: peopleOf,
})

interface Instance {
  organisations: Map<string, { name: string; active: boolean }>
  projects: Map<string, string>
  /** Roles by `project/key`. */
  roles: Map<string, { project: string; description: string | undefined }>
  /** The roles of each person or machine. */
  held: Map<string, string[]>
  links: Map<string, string[]>
  applications: SearchedApp[]
  /** People whom the export holds: of the search they are not needed. */
  exported: Set<string>
  /** States of the search: the export does not say who is deactivated. */
  states: Map<string, string>
  /** Applications of the export, which has no client_ids. */
  unnamed: string[]
  isSearched: boolean
}

const roleId = (project: string, key: string) => `${project}/${key}`

function learn(instance: Instance, { values }: ExportRecord): boolean {
  const exported = organisation.safeParse(values).data
  if (exported !== undefined) {
    learnExported(instance, exported)
    return true
  }
  if (Object.hasOwn(values, 'human') || Object.hasOwn(values, 'machine')) {
    const { data } = searchedState.safeParse(values)
    // Nobody is active by themselves: whoever is not told of here stays as the export has them.
    if (data !== undefined && data.state !== 'USER_STATE_ACTIVE') instance.states.set(data.userId, data.state)
    if (data !== undefined) instance.isSearched = true
    return data !== undefined
  }
  const ofGrant = grant.safeParse(values).data
  if (ofGrant !== undefined) {
    learnGrant(instance, ofGrant)
    const { projectName } = z.object({ projectName: someText }).parse(values)
    if (projectName !== undefined) instance.projects.set(ofGrant.projectId, projectName)
    return true
  }
  const app = searchedApp.safeParse(values).data
  const org = searchedOrganisation.safeParse(values).data
  const project = searchedProject.safeParse(values).data
  if (app !== undefined) instance.applications.push(app)
  else if (project !== undefined) instance.projects.set(project.id, project.name)
  else if (org !== undefined)
    instance.organisations.set(org.id, { name: org.name, active: !org.state.endsWith('INACTIVE') })
  else return false
  return true
}

function learnExported(instance: Instance, exported: z.output<typeof organisation>): void {
  const { orgId, org, projects, projectRoles, humanUsers, userGrants, userLinks, oidcApps, apiApps } =
    exported
  instance.organisations.set(orgId, { name: org.name, active: true })
  for (const { projectId, project } of projects ?? []) instance.projects.set(projectId, project.name)
  for (const { projectId, roleKey, displayName } of projectRoles ?? [])
    instance.roles.set(roleId(projectId, roleKey), { project: projectId, description: displayName })
  for (const one of userGrants ?? []) learnGrant(instance, one)
  for (const { userId, idpName, idpId } of userLinks ?? [])
    instance.links.set(userId, [...(instance.links.get(userId) ?? []), idpName ?? idpId ?? 'a provider'])
  for (const one of humanUsers ?? []) {
    const { data } = exportedPerson.safeParse(one)
    if (data !== undefined) instance.exported.add(data.userId)
  }
  for (const { appId, app } of [...(oidcApps ?? []), ...(apiApps ?? [])])
    instance.unnamed.push(app.name ?? appId)
}

function learnGrant(
  { roles, held }: Instance,
  { userId, projectId, roleKeys }: z.output<typeof grant>,
): void {
  const ids = roleKeys.map((one) => roleId(projectId, one))
  for (const one of ids) if (!roles.has(one)) roles.set(one, { project: projectId, description: undefined })
  held.set(userId, [...(held.get(userId) ?? []), ...ids])
}

function* structureOf(instance: Instance): Generator<ToldStructure> {
  yield { is: 'system', name: 'zitadel', label: 'ZITADEL' }
  for (const [id, { name, active }] of instance.organisations) yield { is: 'organisation', id, name, active }
  for (const [id, { project, description }] of instance.roles)
    yield { is: 'role', id, of: { id: project, name: instance.projects.get(project) }, description }
  for (const one of instance.applications) yield* clientOf(readClient(one))
  if (instance.exported.size > 0 && !instance.isSearched)
    yield decide(
      'The export does not say who is deactivated: add the answer of POST /v2/users, or they can sign in.',
      `${instance.exported.size.toLocaleString('en')} people`,
    )
  if (instance.applications.length === 0)
    for (const one of instance.unnamed)
      yield decide(
        'The export holds no client_id of an application: add the answer of /management/v1/projects/ID/apps/_search.',
        one,
      )
}

/** Whether somebody can sign in there: whom too many wrong passwords locked can not either. */
const isActive = (state: string): boolean => state === 'USER_STATE_ACTIVE' || state === 'USER_STATE_INITIAL'

const kinds = {
  OIDC_APP_TYPE_WEB: 'web',
  OIDC_APP_TYPE_USER_AGENT: 'public',
  OIDC_APP_TYPE_NATIVE: 'native',
} as const

/** Where it is left out, it is the first of the enumeration. */
function readClient({ name, state, oidcConfig }: SearchedApp) {
  const { clientId, appType = 'OIDC_APP_TYPE_WEB', authMethodType: method, grantTypes } = oidcConfig
  const kind = Object.hasOwn(kinds, appType) ? kinds[appType as keyof typeof kinds] : 'web'
  const grants = grantTypes.map((one) => one.replace('OIDC_GRANT_TYPE_', '').toLowerCase())
  return {
    clientId,
    name,
    kind: method === 'OIDC_AUTH_METHOD_TYPE_NONE' && kind === 'web' ? 'public' : kind,
    active: state !== 'APP_STATE_INACTIVE',
    redirects: oidcConfig.redirectUris,
    afterLogout: oidcConfig.postLogoutRedirectUris,
    origins: oidcConfig.additionalOrigins,
    grants:
      grants.length === 0
        ? undefined
        : grants.map((one) => (one === 'device_code' ? 'urn:ietf:params:oauth:grant-type:device_code' : one)),
    method: method === 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT' ? 'private_key_jwt' : undefined,
    firstParty: true,
    backchannelLogout: oidcConfig.backChannelLogoutUri,
  } as const
}

type ToldByZitadel = ToldPerson | ToldMachine | Remark

function* peopleOf({ values, at }: ExportRecord, instance: Instance): Generator<ToldByZitadel> {
  const exported = organisation.safeParse(values).data
  if (exported !== undefined) {
    for (const one of exported.humanUsers ?? [])
      yield* ofExport(one, { at, organisation: exported.orgId }, instance)
    for (const { userId, user } of exported.machineUsers ?? [])
      yield lost(
        'The account of a machine does not come along: declare a client of its own.',
        user.userName ?? userId,
      )
    return
  }
  if (Object.hasOwn(values, 'machine'))
    yield lost('The account of a machine does not come along: declare a client of its own.', at)
  if (!Object.hasOwn(values, 'human')) return
  const { data } = searchedPerson.safeParse(values)
  if (data === undefined || !states.has(data.state)) {
    yield lost('An entry of the people is not as ZITADEL writes it, and is left out.', at)
    return
  }
  const { userId, state, username, human, details } = data
  if (instance.exported.has(userId)) return
  const { profile, email } = human
  yield* personOf({
    system: 'ZITADEL',
    subject: userId,
    email: email?.email,
    emailVerified: email?.isVerified,
    name: profile?.displayName,
    givenName: profile?.givenName,
    familyName: profile?.familyName,
    username: username === email?.email ? undefined : username,
    picture: profile?.avatarUrl,
    locale: profile?.preferredLanguage,
    active: isActive(state),
    providers: instance.links.get(userId),
    withoutPassword:
      'The search holds no hash of a password: add the export of /admin/v1/export with_passwords, or let people set one by a mailed link.',
    roles: instance.held.get(userId),
    organisations: details?.resourceOwner === undefined ? [] : [details.resourceOwner],
  })
}

const states = new Set(
  ['ACTIVE', 'INACTIVE', 'DELETED', 'LOCKED', 'INITIAL'].map((one) => `USER_STATE_${one}`),
)

function* ofExport(
  value: unknown,
  { at, organisation: own }: { at: string; organisation: string },
  { held, links, states: known }: Instance,
): Generator<ToldByZitadel> {
  const { data } = exportedPerson.safeParse(value)
  if (data === undefined) {
    yield lost('An entry of the people is not as ZITADEL writes it, and is left out.', at)
    return
  }
  const { userId, user } = data
  const { profile, email, userName: username, hashedPassword, otpCode } = user
  yield* personOf({
    system: 'ZITADEL',
    subject: userId,
    email: email?.email,
    emailVerified: email?.isEmailVerified,
    name: profile?.displayName,
    givenName: profile?.firstName,
    familyName: profile?.lastName,
    username: username === email?.email ? undefined : username,
    locale: profile?.preferredLanguage,
    active: isActive(known.get(userId) ?? 'USER_STATE_ACTIVE'),
    hash: hashedPassword?.value,
    mustChange: user.passwordChangeRequired,
    totp: otpCode,
    providers: links.get(userId) ?? (user.idps ?? []).map((one) => one.configId),
    roles: held.get(userId),
    organisations: [own],
  })
}
