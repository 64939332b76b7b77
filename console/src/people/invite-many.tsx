import type { components, paths } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Dialog } from '../shared/dialog.tsx'
import { Name } from '../shared/text.tsx'
import { TriedWork } from '../shared/tried-work.tsx'

export type ManyInvited =
  paths['/admin/v1/invitations/bulk']['post']['requestBody']['content']['application/json']
type InvitingLine = components['schemas']['InvitingLine']

/** The most that are invited at once. */
export const most = 200

/** The addresses in a text, a line each or with commas or semicolons between, as mail programs copy them too. */
export function addressesIn(text: string): string[] {
  const all = new Map<string, string>()
  for (const one of text.split(/[\n,;]/)) {
    const address = (/<([^<>]*)>\s*$/.exec(one)?.[1] ?? one).trim()
    if (address !== '') all.set(address.toLowerCase(), address)
  }
  return [...all.values()]
}

/** Says what would come of it first, then invites one after the other. */
export function InviteMany({ body, close }: { body: ManyInvited | undefined; close: () => void }) {
  const { bulk, invite } = useWords()
  const count = body?.emails.length ?? 0
  return (
    <Dialog title={invite.manyTitle(count)} opened={body !== undefined} onClose={close}>
      <p>{invite.manyHow}</p>
      {body && (
        <TriedWork<InvitingLine>
          path="/invitations/bulk"
          body={body}
          label={invite.inviteMany(count)}
          names={{ checking: bulk.checking, working: invite.working }}
          looked={({ addresses }) => addresses}
          changed={({ invited }) => invited}
          would={({ invited, already, refused }) => invite.would(invited, already, refused)}
          did={({ invited, already, refused }) => invite.did(invited, already, refused)}
          refused={{
            name: ({ email }) => <Name>{email}</Name>,
            columns: ['email', 'code', 'detail'],
            file: 'addresses-refused.csv',
          }}
          close={close}
        />
      )}
    </Dialog>
  )
}
