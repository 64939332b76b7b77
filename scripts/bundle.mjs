/**
 * Puts the command into one file, with the libraries that it loads at every start, and beside it what V8 makes of that:
 * nearly a thousand files are read, compiled and linked otherwise, which takes twice as long as all that the start does.
 * `npm run build` runs it after tsc, and it does nothing where tsc made nothing new; the launcher takes what tsc made where
 * there is no bundle.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const server = fileURLToPath(new URL('../server/', import.meta.url))
const outdir = `${server}dist/bundle`
/** The programs that are started as a process: the command, and the work on a declared file over HTTP. */
const programs = { tessera: 'cli/main', declaring: 'declaring/child-process' }

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // Names stay, for the stacks of errors.
  minifyWhitespace: true,
  minifySyntax: true,
  // What is native, what others reach for as well, and what is loaded only where it is used.
  external: [
    '@photostructure/sqlite',
    '@node-rs/argon2',
    '@node-rs/bcrypt',
    '@simplewebauthn/server',
    'nodemailer',
    'pg',
    'prom-client',
    'swagger-ui-dist',
    'openid-client',
    '@node-saml/node-saml',
    '@peculiar/x509',
    'ldapts',
    'scim2-parse-filter',
  ],
  logLevel: 'warning',
}

/** The version of Node, whose V8 compiled the bundle. Its time is that of the bundle. */
const stamp = `${outdir}/stamp`

/** Whether nothing that goes into the bundle was written since. */
function isCurrent() {
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== process.version) return false
  const made = statSync(stamp).mtimeMs
  // What the browser loads is no part of the command.
  const sources = readdirSync(`${server}dist`, { recursive: true })
    .filter((name) => name.endsWith('.js') && !/^(bundle|console)[\\/]/.test(name))
    .map((name) => `${server}dist/${name}`)
  const own = ['bundle.mjs', 'bundle-url.mjs', 'compile.cjs', 'compile-declaring.cjs', '../package-lock.json']
  const others = own.map((name) => fileURLToPath(new URL(name, import.meta.url)))
  return [...sources, ...others].every((file) => statSync(file).mtimeMs < made)
}

export async function bundle() {
  if (isCurrent()) return
  rmSync(outdir, { recursive: true, force: true })
  for (const [name, main] of Object.entries(programs)) await bundled(`${outdir}/${name}.cjs`, main)
  // The worker is a file of its own, beside the program.
  await build({
    ...common,
    entryPoints: [`${server}dist/identity/password-worker.js`],
    outdir,
    entryNames: '[name]',
    format: 'esm',
  })
  // What V8 keeps is never the same twice: a build that is to be repeated goes without (reproducible-builds.org).
  if (process.env.SOURCE_DATE_EPOCH === undefined) compileAhead()
  writeFileSync(stamp, process.version)
}

/**
 * @param {string} program
 * @param {string} main
 */
async function bundled(program, main) {
  await build({
    ...common,
    entryPoints: [`${server}dist/${main}.js`],
    outfile: program,
    format: 'cjs',
    // A function, as Node makes one of every such file: bin/compiled.cjs calls it.
    banner: { js: '(function (require, __filename, __dirname) {' },
    footer: { js: '})' },
    define: { 'import.meta.url': '__bundleUrl' },
    inject: [fileURLToPath(new URL('bundle-url.mjs', import.meta.url))],
    supported: { 'dynamic-import': false },
  })
  writeFileSync(program, inAscii(readFileSync(program, 'utf8')))
}

function compileAhead() {
  const program = fileURLToPath(new URL('compile.cjs', import.meta.url))
  try {
    execFileSync(process.execPath, [program], { stdio: 'inherit', timeout: 60_000 })
  } catch {
    // Nothing but time is lost.
    process.stderr.write('The command could not be compiled ahead; it compiles itself at each start.\n')
  }
}

/** esbuild escapes all but what stands in tagged templates. A text of other characters takes V8 ten times as long to read. */
function inAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle()
