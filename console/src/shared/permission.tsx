import { Link } from '@tanstack/react-router'
import { useMay } from './me.ts'

/** The code of a permission, as the way to its holders, or to why somebody has it. */
export function Permission({ code, user }: { code: string; user?: string }) {
  const may = useMay()
  const written = <code translate="no">{code}</code>
  if (code.includes('*') || !may('iam.access.read')) return written
  return user === undefined ? (
    <Link to="/access/who" search={{ permission: code }}>
      {written}
    </Link>
  ) : (
    <Link to="/access/why" search={{ user, permission: code }}>
      {written}
    </Link>
  )
}
