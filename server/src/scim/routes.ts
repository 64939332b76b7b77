/** The addresses of SCIM. The bearer token names the directory, the path says nothing of it. */
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ProtocolError } from '../protocol/errors.ts'
import { parseJson } from '../protocol/json.ts'
import type { Service } from '../service.ts'
import type { ByDirectory } from './directory.ts'
import { discoveryLists, serviceProviderConfig, wholeList } from './discovery.ts'
import { invalidValue, noResource, notImplemented, ScimError, scimErrorBody } from './errors.ts'
import { changeGroup, createGroup, removeGroup } from './groups.ts'
import { listedResources, shownRows } from './lists.ts'
import { onlyMembers } from './member-changes.ts'
import { patched, type Patched } from './patch.ts'
import { foundRow, type ResourceRow } from './rows.ts'
import { groups, type Kind, users } from './schemas.ts'
import { resourceAddress, selectionIn } from './shown.ts'
import { directoryOf } from './token.ts'
import { changeUser, createUser, removeUser } from './users.ts'
import { isList, isObject, noValues, readValues, withValues } from './values.ts'
import { type KnownVersions, versionsIn, versionTag } from './version.ts'

const scimPath = '/scim/v2'
export const scimType = 'application/scim+json'
const bodyLimit = 1024 * 1024

/** Which resource, and in which versions. */
interface Named {
  id: string
  versions: KnownVersions
}

/** What can be done with resources of a kind. */
interface Verbs {
  kind: Kind
  create(by: ByDirectory, body: object): Promise<ResourceRow>
  replace(by: ByDirectory, one: Named, body: object): Promise<ResourceRow>
  patch(by: ByDirectory, one: Named, body: unknown): Promise<ResourceRow>
  remove(by: ByDirectory, one: Named): Promise<void>
}

const verbsOfUsers = ({ store }: Service): Verbs => {
  const read = (body: object) => readValues(users.attributes, body)
  return {
    kind: users,
    create: (by, body) => createUser(store, by, read(body)),
    // A body that does not say `active` brings nobody back.
    replace: (by, one, body) =>
      changeUser(store, by, one, ({ active }) => ({
        ...(active !== undefined && { active }),
        ...read(body),
      })),
    patch: (by, one, body) =>
      changeUser(store, by, one, async (before) => (await patched(users, before, body)).values),
    remove: (by, one) => removeUser(store, by, one),
  }
}

const verbsOfGroups = ({ store }: Service): Verbs => ({
  kind: groups,
  create: (by, body) => createGroup(store, by, wholeGroup(body)),
  replace: (by, one, body) => changeGroup(store, by, one, async () => wholeGroup(body)),
  patch: (by, one, body) => changeGroup(store, by, one, (before) => patched(groups, before, body)),
  remove: (by, one) => removeGroup(store, by, one),
})

function wholeGroup(body: object): Patched {
  const { members, ...values } = readValues(groups.attributes, body)
  const ids = (isList(members) ? members : []).map(({ value }) => {
    if (typeof value !== 'string') throw invalidValue('members.value', 'it is the id of a person.')
    return value
  })
  return { values: withValues(noValues(), values), members: onlyMembers(ids) }
}

export function scimRoutes(app: FastifyInstance, service: Service): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    [scimType, 'application/json'],
    { parseAs: 'buffer', bodyLimit },
    async (_request: unknown, bytes: Buffer) => parsedBody(bytes),
  )
  const directories = new WeakMap<FastifyRequest, string>()
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const { authorization } = request.headers
    directories.set(request, await directoryOf(service.store, authorization, service.now()))
  })
  const byOf = (request: FastifyRequest): ByDirectory => {
    const directory_uuid = directories.get(request)
    if (directory_uuid === undefined) throw new Error('A request without a directory passed the guard.')
    return { directory_uuid, now: service.now(), address: request.ip, requestId: request.id }
  }
  refuseOtherMethods(app)
  discoveryRoutes(app, service)
  for (const verbs of [verbsOfUsers(service), verbsOfGroups(service)])
    resourceRoutes(app, service, { verbs, byOf })
  const others = async ({ url }: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = url.split('?')
    if (!/\/(Bulk|Me|\.search|v2\/?)$/.test(path)) throw noResource()
    // Answered rather than thrown: what fails with 5xx is told to operators.
    return sent(reply.status(501), scimErrorBody(notImplemented()))
  }
  app.all(scimPath, others)
  app.all(`${scimPath}/*`, others)
}

/** Every address refuses the methods that it does not take (RFC 9110 §15.5.6). */
function refuseOtherMethods(app: FastifyInstance): void {
  const one = [...Object.keys(discoveryLists).map((path) => `${path}/:id`), '/ServiceProviderConfig']
  const allowed: [paths: string[], methods: string[]][] = [
    [[...one, ...Object.keys(discoveryLists)], ['GET']],
    [
      [users.endpoint, groups.endpoint],
      ['GET', 'POST'],
    ],
    [
      [`${users.endpoint}/:id`, `${groups.endpoint}/:id`],
      ['GET', 'PUT', 'PATCH', 'DELETE'],
    ],
  ]
  for (const [paths, methods] of allowed)
    for (const path of paths)
      app.route({
        method: ['POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methods.includes(method)),
        url: `${scimPath}${path}`,
        handler: async ({ method }) => {
          const allow = methods.join(', ')
          throw new ProtocolError('method_not_allowed', `This address takes ${allow}, not ${method}.`, {
            headers: { allow },
          })
        },
      })
}

function parsedBody(bytes: Buffer): unknown {
  // DELETE and GET may say a type and send nothing.
  if (bytes.length === 0) return undefined
  try {
    if (isUtf8(bytes)) return parseJson(bytes.toString('utf8'))
  } catch {
    // Told below.
  }
  throw new ScimError('invalidSyntax', 'The body is no JSON in UTF-8, or has a name twice.')
}

const baseOf = ({ issuer }: Service): string => `${issuer}${scimPath}`
const queryOf = ({ url }: FastifyRequest) => new URL(url, 'http://localhost').searchParams
const sent = (reply: FastifyReply, body: object): FastifyReply =>
  reply.type(scimType).send(JSON.stringify(body))

function discoveryRoutes(app: FastifyInstance, service: Service): void {
  const base = baseOf(service)
  app.get(`${scimPath}/ServiceProviderConfig`, async (_request, reply) =>
    sent(reply, serviceProviderConfig(base)),
  )
  for (const [path, listed] of Object.entries(discoveryLists)) {
    app.get(`${scimPath}${path}`, async (request, reply) => {
      // RFC 7644 §4
      if (queryOf(request).has('filter')) throw new ProtocolError('forbidden', 'There is no filter here.')
      return sent(reply, wholeList(listed(base)))
    })
    app.get<{ Params: { id: string } }>(`${scimPath}${path}/:id`, async ({ params }, reply) => {
      const one = listed(base).find(({ id }) => id === params.id)
      if (one === undefined) throw noResource()
      return sent(reply, one)
    })
  }
}

type WithId = { Params: { id: string } }

function resourceRoutes(
  app: FastifyInstance,
  service: Service,
  { verbs, byOf }: { verbs: Verbs; byOf: (request: FastifyRequest) => ByDirectory },
): void {
  const { kind } = verbs
  const [base, list] = [baseOf(service), `${scimPath}${kind.endpoint}`]
  const answer = async (request: FastifyRequest, reply: FastifyReply, row: ResourceRow) => {
    const selection = selectionIn(kind, queryOf(request))
    const [shown] = await shownRows(service.store, kind, [row], { base, selection })
    reply.header('etag', versionTag(row.version)).header('location', resourceAddress(base, kind, row.id))
    return sent(reply, shown ?? {})
  }
  const named = ({ params, headers }: FastifyRequest<WithId>): Named => ({
    id: params.id,
    versions: versionsIn(headers['if-match']),
  })
  app.get(list, async (request, reply) => {
    const query = queryOf(request)
    return sent(reply, await listedResources(service.store, byOf(request), kind, { query, base }))
  })
  app.get<WithId>(`${list}/:id`, async (request, reply) => {
    const row = await foundRow(service.store.db, { ...byOf(request), kind }, request.params.id)
    const known = request.headers['if-none-match']
    if (known !== undefined && versionsIn(known)?.includes(row.version))
      return reply.status(304).header('etag', versionTag(row.version)).send()
    return await answer(request, reply, row)
  })
  app.post(list, async (request, reply) => {
    const row = await verbs.create(byOf(request), objectIn(request.body))
    return await answer(request, reply.status(201), row)
  })
  app.put<WithId>(`${list}/:id`, async (request, reply) => {
    const row = await verbs.replace(byOf(request), named(request), objectIn(request.body))
    return await answer(request, reply, row)
  })
  app.patch<WithId>(`${list}/:id`, async (request, reply) => {
    const row = await verbs.patch(byOf(request), named(request), request.body)
    // A group may have very many members, whom nobody asked for.
    if (kind === groups && !queryOf(request).has('attributes'))
      return reply.status(204).header('etag', versionTag(row.version)).send()
    return await answer(request, reply, row)
  })
  app.delete<WithId>(`${list}/:id`, async (request, reply) => {
    await verbs.remove(byOf(request), named(request))
    return reply.status(204).send()
  })
}

function objectIn(body: unknown): object {
  if (isObject(body)) return body
  throw new ScimError('invalidSyntax', 'The body is a JSON object.')
}
