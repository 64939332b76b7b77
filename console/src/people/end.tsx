import { api, type User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirm } from '../shared/dialog.tsx'

export function EndSession({ sid }: { sid: string }) {
  const { ends } = useWords()
  return (
    <Confirm
      quiet
      danger
      label={ends.end}
      title={ends.sessionTitle}
      what={['session', sid]}
      ask={({ query }) => api.DELETE('/admin/v1/sessions/{sid}', { params: { path: { sid }, query } })}
    >
      <p>{ends.sessionWhat}</p>
    </Confirm>
  )
}

export function EndAllSessions({ user: { uuid, name } }: { user: User }) {
  const { ends } = useWords()
  return (
    <Confirm
      danger
      label={ends.all}
      title={ends.allTitle(name)}
      what={['sessions', uuid]}
      ask={({ query }) =>
        api.DELETE('/admin/v1/users/{uuid}/sessions', { params: { path: { uuid }, query } })
      }
    >
      <p>{ends.allWhat}</p>
    </Confirm>
  )
}

/** Of one sign-in of one application. */
export function EndTokens({ id, client }: { id: string; client: string }) {
  const { ends } = useWords()
  return (
    <Confirm
      quiet
      danger
      label={ends.end}
      title={ends.tokensTitle(client)}
      what={['tokens', id]}
      ask={({ query }) => api.DELETE('/admin/v1/token-families/{id}', { params: { path: { id }, query } })}
    >
      <p>{ends.tokensWhat}</p>
    </Confirm>
  )
}

/** Of what somebody allowed an application. */
export function Withdraw({ uuid, client }: { uuid: string; client: string }) {
  const { ends } = useWords()
  return (
    <Confirm
      quiet
      danger
      label={ends.withdraw}
      title={ends.consentTitle(client)}
      what={['consent', uuid, client]}
      ask={({ query }) =>
        api.DELETE('/admin/v1/users/{uuid}/consents/{client_id}', {
          params: { path: { uuid, client_id: client }, query },
        })
      }
    >
      <p>{ends.consentWhat}</p>
    </Confirm>
  )
}
