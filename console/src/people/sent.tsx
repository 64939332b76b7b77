import type { SentInvitation } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { CopyRow, useTimeWriter } from '../shared/text.tsx'

/** How an invitation gets to who is invited: by a mail, or by whoever passes its link on. */
export function Sent({ invitation: { email, link, expires_at: end } }: { invitation: SentInvitation }) {
  const { invite } = useWords()
  const written = useTimeWriter()
  return (
    <div role="status">
      <h2>{invite.sent}</h2>
      <p>{link === undefined ? invite.mailed(email, written(end)) : invite.passOn(email, written(end))}</p>
      {link !== undefined && (
        <dl>
          <CopyRow label={invite.link} value={link} />
        </dl>
      )}
    </div>
  )
}
