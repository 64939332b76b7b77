import { Command } from 'commander'
import type { Context } from './context.ts'
import type { CompareOptions } from './compare/compare.ts'

/** `tessera compare`: the tokens of two services for one person and client, side by side. */
export function compareCommand(context: Context): Command {
  return new Command('compare')
    .description('Sign in at this service and at another, and show the tokens of both side by side.')
    .requiredOption('--with <issuer>', 'the other service, as it calls itself')
    .requiredOption('--client <client_id>', 'the client, which both services have')
    .requiredOption('--as <email>', 'who signs in')
    .requiredOption('--redirect-uri <address>', 'an address that the client has registered at both')
    .option('--url <issuer>', 'this side, instead of TESSERA_URL, TESSERA_ISSUER or the one login')
    .option('--scope <scopes>', 'what to ask for', 'openid email profile')
    .option('--secret-file <file>', 'a file with the secret of the client, instead of TESSERA_COMPARE_SECRET')
    .option('--with-secret-file <file>', 'the same for the other service, where the secrets differ')
    .option('--json', 'print all as JSON')
    .addHelpText(
      'after',
      `
For the weekend of a move: what an application gets of both. You sign in twice in your browser, with PKCE, first there,
then here. Where the redirect address is of this machine (http://127.0.0.1:4001/callback), the command listens there, so
stop the application first; elsewhere it asks for the address that the browser ended on.

Each claim is the same, always differs (iss, exp, sid and what belongs to one sign-in), differs, is of another type, or
is only here or only there. NOTICED are those that an application would see: what differs, changed its type or is gone.
What is only here disturbs nobody. No token is shown, logged or kept; they are revoked where that is possible.

Exit codes: 0 no application would notice; 1 failed; 2 an application would notice.

Examples:
  $ tessera compare --with https://id.example.com/realms/acme --client intranet --as lena.hoff@acme.example \\
      --redirect-uri http://127.0.0.1:4001/callback --secret-file intranet.secret
  $ tessera compare --with https://old.example --client web --as lena.hoff@acme.example --url https://id.example.com \\
      --redirect-uri https://web.example/callback --json | jq '.answers[] | select(.noticed)'`,
    )
    .action(async (options: CompareOptions) => {
      const { compare } = await import('./compare/compare.ts')
      await compare(context, options)
    })
}
