import type { DryRun, How } from '../api/change.ts'
import { type Answer, api, type User } from '../api/client.ts'
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

/** All of one application, whichever session gave them. */
export function EndTokens({ uuid, client }: { uuid: string; client: string }) {
  const { ends } = useWords()
  return (
    <Confirm
      quiet
      danger
      label={ends.end}
      title={ends.tokensTitle(client)}
      what={['tokens', uuid, client]}
      ask={({ query }) => endTokens(uuid, client, query)}
    >
      <p>{ends.tokensWhat}</p>
    </Confirm>
  )
}

/** Listed anew, so that what was given since the page was read ends too. */
async function endTokens(
  uuid: string,
  client: string,
  query: How['query'],
): Promise<Answer<DryRun | undefined>> {
  const asked = { params: { query: { user_uuid: uuid, client_id: client, limit: '200' } } }
  const listed = await api.GET('/admin/v1/token-families', asked)
  const those = listed.data?.items ?? []
  let answer: Answer<DryRun | undefined> = { ...listed, data: undefined }
  for (const { id } of those) {
    answer = await api.DELETE('/admin/v1/token-families/{id}', { params: { path: { id }, query } })
    if (!answer.response.ok) return answer
  }
  const ends = { sessions: 0, token_families: those.length }
  return answer.data === undefined ? answer : { ...answer, data: { ...answer.data, ends } }
}

/** Ends what somebody allowed an application. */
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
