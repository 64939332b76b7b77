import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Name } from '../shared/text.tsx'

/** Where mails go, and from whom. */
export function From({ sends, from, reply_to: replyTo }: components['schemas']['MailServer']) {
  const { mail: words } = useWords()
  if (sends === 'nothing') return null
  return (
    <p className="soft">
      {words.sends[sends]}{' '}
      {from !== null && (
        <>
          {words.from} <Name>{from}</Name>
          {replyTo !== null && (
            <>
              , {words.replyTo} <Name>{replyTo}</Name>
            </>
          )}
        </>
      )}
    </p>
  )
}

/** What to set, and what happens until then. */
export function NothingSent() {
  const { mail: words } = useWords()
  return (
    <div className="notice warn">
      <strong>{words.nothing}</strong>
      <p>{words.nothingHow}</p>
    </div>
  )
}
