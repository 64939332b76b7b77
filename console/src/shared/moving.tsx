import { Link } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'
import { useMayDeclare } from './me.ts'

/** The way to moving in, where somebody sets up what is there. Absent for those who may not. */
export function FromElsewhere() {
  const { moving } = useWords()
  if (!useMayDeclare()) return null
  return (
    <p className="lead">
      {moving.coming} <Link to="/people/move-in">{moving.title}</Link>
    </p>
  )
}
