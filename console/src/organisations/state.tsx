import { useWords } from '../messages/messages.tsx'
import { Badge } from '../shared/text.tsx'

/** Whether anybody can act there, and the file that manages it. */
export function State({ active, managed_by: file }: { active: boolean; managed_by?: string | null }) {
  const { status } = useWords()
  return (
    <span className="badges">
      <Badge tone={active ? 'good' : 'bad'}>{active ? status.active : status.disabled}</Badge>
      {file && <Badge tone="plain">{status.managed(file)}</Badge>}
    </span>
  )
}
