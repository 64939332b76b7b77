import cluster from 'node:cluster'
import { url as debuggerUrl } from 'node:inspector'
import { Command, InvalidArgumentError } from 'commander'
import { pathOfIssuer } from '../protocol/issuer-path.ts'
import { start } from '../server.ts'
import { readSettings, SettingsError } from '../settings.ts'
import { sayAlive, serveProcesses } from './processes.ts'
import { closeInTime, untilToldToStop } from './stop.ts'

/** `tessera serve`: the service, as it is operated. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('Run the service. Settings come from the environment alone: see docs/configuration.md.')
    .option('--processes <n>', 'how many processes share the port', count, 1)
    .addHelpText(
      'after',
      `
Examples:
  $ TESSERA_ISSUER=https://id.example.com TESSERA_SECRET_FILE=/run/secrets/tessera tessera serve
  $ TESSERA_MODE=development TESSERA_DECLARED=examples/development.yaml tessera serve`,
    )
    .action(serve)
}

async function serve({ processes }: { processes: number }): Promise<void> {
  const settings = readSettings(process.env)
  if (settings.mode === 'production' && debuggerUrl() !== undefined) throw debuggerIsOpen()
  // A line that nobody takes, or that the disk has no room for, would end a process without a listener.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
  if (cluster.isPrimary && settings.issuer !== undefined) sayWhoElseIs(settings.issuer)
  if (processes > 1 && cluster.isPrimary) {
    if (settings.port === 0) {
      throw new SettingsError('TESSERA_PORT is 0, which several processes cannot share: set it to a port.')
    }
    return await serveProcesses(settings, processes)
  }
  const toldToStop = untilToldToStop()
  const isFirst = cluster.isPrimary || cluster.worker?.id === 1
  const starting = start(settings, { oneOfSeveral: cluster.isWorker, linger: true, measure: isFirst })
  // The channel to the first process must not hold one that is done, or that failed to start.
  const running = await Promise.race([starting, toldToStop]).finally(() => process.channel?.unref())
  // Nothing is in flight yet, and the database undoes what was begun.
  if (!running) process.exit(0)
  if (cluster.isWorker) sayAlive()
  else process.stdout.write(`tessera listens on ${running.url} as ${running.issuer}\n`)
  await toldToStop
  await closeInTime(running)
}

/** The origin of an issuer with a path is shared: another page of it can do what a page of the service can. */
function sayWhoElseIs(issuer: string): void {
  if (pathOfIssuer(issuer) === '') return
  process.stderr.write(
    `tessera: whoever can put a page on ${new URL(issuer).host} is this provider: keep other people's pages and uploads off it\n`,
  )
}

const debuggerIsOpen = () =>
  new SettingsError(
    "Node's debugger is open, and whoever reaches it reads every key: remove --inspect from NODE_OPTIONS or the command line, or set TESSERA_MODE=development.",
  )

function count(text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > 256)
    throw new InvalidArgumentError('It is a number from 1 to 256.')
  return number
}
