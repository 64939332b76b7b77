import { Button } from '@mantine/core'
import { useState } from 'react'
import { api, type User } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirm, Confirmation, Opening } from '../shared/dialog.tsx'
import { Check } from '../shared/form.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { ShownOnce } from '../shared/shown-once.tsx'
import { useTimeWriter } from '../shared/text.tsx'

/** Nobody weakens their own sign-in here: a stolen session would be enough. */
export function useMayWeaken({ uuid }: User): boolean {
  const { actor } = useMe()
  const may = useMay()
  return may('iam.factors.delete') && !('user_uuid' in actor && actor.user_uuid === uuid)
}

export function RemoveFactor({ user: { uuid }, id, name }: { user: User; id: string; name: string }) {
  const { recover } = useWords()
  return (
    <Confirm
      quiet
      danger
      label={recover.factor}
      title={recover.factorTitle(name)}
      what={['factor', uuid, id]}
      ask={({ query }) =>
        api.DELETE('/admin/v1/users/{uuid}/factors/{id}', { params: { path: { uuid, id }, query } })
      }
    >
      <p>{recover.factorWhat}</p>
    </Confirm>
  )
}

/** Help for a locked-out person: forgets what was counted, or lets them set another password. */
export function Recovery({ user }: { user: User }) {
  const { recover } = useWords()
  const may = useMay()
  const { uuid, name, active } = user
  if (!useMayWeaken(user)) return null
  return (
    <div className="actions">
      <Confirm
        label={recover.unlock}
        title={recover.unlockTitle(name)}
        what={['unlock', uuid]}
        ask={({ query }) =>
          api.POST('/admin/v1/users/{uuid}/unlock', { params: { path: { uuid }, query }, body: {} })
        }
      >
        <p>{recover.unlockWhat}</p>
      </Confirm>
      {active && may('iam.users.update') && (
        <Opening label={recover.password} title={recover.passwordTitle(name)}>
          {(close) => <NewPassword user={user} close={close} />}
        </Opening>
      )}
      {active && may('iam.users.update') && (
        <Opening danger label={recover.theft} title={recover.theftTitle(name)}>
          {(close) => <NewPassword theft user={user} close={close} />}
        </Opening>
      )}
    </div>
  )
}

interface NewPasswordProps {
  user: User
  /** Somebody took the account over: all of it ends at once. */
  theft?: boolean
  close: () => void
}

function NewPassword({ user: { uuid, email }, theft = false, close }: NewPasswordProps) {
  const { recover } = useWords()
  const [endsFactors, setEndsFactors] = useState(false)
  const [made, setMade] = useState<components['schemas']['Recovery']>()
  const [shown, setShown] = useState(false)
  if (made !== undefined) return <Made recovery={made} close={close} />
  return (
    <Confirmation
      label={theft ? recover.theftMake : recover.make}
      danger={theft}
      what={['recovery', uuid, shown, endsFactors, theft]}
      close={close}
      done={setMade}
      ask={({ query }) =>
        api.POST('/admin/v1/users/{uuid}/recovery', {
          params: { path: { uuid }, query },
          body: {
            ...(shown && { delivery: 'link' as const }),
            ...(endsFactors && { factors: 'end' as const }),
            ...(theft && { from_theft: true }),
          },
        })
      }
    >
      <p>{theft ? recover.theftWhat(email) : recover.passwordWhat(email)}</p>
      <Check label={recover.showLink} description={recover.showLinkHow} checked={shown} onChange={setShown} />
      {!theft && (
        <Check
          label={recover.endFactors}
          description={recover.endFactorsHow}
          checked={endsFactors}
          onChange={setEndsFactors}
        />
      )}
    </Confirmation>
  )
}

function Made({
  recovery: { link, sent_to: email, expires_at: end },
  close,
}: {
  recovery: components['schemas']['Recovery']
  close: () => void
}) {
  const { recover, close: closing } = useWords()
  const written = useTimeWriter()
  return (
    <div role="status">
      {link === null ? (
        <p>{recover.mailed(email ?? '', written(end))}</p>
      ) : (
        <ShownOnce label={recover.link} value={link} how={recover.passOn(written(end))} />
      )}
      <div className="buttons">
        <Button onClick={close}>{closing}</Button>
      </div>
    </div>
  )
}
