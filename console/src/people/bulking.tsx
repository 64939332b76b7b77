import type { components, paths } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Name } from '../shared/text.tsx'
import { TriedWork } from '../shared/tried-work.tsx'
import { asProfile, type Given, GivenFields, useGiven } from './given.tsx'

type Body = paths['/admin/v1/users/bulk']['post']['requestBody']['content']['application/json']
type BulkLine = components['schemas']['BulkLine']
export type Action = Body['action']
export type People = Body['people']

function bodyOf(action: Action, people: People, given: Given): Body | undefined {
  if (action !== 'give_role' && action !== 'end_role') return { action, people }
  if (given.role === undefined) return undefined
  const { expires_at, ...place } = asProfile(given)
  return { action, people, profile: action === 'give_role' ? { ...place, expires_at } : place }
}

export function Bulking({ action, people, close }: { action: Action; people: People; close: () => void }) {
  const { bulk } = useWords()
  const [given, setGiven] = useGiven()
  const isOfRole = action === 'give_role' || action === 'end_role'
  return (
    <>
      <p>{bulk.hows[action]}</p>
      <TriedWork<BulkLine>
        path="/users/bulk"
        body={bodyOf(action, people, given)}
        label={bulk.actions[action]}
        danger={action === 'disable' || action === 'end_role'}
        names={bulk}
        looked={({ people }) => people}
        changed={({ changed }) => changed}
        would={({ changed, already, refused }) => bulk.would(changed, already, refused)}
        did={({ changed, already, refused }) => bulk.did(changed, already, refused)}
        refused={{
          name: ({ name, user_uuid: uuid }) => <Name>{name ?? uuid}</Name>,
          columns: ['user_uuid', 'email', 'name', 'code', 'detail'],
          file: 'people-refused.csv',
        }}
        close={close}
      >
        {isOfRole && (
          <GivenFields
            given={given}
            onChange={setGiven}
            refused={() => undefined}
            ends={action === 'give_role'}
          />
        )}
      </TriedWork>
    </>
  )
}
