import { Link } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'
import { useMay } from './me.ts'

/** The way to where several changes are drafted, for those who may see access. */
export function TryOut() {
  const { whatIf } = useWords()
  const may = useMay()
  if (!may('iam.access.read')) return null
  return (
    <p className="try-out">
      <Link to="/access/what-if">{whatIf.tryOut}</Link>
    </p>
  )
}
