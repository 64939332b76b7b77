import { beforeAll, describe, expect, it } from 'vitest'
import { answerOf, authorizeRequest, claimsOf, people, profilesOfBoth } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { applyChanged } from '../declared/change.ts'
import { tesseraOn } from '../harness/harness.ts'
import {
  audiences,
  introspect,
  machine,
  refresh,
  refusalOf,
  token,
  tokensOf,
  Visitor,
} from '../harness/program.ts'

const webServices = 'scope: openid email profile service.api\n    services: [submissions-tool]'
const bothServices = webServices.replace('[submissions-tool]', '[submissions-tool, ledger]')
const machineServices =
  'services: [submissions-tool]\n    permissions: [submissions-tool.vista-import.create]'
const machineBoth =
  'services: [ledger, submissions-tool]\n    permissions: [submissions-tool.vista-import.create, ledger.entry.read]'
const reader = { profile_uuid: profilesOfBoth.reader }

onOneDatabase('the audience of a client with several services', (dialect) => {
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  beforeAll(async () => {
    await applyChanged(tessera, [webServices, bothServices], [machineServices, machineBoth])
    visitor = new Visitor(tessera.url, people.both)
  })

  const accessClaims = (tokens: Record<string, string>) => claimsOf(tokens.access_token)

  it('is an array of them, never with the client, and the permissions are of both', async () => {
    const claims = accessClaims(await visitor.tokens(reader))
    expect([...(claims.aud as string[])].sort()).toEqual([audiences.ledger, audiences.submissions])
    expect(claims.permissions).toEqual(['ledger.entry.read', 'submissions-tool.vista-import.read'])
  })

  it('is the issuer without service.api, which has no permissions', async () => {
    const claims = accessClaims(await visitor.tokens({ ...reader, scope: 'openid' }))
    expect(claims.aud).toBe(tessera.url)
    expect(claims).not.toHaveProperty('permissions')
  })

  it.each([
    ['ledger', audiences.ledger, ['ledger.entry.read']],
    ['submissions', audiences.submissions, ['submissions-tool.vista-import.read']],
  ])(
    'is narrowed to %s by resource at authorization, exchange and refresh alike',
    async (_, resource, permissions) => {
      const narrowed = { aud: resource, permissions }
      const first = await visitor.tokens({ ...reader, resource })
      expect(accessClaims(first)).toMatchObject(narrowed)
      // It stays so.
      expect(accessClaims(tokensOf(await refresh(tessera.url, first.refresh_token)))).toMatchObject(narrowed)

      const form = await visitor.code(reader)
      const second = tokensOf(await token(tessera.url, { ...form, resource }))
      expect(accessClaims(second)).toMatchObject(narrowed)

      const wide = await visitor.tokens(reader)
      const third = tokensOf(await refresh(tessera.url, wide.refresh_token, { resource }))
      expect(accessClaims(third)).toMatchObject(narrowed)
      // RFC 8707 §2.2: for that one answer.
      const after = tokensOf(await refresh(tessera.url, third.refresh_token))
      expect(accessClaims(after).aud).toHaveLength(2)
    },
  )

  it('can’t be changed by a second resource, nor widened', async () => {
    const resource = audiences.ledger
    const form = await visitor.code({ ...reader, resource })
    const other = await token(tessera.url, { ...form, resource: audiences.submissions })
    expect(refusalOf(other)).toBe('400 invalid_target')
    const tokens = tokensOf(await token(tessera.url, { ...form, resource }))
    const changed = await refresh(tessera.url, tokens.refresh_token, { resource: audiences.submissions })
    expect(refusalOf(changed)).toBe('400 invalid_target')
    expect((await refresh(tessera.url, tokens.refresh_token)).status).toBe(200)
  })

  it.each([
    'https://elsewhere.example',
    `${audiences.ledger}/`,
    audiences.ledger.toUpperCase(),
    'ledger',
    'submissions-web',
    '__proto__',
  ])('is not %s', async (resource) => {
    const form = await visitor.code(reader)
    expect(refusalOf(await token(tessera.url, { ...form, resource }))).toBe('400 invalid_target')
    const visit = await visitor.browser.open(authorizeRequest({ ...reader, resource }).path)
    expect(answerOf(visit).error).toBe('invalid_target')
    const tokens = tokensOf(await token(tessera.url, form))
    expect(refusalOf(await refresh(tessera.url, tokens.refresh_token, { resource }))).toBe(
      '400 invalid_target',
    )
  })

  it('is no service without the scope service.api', async () => {
    const form = await visitor.code({ ...reader, scope: 'openid' })
    const refused = await token(tessera.url, { ...form, resource: audiences.ledger })
    expect(refusalOf(refused)).toBe('400 invalid_target')
    expect(accessClaims(tokensOf(await token(tessera.url, { ...form, resource: tessera.url }))).aud).toBe(
      tessera.url,
    )
  })

  describe('of a machine', () => {
    const ask = async (changes: Record<string, string> = {}) =>
      await token(tessera.url, { grant_type: 'client_credentials', ...machine, ...changes })

    it('is an array too, and is narrowed with its permissions', async () => {
      const whole = claimsOf(tokensOf(await ask()).access_token)
      expect(whole.aud).toHaveLength(2)
      expect(whole.permissions).toEqual(['ledger.entry.read', 'submissions-tool.vista-import.create'])
      const narrow = claimsOf(tokensOf(await ask({ resource: audiences.ledger })).access_token)
      expect(narrow).toMatchObject({ aud: audiences.ledger, permissions: ['ledger.entry.read'] })
    })

    it('lets it ask about tokens for one of them alone', async () => {
      const { access_token } = await visitor.tokens({ ...reader, resource: audiences.ledger })
      expect(await introspect(tessera.url, access_token)).toMatchObject({ active: true })
    })
  })

  it('is not widened where the service that it was narrowed to is taken from the client', async () => {
    const { refresh_token } = await visitor.tokens({ ...reader, resource: audiences.ledger })
    await applyChanged(tessera, [machineServices, machineBoth])
    expect(refusalOf(await refresh(tessera.url, refresh_token))).toBe('400 invalid_grant')
    await applyChanged(tessera, [webServices, bothServices], [machineServices, machineBoth])
    expect(accessClaims(tokensOf(await refresh(tessera.url, refresh_token))).aud).toBe(audiences.ledger)
  })

  it('an allow-list of the client bounds what the role may', async () => {
    const allowList = `${bothServices}\n    permissions: [ledger.entry.read, ledger.entry.create]`
    await applyChanged(tessera, [webServices, allowList], [machineServices, machineBoth])
    const claims = accessClaims(await visitor.tokens(reader))
    // The role has it, and the list; not what only one of them has.
    expect(claims.permissions).toEqual(['ledger.entry.read'])
    await applyChanged(tessera, [webServices, bothServices], [machineServices, machineBoth])
  })

  it('the built-in service writes the administrator’s wildcard out', async () => {
    const withIam = bothServices.replace(', ledger]', ', ledger, iam]')
    await applyChanged(tessera, [webServices, withIam], [machineServices, machineBoth])
    const admin = accessClaims(await new Visitor(tessera.url, people.admin).tokens())
    expect(admin.permissions).toEqual(expect.arrayContaining(['iam.users.read', 'iam.clients.update']))
    expect(admin.permissions).not.toContain('iam.*')
    expect(admin.aud).toHaveLength(3)
    // Nobody else gets any of it.
    const importer = accessClaims(await new Visitor(tessera.url).tokens())
    expect((importer.permissions as string[]).filter((one) => one.startsWith('iam.'))).toEqual([])
  })
})
