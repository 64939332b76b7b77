import { Command } from 'commander'
import { forAnybody, passwordProblem } from '../identity/password-rules.ts'
import { PasswordHasher } from '../identity/passwords.ts'
import { hashSecret, newSecret } from '../protocol/identifier.ts'
import { lineFrom } from './ask.ts'

/** `tessera hash`: what a declared file holds in place of a password or a secret. */
export function hashCommand(): Command {
  return new Command('hash')
    .description('Make the hashes that a declared file holds in production.')
    .addCommand(passwordCommand())
    .addCommand(secretCommand())
    .addHelpText(
      'after',
      `
Examples:
  $ printf %s 'correct horse battery staple' | tessera hash password
  $ tessera hash secret`,
    )
}

function passwordCommand(): Command {
  return new Command('password')
    .description('Read a password from standard input and print its password_hash.')
    .addHelpText('after', "\nExample:\n  $ printf %s 'correct horse battery staple' | tessera hash password")
    .action(async () => {
      const password = await lineFrom(process.stdin)
      const problem = passwordProblem(password, forAnybody)
      if (problem !== undefined) throw new Error(`The password can't be taken. ${problem}`)
      process.stdout.write(`${await new PasswordHasher(1, Date.now).hash(password)}\n`)
    })
}

function secretCommand(): Command {
  return new Command('secret')
    .description(
      'Generate a client secret and print it with its client_secret_hash. The secret is shown this once.',
    )
    .option('--json', 'print both as JSON')
    .addHelpText('after', '\nExample:\n  $ tessera hash secret')
    .action(({ json }: { json?: boolean }) => {
      const secret = newSecret()
      const hash = `sha256:${hashSecret(secret)}`
      const made = { client_secret: secret, client_secret_hash: hash }
      process.stdout.write(
        json
          ? `${JSON.stringify(made)}\n`
          : `client_secret (give it to the client): ${secret}\nclient_secret_hash (put it in the file): ${hash}\n`,
      )
    })
}
