import Table from 'cli-table3'
import { Command } from 'commander'
import { listConsents, withdrawConsent } from '../store/consents.ts'
import { findUserByEmail } from '../store/users.ts'
import { commandOrigin } from './origin.ts'
import { withStore } from './with-store.ts'

/** `tessera consents`: what people allowed applications that are not the organisation's own. */
export function consentsCommand(): Command {
  return new Command('consents')
    .description('See and withdraw what people allowed applications.')
    .addCommand(listCommand())
    .addCommand(withdrawCommand())
    .addHelpText('after', '\nExample:\n  $ tessera consents list')
}

function listCommand(): Command {
  return new Command('list')
    .description('List consents, newest first.')
    .argument('[email]', 'of this person alone')
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nExample:\n  $ tessera consents list mara.lind@acme.example')
    .action(async (email: string | undefined, { json }: { json?: boolean }) => {
      const consents = await withStore((store) => listConsents(store, email))
      if (json) return void process.stdout.write(`${JSON.stringify(consents, null, 2)}\n`)
      const table = new Table({
        head: ['person', 'client', 'scopes', 'since'],
        style: { head: [], border: [] },
      })
      for (const one of consents) {
        table.push([one.email, one.clientId, one.scopes.join(' '), new Date(one.grantedAt).toISOString()])
      }
      process.stdout.write(`${table.toString()}\n`)
    })
}

function withdrawCommand(): Command {
  return new Command('withdraw')
    .description('Withdraw a consent. The application loses its tokens for this person at once.')
    .argument('<email>', 'the person')
    .argument('<client_id>', 'the application')
    .addHelpText('after', '\nExample:\n  $ tessera consents withdraw mara.lind@acme.example partner-portal')
    .action(async (email: string, clientId: string) => {
      const withdrawn = await withStore(async (store) => {
        const user = await findUserByEmail(store, email)
        if (user === undefined) throw new Error(`There is no user ${email}. See: tessera consents list`)
        return await withdrawConsent(store, user.uuid, clientId, { now: Date.now(), by: commandOrigin() })
      })
      if (!withdrawn)
        throw new Error(`${email} gave ${clientId} no consent. See: tessera consents list ${email}`)
      process.stdout.write(`${email} no longer allows ${clientId} anything.\n`)
    })
}
