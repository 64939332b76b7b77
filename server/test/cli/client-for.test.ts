import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { namesOf, readRecipe, recipeNamed, recipeNames } from '../../dist/administration/recipes.js'
import { startAdministered } from '../administration/support.ts'
import { post } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { read } from '../house/support.ts'
import { complaintsOf, type Ran, runHere, type Way, ways } from './command-support.ts'

/** `tessera client create --for`: what it registers, what it prints, and what it refuses. */

const products = recipeNames().filter((name) => readRecipe(name).client !== undefined)
const grafana = 'https://grafana.example.com'

interface Made {
  client_id: string
  client_secret?: string
  client_name: string
  type: string
  settings: { where: string; text: string }[]
}

onOneDatabase('client create --for', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
  })
  afterAll(async () => await tessera.close())

  const create = async (way: Way, ...more: string[]): Promise<Ran> =>
    await runHere(['client', 'create', ...more], { environment: ways[way](tessera) })

  it.each(products)('registers %s, and prints what its page says', async (name) => {
    const { url } = readRecipe(name)
    const ran = await create(
      'http',
      name,
      '--for',
      name,
      ...(url === undefined ? [] : ['--url', url]),
      '--json',
    )
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const made = JSON.parse(ran.stdout) as Made
    expect(made.client_id).toBe(name)
    expect(made.client_name).not.toBe('Application')
    expect(made.client_secret === undefined).toBe(made.type !== 'web')
    const page = read(`docs/integrate/${name}.md`)
    expect(made.settings.length).toBeGreaterThan(0)
    for (const { text } of made.settings) {
      const shown = text.replaceAll(tessera.url, 'https://id.example.com').trimEnd()
      const withoutSecret = shown.replaceAll(made.client_secret ?? '\0', 'CLIENT_SECRET')
      expect(page).toContain(withoutSecret.replaceAll(/[\w-]{43}(?![\w-])/g, 'RANDOM_SECRET'))
    }
  })

  it('lets in whom it names, with a recipe and without', async () => {
    const lists = [
      '--allow-role',
      'reader',
      '--allow-role',
      'importer',
      '--allow-organisation',
      'acme/intake',
    ]
    const allowed = { roles: ['importer', 'reader'], organisations: ['acme/intake'] }
    const product = await create('http', 'let-in', '--for', 'grafana', '--url', grafana, ...lists, '--json')
    expect(JSON.parse(product.stdout)).toMatchObject({ client_id: 'let-in', allowed })
    const plain = ['--type', 'public', '--client-name', 'Own', '--scope', 'openid']
    const address = ['--redirect-uri', 'https://own.example/cb']
    const own = await create('database', 'plain', ...plain, ...address, ...lists, '--json')
    expect(JSON.parse(own.stdout)).toMatchObject({ client_id: 'plain', allowed })
    const both = await create('http', 'two', ...plain, ...address, ...lists, '--allowed', '{}')
    expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('--allow-role')])
    const ghost = await create('http', 'two', '--for', 'grafana', '--url', grafana, '--allow-role', 'ghost')
    expect([ghost.code, ghost.stderr]).toEqual([1, expect.stringContaining('There is no role ghost.')])
  })

  it.each(['database', 'http'] as const)(
    'prints all of it where standard output goes, with a secret that counts, by %s',
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
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const settings = [
        'Into .env:',
        '',
        'URL=https://wiki.example.com',
        `OIDC_ISSUER_URL=${tessera.url}`,
        `OIDC_CLIENT_ID=${id}`,
      ]
      expect(stdout).toContain(settings.join('\n'))
      const secret = /^OIDC_CLIENT_SECRET=([\w-]{43})$/m.exec(stdout)?.[1] ?? ''
      expect(stdout).toMatch(/^The client wiki-\w+ is registered for Outline \(/)
      expect(stdout).toContain('- require_nonce: false. Outline sends a state')
      expect(stdout).toContain('- See docs/integrate/outline.md.')
      expect(stdout).toContain('The client_secret is shown this once: keep it now.')
      const asked = { client_id: id, client_secret: secret, token: 'none' }
      expect((await post(`${tessera.url}/oauth2/introspect`, asked)).status).toBe(200)
    },
  )

  it('says of each of several settings where it goes', async () => {
    const { stdout } = await create('http', 'kubectl', '--for', 'kubelogin')
    for (const { where } of readRecipe('kubelogin').settings) expect(stdout).toContain(`\nInto ${where}:\n\n`)
  })

  it('prints a new secret of the product, of 32 bytes, each time', async () => {
    const secrets: string[] = []
    for (const id of ['proxy-one', 'proxy-two']) {
      const { stdout } = await create(
        'http',
        id,
        '--for',
        'oauth2-proxy',
        '--url',
        'https://intra.example.com',
      )
      secrets.push(/^cookie_secret = "([^"]*)"$/m.exec(stdout)?.[1] ?? '')
    }
    expect(new Set(secrets).size).toBe(2)
    for (const one of secrets) expect(Buffer.from(one, 'base64url')).toHaveLength(32)
  })

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
  })

  it.each([
    ['graphana', ' Did you mean grafana?'],
    ['Grafanna', ' Did you mean grafana?'],
    ['kubernets', ' Did you mean kubernetes?'],
    ['an application of our own', ''],
    ['', ''],
  ])('offers the nearest and the generic one for the unknown name “%s”', async (name, offered) => {
    const unknown = await create('http', '--for', name, '--url', grafana)
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toContain(
      `There is no recipe of that name.${offered} A product that has none is --for other;`,
    )
  })

  it.each([
    ['matrix', 'synapse', 'Synapse (Matrix)'],
    ['Superset', 'superset', 'Superset'],
    ['NextAuth', 'next-auth', 'next-auth 4'],
    ['Apache', 'mod-auth-openidc', 'Apache mod_auth_openidc'],
    ['auth.js', 'authjs', 'Auth.js'],
  ])('takes “%s” for the recipe %s', async (text, name, client_name) => {
    const line = ['--for', text, '--url', 'https://own.example.com', '--json']
    const { code, stdout } = await create('http', `named-${name}`, ...line)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ client_name, product: readRecipe(name).product })
  })

  it('has each name once, so that it leads to one recipe', () => {
    const all = recipeNames().flatMap(namesOf)
    expect(new Set(all).size).toBe(all.length)
    for (const name of recipeNames()) for (const one of namesOf(name)) expect(recipeNamed(one)).toBe(name)
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

  describe('of a product without a recipe', () => {
    const wiki = 'https://wiki.example.com'
    const asks = async (answers: readonly string[], ...more: string[]) =>
      await runHere(['client', 'create', '--for', 'other', '--url', wiki, ...more], {
        environment: ways.http(tessera),
        terminal: true,
        input: `${answers.join('\n')}\n`,
      })

    it('asks what it sends, and prints what to paste', async () => {
      const back = `${wiki}/oidc/back`
      const { code, stdout, stderr } = await asks(['Our Wiki', back, 'none', 'y', '', 'n', 'yes'])
      expect(code).toBe(0)
      expect(stderr).toContain('Does it send a nonce? [Y/n]')
      expect(stdout).toContain('The client our-wiki is registered for Another product or library')
      expect(stdout).toContain(`OIDC_REDIRECT_URI=${back}`)
      expect(stdout).toMatch(/^OIDC_CLIENT_SECRET=[\w-]{43}$/m)
      expect(stdout).toContain('- require_nonce: false.')
      const { stdout: shown } = await runHere(['client', 'show', 'our-wiki', '--json'], {
        environment: ways.http(tessera),
      })
      expect(JSON.parse(shown)).toMatchObject({
        client_name: 'Our Wiki',
        type: 'web',
        redirect_uris: [back],
        post_logout_redirect_uris: [],
        require_state: true,
        require_nonce: false,
        require_pkce: true,
      })
    })

    it('makes a public client of one that keeps no secret, and proposes the rest', async () => {
      const { code, stdout } = await asks(['', '', '', 'no', '', '', ''])
      expect(code).toBe(0)
      expect(stdout).toContain('The client wiki-example-com is registered')
      expect(stdout).toContain(`OIDC_REDIRECT_URI=${wiki}/callback`)
      expect(stdout).toMatch(/^OIDC_CLIENT_SECRET=$/m)
    })

    it('asks nothing that an option says, and nobody where nobody is', async () => {
      const said = ['--client-name', 'Said', '--no-require-nonce', '--redirect-uri', `${wiki}/said`]
      const { stderr } = await asks(['', 'y', '', ''], ...said)
      expect(stderr).not.toMatch(/called|redirect URI|nonce/)
      const {
        code,
        stdout,
        stderr: quiet,
      } = await create('http', '--for', 'other', '--url', 'https://b.example.com')
      expect({ code, stderr: quiet }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('The client b-example-com is registered')
    })

    it.each([
      ['that sends neither a nonce nor PKCE', ['Poor', '', '', 'y', 'y', 'n', 'n'], '--require-nonce: '],
      ['whose answers end', ['Poor', ''], 'Nothing was changed.'],
      ['without a redirect URI that counts', ['Poor', '/back', '', '', '', '', ''], '--redirect-uri'],
    ])('refuses one %s', async (_, answers, reason) => {
      const ran = await asks(answers)
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toContain(reason)
    })
  })
})
