import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import { Command } from 'commander'
import type { DeclaredUser } from '../declared/declared.ts'
import { readDeclaredFile } from '../declared/format.ts'
import { start } from '../server.ts'
import { readSettings, type Settings } from '../settings.ts'
import { untilToldToStop } from './stop.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const webPort = 4001
const apiPort = 4002

/** `tessera dev`: the service and both examples on this machine, with people to sign in as. */
export function devCommand(): Command {
  return new Command('dev')
    .description('Try everything on this machine: the service, a web application and a protected API.')
    .addHelpText(
      'after',
      `
Data is kept under data/ in the current folder; remove that folder to begin anew. Settings may be
overridden from the environment, such as TESSERA_DECLARED or TESSERA_LOG_LEVEL=info.

Example:
  $ npm start`,
    )
    .action(dev)
}

async function dev(): Promise<void> {
  const settings = readSettings({
    TESSERA_MODE: 'development',
    TESSERA_DECLARED: join(root, 'examples/development.yaml'),
    TESSERA_LOG_LEVEL: 'warn',
    ...process.env,
  })
  // From here on, so that nothing that was started outlives a Ctrl+C.
  const toldToStop = untilToldToStop()
  const running = await start(settings)
  const web = `http://localhost:${webPort}`
  const api = `http://localhost:${apiPort}`
  const examples = [
    example('submissions-api', { PORT: String(apiPort), TESSERA_ISSUER: running.issuer }),
    example('submissions-web', { PORT: String(webPort), TESSERA_ISSUER: running.issuer, API_URL: api }),
  ]
  try {
    const up = Promise.all(examples.map(listens)).then(() => true)
    if (await Promise.race([up, toldToStop.then(() => false)])) {
      process.stdout.write(await welcome(settings, { service: running.issuer, web, api }))
      await toldToStop
    }
  } finally {
    await Promise.all(examples.map(end))
    await running.close()
  }
}

function example(name: string, environment: Record<string, string>): ChildProcess {
  const main = join(root, 'examples', name, 'dist', 'main.js')
  if (!existsSync(main)) throw new Error(`The example ${name} is not built. Run: npm run build`)
  return spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Resolves at the example's first line: that it listens. Throws when it ends instead, such as for a port that is taken. */
async function listens(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve()).resume()
    child.once('error', reject).once('exit', () => {
      reject(new Error(`An example could not start; ports ${webPort} and ${apiPort} must be free.`))
    })
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

async function welcome(
  settings: Settings,
  at: { service: string; web: string; api: string },
): Promise<string> {
  const people = await peopleTable(settings)
  const addresses = table('what', 'where')
  addresses.push(
    ['the web application: begin here', at.web],
    ['the service: its interface', `${at.service}/api/doc`],
    ['the protected API', at.api],
  )
  return `
Tessera is running.

${addresses.toString()}
${people}
Try: open ${at.web}, sign in, import, then sign in as somebody who may only read and see why it is refused.
A machine token: curl -s ${at.service}/oauth2/token -d grant_type=client_credentials \\
  -d client_id=nightly-import -d client_secret=nightly-import-development-secret
Data is in ${relative(process.cwd(), 'data') || 'data'}/; remove it to begin anew. Stop with Ctrl+C.
`
}

async function peopleTable(settings: Settings): Promise<string> {
  if (settings.declared === undefined) return ''
  const { users } = await readDeclaredFile(settings.declared, { mode: settings.mode })
  const table = new Table({
    head: ['who can sign in', 'password', 'acts as'],
    style: { head: [], border: [] },
  })
  for (const user of users) table.push([user.email, passwordOf(user), actsAs(user)])
  return `${table.toString()}\n`
}

/** Without colours and inner rules: short, and the same in a log. */
function table(...head: string[]): Table.Table {
  const chars = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' }
  return new Table({ head, chars, style: { head: [], border: [] } })
}

function passwordOf({ password }: DeclaredUser): string {
  return password !== undefined && 'plain' in password ? password.plain : '(kept as a hash)'
}

function actsAs({ profiles }: DeclaredUser): string {
  if (profiles.length === 0) return 'nobody: is told so'
  return profiles
    .map(({ role, organisation, unit }) =>
      [role, organisation, unit].filter((part) => part !== undefined).join(' · '),
    )
    .join('\n')
}
