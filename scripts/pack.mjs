/**
 * What a package holds beside its own files, and what stands elsewhere in this repository: `prepack` brings it,
 * `postpack` (`--clean`) takes it away. Both run in the folder of the package.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const { name, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const isServer = name === '@tessera/server'
const borrowed = ['LICENSE', ...(isServer ? ['README.md', 'docs', 'examples'] : [])]

for (const one of borrowed) rmSync(one, { recursive: true, force: true })
if (!process.argv.includes('--clean')) await bring()

async function bring() {
  if (!existsSync('dist')) throw new Error(`${name} is not built yet. Run: npm run build`)
  for (const one of borrowed.filter((one) => one !== 'examples'))
    cpSync(join(root, one), one, { recursive: true })
  if (!isServer) return
  cpSync(join(root, 'examples/development.yaml'), 'examples/development.yaml')
  await example('submissions-api')
  await example('submissions-web')
  cpSync(join(root, 'examples/submissions-web/assets'), 'examples/submissions-web/assets', {
    recursive: true,
  })
  for (const file of ['README.md', ...readdirSync('docs', { recursive: true }).map((one) => `docs/${one}`)])
    if (file.endsWith('.md')) writeFileSync(file, withoutDeadLinks(file))
}

/** An example in one file, with what the service does not bring along itself. */
async function example(folder) {
  const outfile = `examples/${folder}/dist/main.js`
  await build({
    entryPoints: [join(root, outfile)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: Object.keys(dependencies),
    logLevel: 'warning',
  })
}

/** Links to what is not in the package become plain text. */
function withoutDeadLinks(file) {
  return readFileSync(file, 'utf8').replaceAll(/(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g, (link, text, target) => {
    if (/^(https?:|#)/.test(target) || existsSync(join(dirname(file), target.split('#')[0]))) return link
    return text
  })
}
