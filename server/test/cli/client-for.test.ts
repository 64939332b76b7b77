import { afterAll, beforeAll, expect, it } from 'vitest'
import { readRecipe, recipeNames } from '../../dist/administration/recipes.js'
import { startAdministered } from '../administration/support.ts'
import { post } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { read } from '../house/support.ts'
import { complaintsOf, type Ran, runHere, type Way, ways } from './command-support.ts'

/** `tessera client create --for`: what it registers, what it prints, and what it refuses. */

const products = recipeNames().filter((name) => readRecipe(name).client !== undefined)
const grafana = 'https://grafana.example.com'

interface Made {
  client_id: string
  client_secret?: string
  type: string
  settings: { where: string; text: string }[]
}

onEachDatabase('client create --for', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
  })
  afterAll(async () => await tessera.close())

  const create = async (way: Way, ...more: string[]): Promise<Ran> =>
    await runHere(['client', 'create', ...more], { environment: ways[way](tessera) })

  it.each(products)('registers %s, and prints what its page says', async (name) => {
    const { url } = readRecipe(name)
    const ran = await create('http', '--for', name, ...(url === undefined ? [] : ['--url', url]), '--json')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const made = JSON.parse(ran.stdout) as Made
    expect(made.client_id).toBe(name)
    expect(made.client_secret === undefined).toBe(made.type !== 'web')
    const page = read(`docs/integrate/${name}.md`)
    expect(made.settings.length).toBeGreaterThan(0)
    for (const { text } of made.settings) {
      const shown = text.replaceAll(tessera.url, 'https://id.example.com').trimEnd()
      expect(page).toContain(shown.replaceAll(made.client_secret ?? '\0', 'CLIENT_SECRET'))
    }
  })

  it.each(['database', 'http'] as const)(
    'prints the settings alone, with a secret that counts, by %s',
    async (way) => {
      const id = `wiki-${way}`
      const { code, stdout, stderr } = await create(
        way,
        id,
        '--for',
        'outline',
        '--url',
        'https://wiki.example.com/',
      )
      expect(code).toBe(0)
      expect(stdout.split('\n').slice(0, 3)).toEqual([
        'URL=https://wiki.example.com',
        `OIDC_ISSUER_URL=${tessera.url}`,
        `OIDC_CLIENT_ID=${id}`,
      ])
      const secret = /^OIDC_CLIENT_SECRET=([\w-]{43})$/m.exec(stdout)?.[1] ?? ''
      expect(stderr).not.toContain(secret)
      expect(stderr).toMatch(/^The client wiki-\w+ is registered for Outline \(/)
      expect(stderr).toContain('- require_nonce: false. Outline sends a state')
      expect(stderr).toContain('The client_secret is shown this once: keep it now.')
      const asked = { client_id: id, client_secret: secret, token: 'none' }
      expect((await post(`${tessera.url}/oauth2/introspect`, asked)).status).toBe(200)
    },
  )

  it('lets other options say more, which the settings follow', async () => {
    const more = ['--scope', 'openid email', '--first-party', '--access-token-lifetime', '300']
    const { stdout } = await create('http', 'own', '--for', 'grafana', '--url', grafana, ...more, '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      scope: 'openid email',
      first_party: true,
      access_token_lifetime: 300,
    })
    expect(stdout).toContain('scopes = openid email\\n')
  })

  it.each([
    ['without an address', [], 'Where is Grafana? Say --url https://grafana.example.com.'],
    ['with an empty one', ['--url', ''], 'Where is Grafana?'],
    ['with no address', ['--url', 'grafana.example.com'], 'is no address of Grafana: it is like https://'],
    ['with another scheme', ['--url', 'ftp://grafana.example.com'], 'is no address of Grafana'],
    ['over http', ['--url', 'http://grafana.example.com'], 'is http, which is for this machine alone'],
    ['with a query', ['--url', `${grafana}/?a=b`], 'is more than where Grafana is'],
    ['with a person', ['--url', 'https://me@grafana.example.com'], 'is more than where Grafana is'],
    [
      'with a bad field',
      ['--url', grafana, '--no-require-pkce'],
      '--require-nonce: Require_nonce and require_pkce',
    ],
    ['with a name that is taken', ['--url', grafana, 'nightly-import'], 'Another client has this id'],
  ])('refuses to register %s', async (_, more, reason) => {
    for (const way of ['http', 'database'] as const) {
      const ran = await create(way, '--for', 'grafana', ...more)
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(complaintsOf(ran).join('\n')).toContain(reason)
    }
  })

  it('refuses the address of the service, and an address where there is none to say', async () => {
    const own = await create('http', '--for', 'grafana', '--url', tessera.url)
    expect(own.stderr).toContain(`${tessera.url} is this service: --url is where Grafana is.`)
    const fixed = await create('http', 'other', '--for', 'kubelogin', '--url', grafana)
    expect(fixed.stderr).toContain('leave out --url')
    const api = await create('http', '--for', 'spring-resource-server')
    expect(api.stderr).toContain('declare it as a service, as docs/integrate/spring-resource-server.md says')
    const unknown = await create('http', '--for', 'graphana', '--url', grafana)
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toMatch(/Allowed choices are argo-cd, .*grafana/)
  })

  it('lets nobody register what they may not', async () => {
    const environment = ways.http(tessera, 'acme-cli')
    const line = ['client', 'create', '--for', 'grafana', '--url', grafana]
    const everywhere = await runHere(line, { environment })
    expect(everywhere).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('--organisation'),
    })
    const first = await runHere([...line, '--organisation', 'acme', '--first-party'], { environment })
    expect(first).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('belongs to the whole installation'),
    })
  })
})
