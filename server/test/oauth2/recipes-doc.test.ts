/** The recipes of docs/acting-for-a-person.md and docs/integrate-mcp.md, as they stand there. */
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Administrator, administeredOn, profiles } from '../administration/support.ts'
import { runHere, ways } from '../cli/command-support.ts'
import { claimsOf, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { refusalOf, token, tokensOf, Visitor } from '../harness/program.ts'
import { asked } from './client-document-support.ts'
import { blocksOf, commandsOf, pageOf } from './doc-support.ts'
import { must } from './exchange-support.ts'

interface Recipe {
  services?: { code: string; permissions?: unknown }[]
  clients: { client_id: string; document?: object }[]
}
const recipeOf = (page: string): Recipe => {
  const [block = ''] = blocksOf(page, 'yaml')
  return parse(block) as Recipe
}

onOneDatabase('docs/acting-for-a-person.md', (dialect) => {
  const tessera = administeredOn(dialect)
  const page = pageOf('acting-for-a-person.md')
  const { services = [], clients } = recipeOf(page)
  let admin: Administrator
  let secret: string
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    // The ledger is there already.
    const { permissions: _none, ...assistant } = services[0] ?? { code: '' }
    must(await admin.post('/services', assistant), 201)
    secret = String(must(await admin.post('/clients', clients[0]), 201).json['client_secret'])
    must(await admin.patch('/clients/submissions-web', { services: ['assistant', 'submissions-tool'] }), 200)
  })
  const called = async () =>
    (await new Visitor(tessera.url, people.both).tokens({ profile_uuid: profiles.bothReader })).access_token
  /** The request of the page, with what stands for the rest filled in. */
  const request = (subject = '') => {
    const [words = []] = commandsOf(page, 'curl ')
    const values = words.flatMap((word, at) => (words[at - 1] === '-d' ? [word] : []))
    const [client_id = '', client_secret = ''] = (words[words.indexOf('-u') + 1] ?? '').split(':')
    const form = Object.fromEntries(new URLSearchParams(values.join('&')))
    expect(client_secret).toBe('$SECRET')
    expect(form['subject_token']).toBe('$TOKEN')
    return { ...form, client_id, client_secret: secret, subject_token: subject } as Record<string, string>
  }
  const shown = (at: number) =>
    JSON.parse((blocksOf(page, 'json')[at] ?? '').replaceAll('…', '')) as Record<string, unknown>

  it('has an exchange that works, and its answer and token say what it shows', async () => {
    const answer = tokensOf(await token(tessera.url, request(await called())))
    expect(Object.keys(answer)).toEqual(expect.arrayContaining(Object.keys(shown(0))))
    expect(answer).toMatchObject({
      issued_token_type: shown(0)['issued_token_type'],
      scope: shown(0)['scope'],
    })
    const claims = claimsOf(answer['access_token'] ?? '')
    const { aud, permissions, client_id, act, role_code } = shown(1)
    expect(claims).toMatchObject({ aud, permissions, client_id, act, role_code })
    expect(Object.keys(claims)).toEqual(expect.arrayContaining(Object.keys(shown(1))))
  })

  it('has refusals that are what they mean', async () => {
    const subject = await called()
    const said = async (changes: Record<string, string>) =>
      refusalOf(await token(tessera.url, { ...request(subject), ...changes }))
    expect(await said({ subject_token: 'none' })).toBe('400 invalid_request')
    expect(await said({ resource: 'https://other.acme.example' })).toBe('400 invalid_target')
    expect(await said({ grant_type: 'client_credentials' })).toBe('400 unauthorized_client')
    expect(await said({ requested_token_type: 'urn:ietf:params:oauth:token-type:id_token' })).toMatch(/^400 /)
  })

  it('is registered by the command that it shows, and seen by who asks who may', async () => {
    const id = clients[0]?.client_id ?? ''
    const {
      created_at: _at,
      updated_at: _then,
      secrets: _one,
      ...before
    } = (await admin.get(`/clients/${id}`)).json
    must(await admin.delete(`/clients/${id}`), 204)
    const [words = []] = commandsOf(page, 'tessera client create')
    const ran = await runHere(words.slice(1), { environment: ways.http(tessera) })
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('shown this once') })
    expect((await admin.get(`/clients/${id}`)).json).toMatchObject(before)
    const who = await runHere(['access', 'who', 'ledger.entry.read'], { environment: ways.http(tessera) })
    expect(who.stdout).toMatch(/ledger-mcp\s+assistant/)
  })
})

onOneDatabase('docs/integrate-mcp.md', (dialect) => {
  const tessera = administeredOn(dialect)
  const page = pageOf('integrate-mcp.md')
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  it('is set up by the commands that it shows, where the document goes along', async () => {
    const [entry] = recipeOf(page).clients
    const commands = commandsOf(page, 'tessera ')
    expect(commands.map((words) => words.slice(1, 3).join(' '))).toEqual([
      'service create',
      'permission create',
      'client create',
    ])
    for (const [, ...words] of commands) {
      // Nobody here reaches the vendor's host.
      const along = words[0] === 'client' ? ['--document', JSON.stringify(entry?.document)] : []
      const ran = await runHere([...words, ...along], { environment: ways.http(tessera) })
      expect(ran).toMatchObject({ code: 0, stderr: '' })
    }
    const id = entry?.client_id ?? ''
    const path = `/clients/${encodeURIComponent(id)}`
    expect((await admin.get(path)).json).toMatchObject(entry ?? {})
    const { permissions } = (await admin.get('/roles/importer')).json
    must(
      await admin.patch('/roles/importer', {
        permissions: [...(permissions as string[]), 'tools.note.read'],
      }),
      200,
    )
    const { path: address } = asked(id, { resource: 'https://mcp.example.com/mcp' })
    const consent = await signIn(new TestBrowser(tessera.url), address, people.importer)
    for (const told of ['claude.ai', 'Claude Code', 'a program on this computer', 'Read notes'])
      expect(consent.body).toContain(told)
  })
})
