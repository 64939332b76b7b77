import { useQuery } from '@tanstack/react-query'
import { answered, api } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Shown } from '../shared/state.tsx'
import { Ago, Badge, Copy } from '../shared/text.tsx'

type Verified = components['schemas']['AuditVerification']
type Found = NonNullable<Verified['last']>

/** After so long a check each week was left out. */
const longest = 8 * 24 * 3_600_000

/** What was verified last, for those who may read the whole audit. */
function useVerified() {
  const may = useMay()
  const enabled = useMe().reach.kind === 'installation' && may('iam.audit.read')
  const asked = useQuery({
    queryKey: ['audit-verification'],
    staleTime: 60_000,
    enabled,
    queryFn: () => answered(api.GET('/admin/v1/audit/verification')),
  })
  return enabled ? asked : undefined
}

const isWhole = ({ state }: Verified) => state === 'never' || state === 'whole'

/** The alarm of a broken audit: before all records. */
export function Broken() {
  const verified = useVerified()?.data
  return verified !== undefined && !isWhole(verified) && <Alarm verified={verified} />
}

/** Up to which record the audit was verified: after the records, which people come for. */
export function Verification() {
  const asked = useVerified()
  if (asked === undefined) return null
  return (
    <Shown asked={asked} rows={1}>
      {(verified) => isWhole(verified) && <Whole verified={verified} />}
    </Shown>
  )
}

function Whole({ verified: { whole, unverified } }: { verified: Verified }) {
  const { verified: words } = useWords()
  const isOld = whole === null || Date.parse(whole.at) < Date.now() - longest
  return (
    <div className="verified">
      <Badge tone={isOld ? 'warn' : 'good'}>{whole === null ? words.never : words.title}</Badge>{' '}
      {whole === null ? words.neverHow : <Until found={whole} />}{' '}
      {unverified.since !== null && whole !== null && (
        <span className="soft">
          {words.since(unverified.records)} <Ago at={unverified.since} />.
        </span>
      )}
      {isOld && <Command />}
    </div>
  )
}

function Alarm({ verified: { state, last, whole } }: { verified: Verified }) {
  const { verified: words } = useWords()
  return (
    <div className="notice bad verified" role="alert">
      <strong>
        {state === 'not_marked' || state === 'not_kept'
          ? words.alarms[state]
          : words.problems(last?.problems ?? 0)}
      </strong>
      <p>
        {last !== null && state === 'broken' && (
          <>
            {words.found} <Ago at={last.at} />.{' '}
          </>
        )}
        {whole !== null && state !== 'not_kept' && (
          <>
            {words.before} <Until found={whole} />
          </>
        )}
      </p>
      <p>{words.how}</p>
      <Command />
    </div>
  )
}

const Until = ({ found: { sequence, at } }: { found: Found }) => {
  const { verified: words } = useWords()
  return (
    <span>
      {words.until(sequence)} <Ago at={at} />.
    </span>
  )
}

const command = 'tessera audit verify'

const Command = () => (
  <span className="copy-row">
    <code className="command" translate="no">
      {command}
    </code>
    <Copy label={command} value={command} />
  </span>
)
