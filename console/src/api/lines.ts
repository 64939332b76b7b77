/** A long work of the API: one request, whose answer tells line by line how the work goes on. */
import { posted } from './client.ts'

export interface Line {
  kind: string
}

/** What is sent below /admin/v1 to begin it. */
export interface LongWork {
  path: string
  query?: Readonly<Record<string, string>>
  body?: object
}

interface Answer<L> {
  /** The number under which the audit has all that was done. */
  requestId: string | null
  /** Lines come some at a time. Throws where the connection breaks, and when `signal` is aborted. */
  lines: AsyncIterable<readonly L[]>
}

/** Begins it. Throws a `Refusal` where it was refused before its first line. */
export async function beginWork<L extends Line>(work: LongWork, signal: AbortSignal): Promise<Answer<L>> {
  const response = await posted(work.path, { ...work, signal })
  return { requestId: response.headers.get('x-request-id'), lines: linesOf<L>(response) }
}

async function* linesOf<L>({ body }: Response): AsyncGenerator<readonly L[]> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    const lines = `${rest}${next.value}`.split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as L)
  }
}
