import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import type { DeclaredUser } from '../declared/declared.ts'
import { readDeclaredFile } from '../declared/format.ts'
import { type Running, start } from '../server.ts'
import type { Settings } from '../settings.ts'
import { exampleFile, places } from './dev-places.ts'
import { untilToldToStop } from './stop.ts'
import { tableText } from './table.ts'

/** `tessera dev`: the service and both examples on this machine, with people to sign in as. */
export function devCommand(): Command {
  return new Command('dev')
    .description('Try everything on this machine: the service, a web application and a protected API.')
    .addHelpText(
      'after',
      `
It takes the port of TESSERA_PORT (4000) and the two that follow it, for the service, the web application and
the API. Data is kept under data/ in the current folder; remove that folder to begin anew. On another port it is
kept under data/PORT/, so that two of these run beside each other. Settings may be overridden from the
environment, such as TESSERA_DECLARED or TESSERA_LOG_LEVEL=info; a declared file of your own has to name the
address of the web application among the redirect URIs of submissions-web.

Examples:
  $ npm start                        # in a checkout
  $ TESSERA_PORT=4010 npm start      # on 4010, 4011 and 4012
  $ npx tessera dev                  # where it is installed`,
    )
    .action(dev)
}

async function dev(): Promise<void> {
  const { settings, ports, issuer, data } = await places(process.env)
  // A Ctrl+C is heard from here on, so that nothing that was started outlives it.
  const toldToStop = untilToldToStop()
  const at = { service: issuer, web: `http://localhost:${ports.web}`, api: `http://localhost:${ports.api}` }
  const names = JSON.stringify(await namesIn(settings))
  const common = (name: string) => ({ TESSERA_ISSUER: issuer, DATABASE: join(data, `${name}.sqlite`) })
  const web = { ...common('submissions-web'), API_URL: at.api, NAMES: names }
  // The examples must both be there before one is started.
  for (const name of ['submissions-api', 'submissions-web']) mainOf(name)
  const examples = [
    startExample('submissions-api', ports.api, common('submissions')),
    startExample('submissions-web', ports.web, web),
  ]
  let running: Running | undefined
  try {
    // First, so that they have their ports when the service opens its database.
    const up = Promise.all(examples.map((one) => one.listens)).then(() => true)
    if (await Promise.race([up, toldToStop.then(() => false)])) {
      running = await start(settings)
      process.stdout.write(await welcome(settings, { ...at, data }))
      await toldToStop
    }
  } finally {
    await Promise.all(examples.map((one) => one.end()))
    await running?.close()
  }
}

interface Example {
  /** Resolves at its first line, and rejects when it ends instead, as for a port that is taken. */
  listens: Promise<void>
  end: () => Promise<void>
}

const signals = fileURLToPath(new URL('../../bin/signals.cjs', import.meta.url))
const mainOf = (name: string): string => exampleFile(`${name}/dist/main.js`)

/** One of the two examples, as a process of its own. */
function startExample(name: string, port: number, settings: Record<string, string>): Example {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, ['--require', signals, mainOf(name)], {
    env: { PATH, HOME, PORT: String(port), ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const listens = new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve()).resume()
    child.once('error', reject).once('exit', () => {
      reject(new Error(`The example ${name} could not start; port ${port} must be free.`))
    })
  })
  const end = async () => {
    if (child.exitCode !== null || !child.kill('SIGTERM')) return
    await ended
  }
  return { listens, end }
}

async function welcome(
  settings: Settings,
  at: { service: string; web: string; api: string; data: string },
): Promise<string> {
  const people = await peopleTable(settings)
  const addresses = [
    ['the web application: begin here', at.web],
    ['the console: administer here', `${at.service}/console`],
    ['the service: its interface', `${at.service}/api/doc`],
    ...(settings.mail.server === undefined
      ? [['the mails that it would send', `${at.service}/development/mail`]]
      : []),
    ['the protected API', at.api],
  ]
  return `
Tessera is running.

${tableText(['what', 'where'], addresses, sheet)}

${people}
Try: open ${at.web}, sign in, import, then sign in as somebody who may only read and see why it is refused.
A machine token: curl -s ${at.service}/oauth2/token -d grant_type=client_credentials \\
  -d client_id=nightly-import -d client_secret=nightly-import-development-secret
${commandAt(settings, at.data)}Data is in ${at.data}/; remove it to begin anew. Stop with Ctrl+C.
`
}

/** The command uses the data of the usual ports, unless it is told otherwise. */
const commandAt = ({ databaseUrl }: Settings, data: string): string =>
  data !== 'data' && databaseUrl.startsWith(`sqlite:${data}/`)
    ? `The command, on these data: TESSERA_DATABASE_URL=${databaseUrl} npx tessera user list\n`
    : ''

/** What an application knows by itself: the names of what tokens hold the uuid or code of. */
export async function namesIn(
  settings: Pick<Settings, 'declared' | 'mode'>,
): Promise<Record<string, string>> {
  if (settings.declared === undefined) return {}
  const { roles, organisations } = await readDeclaredFile(settings.declared, { mode: settings.mode })
  const places = organisations.flatMap((organisation) => [organisation, ...organisation.units])
  return {
    ...Object.fromEntries(roles.map(({ code, name }) => [code, name])),
    ...Object.fromEntries(places.flatMap(({ uuid, name }) => (uuid === undefined ? [] : [[uuid, name]]))),
  }
}

async function peopleTable(settings: Settings): Promise<string> {
  if (settings.declared === undefined) return ''
  const { users } = await readDeclaredFile(settings.declared, { mode: settings.mode })
  const rows = users.map((user) => [user.email, passwordOf(user), actsAs(user)])
  return `${tableText(['who can sign in', 'password', 'acts as'], rows, sheet)}\n`
}

/** Nothing is cut off, also where it is no terminal. */
const sheet = { width: Infinity, coloured: false }

function passwordOf({ password }: DeclaredUser): string {
  return password !== undefined && 'plain' in password ? password.plain : '(kept as a hash)'
}

function actsAs({ profiles }: DeclaredUser): string {
  if (profiles.length === 0) return 'nobody: is told so'
  return profiles
    .map(({ role_code: role, organisation, unit }) =>
      [role, organisation, unit].filter((part) => part !== undefined).join(' · '),
    )
    .join(', ')
}
