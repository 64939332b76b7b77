/**
 * The Chromium that tests drive, wherever it can be found. In order: TESSERA_TEST_BROWSER (a path), Playwright's
 * own cache, `chromium` or `google-chrome` on PATH, and on linux-x64 the one that npm brings along
 * (@sparticuz/chromium), so that a machine with nothing but npm runs every test. It never downloads one, and
 * never skips: without a browser it fails and says what to do.
 *
 * On Linux it draws with fonts out of npm alone, so that text is as wide on every machine, and on one without fonts
 * it doesn't die at the first letter.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, chmod, constants, lstat, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

interface Found {
  executablePath: string
  /** What this binary needs beside our own environment. */
  env: Record<string, string>
}

const flags = [
  '--headless',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let found: Promise<Found> | undefined

export async function launchChromium(): Promise<Browser> {
  found ??= findChromium()
  const { executablePath, env } = await found
  // Chromium refuses its sandbox to root; for everybody else it stays on.
  const root = process.getuid?.() === 0
  return chromium.launch({
    executablePath,
    args: root ? [...flags, '--no-sandbox'] : flags,
    chromiumSandbox: !root,
    env: { ...ownEnvironment(), ...env, FONTCONFIG_FILE: fontsFile },
  })
}

const fontsFile = fileURLToPath(new URL('../fixtures/fonts.conf', import.meta.url))

async function findChromium(): Promise<Found> {
  const named = process.env['TESSERA_TEST_BROWSER']
  if (named) {
    if (await isExecutable(named)) return { executablePath: named, env: {} }
    throw new Error(`TESSERA_TEST_BROWSER names ${named}, which is not an executable file`)
  }
  const installed = (await fromPlaywrightCache()) ?? (await fromPath())
  if (installed) return { executablePath: installed, env: {} }
  if (process.platform === 'linux' && process.arch === 'x64') return fromNpm()
  throw new Error(
    'No Chromium found. Set TESSERA_TEST_BROWSER to the path of one, put `chromium` or `google-chrome` on PATH, ' +
      'or run `npx playwright-core install chromium`.',
  )
}

async function fromPlaywrightCache(): Promise<string | undefined> {
  const path = chromium.executablePath()
  return path && (await isExecutable(path)) ? path : undefined
}

async function fromPath(): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  for (const name of ['chromium', 'google-chrome']) {
    for (const folder of folders) {
      const path = join(folder, name)
      if (await isExecutable(path)) return path
    }
  }
  return undefined
}

/**
 * Unpacked once per version and user. Workers that come at the same time each unpack into a folder of their own,
 * and the first to finish renames it into place; the others throw theirs away. So nobody ever starts a binary
 * that is still being written.
 */
async function fromNpm(): Promise<Found> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const folder = join(await privateFolder(), `chromium-${await versionOf(entry)}`)
  if (!existsSync(folder)) {
    const own = await mkdtemp(`${folder}-unpacking-`)
    await unpack(own)
    await rename(own, folder).catch(async (error: unknown) => {
      await rm(own, { recursive: true, force: true })
      if (!existsSync(folder)) throw error
    })
  }
  return {
    executablePath: join(folder, 'chromium'),
    // Its own NSS libraries: a bare machine has none.
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), HOME: folder },
  }
}

/**
 * The package unpacks into TMPDIR and changes LD_LIBRARY_PATH of the process that loads it; a child process keeps
 * both away from the tests. It brings its libraries only where it believes to be on AWS.
 */
async function unpack(into: string): Promise<void> {
  const script =
    "const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath()"
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: dirname(fileURLToPath(import.meta.url)),
    env: { ...ownEnvironment(), TMPDIR: into, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x', NODE_OPTIONS: '' },
  })
  await chmod(join(into, 'chromium'), 0o700)
}

/** We execute what lies there, so it must be ours alone: the temporary folder is everybody's. */
async function privateFolder(): Promise<string> {
  const uid = process.getuid?.() ?? 0
  const folder = join(tmpdir(), `tessera-test-browser-${uid}`)
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const stat = await lstat(folder)
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a folder of this user alone; remove it`)
  }
  return folder
}

async function versionOf(entry: string): Promise<string> {
  // build/cjs/index.js or build/esm/index.js: the package's own package.json is not exported
  for (let folder = dirname(entry); folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}')
    const { name, version } = JSON.parse(text) as { name?: string; version?: string }
    if (name === '@sparticuz/chromium' && version) return version
  }
  throw new Error('@sparticuz/chromium is not installed completely; run npm ci')
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
