/** One page for everything that went wrong. */
import type { Problem } from '../problems.ts'
import { Fields, page } from './layout.tsx'

export function problemPage({ parts: { title, code, detail, advice, signIn } }: Problem): string {
  const rows = [
    ...(code === undefined ? [] : [['Error', <code>{code}</code>] as const]),
    ...(detail === undefined ? [] : [['Description', detail] as const]),
  ]
  // The issuer would refuse the same person again at once, so it is asked for another account.
  const signInAddress = code === 'access_denied' ? '/sign-in?somebody_else' : '/sign-in'
  return page(
    title,
    <div class="card narrow">
      <h1>{title}</h1>
      {rows.length > 0 && <Fields rows={rows} />}
      <p>{advice}</p>
      <p class="actions">
        {signIn && (
          <a class="button" href={signInAddress}>
            {signIn}
          </a>
        )}
        <a class={signIn ? 'button quiet' : 'button'} href="/">
          Start page
        </a>
      </p>
    </div>,
  )
}
