/**
 * Puts the command into a few files, with the libraries that it loads at every start: nearly a thousand files are read
 * and linked otherwise, which takes twice as long as all that the start does. `npm run build` runs it after tsc; the
 * launcher takes what tsc made where there is no bundle.
 */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const server = fileURLToPath(new URL('../server/', import.meta.url))

export async function bundle() {
  const outdir = `${server}dist/bundle`
  rmSync(outdir, { recursive: true, force: true })
  await build({
    // The worker is a file of its own, beside whoever starts it.
    entryPoints: {
      main: `${server}dist/cli/main.js`,
      'password-worker': `${server}dist/identity/password-worker.js`,
    },
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    // Names stay, for the stacks of errors.
    minifyWhitespace: true,
    minifySyntax: true,
    // What is native, what others reach for as well, and what is loaded only where it is used.
    external: [
      '@photostructure/sqlite',
      '@node-rs/argon2',
      '@node-rs/bcrypt',
      '@opentelemetry/api',
      'pg',
      'prom-client',
      'swagger-ui-dist',
    ],
    // Libraries in CommonJS ask for these.
    banner: {
      js: [
        "import { createRequire as __createRequire } from 'node:module'",
        "import { dirname as __dirnameOf } from 'node:path'",
        "import { fileURLToPath as __pathOf } from 'node:url'",
        'const require = __createRequire(import.meta.url)',
        'const __filename = __pathOf(import.meta.url)',
        'const __dirname = __dirnameOf(__filename)',
      ].join('\n'),
    },
    logLevel: 'warning',
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle()
