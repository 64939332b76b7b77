/** The pages of docs/integrate are what their recipes say, and hold to the code. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { paste } from '../../../interop/paste.ts'
import { products } from '../../../interop/products.ts'
import { issuerOfPages, recipePages, type Results } from '../../../scripts/recipe-pages.ts'
import { readRecipe, recipeNames } from '../../dist/administration/recipes.js'
import { parseDeclared } from '../../dist/declared/format.js'
import { discoveryDocument } from '../../dist/oauth2/discovery.js'
import { testSettings } from '../harness/settings.ts'
import { read, root } from './support.ts'

const pages = recipePages()
const discovered = JSON.stringify(discoveryDocument({ issuer: issuerOfPages, settings: testSettings({}) }))

describe('docs/integrate', () => {
  it('has a page for each recipe, as it says, and no other', () => {
    expect(readdirSync(join(root, 'docs/integrate')).sort()).toEqual([...pages.keys()].sort())
    for (const [file, text] of pages)
      expect(read(`docs/integrate/${file}`), 'Run: npm run recipes').toBe(text)
  })

  it('says of what was run what interop saw', () => {
    const file = 'interop/results.json'
    const { seen } = existsSync(join(root, file)) ? (JSON.parse(read(file)) as Results) : { seen: [] }
    const ran = recipeNames().filter((name) => readRecipe(name).ran === true)
    expect(ran).toEqual(seen.map(({ name }) => name).sort())
    for (const { name, version } of seen) expect(readRecipe(name).version).toBe(version)
  })
})

describe('npm run interop', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tessera-paste-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const made = { name: 'made', start: [], paths: { login: '/', who: '/' } }
  const settings = (...texts: string[]) => texts.map((text) => ({ where: 'somewhere', text }))

  it.each(products)('pastes all that the recipe of $name prints', ({ name, pasted }) => {
    expect(readRecipe(name).settings).toHaveLength(pasted.length)
  })

  it('pastes character by character, at the place or else at the end', () => {
    const text = "secret = '$& $1 $`'  \n\ttab\n"
    writeFileSync(join(folder, 'app.py'), 'before\n# PASTE: at its start\nbetween\n  # PASTE\nafter\n')
    const pasted = ['app.py', 'app.py', 'deep/settings', 'deep/settings']
    paste({ ...made, pasted }, folder, settings(text, text, text, text))
    expect(readFileSync(join(folder, 'app.py'), 'utf8')).toBe(`before\n${text}\nbetween\n${text}\nafter\n`)
    expect(readFileSync(join(folder, 'deep/settings'), 'utf8')).toBe(`${text}${text}`)
  })

  it('refuses a setting that goes nowhere, and a place that gets none', () => {
    writeFileSync(join(folder, 'app.py'), '# PASTE\n# PASTE\n')
    const product = { ...made, pasted: ['app.py'] }
    expect(() => paste(product, folder, settings('one', 'two'))).toThrow('made has 2 settings')
    expect(() => paste(product, folder, settings('one'))).toThrow('app.py of made has a place')
  })
})

describe.each(recipeNames())('the recipe %s', (name) => {
  const page = pages.get(`${name}.md`) ?? ''
  const recipe = readRecipe(name)

  it('registers a client or a service that production takes', () => {
    const snippet = /```yaml\n((?:clients|services):\n[\s\S]*?)```/.exec(page)?.[1] ?? ''
    const declared = parseDeclared(snippet, { file: `${name}.md`, mode: 'production' })
    expect(declared.clients.length + declared.services.length).toBe(1)
  })

  it('says why where it is weaker than by default', () => {
    const { require_nonce: nonce, require_state: state, require_pkce: pkce } = recipe.client ?? {}
    const weaker = [nonce, state, pkce].includes(false) || recipe.service?.access_token_typ === 'JWT'
    expect(recipe.why !== undefined).toBe(weaker)
  })

  it('names its client after the product, and tells nobody to make up what it pastes', () => {
    expect(recipe.client?.['client_name'] ?? '').not.toMatch(/^(Application|Intranet)$/)
    for (const { text } of recipe.settings)
      expect(text).not.toMatch(/process\.env|random bytes|YOUR_|<\w+>$/m)
  })

  it('leads to addresses that there are, and leaves nothing to fill in', () => {
    expect(page).not.toMatch(/\{\{(?:issuer|url|client_id|client_secret|scope)\}\}/)
    const known = new Set([...discovered.matchAll(/"(https:[^"]*)"/g)].map(([, address]) => address))
    for (const [, path = ''] of page.matchAll(/https:\/\/id\.example\.com(\/[\w./-]+)/g)) {
      if (path === '/.well-known/openid-configuration') continue
      // A base that other names are put after, such as `userinfo`.
      const begun = [...known].some((one) => one?.startsWith(`${issuerOfPages}${path}`))
      expect(path.endsWith('/') ? begun : known.has(`${issuerOfPages}${path}`), path).toBe(true)
    }
  })
})
