import * as z from 'zod'
import { isoTime, text } from '../fields.ts'
import { route, type Route } from '../route.ts'
import { administratorsWithoutFactor, endingProfiles, unprovedAccounts, waitingProfiles } from './people.ts'
import {
  brokenAudit,
  endingSecrets,
  endingUpstreams,
  failingMails,
  failingUpstreams,
  failingWebhooks,
  overdueKeys,
  refusedAddresses,
  weakenedClients,
} from './things.ts'
import { type Finder, findingKinds, mostFound } from './finder.ts'
import { missingBreakGlass } from './break-glass.ts'
import { dormantSecrets, failingDocuments, missingIssuers } from './proofs.ts'

/** What needs somebody: each kind is a question to an index, and asked for those who may read what it tells. */

interface AttentionKind {
  /** All that is needed to read the target. */
  permissions: readonly string[]
  find: Finder
  cure: string
}

const kinds = {
  audit_broken: {
    permissions: ['iam.audit.read'],
    find: brokenAudit,
    cure: 'Run `tessera audit verify` on the database, which names the records; docs/audit.md says what each finding means. Change nothing before you know who did it.',
  },
  signing_key_overdue: {
    permissions: ['iam.keys.read'],
    find: overdueKeys,
    cure: 'Look in the log of the service why it does not rotate by itself, or rotate now: POST /keys.',
  },
  secret_ends: {
    permissions: ['iam.clients.read'],
    find: endingSecrets,
    cure: 'Give the client another secret, put it into the program, then remove the one that ends.',
  },
  issuer_missing: {
    permissions: ['iam.clients.read'],
    find: missingIssuers,
    cure: 'Nobody proves to be the client: declare the issuer for it again in `assertion_issuers`, give it another proof, or disable it.',
  },
  document_fails: {
    permissions: ['iam.clients.read'],
    find: failingDocuments,
    cure: 'The last good copy serves for 7 days, and for an hour once the host says that there is none. Mend what the text says, then let somebody sign in: that asks anew. Where the vendor has another address by now, register that.',
  },
  secret_dormant: {
    permissions: ['iam.clients.read'],
    find: dormantSecrets,
    cure: 'The client proves itself by keys, and its secret would count again by another `token_endpoint_auth_method`: remove the secret.',
  },
  upstream_secret_ends: {
    permissions: ['iam.upstreams.read'],
    find: endingUpstreams,
    cure: 'Make another secret at the provider, and set it with its end: `tessera upstream secret`, or PATCH /upstreams/{uuid}.',
  },
  upstream_fails: {
    permissions: ['iam.upstreams.read'],
    find: failingUpstreams,
    cure: 'Mend at the provider or here what the text says. After `client_refused` try it, for a check does not: `tessera upstream test`, or POST /upstreams/{uuid}/test; it is named until somebody signs in. Otherwise look again with `tessera upstream check`, or POST /upstreams/{uuid}/check: it is named until a look or a sign-in gets through.',
  },
  break_glass_missing: {
    permissions: ['iam.upstreams.read', 'iam.organisations.read'],
    find: missingBreakGlass,
    cure: 'Name somebody in `break_glass` who has a profile there and an own credential of level 2: PATCH /organisations/{uuid}, or PUT /break-glass. Or let people sign in otherwise, by `policy.sign_in`.',
  },
  webhook_fails: {
    permissions: ['iam.webhooks.read'],
    find: failingWebhooks,
    cure: 'See its deliveries for what the receiver answers; mend that, then replay them, or disable the webhook.',
  },
  mail_fails: {
    permissions: ['iam.mails.read'],
    find: failingMails,
    cure: 'See the error of the mail; check the mail server with `tessera mail test`, then replay what is dead.',
  },
  profile_ends: {
    permissions: ['iam.profiles.read', 'iam.users.read'],
    find: endingProfiles,
    cure: 'Set a later `expires_at` where the person still needs it, or let it end.',
  },
  profile_waits: {
    permissions: ['iam.profiles.read', 'iam.users.read'],
    find: waitingProfiles,
    cure: 'Mail the person a recovery link: nobody has proved whose the account is, and who made it could not give as much. The profile counts once they have used it.',
  },
  account_unproved: {
    permissions: ['iam.profiles.read', 'iam.users.read'],
    find: unprovedAccounts,
    cure: 'Mail the person a recovery link: who made the account may know its password, and it holds more than they could give. It was there before that was asked, so it counts on.',
  },
  administrator_without_factor: {
    permissions: ['iam.users.read', 'iam.profiles.read', 'iam.factors.read'],
    find: administratorsWithoutFactor,
    cure: 'Ask them to set up a second factor at /account/sign-in, or demand one by the policy of their role.',
  },
  address_refused: {
    permissions: ['iam.clients.read'],
    find: refusedAddresses,
    cure: 'Compare what came with what is registered: GET /clients/{client_id}/refused-addresses, or `tessera client refused`. Anybody can send an address: register it only if it is the application’s own.',
  },
  client_weakened: {
    permissions: ['iam.clients.read'],
    find: weakenedClients,
    cure: 'Let the application send nonce, state and a PKCE challenge, then require them of it again.',
  },
} as const satisfies Record<string, AttentionKind>
type KindName = keyof typeof kinds
const names = Object.keys(kinds) as [KindName, ...KindName[]]

const attention = z.object({
  items: z.array(
    z.object({
      kind: z.enum(names),
      target: z.object({
        kind: z.enum(findingKinds),
        id: z.string(),
        name: text(2000),
        user_uuid: z.string().optional().describe('Of a profile: whose it is.'),
      }),
      since: z.iso.datetime().nullable().describe('When it began, or will end; null: it is not known.'),
      cure: z.string(),
    }),
  ),
  more: z.array(z.enum(names)).describe(`Kinds of which there are more than ${mostFound}.`),
})

export const attentionSchemas = { Attention: attention }

export const attentionRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/attention',
    permission: undefined,
    summary: 'List what needs attention',
    description: `Secrets of clients that have ended or end within 30 days while none follows; clients whose issuer of assertions is not declared any more, or not for their organisation; documents of clients that can not be read; secrets of clients that prove themselves by keys; secrets of upstreams that do; upstreams that fail; organisations whose upstream a policy demands, and that nobody gets into when it does not work; profiles that end within 7 days; a rotation of the signing keys that is overdue; webhooks and mails that fail; profiles that wait until an account is proved, and accounts that hold more than their makers could give; people who may give profiles and have no second factor; clients that asked within a week to return to an address that they have not registered; clients that are weaker than by default; an audit that was last found broken. Each only with the permissions to read it and within the reach of who asks: \`iam.clients.read\`, \`iam.profiles.read\` with \`iam.users.read\`, \`iam.keys.read\`, \`iam.upstreams.read\` (with \`iam.organisations.read\`), \`iam.webhooks.read\`, \`iam.mails.read\`, \`iam.factors.read\`, \`iam.audit.read\`. At most ${mostFound} of each kind.`,
    answers: 'Attention',
    async handle({ service, by }) {
      const { authority } = by
      const items: z.output<typeof attention>['items'] = []
      const more: KindName[] = []
      for (const kind of names) {
        const { permissions, find, cure } = kinds[kind]
        if (!permissions.every((one) => authority.permissions.has(one))) continue
        const found = await find(service, by)
        if (found.length > mostFound) more.push(kind)
        for (const { target, since } of found.slice(0, mostFound))
          items.push({ kind, target, since: since === null ? null : isoTime(since), cure })
      }
      return { status: 200, body: { items, more } }
    },
  }),
]
