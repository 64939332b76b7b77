import cluster from 'node:cluster'
import { Command, InvalidArgumentError } from 'commander'
import { start } from '../server.ts'
import { readSettings, SettingsError } from '../settings.ts'
import { serveAsOneOfSeveral, serveProcesses } from './processes.ts'
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
  // A line that nobody takes, or that the disk has no room for, is lost; without a listener it would end the process.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
  if (cluster.isWorker) return await serveAsOneOfSeveral(settings)
  if (processes > 1) {
    if (settings.port === 0) {
      throw new SettingsError('TESSERA_PORT is 0, which several processes cannot share: set it to a port.')
    }
    return await serveProcesses(settings, processes)
  }
  const running = await start(settings, { linger: true })
  // Before the line that says it is up: whoever waits for that line may end the process at once.
  const toldToStop = untilToldToStop()
  process.stdout.write(`tessera listens on ${running.url} as ${running.issuer}\n`)
  await toldToStop
  await closeInTime(running)
}

function count(text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > 256)
    throw new InvalidArgumentError('It is a number from 1 to 256.')
  return number
}
