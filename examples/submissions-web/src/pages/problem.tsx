/** One page for everything that went wrong. */
import type { Problem } from '../problems.ts'
import { Fields, page } from './layout.tsx'

export function problemPage({ parts: { status, title, code, detail, advice } }: Problem): string {
  const rows = [
    ...(code === undefined ? [] : [['Error', <code>{code}</code>] as const]),
    ...(detail === undefined ? [] : [['Description', detail] as const]),
  ]
  // Signing in again mends what happened on the way; it is no remedy for a missing page.
  const retry = status !== 404 && status !== 500
  return page(
    title,
    <div class="card narrow">
      <h1>{title}</h1>
      {rows.length > 0 && <Fields rows={rows} />}
      <p>{advice}</p>
      <p class="actions">
        {retry && (
          <a class="button" href="/sign-in">
            Sign in again
          </a>
        )}
        <a class={retry ? 'button quiet' : 'button'} href="/">
          Start page
        </a>
      </p>
    </div>,
  )
}
