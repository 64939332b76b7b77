/** examples/development.yaml: what whoever administers an organisation sees and does, and what they do not. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Administrator, problemOf } from '../administration/support.ts'
import { tokensFor } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { machineToken } from '../harness/program.ts'

const file = fileURLToPath(new URL('../../../examples/development.yaml', import.meta.url))
const acme = '7c1e5a9e-3b0d-4f5c-9a61-2d4b8e0f1a00'
const lakeside = 'e2f40b6d-88c7-4d1f-b0a3-5c9d7e6f2b00'
const soilLab = 'e2f40b6d-88c7-4d1f-b0a3-5c9d7e6f2b01'
const person = (number: number) => `4a6d2c10-91f3-4e0b-8d57-0b1c2d3e000${number}`
const [mara, jonas, priya, tomas, ada, lena] = [1, 2, 3, 4, 5, 6].map(person)
const profileOf = (number: string) => `4a6d2c10-91f3-4e0b-8d57-0b1c2d3e0${number}`
const [priyaHere, priyaThere, adas] = ['301', '302', '501'].map(profileOf)
const machines = ['acme-directory', 'import-monitor', 'nightly-import']
const vistaImport = 'submissions-tool.vista-import.create'

onOneDatabase('the administrator of an organisation in the development file', (dialect) => {
  let tessera: Tessera
  let admin: Administrator
  let own: Administrator
  /** Sessions of Priya: of a sign-in at Acme, and of one at Lakeside. */
  let sids: { here: string; there: string }
  const signIn = async (name: string, changes: Record<string, string>, profile?: string) => {
    const who = { email: `${name}@acme.example`, password: `${name.split('.')[0]}-development-password` }
    return await tokensFor(tessera.url, who, { changes, ...(profile !== undefined && { profile }) })
  }
  const application = { client_id: 'submissions-web', redirect_uri: 'http://localhost:4001/callback' }
  const administration = {
    client_id: 'administration',
    redirect_uri: 'http://127.0.0.1:53682/callback',
    scope: 'openid service.api',
  }
  beforeAll(async () => {
    const settings = { TESSERA_DECLARED: file }
    tessera = await startTessera(dialect, { content: 'tables', settings })
    const [client_id, client_secret] = ['operations', 'operations-development-secret']
    admin = new Administrator(tessera.url, await machineToken(tessera.url, { client_id, client_secret }))
    await admin.post('/services', {
      code: 'payroll',
      name: 'Payroll',
      audience: 'https://payroll.example/api',
    })
    const { access_token = '' } = await signIn('lena.hoff', administration)
    own = new Administrator(tessera.url, access_token)
    own.overridesFile = false
    await signIn('mara.lind', application)
    await signIn('admin', administration)
    await signIn('priya.nair', application, priyaHere)
    await signIn('priya.nair', application, priyaThere)
    const families = await admin.all(`/token-families?user_uuid=${priya}`)
    const sidOf = (profile = '') => String(families.find((one) => one.profile_uuid === profile)?.sid)
    sids = { here: sidOf(priyaHere), there: sidOf(priyaThere) }
  })
  afterAll(() => tessera.close())

  const list = async (path: string, field: string) => (await own.all(path, 2)).map((one) => one[field])

  it.each([
    ['/users', 'uuid', [jonas, lena, mara, priya]],
    ['/organisations', 'uuid', [acme]],
    ['/units', 'code', ['archive', 'intake']],
    ['/clients', 'client_id', machines],
    ['/services', 'code', ['iam', 'sample-archive', 'submissions-tool']],
    ['/roles', 'code', ['importer', 'organisation-administrator', 'reader']],
    ['/webhooks', 'uuid', []],
    [`/token-families?user_uuid=${priya}`, 'profile_uuid', [priyaHere]],
    [`/access?permission=${vistaImport}`, 'client_id', ['acme-directory', 'nightly-import']],
    [`/access?permission=${vistaImport}&organisation=acme`, 'user_uuid', [lena, mara, priya]],
    ['/access?permission=iam.users.read&organisation=acme', 'user_uuid', [lena]],
    [`/access?permission=${vistaImport}&organisation=lakeside`, 'user_uuid', []],
    [`/consents?user_uuid=${priya}`, 'client_id', []],
    [`/sessions?user_uuid=${tomas}`, 'sid', []],
    [`/sessions?user_uuid=${ada}`, 'sid', []],
    [`/token-families?user_uuid=${ada}`, 'id', []],
  ])('sees of %s by %s its own alone: %j', async (path, field, expected) => {
    const found = (await list(path, field)).filter((one) => one !== undefined)
    expect(found.map(String).sort()).toEqual(expected.map(String).sort())
  })

  it('sees of somebody who belongs elsewhere too the session of the sign-in here', async () => {
    expect(sids.here).not.toBe(sids.there)
    expect(await list(`/sessions?user_uuid=${priya}`, 'sid')).toEqual([sids.here])
    expect(problemOf(await own.get(`/sessions/${sids.there}`))).toBe('404 not_found')
    expect(await list(`/sessions?user_uuid=${mara}`, 'user_uuid')).toEqual([mara])
  })

  it('reads the audit of the organisation, and nothing of others', async () => {
    const records = await own.all('/audit')
    expect(new Set(records.map((one) => one.organisation_uuid))).toEqual(new Set([acme]))
    expect(records.map((one) => one.kind)).toEqual(expect.arrayContaining(['unit.created', 'client.created']))
    const text = JSON.stringify([records, await own.all(`/audit?user_uuid=${priya}`)])
    for (const foreign of [lakeside, soilLab, priyaThere, sids.there, adas ?? ''])
      expect(text).not.toContain(foreign)
  })

  it.each([
    `/users/${tomas}`,
    `/users/${ada}`,
    `/users/${ada}/access`,
    `/profiles/${priyaThere}`,
    `/organisations/${lakeside}`,
    `/units/${soilLab}`,
    '/clients/submissions-web',
    '/clients/operations',
    '/services/payroll',
    '/roles/administrator',
    '/roles/archivist',
    '/permissions/sample-archive.record.release',
    `/access/explain?permission=${vistaImport}&client_id=submissions-web`,
  ])('finds %s not there', async (path) => {
    expect(problemOf(await own.get(path))).toBe('404 not_found')
  })

  it.each(['/sessions', '/token-families', '/consents'])('has to say whose of %s', async (path) => {
    expect(problemOf(await own.get(path))).toBe('400 invalid_request user_uuid')
  })

  it('sees of somebody what they may do here', async () => {
    const { json } = await own.get(`/users/${priya}/access`)
    expect((json.profiles as { profile_uuid: string }[]).map((one) => one.profile_uuid)).toEqual([priyaHere])
    const asked = `permission=${vistaImport}&user_uuid=${priya}&profile_uuid=${priyaHere}`
    expect((await own.get(`/access/explain?${asked}`)).json.allowed).toBe(true)
  })

  describe('changes', () => {
    it('applications, webhooks and sessions of its own', async () => {
      const portal = {
        client_id: 'acme-portal',
        client_name: 'Acme portal',
        type: 'public',
        organisation_uuid: acme,
        redirect_uris: ['https://portal.acme.example/callback'],
        scope: 'openid service.api',
        services: ['submissions-tool'],
        permissions: [vistaImport],
      }
      expect((await own.post('/clients', portal)).status).toBe(201)
      expect((await own.delete('/clients/acme-portal')).status).toBe(204)
      const hook = { url: 'https://hooks.acme.example/', kinds: ['user.*'], organisation_uuid: acme }
      const made = await own.post('/webhooks', hook)
      expect(made.status).toBe(201)
      expect((await own.delete(`/webhooks/${String(made.json.uuid)}`)).status).toBe(204)
      expect((await own.delete(`/users/${mara}/sessions`)).status).toBe(204)
      expect(await list(`/sessions?user_uuid=${mara}`, 'sid')).toEqual([])
    })

    it('nothing that is of others, is more than it holds, or that the file manages', async () => {
      const portal = {
        client_id: 'x',
        client_name: 'X',
        type: 'public',
        redirect_uris: ['https://x.example/'],
      }
      const refused: [string, string, object, string][] = [
        ['POST', '/clients', { ...portal, scope: 'openid' }, '403 forbidden organisation_uuid'],
        [
          'POST',
          '/clients',
          { ...portal, scope: 'openid', organisation_uuid: acme, first_party: true },
          '403 forbidden',
        ],
        [
          'POST',
          '/clients',
          { ...portal, scope: 'openid service.api', organisation_uuid: acme, services: ['sample-archive'] },
          '403 forbidden permissions',
        ],
        [
          'POST',
          '/clients',
          { ...portal, scope: 'openid service.api', organisation_uuid: acme, services: ['payroll'] },
          '400 invalid_request services',
        ],
        ['DELETE', `/sessions/${sids.there}`, {}, '404 not_found'],
        ['DELETE', `/sessions/${sids.here}`, {}, '403 forbidden'],
        ['DELETE', `/users/${ada}/sessions`, {}, '404 not_found'],
        ['PATCH', '/clients/nightly-import', { client_name: 'x' }, '409 managed_by_file'],
        ['PATCH', '/clients/operations', { client_name: 'x' }, '404 not_found'],
      ]
      for (const [method, path, body, problem] of refused) {
        const sent = method === 'DELETE' ? {} : { body }
        const answer = await own.ask(method, path, { match: '*', ...sent })
        expect(problemOf(answer), `${method} ${path}`).toBe(problem)
      }
      // What it lacks the permission for, because it is of the whole installation, the guard refuses.
      expect((await own.get('/keys')).json.error).toBe('insufficient_scope')
      expect((await own.delete(`/organisations/${acme}`)).json.error).toBe('insufficient_scope')
    })
  })
})
