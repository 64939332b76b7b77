/** How an upstream does, at a glance. */
import { useQuery } from '@tanstack/react-query'
import { answered, api, type Upstream } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Ago, Badge } from '../shared/text.tsx'

export const useUpstreamState = (uuid: string) =>
  useQuery({
    queryKey: ['upstream', uuid, 'state'],
    staleTime: 10_000,
    queryFn: () => answered(api.GET('/admin/v1/upstreams/{uuid}/state', { params: { path: { uuid } } })),
  })

/** How many days something that ends is told before. */
const ahead = 30
const daysTo = (at: string) => Math.floor((Date.parse(at) - Date.now()) / 86_400_000)

/** What ends soon, or has ended. */
function Ending({ what, at }: { what: 'secret' | 'certificate'; at: string | null | undefined }) {
  const { upstream: words } = useWords()
  const days = at ? daysTo(at) : ahead + 1
  if (days > ahead) return null
  return days < 0 ? (
    <Badge tone="bad">{words.ended[what]}</Badge>
  ) : (
    <Badge tone="warn">{words.endsIn[what](days)}</Badge>
  )
}

export function UpstreamBadges({ upstream }: { upstream: Upstream }) {
  const { status, upstream: words } = useWords()
  const { data: state } = useUpstreamState(upstream.uuid)
  const { active } = upstream
  return (
    <span className="badges">
      <Badge tone={active ? 'good' : 'bad'}>{active ? status.active : status.disabled}</Badge>
      {state && state.problem !== null && <Badge tone="bad">{words.fails}</Badge>}
      <Ending what="secret" at={upstream.secret_expires_at} />
      <Ending what="certificate" at={state?.certificates_end_at} />
    </span>
  )
}

export function LinkedPeople({ uuid }: { uuid: string }) {
  const { data: state } = useUpstreamState(uuid)
  return state === undefined ? null : String(state.people)
}

export function LastSignIn({ uuid }: { uuid: string }) {
  const { upstream: words } = useWords()
  const { data: state } = useUpstreamState(uuid)
  if (state === undefined) return null
  return state.last_sign_in_at === null ? words.nobodyYet : <Ago at={state.last_sign_in_at} />
}
