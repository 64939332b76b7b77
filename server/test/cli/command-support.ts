import { PassThrough, type Readable } from 'node:stream'
import { type Command, CommanderError } from 'commander'
import { connect } from '../../dist/cli/connect.js'
import type { Connect } from '../../dist/cli/context.js'
import { fail } from '../../dist/cli/fail.js'
import { tesseraProgram } from '../../dist/cli/program.js'
import type { Tessera } from '../harness/harness.ts'
import { withSecret } from '../harness/process.ts'

/** The command within this process: as fast as what it does. What only a process shows is in other files. */

export interface Ran {
  /** Null when a signal ended it, as only a process ends. */
  code: number | null
  stdout: string
  stderr: string
}

export interface Here {
  environment?: Record<string, string>
  /** Standard input. */
  input?: string | Readable
  /** Whether somebody sits there. */
  terminal?: boolean
  /** How wide the terminal is that shows the answer; left out: a program reads it. */
  columns?: number
  now?: number
  /** Hears standard error while the command runs. */
  hears?: (text: string) => void
  connect?: Connect
}

/** `runHere`, or `run` of process.ts where the process itself is the matter. */
export type Runs = (
  commandLine: readonly string[],
  here: { environment: Record<string, string> },
) => Promise<Ran>

export async function runHere(commandLine: readonly string[], here: Here = {}): Promise<Ran> {
  const {
    environment = {},
    input = '',
    terminal = false,
    columns,
    now,
    connect: open = connect,
    hears,
  } = here
  let [stdout, stderr, found] = ['', '', 0]
  const output = collector((text) => (stdout += text))
  const errors = collector((text) => {
    stderr += text
    hears?.(text)
  })
  const stream = typeof input === 'string' ? new PassThrough().end(input) : input
  const context = {
    environment: withSecret(environment),
    input: Object.assign(stream, { isTTY: terminal }),
    output: Object.assign(output, columns !== undefined && { isTTY: true, columns }),
    now: () => now ?? Date.now(),
    errors: Object.assign(errors, { isTTY: terminal }),
    foundWith: (code: number) => void (found = code),
    connect: open,
  }
  const program = await tesseraProgram({ context, commandLine })
  const write = {
    writeOut: (text: string) => output.write(text),
    writeErr: (text: string) => errors.write(text),
  }
  for (const command of withParts(program)) command.exitOverride().configureOutput(write)
  const code = await program.parseAsync(commandLine, { from: 'user' }).then(
    () => found,
    (error: unknown) => (error instanceof CommanderError ? error.exitCode : fail(error, errors)),
  )
  return { code, stdout, stderr }
}

/** Standard error, line by line. */
export const complaintsOf = ({ stderr }: Ran): string[] => stderr.split('\n').filter((line) => line !== '')

const collector = (take: (text: string) => void): PassThrough => {
  const stream = new PassThrough({ encoding: 'utf8' })
  stream.on('data', take)
  return stream
}

export const withParts = (command: Command): Command[] => [command, ...command.commands.flatMap(withParts)]

/** How the command reaches what it administers. */
export const ways = {
  database: ({ databaseUrl, url }: Tessera): Record<string, string> => ({
    TESSERA_DATABASE_URL: databaseUrl,
    TESSERA_ISSUER: url,
  }),
  http: ({ url }: Tessera, clientId = 'admin-cli'): Record<string, string> => ({
    TESSERA_URL: url,
    TESSERA_CLIENT_ID: clientId,
    TESSERA_CLIENT_SECRET: `${clientId}-development-secret`,
  }),
} as const
export type Way = keyof typeof ways
