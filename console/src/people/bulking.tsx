import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { components, paths } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { useWork } from '../shared/long-work.ts'
import { Progress } from '../shared/progress.tsx'
import { Name } from '../shared/text.tsx'
import { asProfile, type Given, GivenFields, useGiven } from './given.tsx'

type Body = paths['/admin/v1/users/bulk']['post']['requestBody']['content']['application/json']
type BulkLine = components['schemas']['BulkLine']
export type Action = Body['action']
export type People = Body['people']

const path = '/users/bulk'

function bodyOf(action: Action, people: People, given: Given): Body | undefined {
  if (action !== 'give_role' && action !== 'end_role') return { action, people }
  if (given.role === undefined) return undefined
  const { expires_at, ...place } = asProfile(given)
  return { action, people, profile: action === 'give_role' ? { ...place, expires_at } : place }
}

/** Tries it out first, and shows who would be refused; then does it, and shows how it goes on. */
export function Bulking({ action, people, close }: { action: Action; people: People; close: () => void }) {
  const { bulk, cancel, close: closes, confirm } = useWords()
  const [given, setGiven] = useGiven()
  const tried = useWork<BulkLine>()
  const work = useWork<BulkLine>()
  const body = bodyOf(action, people, given)
  const asked = JSON.stringify(body)
  const { begin } = tried
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is begun anew when something else is asked.
  useEffect(() => {
    if (asked !== undefined) begin({ path, query: { dry_run: 'true' }, body: JSON.parse(asked) as Body })
  }, [asked])
  const isBegun = work.state !== 'none'
  const last = tried.told
  const send = (how: typeof work.begin) => body && how({ path, body })
  const isTried = tried.state === 'done' || tried.state === 'stopped'
  return (
    <>
      <p>{bulk.hows[action]}</p>
      {(action === 'give_role' || action === 'end_role') && !isBegun && (
        <GivenFields
          given={given}
          onChange={setGiven}
          refused={() => undefined}
          ends={action === 'give_role'}
        />
      )}
      {isBegun ? (
        <Told work={work} of={last?.people} goOn={() => send(work.goOn)} />
      ) : (
        <Told
          tries
          work={tried}
          of={undefined}
          goOn={() => begin({ path, query: { dry_run: 'true' }, ...(body && { body }) })}
        />
      )}
      {!isBegun && last?.kind === 'done' && last.sign_in_again && <p className="soft">{confirm.before}</p>}
      <div className="buttons">
        <Button variant="default" onClick={close}>
          {isBegun ? closes : cancel}
        </Button>
        {!isBegun && (
          <Button
            className={action === 'disable' || action === 'end_role' ? 'danger' : 'main'}
            disabled={body === undefined || !isTried || (tried.state === 'done' && last?.changed === 0)}
            onClick={() => send(work.begin)}
          >
            {bulk.actions[action]}
          </Button>
        )}
      </div>
    </>
  )
}

function Told({
  work,
  of,
  goOn,
  tries = false,
}: {
  work: ReturnType<typeof useWork<BulkLine>>
  of: number | undefined
  goOn: () => void
  tries?: boolean
}) {
  const { bulk } = useWords()
  const said = tries ? bulk.would : bulk.did
  return (
    <Progress<BulkLine>
      tries={tries}
      work={work}
      label={tries ? bulk.checking : bulk.working}
      far={({ people }) => ({ done: people, of })}
      counts={({ changed, already, refused }) => said(changed, already, refused)}
      refused={{
        name: ({ name, user_uuid: uuid }) => <Name>{name ?? uuid}</Name>,
        columns: ['user_uuid', 'email', 'name', 'code', 'detail'],
        file: 'people-refused.csv',
      }}
      goOn={goOn}
    />
  )
}
