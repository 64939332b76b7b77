/**
 * Builds the console into `server/dist/console`, which the package of the service carries: types out of the document of
 * the API, colours out of the pages' own, then the files, each compressed beside. Does nothing where nothing changed.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const folder = fileURLToPath(new URL('.', import.meta.url))
const root = join(folder, '..')
const outDir = join(root, 'server/dist/console')
const generated = {
  types: join(folder, 'src/api/types.d.ts'),
  colours: join(folder, 'src/theme/variables.css'),
}

export async function buildConsole() {
  const document = await apiDocument()
  const tokens = readFileSync(join(root, 'server/assets/pages/tokens.css'), 'utf8')
  const stamp = fingerprint(document, tokens)
  const stampFile = join(outDir, 'stamp')
  const present = Object.values(generated).every((file) => existsSync(file)) && existsSync(stampFile)
  if (present && readFileSync(stampFile, 'utf8') === stamp) return
  const { default: openapiTS, astToString } = await import('openapi-typescript')
  writeFileSync(generated.types, astToString(await openapiTS(document)))
  writeFileSync(generated.colours, await variables(tokens))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', folder], { stdio: 'inherit' })
  await bundle()
  compress()
  writeFileSync(stampFile, stamp)
}

async function apiDocument() {
  const { readSettings } = await import('../server/dist/settings.js')
  const { openApiDocument } = await import('../server/dist/http/openapi/document.js')
  // In memory: settings of a file would make its secret, too.
  const settings = readSettings({ TESSERA_MODE: 'development', TESSERA_DATABASE_URL: 'sqlite::memory:' })
  return JSON.stringify(openApiDocument({ issuer: 'http://localhost:4000', settings }))
}

/** Of all that the files are made of. */
function fingerprint(...made) {
  const sources = readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .filter((file) => !Object.values(generated).includes(file))
    .sort()
  const others = ['build.mjs', 'index.html', 'tsconfig.json'].map((name) => join(folder, name))
  const hash = createHash('sha256')
  const files = [...sources, ...others, join(root, 'package-lock.json')]
  for (const text of [...made, ...files.flatMap((file) => [file.slice(root.length), readFileSync(file)])])
    hash.update(text).update('\0')
  return hash.digest('hex')
}

/**
 * The colours of the pages, and the component library's variables. The library would write them into the page by
 * itself, which Trusted Types forbid.
 */
async function variables(tokens) {
  const { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } = await import(
    '@mantine/core'
  )
  const { theme } = await import('./src/theme/theme.js')
  const unused = /^--mantine-color-(?!(white|black|gray|red|pine|dark)\b|[a-z-]+$)/
  const kept = (list) => Object.fromEntries(Object.entries(list).filter(([name]) => !unused.test(name)))
  const all = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme))
  const library = convertCssVariables(
    { variables: kept(all.variables), light: kept(all.light), dark: kept(all.dark) },
    ':root',
  )
  const [light, dark] = tokens.split('@media (prefers-color-scheme: dark)')
  const [inLight, inDark] = [light, dark].map((text) => /:root \{([^}]*)\}/.exec(text)?.[1])
  if (inLight === undefined || inDark === undefined)
    throw new Error('tokens.css has no colours where they were.')
  // A page that is shown within the console, by day and by night.
  const within = `.by-day { ${inLight} color-scheme: light; }\n.by-night { ${inDark} color-scheme: dark; }\n`
  const whole = `:root[data-mantine-color-scheme='dark'] { color-scheme: dark; ${inDark} }\n`
  return `${library}\n${light}\n${whole}${within}`
}

async function bundle() {
  const { build } = await import('vite')
  const { default: react } = await import('@vitejs/plugin-react')
  // A run of tests builds too, and in its environment React would be the large one for developers.
  const { NODE_ENV: environment = '' } = process.env
  process.env.NODE_ENV = 'production'
  await build({
    root: folder,
    // Where the service is, the page says.
    base: './',
    configFile: false,
    logLevel: 'warn',
    plugins: [react()],
    // No help for browsers without modules, which would be a script in the page.
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // What many views share is one file: by itself each view loaded some thirty, half of them below 2 kB.
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 6 }] } } },
    },
  })
  process.env.NODE_ENV = environment
}

function compress() {
  const assets = join(outDir, 'assets')
  for (const name of readdirSync(assets)) {
    const content = readFileSync(join(assets, name))
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content))
    writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildConsole()
  // Nothing of the service, whose document was read, holds the process.
  process.exit()
}
