import type { Command } from 'commander'
import { connected, type ConnectOptions } from '../connect.ts'
import { routeOf } from '../connection.ts'
import { type Context, note } from '../context.ts'
import { asShown } from '../names.ts'
import { bulkVerb } from '../long-work.ts'
import { profilesOf, withProfiles } from '../profiles.ts'
import { printThing, verbOf } from '../verbs/verb.ts'
import { resourceOf } from './resource.ts'

const one = '4c1d0b7e-9a35-4f6e-8d2b-7e1f0a9c3b01'
const several = '{"emails":["mara.lind@acme.example"],"profiles":[{"role_code":"reader"}]}'

export const invitation = resourceOf('invitation', {
  alias: 'invitations',
  without: ['profiles'],
  removal: 'withdraw',
  creation: {
    typed: [{ name: 'profiles', option: 'profile' }],
    options: withProfiles,
    body: async (_context, connection, { profile }) => await profilesOf(connection, profile),
  },
  more: (context) => [
    resendVerb(context),
    bulkVerb(context, 'invitation bulk', '/invitations/bulk', several),
  ],
})

function resendVerb(context: Context): Command {
  const route = routeOf('POST', '/invitations/:uuid/resend')
  return verbOf('invitation resend', route, [one])
    .argument('<uuid>', 'the invitation')
    .action(async (uuid: string, options: ConnectOptions) => {
      const sent = await connected(context, options, async (connection) => {
        const { body } = await connection.ask({ route, params: { uuid }, body: {} })
        return await asShown(connection, body, options)
      })
      printThing(context, sent, options)
      if ('link' in sent) note(context, 'The link is shown this once: pass it on now.')
    })
}
