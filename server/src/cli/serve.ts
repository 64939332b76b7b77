import { Command } from 'commander'
import { start } from '../server.ts'
import { readSettings } from '../settings.ts'
import { untilToldToStop } from './stop.ts'

/** `tessera serve`: the service, as it is operated. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('Run the service. Settings come from the environment alone: see docs/configuration.md.')
    .addHelpText(
      'after',
      `
Examples:
  $ TESSERA_ISSUER=https://id.example.com TESSERA_SECRET_FILE=/run/secrets/tessera tessera serve
  $ TESSERA_MODE=development TESSERA_DECLARED=examples/development.yaml tessera serve`,
    )
    .action(async () => {
      const running = await start(readSettings(process.env))
      // Before the line that says it is up: whoever waits for that line may end the process at once.
      const toldToStop = untilToldToStop()
      process.stdout.write(`tessera listens on ${running.url} as ${running.issuer}\n`)
      await toldToStop
      await running.close()
    })
}
